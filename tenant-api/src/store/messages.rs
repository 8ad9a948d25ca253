//! Messages: what was said in a thread, in the order of its sequences.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;
use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::{Answer, MessageId, Role, Source, ThreadId, TurnId};

use super::{storable, word};

/// Messages that [`after`] gives at once; a caller that gets as many asks again behind the last one.
pub const MESSAGES_AFTER_MAX: usize = 100;

#[derive(Clone, Debug)]
pub struct StoredMessage {
    pub message: MessageId,
    /// The turn it asks or answers.
    pub turn: Option<TurnId>,
    pub sequence: i64,
    pub role: Role,
    pub text: String,
    pub sources: Vec<Source>,
    pub refused: bool,
    pub failed: bool,
    pub is_closing: bool,
    pub created_at: Timestamp,
}

/// A shopper's message that joins a turn.
pub(crate) struct Question<'a> {
    pub message: MessageId,
    pub turn: TurnId,
    pub thread: ThreadId,
    pub sequence: i64,
    pub text: &'a str,
}

/// At most `limit` messages, newest first, with sequences below `before`.
pub async fn list(
    transaction: &mut TenantTransaction,
    thread: ThreadId,
    before: Option<i64>,
    limit: usize,
) -> Result<Vec<StoredMessage>, StoreError> {
    let rows: Vec<MessageRow> = sqlx::query_as(
        r"
        SELECT message_id, turn_id, sequence, role, content, sources, refused, failed, is_closing, created_at
          FROM messages
         WHERE merchant_id = $1
           AND thread_id = $2
           AND sequence < $3
         ORDER BY sequence DESC
         LIMIT $4
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(thread.as_uuid())
    .bind(before.unwrap_or(i64::MAX))
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(transaction.connection())
    .await
    .map_err(StoreError::during("list a thread's messages"))?;
    rows.into_iter().map(StoredMessage::try_from).collect()
}

/// At most [`MESSAGES_AFTER_MAX`] messages, oldest first, with sequences above `sequence`.
pub async fn after(
    transaction: &mut TenantTransaction,
    thread: ThreadId,
    sequence: i64,
) -> Result<Vec<StoredMessage>, StoreError> {
    let rows: Vec<MessageRow> = sqlx::query_as(
        r"
        SELECT message_id, turn_id, sequence, role, content, sources, refused, failed, is_closing, created_at
          FROM messages
         WHERE merchant_id = $1
           AND thread_id = $2
           AND sequence > $3
         ORDER BY sequence
         LIMIT $4
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(thread.as_uuid())
    .bind(sequence)
    .bind(i64::try_from(MESSAGES_AFTER_MAX).unwrap_or(i64::MAX))
    .fetch_all(transaction.connection())
    .await
    .map_err(StoreError::during("list a thread's newer messages"))?;
    rows.into_iter().map(StoredMessage::try_from).collect()
}

/// The stored answer of a turn; `None` while the turn is open.
pub async fn answer(transaction: &mut TenantTransaction, turn: TurnId) -> Result<Option<StoredMessage>, StoreError> {
    let row: Option<MessageRow> = sqlx::query_as(
        r"
        SELECT message_id, turn_id, sequence, role, content, sources, refused, failed, is_closing, created_at
          FROM messages
         WHERE merchant_id = $1
           AND message_id = $2
           AND role = 'ai'
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(turn.as_uuid())
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("find a turn's answer"))?;
    row.map(StoredMessage::try_from).transpose()
}

pub(crate) async fn add_question(
    transaction: &mut TenantTransaction,
    question: &Question<'_>,
) -> Result<(), StoreError> {
    sqlx::query(
        r"
        INSERT INTO messages (merchant_id, message_id, thread_id, turn_id, sequence, role, content, created_at)
        VALUES ($1, $2, $3, $4, $5, 'human', $6, clock_timestamp())
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(question.message.as_uuid())
    .bind(question.thread.as_uuid())
    .bind(question.turn.as_uuid())
    .bind(question.sequence)
    .bind(content(question.text))
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("add a message"))?;
    Ok(())
}

/// Adds the answer under the turn's own id, at the sequence it was given at dispatch.
pub(crate) async fn add_answer(
    transaction: &mut TenantTransaction,
    turn: TurnId,
    thread: ThreadId,
    sequence: i64,
    answer: &Answer,
) -> Result<(), StoreError> {
    sqlx::query(
        r"
        INSERT INTO messages (merchant_id, message_id, thread_id, turn_id, sequence, role, content, sources,
                              refused, failed, created_at)
        VALUES ($1, $2, $3, $2, $4, 'ai', $5, $6, $7, $8, clock_timestamp())
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(turn.as_uuid())
    .bind(thread.as_uuid())
    .bind(sequence)
    .bind(content(&answer.text))
    .bind(Json(&answer.sources))
    .bind(answer.refused)
    .bind(answer.failed)
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("add an answer"))?;
    Ok(())
}

/// A piece of a message's content, as it is stored and sent.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Part {
    Text { text: Value },
}

#[derive(Serialize, Deserialize)]
struct Value {
    value: String,
}

fn content(text: &str) -> Json<Vec<Part>> {
    Json(vec![Part::Text { text: Value { value: storable(text) } }])
}

#[derive(FromRow)]
struct MessageRow {
    message_id: Uuid,
    turn_id: Option<Uuid>,
    sequence: i64,
    role: String,
    content: Json<Vec<Part>>,
    sources: Json<Vec<Source>>,
    refused: bool,
    failed: bool,
    is_closing: bool,
    created_at: jiff_sqlx::Timestamp,
}

impl TryFrom<MessageRow> for StoredMessage {
    type Error = StoreError;

    fn try_from(row: MessageRow) -> Result<Self, StoreError> {
        let texts = row.content.0.into_iter().map(|Part::Text { text }| text.value);
        Ok(Self {
            message: row.message_id.into(),
            turn: row.turn_id.map(TurnId::new),
            sequence: row.sequence,
            role: word(&row.role)?,
            text: texts.collect::<Vec<_>>().join("\n"),
            sources: row.sources.0,
            refused: row.refused,
            failed: row.failed,
            is_closing: row.is_closing,
            created_at: row.created_at.to_jiff(),
        })
    }
}
