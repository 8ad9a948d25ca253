//! Putting right what nobody reported: an overdue turn goes again, or ends honestly.

use vitrine_database::{Database, StoreError};
use vitrine_domain::limits::{ATTEMPTS_MAX, DISPATCHES_MAX};
use vitrine_domain::{Answer, MerchantId, TurnId, texts};

use super::{Closing, Merchants, TurnMetrics, close};
use crate::store::outbox::OutboxRow;
use crate::store::{merchants, turns};

/// Dispatches the turn again or fails it, if it is overdue still. Gives what is to be published.
///
/// A transaction of its own for each turn: one that closes several could wait in a circle with the acknowledging of
/// published rows, which touches dispatched turns in any order.
pub(crate) async fn sweep(
    worker: &Database,
    known: &dyn Merchants,
    metrics: &TurnMetrics,
    merchant: MerchantId,
    turn: TurnId,
) -> Result<Vec<OutboxRow>, StoreError> {
    let mut transaction = worker.tenant(merchant).await?;
    merchants::lock(&mut transaction).await?;
    let Some(due) = turns::find_due(&mut transaction, turn).await? else { return Ok(Vec::new()) };
    let settings = known.settings(merchant).unwrap_or_default();

    if due.was_published && due.dispatches < DISPATCHES_MAX && due.attempts < ATTEMPTS_MAX {
        let row = turns::dispatch_again(&mut transaction, turn, settings.config_sequence).await?;
        transaction.commit().await?;
        metrics.count_dispatched_again();
        tracing::warn!(
            merchant.id = %merchant, turn.id = %turn, turn.dispatches = due.dispatches, turn.attempts = due.attempts,
            "An overdue turn was dispatched again.",
        );
        return Ok(row.into_iter().collect());
    }

    let language = known.language(merchant, &due.chatbot).unwrap_or_default();
    let answer = Answer { text: texts::failure(language).to_owned(), failed: true, ..Answer::default() };
    let closed = close(&mut transaction, Closing { turn, attempt: None, answer }, settings).await?;
    transaction.commit().await?;
    let Some(closed) = closed else { return Ok(Vec::new()) };
    closed.observe(metrics);
    tracing::error!(
        merchant.id = %merchant, turn.id = %turn, turn.dispatches = due.dispatches, turn.attempts = due.attempts,
        turn.was_published = due.was_published,
        "A turn was given up, and its shopper told so.",
    );
    Ok(closed.rows)
}

/// Dispatches a merchant's queued turns as far as its cap allows now. Gives what is to be published.
pub(crate) async fn dispatch_queued(
    worker: &Database,
    known: &dyn Merchants,
    merchant: MerchantId,
) -> Result<Vec<OutboxRow>, StoreError> {
    let settings = known.settings(merchant).unwrap_or_default();
    let mut transaction = worker.tenant(merchant).await?;
    merchants::lock(&mut transaction).await?;
    let rows = turns::dispatch(&mut transaction, settings.concurrent_answers, settings.config_sequence).await?;
    transaction.commit().await?;
    Ok(rows)
}
