//! Every manifest of the corpus gets the verdict it was written for.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use vitrine_crds::{Chatbot, Kind, Merchant, Violation, validate};

/// Each file with the violations of its last document.
fn verdicts(folder: &str) -> Vec<(String, String, Vec<Violation>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let mut verdicts: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let violations = judge(&text);
            (path.file_name().unwrap().to_string_lossy().into_owned(), text, violations)
        })
        .collect();
    verdicts.sort_by(|one, other| one.0.cmp(&other.0));
    verdicts
}

/// A document of the same name is a change of the one before it, which must have been valid.
fn judge(text: &str) -> Vec<Violation> {
    let mut in_force: BTreeMap<String, Value> = BTreeMap::new();
    let mut violations = Vec::new();
    for document in serde_saphyr::from_multiple::<Value>(text).unwrap() {
        assert_eq!(violations, [], "only the last document of a file is invalid");
        let kind: Kind = document["kind"].as_str().unwrap().parse().unwrap();
        let name = document["metadata"]["name"].as_str().unwrap().to_owned();
        violations = validate(kind, &document, in_force.get(&name));
        in_force.insert(name, document);
    }
    violations
}

#[test]
fn valid_manifests_are_accepted_and_fit_the_types() {
    let verdicts = verdicts("valid");
    assert!(verdicts.len() >= 10, "the corpus is there");
    for (file, text, violations) in verdicts {
        assert_eq!(violations, [], "{file}");
        for document in serde_saphyr::from_multiple::<Value>(&text).unwrap() {
            match document["kind"].as_str() {
                Some("Merchant") => drop(serde_json::from_value::<Merchant>(document).expect(&file)),
                _ => drop(serde_json::from_value::<Chatbot>(document).expect(&file)),
            }
        }
    }
}

#[test]
fn invalid_manifests_are_refused_where_and_why_they_say() {
    let verdicts = verdicts("invalid");
    assert!(verdicts.len() >= 60, "the corpus is there");
    for (file, text, violations) in verdicts {
        let expected = |name: &str| {
            text.lines().find_map(|line| line.strip_prefix(&format!("# {name}:"))).map(|value| value.trim().to_owned())
        };
        assert_eq!(violations.len(), 1, "{file}: {violations:#?}");
        let violation = &violations[0];
        assert_eq!(Some(&violation.field), expected("field").as_ref(), "{file}: {violation:?}");
        assert_eq!(Some(&violation.key), expected("key").as_ref(), "{file}: {violation:?}");
        if let Some(message) = expected("message") {
            assert_eq!(violation.message, message, "{file}");
        }
    }
}
