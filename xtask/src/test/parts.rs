//! What each part does. A part gives the number of tests or checks that passed.

use std::process::Command;

use anyhow::{Result, bail};

use super::Settings;
use super::real_parts::RealParts;
use super::summary::passed;
use crate::run::{command, run_reading};
use crate::{console as console_build, generate, lint as lints, tidy as structure};

pub fn tidy() -> Result<usize> {
    structure::tidy()
}

pub fn lint() -> Result<usize> {
    lints::lint()?;
    Ok(0)
}

pub fn generated() -> Result<usize> {
    let changed = generate::generate()?;
    if !changed.is_empty() {
        bail!("generated files were out of date; they are written anew, commit them: {}", changed.join(", "));
    }
    Ok(0)
}

pub fn console() -> Result<usize> {
    console_build::install("console")?;
    let tested = npm("test the console", &["run", "--silent", "test"])?;
    console_build::build()?;
    let in_browser = npm("test the widget in the browser", &["run", "--silent", "test:browser"])?;
    Ok(counted(&tested)? + counted(&in_browser)?)
}

/// Everything beside the code, on a real PostgreSQL and a real Kafka.
pub fn rust(settings: &Settings) -> Result<usize> {
    let mut tests = command("cargo", &["test", "--workspace", "--exclude", "system-tests", "--no-fail-fast"]);
    with_real_parts("run the Rust tests", &mut tests, settings)
}

/// The programs from outside, killed while they work.
pub fn system(settings: &Settings) -> Result<usize> {
    console_build::build()?;
    let mut tests = command("cargo", &["test", "--workspace", "--test", "system", "--no-fail-fast"]);
    with_real_parts("run the system tests", &mut tests, settings)
}

/// The shops in a real Chromium.
pub fn journeys(settings: &Settings) -> Result<usize> {
    console_build::build()?;
    console_build::install("tests/journeys")?;
    let mut tests = command("cargo", &["test", "--workspace", "--test", "journeys", "--", "--nocapture"]);
    with_real_parts("run the journeys", &mut tests, settings)
}

fn with_real_parts(what: &str, tests: &mut Command, settings: &Settings) -> Result<usize> {
    let real_parts = RealParts::start()?;
    if settings.long {
        tests.env("VITRINE_LONG", "1");
    }
    let printed = run_reading(what, real_parts.tell(tests));
    real_parts.stop()?;
    counted(&printed?)
}

fn npm(what: &str, arguments: &[&str]) -> Result<String> {
    run_reading(what, command("npm", arguments).current_dir("console"))
}

/// The number of tests that passed. None at all means that they were not found, which is no success.
fn counted(printed: &str) -> Result<usize> {
    match passed(printed) {
        0 => bail!("not one test ran"),
        count => Ok(count),
    }
}
