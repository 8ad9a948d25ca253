//! The bus within one process.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;
use vitrine_domain::limits::{PARTITIONS, TURN_DEADLINE};

use crate::crew::Crew;
use crate::dead_letter::DeadLetterSink;
use crate::local::shared_log::SharedLog;
use crate::settle::Settling;
use crate::{
    Bus, BusMetrics, ConsumeError, ConsumerSettings, Delivery, Handler, PublishError, RECORD_BYTES_MAX, Record, Tail,
    TailError, Topic, TopicError,
};

mod consumer;
mod log;
mod shared_log;
mod tail;

/// Limits of the bus within one process.
#[derive(Clone, Debug)]
pub struct LocalSettings {
    pub partitions: i32,
    /// Records that one topic holds.
    pub records_max: usize,
    /// Bytes of keys and payloads that one topic holds.
    pub bytes_max: usize,
    /// How long final records are kept for tails that begin in the past, as long as there is room.
    pub tail_window: Duration,
    /// How long publishing waits for room.
    pub publish_wait_max: Duration,
}

impl Default for LocalSettings {
    fn default() -> Self {
        Self {
            partitions: PARTITIONS,
            records_max: 100_000,
            bytes_max: 64 * 1024 * 1024,
            tail_window: 2 * TURN_DEADLINE,
            publish_wait_max: Duration::from_secs(5),
        }
    }
}

/// A bus that lives and dies with this process. Clones are the same bus.
///
/// Records are kept until every group has settled them and every tail has read them, and then for the tail window if
/// there is room; a group begins with the oldest record kept.
#[derive(Clone)]
pub struct LocalBus {
    shared: Arc<Shared>,
}

struct Shared {
    settings: LocalSettings,
    metrics: BusMetrics,
    logs: [SharedLog; Topic::ALL.len()],
}

impl LocalBus {
    pub fn new(metrics: BusMetrics, settings: LocalSettings) -> Self {
        let logs = Topic::ALL.map(|_| SharedLog::new(&settings));
        Self { shared: Arc::new(Shared { settings, metrics, logs }) }
    }

    fn log(&self, topic: Topic) -> SharedLog {
        self.shared.log(topic).clone()
    }
}

impl Bus for LocalBus {
    fn publish(&self, records: Vec<Record>) -> BoxFuture<'_, Vec<Result<(), PublishError>>> {
        self.shared.publish(records).boxed()
    }

    fn consume(
        &self,
        topic: Topic,
        group: &str,
        handler: Arc<dyn Handler>,
        shutdown: CancellationToken,
        settings: ConsumerSettings,
    ) -> BoxFuture<'static, Result<(), ConsumeError>> {
        let settling = Settling {
            topic,
            group: group.to_owned(),
            handler,
            dead_letters: Arc::clone(&self.shared) as Arc<dyn DeadLetterSink>,
            metrics: self.shared.metrics.clone(),
            settings,
        };
        let log = self.log(topic);
        async move {
            consumer::run(log, settling, shutdown).await;
            Ok(())
        }
        .boxed()
    }

    fn tail(&self, topic: Topic, since: Duration) -> Result<Tail, TailError> {
        let cursor = self.log(topic).tail(since);
        Ok(Tail::spawn(|items| tail::run(cursor, items)))
    }

    fn ensure_topics(&self) -> BoxFuture<'_, Result<(), TopicError>> {
        async { Ok(()) }.boxed()
    }
}

impl Shared {
    fn log(&self, topic: Topic) -> &SharedLog {
        match topic {
            Topic::ChatRequests => &self.logs[0],
            Topic::ThreadEvents => &self.logs[1],
            Topic::DeadLetters => &self.logs[2],
        }
    }

    async fn publish(&self, records: Vec<Record>) -> Vec<Result<(), PublishError>> {
        let deadline = Instant::now() + self.settings.publish_wait_max;
        let mut results = Vec::with_capacity(records.len());
        for record in records {
            results.push(self.publish_one(record, deadline).await);
        }
        results
    }

    async fn publish_one(&self, record: Record, deadline: Instant) -> Result<(), PublishError> {
        let bytes = record.payload.len();
        if bytes > RECORD_BYTES_MAX {
            return Err(PublishError::TooLarge { bytes });
        }
        let log = self.log(record.topic);
        let mut changed = log.changes();
        loop {
            if log.append(&record) {
                return Ok(());
            }
            // The sender lives in the log, so the only error is the deadline.
            if timeout_at(deadline, changed.changed()).await.is_err() {
                return Err(PublishError::Full);
            }
        }
    }
}

impl DeadLetterSink for Shared {
    fn bury(&self, record: Record) -> BoxFuture<'_, Result<(), PublishError>> {
        self.publish_one(record, Instant::now() + self.settings.publish_wait_max).boxed()
    }

    fn topic_name(&self, topic: Topic) -> String {
        topic.name().to_owned()
    }

    fn replay(&self, _delivery: &Delivery) -> String {
        "none: this bus keeps nothing over a restart; whatever wrote the record publishes it again".to_owned()
    }
}

type LocalCrew = Crew<Arc<shared_log::Claim>>;
