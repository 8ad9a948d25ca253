//! Publishing rows that nobody published: their replica died, its queue was full, or the bus was away.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vitrine_bus::Bus;
use vitrine_database::{Database, StoreError};
use vitrine_domain::limits::TURN_DEADLINE;

use super::metrics::OutboxMetrics;
use super::{OutboxSettings, record};
use crate::store::outbox::{acknowledge, count, hold_oldest};

/// Rows taken at once.
const SWEEP_ROWS_MAX: usize = 512;

pub(super) struct Sweep {
    pub(super) worker: Database,
    pub(super) bus: Arc<dyn Bus>,
    pub(super) metrics: OutboxMetrics,
    pub(super) settings: OutboxSettings,
    pub(super) pending: Arc<AtomicI64>,
}

impl Sweep {
    pub(super) async fn run(self, shutdown: &CancellationToken) {
        let mut ticks = tokio::time::interval(self.settings.sweep_interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = shutdown.cancelled() => return,
                _ = ticks.tick() => {}
            }
            if let Err(error) = self.look(shutdown).await {
                tracing::warn!(error = &error as &dyn std::error::Error, "The outbox could not be swept.");
            }
        }
    }

    /// Counts what waits, and publishes what was left for as long as whole batches go through.
    async fn look(&self, shutdown: &CancellationToken) -> Result<(), StoreError> {
        self.count().await?;
        while self.publish_oldest().await? && !shutdown.is_cancelled() {
            self.count().await?;
        }
        Ok(())
    }

    async fn count(&self) -> Result<(), StoreError> {
        let mut transaction = self.worker.worker().await?;
        let rows = count(&mut transaction, self.settings.rows_max).await?;
        transaction.commit().await?;
        self.pending.store(rows, Ordering::Relaxed);
        self.metrics.set_pending(rows);
        Ok(())
    }

    /// Publishes the oldest rows that no other worker holds. `true` when it was a whole batch and all of it went.
    async fn publish_oldest(&self) -> Result<bool, StoreError> {
        let mut transaction = self.worker.worker().await?;
        let rows = hold_oldest(&mut transaction, self.settings.sweep_age, SWEEP_ROWS_MAX).await?;
        if rows.is_empty() {
            return Ok(false);
        }
        let acknowledged = record::publish(&*self.bus, &self.metrics, &rows).await;
        acknowledge(&mut transaction, &acknowledged, TURN_DEADLINE).await?;
        transaction.commit().await?;
        Ok(acknowledged.len() == SWEEP_ROWS_MAX)
    }
}
