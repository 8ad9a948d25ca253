//! Holds a manifest to the schema and the CEL rules of its kind, as the API server does.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use jsonschema::error::ValidationErrorKind;
use kube::core::cel::{CompiledSchema, compile_schema, validate_compiled};
use serde_json::Value;

use crate::{definitions, strict_schema};

/// Longest value that a message shows.
const SHOWN_VALUE_BYTES_MAX: usize = 40;

/// A kind of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Merchant,
    Chatbot,
}

impl Kind {
    pub const ALL: [Self; 2] = [Self::Merchant, Self::Chatbot];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Merchant => "Merchant",
            Self::Chatbot => "Chatbot",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A kind that is none of ours.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown kind {0:?}: known are Merchant and Chatbot")]
pub struct UnknownKind(pub String);

impl FromStr for Kind {
    type Err = UnknownKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or_else(|| UnknownKind(text.to_owned()))
    }
}

/// One thing a manifest does that its kind does not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Where, such as `spec.allowedDomains[0]`.
    pub field: String,
    /// What is allowed there, in English.
    pub message: String,
    /// The same as a key for translations, such as `allowed-host`.
    pub key: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.field, self.message)
    }
}

/// Every violation of a manifest, in the order of its fields; none means it is valid. With the manifest that is in
/// force as `old`, the rules about changes hold too. A manifest that does not fit the schema is not held to the rules,
/// which could only repeat the same in other words.
pub fn validate(kind: Kind, manifest: &Value, old: Option<&Value>) -> Vec<Violation> {
    let validator = match kind {
        Kind::Merchant => &*MERCHANT,
        Kind::Chatbot => &*CHATBOT,
    };
    let violations = validator.schema_violations(manifest);
    if violations.is_empty() { validator.rule_violations(manifest, old) } else { violations }
}

static MERCHANT: LazyLock<Validator> = LazyLock::new(|| Validator::new(Kind::Merchant));
static CHATBOT: LazyLock<Validator> = LazyLock::new(|| Validator::new(Kind::Chatbot));

struct Validator {
    schema: jsonschema::Validator,
    rules: CompiledSchema,
}

impl Validator {
    fn new(kind: Kind) -> Self {
        let schema = definitions::schema(kind);
        Self {
            schema: jsonschema::validator_for(&strict_schema::of(kind, schema.clone()))
                .expect("the strict form of a generated schema is a schema"),
            rules: compile_schema(&schema),
        }
    }

    fn schema_violations(&self, manifest: &Value) -> Vec<Violation> {
        self.schema
            .iter_errors(manifest)
            .flat_map(|error| {
                let parent = dotted(error.instance_path().as_str());
                match error.kind() {
                    ValidationErrorKind::AdditionalProperties { unexpected } => unexpected
                        .iter()
                        .map(|name| Violation {
                            field: join(&parent, name),
                            message: "there is no such field".to_owned(),
                            key: "unknown-field".to_owned(),
                        })
                        .collect(),
                    ValidationErrorKind::Required { property } => vec![Violation {
                        field: join(&parent, property.as_str().unwrap_or_default()),
                        message: "is required".to_owned(),
                        key: "required".to_owned(),
                    }],
                    other => {
                        vec![Violation { field: parent, message: message(&error), key: other.keyword().to_owned() }]
                    }
                }
            })
            .collect()
    }

    fn rule_violations(&self, manifest: &Value, old: Option<&Value>) -> Vec<Violation> {
        let Err(errors) = validate_compiled(&self.rules, manifest, old) else {
            return Vec::new();
        };
        errors
            .into_vec()
            .into_iter()
            .map(|error| {
                let (key, message) = error.message.split_once(": ").unwrap_or(("rule", &error.message));
                Violation { field: error.field_path, message: message.to_owned(), key: key.to_owned() }
            })
            .collect()
    }
}

/// Shows a value only when it is short: it may be a whole text, or a secret in the wrong place.
fn message(error: &jsonschema::ValidationError<'_>) -> String {
    if error.instance().to_string().len() > SHOWN_VALUE_BYTES_MAX {
        error.masked_with("this").to_string()
    } else {
        error.to_string()
    }
}

/// `/spec/hosts/0` as `spec.hosts[0]`.
fn dotted(pointer: &str) -> String {
    pointer.split('/').skip(1).fold(String::new(), |path, part| match part.parse::<usize>() {
        Ok(index) => format!("{path}[{index}]"),
        Err(_) => join(&path, &part.replace("~1", "/").replace("~0", "~")),
    })
}

fn join(parent: &str, name: &str) -> String {
    if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_value_is_not_repeated() {
        let mut manifest = json!({
            "apiVersion": crate::API_VERSION,
            "kind": "Chatbot",
            "metadata": {"name": "support"},
            "spec": {"merchantRef": {"name": "acme"}, "title": "x".repeat(101)},
        });
        let [violation] = &validate(Kind::Chatbot, &manifest, None)[..] else { panic!("one thing is wrong") };
        assert_eq!(violation.to_string(), "spec.title: this is longer than 100 characters");
        manifest["spec"]["title"] = json!(7);
        let [violation] = &validate(Kind::Chatbot, &manifest, None)[..] else { panic!("one thing is wrong") };
        assert_eq!(violation.to_string(), "spec.title: 7 is not of type \"string\"");
    }

    #[test]
    fn every_violation_is_named_at_once() {
        let manifest = json!({
            "apiVersion": "v1",
            "kind": "Merchant",
            "metadata": {"name": "acme"},
            "spec": {"displayName": "Acme", "hosts": [], "colour": "green", "quotas": {"chatbots": 0}},
        });
        let mut fields: Vec<_> =
            validate(Kind::Merchant, &manifest, None).into_iter().map(|violation| violation.field).collect();
        fields.sort();
        assert_eq!(fields, ["apiVersion", "spec.colour", "spec.ownerEmail", "spec.quotas.chatbots"]);
    }
}
