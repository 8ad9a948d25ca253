//! The generated schema in the dialect of plain JSON Schema, with unknown fields refused.

use serde_json::{Map, Number, Value, json};

use crate::API_VERSION;
use crate::validate::Kind;

/// Files are held to more than the API server's schema says: it drops unknown fields (kubectl refuses them beforehand),
/// and it checks `metadata` and the uniqueness of list entries by other means.
pub(crate) fn of(kind: Kind, mut schema: Value) -> Value {
    translate(&mut schema);
    if let Some(root) = schema.as_object_mut() {
        root.insert("required".to_owned(), json!(["apiVersion", "kind", "metadata", "spec"]));
        if let Some(properties) = root.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert("apiVersion".to_owned(), json!({"const": API_VERSION}));
            properties.insert("kind".to_owned(), json!({"const": kind.as_str()}));
            properties.insert("metadata".to_owned(), metadata());
            // Manifests read back from a cluster carry a status; it is the operator's and not ours to judge.
            properties.insert("status".to_owned(), json!({"type": "object"}));
        }
    }
    schema
}

fn metadata() -> Value {
    let texts = json!({"type": "object", "additionalProperties": {"type": "string", "maxLength": 262_144}});
    json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 253},
            "namespace": {"type": "string", "minLength": 1, "maxLength": 63},
            "annotations": texts,
            "labels": texts,
        },
    })
}

fn translate(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            translate_keywords(object);
            object.values_mut().for_each(translate);
        }
        Value::Array(items) => items.iter_mut().for_each(translate),
        _ => {}
    }
}

fn translate_keywords(schema: &mut Map<String, Value>) {
    let is_object = schema.get("properties").is_some_and(Value::is_object) && schema.contains_key("type");
    if is_object && !schema.contains_key("additionalProperties") {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    // Definitions hold every limit as a float, which is printed without a fraction if it has none.
    for limit in ["minimum", "maximum"] {
        if let Some(value) = schema.get_mut(limit)
            && let Some(Ok(number)) = value.as_f64().map(|float| float.to_string().parse::<Number>())
        {
            *value = number.into();
        }
    }
    if schema.get("x-kubernetes-list-type").is_some_and(|list| list == "set") {
        schema.insert("uniqueItems".to_owned(), Value::Bool(true));
    }
}
