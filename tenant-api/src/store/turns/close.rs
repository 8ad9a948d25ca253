//! Closing a turn.

use sqlx::FromRow;
use uuid::Uuid;
use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::{AttemptId, ThreadId, ThreadState, TurnId, TurnState};

use crate::store::word;

/// A turn that this transaction closed.
pub(crate) struct ClosedTurn {
    pub thread: ThreadId,
    pub thread_state: ThreadState,
    pub answer_sequence: i64,
    /// From the first question to now, in seconds.
    pub duration_seconds: f64,
}

/// Closes a dispatched turn as `state`; `None` when it is not there, or not dispatched (any more): the first END wins.
/// To be called under the merchant's lock.
pub(crate) async fn close(
    transaction: &mut TenantTransaction,
    turn: TurnId,
    state: TurnState,
    attempt: Option<AttemptId>,
) -> Result<Option<ClosedTurn>, StoreError> {
    let row: Option<ClosedTurnRow> = sqlx::query_as(
        r"
        UPDATE turns
           SET state = $3, stored_attempt = $4, closed_at = clock_timestamp()
          FROM threads
         WHERE turns.merchant_id = $1
           AND turns.turn_id = $2
           AND turns.state = 'dispatched'
           AND threads.merchant_id = turns.merchant_id
           AND threads.thread_id = turns.thread_id
        RETURNING turns.thread_id, threads.state AS thread_state, turns.answer_sequence,
                  extract(epoch FROM turns.closed_at - turns.created_at)::float8 AS duration_seconds
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(turn.as_uuid())
    .bind(state.as_str())
    .bind(attempt.map(|attempt| attempt.as_uuid()))
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("close a turn"))?;
    row.map(ClosedTurn::try_from).transpose()
}

#[derive(FromRow)]
struct ClosedTurnRow {
    thread_id: Uuid,
    thread_state: String,
    answer_sequence: i64,
    duration_seconds: f64,
}

impl TryFrom<ClosedTurnRow> for ClosedTurn {
    type Error = StoreError;

    fn try_from(row: ClosedTurnRow) -> Result<Self, StoreError> {
        Ok(Self {
            thread: row.thread_id.into(),
            thread_state: word(&row.thread_state)?,
            answer_sequence: row.answer_sequence,
            duration_seconds: row.duration_seconds,
        })
    }
}
