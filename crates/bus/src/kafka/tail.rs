//! A tail on Kafka.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rdkafka::consumer::{Consumer, ConsumerContext, StreamConsumer};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::metadata::MetadataTopic;
use rdkafka::{ClientContext, Message, Offset, TopicPartitionList};
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tracing::{debug, warn};

use crate::backoff::wait_after;
use crate::kafka::clients::Clients;
use crate::kafka::off_thread::OffThread;
use crate::{Delivery, Record, TailItem, Topic};

/// How long one question to the broker may take.
const QUESTION_TIMEOUT: Duration = Duration::from_secs(5);
const RETRY_WAIT_MIN: Duration = Duration::from_millis(100);
const RETRY_WAIT_MAX: Duration = Duration::from_secs(2);

/// Where a tail begins.
#[derive(Clone)]
pub(crate) struct Start {
    pub(crate) topic: Topic,
    pub(crate) topic_name: String,
    pub(crate) from: Timestamp,
}

pub(crate) type TailConsumer = OffThread<Arc<StreamConsumer<TailContext>>>;

pub(crate) fn consumer(clients: &Clients) -> KafkaResult<TailConsumer> {
    Ok(OffThread::new(Arc::new(clients.tail().create_with_context(TailContext)?)))
}

/// Hands out everything from the start on. Ends when nobody reads the items any more.
pub(crate) async fn run(consumer: TailConsumer, start: Start, items: mpsc::Sender<TailItem>) {
    let mut behind = begin(&consumer, &start).await;
    let mut caught_up = false;
    loop {
        if !caught_up && behind.is_empty() {
            caught_up = true;
            if items.send(TailItem::CaughtUp).await.is_err() {
                return;
            }
        }
        match consumer.recv().await {
            Ok(message) => {
                let (partition, offset) = (message.partition(), message.offset());
                let record = Record {
                    topic: start.topic,
                    key: message.key().map(String::from_utf8_lossy).unwrap_or_default().into_owned(),
                    payload: message.payload().unwrap_or_default().to_vec().into(),
                };
                let item = TailItem::Record(Delivery { record, partition, offset, attempt: 1 });
                if items.send(item).await.is_err() {
                    return;
                }
                if behind.get(&partition).is_some_and(|end| offset + 1 >= *end) {
                    behind.remove(&partition);
                }
            }
            // Also when the broker has just deleted what was still to be read.
            Err(KafkaError::PartitionEOF(partition)) => {
                behind.remove(&partition);
            }
            // librdkafka goes on by itself.
            Err(error) => warn!(%error, bus.topic = start.topic_name, "could not read from the bus"),
        }
    }
}

/// Assigns every partition, however long the bus is away. Gives the partitions with something to read and where they
/// ended at that moment.
async fn begin(consumer: &TailConsumer, start: &Start) -> HashMap<i32, i64> {
    let mut attempt = 1;
    loop {
        let (asked, from) = (Arc::clone(consumer), start.clone());
        match spawn_blocking(move || seek(&asked, &from)).await {
            Ok(Ok(behind)) => return behind,
            Ok(Err(error)) => warn!(%error, bus.topic = start.topic_name, "could not begin to read from the bus yet"),
            // The runtime is ending.
            Err(_) => std::future::pending().await,
        }
        sleep(wait_after(attempt, Duration::ZERO, RETRY_WAIT_MIN, RETRY_WAIT_MAX)).await;
        attempt += 1;
    }
}

fn seek(consumer: &StreamConsumer<TailContext>, start: &Start) -> KafkaResult<HashMap<i32, i64>> {
    let metadata = consumer.fetch_metadata(Some(&start.topic_name), QUESTION_TIMEOUT)?;
    let partitions = metadata.topics().first().map(MetadataTopic::partitions).unwrap_or_default();
    if partitions.is_empty() {
        return Err(KafkaError::MetadataFetch(RDKafkaErrorCode::UnknownTopicOrPartition));
    }
    // The ends come first: "the end" as an answer about times could already lie behind a record published meanwhile.
    let mut ends = HashMap::new();
    let mut times = TopicPartitionList::new();
    for partition in partitions {
        let (_, end) = consumer.fetch_watermarks(&start.topic_name, partition.id(), QUESTION_TIMEOUT)?;
        ends.insert(partition.id(), end);
        let time = Offset::Offset(start.from.as_millisecond());
        times.add_partition_offset(&start.topic_name, partition.id(), time)?;
    }
    let found = consumer.offsets_for_times(times, QUESTION_TIMEOUT)?;
    let mut assignment = TopicPartitionList::new();
    let mut behind = HashMap::new();
    for element in found.elements() {
        element.error()?;
        let end = ends.get(&element.partition()).copied().unwrap_or_default();
        let begin = match element.offset() {
            Offset::Offset(offset) => offset.min(end),
            _ => end,
        };
        assignment.add_partition_offset(&start.topic_name, element.partition(), Offset::Offset(begin))?;
        if begin < end {
            behind.insert(element.partition(), end);
        }
    }
    consumer.assign(&assignment)?;
    Ok(behind)
}

pub(crate) struct TailContext;

impl ConsumerContext for TailContext {}

impl ClientContext for TailContext {
    fn error(&self, error: KafkaError, reason: &str) {
        debug!(%error, reason, "a tail has trouble with the bus");
    }
}
