//! Work that is due over all merchants: ids, from functions that only the worker may call.

use std::time::Duration;

use uuid::Uuid;
use vitrine_database::{StoreError, WorkerTransaction};
use vitrine_domain::limits::{IDEMPOTENCY_KEY_LIFETIME, PUBLISH_WAIT_MAX};
use vitrine_domain::{MerchantId, TurnId};

/// How long a queued turn is left to the transactions that queue and close turns.
const QUEUED_AGE: Duration = Duration::from_secs(5);

/// Overdue turns, the longest dispatched first.
pub(crate) async fn turns(
    transaction: &mut WorkerTransaction,
    limit: i64,
) -> Result<Vec<(MerchantId, TurnId)>, StoreError> {
    let rows: Vec<(Uuid, Uuid)> = sqlx::query_as("SELECT merchant_id, turn_id FROM due_turns($1, $2::integer)")
        .bind(PUBLISH_WAIT_MAX)
        .bind(limit)
        .fetch_all(transaction.connection())
        .await
        .map_err(StoreError::during("find overdue turns"))?;
    Ok(rows.into_iter().map(|(merchant, turn)| (merchant.into(), turn.into())).collect())
}

/// Merchants with queued turns and ids above `after`, in the order of their ids.
pub(crate) async fn merchants_with_queued_turns(
    transaction: &mut WorkerTransaction,
    after: Uuid,
    limit: i64,
) -> Result<Vec<MerchantId>, StoreError> {
    let rows: Vec<Uuid> =
        sqlx::query_scalar("SELECT merchant_id FROM merchants_with_queued_turns($1, $2, $3::integer)")
            .bind(after)
            .bind(QUEUED_AGE)
            .bind(limit)
            .fetch_all(transaction.connection())
            .await
            .map_err(StoreError::during("find merchants with queued turns"))?;
    Ok(rows.into_iter().map(MerchantId::new).collect())
}

/// Merchants among the oldest `limit` expired idempotency keys.
pub(crate) async fn merchants_with_expired_keys(
    transaction: &mut WorkerTransaction,
    limit: i64,
) -> Result<Vec<MerchantId>, StoreError> {
    let rows: Vec<Uuid> = sqlx::query_scalar("SELECT merchant_id FROM merchants_with_expired_keys($1, $2::integer)")
        .bind(IDEMPOTENCY_KEY_LIFETIME)
        .bind(limit)
        .fetch_all(transaction.connection())
        .await
        .map_err(StoreError::during("find expired idempotency keys"))?;
    Ok(rows.into_iter().map(MerchantId::new).collect())
}

/// Makes every dispatched turn whose request was published overdue, and gives their number.
pub(crate) async fn expire_published(transaction: &mut WorkerTransaction) -> Result<u64, StoreError> {
    let turns: i64 = sqlx::query_scalar("SELECT expire_published_turns()")
        .fetch_one(transaction.connection())
        .await
        .map_err(StoreError::during("make published turns overdue"))?;
    Ok(turns.unsigned_abs())
}
