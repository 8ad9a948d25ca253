//! A copy of the demo shops that a test may change.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tempfile::TempDir;

/// The port that the demo's own files name.
const PORT_IN_FILES: &str = ":7400";

/// Where the built console lies in the copy.
const ASSETS: &str = "assets";

/// A folder like `demo/`, with the port of the stack that serves it, and the console as it is built now: building it
/// again does not take the files away from under a running stack.
#[derive(Debug)]
pub struct Demo {
    folder: TempDir,
}

impl Demo {
    pub fn copy(port: u16) -> anyhow::Result<Self> {
        let folder = TempDir::with_prefix("vitrine-demo-")?;
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (from, to) in [("demo", folder.path().to_owned()), ("console/dist", folder.path().join(ASSETS))] {
            let from = root.join(from);
            copy(&from, &to, &format!(":{port}")).with_context(|| format!("failed to copy {}", from.display()))?;
        }
        Ok(Self { folder })
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn manifests(&self) -> PathBuf {
        self.folder.path().join("manifests")
    }

    pub fn knowledge(&self, merchant: &str) -> PathBuf {
        self.folder.path().join("knowledge").join(merchant)
    }

    pub fn site(&self, merchant: &str) -> PathBuf {
        self.folder.path().join("sites").join(merchant)
    }

    pub fn assets(&self) -> PathBuf {
        self.folder.path().join(ASSETS)
    }

    /// The text of a merchant's manifest.
    pub fn manifest(&self, merchant: &str) -> anyhow::Result<String> {
        Ok(fs::read_to_string(self.manifest_path(merchant))?)
    }

    pub fn write_manifest(&self, merchant: &str, text: &str) -> anyhow::Result<()> {
        Ok(fs::write(self.manifest_path(merchant), text)?)
    }

    /// Replaces what must stand there exactly as given.
    pub fn edit_manifest(&self, merchant: &str, from: &str, to: &str) -> anyhow::Result<()> {
        let text = self.manifest(merchant)?;
        ensure!(text.contains(from), "the manifest of {merchant} does not say {from:?}");
        self.write_manifest(merchant, &text.replace(from, to))
    }

    fn manifest_path(&self, merchant: &str) -> PathBuf {
        self.manifests().join(format!("{merchant}.yaml"))
    }
}

fn copy(from: &Path, to: &Path, port: &str) -> anyhow::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let (source, target) = (entry.as_ref().map(fs::DirEntry::path), to);
        let source = source.map_err(|error| anyhow::anyhow!("{error}"))?;
        let target = target.join(source.file_name().unwrap_or_default());
        if source.is_dir() {
            copy(&source, &target, port)?;
        } else {
            match fs::read_to_string(&source) {
                // With what may follow a port, so that a price of 74000000 stays one.
                Ok(text) => fs::write(&target, with_port(&text, port))?,
                Err(_) => fs::copy(&source, &target).map(|_| ())?,
            }
        }
    }
    Ok(())
}

/// Names another port wherever the usual one stands whole.
fn with_port(text: &str, port: &str) -> String {
    let mut parts = text.split(PORT_IN_FILES);
    let mut written = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_longer_number = part.starts_with(|next: char| next.is_ascii_digit());
        written.push_str(if is_longer_number { PORT_IN_FILES } else { port });
        written.push_str(part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::with_port;

    #[test]
    fn only_a_whole_port_is_replaced() {
        assert_eq!(with_port("a:7400/b \":74000000\" c:7400", ":12345"), "a:12345/b \":74000000\" c:12345");
    }
}
