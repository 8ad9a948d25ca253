//! The sweeper: finds turns that nobody reported in time, queues that can go on, and idempotency keys that have
//! expired. Every replica runs one; two that find the same work do it once.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Interval, MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use vitrine_database::{Database, StoreError};

use crate::outbox::Outbox;
use crate::store::{due, idempotency};
use crate::turns::{self, Merchants, TurnMetrics};

/// How often overdue turns are looked for.
const OVERDUE_INTERVAL: Duration = Duration::from_secs(1);
/// How often queues are looked through.
const QUEUES_INTERVAL: Duration = Duration::from_secs(5);
/// How often expired idempotency keys are deleted.
const KEYS_INTERVAL: Duration = Duration::from_mins(1);
/// Turns, merchants or keys of one look.
const BATCH_ROWS_MAX: i64 = 256;

/// What the sweeper works with. A clone is the same one.
#[derive(Clone)]
pub struct Sweeper {
    worker: Database,
    outbox: Outbox,
    known: Arc<dyn Merchants>,
    metrics: TurnMetrics,
}

/// Sweeps until `shutdown` is cancelled.
pub async fn run(sweeper: Sweeper, shutdown: CancellationToken) {
    let (mut overdue, mut queues, mut keys) = (every(OVERDUE_INTERVAL), every(QUEUES_INTERVAL), every(KEYS_INTERVAL));
    loop {
        let swept = tokio::select! {
            () = shutdown.cancelled() => return,
            _ = overdue.tick() => sweeper.sweep_overdue().await,
            _ = queues.tick() => sweeper.dispatch_queued().await,
            _ = keys.tick() => sweeper.delete_expired_keys().await,
        };
        if let Err(error) = swept {
            tracing::warn!(error = &error as &dyn std::error::Error, "A sweep failed: the next one will go on.");
        }
    }
}

/// For a bus that forgets at a restart, before anything is published: every turn whose request was on it is overdue at
/// once. `worker` works as [`vitrine_database::Role::Worker`]. Gives their number.
pub async fn expire_published_turns(worker: &Database) -> Result<u64, StoreError> {
    let mut transaction = worker.worker().await?;
    let turns = due::expire_published(&mut transaction).await?;
    transaction.commit().await?;
    Ok(turns)
}

impl Sweeper {
    /// `worker` works as [`vitrine_database::Role::Worker`].
    pub fn new(worker: Database, outbox: Outbox, known: Arc<dyn Merchants>, metrics: TurnMetrics) -> Self {
        Self { worker, outbox, known, metrics }
    }

    /// Dispatches overdue turns again or fails them.
    pub async fn sweep_overdue(&self) -> Result<(), StoreError> {
        let mut transaction = self.worker.worker().await?;
        let overdue = due::turns(&mut transaction, BATCH_ROWS_MAX).await?;
        transaction.commit().await?;
        self.metrics.set_overdue(i64::try_from(overdue.len()).unwrap_or(i64::MAX));
        for (merchant, turn) in overdue {
            match turns::sweep(&self.worker, &*self.known, &self.metrics, merchant, turn).await {
                Ok(rows) => self.outbox.publish(rows),
                // One turn in trouble must not hold up the others.
                Err(error) => tracing::error!(
                    error = &error as &dyn std::error::Error, merchant.id = %merchant, turn.id = %turn,
                    "An overdue turn could not be put right.",
                ),
            }
        }
        Ok(())
    }

    /// Dispatches queued turns that may go: after a cap was raised, or a merchant became known.
    pub async fn dispatch_queued(&self) -> Result<(), StoreError> {
        let mut after = Uuid::nil();
        loop {
            let mut transaction = self.worker.worker().await?;
            let merchants = due::merchants_with_queued_turns(&mut transaction, after, BATCH_ROWS_MAX).await?;
            transaction.commit().await?;
            let Some(last) = merchants.last() else { return Ok(()) };
            after = last.as_uuid();
            for merchant in merchants {
                let rows = turns::dispatch_queued(&self.worker, &*self.known, merchant).await?;
                self.outbox.publish(rows);
            }
        }
    }

    /// Deletes expired idempotency keys.
    pub async fn delete_expired_keys(&self) -> Result<(), StoreError> {
        loop {
            let mut transaction = self.worker.worker().await?;
            let merchants = due::merchants_with_expired_keys(&mut transaction, BATCH_ROWS_MAX).await?;
            transaction.commit().await?;
            if merchants.is_empty() {
                return Ok(());
            }
            for merchant in merchants {
                let mut transaction = self.worker.tenant(merchant).await?;
                idempotency::delete_expired(&mut transaction, BATCH_ROWS_MAX).await?;
                transaction.commit().await?;
            }
        }
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = tokio::time::interval(period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    interval
}
