//! Reading a turn before answering it. The request on the bus carries ids only.

use sqlx::FromRow;
use vitrine_database::{Database, StoreError};
use vitrine_domain::{MerchantId, ThreadId, TurnId, TurnState};

/// A turn as it stands in the database.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub id: TurnId,
    pub thread: ThreadId,
    pub state: TurnState,
    pub chatbot: String,
    pub dispatches: i32,
    pub attempts: i32,
    pub answer_sequence: Option<i64>,
    /// What the shopper said, several messages joined by line breaks.
    pub question: String,
}

#[derive(FromRow)]
struct TurnRow {
    thread_id: uuid::Uuid,
    state: String,
    chatbot: String,
    dispatches: i32,
    attempts: i32,
    answer_sequence: Option<i64>,
    question: String,
}

/// Finds a turn of `merchant`; `None` when it does not exist (erased, or another merchant's).
pub(crate) async fn find(database: &Database, merchant: MerchantId, turn: TurnId) -> Result<Option<Turn>, StoreError> {
    let mut transaction = database.tenant(merchant).await?;
    let row: Option<TurnRow> = sqlx::query_as(
        r"
        SELECT turns.thread_id, turns.state, turns.dispatches, turns.attempts, turns.answer_sequence, threads.chatbot,
               coalesce((
                   SELECT string_agg(part -> 'text' ->> 'value', E'\n' ORDER BY messages.sequence, ordinal)
                     FROM messages, jsonb_array_elements(messages.content) WITH ORDINALITY AS parts (part, ordinal)
                    WHERE messages.merchant_id = turns.merchant_id
                      AND messages.turn_id = turns.turn_id
                      AND messages.role = 'human'
               ), '') AS question
          FROM turns
          JOIN threads ON threads.merchant_id = turns.merchant_id AND threads.thread_id = turns.thread_id
         WHERE turns.merchant_id = $1
           AND turns.turn_id = $2
        ",
    )
    .bind(merchant.as_uuid())
    .bind(turn.as_uuid())
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("read a turn"))?;
    transaction.commit().await?;

    row.map(|row| {
        let state = row.state.parse().map_err(|error| StoreError {
            action: "read a turn's state",
            source: sqlx::Error::Decode(Box::<vitrine_domain::thread::UnknownWord>::new(error)),
        })?;
        Ok(Turn {
            id: turn,
            thread: row.thread_id.into(),
            state,
            chatbot: row.chatbot,
            dispatches: row.dispatches,
            attempts: row.attempts,
            answer_sequence: row.answer_sequence,
            question: row.question,
        })
    })
    .transpose()
}
