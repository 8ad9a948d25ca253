//! The digest of a config's content.

use std::fmt::Write;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// `sha256:` and 64 hex digits, over everything but `digest` and `sequence`, with the fields of every object in
/// alphabetical order. Fields that this version does not know count too.
pub(crate) fn of(config: &Value) -> String {
    let mut canonical = String::new();
    write_canonical(config, &["digest", "sequence"], &mut canonical);
    format!("sha256:{}", hexadecimal(&Sha256::digest(canonical)))
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string does not fail");
        text
    })
}

/// Sorted here and not left to the map, whose order is a feature that any crate of the program can change.
fn write_canonical(value: &Value, without: &[&str], text: &mut String) {
    match value {
        Value::Object(object) => {
            let mut fields: Vec<_> = object.iter().filter(|(name, _)| !without.contains(&name.as_str())).collect();
            fields.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (index, (name, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_canonical(value, &[], text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write_canonical(item, &[], text);
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_order_of_fields_does_not_matter_and_every_value_does() {
        let written: Value = serde_json::from_str(r#"{"b": [1, {"d": 1, "c": 2}], "a": "x"}"#).unwrap();
        let reordered: Value = serde_json::from_str(r#"{"a": "x", "b": [1, {"c": 2, "d": 1}]}"#).unwrap();
        assert_eq!(of(&written), of(&reordered));
        for other in [
            json!({"b": [1, {"d": 1, "c": 3}], "a": "x"}),
            json!({"b": [{"d": 1, "c": 2}, 1], "a": "x"}),
            json!({"b": [1, {"d": 1, "c": 2}], "a": "x", "new": null}),
        ] {
            assert_ne!(of(&written), of(&other), "{other}");
        }
    }

    #[test]
    fn sequence_and_digest_are_not_content() {
        let content = json!({"merchant": {"sequence": 1}});
        let published = json!({"merchant": {"sequence": 1}, "sequence": 7, "digest": "sha256:00"});
        assert_eq!(of(&content), of(&published));
        assert_ne!(of(&content), of(&json!({"merchant": {"sequence": 2}})));
    }
}
