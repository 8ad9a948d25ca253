//! A real Apache Kafka: one broker, which is its own controller.

mod distribution;
mod settings;

use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use tokio::sync::OnceCell;
use vitrine_local_postgres::keeper;

use crate::kafka::distribution::Distribution;
use crate::kafka::settings::Ports;
use crate::port::free_port;
use crate::process::{signal, tail, wait};
use crate::slot::Slot;

/// Names the bootstrap servers of a Kafka to use instead of starting one.
const BOOTSTRAP_VARIABLE: &str = "VITRINE_TEST_KAFKA";
/// A start takes about five seconds; recovery after a kill a little more; a machine busy with compiling, many times that.
const START_DEADLINE: Duration = Duration::from_mins(2);
const STOP_DEADLINE: Duration = Duration::from_secs(30);
/// How long one metadata request may take.
const METADATA_TIMEOUT: Duration = Duration::from_secs(1);
const LOG_TAIL_LINES: usize = 25;

/// A broker of a test's own, to be killed and restarted. Tests that only need topics share [`kafka`].
#[derive(Debug)]
pub struct Kafka {
    distribution: Distribution,
    ports: Ports,
    child: Child,
    slot: Slot,
}

impl Kafka {
    /// Starts an empty broker and waits until it names itself in a metadata request.
    pub async fn start() -> anyhow::Result<Self> {
        let distribution = tokio::task::spawn_blocking(Distribution::prepare).await??;
        let slot = Slot::take("kafka")?;
        let ports = Ports { broker: free_port()?, controller: free_port()? };
        let data = slot.join("data");
        if data.exists() {
            fs::remove_dir_all(&data)?;
        }
        distribution.copy_formatted(&data)?;
        fs::write(slot.join("server.properties"), settings::properties(ports, &data))?;

        let child = spawn(&distribution, &slot)?;
        let mut kafka = Self { distribution, ports, child, slot };
        kafka.wait_until_ready().await?;
        Ok(kafka)
    }

    pub fn bootstrap_servers(&self) -> String {
        self.ports.bootstrap_servers()
    }

    /// Kills the broker without notice.
    pub fn kill(&mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Starts a killed or stopped broker again, on its port and its data.
    pub async fn restart(&mut self) -> anyhow::Result<()> {
        if self.child.try_wait()?.is_none() {
            bail!("failed to restart Kafka: it still runs");
        }
        self.child = spawn(&self.distribution, &self.slot)?;
        self.wait_until_ready().await
    }

    /// Stops the broker in an orderly way. [`Kafka::restart`] is possible afterwards.
    pub async fn stop(&mut self) -> anyhow::Result<ExitStatus> {
        signal(self.child.id(), "TERM")?;
        wait(&mut self.child, STOP_DEADLINE).await.context("failed to stop Kafka in time")
    }

    async fn wait_until_ready(&mut self) -> anyhow::Result<()> {
        let deadline = Instant::now() + START_DEADLINE;
        let log = self.slot.join("kafka.log");
        let bootstrap_servers = self.bootstrap_servers();
        while !a_broker_is_listed(bootstrap_servers.clone()).await? {
            if let Some(status) = self.child.try_wait()? {
                bail!("failed to start Kafka, it ended with {status}:\n{}", tail(&log, LOG_TAIL_LINES));
            }
            if Instant::now() > deadline {
                bail!("failed to start Kafka within {START_DEADLINE:?}:\n{}", tail(&log, LOG_TAIL_LINES));
            }
        }
        Ok(())
    }
}

impl Drop for Kafka {
    fn drop(&mut self) {
        // It holds nothing anybody will read again.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The bootstrap servers of the Kafka this process's tests share: the one `VITRINE_TEST_KAFKA` names, or one that is
/// started now and ends with this process. Topics of a test get a prefix of their own, see [`crate::unique_name`].
pub async fn kafka() -> anyhow::Result<String> {
    static SHARED: OnceCell<Kafka> = OnceCell::const_new();
    if let Ok(bootstrap_servers) = env::var(BOOTSTRAP_VARIABLE) {
        return Ok(bootstrap_servers);
    }
    Ok(SHARED.get_or_try_init(Kafka::start).await?.bootstrap_servers())
}

fn spawn(distribution: &Distribution, slot: &Slot) -> anyhow::Result<Child> {
    let mut command = keeper::command("KILL", "java");
    command.args(distribution.java_arguments());
    spawn_broker(command, slot.path())
}

/// Starts `java` with the settings in `folder/server.properties`, its output in `folder/kafka.log`.
fn spawn_broker(mut java: Command, folder: &Path) -> anyhow::Result<Child> {
    let log = File::create(folder.join("kafka.log"))?;
    java.arg("kafka.Kafka").arg(folder.join("server.properties"));
    java.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    keeper::spawn(java).context("failed to run java: install it (Debian: apt-get install default-jre-headless)")
}

async fn a_broker_is_listed(bootstrap_servers: String) -> anyhow::Result<bool> {
    tokio::task::spawn_blocking(move || lists_a_broker(bootstrap_servers)).await?
}

/// An open port comes too early: the broker is of use when it has registered itself. Blocks for a second at most.
fn lists_a_broker(bootstrap_servers: String) -> anyhow::Result<bool> {
    let client: BaseConsumer = ClientConfig::new()
        .set("bootstrap.servers", bootstrap_servers)
        .set("reconnect.backoff.max.ms", "200")
        // Refused connections are what is being waited for.
        .set("log_level", "0")
        .create()?;
    Ok(client.fetch_metadata(None, METADATA_TIMEOUT).is_ok_and(|metadata| !metadata.brokers().is_empty()))
}
