//! What turns tell Prometheus.

use prometheus::{HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry};

use super::accept::AcceptError;

/// Seconds; the last bound is the longest a turn can take: it waits to be published, and is dispatched twice.
const DURATION_BUCKETS: [f64; 12] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 1_320.0];

/// Metrics of turns. One per registry.
#[derive(Clone)]
pub struct TurnMetrics {
    accepted_total: IntCounter,
    refused_total: IntCounterVec,
    duration_seconds: HistogramVec,
    dispatched_again_total: IntCounter,
    overdue: IntGauge,
}

/// How a turn ended, as a label.
#[derive(Clone, Copy)]
pub(crate) enum TurnOutcome {
    Answered,
    Refused,
    Failed,
}

impl TurnMetrics {
    /// Registers the metrics. Fails when they are registered already.
    pub fn new(registry: &Registry) -> prometheus::Result<Self> {
        let accepted_total =
            IntCounter::new("vitrine_messages_accepted_total", "Messages of shoppers that were stored")?;
        let refused_total = IntCounterVec::new(
            Opts::new("vitrine_messages_refused_total", "Messages of shoppers that were not stored, by reason"),
            &["reason"],
        )?;
        let duration_seconds = HistogramVec::new(
            HistogramOpts::new(
                "vitrine_turn_duration_seconds",
                "From the first question of a turn to its stored answer, by outcome",
            )
            .buckets(DURATION_BUCKETS.to_vec()),
            &["outcome"],
        )?;
        let dispatched_again_total = IntCounter::new(
            "vitrine_turns_dispatched_again_total",
            "Overdue turns that were put on the bus once more",
        )?;
        let overdue = IntGauge::new(
            "vitrine_turns_overdue",
            "Dispatched turns whose deadline had passed at the last sweep, up to the size of a sweep",
        )?;
        registry.register(Box::new(accepted_total.clone()))?;
        registry.register(Box::new(refused_total.clone()))?;
        registry.register(Box::new(duration_seconds.clone()))?;
        registry.register(Box::new(dispatched_again_total.clone()))?;
        registry.register(Box::new(overdue.clone()))?;
        Ok(Self { accepted_total, refused_total, duration_seconds, dispatched_again_total, overdue })
    }

    pub(super) fn count_accepted(&self) {
        self.accepted_total.inc();
    }

    pub(super) fn count_refused(&self, error: &AcceptError) {
        let reason = match error {
            AcceptError::ThreadNotFound => "thread_not_found",
            AcceptError::ThreadNotOpen(_) => "thread_not_open",
            AcceptError::TooManyWaiting { .. } => "too_many_waiting",
            AcceptError::RateLimited { .. } => "rate_limited",
            AcceptError::TurnFull => "turn_full",
            AcceptError::IdempotencyMismatch => "idempotency_mismatch",
            AcceptError::Backlog => "backlog",
            AcceptError::Store(_) => "store",
        };
        self.refused_total.with_label_values(&[reason]).inc();
    }

    pub(crate) fn observe_closed(&self, outcome: TurnOutcome, duration_seconds: f64) {
        let outcome = match outcome {
            TurnOutcome::Answered => "answered",
            TurnOutcome::Refused => "refused",
            TurnOutcome::Failed => "failed",
        };
        self.duration_seconds.with_label_values(&[outcome]).observe(duration_seconds);
    }

    pub(super) fn count_dispatched_again(&self) {
        self.dispatched_again_total.inc();
    }

    pub(crate) fn set_overdue(&self, turns: i64) {
        self.overdue.set(turns);
    }
}
