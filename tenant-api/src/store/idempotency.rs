//! Idempotency keys: what a retried request meets again.

use sqlx::FromRow;
use uuid::Uuid;
use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::limits::IDEMPOTENCY_KEY_LIFETIME;
use vitrine_domain::{MessageId, ThreadState, TurnId, VisitorId};

use super::word;

/// Whose key of which route.
pub(crate) struct Scope<'a> {
    pub visitor: VisitorId,
    pub route: &'a str,
    pub key: &'a str,
}

/// What the first request with the key did.
pub(crate) struct Known {
    pub body_hash: Vec<u8>,
    pub message: MessageId,
    pub turn: TurnId,
    pub sequence: i64,
    pub thread_state: ThreadState,
}

/// Finds a key that has not expired. Under the merchant's lock the answer holds until the transaction ends.
pub(crate) async fn find(transaction: &mut TenantTransaction, scope: &Scope<'_>) -> Result<Option<Known>, StoreError> {
    let row: Option<KnownRow> = sqlx::query_as(
        r"
        SELECT known.body_hash, known.message_id, known.turn_id, messages.sequence, threads.state
          FROM idempotency_keys AS known
          JOIN messages ON messages.merchant_id = known.merchant_id AND messages.message_id = known.message_id
          JOIN threads ON threads.merchant_id = messages.merchant_id AND threads.thread_id = messages.thread_id
         WHERE known.merchant_id = $1
           AND known.visitor_id = $2
           AND known.route = $3
           AND known.key = $4
           AND known.created_at > now() - $5
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(scope.visitor.as_uuid())
    .bind(scope.route)
    .bind(scope.key)
    .bind(IDEMPOTENCY_KEY_LIFETIME)
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("find an idempotency key"))?;
    row.map(Known::try_from).transpose()
}

/// Remembers the key, in place of an expired one that is still there.
pub(crate) async fn put(
    transaction: &mut TenantTransaction,
    scope: &Scope<'_>,
    body_hash: &[u8],
    message: MessageId,
    turn: TurnId,
) -> Result<(), StoreError> {
    sqlx::query(
        r"
        INSERT INTO idempotency_keys (merchant_id, visitor_id, route, key, body_hash, message_id, turn_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (merchant_id, visitor_id, route, key) DO UPDATE
           SET body_hash = excluded.body_hash, message_id = excluded.message_id, turn_id = excluded.turn_id,
               created_at = excluded.created_at
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(scope.visitor.as_uuid())
    .bind(scope.route)
    .bind(scope.key)
    .bind(body_hash)
    .bind(message.as_uuid())
    .bind(turn.as_uuid())
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("remember an idempotency key"))?;
    Ok(())
}

/// Deletes at most `limit` expired keys and says how many they were.
pub(crate) async fn delete_expired(transaction: &mut TenantTransaction, limit: i64) -> Result<u64, StoreError> {
    sqlx::query(
        r"
        DELETE FROM idempotency_keys
         WHERE merchant_id = $1
           AND (visitor_id, route, key) IN (
            SELECT visitor_id, route, key
              FROM idempotency_keys
             WHERE merchant_id = $1
               AND created_at < now() - $2
             ORDER BY created_at
             LIMIT $3
         )
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(IDEMPOTENCY_KEY_LIFETIME)
    .bind(limit)
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("delete expired idempotency keys"))
    .map(|done| done.rows_affected())
}

#[derive(FromRow)]
struct KnownRow {
    body_hash: Vec<u8>,
    message_id: Uuid,
    turn_id: Uuid,
    sequence: i64,
    state: String,
}

impl TryFrom<KnownRow> for Known {
    type Error = StoreError;

    fn try_from(row: KnownRow) -> Result<Self, StoreError> {
        Ok(Self {
            body_hash: row.body_hash,
            message: row.message_id.into(),
            turn: row.turn_id.into(),
            sequence: row.sequence,
            thread_state: word(&row.state)?,
        })
    }
}
