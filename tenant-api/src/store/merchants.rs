//! The merchant's row: the lock under which its turns are counted, queued, dispatched and closed, and its message rate.

use std::time::Duration;

use vitrine_database::{StoreError, TenantTransaction};

/// The window of `messagesPerMinute`.
const WINDOW: Duration = Duration::from_mins(1);

/// Locks the merchant's row until the transaction ends. `false` when the merchant has none: nothing was ever accepted.
pub(crate) async fn lock(transaction: &mut TenantTransaction) -> Result<bool, StoreError> {
    sqlx::query("SELECT FROM merchants WHERE merchant_id = $1 FOR UPDATE")
        .bind(transaction.merchant().as_uuid())
        .fetch_optional(transaction.connection())
        .await
        .map_err(StoreError::during("lock a merchant"))
        .map(|row| row.is_some())
}

/// Locks the merchant's row until the transaction ends, adding it the first time.
pub(crate) async fn lock_or_add(transaction: &mut TenantTransaction) -> Result<(), StoreError> {
    if lock(transaction).await? {
        return Ok(());
    }
    // Waits for a transaction that adds the same row, so that it is there to be locked afterwards.
    sqlx::query("INSERT INTO merchants (merchant_id) VALUES ($1) ON CONFLICT DO NOTHING")
        .bind(transaction.merchant().as_uuid())
        .execute(transaction.connection())
        .await
        .map_err(StoreError::during("add a merchant"))?;
    lock(transaction).await.map(|_| ())
}

/// Takes one message out of the merchant's rate; `Some` is how long to wait when there is none left.
///
/// The generic cell rate algorithm: as many messages at once as the minute allows, then one per share of a minute.
/// To be called under the merchant's lock.
pub(crate) async fn take_message(
    transaction: &mut TenantTransaction,
    messages_per_minute: u32,
) -> Result<Option<Duration>, StoreError> {
    // Rounded down, so that a whole minute's messages always fit in the minute.
    let share_us = (WINDOW.as_micros() / u128::from(messages_per_minute.max(1))).max(1);
    let share = Duration::from_micros(u64::try_from(share_us).unwrap_or(u64::MAX));
    let beyond_us: i64 = sqlx::query_scalar(
        r"
        WITH clock AS MATERIALIZED (
            SELECT clock_timestamp() AS now
        ), arrival AS (
            SELECT greatest(merchants.messages_allowed_at, clock.now) + $2 - clock.now AS ahead, clock.now
              FROM merchants, clock
             WHERE merchants.merchant_id = $1
        ), taken AS (
            UPDATE merchants
               SET messages_allowed_at = arrival.now + arrival.ahead
              FROM arrival
             WHERE merchants.merchant_id = $1
               AND arrival.ahead <= $3
        )
        SELECT (extract(epoch FROM ahead - $3) * 1000000)::bigint FROM arrival
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(share)
    .bind(WINDOW)
    .fetch_one(transaction.connection())
    .await
    .map_err(StoreError::during("take a message out of a merchant's rate"))?;
    Ok(u64::try_from(beyond_us).ok().filter(|beyond_us| *beyond_us > 0).map(Duration::from_micros))
}
