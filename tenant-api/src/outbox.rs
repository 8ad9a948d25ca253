//! The outbox: what a transaction wrote for the bus gets there, also when this process dies right after the commit.
//!
//! After a commit the replica publishes its own rows and deletes them when the bus has acknowledged them. What a crash, a
//! full queue or a bus that is away leaves behind is taken by the sweep of any replica. Rows can thus be published
//! twice, and never be lost; readers are idempotent.

mod metrics;
mod publish;
mod record;
mod sweep;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use vitrine_bus::Bus;
use vitrine_database::Database;
use vitrine_domain::limits::OUTBOX_ROWS_MAX;

pub use crate::store::outbox::{ChatRequestedBody, OutboxEvent, OutboxRow, StoredBody};
pub use metrics::OutboxMetrics;
use publish::OwnRows;
use sweep::Sweep;

/// Own rows that wait in memory; what is beyond is left to the sweep.
const QUEUE_ROWS_MAX: usize = 8_192;
/// How long publishing of own rows may go on at a shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// Limits of the outbox. The default is what the product runs with.
#[derive(Clone, Copy, Debug)]
pub struct OutboxSettings {
    /// Rows waiting to be published at which new messages are refused.
    pub rows_max: i64,
    /// How long a row is left to the replica that wrote it.
    pub sweep_age: Duration,
    /// How often the sweep looks for rows that were left.
    pub sweep_interval: Duration,
}

impl Default for OutboxSettings {
    fn default() -> Self {
        Self { rows_max: OUTBOX_ROWS_MAX, sweep_age: Duration::from_secs(1), sweep_interval: Duration::from_secs(1) }
    }
}

/// Takes what was committed. A clone is the same one.
#[derive(Clone)]
pub struct Outbox {
    queue: mpsc::Sender<OutboxRow>,
    pending: Arc<AtomicI64>,
    rows_max: i64,
}

/// The background half of an [`Outbox`].
pub struct Publisher {
    own_rows: OwnRows,
    sweep: Sweep,
}

impl Outbox {
    /// Makes the outbox and its background half, which has to run. `worker` works as
    /// [`vitrine_database::Role::Worker`]; two of its connections are used at a time.
    pub fn new(
        worker: Database,
        bus: Arc<dyn Bus>,
        metrics: OutboxMetrics,
        settings: OutboxSettings,
    ) -> (Self, Publisher) {
        let (queue, receiver) = mpsc::channel(QUEUE_ROWS_MAX);
        let pending = Arc::new(AtomicI64::new(0));
        let publisher = Publisher {
            own_rows: OwnRows { receiver, worker: worker.clone(), bus: Arc::clone(&bus), metrics: metrics.clone() },
            sweep: Sweep { worker, bus, metrics, settings, pending: Arc::clone(&pending) },
        };
        (Self { queue, pending, rows_max: settings.rows_max }, publisher)
    }

    /// Hands over rows whose transaction is committed. Never waits; what does not fit is left to the sweep.
    pub fn publish(&self, rows: Vec<OutboxRow>) {
        for row in rows {
            if self.queue.try_send(row).is_err() {
                tracing::debug!("The outbox's queue takes nothing now: the rest is left to the sweep.");
                return;
            }
        }
    }

    /// Whether so much waited at the last sweep that nothing more should be accepted.
    pub fn is_full(&self) -> bool {
        self.pending.load(Ordering::Relaxed) >= self.rows_max
    }
}

impl Publisher {
    /// Publishes until `shutdown` is cancelled, then for as long as a short grace what is in flight.
    pub async fn run(self, shutdown: CancellationToken) {
        let Self { own_rows, sweep } = self;
        let publishing = async { tokio::join!(own_rows.run(&shutdown), sweep.run(&shutdown)) };
        let grace_over = async {
            shutdown.cancelled().await;
            tokio::time::sleep(SHUTDOWN_GRACE).await;
        };
        tokio::select! {
            _ = publishing => {}
            () = grace_over => {
                tracing::info!("Rows of the outbox were in flight at the end of the shutdown: the sweep will take them.");
            }
        }
    }
}
