//! The programs as a cluster runs them, on an Apache Kafka and a PostgreSQL of their own.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use secrecy::{ExposeSecret, SecretString};
use tempfile::TempDir;
use url::Url;
use vitrine_database::{RolePasswords, bootstrap};
use vitrine_testkit::{Kafka, Process, Program, Server, Settings as ServerSettings, eventually, free_port};

use super::{MERCHANTS, Part, START_MAX, Settings, Victim, generous_limits, state_folder};
use crate::demo::Demo;
use crate::site::Site;

const DATABASE: &str = "vitrine";
/// The server listens on 127.0.0.1 and ends with the test.
const PASSWORD: &str = "test";
const PLATFORM_TOKEN: &str = "a-platform-token-of-the-system-tests";
const TOKEN_SECRET: &str = "a-secret-of-the-system-tests-that-signs-tokens";
/// What runs once must end.
const COMMAND_MAX: Duration = Duration::from_mins(2);
const CONNECTIONS_MAX: u16 = 200;
/// After which the other runtime takes over a dead one's turns.
const SESSION_TIMEOUT_SECONDS: &str = "3";

#[derive(Debug)]
pub(super) struct Separate {
    // In the order in which they are stopped.
    runtimes: [Part; 2],
    api: Part,
    _compile: Process,
    kafka: Kafka,
    postgres: Server,
    state: TempDir,
}

impl Separate {
    pub(super) async fn start(demo: &Demo, port: u16, settings: &Settings) -> anyhow::Result<Self> {
        let state = state_folder()?;
        let server = ServerSettings {
            port: Some(free_port()?),
            connections_max: CONNECTIONS_MAX,
            durable: false,
            ..ServerSettings::new(state.path().join("postgres"))
        };
        let (postgres, kafka) = tokio::join!(Server::start(server), Kafka::start());
        let (postgres, kafka) = (postgres.context("failed to start PostgreSQL")?, kafka?);
        let urls = Urls { superuser: postgres.superuser_url("postgres") };
        urls.prepare().await?;

        let compile = compile(demo, port, state.path()).await?;
        let parts =
            Programs { state: state.path(), urls: &urls, kafka: &kafka.bootstrap_servers(), port, demo, settings };
        let (api, first, second) = tokio::join!(parts.api(), parts.runtime(), parts.runtime());
        let separate = Self { runtimes: [first?, second?], api: api?, _compile: compile, kafka, postgres, state };
        teach(demo, port, separate.state()).await?;
        Ok(separate)
    }

    pub(super) fn state(&self) -> &Path {
        self.state.path()
    }

    pub(super) fn part(&mut self, victim: Victim) -> Option<&mut Part> {
        match victim {
            Victim::Api => Some(&mut self.api),
            Victim::Runtime(number) => self.runtimes.get_mut(number),
            _ => None,
        }
    }

    pub(super) fn parts(&self) -> Vec<(Victim, &Part)> {
        let [first, second] = &self.runtimes;
        vec![(Victim::Api, &self.api), (Victim::Runtime(0), first), (Victim::Runtime(1), second)]
    }

    pub(super) fn kill(&mut self, victim: Victim) -> anyhow::Result<()> {
        match victim {
            Victim::Postgres => Ok(self.postgres.kill()?),
            Victim::Kafka => self.kafka.kill(),
            ours => self.part(ours).with_context(|| format!("there is no {ours:?}"))?.process.kill(),
        }
    }

    pub(super) async fn restart(&mut self, victim: Victim) -> anyhow::Result<()> {
        match victim {
            Victim::Postgres => Ok(self.postgres.restart().await?),
            Victim::Kafka => self.kafka.restart().await,
            ours => self.part(ours).with_context(|| format!("there is no {ours:?}"))?.restart().await,
        }
    }
}

/// The database by role.
struct Urls {
    superuser: SecretString,
}

impl Urls {
    /// Makes roles, database and schema.
    async fn prepare(&self) -> anyhow::Result<()> {
        let password = || SecretString::from(PASSWORD);
        let passwords = RolePasswords { owner: password(), api: password(), worker: password(), runtime: password() };
        bootstrap(&self.superuser, DATABASE, &passwords).await?;
        let migrate = Program::ours("tenant-api")?.argument("migrate");
        run(&migrate.variable("DATABASE_OWNER_URL", self.of("vitrine_owner")?)).await
    }

