//! What the bus tells Prometheus.

use prometheus::{IntCounterVec, IntGaugeVec, Opts, Registry};

use crate::Topic;

/// Metrics of a bus. One per registry.
#[derive(Clone)]
pub struct BusMetrics {
    lag_records: IntGaugeVec,
    dead_letters_total: IntCounterVec,
}

impl BusMetrics {
    /// Registers the metrics. Fails when they are registered already.
    pub fn new(registry: &Registry) -> prometheus::Result<Self> {
        let lag_records = IntGaugeVec::new(
            Opts::new(
                "vitrine_bus_lag_records",
                "Records of the partitions this process holds that are not final, by topic and group",
            ),
            &["topic", "group"],
        )?;
        let dead_letters_total = IntCounterVec::new(
            Opts::new("vitrine_dead_letters_total", "Records that went to the dead letters, by their topic and group"),
            &["topic", "group"],
        )?;
        registry.register(Box::new(lag_records.clone()))?;
        registry.register(Box::new(dead_letters_total.clone()))?;
        Ok(Self { lag_records, dead_letters_total })
    }

    pub(crate) fn set_lag(&self, topic: Topic, group: &str, records: i64) {
        self.lag_records.with_label_values(&[topic.name(), group]).set(records);
    }

    pub(crate) fn count_dead_letter(&self, topic: Topic, group: &str) {
        self.dead_letters_total.with_label_values(&[topic.name(), group]).inc();
    }
}
