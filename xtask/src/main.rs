//! The project's own commands: `cargo xtask up | test | lint | generate | tidy`.
//!
//! Only what is quick to compile, so that the first words on the screen come soon.

mod console;
mod generate;
mod lint;
mod packages;
mod run;
mod stamp;
mod test;
mod tidy;
mod up;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Vitrine's own commands")]
enum Command {
    /// Build and start the whole product on this machine, with two demo shops
    Up(up::UpArguments),
    /// Test everything with the real parts, or one part by its name
    Test(test::TestArguments),
    /// Check the form of all code
    Lint,
    /// Write every generated file anew
    Generate,
    /// Check the structure: who uses whom, sizes, invariants
    Tidy,
}

fn main() -> ExitCode {
    match run_command() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\x1b[31m{error:#}\x1b[0m");
            ExitCode::FAILURE
        }
    }
}

fn run_command() -> Result<()> {
    std::env::set_current_dir(root())?;
    match Command::parse() {
        Command::Up(arguments) => up::up(&arguments),
        Command::Test(arguments) => test::test(&arguments),
        Command::Lint => lint::lint(),
        Command::Generate => generate::generate().map(|_| ()),
        Command::Tidy => tidy::tidy().map(|_| ()),
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or(here.clone(), PathBuf::from)
}
