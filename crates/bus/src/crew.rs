//! Runs the handlers of one consumer. Both implementations read records in their own way and work them off with this.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::Delivery;
use crate::offsets::Arrival;
use crate::settle::{End, Settling};
use crate::work::{Job, PartitionWork};

/// The partitions a consumer holds and the handlers that run for them.
///
/// Every running handler holds a copy of its partition's `Lease`; so the last copy goes only when nothing of the
/// partition runs any more. Dropping the crew aborts everything.
pub(crate) struct Crew<Lease> {
    settling: Arc<Settling>,
    shares: HashMap<i32, Share<Lease>>,
    running: JoinSet<Ended>,
    epoch: u64,
}

/// One held partition.
struct Share<Lease> {
    /// Tells a partition held now from the same one held before.
    epoch: u64,
    work: PartitionWork,
    lease: Lease,
    draining: CancellationToken,
    drain_until: Option<Instant>,
    abandoned: CancellationToken,
}

/// A handler that ended.
struct Ended {
    partition: i32,
    epoch: u64,
    key: String,
    arrival: Arrival,
    end: End,
}

/// What a consumer has to react to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A record of the partition is final. `position` is the offset to store, if it moved.
    Settled { partition: i32, position: Option<i64> },
    /// Nothing of the partition runs any more, or its grace has passed. It is no longer held.
    Drained { partition: i32 },
}

impl<Lease: Clone + Send + 'static> Crew<Lease> {
    pub(crate) fn new(settling: Settling) -> Self {
        Self { settling: Arc::new(settling), shares: HashMap::new(), running: JoinSet::new(), epoch: 0 }
    }

    /// Holds the partition from now on, with nothing in flight.
    pub(crate) fn open(&mut self, partition: i32, lease: Lease) {
        self.close(partition);
        self.epoch += 1;
        let share = Share {
            epoch: self.epoch,
            work: PartitionWork::new(self.settling.settings.in_flight_max),
            lease,
            draining: CancellationToken::new(),
            drain_until: None,
            abandoned: CancellationToken::new(),
        };
        self.shares.insert(partition, share);
    }

    /// Holds the partition no longer and gives up what is in flight.
    pub(crate) fn close(&mut self, partition: i32) {
        if let Some(share) = self.shares.remove(&partition) {
            share.abandoned.cancel();
        }
    }

    /// Takes no more records of the partition, lets what is in flight go on for the grace, then closes it.
    pub(crate) fn drain(&mut self, partition: i32, grace: Duration) {
        if let Some(share) = self.shares.get_mut(&partition)
            && share.drain_until.is_none()
        {
            share.drain_until = Some(Instant::now() + grace);
            share.draining.cancel();
        }
    }

    /// Takes a record in. One of a partition that is not held, or no longer, is ignored: it comes to whoever holds it.
    pub(crate) fn accept(&mut self, delivery: Delivery) {
        let partition = delivery.partition;
        if let Some(share) = self.shares.get_mut(&partition)
            && share.drain_until.is_none()
            && let Some(job) = share.work.arrive(delivery)
        {
            spawn(&mut self.running, &self.settling, share, partition, job);
        }
    }

    /// The next change; waits for ever when nothing is held. Can be dropped and called again.
    pub(crate) async fn changed(&mut self) -> Change {
        loop {
            if let Some(partition) = self.drained() {
                self.close(partition);
                return Change::Drained { partition };
            }
            let grace_ends = self.shares.values().filter_map(|share| share.drain_until).min();
            tokio::select! {
                Some(ended) = self.running.join_next() => {
                    // A task that was aborted, or panicked outside of the handler, has nothing to say: its record stays open.
                    if let Ok(ended) = ended && let Some(change) = self.end(&ended) {
                        return change;
                    }
                }
                () = sleep_until(grace_ends.unwrap_or_else(Instant::now)), if grace_ends.is_some() => {}
                else => return std::future::pending().await,
            }
        }
    }

    pub(crate) fn partitions(&self) -> Vec<i32> {
        self.shares.keys().copied().collect()
    }

    pub(crate) fn holds(&self, partition: i32) -> bool {
        self.shares.contains_key(&partition)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.shares.is_empty()
    }

    /// Reading more of the partition has to wait.
    pub(crate) fn is_full(&self, partition: i32) -> bool {
        self.shares.get(&partition).is_some_and(|share| share.drain_until.is_some() || share.work.is_full())
    }

    /// Reading can go on after a pause.
    pub(crate) fn has_room(&self, partition: i32) -> bool {
        self.shares.get(&partition).is_some_and(|share| share.drain_until.is_none() && share.work.has_room())
    }

    fn drained(&self) -> Option<i32> {
        let now = Instant::now();
        self.shares
            .iter()
            .find(|(_, share)| share.drain_until.is_some_and(|until| share.work.is_idle() || until <= now))
            .map(|(partition, _)| *partition)
    }

    fn end(&mut self, ended: &Ended) -> Option<Change> {
        let partition = ended.partition;
        let share = self.shares.get_mut(&partition).filter(|share| share.epoch == ended.epoch)?;
        if ended.end == End::GivenUp {
            share.work.give_up(&ended.key);
            return None;
        }
        let (start, position) = share.work.settle(&ended.key, ended.arrival);
        for job in start {
            spawn(&mut self.running, &self.settling, share, partition, job);
        }
        Some(Change::Settled { partition, position })
    }
}

fn spawn<Lease: Clone + Send + 'static>(
    running: &mut JoinSet<Ended>,
    settling: &Arc<Settling>,
    share: &Share<Lease>,
    partition: i32,
    job: Job,
) {
    let settling = Arc::clone(settling);
    let lease = share.lease.clone();
    let (epoch, draining, abandoned) = (share.epoch, share.draining.clone(), share.abandoned.clone());
    running.spawn(async move {
        let key = job.delivery.record.key.clone();
        let end = tokio::select! {
            biased;
            () = abandoned.cancelled() => End::GivenUp,
            end = settling.settle(job.delivery, &draining) => end,
        };
        drop(lease);
        Ended { partition, epoch, key, arrival: job.arrival, end }
    });
}
