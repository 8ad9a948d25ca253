//! `cargo xtask lint`: the form of all code.

use anyhow::Result;

use crate::console;
use crate::run::{command, run};

pub fn lint() -> Result<()> {
    rust()?;
    console::install("console")?;
    run("check the console", command("npm", &["run", "--silent", "check"]).current_dir("console"))?;
    console::install("tests/journeys")?;
    run("check the journeys", command("npm", &["run", "--silent", "check"]).current_dir("tests/journeys"))
}

/// Format and lints of all Rust code; a warning fails.
pub fn rust() -> Result<()> {
    run("check the format", &mut command("cargo", &["fmt", "--all", "--check"]))?;
    run(
        "check the lints",
        &mut command("cargo", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"]),
    )
}
