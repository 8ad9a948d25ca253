//! A running server.

use std::fs::{self, File};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use secrecy::{ExposeSecret, SecretString};
use tracing::{info, warn};

use crate::folder::Folder;
use crate::unix_user::UnixUser;
use crate::{Error, Installation, keeper, leftovers, ready};

/// Recovery after a crash is part of a start.
const START_DEADLINE: Duration = Duration::from_mins(1);
/// A fast shutdown breaks off transactions and writes what is in memory.
const STOP_DEADLINE: Duration = Duration::from_secs(20);
/// Quitting at once writes nothing; the next start recovers.
const QUIT_DEADLINE: Duration = Duration::from_secs(5);
/// Between two looks at a server that starts or stops.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Between two looks at a server that is watched for a long time.
const WATCH_INTERVAL_MAX: Duration = Duration::from_millis(500);
/// A free port may be taken by somebody else before the server has it.
const PORT_ATTEMPTS_MAX: u32 = 3;
/// Sent by the kernel when we end: a fast shutdown.
const SIGNAL_WHEN_WE_END: &str = "INT";
const SUPERUSER: &str = "postgres";

/// Where and how a server runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Gets the data (`data/`), the superuser's password, a lock and the log.
    pub folder: PathBuf,
    /// A free one if not given.
    pub port: Option<u16>,
    pub connections_max: u16,
    /// Whether a commit survives the loss of power. Off only where the data is thrown away.
    pub durable: bool,
}

impl Settings {
    /// A durable server with a free port and 100 connections.
    pub fn new<Path: Into<PathBuf>>(folder: Path) -> Self {
        Self { folder: folder.into(), port: None, connections_max: 100, durable: true }
    }
}

/// A server we started. It ends with [`Server::stop`], or with this process. Dropped, it runs on ownerless until either
/// this process ends or the next start in its folder stops it.
#[derive(Debug)]
pub struct Server {
    installation: Installation,
    user: UnixUser,
    folder: Folder,
    settings: Settings,
    port: u16,
    password: SecretString,
    child: Child,
    _lock: File,
}

impl Server {
    /// Starts a server and waits until it takes connections. Makes the data the first time, stops what a killed
    /// predecessor left, and refuses a folder another running program has.
    pub async fn start(settings: Settings) -> Result<Self, Error> {
        let folder = Folder::open(&settings.folder)?;
        let lock = folder.lock()?;
        let installation = Installation::find(folder.data_version())?;
        let user = UnixUser::detect()?;
        let password = folder.password()?;
        if folder.data_version().is_none() {
            make_data(&installation, user, &folder, settings.durable).await?;
        }
        leftovers::stop(&installation, user, &folder).await?;

        let (child, port) = start(&installation, user, &folder, &settings).await?;
        Ok(Self { installation, user, folder, settings, port, password, child, _lock: lock })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// The process of the postmaster.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    pub fn version(&self) -> u32 {
        self.installation.version
    }

    /// The superuser's URL of a database. For making roles and databases, never for serving.
    pub fn superuser_url(&self, database: &str) -> SecretString {
        let password = self.password.expose_secret();
        format!("postgres://{SUPERUSER}:{password}@127.0.0.1:{}/{database}", self.port).into()
    }

    /// Ends when the server has ended, which it does by itself only in distress. [`Server::restart`] mends it.
    pub async fn exited(&mut self) -> Result<ExitStatus, Error> {
        let mut interval = POLL_INTERVAL;
        loop {
            if let Some(status) = self.try_wait()? {
                return Ok(status);
            }
            tokio::time::sleep(interval).await;
            interval = (interval * 2).min(WATCH_INTERVAL_MAX);
        }
    }

    /// Kills the postmaster without notice, as a lack of memory would. For tests of what happens then.
    pub fn kill(&mut self) -> Result<(), Error> {
        self.child.kill().and_then(|()| self.child.wait()).map(|_| ()).map_err(|source| run_error("postgres", source))
    }

    /// Starts the server again, on the same port, after it ended.
    pub async fn restart(&mut self) -> Result<(), Error> {
        leftovers::stop(&self.installation, self.user, &self.folder).await?;
        let _ = self.child.wait();
        let settings = Settings { port: Some(self.port), ..self.settings.clone() };
        let (child, _) = start(&self.installation, self.user, &self.folder, &settings).await?;
        self.child = child;
        Ok(())
    }

    /// Stops the server: open transactions are broken off, committed ones are kept. One that does not stop in time is
    /// ended at once and recovers at its next start.
    pub async fn stop(mut self) -> Result<(), Error> {
        for (signal, limit) in [("INT", STOP_DEADLINE), ("QUIT", QUIT_DEADLINE)] {
            if self.try_wait()?.is_some() {
                return Ok(());
            }
            pg_ctl(&self.installation, self.user, signal, self.child.id()).await?;
            if let Ok(exited) = tokio::time::timeout(limit, self.exited()).await {
                return exited.map(|_| ());
            }
            warn!(signal, "PostgreSQL did not stop in time");
        }
        self.kill()
    }

