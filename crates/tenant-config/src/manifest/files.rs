//! Finds and reads the files of a folder.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Largest file that is read.
pub(super) const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Most files that are read.
const FILES_MAX: usize = 10_000;
/// How far below the folder files are looked for.
const FOLDER_DEPTH_MAX: usize = 8;

/// Why no list of files can be made. One that is incomplete would look as if somebody had deleted the rest.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    #[error("failed to list {path}: {source}")]
    List { path: PathBuf, source: io::Error },
    #[error("failed to list {path}: there are more than {FILES_MAX} files")]
    TooMany { path: PathBuf },
    #[error("failed to list {path}: it lies more than {FOLDER_DEPTH_MAX} folders deep")]
    TooDeep { path: PathBuf },
}

/// The content of every YAML file below `folder`, or why it cannot be read, by its path relative to `folder`. Hidden
/// files and folders are left out, and so is `except`.
pub(super) fn read_all(folder: &Path, except: &Path) -> Result<BTreeMap<String, Result<String, String>>, ScanError> {
    let mut paths = Vec::new();
    list(folder, except, 0, &mut paths)?;
    Ok(paths
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            (name, read(&path))
        })
        .collect())
}

fn list(folder: &Path, except: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<(), ScanError> {
    let failed = |source| ScanError::List { path: folder.to_owned(), source };
    if depth > FOLDER_DEPTH_MAX {
        return Err(ScanError::TooDeep { path: folder.to_owned() });
    }
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        // Follows links; a broken link, or a file that just vanished, is not there.
        let Ok(metadata) = fs::metadata(&path) else { continue };
        if is_hidden || path == except {
            continue;
        }
        if metadata.is_dir() {
            list(&path, except, depth + 1, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            if paths.len() == FILES_MAX {
                return Err(ScanError::TooMany { path: folder.to_owned() });
            }
            paths.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(|error| format!("the file cannot be read: {error}"))?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(format!("the file is larger than {FILE_BYTES_MAX} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "the file is not UTF-8 text".to_owned())
}
