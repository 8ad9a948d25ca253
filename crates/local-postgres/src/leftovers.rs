//! Stopping what a killed predecessor left in the folder.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, io};

use tracing::info;

use crate::folder::Folder;
use crate::{Error, Installation, server::pg_ctl, unix_user::UnixUser};

/// How long a leftover server gets to write what it holds in memory.
const STOP_DEADLINE: Duration = Duration::from_secs(20);
/// How long its processes get once they were told to quit at once.
const QUIT_DEADLINE: Duration = Duration::from_secs(5);
/// Between two looks at the processes.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Stops a server without an owner, waits until backends of a killed one are gone, and removes its stale id file. The
/// caller holds the folder's lock, so whoever is found has no owner any more.
pub(crate) async fn stop(installation: &Installation, user: UnixUser, folder: &Folder) -> Result<(), Error> {
    let data = folder.data();
    if let Some(postmaster) = postmaster(&data) {
        info!(process.id = postmaster, "stopping the PostgreSQL that a predecessor left");
        pg_ctl(installation, user, "INT", postmaster).await?;
        if !gone_within(STOP_DEADLINE, &data).await {
            pg_ctl(installation, user, "QUIT", postmaster).await?;
        }
    }
    // Backends of a killed postmaster notice when they next look up from their work. Nobody waits for their answers,
    // and starting beside them could ruin the data.
    for backend in processes_in(&data) {
        pg_ctl(installation, user, "QUIT", backend).await?;
    }
    if !gone_within(QUIT_DEADLINE, &data).await {
        return Err(Error::Leftover { folder: folder.path().to_owned(), processes: processes_in(&data) });
    }
    // Its number may belong to somebody else by now, and then PostgreSQL would refuse to start.
    match fs::remove_file(data.join("postmaster.pid")) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(folder.error(error)),
        _ => Ok(()),
    }
}

/// The living postmaster of the data folder, as its id file says.
fn postmaster(data: &Path) -> Option<u32> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    let process = text.lines().next()?.trim().parse().ok()?;
    processes_in(data).contains(&process).then_some(process)
}

/// Every process whose working folder is the data folder, which is so for postmaster and backends and for nobody else.
fn processes_in(data: &Path) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter(|entry| fs::read_link(entry.path().join("cwd")).is_ok_and(|folder| folder == data))
        .filter_map(|entry| entry.file_name().to_string_lossy().parse().ok())
        .collect()
}

async fn gone_within(limit: Duration, data: &Path) -> bool {
    let deadline = Instant::now() + limit;
    while !processes_in(data).is_empty() {
        if Instant::now() > deadline {
            return false;
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    true
}
