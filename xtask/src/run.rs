//! Running other programs, with a line that says what and how long it took.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// Says what is being done; long steps say when they are through.
pub fn say(text: &str) {
    eprintln!("\x1b[1m▸ {text}\x1b[0m");
}

/// A command from words; the folder is the workspace's unless it is changed.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// Runs a command on this terminal and fails when it does.
pub fn run(what: &str, command: &mut Command) -> Result<()> {
    say(what);
    let started = Instant::now();
    let status = command.status().with_context(|| format!("failed to start {}", shown(command)))?;
    if !status.success() {
        bail!("{what}: {} ended with {status}", shown(command));
    }
    eprintln!("  {what}: {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a command on this terminal and gives what it printed; fails when it does, after all output was shown.
pub fn run_reading(what: &str, command: &mut Command) -> Result<String> {
    say(what);
    // What is read must be plain.
    command.env("NO_COLOR", "1");
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("failed to start {}", shown(command)))?;
    let mut printed = String::new();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line.with_context(|| format!("failed to read from {}", shown(command)))?;
            println!("{line}");
            printed.push_str(&line);
            printed.push('\n');
        }
    }
    let status = child.wait().with_context(|| format!("failed to wait for {}", shown(command)))?;
    if !status.success() {
        return Err(Failed { what: what.to_owned(), printed }.into());
    }
    Ok(printed)
}

/// What a command prints, without showing it.
pub fn read(command: &mut Command) -> Result<String> {
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("failed to start {}", shown(command)))?;
    if !output.status.success() {
        bail!("{} ended with {}", shown(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("failed to read from {}", shown(command)))
}

/// A command that failed, with what it printed: a test run's counts stand there.
#[derive(Debug)]
pub struct Failed {
    pub what: String,
    pub printed: String,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} failed; its output is above", self.what)
    }
}

impl std::error::Error for Failed {}

fn shown(command: &Command) -> String {
    let words: Vec<_> =
        std::iter::once(command.get_program()).chain(command.get_args()).map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}
