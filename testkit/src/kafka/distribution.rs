//! The jars of Apache Kafka, and what makes a start of them quick: kept in the cache, made once.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use uuid::Uuid;
use vitrine_local_postgres::keeper;

use crate::cache;
use crate::kafka::settings::{Ports, properties};
use crate::kafka::{lists_a_broker, spawn_broker};
use crate::port::free_port;
use crate::process::{signal, tail};

const POM: &str = include_str!("../../kafka/pom.xml");
/// Written last: a folder with it is whole.
const FINISHED: &str = "finished";
/// The first start of a broker, without an archive of its classes.
const FIRST_START_DEADLINE: Duration = Duration::from_mins(3);
/// Between two looks at a broker that starts or stops.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// A small heap and a compiler that starts soon: the broker lives for minutes. Without a level only errors are logged.
const JAVA_ARGUMENTS: [&str; 5] =
    ["-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.apache.logging.log4j.level=WARN"];

/// `kafka-<digest of the pom>` in the cache: `lib/` with the jars, `formatted/` with an empty log folder, `classes.jsa`
/// with the classes as the virtual machine has them after a start (AppCDS).
#[derive(Clone, Debug)]
pub(crate) struct Distribution {
    folder: PathBuf,
}

impl Distribution {
    /// Makes it if it is missing; other processes wait meanwhile. Blocks for up to a minute the first time.
    pub(crate) fn prepare() -> anyhow::Result<Self> {
        let digest = Uuid::new_v5(&Uuid::NAMESPACE_URL, POM.as_bytes()).simple().to_string();
        let folder = cache::folder()?.join(format!("kafka-{}", &digest[..16]));
        let distribution = Self { folder };
        if distribution.folder.join(FINISHED).exists() {
            return Ok(distribution);
        }
        fs::create_dir_all(&distribution.folder)?;
        let lock = File::create(distribution.folder.join("lock"))?;
        lock.lock()?;
        if !distribution.folder.join(FINISHED).exists() {
            distribution.fetch_jars()?;
            distribution.format()?;
            distribution.archive_classes()?;
            fs::write(distribution.folder.join(FINISHED), "")?;
        }
        Ok(distribution)
    }

    /// What `java` is told before the name of the class.
    pub(crate) fn java_arguments(&self) -> Vec<String> {
        let mut arguments = JAVA_ARGUMENTS.map(str::to_owned).to_vec();
        arguments.push(format!("-XX:SharedArchiveFile={}", self.classes().display()));
        arguments.extend(self.class_path());
        arguments
    }

    /// Copies the formatted, empty log folder, which takes a virtual machine to make.
    pub(crate) fn copy_formatted(&self, data: &Path) -> anyhow::Result<()> {
        fs::create_dir_all(data)?;
        for entry in fs::read_dir(self.folder.join("formatted"))? {
            let entry = entry?;
            fs::copy(entry.path(), data.join(entry.file_name()))?;
        }
        Ok(())
    }

    fn class_path(&self) -> [String; 2] {
        ["-cp".to_owned(), format!("{}/*", self.folder.join("lib").display())]
    }

    fn classes(&self) -> PathBuf {
        self.folder.join("classes.jsa")
    }

    fn fetch_jars(&self) -> anyhow::Result<()> {
        let pom = self.folder.join("pom.xml");
        fs::write(&pom, POM)?;
        let output = Command::new("mvn")
            .args(["--quiet", "--batch-mode", "--file"])
            .arg(&pom)
            .args(["dependency:copy-dependencies", "-DincludeScope=runtime"])
            .arg(format!("-DoutputDirectory={}", self.folder.join("lib").display()))
            .stdin(Stdio::null())
            .output()
            .context("failed to run mvn: install it (Debian: apt-get install maven)")?;
        if !output.status.success() {
            bail!("failed to fetch the jars of Kafka:\n{}", String::from_utf8_lossy(&output.stdout));
        }
        Ok(())
    }

    fn format(&self) -> anyhow::Result<()> {
        let formatted = self.folder.join("formatted");
        if formatted.exists() {
            fs::remove_dir_all(&formatted)?;
        }
        // The ports are not written into what is formatted.
        let file = self.folder.join("format.properties");
        fs::write(&file, properties(Ports { broker: 1, controller: 2 }, &formatted))?;
        let output = Command::new("java")
            .args(self.class_path())
            .args(["kafka.tools.StorageTool", "format", "--cluster-id", "vitrine-tests-00000001", "--config"])
            .arg(&file)
            .stdin(Stdio::null())
            .output()
            .context("failed to run java: install it (Debian: apt-get install default-jre-headless)")?;
        if !output.status.success() {
            bail!("failed to format a log folder:\n{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(())
    }

    /// Starts a broker once and stops it, which makes the virtual machine write down the classes it loaded.
    fn archive_classes(&self) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let data = folder.path().join("data");
        self.copy_formatted(&data)?;
        let ports = Ports { broker: free_port()?, controller: free_port()? };
        fs::write(folder.path().join("server.properties"), properties(ports, &data))?;
        let mut java = keeper::command("KILL", "java");
        java.args(JAVA_ARGUMENTS)
            .arg(format!("-XX:ArchiveClassesAtExit={}", self.classes().display()))
            .args(self.class_path());
        let mut child = spawn_broker(java, folder.path())?;

        let log = folder.path().join("kafka.log");
        let deadline = Instant::now() + FIRST_START_DEADLINE;
        let mut is_stopping = false;
        while child.try_wait()?.is_none() {
            if Instant::now() > deadline {
                let _ = child.kill();
                bail!("failed to start Kafka for the first time:\n{}", tail(&log, 25));
            }
            if !is_stopping && lists_a_broker(ports.bootstrap_servers())? {
                signal(child.id(), "TERM")?;
                is_stopping = true;
            }
            std::thread::park_timeout(POLL_INTERVAL);
        }
        if !self.classes().exists() {
            bail!("failed to archive the classes of Kafka:\n{}", tail(&log, 25));
        }
        Ok(())
    }
}
