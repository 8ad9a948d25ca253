//! What can go wrong, each with what to do about it.

use std::path::PathBuf;
use std::{fmt, io};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "failed to find PostgreSQL{}: install it (Debian: apt-get install postgresql), or set VITRINE_POSTGRES_BIN to the folder of its programs",
        OfVersion(*.version)
    )]
    NotFound { version: Option<u32> },

    #[error("failed to use the folder {}", .folder.display())]
    Folder {
        folder: PathBuf,
        #[source]
        source: io::Error,
    },

    #[error("failed to take the folder {}: another running program has its server there", .folder.display())]
    InUse { folder: PathBuf },

    #[error("failed to find a free port on 127.0.0.1")]
    Port(#[source] io::Error),

    #[error("failed to run {program}")]
    Run {
        program: String,
        #[source]
        source: io::Error,
    },

    #[error(
        "failed to find a way to run PostgreSQL, which refuses root: install util-linux (its unshare or setpriv), or start this program as another user"
    )]
    Root,

    #[error("failed to make the data folder: {output}")]
    Init { output: String },

    #[error("failed to stop the server a predecessor left in {}: processes {processes:?} are still there", .folder.display())]
    Leftover { folder: PathBuf, processes: Vec<u32> },

    #[error("failed to start PostgreSQL on port {port}: {reason}; the end of its log:\n{log}")]
    Start { port: u16, reason: &'static str, log: String },
}

/// " 15" for the data of a certain version, nothing otherwise.
struct OfVersion(Option<u32>);

impl fmt::Display for OfVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |version| write!(formatter, " {version}, which made the data"))
    }
}
