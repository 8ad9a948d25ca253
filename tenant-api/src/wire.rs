//! The shapes of the shopper API that several calls share.

mod events;
mod words;

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use vitrine_domain::Source;

pub use self::events::{CommandName, StreamCommand, StreamLog, StreamMessage};
pub use self::words::{LeadAsk, LeadField, LogLevel, Orientation, Role, SourceKind, Theme, ThreadState};
use crate::store::messages::StoredMessage;

/// What every successful answer looks like.
#[derive(Debug, Serialize, ToSchema)]
pub struct Envelope<T> {
    pub data: T,
    /// A sentence about the outcome.
    pub message: &'static str,
}

impl<T> Envelope<T> {
    pub const fn new(data: T, message: &'static str) -> Self {
        Self { data, message }
    }
}

/// A piece of a message's content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Part {
    Text { text: TextValue },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TextValue {
    /// May hold markers `[1]`, `[2]` where a source is used.
    pub value: String,
}

impl Part {
    pub fn text(value: &str) -> Self {
        Self::Text { text: TextValue { value: value.to_owned() } }
    }
}

/// Evidence of an answer. Links are only ever made from these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SourceBody {
    /// As in the text's markers, from 1.
    pub number: u32,
    pub title: String,
    /// Into the shop; null when the item has no page.
    #[schema(required)]
    pub url: Option<String>,
    pub kind: SourceKind,
}

impl From<&Source> for SourceBody {
    fn from(source: &Source) -> Self {
        let Source { number, title, url, kind } = source;
        Self { number: *number, title: title.clone(), url: url.clone(), kind: (*kind).into() }
    }
}

/// A stored message.
#[expect(clippy::struct_excessive_bools, reason = "the shape of the specification")]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Message {
    pub uuid: Uuid,
    /// Position in the conversation, from 1.
    pub sequence: i64,
    pub role: Role,
    pub content: Vec<Part>,
    #[schema(value_type = String, format = DateTime)]
    pub created_at: jiff::Timestamp,
    pub is_closing: bool,
    #[schema(required)]
    pub feedback: Option<bool>,
    #[schema(required)]
    pub feedback_reason: Option<String>,
    /// Stored messages are complete.
    pub completed: bool,
    pub sources: Vec<SourceBody>,
    /// Nothing was found to answer from.
    pub refused: bool,
    /// The question could not be answered for a technical reason.
    pub failed: bool,
}

impl From<&StoredMessage> for Message {
    fn from(stored: &StoredMessage) -> Self {
        Self {
            uuid: stored.message.as_uuid(),
            sequence: stored.sequence,
            role: stored.role.into(),
            content: vec![Part::text(&stored.text)],
            created_at: stored.created_at,
            is_closing: stored.is_closing,
            feedback: None,
            feedback_reason: None,
            completed: true,
            sources: stored.sources.iter().map(SourceBody::from).collect(),
            refused: stored.refused,
            failed: stored.failed,
        }
    }
}
