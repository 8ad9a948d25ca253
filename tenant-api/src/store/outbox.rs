//! Rows of the outbox: what a committed transaction still has to put on the bus.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;
use vitrine_database::{StoreError, TenantTransaction, WorkerTransaction};
use vitrine_domain::{AttemptId, MerchantId, ThreadId, ThreadState, TurnId};

/// One row, as it stands in the database.
#[derive(Clone, Debug)]
pub struct OutboxRow {
    pub outbox_id: i64,
    pub merchant: MerchantId,
    pub turn: TurnId,
    pub thread: ThreadId,
    pub event: OutboxEvent,
}

/// What the row announces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboxEvent {
    ChatRequested(ChatRequestedBody),
    Stored(StoredBody),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatRequestedBody {
    pub dispatch: i32,
    pub config_sequence: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredBody {
    pub answer_sequence: i64,
    pub attempt: Option<AttemptId>,
    pub is_closing: bool,
    pub state: ThreadState,
}

/// Announces a stored answer.
pub(crate) async fn add_stored(
    transaction: &mut TenantTransaction,
    turn: TurnId,
    thread: ThreadId,
    body: StoredBody,
) -> Result<OutboxRow, StoreError> {
    let merchant = transaction.merchant();
    let outbox_id = sqlx::query_scalar(
        r"
        INSERT INTO outbox (merchant_id, kind, turn_id, thread_id, body)
        VALUES ($1, 'stored', $2, $3, $4)
        RETURNING outbox_id
        ",
    )
    .bind(merchant.as_uuid())
    .bind(turn.as_uuid())
    .bind(thread.as_uuid())
    .bind(Json(&body))
    .fetch_one(transaction.connection())
    .await
    .map_err(StoreError::during("announce a stored answer"))?;
    Ok(OutboxRow { outbox_id, merchant, turn, thread, event: OutboxEvent::Stored(body) })
}

/// How many rows there are, `rows_max` at most.
pub(crate) async fn count(transaction: &mut WorkerTransaction, rows_max: i64) -> Result<i64, StoreError> {
    sqlx::query_scalar("SELECT count(*) FROM (SELECT FROM outbox LIMIT $1) AS waiting")
        .bind(rows_max)
        .fetch_one(transaction.connection())
        .await
        .map_err(StoreError::during("count the outbox"))
}

/// The oldest rows above an age, held until the transaction ends; rows that another worker holds are left out.
pub(crate) async fn hold_oldest(
    transaction: &mut WorkerTransaction,
    age: Duration,
    limit: usize,
) -> Result<Vec<OutboxRow>, StoreError> {
    // Kinds that only a newer version knows are left to its workers.
    let rows: Vec<RawOutboxRow> = sqlx::query_as(
        r"
        SELECT outbox_id, merchant_id, kind, turn_id, thread_id, body
          FROM outbox
         WHERE kind IN ('chat_requested', 'stored')
           AND created_at < now() - $1
         ORDER BY outbox_id
         LIMIT $2
           FOR UPDATE SKIP LOCKED
        ",
    )
    .bind(age)
    .bind(i64::try_from(limit).unwrap_or(i64::MAX))
    .fetch_all(transaction.connection())
    .await
    .map_err(StoreError::during("hold the oldest rows of the outbox"))?;
    // One row that cannot be read must not hold up the others.
    let readable = rows.into_iter().filter_map(|row| {
        let outbox_id = row.outbox_id;
        let row = OutboxRow::try_from(row);
        row.inspect_err(|error| {
            tracing::error!(
                error = error as &dyn std::error::Error,
                outbox.id = outbox_id,
                "A row of the outbox cannot be read and stays where it is.",
            );
        })
        .ok()
    });
    Ok(readable.collect())
}

/// Deletes published rows and starts the deadline of the turns they requested. Losing this in a crash of the server
/// only publishes the rows again, so the transaction does not wait for the disk.
pub(crate) async fn acknowledge(
    transaction: &mut WorkerTransaction,
    outbox_ids: &[i64],
    turn_deadline: Duration,
) -> Result<(), StoreError> {
    sqlx::query("SELECT set_config('synchronous_commit', 'off', true), acknowledge_published($1, $2)")
        .bind(outbox_ids)
        .bind(turn_deadline)
        .execute(transaction.connection())
        .await
        .map_err(StoreError::during("acknowledge published rows of the outbox"))
        .map(|_| ())
}

/// A row as queries give it.
#[derive(FromRow)]
pub(super) struct RawOutboxRow {
    outbox_id: i64,
    merchant_id: Uuid,
    kind: String,
    turn_id: Uuid,
    thread_id: Uuid,
    body: serde_json::Value,
}

impl TryFrom<RawOutboxRow> for OutboxRow {
    type Error = StoreError;

    fn try_from(row: RawOutboxRow) -> Result<Self, StoreError> {
        let event = match row.kind.as_str() {
            "chat_requested" => serde_json::from_value(row.body).map(OutboxEvent::ChatRequested),
            _ => serde_json::from_value(row.body).map(OutboxEvent::Stored),
        };
        let event = event.map_err(|error| StoreError {
            action: "read a row of the outbox",
            source: sqlx::Error::Decode(Box::new(error)),
        })?;
        Ok(Self {
            outbox_id: row.outbox_id,
            merchant: row.merchant_id.into(),
            turn: row.turn_id.into(),
            thread: row.thread_id.into(),
            event,
        })
    }
}
