//! Folders that one process at a time works in, kept for the next one.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use crate::cache;

/// More test processes than this at once would not fit the machine.
const SLOTS_MAX: u32 = 16;

/// A folder of ours until this value or this process ends.
#[derive(Debug)]
pub(crate) struct Slot {
    folder: PathBuf,
    _lock: File,
}

impl Slot {
    /// Takes the first free folder of a kind.
    pub(crate) fn take(kind: &str) -> anyhow::Result<Self> {
        let kinds = cache::folder()?.join("tests");
        for number in 1..=SLOTS_MAX {
            let folder = kinds.join(format!("{kind}-{number}"));
            fs::create_dir_all(&folder).with_context(|| format!("failed to make {}", folder.display()))?;
            let lock = File::create(folder.join("slot.lock"))?;
            match lock.try_lock() {
                Ok(()) => return Ok(Self { folder, _lock: lock }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error).context("failed to lock a test folder"),
            }
        }
        bail!("failed to find a free folder for {kind}: {SLOTS_MAX} are in use below {}", kinds.display())
    }

    /// A folder in it.
    pub(crate) fn join(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }
}
