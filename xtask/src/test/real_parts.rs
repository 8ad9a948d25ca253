//! One PostgreSQL and one Apache Kafka for a run of tests.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::run::{command, run, say};

/// The program that starts them; it stops both when its standard input is closed, so also when this process dies.
pub struct RealParts {
    program: Child,
    input: Option<ChildStdin>,
    addresses: Addresses,
}

#[derive(Deserialize)]
struct Addresses {
    postgres_url: String,
    kafka: String,
}

impl RealParts {
    /// Builds the workspace and starts them.
    pub fn start() -> Result<Self> {
        run("build everything", &mut command("cargo", &["build", "--workspace", "--quiet"]))?;
        say("start PostgreSQL and Apache Kafka (the first time Kafka is fetched)");
        let mut program = Command::new("target/debug/real-parts")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("failed to start target/debug/real-parts")?;
        let input = program.stdin.take();
        let output = program.stdout.take().context("failed to read from real-parts")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).context("failed to read from real-parts")?;
        let addresses = serde_json::from_str(&line).context("PostgreSQL or Apache Kafka did not start; see above")?;
        Ok(Self { program, input, addresses })
    }

    /// Tells a test run where they are.
    pub fn tell<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("VITRINE_TEST_POSTGRES_URL", &self.addresses.postgres_url)
            .env("VITRINE_TEST_KAFKA", &self.addresses.kafka)
    }

    pub fn stop(mut self) -> Result<()> {
        drop(self.input.take());
        self.program.wait().context("failed to stop PostgreSQL and Apache Kafka").map(|_| ())
    }
}
