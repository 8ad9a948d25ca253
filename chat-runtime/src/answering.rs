//! From a request on the bus to an END: the handler of chat requests.
//!
//! Nothing is retried in here once an attempt was announced: the sweeper of tenant-api dispatches an overdue turn again,
//! and counts how often. Handling is idempotent: a request that comes again finds its turn closed and does nothing, or
//! begins an attempt of its own, of which the first END is stored.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::timeout;
use tracing::{info, instrument, warn};
use vitrine_bus::{Bus, Delivery, Handler, Outcome};
use vitrine_database::Database;
use vitrine_domain::limits::ATTEMPTS_MAX;
use vitrine_domain::{Answer, ChatRequested, Envelope, MerchantId, texts};
use vitrine_service::clock;
use vitrine_tenant_config::{TenantChatbot, TenantsReceiver};

use crate::announce::{AnnounceError, Announcer};
use crate::deltas::Deltas;
use crate::evidence::{self, Found};
use crate::metrics::Metrics;
use crate::model::{Model, ModelQuestion, cited_sources};
use crate::turn::{self, Turn};

/// How long a request waits for a tenant config that is newer than the one this runtime has.
const CONFIG_WAIT_MAX: Duration = Duration::from_secs(2);
/// Least wait before a request is handed again whose attempt could not begin.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// Answers turns.
pub struct Answering {
    pub database: Database,
    pub bus: Arc<dyn Bus>,
    pub tenants: TenantsReceiver,
    pub model: Arc<dyn Model>,
    pub metrics: Metrics,
}

impl Handler for Answering {
    fn handle<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Outcome> {
        async move {
            match delivery.record.decode::<ChatRequested>() {
                Ok(envelope) => self.request(envelope).await,
                Err(error) => error.into(),
            }
        }
        .boxed()
    }
}

/// What the request names, once everything needed to answer was found.
struct Task {
    announcer: Announcer,
    chatbot: TenantChatbot,
    question: String,
    attempts: i32,
}

impl Answering {
    #[instrument(name = "turn", skip_all, fields(merchant.id = %envelope.merchant, turn.id))]
    async fn request(&self, envelope: Envelope<ChatRequested>) -> Outcome {
        let Envelope { merchant, traceparent, body, .. } = envelope;
        let ChatRequested::ChatRequested { turn: turn_id, dispatch, config_sequence, deadline_at, .. } = body;
        tracing::Span::current().record("turn.id", tracing::field::display(turn_id));

        let Ok(remaining) = Duration::try_from(deadline_at - clock::now()) else {
            info!("left a turn to the sweeper: its deadline has passed");
            return Outcome::Done;
        };
        let turn = match turn::find(&self.database, merchant, turn_id).await {
            Ok(Some(turn)) => turn,
            Ok(None) => return Outcome::Done,
            // Nothing was announced yet, so that this waits on the bus until the database is back or the deadline passed.
            Err(error) => return Outcome::Retry { reason: error.to_string(), after: RETRY_AFTER },
        };
        if !turn.state.is_open() || dispatch < turn.dispatches {
            return Outcome::Done;
        }
        let Some(task) = self.prepare(merchant, turn, dispatch, config_sequence, traceparent).await else {
            return Outcome::Done;
        };

        let attempt = task.announcer.attempt();
        let timer = self.metrics.turn_timer();
        match timeout(remaining, self.attempt(merchant, task)).await {
            Ok(Ok(())) => timer.observe_duration(),
            Ok(Err(error)) => {
                timer.stop_and_discard();
                self.metrics.attempt_given_up();
                warn!(attempt.id = %attempt, error = &error as &dyn std::error::Error, "gave up an attempt; the sweeper dispatches the turn again");
            }
            Err(_elapsed) => {
                timer.stop_and_discard();
                self.metrics.attempt_given_up();
                warn!(attempt.id = %attempt, "gave up an attempt at the turn's deadline");
            }
        }
        Outcome::Done
    }

    /// Waits until this runtime has the config the turn was dispatched under. `None` leaves the turn to the sweeper.
    async fn prepare(
        &self,
        merchant: MerchantId,
        turn: Turn,
        dispatch: i32,
        config_sequence: u64,
        traceparent: Option<String>,
    ) -> Option<Task> {
        let mut tenants = self.tenants.clone();
        let fits = |tenants: &Arc<vitrine_tenant_config::Tenants>| {
            tenants.sequence(merchant).is_some_and(|have| have >= config_sequence)
        };
        let Ok(Ok(snapshot)) = timeout(CONFIG_WAIT_MAX, tenants.wait_for(fits)).await else {
            warn!(config.sequence = config_sequence, "left a turn to the sweeper: its tenant config is not here yet");
            return None;
        };
        let chatbot = snapshot.find_chatbot(merchant, &turn.chatbot)?;
        let (question, attempts, answer_sequence) = (turn.question.clone(), turn.attempts, turn.answer_sequence?);
        let announcer = Announcer::new(Arc::clone(&self.bus), merchant, turn, answer_sequence, dispatch, traceparent);
        Some(Task { announcer, chatbot, question, attempts })
    }

    async fn attempt(&self, merchant: MerchantId, task: Task) -> Result<(), AttemptError> {
        let Task { announcer, chatbot, question, attempts } = task;
        announcer.started().await?;
        if attempts >= ATTEMPTS_MAX {
            let answer =
                Answer { text: texts::failure(chatbot.language).to_owned(), failed: true, ..Answer::default() };
            return Ok(announcer.ended(answer).await?);
        }
        announcer.log("searching").await?;
        let answer = match evidence::find(&self.database, merchant, &chatbot, &question).await? {
            Found::Evidence { language, evidence } => {
                announcer.log("writing").await?;
                let asked = ModelQuestion { text: question, language, evidence: evidence.clone() };
                let text = self.stream(&announcer, asked).await?;
                Answer { sources: cited_sources(&text, &evidence), text, refused: false, failed: false }
            }
            Found::Greeting { text } => Answer { text, ..Answer::default() },
            Found::Nothing { language } => {
                Answer { text: texts::refusal(language).to_owned(), refused: true, ..Answer::default() }
            }
        };
        self.metrics.answered(answer.refused);
        Ok(announcer.ended(answer).await?)
    }

    async fn stream(&self, announcer: &Announcer, question: ModelQuestion) -> Result<String, AttemptError> {
        let first_token = self.metrics.first_token_timer();
        let mut first_token = Some(first_token);
        let mut deltas = Deltas::new(self.model.answer(question));
        while let Some(delta) = deltas.next().await? {
            announcer.delta(delta).await?;
            if let Some(timer) = first_token.take() {
                timer.observe_duration();
            }
        }
        Ok(deltas.into_text())
    }
}

#[derive(Debug, thiserror::Error)]
enum AttemptError {
    #[error("failed to announce the attempt")]
    Announce(#[from] AnnounceError),
    #[error("failed to retrieve evidence")]
    Evidence(#[from] vitrine_database::StoreError),
    #[error("failed to read the model's answer")]
    Model(#[from] crate::model::ModelError),
}
