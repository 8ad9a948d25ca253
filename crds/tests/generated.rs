//! The definitions in `yaml/` are those of the types, and such as an API server takes them.

use std::fs;
use std::path::Path;

use serde_json::Value;
use vitrine_crds::{Kind, definitions};

#[test]
fn the_yaml_files_are_generated_from_these_types() {
    for kind in Kind::ALL {
        let (name, expected) = definitions::file(kind);
        let written = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("yaml").join(name)).unwrap();
        assert!(written == expected, "{name} is stale: run `cargo run --package vitrine-crds --bin generate-crds`");
    }
}

/// Visits every schema below one, with its place.
fn visit(place: &str, schema: &Value, check: &mut impl FnMut(&str, &Value)) {
    check(place, schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        visit(&format!("{place}.{name}"), property, check);
    }
    if schema["items"].is_object() {
        visit(&format!("{place}[]"), &schema["items"], check);
    }
}

#[test]
fn every_field_of_a_spec_is_documented() {
    for kind in Kind::ALL {
        visit("spec", &definitions::schema(kind)["properties"]["spec"], &mut |place, schema| {
            if !place.ends_with("[]") {
                assert!(schema["description"].is_string(), "{kind} {place} has no description");
            }
        });
    }
}

#[test]
fn every_text_and_list_of_a_spec_has_a_maximum() {
    for kind in Kind::ALL {
        visit("spec", &definitions::schema(kind)["properties"]["spec"], &mut |place, schema| {
            let is_bounded = match schema["type"].as_str() {
                Some("string") => schema["maxLength"].is_u64() || schema["enum"].is_array(),
                Some("array") => schema["maxItems"].is_u64(),
                Some("integer") => schema["maximum"].is_number(),
                Some("object" | "boolean") => true,
                other => panic!("{kind} {place} is of type {other:?}"),
            };
            assert!(is_bounded, "{kind} {place} has no maximum");
        });
    }
}

#[test]
fn every_rule_has_a_key_and_a_message() {
    let mut rules = 0;
    for kind in Kind::ALL {
        visit("", &definitions::schema(kind), &mut |place, schema| {
            for rule in schema["x-kubernetes-validations"].as_array().into_iter().flatten() {
                let (key, message) = rule["message"].as_str().unwrap().split_once(": ").unwrap();
                assert!(key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{kind} {place}: {key:?}");
                assert!(!message.is_empty());
                rules += 1;
            }
        });
    }
    assert!(rules > 20, "rules are there");
}
