//! What a consumer does with a record, and what it says about it.

use std::time::Duration;

use futures::future::BoxFuture;

use crate::Delivery;
use crate::record::DecodeError;

/// Handles records. Must be idempotent: a record can come again after a crash, also when it was handled to its end.
///
/// The returned future can be dropped at any await point: when the process loses the record's partition, and when the
/// grace of a shutdown has passed. A panic counts as a crash of the record: it is handed again, a few times at most,
/// then dead-lettered.
pub trait Handler: Send + Sync + 'static {
    fn handle<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Outcome>;
}

impl<F, Handled> Handler for F
where
    F: Fn(Delivery) -> Handled + Send + Sync + 'static,
    Handled: Future<Output = Outcome> + Send + 'static,
{
    fn handle<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Outcome> {
        Box::pin(self(delivery.clone()))
    }
}

/// What a handler says about one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The outcome is durable.
    Done,
    /// Can never succeed: it is dead-lettered and then final. The reason is kept and logged, so it must not contain
    /// texts of people.
    Poison { reason: String },
    /// Something the handler depends on is down: the same record is handed again after a growing wait, at least
    /// `after`. Later records of its key wait, other keys go on.
    Retry { reason: String, after: Duration },
}

impl From<DecodeError> for Outcome {
    fn from(error: DecodeError) -> Self {
        Self::Poison { reason: error.to_string() }
    }
}
