//! A topic in memory that many tasks use.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::Record;
use crate::local::LocalSettings;
use crate::local::log::{Log, ReaderId};

/// Clones are the same log. The lock is never held across an await point.
#[derive(Clone)]
pub(crate) struct SharedLog {
    log: Arc<Mutex<Log>>,
    changed: Arc<watch::Sender<()>>,
}

impl SharedLog {
    pub(crate) fn new(settings: &LocalSettings) -> Self {
        Self { log: Arc::new(Mutex::new(Log::new(settings))), changed: Arc::new(watch::Sender::new(())) }
    }

    /// Tells whoever waits for room, records or partitions to look again.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    pub(crate) fn append(&self, record: &Record) -> bool {
        let appended = self.lock().append(record, Instant::now());
        if appended {
            self.changed.send_replace(());
        }
        appended
    }

    pub(crate) fn settle(&self, group: &str, partition: usize, position: i64) {
        self.lock().settle(group, partition, position, Instant::now());
        self.changed.send_replace(());
    }

    /// Reads with the lock held.
    pub(crate) fn look<T>(&self, read: impl FnOnce(&Log) -> T) -> T {
        read(&self.lock())
    }

    pub(crate) fn join(&self, group: &str) -> Member {
        let id = self.lock().join(group);
        self.changed.send_replace(());
        Member { log: self.clone(), group: group.to_owned(), id }
    }

    pub(crate) fn tail(&self, since: Duration) -> TailCursor {
        let id = self.lock().open_tail(since, Instant::now());
        TailCursor { log: self.clone(), id }
    }

    /// A panic while the lock was held cannot leave the log half changed in a way that matters more than going on.
    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Membership in a group; ends when it is dropped.
pub(crate) struct Member {
    log: SharedLog,
    group: String,
    id: ReaderId,
}

impl Member {
    /// The partitions this member is to hold.
    pub(crate) fn share(&self) -> Vec<usize> {
        self.log.lock().share_of(&self.group, self.id)
    }

    /// Takes a partition that nobody holds. Gives the offset to begin with.
    pub(crate) fn claim(&self, partition: usize) -> Option<(Claim, i64)> {
        let position = self.log.lock().claim(&self.group, self.id, partition)?;
        Some((Claim { log: self.log.clone(), group: self.group.clone(), partition }, position))
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.log.lock().leave(&self.group, self.id);
        self.log.changed.send_replace(());
    }
}

/// A held partition. Every handler that runs for it has a share in this, so the partition changes hands only when
/// nothing of it runs any more.
pub(crate) struct Claim {
    log: SharedLog,
    group: String,
    partition: usize,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.log.lock().release(&self.group, self.partition);
        self.log.changed.send_replace(());
    }
}

/// Where a tail reads. What it has not read is kept until it is dropped.
pub(crate) struct TailCursor {
    log: SharedLog,
    id: ReaderId,
}

impl TailCursor {
    pub(crate) fn log(&self) -> &SharedLog {
        &self.log
    }

    /// The next record of the partition and its offset.
    pub(crate) fn read(&self, partition: usize) -> Option<(Record, i64)> {
        self.log.lock().read_tail(self.id, partition)
    }

    pub(crate) fn has_reached(&self, offsets: &[i64]) -> bool {
        self.log.lock().tail_has_reached(self.id, offsets)
    }

    /// Tells whoever waits for room that records were read.
    pub(crate) fn announce(&self) {
        self.log.changed.send_replace(());
    }
}

impl Drop for TailCursor {
    fn drop(&mut self) {
        self.log.lock().close_tail(self.id);
        self.log.changed.send_replace(());
    }
}
