//! The resources that a file declares.

use std::fmt;

use serde_json::Value;
use vitrine_crds::{API_VERSION, Kind, validate};

use super::yaml::{self, Node};

/// Longest name of a resource that gets as far as its kind's rules; names become file names of the state.
const NAME_CHARACTERS_MAX: usize = 63;

/// Names a resource among all resources.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ResourceName {
    pub(super) kind: Kind,
    pub(super) name: String,
}

impl fmt::Display for ResourceName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}-{}", self.kind.as_str().to_lowercase(), self.name)
    }
}

/// One resource in a file.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) resource: ResourceName,
    pub(super) value: Value,
    node: Node,
}

/// Something in a file that belongs to no resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) line: u64,
    pub(super) message: String,
}

/// What a file says.
#[derive(Debug, Default)]
pub(super) struct ParsedFile {
    pub(super) documents: Vec<Document>,
    pub(super) problems: Vec<Problem>,
}

impl ParsedFile {
    pub(super) fn parse(text: &str) -> Self {
        match yaml::parse(text) {
            Ok(nodes) => nodes.into_iter().fold(Self::default(), |mut file, node| {
                match Document::new(node) {
                    Ok(document) => file.documents.push(document),
                    Err(problem) => file.problems.push(problem),
                }
                file
            }),
            Err(problem) => Self::unreadable(problem.line, problem.message),
        }
    }

    pub(super) fn unreadable(line: u64, message: String) -> Self {
        Self { documents: Vec::new(), problems: vec![Problem { line, message }] }
    }
}

impl Document {
    fn new(node: Node) -> Result<Self, Problem> {
        let value = yaml::value(&node);
        let problem = |field: &str, message: String| Problem { line: yaml::line(&node, field), message };
        let api_version = value["apiVersion"].as_str().unwrap_or_default();
        if api_version != API_VERSION {
            return Err(problem("apiVersion", format!("apiVersion: is {api_version:?}, expected {API_VERSION}")));
        }
        let kind: Kind = value["kind"]
            .as_str()
            .unwrap_or_default()
            .parse()
            .map_err(|error| problem("kind", format!("kind: {error}")))?;
        let name = value["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        let name_fits = !name.is_empty()
            && name.len() <= NAME_CHARACTERS_MAX
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
        if !name_fits {
            let message = format!("metadata.name: {name:?} is not made of lower-case letters, digits and -");
            return Err(problem("metadata.name", message));
        }
        Ok(Self { resource: ResourceName { kind, name }, value, node })
    }

    /// The first line of the document.
    pub(super) fn line(&self) -> u64 {
        self.node.referenced.line()
    }

    /// Everything that is wrong with it, with the lines of `file`; `old` is the manifest in force.
    pub(super) fn violations(&self, file: &str, old: Option<&Value>) -> Vec<String> {
        validate(self.resource.kind, &self.value, old)
            .iter()
            .map(|violation| format!("{file}:{}: {violation}", yaml::line(&self.node, &violation.field)))
            .collect()
    }
}
