//! What the outbox tells Prometheus.

use prometheus::{IntCounterVec, IntGauge, Opts, Registry};

/// Metrics of the outbox. One per registry.
#[derive(Clone)]
pub struct OutboxMetrics {
    pending: IntGauge,
    published_total: IntCounterVec,
}

impl OutboxMetrics {
    /// Registers the metrics. Fails when they are registered already.
    pub fn new(registry: &Registry) -> prometheus::Result<Self> {
        let pending = IntGauge::new(
            "vitrine_outbox_pending",
            "Rows of the outbox at the last sweep, up to the number at which new messages are refused",
        )?;
        let published_total = IntCounterVec::new(
            Opts::new("vitrine_outbox_published_total", "Rows of the outbox given to the bus, by its answer"),
            &["result"],
        )?;
        registry.register(Box::new(pending.clone()))?;
        registry.register(Box::new(published_total.clone()))?;
        Ok(Self { pending, published_total })
    }

    pub(super) fn set_pending(&self, rows: i64) {
        self.pending.set(rows);
    }

    pub(super) fn count_published(&self, acknowledged: usize, failed: usize) {
        for (result, rows) in [("acknowledged", acknowledged), ("failed", failed)] {
            self.published_total.with_label_values(&[result]).inc_by(u64::try_from(rows).unwrap_or(u64::MAX));
        }
    }
}
