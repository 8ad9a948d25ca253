//! The files of the project as git knows them, new ones included.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::run::{command, read};

/// A text file of the project.
pub struct Source {
    /// From the workspace's folder, with `/`.
    pub path: String,
    pub text: String,
}

impl Source {
    pub fn has_extension(&self, extensions: &[&str]) -> bool {
        Path::new(&self.path).extension().is_some_and(|own| extensions.iter().any(|extension| own == *extension))
    }

    /// Made by a program, not by hand.
    pub fn is_generated(&self) -> bool {
        self.path.contains(".gen.") || self.path.ends_with("lock.json") || self.path == "docs/openapi.json"
    }

    /// The lines with their numbers, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }
}

/// Every text file that is tracked, or new and not ignored.
pub fn tracked() -> Result<Vec<Source>> {
    let listed = read(&mut command("git", &["ls-files", "--cached", "--others", "--exclude-standard"]))?;
    let mut sources = Vec::new();
    for path in listed.lines() {
        // Deleted but not yet committed, or not text.
        let Ok(bytes) = fs::read(path) else { continue };
        if let Ok(text) = String::from_utf8(bytes) {
            sources.push(Source { path: path.to_owned(), text });
        }
    }
    sources.sort_by(|one, other| one.path.cmp(&other.path));
    (!sources.is_empty()).then_some(sources).context("git lists no files here")
}
