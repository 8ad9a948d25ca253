//! What lies in the server's folder: the data, the lock, the superuser's password, the log.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use secrecy::SecretString;

use crate::Error;

/// Bytes of the password, written as twice as many hexadecimal digits.
const PASSWORD_BYTES: usize = 24;
/// How much of the log an error shows.
const LOG_TAIL_LINES: usize = 12;

/// A server's folder. Only the programs of one of us at a time work in it, see [`Folder::lock`].
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes the folder if it is missing. The path becomes absolute: the server works elsewhere.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let error = |source| Error::Folder { folder: path.to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o755).create(path).map_err(error)?;
        Ok(Self { path: path.canonicalize().map_err(error)? })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// PostgreSQL's own folder.
    pub(crate) fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    /// Where a data folder is made: it gets its name when it is whole, so that a kill leaves no half of one.
    pub(crate) fn unfinished_data(&self) -> PathBuf {
        self.path.join("data.unfinished")
    }

    pub(crate) fn password_file(&self) -> PathBuf {
        self.path.join("superuser-password")
    }

    /// The major version that made the data, if there is data.
    pub(crate) fn data_version(&self) -> Option<u32> {
        fs::read_to_string(self.data().join("PG_VERSION")).ok()?.trim().parse().ok()
    }

    /// Keeps other programs out for as long as the file lives; the kernel lets go of it when we are killed.
    pub(crate) fn lock(&self) -> Result<File, Error> {
        let lock = File::create(self.path.join("lock")).map_err(|source| self.error(source))?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => Err(Error::InUse { folder: self.path.clone() }),
            Err(TryLockError::Error(source)) => Err(self.error(source)),
        }
    }

    /// The superuser's password, made the first time; only we can read its file.
    pub(crate) fn password(&self) -> Result<SecretString, Error> {
        let file = self.password_file();
        match fs::read_to_string(&file) {
            Ok(password) => return Ok(password.trim().to_owned().into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(self.error(error)),
        }
        let password = random_password().map_err(|source| self.error(source))?;
        let write = || {
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&file)?;
            writeln!(file, "{password}")
        };
        write().map_err(|source| self.error(source))?;
        Ok(password.into())
    }

    /// A fresh log; the one before is kept once.
    pub(crate) fn new_log(&self) -> Result<File, Error> {
        let log = self.log();
        if log.exists() {
            fs::rename(&log, log.with_extension("previous.log")).map_err(|source| self.error(source))?;
        }
        File::create(&log).map_err(|source| self.error(source))
    }

    /// The last lines of the log.
    pub(crate) fn log_tail(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_TAIL_LINES)..].join("\n")
    }

    pub(crate) fn error(&self, source: io::Error) -> Error {
        Error::Folder { folder: self.path.clone(), source }
    }

    fn log(&self) -> PathBuf {
        self.path.join("postgres.log")
    }
}

fn random_password() -> io::Result<String> {
    let mut bytes = [0; PASSWORD_BYTES];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}")))
}