    fn of(&self, role: &str) -> anyhow::Result<String> {
        let mut url: Url = self.superuser.expose_secret().parse()?;
        let is_set = url.set_username(role).is_ok() && url.set_password(Some(PASSWORD)).is_ok();
        ensure!(is_set, "a URL of PostgreSQL takes a user");
        url.set_path(DATABASE);
        Ok(url.into())
    }
}

/// The command lines.
struct Programs<'a> {
    state: &'a Path,
    urls: &'a Urls,
    kafka: &'a str,
    port: u16,
    demo: &'a Demo,
    settings: &'a Settings,
}

impl Programs<'_> {
    async fn api(&self) -> anyhow::Result<Part> {
        let Self { port, settings, demo, .. } = self;
        let health_port = free_port()?;
        let origin = |name: &str| format!("--{name}=http://{}.localhost:{port}", host(name));
        let origins = ["widget-origin", "console-origin", "uploads-origin", "demo-origin"].map(origin);
        let program = self
            .with_shared(Program::ours("tenant-api")?.argument("serve"), health_port)
            .arguments(["--address", &format!("127.0.0.1:{port}"), "--assets", &demo.assets().display().to_string()])
            .arguments(origins)
            .arguments(
                [("zadelhoek.localhost", "zadelhoek"), ("127.0.0.1", "negin")]
                    .map(|(host, merchant)| format!("--site={host}={}", demo.site(merchant).display())),
            )
            .arguments(settings.sites.iter().map(|(host, folder)| format!("--site={host}={}", folder.display())))
            .arguments(generous_limits())
            .variable("DATABASE_API_URL", self.urls.of("vitrine_api")?)
            .variable("DATABASE_WORKER_URL", self.urls.of("vitrine_worker")?)
            .variable("VITRINE_TOKEN_SECRET", TOKEN_SECRET)
            .variable("VITRINE_PLATFORM_TOKEN", PLATFORM_TOKEN);
        Part::start(program, health_port).await
    }

    async fn runtime(&self) -> anyhow::Result<Part> {
        let health_port = free_port()?;
        let program = self
            .with_shared(Program::ours("chat-runtime")?, health_port)
            .arguments(["--words-per-second", &self.settings.words_per_second.to_string()])
            .arguments(["--session-timeout-seconds", SESSION_TIMEOUT_SECONDS])
            .variable("DATABASE_RUNTIME_URL", self.urls.of("vitrine_runtime")?);
        Part::start(program, health_port).await
    }

    fn with_shared(&self, program: Program, health_port: u16) -> Program {
        program
            .arguments(["--health-address", &format!("127.0.0.1:{health_port}")])
            .arguments(["--kafka-bootstrap-servers", self.kafka])
            .arguments(["--tenants", &self.state.join("tenants").display().to_string()])
    }
}

/// The host behind the argument that names an origin.
fn host(argument: &str) -> &str {
    match argument.trim_end_matches("-origin") {
        "demo" => "shop",
        name => name,
    }
}

/// Publishes the manifests as the operator does in a cluster, and goes on watching them.
async fn compile(demo: &Demo, port: u16, state: &Path) -> anyhow::Result<Process> {
    let compile = Program::ours("vitrine")?
        .arguments(["compile", "--watch"])
        .arguments(["--manifests", &demo.manifests().display().to_string()])
        .arguments(["--state", &state.display().to_string()])
        .arguments(["--demo-host", &format!("shop.localhost:{port}")])
        .start()?;
    let site = Site::new(port, state);
    eventually(START_MAX, "the manifests are published", || async { site.has_published(&MERCHANTS) }).await;
    Ok(compile)
}

async fn teach(demo: &Demo, port: u16, state: &Path) -> anyhow::Result<()> {
    let token_file = state.join("platform-token");
    fs::write(&token_file, PLATFORM_TOKEN)?;
    for merchant in MERCHANTS {
        let import = Program::ours("vitrine")?
            .arguments(["knowledge", "import", &demo.knowledge(merchant).display().to_string()])
            .arguments(["--merchant", merchant, "--url", &format!("http://127.0.0.1:{port}")])
            .arguments(["--token-file", &token_file.display().to_string()]);
        run(&import).await?;
    }
    Ok(())
}

/// Runs a program to its end.
async fn run(program: &Program) -> anyhow::Result<()> {
    let mut process = program.start()?;
    let status = process.wait(COMMAND_MAX).await?;
    ensure!(status.success(), "a program ended with {status}:\n{}", process.log());
    Ok(())
}
