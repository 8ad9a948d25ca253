//! Doing a step again only when what goes into it has changed.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Runs `step` unless `stamp` says it ran for just these inputs, and `output` is still there.
pub fn unless_done(stamp: &Path, inputs: &[&Path], output: &Path, step: impl FnOnce() -> Result<()>) -> Result<()> {
    let now = digest(inputs)?;
    if output.exists() && fs::read_to_string(stamp).is_ok_and(|then| then == now) {
        return Ok(());
    }
    step()?;
    if let Some(folder) = stamp.parent() {
        fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.display()))?;
    }
    fs::write(stamp, now).with_context(|| format!("failed to write {}", stamp.display()))
}

/// A digest of files, and of folders with everything in them.
pub fn digest(inputs: &[&Path]) -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for file in files(inputs)? {
        file.hash(&mut hasher);
        fs::read(&file).with_context(|| format!("failed to read {}", file.display()))?.hash(&mut hasher);
    }
    Ok(format!("{:016x}", hasher.finish()))
}

/// The files below these files and folders, in a fixed order, without installed packages and builds.
pub fn files(inputs: &[&Path]) -> Result<Vec<PathBuf>> {
    const LEFT_OUT: [&str; 6] = ["node_modules", "dist", "target", "test-results", "playwright-report", ".git"];
    let mut waiting: Vec<PathBuf> = inputs.iter().map(|input| input.to_path_buf()).collect();
    let mut files = Vec::new();
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).with_context(|| format!("failed to read {}", path.display()))?;
            for entry in entries {
                let entry = entry.with_context(|| format!("failed to read {}", path.display()))?.path();
                let is_left_out =
                    entry.file_name().is_some_and(|name| LEFT_OUT.iter().any(|left_out| name == *left_out));
                if !is_left_out {
                    waiting.push(entry);
                }
            }
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
