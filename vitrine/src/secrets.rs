//! Secrets of the embedded default: made at the first start, kept in the state folder for its owner only.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use secrecy::{ExposeSecret, SecretString};
use vitrine_database::RolePasswords;
use vitrine_service::clock;

/// Secrets shorter than this were not made by us.
const CHARACTERS_MIN: usize = 32;

/// One file per secret, named like what it opens.
pub struct Secrets {
    folder: PathBuf,
}

impl Secrets {
    /// Opens the folder, making it at the first start.
    pub fn open(state: &Path) -> Result<Self> {
        let folder = state.join("secrets");
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&folder)
            .with_context(|| format!("failed to make the folder {}", folder.display()))?;
        Ok(Self { folder })
    }

    /// Opens knowledge imports; read by `vitrine knowledge import`.
    pub fn platform_token(&self) -> Result<SecretString> {
        self.secret("platform-token")
    }

    /// Signs embed and visitor tokens.
    pub fn token_key(&self) -> Result<SecretString> {
        self.secret("token-key")
    }

    pub fn role_passwords(&self) -> Result<RolePasswords> {
        Ok(RolePasswords {
            owner: self.secret("database-owner")?,
            api: self.secret("database-api")?,
            worker: self.secret("database-worker")?,
            runtime: self.secret("database-runtime")?,
        })
    }

    fn secret(&self, name: &str) -> Result<SecretString> {
        let path = self.folder.join(name);
        match fs::read_to_string(&path) {
            Ok(text) => {
                ensure!(
                    text.len() >= CHARACTERS_MIN,
                    "the secret in {} is cut short: remove the file to have a new one",
                    path.display()
                );
                Ok(text.into())
            }
            Err(error) if error.kind() == ErrorKind::NotFound => make(&path),
            Err(error) => Err(error).with_context(|| format!("failed to read {}", path.display())),
        }
    }
}

/// Reads a token file that `vitrine up` made, or an operator.
pub fn read_token(path: &Path) -> Result<SecretString> {
    let text = fs::read_to_string(path).with_context(|| {
        format!("failed to read the platform token from {}: name its file with --token-file", path.display())
    })?;
    Ok(text.trim().to_owned().into())
}

fn make(path: &Path) -> Result<SecretString> {
    let secret: SecretString = format!("{}{}", clock::new_uuid_v4().simple(), clock::new_uuid_v4().simple()).into();
    let context = || format!("failed to write {}", path.display());
    // Whole or not at all: a crash must not leave half a secret.
    let draft = path.with_extension("new");
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(&draft).with_context(context)?;
    file.write_all(secret.expose_secret().as_bytes()).and_then(|()| file.sync_all()).with_context(context)?;
    fs::rename(&draft, path).with_context(context)?;
    Ok(secret)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_secret_is_made_once_and_for_its_owner_only() {
        let state = tempfile::tempdir().unwrap();
        let made = Secrets::open(state.path()).unwrap().platform_token().unwrap();
        let path = state.path().join("secrets/platform-token");
        assert_eq!(
            Secrets::open(state.path()).unwrap().platform_token().unwrap().expose_secret(),
            made.expose_secret()
        );
        assert_eq!(read_token(&path).unwrap().expose_secret(), made.expose_secret());
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_ne!(Secrets::open(state.path()).unwrap().token_key().unwrap().expose_secret(), made.expose_secret());
    }

    #[test]
    fn a_secret_that_was_cut_short_is_refused() {
        let state = tempfile::tempdir().unwrap();
        let secrets = Secrets::open(state.path()).unwrap();
        fs::write(state.path().join("secrets/token-key"), "x").unwrap();
        assert!(secrets.token_key().unwrap_err().to_string().contains("cut short"));
    }
}
