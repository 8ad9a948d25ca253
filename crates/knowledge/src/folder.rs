//! A knowledge folder: `faq.yaml`, `documents/*.md` and `products.yaml`, each of them optional.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use vitrine_domain::Language;

use crate::item::{Document, Faq, IMPORT_BYTES_MAX, ItemError, KnowledgeImport, KnowledgeItem, Product};

#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("failed to read {path}")]
    Read {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("failed to read {path}: it is larger than {IMPORT_BYTES_MAX} bytes")]
    TooLarge { path: PathBuf },
    #[error("failed to understand {path}")]
    Parse {
        path: PathBuf,
        #[source]
        source: Box<serde_saphyr::Error>,
    },
    #[error("failed to understand {path}: it must begin with front matter between two lines of ---")]
    FrontMatter { path: PathBuf },
    #[error("{folder} holds no faq.yaml, products.yaml or documents/*.md")]
    Empty { folder: PathBuf },
    #[error("failed to accept the knowledge in {folder}")]
    Item {
        folder: PathBuf,
        #[source]
        source: ItemError,
    },
}

/// Reads a folder into an import, and checks it.
pub fn read_folder(folder: &Path) -> Result<KnowledgeImport, FolderError> {
    let mut items = Vec::new();
    items.extend(read_list::<Faq>(&folder.join("faq.yaml"))?.into_iter().map(KnowledgeItem::Faq));
    for path in markdown_files(&folder.join("documents"))? {
        items.push(KnowledgeItem::Document(read_document(&path)?));
    }
    items.extend(read_list::<Product>(&folder.join("products.yaml"))?.into_iter().map(KnowledgeItem::Product));
    if items.is_empty() {
        return Err(FolderError::Empty { folder: folder.to_owned() });
    }
    let import = KnowledgeImport { items };
    import.check().map_err(|source| FolderError::Item { folder: folder.to_owned(), source })?;
    Ok(import)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    title: String,
    language: Option<Language>,
    url: Option<String>,
}

fn read_document(path: &Path) -> Result<Document, FolderError> {
    let file = read_text(path)?;
    let (front_matter, text) =
        split_front_matter(&file).ok_or_else(|| FolderError::FrontMatter { path: path.to_owned() })?;
    let FrontMatter { title, language, url } = parse(path, front_matter)?;
    let id = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Document { id, title, text: text.to_owned(), language, url })
}

fn split_front_matter(file: &str) -> Option<(&str, &str)> {
    let rest = file
        .strip_prefix('\u{feff}')
        .unwrap_or(file)
        .strip_prefix("---")?
        .trim_start_matches('\r')
        .strip_prefix('\n')?;
    let end =
        rest.match_indices("---").map(|(at, _)| at).find(|at| rest[..*at].is_empty() || rest[..*at].ends_with('\n'))?;
    let text = rest[end + 3..].split_once('\n').map_or("", |(_, text)| text);
    Some((&rest[..end], text))
}

/// The Markdown files of a folder by name; none when there is no such folder.
fn markdown_files(folder: &Path) -> Result<Vec<PathBuf>, FolderError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let read_error = |source| FolderError::Read { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(read_error)? {
        let path = entry.map_err(read_error)?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn read_list<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, FolderError> {
    if path.is_file() { parse(path, &read_text(path)?) } else { Ok(Vec::new()) }
}

fn read_text(path: &Path) -> Result<String, FolderError> {
    let read_error = |source| FolderError::Read { path: path.to_owned(), source };
    let bytes = fs::metadata(path).map_err(read_error)?.len();
    if usize::try_from(bytes).unwrap_or(usize::MAX) > IMPORT_BYTES_MAX {
        return Err(FolderError::TooLarge { path: path.to_owned() });
    }
    fs::read_to_string(path).map_err(read_error)
}

fn parse<T: DeserializeOwned>(path: &Path, yaml: &str) -> Result<T, FolderError> {
    serde_saphyr::from_str(yaml)
        .map_err(|source| FolderError::Parse { path: path.to_owned(), source: Box::new(source) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_ends_at_its_own_line() {
        assert_eq!(split_front_matter("---\ntitle: a --- b\n---\n\nText\n"), Some(("title: a --- b\n", "\nText\n")));
        assert_eq!(split_front_matter("---\r\ntitle: a\r\n---\r\nText"), Some(("title: a\r\n", "Text")));
        assert_eq!(split_front_matter("# Only text"), None);
        assert_eq!(split_front_matter("---\ntitle: never ends"), None);
    }

    #[test]
    fn an_error_names_the_file_and_the_field() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("faq.yaml"), "- id: a\n  question: Why?\n").unwrap();
        let error = read_folder(folder.path()).unwrap_err();
        let FolderError::Parse { path, source } = error else { panic!("{error}") };
        assert!(path.ends_with("faq.yaml"));
        assert!(source.to_string().contains("answer"), "{source}");
    }

    #[test]
    fn a_document_is_named_after_its_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("documents")).unwrap();
        fs::write(folder.path().join("documents/care.md"), "---\ntitle: Care\nlanguage: en\n---\n# Care\n\nOil it.\n")
            .unwrap();
        let import = read_folder(folder.path()).unwrap();
        assert_eq!(import.items.len(), 1);
        assert_eq!((import.items[0].id(), import.items[0].title()), ("care", "Care"));
    }

    #[test]
    fn an_empty_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read_folder(folder.path()), Err(FolderError::Empty { .. })));
    }
}
