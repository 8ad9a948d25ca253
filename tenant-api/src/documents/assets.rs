//! The built widget app and loader, read once at start.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

/// Where the launcher's settings go in the loader: a string literal, whichever quotes the build chose.
const LAUNCHER_MARK: &str = "__VITRINE_LAUNCHER__";
/// Where the session goes in the widget's document.
const SESSION_MARK: &str = r#"<script id="vitrine-session" type="application/json">{}</script>"#;
const SESSION_OPENING: &str = r#"<script id="vitrine-session" type="application/json">"#;
const SESSION_CLOSING: &str = "</script>";

#[derive(Debug, thiserror::Error)]
pub enum AssetsError {
    #[error("failed to read {path}: the console has to be built first")]
    Read {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("failed to use {path}: it must have {mark} exactly once")]
    Mark { path: PathBuf, mark: &'static str },
}

/// The built files, cut where values go in.
#[derive(Clone, Debug)]
pub struct Assets {
    folder: PathBuf,
    loader: [String; 2],
    /// Of the loader alone.
    loader_digest: [u8; 32],
    widget: [String; 2],
}

impl Assets {
    /// Reads `loader.js` and `widget.html` of the folder.
    pub fn read(folder: &Path) -> Result<Self, AssetsError> {
        let read = |name: &str| {
            let path = folder.join(name);
            std::fs::read_to_string(&path).map_err(|source| AssetsError::Read { path, source })
        };
        let loader = read("loader.js")?;
        let widget = read("widget.html")?;
        let mark = |name: &str, mark| AssetsError::Mark { path: folder.join(name), mark };
        Ok(Self {
            folder: folder.to_owned(),
            loader_digest: Sha256::digest(loader.as_bytes()).into(),
            loader: cut_literal(&loader).ok_or_else(|| mark("loader.js", LAUNCHER_MARK))?,
            widget: cut(&widget, SESSION_MARK).ok_or_else(|| mark("widget.html", SESSION_MARK))?,
        })
    }

    /// Files whose names hold a digest.
    pub fn hashed_folder(&self) -> PathBuf {
        self.folder.join("assets")
    }

    /// The loader with the launcher's settings, as JSON that is safe in a script.
    pub fn loader(&self, launcher: &str) -> String {
        let [before, after] = &self.loader;
        [before, launcher, after].concat()
    }

    /// Changes whenever the loader with these settings does.
    pub fn loader_tag(&self, launcher: &str) -> String {
        let mut digest = Sha256::new();
        digest.update(self.loader_digest);
        digest.update(launcher.as_bytes());
        let digest = digest.finalize();
        let hex = digest.iter().take(12).fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        // Weak: compressed and plain forms share it.
        format!("W/\"{hex}\"")
    }

    /// The widget's document with a session, as JSON that is safe in a script.
    pub fn widget(&self, session: &str) -> String {
        let [before, after] = &self.widget;
        [before, SESSION_OPENING, session, SESSION_CLOSING, after].concat()
    }
}

fn cut(text: &str, mark: &str) -> Option<[String; 2]> {
    let (before, after) = text.split_once(mark)?;
    (!after.contains(mark)).then(|| [before.to_owned(), after.to_owned()])
}

/// Cuts out the mark together with its quotes.
fn cut_literal(text: &str) -> Option<[String; 2]> {
    ['"', '\'', '`'].into_iter().find_map(|quote| cut(text, &format!("{quote}{LAUNCHER_MARK}{quote}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_go_where_the_build_left_room() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("loader.js", "(()=>{let l=`__VITRINE_LAUNCHER__`;go(l)})();");
        write("widget.html", &format!("<head>{SESSION_MARK}</head>"));
        let assets = Assets::read(folder.path()).unwrap();
        assert_eq!(assets.loader(r#"{"key":"k"}"#), r#"(()=>{let l={"key":"k"};go(l)})();"#);
        assert_eq!(assets.widget("{}"), format!("<head>{SESSION_MARK}</head>"));
        assert_ne!(assets.loader_tag("a"), assets.loader_tag("b"));

        write("loader.js", "nothing here");
        assert!(matches!(Assets::read(folder.path()), Err(AssetsError::Mark { .. })));
        std::fs::remove_file(folder.path().join("widget.html")).unwrap();
        assert!(matches!(Assets::read(folder.path()), Err(AssetsError::Read { .. })));
    }
}
