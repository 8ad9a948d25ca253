//! PostgreSQL refuses to run as root; this finds somebody else to be.

use std::ffi::OsStr;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;
use std::process::{Command, Stdio};
use std::{fs, io};

use crate::Error;

/// `nobody`, who owns the folder when there are no user namespaces.
const NOBODY: u32 = 65534;

/// As whom the programs of PostgreSQL run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnixUser {
    /// We are not root, so PostgreSQL may run as we do.
    Ourselves,
    /// We are root, and look like somebody else in a user namespace. The files stay root's, so the data may lie below a
    /// folder only root can enter.
    Mapped,
    /// We are root without user namespaces: the data is given to `nobody`, who must be able to reach it.
    Nobody,
}

impl UnixUser {
    /// Decides by trying.
    pub(crate) fn detect() -> Result<Self, Error> {
        let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
        if !is_root {
            return Ok(Self::Ourselves);
        }
        [Self::Mapped, Self::Nobody].into_iter().find(|user| user.works()).ok_or(Error::Root)
    }

    /// A command that runs `program` as this user.
    pub(crate) fn command<Program: AsRef<OsStr>>(self, program: Program) -> Command {
        let Some((first, arguments)) = self.prefix().split_first() else {
            return Command::new(program);
        };
        let mut command = Command::new(first);
        command.args(arguments).arg("--").arg(program);
        command
    }

    /// Hands a file or folder to this user; we as root can use it all the same.
    pub(crate) fn give(self, path: &Path) -> io::Result<()> {
        match self {
            Self::Nobody => chown(path, Some(NOBODY), Some(NOBODY)),
            Self::Ourselves | Self::Mapped => Ok(()),
        }
    }

    const fn prefix(self) -> &'static [&'static str] {
        match self {
            Self::Ourselves => &[],
            Self::Mapped => &["unshare", "--user", "--map-user=1000", "--map-group=1000"],
            Self::Nobody => &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
        }
    }

    fn works(self) -> bool {
        let status = self.command("true").stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }
}
