//! One of our programs as a child process.

use std::env;
use std::fs;
use std::io;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use tempfile::NamedTempFile;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use vitrine_local_postgres::keeper;

/// Between two looks at a process or its health.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long one request for health may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// How much of the log a failing test shows.
const LOG_TAIL_LINES: usize = 60;

/// A program to start, perhaps several times.
#[derive(Clone, Debug)]
pub struct Program {
    name: String,
    path: PathBuf,
    arguments: Vec<String>,
    variables: Vec<(String, String)>,
}

impl Program {
    /// A program of the workspace, as built beside the running test (`cargo test --workspace` builds all of them).
    pub fn ours(name: &str) -> anyhow::Result<Self> {
        let test = env::current_exe()?;
        let path = test
            .ancestors()
            .skip(1)
            .map(|folder| folder.join(name))
            .find(|path| path.is_file())
            .with_context(|| format!("failed to find the program {name}: run cargo build --workspace first"))?;
        Ok(Self { name: name.to_owned(), path, arguments: Vec::new(), variables: Vec::new() })
    }

    #[must_use]
    pub fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    #[must_use]
    pub fn arguments<Argument: Into<String>>(mut self, arguments: impl IntoIterator<Item = Argument>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    #[must_use]
    pub fn variable(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Starts it. It ends when the returned value is dropped, or with this process. A failing test prints its log's end.
    pub fn start(&self) -> anyhow::Result<Process> {
        let log = NamedTempFile::with_prefix(format!("{}-", self.name))?;
        let output = log.reopen()?;
        let mut command: Command = keeper::command("KILL", &self.path);
        command.args(&self.arguments).envs(self.variables.iter().map(|(name, value)| (name, value)));
        // A panic shows where it came from; an error that is reported has its chain of causes.
        command.env("RUST_LIB_BACKTRACE", "0");
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        let child = keeper::spawn(command).with_context(|| format!("failed to start {}", self.name))?;
        Ok(Process { name: self.name.clone(), child, log })
    }
}

/// A running program.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    log: NamedTempFile,
}

impl Process {
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Everything it has written so far.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log.path()).unwrap_or_default()
    }

    /// Waits until `path` on a port of 127.0.0.1 answers 200; fails when the process ends or `within` is over.
    pub async fn wait_until_ready(&mut self, port: u16, path: &str, within: Duration) -> anyhow::Result<()> {
        let deadline = Instant::now() + within;
        loop {
            let answer = tokio::time::timeout(REQUEST_TIMEOUT, get(port, path)).await;
            if matches!(&answer, Ok(Ok(answer)) if answer.starts_with("HTTP/1.1 200")) {
                return Ok(());
            }
            if let Some(status) = self.child.try_wait()? {
                bail!("failed to start {}, it ended with {status}:\n{}", self.name, self.log_tail());
            }
            if Instant::now() > deadline {
                bail!("{} was not ready within {within:?} ({answer:?}):\n{}", self.name, self.log_tail());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    pub fn is_running(&mut self) -> anyhow::Result<bool> {
        Ok(self.child.try_wait()?.is_none())
    }

    /// Ends it without notice, as a lack of memory would.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Sends a signal by its name (`TERM`, `STOP`, `CONT`, …).
    pub fn signal(&self, name: &str) -> anyhow::Result<()> {
        signal(self.child.id(), name)
    }

    /// Asks it to stop, and waits until it has.
    pub async fn terminate(&mut self, within: Duration) -> anyhow::Result<ExitStatus> {
        self.signal("TERM")?;
        self.wait(within).await
    }

    /// Waits until it has ended by itself.
    pub async fn wait(&mut self, within: Duration) -> anyhow::Result<ExitStatus> {
        let ended = wait(&mut self.child, within).await;
        ended.with_context(|| format!("{} still runs:\n{}", self.name, self.log_tail()))
    }

    fn log_tail(&self) -> String {
        tail(self.log.path(), LOG_TAIL_LINES)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("---- the end of the log of {}:\n{}\n----", self.name, self.log_tail());
        }
        let _ = self.kill();
    }
}

/// Sends a signal to one process.
pub(crate) fn signal(process: u32, name: &str) -> anyhow::Result<()> {
    let status = Command::new("sh").args(["-c", "kill -s \"$0\" \"$1\"", name, &process.to_string()]).status()?;
    if !status.success() {
        bail!("failed to send {name} to process {process}");
    }
    Ok(())
}

/// Waits until a child has ended.
pub(crate) async fn wait(child: &mut Child, within: Duration) -> anyhow::Result<ExitStatus> {
    let deadline = Instant::now() + within;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if Instant::now() > deadline {
            bail!("process {} did not end within {within:?}", child.id());
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// The last lines of a file; nothing if it cannot be read.
pub(crate) fn tail(path: &Path, lines_max: usize) -> String {
    let text = fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(lines_max)..].join("\n")
}

/// The whole answer to a GET, head and body.
async fn get(port: u16, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}
