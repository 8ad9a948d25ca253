//! What every implementation of the bus can do.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use crate::{ConsumerSettings, Handler, Record, Tail, Topic};

/// Publishes, consumes and tails records. Shared as `Arc<dyn Bus>`.
pub trait Bus: Send + Sync + 'static {
    /// Publishes the records in their order and waits until each is acknowledged or given up, which takes a bounded
    /// time. Gives one result per record, in the same order.
    ///
    /// An error does not promise that nobody will see the record: an acknowledgement can get lost.
    fn publish(&self, records: Vec<Record>) -> BoxFuture<'_, Vec<Result<(), PublishError>>>;

    /// Hands the topic's records to the handler, as one member of the group, until `shutdown` is cancelled; then
    /// finishes what is in flight within [`ConsumerSettings::shutdown_grace`] and leaves the group.
    ///
    /// A group begins with the oldest record kept. An outage of the bus is waited out. Dropping the future gives up
    /// what is in flight; another member of the group, or the next one, gets it again.
    fn consume(
        &self,
        topic: Topic,
        group: &str,
        handler: Arc<dyn Handler>,
        shutdown: CancellationToken,
        settings: ConsumerSettings,
    ) -> BoxFuture<'static, Result<(), ConsumeError>>;

    /// Reads every partition of the topic without a group, beginning `since` ago. An outage of the bus is waited out,
    /// also one that lasts already; dropping the tail ends it.
    fn tail(&self, topic: Topic, since: Duration) -> Result<Tail, TailError>;

    /// Creates the topics that do not exist yet, waits until they can be used, and leaves existing ones as they are.
    fn ensure_topics(&self) -> BoxFuture<'_, Result<(), TopicError>>;
}

/// Why a record was not acknowledged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    #[error("failed to publish: no room became free in time")]
    Full,

    #[error("failed to publish: the record has {bytes} bytes")]
    TooLarge { bytes: usize },

    #[error("failed to publish: {reason}")]
    Unacknowledged { reason: String },
}

/// Why a consumer ended without being asked to.
#[derive(Debug, thiserror::Error)]
pub enum ConsumeError {
    #[error("failed to start a consumer of {topic} in group {group}: {reason}")]
    Start { topic: Topic, group: String, reason: String },

    /// The consumer cannot go on; a new one can be started.
    #[error("failed to consume {topic} in group {group}: {reason}")]
    Fatal { topic: Topic, group: String, reason: String },
}

#[derive(Debug, thiserror::Error)]
#[error("failed to start a tail of {topic}: {reason}")]
pub struct TailError {
    pub(crate) topic: Topic,
    pub(crate) reason: String,
}

#[derive(Debug, thiserror::Error)]
pub enum TopicError {
    #[error("failed to create topic {topic}: {reason}")]
    Create { topic: String, reason: String },

    #[error("failed to see topic {topic} with all its partitions in time")]
    NotReady { topic: String },
}
