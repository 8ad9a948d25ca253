//! Publishing the replica's own rows right after their commit.

use std::sync::Arc;

use futures::StreamExt;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use vitrine_bus::Bus;
use vitrine_database::Database;
use vitrine_domain::limits::TURN_DEADLINE;

use super::metrics::OutboxMetrics;
use super::record;
use crate::store::outbox::{OutboxRow, acknowledge};

/// Rows of one call of the bus.
const BATCH_ROWS_MAX: usize = 256;
/// Calls of the bus at a time, so that a row need not wait for the acknowledgement of the one before.
const BATCHES_IN_FLIGHT_MAX: usize = 8;
/// Rows deleted in one transaction; while one is under way, acknowledgements gather for the next.
const ACKNOWLEDGED_ROWS_MAX: usize = 1_024;

pub(super) struct OwnRows {
    pub(super) receiver: mpsc::Receiver<OutboxRow>,
    pub(super) worker: Database,
    pub(super) bus: Arc<dyn Bus>,
    pub(super) metrics: OutboxMetrics,
}

impl OwnRows {
    /// Publishes rows as they come, until `shutdown` is cancelled and what is in flight has ended.
    pub(super) async fn run(self, shutdown: &CancellationToken) {
        let Self { receiver, worker, bus, metrics } = self;
        let (acknowledged, to_delete) = mpsc::channel(ACKNOWLEDGED_ROWS_MAX);
        let publishing = async move {
            let (bus, metrics, acknowledged) = (&*bus, &metrics, &acknowledged);
            ReceiverStream::new(receiver)
                .ready_chunks(BATCH_ROWS_MAX)
                .take_until(shutdown.cancelled())
                .for_each_concurrent(BATCHES_IN_FLIGHT_MAX, |rows| async move {
                    for outbox_id in record::publish(bus, metrics, &rows).await {
                        // The deleting half goes on for as long as this one does.
                        let _ = acknowledged.send(outbox_id).await;
                    }
                })
                .await;
        };
        tokio::join!(publishing, delete(to_delete, &worker));
    }
}

async fn delete(mut acknowledged: mpsc::Receiver<i64>, worker: &Database) {
    let mut ids = Vec::with_capacity(ACKNOWLEDGED_ROWS_MAX);
    while acknowledged.recv_many(&mut ids, ACKNOWLEDGED_ROWS_MAX).await > 0 {
        let deleted = async {
            let mut transaction = worker.worker().await?;
            acknowledge(&mut transaction, &ids, TURN_DEADLINE).await?;
            transaction.commit().await
        };
        if let Err(error) = deleted.await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                rows = ids.len(),
                "Published rows of the outbox could not be deleted: they will be published again.",
            );
        }
        ids.clear();
    }
}
