//! `vitrine up`.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, ensure};
use tempfile::TempDir;
use vitrine_testkit::{Program, eventually, free_port};

use super::{Part, START_MAX, Settings, Victim, generous_limits, state_folder};
use crate::demo::Demo;

/// What it says when the shops can be visited.
const READY: &str = "ready; Ctrl-C stops everything";
/// PostgreSQL is brought back by vitrine itself.
const POSTGRES_BACK_MAX: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(super) struct Embedded {
    vitrine: Part,
    state: TempDir,
    killed_postmaster: Option<u32>,
}

impl Embedded {
    pub(super) async fn start(demo: &Demo, port: u16, settings: &Settings) -> anyhow::Result<Self> {
        let state = state_folder()?;
        let health_port = free_port()?;
        let program = Program::ours("vitrine")?
            .argument("up")
            .arguments(["--demo", &demo.path().display().to_string()])
            .arguments(["--assets", &demo.assets().display().to_string()])
            .arguments(["--state", &state.path().display().to_string()])
            .arguments(["--address", &format!("127.0.0.1:{port}")])
            .arguments(["--health-address", &format!("127.0.0.1:{health_port}")])
            .arguments(["--words-per-second", &settings.words_per_second.to_string()])
            .arguments(settings.sites.iter().map(|(host, folder)| format!("--site={host}={}", folder.display())))
            .arguments(generous_limits());
        let vitrine = Part::start(program, health_port).await?;
        let embedded = Self { vitrine, state, killed_postmaster: None };
        eventually(START_MAX, "the demo shops are taught", || async { embedded.vitrine.process.log().contains(READY) })
            .await;
        Ok(embedded)
    }

    pub(super) fn state(&self) -> &Path {
        self.state.path()
    }

    pub(super) fn part(&mut self, victim: Victim) -> Option<&mut Part> {
        (victim == Victim::Vitrine).then_some(&mut self.vitrine)
    }

    pub(super) fn parts(&self) -> Vec<(Victim, &Part)> {
        vec![(Victim::Vitrine, &self.vitrine)]
    }

    pub(super) fn kill(&mut self, victim: Victim) -> anyhow::Result<()> {
        match victim {
            Victim::Postgres => {
                let process = self.postmaster()?;
                self.killed_postmaster = Some(process);
                kill(process)
            }
            _ => self.vitrine.process.kill(),
        }
    }

    pub(super) async fn restart(&mut self, victim: Victim) -> anyhow::Result<()> {
        if victim == Victim::Postgres {
            let killed = self.killed_postmaster;
            let is_back = || async { self.postmaster().is_ok_and(|process| Some(process) != killed) };
            eventually(POSTGRES_BACK_MAX, "vitrine starts its PostgreSQL again", is_back).await;
            return Ok(());
        }
        self.vitrine.restart().await
    }

    /// The process of vitrine's own PostgreSQL.
    fn postmaster(&self) -> anyhow::Result<u32> {
        let file = self.state.path().join("postgres/data/postmaster.pid");
        let text = fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))?;
        Ok(text.lines().next().unwrap_or_default().trim().parse()?)
    }
}

fn kill(process: u32) -> anyhow::Result<()> {
    let status = Command::new("sh").args(["-c", "kill -s KILL \"$0\"", &process.to_string()]).status()?;
    ensure!(status.success(), "failed to kill process {process}");
    Ok(())
}
