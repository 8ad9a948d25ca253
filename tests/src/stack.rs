//! The product, started as a user would: in one process, or as separate programs.

mod embedded;
mod separate;

use std::fs;
use std::time::Duration;

use anyhow::Context;
use vitrine_testkit::{Process, Program, free_port};

use crate::demo::Demo;
use crate::site::Site;
use embedded::Embedded;
use separate::Separate;

/// The demo's merchants.
pub(crate) const MERCHANTS: [&str; 2] = ["negin", "zadelhoek"];
/// A start on a busy machine, the making of a database included.
const START_MAX: Duration = Duration::from_secs(90);

/// What a test decides.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Pace of the answers: low, where a test must hit the middle of one.
    pub words_per_second: u32,
    /// More pages to serve: host and folder.
    pub sites: Vec<(String, std::path::PathBuf)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self { words_per_second: 12, sites: Vec::new() }
    }
}

/// A part that can be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victim {
    /// The embedded default: everything in one process.
    Vitrine,
    Postgres,
    Api,
    /// One of two runtimes.
    Runtime(usize),
    Kafka,
}

/// The running product. It ends with this value, or with the test process.
#[derive(Debug)]
pub struct Stack {
    pub site: Site,
    pub demo: Demo,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Embedded(Box<Embedded>),
    Separate(Box<Separate>),
}

impl Stack {
    /// One process of `vitrine up`.
    pub async fn embedded(settings: &Settings) -> anyhow::Result<Self> {
        let port = free_port()?;
        let demo = Demo::copy(port)?;
        let embedded = Embedded::start(&demo, port, settings).await.context("failed to start the embedded form")?;
        Ok(Self { site: Site::new(port, embedded.state()), demo, form: Form::Embedded(Box::new(embedded)) })
    }

    /// tenant-api and two runtimes on an Apache Kafka and a PostgreSQL of their own.
    pub async fn separate(settings: &Settings) -> anyhow::Result<Self> {
        let port = free_port()?;
        let demo = Demo::copy(port)?;
        let separate = Separate::start(&demo, port, settings).await.context("failed to start the separate form")?;
        Ok(Self { site: Site::new(port, separate.state()), demo, form: Form::Separate(Box::new(separate)) })
    }

    /// Everything that can be killed in this form.
    pub fn victims(&self) -> &'static [Victim] {
        match &self.form {
            Form::Embedded(_) => &[Victim::Vitrine, Victim::Postgres],
            Form::Separate(_) => {
                &[Victim::Runtime(0), Victim::Api, Victim::Kafka, Victim::Runtime(1), Victim::Postgres]
            }
        }
    }

    /// `kill -9`.
    pub fn kill(&mut self, victim: Victim) -> anyhow::Result<()> {
        match &mut self.form {
            Form::Embedded(embedded) => embedded.kill(victim),
            Form::Separate(separate) => separate.kill(victim),
        }
    }

    /// Starts what was killed or has ended, and waits until it serves.
    pub async fn restart(&mut self, victim: Victim) -> anyhow::Result<()> {
        match &mut self.form {
            Form::Embedded(embedded) => embedded.restart(victim).await,
            Form::Separate(separate) => separate.restart(victim).await,
        }
    }

    /// The process of one of our programs.
    pub fn process(&mut self, victim: Victim) -> anyhow::Result<&mut Process> {
        let part = match &mut self.form {
            Form::Embedded(embedded) => embedded.part(victim),
            Form::Separate(separate) => separate.part(victim),
        };
        Ok(&mut part.with_context(|| not_ours(victim))?.process)
    }

    /// The value of a metric of one of our programs, all its labels added up; 0 where it is not.
    pub async fn metric(&self, victim: Victim, name: &str) -> anyhow::Result<f64> {
        let found = self.parts().into_iter().find(|(each, _)| *each == victim);
        let (_, part) = found.with_context(|| not_ours(victim))?;
        let address = format!("http://127.0.0.1:{}/metrics", part.health_port);
        let text = self.site.client()?.get(address).send().await?.text().await?;
        let values = text.lines().filter_map(|line| {
            let rest = line.strip_prefix(name)?;
            rest.starts_with([' ', '{']).then(|| rest.rsplit(' ').next()?.parse::<f64>().ok())?
        });
        Ok(values.sum())
    }

    /// Resident memory of each of our programs, in MiB.
    pub fn memory_mebibytes(&self) -> anyhow::Result<Vec<(Victim, f64)>> {
        self.parts().into_iter().map(|(name, part)| Ok((name, resident_mebibytes(part.process.id())?))).collect()
    }

    fn parts(&self) -> Vec<(Victim, &Part)> {
        match &self.form {
            Form::Embedded(embedded) => embedded.parts(),
            Form::Separate(separate) => separate.parts(),
        }
    }
}

fn not_ours(victim: Victim) -> String {
    format!("{victim:?} is not a program of ours")
}

/// One of our programs, where it says how it is, and its command line to start it again.
#[derive(Debug)]
struct Part {
    program: Program,
    process: Process,
    health_port: u16,
}

impl Part {
    async fn start(program: Program, health_port: u16) -> anyhow::Result<Self> {
        let process = program.start()?;
        let mut part = Self { program, process, health_port };
        part.wait_until_ready().await?;
        Ok(part)
    }

    async fn restart(&mut self) -> anyhow::Result<()> {
        self.process = self.program.start()?;
        self.wait_until_ready().await
    }

    async fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        self.process.wait_until_ready(self.health_port, "/readyz", START_MAX).await
    }
}

fn resident_mebibytes(process: u32) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("a process has VmRSS")?;
    let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kibibytes / 1024.0)
}

/// A folder that ends with the test and that a server running as somebody else can enter.
fn state_folder() -> anyhow::Result<tempfile::TempDir> {
    let folder = tempfile::TempDir::with_prefix("vitrine-state-")?;
    fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(folder)
}

/// Calls that one test makes in a minute must not meet the limits that protect a real one.
fn generous_limits() -> [&'static str; 6] {
    [
        "--address-calls-per-minute",
        "100000",
        "--visitor-writes-per-minute",
        "100000",
        "--chatbot-writes-per-minute",
        "100000",
    ]
}
