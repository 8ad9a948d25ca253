//! Records that could not be handled.

use futures::future::BoxFuture;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use vitrine_domain::event::ENVELOPE_VERSION;

use crate::{Delivery, PublishError, Record, Topic};

/// Longest error text that is kept, in characters.
const ERROR_CHARACTERS_MAX: usize = 500;

/// What is published to [`Topic::DeadLetters`] for a record that can never succeed. It names the record and does not
/// repeat it, because payloads can hold texts of people; the record stays in its topic as long as the topic keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    pub version: u32,
    /// Made from the coordinates and the group: the same record gives the same id when a crash doubles the letter.
    pub id: Uuid,
    pub occurred_at: Timestamp,
    #[serde(rename = "type")]
    pub kind: DeadLetterKind,
    /// As far as the payload says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merchant: Option<Uuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// The topic as it is called on the broker, with its prefix.
    pub topic: String,
    pub partition: i32,
    pub offset: i64,
    pub key: String,
    /// The group that could not handle the record.
    pub group: String,
    pub error: String,
    /// How often the handler had the record.
    pub attempts: u32,
    /// A command that publishes the record again, once the cause is gone.
    pub replay: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeadLetterKind {
    DeadLetter,
}

/// Where dead letters go, and how a record of that bus is published again.
pub(crate) trait DeadLetterSink: Send + Sync + 'static {
    fn bury(&self, record: Record) -> BoxFuture<'_, Result<(), PublishError>>;
    fn topic_name(&self, topic: Topic) -> String;
    fn replay(&self, delivery: &Delivery) -> String;
}

/// What little can be read of a payload that may be anything.
#[derive(Default, Deserialize)]
struct Hints {
    #[serde(default)]
    merchant: Option<Uuid>,
    #[serde(default)]
    traceparent: Option<String>,
}

/// The record to publish to the dead letters.
pub(crate) fn write(sink: &dyn DeadLetterSink, delivery: &Delivery, group: &str, error: &str) -> Record {
    let hints: Hints = serde_json::from_slice(&delivery.record.payload).unwrap_or_default();
    let topic = sink.topic_name(delivery.record.topic);
    let coordinates = format!("{topic}/{}/{}/{group}", delivery.partition, delivery.offset);
    let letter = DeadLetter {
        version: ENVELOPE_VERSION,
        id: Uuid::new_v5(&Uuid::NAMESPACE_URL, coordinates.as_bytes()),
        occurred_at: Timestamp::now(),
        kind: DeadLetterKind::DeadLetter,
        merchant: hints.merchant,
        traceparent: hints.traceparent,
        topic,
        partition: delivery.partition,
        offset: delivery.offset,
        key: delivery.record.key.clone(),
        group: group.to_owned(),
        error: error.chars().take(ERROR_CHARACTERS_MAX).collect(),
        attempts: delivery.attempt,
        replay: sink.replay(delivery),
    };
    // Strings, numbers and ids always serialise.
    let payload = serde_json::to_vec(&letter).unwrap_or_default();
    Record { topic: Topic::DeadLetters, key: letter.key, payload: payload.into() }
}
