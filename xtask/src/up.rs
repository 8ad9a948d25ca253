//! `cargo xtask up`: the embedded default with the demo shops.

use std::os::unix::process::CommandExt;

use anyhow::{Context, Result};
use clap::Args;

use crate::run::{command, run, say};
use crate::{console, packages};

#[derive(Args, Debug)]
pub struct UpArguments {
    /// Further arguments for `vitrine up`, such as --listen 127.0.0.1:7500
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    further: Vec<String>,
}

pub fn up(arguments: &UpArguments) -> Result<()> {
    packages::ensure_for_up()?;
    console::build()?;
    run(
        "build vitrine (minutes the first time)",
        &mut command("cargo", &["build", "--package", "vitrine", "--bin", "vitrine"]),
    )?;
    say("start vitrine; Ctrl-C stops everything");
    let mut vitrine =
        command("target/debug/vitrine", &["up", "--demo", "demo", "--assets", "console/dist", "--state", "state"]);
    // In place of this process: what stops it stops vitrine, and nothing is left between.
    Err(vitrine.args(&arguments.further).exec()).context("failed to start target/debug/vitrine")
}
