//! The console's packages and its build.

use std::path::Path;

use anyhow::Result;

use crate::run::{command, run};
use crate::stamp;

/// A package of ours with a lock file.
pub fn install(folder: &str) -> Result<()> {
    let folder = Path::new(folder);
    let (manifest, lock) = (folder.join("package.json"), folder.join("package-lock.json"));
    let modules = folder.join("node_modules");
    stamp::unless_done(&modules.join(".installed"), &[&manifest, &lock], &modules, || {
        let what = format!("install the packages of {}", folder.display());
        run(&what, command("npm", &["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder))
    })
}

/// Loader and widget in `console/dist`; fails when they are larger than they may be.
pub fn build() -> Result<()> {
    install("console")?;
    let console = Path::new("console");
    stamp::unless_done(&console.join("dist/.built"), &[console], &console.join("dist/loader.js"), || {
        run("build the widget", command("npm", &["run", "--silent", "build"]).current_dir(console))
    })
}
