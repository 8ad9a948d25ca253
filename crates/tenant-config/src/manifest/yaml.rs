//! YAML that remembers its lines.

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use serde_saphyr::Spanned;

/// Most documents of one file.
const DOCUMENTS_MAX: usize = 1_000;

/// A document and where each of its parts is.
pub(super) type Node = Spanned<Tree>;

#[derive(Clone, Debug)]
pub(super) enum Tree {
    Scalar(Value),
    List(Vec<Node>),
    Map(Vec<(Spanned<String>, Node)>),
}

/// Why a file is not YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct YamlProblem {
    pub(super) line: u64,
    pub(super) message: String,
}

/// The documents of a file that are not empty.
pub(super) fn parse(text: &str) -> Result<Vec<Node>, YamlProblem> {
    let options = serde_saphyr::options! { with_snippet: false };
    let documents: Vec<Node> = serde_saphyr::from_multiple_with_options(text, options).map_err(|error| {
        YamlProblem { line: error.location().map_or(1, |location| location.line()), message: error.to_string() }
    })?;
    if documents.len() > DOCUMENTS_MAX {
        return Err(YamlProblem { line: 1, message: format!("the file has more than {DOCUMENTS_MAX} documents") });
    }
    Ok(documents)
}

/// The document without its places.
pub(super) fn value(node: &Node) -> Value {
    match &node.value {
        Tree::Scalar(value) => value.clone(),
        Tree::List(items) => items.iter().map(value).collect(),
        Tree::Map(entries) => {
            Value::Object(entries.iter().map(|(key, entry)| (key.value.clone(), value(entry))).collect::<Map<_, _>>())
        }
    }
}

/// The line of a field such as `spec.allowedDomains[0]`, or of the nearest part around it that is there.
pub(super) fn line(document: &Node, field: &str) -> u64 {
    let mut node = document;
    let mut line = node.referenced.line();
    for part in field.split(['.', '[']) {
        let next = match &node.value {
            Tree::Map(entries) => {
                entries.iter().find(|(key, _)| key.value == part).map(|(key, entry)| (key.referenced.line(), entry))
            }
            Tree::List(items) => part
                .trim_end_matches(']')
                .parse()
                .ok()
                .and_then(|index: usize| items.get(index))
                .map(|item| (item.referenced.line(), item)),
            Tree::Scalar(_) => None,
        };
        let Some((next_line, next_node)) = next else { break };
        (line, node) = (next_line, next_node);
    }
    line
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TreeVisitor)
    }
}

struct TreeVisitor;

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Scalar(value.into()))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_none<E>(self) -> Result<Tree, E> {
        Ok(Tree::Scalar(Value::Null))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Tree, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = sequence.next_element()? {
            items.push(item);
        }
        Ok(Tree::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Tree::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const FILE: &str = "\
# a comment
kind: Merchant
spec:
  displayName: \"12\"
  hosts:
    - a.example
    - b.example
---
---
kind: Chatbot
spec: {limits: {messageCharacters: 300}, demo: true, persona: null}
";

    #[test]
    fn documents_are_read_as_json_would_be() {
        let documents: Vec<_> = parse(FILE).unwrap().iter().map(value).collect();
        assert_eq!(
            documents,
            [
                json!({"kind": "Merchant", "spec": {"displayName": "12", "hosts": ["a.example", "b.example"]}}),
                json!({"kind": "Chatbot", "spec": {"limits": {"messageCharacters": 300}, "demo": true, "persona": null}}),
            ]
        );
    }

    #[test]
    fn every_field_has_its_line() {
        let documents = parse(FILE).unwrap();
        for (field, expected) in
            [("spec", 3), ("spec.displayName", 4), ("spec.hosts[1]", 7), ("spec.hosts[9]", 5), ("spec.plan.code", 3)]
        {
            assert_eq!(line(&documents[0], field), expected, "{field}");
        }
        assert_eq!(line(&documents[1], "spec.limits.messageCharacters"), 11);
    }

    #[test]
    fn what_is_not_yaml_is_refused_at_its_line() {
        for (text, expected) in [("a: 1\nb: [1, 2\n", 2), ("a: 1\na: 2\n", 2), ("a: 1\n---\nb: {c: 1\n", 3)] {
            assert_eq!(parse(text).unwrap_err().line, expected, "{text:?}");
        }
    }
}