    fn try_wait(&mut self) -> Result<Option<ExitStatus>, Error> {
        self.child.try_wait().map_err(|source| run_error("postgres", source))
    }
}

/// Sends a signal to a process of the server, as its user.
pub(crate) async fn pg_ctl(
    installation: &Installation,
    user: UnixUser,
    signal: &str,
    process: u32,
) -> Result<(), Error> {
    let mut command = user.command(installation.program("pg_ctl"));
    command.args(["kill", signal, &process.to_string()]).stdout(Stdio::null()).stderr(Stdio::null());
    // Failing means that the process has just ended, which the caller sees.
    tokio::process::Command::from(command).status().await.map(|_| ()).map_err(|source| run_error("pg_ctl", source))
}

async fn make_data(installation: &Installation, user: UnixUser, folder: &Folder, durable: bool) -> Result<(), Error> {
    let unfinished = folder.unfinished_data();
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(|source| folder.error(source))?;
    }
    fs::create_dir(&unfinished)
        .and_then(|()| user.give(folder.path()))
        .and_then(|()| user.give(&unfinished))
        .and_then(|()| user.give(&folder.password_file()))
        .map_err(|source| folder.error(source))?;

    let mut command = user.command(installation.program("initdb"));
    command
        .arg("--pgdata")
        .arg(&unfinished)
        .args(["--username", SUPERUSER, "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8"])
        .arg("--pwfile")
        .arg(folder.password_file())
        .args(if durable { ["--data-checksums"] } else { ["--no-sync"] });
    let output = tokio::process::Command::from(command).output().await.map_err(|source| run_error("initdb", source))?;
    if !output.status.success() {
        return Err(Error::Init { output: String::from_utf8_lossy(&output.stderr).trim().to_owned() });
    }
    fs::rename(&unfinished, folder.data()).map_err(|source| folder.error(source))
}

async fn start(
    installation: &Installation,
    user: UnixUser,
    folder: &Folder,
    settings: &Settings,
) -> Result<(Child, u16), Error> {
    let mut attempt = 1;
    loop {
        let port = settings.port.map_or_else(free_port, Ok)?;
        let began = Instant::now();
        let mut child = spawn(installation, user, folder, settings, port)?;
        match wait_until_ready(&mut child, port, folder).await {
            Ok(()) => {
                let duration_ms = began.elapsed().as_millis();
                info!(port, version = installation.version, duration_ms, "PostgreSQL takes connections");
                return Ok((child, port));
            }
            Err(error) if settings.port.is_some() || attempt == PORT_ATTEMPTS_MAX => return Err(error),
            Err(error) => warn!(%error, attempt, "failed to start PostgreSQL, trying another port"),
        }
        attempt += 1;
    }
}

fn spawn(
    installation: &Installation,
    user: UnixUser,
    folder: &Folder,
    settings: &Settings,
    port: u16,
) -> Result<Child, Error> {
    let log = folder.new_log()?;
    let errors = log.try_clone().map_err(|source| folder.error(source))?;
    let mut command = keeper::bind(user.command(keeper::SETPRIV), SIGNAL_WHEN_WE_END, installation.program("postgres"));
    command.arg("-D").arg(folder.data());
    for setting in server_settings(settings, port) {
        command.args(["-c", &setting]);
    }
    // Its own group: Ctrl-C in a terminal is for us, and we stop the server last.
    command.stdin(Stdio::null()).stdout(log).stderr(errors).process_group(0);
    keeper::spawn(command).map_err(|source| run_error("postgres", source))
}

fn server_settings(settings: &Settings, port: u16) -> Vec<String> {
    let mut lines = vec![
        "listen_addresses=127.0.0.1".to_owned(),
        "unix_socket_directories=".to_owned(),
        format!("port={port}"),
        format!("max_connections={}", settings.connections_max),
        "shared_buffers=64MB".to_owned(),
        "max_wal_size=256MB".to_owned(),
        "timezone=UTC".to_owned(),
        "log_timezone=UTC".to_owned(),
    ];
    if !settings.durable {
        lines.extend(["fsync=off", "full_page_writes=off", "autovacuum_naptime=10s"].map(str::to_owned));
    }
    lines
}

async fn wait_until_ready(child: &mut Child, port: u16, folder: &Folder) -> Result<(), Error> {
    let deadline = Instant::now() + START_DEADLINE;
    let reason = loop {
        if child.try_wait().map_err(|source| run_error("postgres", source))?.is_some() {
            break "it ended at once";
        }
        if ready::answers(port).await {
            return Ok(());
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            break "it did not take connections in time";
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    };
    Err(Error::Start { port, reason, log: folder.log_tail() })
}

fn free_port() -> Result<u16, Error> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(Error::Port)?;
    listener.local_addr().map(|address| address.port()).map_err(Error::Port)
}

fn run_error(program: &str, source: std::io::Error) -> Error {
    Error::Run { program: program.to_owned(), source }
}
