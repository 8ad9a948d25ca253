//! Putting turns on the bus: which ones, and the row of the outbox that does it.

use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::TurnId;

use super::sequence_column;
use crate::store::outbox::{OutboxRow, RawOutboxRow};

/// Dispatches the merchant's oldest queued turns whose threads have none dispatched, until `concurrent_answers` are.
/// Gives each answer its sequence, behind every question of its turn. To be called under the merchant's lock, at the
/// end of everything that queues or closes a turn.
///
/// `config_sequence` is the config in force; a turn that was accepted under a newer one keeps that.
pub(crate) async fn dispatch(
    transaction: &mut TenantTransaction,
    concurrent_answers: u32,
    config_sequence: u64,
) -> Result<Vec<OutboxRow>, StoreError> {
    let rows: Vec<RawOutboxRow> = sqlx::query_as(
        r"
        WITH free AS (
            SELECT greatest($2 - count(*), 0) AS answers
              FROM turns
             WHERE merchant_id = $1
               AND state = 'dispatched'
        ), chosen AS (
            SELECT queued.turn_id, queued.thread_id
              FROM turns AS queued
             WHERE queued.merchant_id = $1
               AND queued.state = 'queued'
               AND NOT EXISTS (
                SELECT
                  FROM turns AS running
                 WHERE running.merchant_id = $1
                   AND running.thread_id = queued.thread_id
                   AND running.state = 'dispatched'
             )
             ORDER BY queued.created_at, queued.turn_id
             LIMIT (SELECT answers FROM free)
        ), numbered AS (
            UPDATE threads
               SET last_sequence = last_sequence + 1, updated_at = clock_timestamp()
              FROM chosen
             WHERE threads.merchant_id = $1
               AND threads.thread_id = chosen.thread_id
            RETURNING chosen.turn_id, threads.last_sequence
        ), dispatched AS (
            UPDATE turns
               SET state = 'dispatched', answer_sequence = numbered.last_sequence, dispatches = dispatches + 1,
                   config_sequence = greatest(config_sequence, $3), dispatched_at = clock_timestamp()
              FROM numbered
             WHERE turns.merchant_id = $1
               AND turns.turn_id = numbered.turn_id
            RETURNING turns.*
        )
        INSERT INTO outbox (merchant_id, kind, turn_id, thread_id, dispatch, body)
        SELECT merchant_id, 'chat_requested', turn_id, thread_id, dispatches,
               jsonb_build_object('dispatch', dispatches, 'config_sequence', config_sequence)
          FROM dispatched
         ORDER BY created_at, turn_id
        RETURNING outbox_id, merchant_id, kind, turn_id, thread_id, body
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(i64::from(concurrent_answers))
    .bind(sequence_column(config_sequence))
    .fetch_all(transaction.connection())
    .await
    .map_err(StoreError::during("dispatch turns"))?;
    rows.into_iter().map(OutboxRow::try_from).collect()
}

/// Dispatches a dispatched turn once more; its answer keeps its sequence.
pub(crate) async fn dispatch_again(
    transaction: &mut TenantTransaction,
    turn: TurnId,
    config_sequence: u64,
) -> Result<Option<OutboxRow>, StoreError> {
    let row: Option<RawOutboxRow> = sqlx::query_as(
        r"
        WITH dispatched AS (
            UPDATE turns
               SET dispatches = dispatches + 1, config_sequence = greatest(config_sequence, $3),
                   dispatched_at = clock_timestamp(), deadline_at = NULL
             WHERE merchant_id = $1
               AND turn_id = $2
               AND state = 'dispatched'
            RETURNING turns.*
        )
        INSERT INTO outbox (merchant_id, kind, turn_id, thread_id, dispatch, body)
        SELECT merchant_id, 'chat_requested', turn_id, thread_id, dispatches,
               jsonb_build_object('dispatch', dispatches, 'config_sequence', config_sequence)
          FROM dispatched
        RETURNING outbox_id, merchant_id, kind, turn_id, thread_id, body
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(turn.as_uuid())
    .bind(sequence_column(config_sequence))
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("dispatch a turn again"))?;
    row.map(OutboxRow::try_from).transpose()
}
