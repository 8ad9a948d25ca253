//! The recorder: stores what runtimes report. One group over all replicas; the hub shows an END to readers only after
//! this has stored it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use vitrine_bus::{Delivery, Handler, Outcome};
use vitrine_database::{Database, StoreError};
use vitrine_domain::{Answer, AttemptId, MerchantId, ThreadEvent, ThreadEventBody, TurnId};

use crate::outbox::Outbox;
use crate::store::{merchants, turns};
use crate::turns::{Closing, Merchants, TurnMetrics, close};

/// The consumer group in which every replica's recorder takes thread events.
pub const RECORDER_GROUP: &str = "vitrine-recorder";

/// Counts attempts and stores answers. Idempotent: a record that comes again changes nothing.
pub struct Recorder {
    worker: Database,
    outbox: Outbox,
    known: Arc<dyn Merchants>,
    metrics: TurnMetrics,
}

impl Recorder {
    /// `worker` works as [`vitrine_database::Role::Worker`].
    pub fn new(worker: Database, outbox: Outbox, known: Arc<dyn Merchants>, metrics: TurnMetrics) -> Self {
        Self { worker, outbox, known, metrics }
    }

    async fn record(&self, merchant: MerchantId, event: ThreadEvent) -> Result<(), StoreError> {
        match event.body {
            ThreadEventBody::Started { attempt, .. } => self.count_attempt(merchant, event.turn, attempt).await,
            ThreadEventBody::End { attempt, answer, .. } => self.store(merchant, event.turn, attempt, answer).await,
            ThreadEventBody::Log { .. } | ThreadEventBody::Message { .. } | ThreadEventBody::Stored { .. } => Ok(()),
        }
    }

    async fn count_attempt(&self, merchant: MerchantId, turn: TurnId, attempt: AttemptId) -> Result<(), StoreError> {
        let mut transaction = self.worker.tenant(merchant).await?;
        turns::count_attempt(&mut transaction, turn, attempt).await?;
        transaction.commit().await
    }

    /// Stores the answer of the first END, whichever dispatch it belongs to.
    async fn store(
        &self,
        merchant: MerchantId,
        turn: TurnId,
        attempt: AttemptId,
        answer: Answer,
    ) -> Result<(), StoreError> {
        let settings = self.known.settings(merchant).unwrap_or_default();
        let mut transaction = self.worker.tenant(merchant).await?;
        merchants::lock(&mut transaction).await?;
        let closing = Closing { turn, attempt: Some(attempt), answer };
        let Some(closed) = close(&mut transaction, closing, settings).await? else {
            tracing::info!(
                merchant.id = %merchant, turn.id = %turn, attempt.id = %attempt,
                "An answer was not stored: its turn is closed already, or is not there.",
            );
            return Ok(());
        };
        transaction.commit().await?;
        closed.observe(&self.metrics);
        self.outbox.publish(closed.rows);
        Ok(())
    }
}

impl Handler for Recorder {
    fn handle<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            let envelope = match delivery.record.decode::<ThreadEvent>() {
                Ok(envelope) => envelope,
                Err(error) => return error.into(),
            };
            match self.record(envelope.merchant, envelope.body).await {
                Ok(()) => Outcome::Done,
                Err(error) if error.is_transient() => Outcome::Retry { reason: reason(&error), after: Duration::ZERO },
                // The sweeper will find the turn overdue, so its shopper gets an answer all the same.
                Err(error) => Outcome::Poison { reason: reason(&error) },
            }
        })
    }
}

/// The step that failed and the server's code. The server's own words can quote values of a row.
fn reason(error: &StoreError) -> String {
    let code = match &error.source {
        sqlx::Error::Database(source) => source.code().map(Cow::into_owned),
        _ => None,
    };
    code.map_or_else(|| error.to_string(), |code| format!("{error}: PostgreSQL says {code}"))
}
