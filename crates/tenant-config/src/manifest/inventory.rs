//! What the files declare, held against what was accepted before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;

use super::document::{Document, ParsedFile, ResourceName};
use super::files::{self, ScanError};
use super::state::Accepted;
use crate::declared::{Reason, Rejection};

/// The files of a folder, read again only when they changed.
pub(super) struct Inventory {
    folder: PathBuf,
    except: PathBuf,
    /// Content and meaning of each file at the last look.
    files: BTreeMap<String, (Result<String, String>, Arc<ParsedFile>)>,
}

/// All resources at one look.
pub(super) struct Look {
    pub(super) resources: BTreeMap<ResourceName, Found>,
    /// What is wrong with files as a whole.
    pub(super) file_problems: Vec<String>,
}

/// A resource that some file declares, or declared when it could still be read.
pub(super) struct Found {
    pub(super) file: String,
    pub(super) manifest: Value,
    pub(super) rejection: Option<Rejection>,
}

impl Inventory {
    pub(super) fn new(folder: PathBuf, except: PathBuf) -> Self {
        Self { folder, except, files: BTreeMap::new() }
    }

    pub(super) fn look(&mut self, accepted: &BTreeMap<ResourceName, Accepted>) -> Result<Look, ScanError> {
        self.read()?;
        let mut declarations: BTreeMap<&ResourceName, Vec<(&str, &Document)>> = BTreeMap::new();
        for (file, (_, parsed)) in &self.files {
            for document in &parsed.documents {
                declarations.entry(&document.resource).or_default().push((file, document));
            }
        }
        let mut resources: BTreeMap<ResourceName, Found> = declarations
            .into_iter()
            .map(|(resource, documents)| (resource.clone(), find(&documents, accepted.get(resource))))
            .collect();

        let broken = self.broken_files(accepted);
        for (resource, entry) in accepted {
            if let (false, Some(problem)) = (resources.contains_key(resource), broken.get(entry.file.as_str())) {
                let found = Found {
                    file: entry.file.clone(),
                    manifest: entry.manifest.clone(),
                    rejection: Some(Rejection::new(Reason::UnreadableFile, problem)),
                };
                resources.insert(resource.clone(), found);
            }
        }
        Ok(Look { resources, file_problems: broken.into_values().collect() })
    }

    fn read(&mut self) -> Result<(), ScanError> {
        let mut before = std::mem::take(&mut self.files);
        for (file, content) in files::read_all(&self.folder, &self.except)? {
            let parsed = match before.remove(&file) {
                Some((same, parsed)) if same == content => parsed,
                _ => Arc::new(match &content {
                    Ok(text) => ParsedFile::parse(text),
                    Err(problem) => ParsedFile::unreadable(1, problem.clone()),
                }),
            };
            self.files.insert(file, (content, parsed));
        }
        Ok(())
    }

    /// Files that may declare more than can be read of them, and why. One that declared something and is suddenly
    /// empty is most likely being written.
    fn broken_files(&self, accepted: &BTreeMap<ResourceName, Accepted>) -> BTreeMap<&str, String> {
        let declared_something: BTreeSet<_> = accepted.values().map(|entry| entry.file.as_str()).collect();
        self.files
            .iter()
            .filter_map(|(file, (_, parsed))| {
                let problems: Vec<_> = parsed
                    .problems
                    .iter()
                    .map(|problem| format!("{file}:{}: {}", problem.line, problem.message))
                    .collect();
                let is_emptied = parsed.documents.is_empty() && declared_something.contains(file.as_str());
                match (problems.is_empty(), is_emptied) {
                    (false, _) => Some((file.as_str(), problems.join("; "))),
                    (true, true) => Some((file.as_str(), format!("{file}:1: the file declares nothing"))),
                    (true, false) => None,
                }
            })
            .collect()
    }
}

/// A resource as its documents declare it. A manifest that is in force already was judged when it came.
fn find(documents: &[(&str, &Document)], accepted: Option<&Accepted>) -> Found {
    let (file, document) = documents[0];
    let in_force = accepted.map(|entry| &entry.manifest);
    let rejection = if documents.len() > 1 {
        let places: Vec<_> = documents.iter().map(|(file, document)| format!("{file}:{}", document.line())).collect();
        let ResourceName { kind, name } = &document.resource;
        let message = format!("the {kind} {name} is declared more than once, at {}", places.join(" and "));
        Some(Rejection::new(Reason::DuplicateName, message))
    } else if in_force == Some(&document.value) {
        None
    } else {
        let violations = document.violations(file, in_force);
        (!violations.is_empty()).then(|| Rejection::new(Reason::InvalidSpec, violations.join("; ")))
    };
    Found { file: file.to_owned(), manifest: document.value.clone(), rejection }
}
