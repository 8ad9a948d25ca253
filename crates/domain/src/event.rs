//! What travels on the bus. Unknown fields are ignored, so that neighbouring versions understand each other.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::answer::Answer;
use crate::ids::{AttemptId, MerchantId, ThreadId, TurnId};
use crate::thread::ThreadState;

/// Version of the envelope that this program writes.
pub const ENVELOPE_VERSION: u32 = 1;

/// What every record has around its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope<T> {
    pub version: u32,
    /// Identity of the record, for logs; nothing is deduplicated by it.
    pub id: Uuid,
    pub occurred_at: Timestamp,
    pub merchant: MerchantId,
    /// W3C trace context of the request that caused the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    #[serde(flatten)]
    pub body: T,
}

/// Asks a runtime for an answer. Ids only: the text is read from the database, so that erasing it there is enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum ChatRequested {
    ChatRequested {
        turn: TurnId,
        thread: ThreadId,
        /// How often the turn was dispatched, from 1. A record with a smaller number than the turn's is out of date.
        dispatch: i32,
        /// The tenant config in force when the turn was dispatched.
        config_sequence: u64,
        /// When the attempt must have ended.
        deadline_at: Timestamp,
    },
}

/// Something that happened in a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadEvent {
    pub thread: ThreadId,
    pub turn: TurnId,
    /// The sequence of the answer's message in the thread.
    pub answer_sequence: i64,
    #[serde(flatten)]
    pub body: ThreadEventBody,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum ThreadEventBody {
    /// A runtime begins an attempt.
    Started { attempt: AttemptId, dispatch: i32 },
    /// A line about what is being done; `text` is a code such as `writing`.
    #[serde(rename = "log")]
    Log { attempt: AttemptId, level: LogLevel, text: String },
    /// A piece of the attempt's text. `at` is where it begins, in Unicode scalar values.
    #[serde(rename = "message")]
    Message { attempt: AttemptId, at: usize, text: String },
    /// The attempt's whole outcome.
    #[serde(rename = "END")]
    End { attempt: AttemptId, dispatch: i32, answer: Answer },
    /// The answer is in the database. `attempt` is absent when the turn was ended without one.
    Stored { attempt: Option<AttemptId>, is_closing: bool, state: ThreadState },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Info,
    Warn,
    Error,
}

impl ThreadEventBody {
    /// The attempt this event belongs to.
    pub const fn attempt(&self) -> Option<AttemptId> {
        match self {
            Self::Started { attempt, .. }
            | Self::Log { attempt, .. }
            | Self::Message { attempt, .. }
            | Self::End { attempt, .. } => Some(*attempt),
            Self::Stored { attempt, .. } => *attempt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope<T>(body: T) -> Envelope<T> {
        Envelope {
            version: ENVELOPE_VERSION,
            id: Uuid::from_u128(1),
            occurred_at: "2026-01-02T03:04:05Z".parse().unwrap(),
            merchant: Uuid::from_u128(2).into(),
            traceparent: None,
            body,
        }
    }

    fn thread_event(body: ThreadEventBody) -> ThreadEvent {
        ThreadEvent { thread: Uuid::from_u128(3).into(), turn: Uuid::from_u128(4).into(), answer_sequence: 2, body }
    }

    /// These lines are what a neighbouring version sends and expects: change them only together with a new version.
    #[test]
    fn the_wire_form_is_stable() {
        let attempt = AttemptId::new(Uuid::from_u128(5));
        let lines = [
            serde_json::to_string(&envelope(ChatRequested::ChatRequested {
                turn: Uuid::from_u128(4).into(),
                thread: Uuid::from_u128(3).into(),
                dispatch: 1,
                config_sequence: 7,
                deadline_at: "2026-01-02T03:05:05Z".parse().unwrap(),
            })),
            serde_json::to_string(&envelope(thread_event(ThreadEventBody::Started { attempt, dispatch: 1 }))),
            serde_json::to_string(&envelope(thread_event(ThreadEventBody::Message {
                attempt,
                at: 4,
                text: "dag".to_owned(),
            }))),
            serde_json::to_string(&envelope(thread_event(ThreadEventBody::End {
                attempt,
                dispatch: 1,
                answer: Answer::default(),
            }))),
            serde_json::to_string(&envelope(thread_event(ThreadEventBody::Stored {
                attempt: None,
                is_closing: false,
                state: ThreadState::Bot,
            }))),
        ]
        .map(Result::unwrap)
        .join("\n");
        insta::assert_snapshot!(lines);
    }

    #[test]
    fn unknown_fields_are_ignored() {
        let mut value = serde_json::to_value(envelope(thread_event(ThreadEventBody::Stored {
            attempt: None,
            is_closing: true,
            state: ThreadState::Closed,
        })))
        .unwrap();
        value["added_later"] = serde_json::json!({"x": 1});
        let read: Envelope<ThreadEvent> = serde_json::from_value(value).unwrap();
        assert_eq!(read.body.body.attempt(), None);
    }
}
