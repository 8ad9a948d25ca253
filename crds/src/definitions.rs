//! The definitions of both kinds as the API server takes them, and as files.

use std::sync::LazyLock;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::CustomResourceExt;
use serde_json::Value;

use crate::validate::Kind;
use crate::{Chatbot, Merchant};

static MERCHANT: LazyLock<CustomResourceDefinition> = LazyLock::new(|| tidy(Merchant::crd()));
static CHATBOT: LazyLock<CustomResourceDefinition> = LazyLock::new(|| tidy(Chatbot::crd()));

/// The definition of a kind.
pub fn definition(kind: Kind) -> &'static CustomResourceDefinition {
    match kind {
        Kind::Merchant => &MERCHANT,
        Kind::Chatbot => &CHATBOT,
    }
}

/// The schema of a kind's only version.
pub fn schema(kind: Kind) -> Value {
    let schema = definition(kind)
        .spec
        .versions
        .first()
        .and_then(|version| version.schema.as_ref())
        .and_then(|validation| validation.open_api_v3_schema.as_ref())
        .expect("a derived definition has one version with a schema");
    serde_json::to_value(schema).expect("a schema is JSON")
}

/// An absent field says everything that `null` could, so no field takes `null`; and the API server warns about number
/// formats it does not know.
fn tidy(definition: CustomResourceDefinition) -> CustomResourceDefinition {
    let mut value = serde_json::to_value(definition).expect("a definition is JSON");
    tidy_schema(&mut value);
    serde_json::from_value(value).expect("a tidied definition is a definition")
}

fn tidy_schema(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if object.get("nullable") == Some(&Value::Bool(true)) {
                object.remove("nullable");
            }
            if let Some(format) = object.get_mut("format")
                && ["uint32", "uint64"].iter().any(|unsigned| format == unsigned)
            {
                *format = Value::from("int64");
            }
            object.values_mut().for_each(tidy_schema);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy_schema),
        _ => {}
    }
}

/// The definition as the file in `crds/yaml/`, and that file's name.
pub fn file(kind: Kind) -> (&'static str, String) {
    let name = match kind {
        Kind::Merchant => "merchants.yaml",
        Kind::Chatbot => "chatbots.yaml",
    };
    let yaml = serde_saphyr::to_string(definition(kind)).expect("a definition is YAML");
    (name, format!("# Generated from crds/src by `cargo run --package vitrine-crds --bin generate-crds`.\n{yaml}"))
}
