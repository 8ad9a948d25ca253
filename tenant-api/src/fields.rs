//! Collecting what is wrong with the fields of a request, so that a caller learns everything at once.

use std::str::FromStr;

use crate::problem::{FieldErrors, Problem};

/// Complaints about fields, gathered while they are read.
#[derive(Debug, Default)]
pub struct Fields {
    errors: FieldErrors,
}

impl Fields {
    /// Notes that a field does not fit.
    pub fn refuse(&mut self, field: &str, allowed: impl Into<String>) {
        self.errors.entry(field.to_owned()).or_default().push(allowed.into());
    }

    /// Reads a text as `T`; `None` after noting that it does not fit.
    pub fn parse<T: FromStr>(&mut self, field: &str, text: &str, allowed: &str) -> Option<T> {
        let parsed = text.parse().ok();
        if parsed.is_none() {
            self.refuse(field, allowed);
        }
        parsed
    }

    /// Notes that a required field is missing.
    pub fn require<T>(&mut self, field: &str, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.refuse(field, "required");
        }
        value
    }

    /// A trimmed text of at most `characters_max` characters without control characters; an empty one is `None`.
    pub fn line(&mut self, field: &str, text: Option<String>, characters_max: usize) -> Option<String> {
        let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())?;
        if text.chars().count() > characters_max || text.chars().any(char::is_control) {
            self.refuse(field, format!("one line of at most {characters_max} characters"));
            return None;
        }
        Some(text)
    }

    /// The problem, if anything was noted.
    pub fn finish(self) -> Result<(), Problem> {
        if self.errors.is_empty() { Ok(()) } else { Err(Problem::invalid(self.errors)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_wrong_is_told_at_once() {
        let mut fields = Fields::default();
        assert_eq!(fields.line("name", Some("  Noor  ".to_owned()), 10), Some("Noor".to_owned()));
        assert_eq!(fields.line("email", Some("   ".to_owned()), 10), None);
        assert_eq!(fields.line("phone", Some("06\r\nX-Header: 1".to_owned()), 100), None);
        assert_eq!(fields.parse::<u32>("limit", "ten", "a whole number"), None);
        assert_eq!(fields.require::<u8>("api_key", None), None);
        let problem = fields.finish().unwrap_err();
        assert_eq!(problem.message(), "not accepted: api_key, limit, phone");
    }
}
