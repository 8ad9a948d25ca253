//! Topics, what is published to them and what is handed to a consumer.

use std::fmt;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use vitrine_domain::Envelope;

/// Longest payload of a record: below the 1,000,000 bytes a Kafka client and broker take by default.
pub const RECORD_BYTES_MAX: usize = 900 * 1024;

/// A topic of the product. Its name ends in the version of its records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topic {
    /// What a runtime is asked to answer; the key is the thread.
    ChatRequests,
    /// What happens in threads; the key is the thread.
    ThreadEvents,
    /// Where the records are named that could not be handled; the key is theirs.
    DeadLetters,
}

impl Topic {
    pub const ALL: [Self; 3] = [Self::ChatRequests, Self::ThreadEvents, Self::DeadLetters];

    /// The topic's name, without the prefix an installation may have.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChatRequests => "vitrine.chat-requests.v1",
            Self::ThreadEvents => "vitrine.thread-events.v1",
            Self::DeadLetters => "vitrine.dead-letters.v1",
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    pub topic: Topic,
    /// Records of one key keep their order.
    pub key: String,
    pub payload: Bytes,
}

impl Record {
    /// A record with the envelope as JSON. The key is the thread in every topic of today.
    pub fn encode<T: Serialize>(
        topic: Topic,
        key: &impl ToString,
        envelope: &Envelope<T>,
    ) -> Result<Self, EncodeError> {
        let payload = serde_json::to_vec(envelope).map_err(|source| EncodeError { topic, source })?;
        Ok(Self { topic, key: key.to_string(), payload: payload.into() })
    }

    /// Reads the payload as an envelope.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<Envelope<T>, DecodeError> {
        serde_json::from_slice(&self.payload).map_err(|error| DecodeError {
            topic: self.topic,
            line: error.line(),
            column: error.column(),
        })
    }
}

/// A record as a consumer gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    pub record: Record,
    pub partition: i32,
    pub offset: i64,
    /// How often this consumer has handed the record to its handler, from 1. A tail always says 1.
    pub attempt: u32,
}

#[derive(Debug, thiserror::Error)]
#[error("failed to encode a record for {topic}")]
pub struct EncodeError {
    topic: Topic,
    #[source]
    source: serde_json::Error,
}

/// Says where the payload does not fit, and not what stands there: errors are logged and kept, texts must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("failed to decode a record of {topic}: it does not fit at line {line}, column {column}")]
pub struct DecodeError {
    topic: Topic,
    line: usize,
    column: usize,
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;
    use vitrine_domain::{ThreadEvent, ThreadEventBody, ThreadState};

    use super::*;

    fn envelope() -> Envelope<ThreadEvent> {
        Envelope {
            version: 1,
            id: Uuid::from_u128(1),
            occurred_at: "2026-01-02T03:04:05Z".parse().unwrap(),
            merchant: Uuid::from_u128(2).into(),
            traceparent: None,
            body: ThreadEvent {
                thread: Uuid::from_u128(3).into(),
                turn: Uuid::from_u128(4).into(),
                answer_sequence: 2,
                body: ThreadEventBody::Stored { attempt: None, is_closing: false, state: ThreadState::Bot },
            },
        }
    }

    #[test]
    fn a_record_decodes_to_what_was_encoded() {
        let record = Record::encode(Topic::ThreadEvents, &Uuid::from_u128(3), &envelope()).unwrap();
        assert_eq!(record.key, Uuid::from_u128(3).to_string());
        assert_eq!(record.decode::<ThreadEvent>().unwrap(), envelope());
    }

    #[test]
    fn a_decode_error_names_the_place_and_keeps_the_text_to_itself() {
        let payload = Bytes::from_static(br#"{"version": "my secret question"}"#);
        let record = Record { topic: Topic::ThreadEvents, key: String::new(), payload };
        let error = record.decode::<ThreadEvent>().unwrap_err().to_string();
        assert!(error.contains("line 1"), "{error}");
        assert!(!error.contains("secret"), "{error}");
    }
}
