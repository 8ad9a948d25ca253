//! Turns: a shopper's question (or several that were joined) and its answer.

mod close;
mod dispatch;

pub(crate) use close::close;
pub(crate) use dispatch::{dispatch, dispatch_again};

use sqlx::FromRow;
use uuid::Uuid;
use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::limits::PUBLISH_WAIT_MAX;
use vitrine_domain::{AttemptId, ThreadId, TurnId, TurnState};

use super::word;

/// Attempts of one turn that are told apart. Far above the number at which a turn is given up.
const ATTEMPTS_KEPT_MAX: i32 = 16;

/// The open turns of one thread.
#[derive(Clone, Debug, Default)]
pub struct OpenTurns {
    /// Its answer is being written.
    pub dispatched: Option<OpenTurn>,
    /// Waits for its thread's or its merchant's turn; takes in further messages.
    pub queued: Option<OpenTurn>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenTurn {
    pub turn: TurnId,
    pub state: TurnState,
    /// The sequence of its answer; given at dispatch.
    pub answer_sequence: Option<i64>,
}

/// A queued turn and how many messages it holds.
pub(crate) struct QueuedTurn {
    pub turn: TurnId,
    pub messages: i64,
}

/// A dispatched turn that nobody reported in time.
pub(crate) struct DueTurn {
    pub chatbot: String,
    pub dispatches: i32,
    pub attempts: i32,
    /// Its request is known to have been on the bus.
    pub was_published: bool,
}

pub async fn open(transaction: &mut TenantTransaction, thread: ThreadId) -> Result<OpenTurns, StoreError> {
    let rows: Vec<OpenTurnRow> = sqlx::query_as(
        r"
        SELECT turn_id, state, answer_sequence
          FROM turns
         WHERE merchant_id = $1
           AND thread_id = $2
           AND state = 'dispatched'
        UNION ALL
        SELECT turn_id, state, answer_sequence
          FROM turns
         WHERE merchant_id = $1
           AND thread_id = $2
           AND state = 'queued'
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(thread.as_uuid())
    .fetch_all(transaction.connection())
    .await
    .map_err(StoreError::during("find a thread's open turns"))?;

    let mut open = OpenTurns::default();
    for row in rows {
        let turn = OpenTurn::try_from(row)?;
        match turn.state {
            TurnState::Dispatched => open.dispatched = Some(turn),
            _ => open.queued = Some(turn),
        }
    }
    Ok(open)
}

/// The queued turn of a thread.
pub(crate) async fn find_queued(
    transaction: &mut TenantTransaction,
    thread: ThreadId,
) -> Result<Option<QueuedTurn>, StoreError> {
    let row: Option<(Uuid, i64)> = sqlx::query_as(
        r"
        SELECT turns.turn_id,
               (SELECT count(*)
                  FROM messages
                 WHERE messages.merchant_id = turns.merchant_id
                   AND messages.turn_id = turns.turn_id)
          FROM turns
         WHERE turns.merchant_id = $1
           AND turns.thread_id = $2
           AND turns.state = 'queued'
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(thread.as_uuid())
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("find a thread's queued turn"))?;
    Ok(row.map(|(turn, messages)| QueuedTurn { turn: turn.into(), messages }))
}

/// Adds a queued turn. Under the merchant's lock its time is the order of the queue.
pub(crate) async fn add(
    transaction: &mut TenantTransaction,
    turn: TurnId,
    thread: ThreadId,
    config_sequence: u64,
) -> Result<(), StoreError> {
    sqlx::query(
        r"
        INSERT INTO turns (merchant_id, turn_id, thread_id, state, config_sequence, created_at)
        VALUES ($1, $2, $3, 'queued', $4, clock_timestamp())
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(turn.as_uuid())
    .bind(thread.as_uuid())
    .bind(sequence_column(config_sequence))
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("add a turn"))?;
    Ok(())
}

/// Counts an attempt of a dispatched turn, once however often it is announced. `false` when nothing was to be counted.
pub(crate) async fn count_attempt(
    transaction: &mut TenantTransaction,
    turn: TurnId,
    attempt: AttemptId,
) -> Result<bool, StoreError> {
    sqlx::query(
        r"
        UPDATE turns
           SET attempts = attempts + 1, attempt_ids = attempt_ids || $3
         WHERE merchant_id = $1
           AND turn_id = $2
           AND state = 'dispatched'
           AND $3 <> ALL (attempt_ids)
           AND cardinality(attempt_ids) < $4
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(turn.as_uuid())
    .bind(attempt.as_uuid())
    .bind(ATTEMPTS_KEPT_MAX)
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("count an attempt"))
    .map(|done| done.rows_affected() > 0)
}

/// Finds the turn if it is overdue now; another worker may have been there first. To be called under the merchant's
/// lock.
pub(crate) async fn find_due(transaction: &mut TenantTransaction, turn: TurnId) -> Result<Option<DueTurn>, StoreError> {
    let row: Option<DueTurnRow> = sqlx::query_as(
        r"
        SELECT threads.chatbot, turns.dispatches, turns.attempts, turns.deadline_at IS NOT NULL AS was_published
          FROM turns
          JOIN threads ON threads.merchant_id = turns.merchant_id AND threads.thread_id = turns.thread_id
         WHERE turns.merchant_id = $1
           AND turns.turn_id = $2
           AND turns.state = 'dispatched'
           AND (turns.deadline_at < clock_timestamp()
                OR (turns.deadline_at IS NULL AND turns.dispatched_at < clock_timestamp() - $3))
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(turn.as_uuid())
    .bind(PUBLISH_WAIT_MAX)
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("find an overdue turn"))?;
    Ok(row.map(DueTurn::from))
}

/// Config sequences count changes of a config; they do not reach the end of the column.
fn sequence_column(config_sequence: u64) -> i64 {
    i64::try_from(config_sequence).unwrap_or(i64::MAX)
}

#[derive(FromRow)]
struct OpenTurnRow {
    turn_id: Uuid,
    state: String,
    answer_sequence: Option<i64>,
}

impl TryFrom<OpenTurnRow> for OpenTurn {
    type Error = StoreError;

    fn try_from(row: OpenTurnRow) -> Result<Self, StoreError> {
        Ok(Self { turn: row.turn_id.into(), state: word(&row.state)?, answer_sequence: row.answer_sequence })
    }
}

#[derive(FromRow)]
struct DueTurnRow {
    chatbot: String,
    dispatches: i32,
    attempts: i32,
    was_published: bool,
}

impl From<DueTurnRow> for DueTurn {
    fn from(row: DueTurnRow) -> Self {
        Self {
            chatbot: row.chatbot,
            dispatches: row.dispatches,
            attempts: row.attempts,
            was_published: row.was_published,
        }
    }
}
