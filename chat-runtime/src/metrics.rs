//! What a runtime measures.

use prometheus::{Histogram, HistogramOpts, HistogramTimer, IntCounter, IntCounterVec, Opts, Registry};
use vitrine_domain::Answer;

/// Seconds, from an answer that is quoted at once to one that meets the turn's deadline.
const BUCKETS: [f64; 10] = [0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0];

#[derive(Clone, Debug)]
pub struct Metrics {
    attempt_seconds: Histogram,
    first_token_seconds: Histogram,
    answers: IntCounterVec,
    attempts_given_up: IntCounter,
}

impl Metrics {
    /// Registers the runtime's metrics; once per registry.
    pub fn register(registry: &Registry) -> Result<Self, prometheus::Error> {
        let seconds =
            |name: &str, help: &str| Histogram::with_opts(HistogramOpts::new(name, help).buckets(BUCKETS.to_vec()));
        let metrics = Self {
            attempt_seconds: seconds(
                "vitrine_attempt_duration_seconds",
                "Time from taking a request from the bus to its END being on the bus",
            )?,
            first_token_seconds: seconds(
                "vitrine_first_token_seconds",
                "Time from asking the model to its first piece being on the bus",
            )?,
            answers: IntCounterVec::new(
                Opts::new(
                    "vitrine_answers_total",
                    "Attempts that ended: answered, refused for want of evidence, or failed after too many attempts",
                ),
                &["outcome"],
            )?,
            attempts_given_up: IntCounter::new(
                "vitrine_attempts_given_up_total",
                "Attempts that ended without END: something they depend on was down, or the deadline passed",
            )?,
        };
        registry.register(Box::new(metrics.attempt_seconds.clone()))?;
        registry.register(Box::new(metrics.first_token_seconds.clone()))?;
        registry.register(Box::new(metrics.answers.clone()))?;
        registry.register(Box::new(metrics.attempts_given_up.clone()))?;
        Ok(metrics)
    }

    pub(crate) fn turn_timer(&self) -> HistogramTimer {
        self.attempt_seconds.start_timer()
    }

    pub(crate) fn first_token_timer(&self) -> HistogramTimer {
        self.first_token_seconds.start_timer()
    }

    pub(crate) fn answered(&self, answer: &Answer) {
        let outcome = match answer {
            Answer { failed: true, .. } => "failed",
            Answer { refused: true, .. } => "refused",
            _ => "answered",
        };
        self.answers.with_label_values(&[outcome]).inc();
    }

    pub(crate) fn attempt_given_up(&self) {
        self.attempts_given_up.inc();
    }
}
