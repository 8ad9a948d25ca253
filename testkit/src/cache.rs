//! The one folder for what is slow to make and may be deleted at any time.

use std::env;
use std::path::PathBuf;

use anyhow::Context;

/// `VITRINE_CACHE`, or `~/.cache/vitrine`.
pub(crate) fn folder() -> anyhow::Result<PathBuf> {
    if let Some(folder) = env::var_os("VITRINE_CACHE") {
        return Ok(folder.into());
    }
    let home = env::home_dir().context("failed to find the home folder: set VITRINE_CACHE to a folder for caches")?;
    Ok(home.join(".cache/vitrine"))
}
