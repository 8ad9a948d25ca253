//! What the events of a conversation's stream carry.

use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{LogLevel, Part, Role, SourceBody, ThreadState};

/// Data of `event: message`. Only a stored message has `sources`, `refused` and `failed`.
#[derive(Serialize, ToSchema)]
pub struct StreamMessage {
    pub uuid: Uuid,
    /// Position in the conversation, from 1.
    pub sequence: i64,
    pub role: Role,
    pub content: Vec<Part>,
    /// Whether this is the whole text instead of a continuation.
    pub replace: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sources: Option<Vec<SourceBody>>,
    /// Nothing was found to answer from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub refused: Option<bool>,
    /// The question could not be answered for a technical reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub failed: Option<bool>,
}

/// Data of `event: log`.
#[derive(Serialize, ToSchema)]
pub struct StreamLog {
    pub level: LogLevel,
    /// A code to be translated: `queued`, `writing` or `retrying`. A reader takes one it does not know as thinking.
    #[schema(example = "writing")]
    pub text: String,
}

/// Data of `event: command`: the answer is complete.
#[derive(Serialize, ToSchema)]
pub struct StreamCommand {
    pub name: CommandName,
    /// The answer that is complete; null when there is none.
    #[schema(required)]
    pub uuid: Option<Uuid>,
    pub is_closing: bool,
    pub state: ThreadState,
}

/// What a command says.
#[derive(Serialize, ToSchema)]
pub enum CommandName {
    #[serde(rename = "END")]
    End,
}
