//! From a request on the bus to an END: the handler of chat requests.
//!
//! Nothing is retried in here once an attempt was announced: the sweeper of tenant-api dispatches an overdue turn again,
//! and counts how often. Handling is idempotent: a request that comes again finds its turn closed and does nothing, or
//! begins an attempt of its own, of which the first END is stored.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::{info, instrument, warn};
use vitrine_bus::{Bus, Delivery, Handler, Outcome};
use vitrine_database::{Database, StoreError};
use vitrine_domain::limits::ATTEMPTS_MAX;
use vitrine_domain::{Answer, ChatRequested, Envelope, MerchantId, texts};
use vitrine_service::clock;
use vitrine_tenant_config::{TenantChatbot, Tenants, TenantsReceiver};

use crate::announce::{AnnounceError, Announcer};
use crate::deltas::Deltas;
use crate::evidence::{self, Found};
use crate::metrics::Metrics;
use crate::model::{Model, ModelQuestion, cited_sources};
use crate::turn;

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

/// One attempt, once everything it needs was found.
struct Task {
    announcer: Announcer,
    plan: Plan,
}

/// What an attempt will say, as far as the merchant's knowledge decides it.
enum Plan {
    /// Stream a model's answer from this evidence.
    Ask { question: ModelQuestion },
    /// Nothing has to be written for it.
    Say(Answer),
}

impl Answering {
    #[instrument(name = "turn", skip_all, fields(merchant.id = %envelope.merchant, turn.id))]
    async fn request(&self, envelope: Envelope<ChatRequested>) -> Outcome {
        let ChatRequested::ChatRequested { turn, deadline_at, .. } = &envelope.body;
        tracing::Span::current().record("turn.id", tracing::field::display(turn));
        let Ok(remaining) = Duration::try_from(*deadline_at - clock::now()) else {
            info!("left a turn to the sweeper: its deadline has passed");
            return Outcome::Done;
        };
        let deadline = Instant::now() + remaining;
        let task = match self.prepare(envelope).await {
            Ok(Some(task)) => task,
            Ok(None) => return Outcome::Done,
            // Nothing was announced yet, so that this waits on the bus until the database is back or the deadline passed.
            Err(error) => return Outcome::Retry { reason: error.to_string(), after: RETRY_AFTER },
        };

        let attempt = task.announcer.attempt();
        let timer = self.metrics.turn_timer();
        match timeout_at(deadline, self.attempt(task)).await {
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

    /// Reads all an attempt needs from the database. `None` when there is nothing to do, or the turn is left to the
    /// sweeper.
    async fn prepare(&self, envelope: Envelope<ChatRequested>) -> Result<Option<Task>, StoreError> {
        let Envelope { merchant, traceparent, body, .. } = envelope;
        let ChatRequested::ChatRequested { turn, dispatch, config_sequence, .. } = body;
        let Some(turn) = turn::find(&self.database, merchant, turn).await? else { return Ok(None) };
        let Some(answer_sequence) = turn.answer_sequence else { return Ok(None) };
        if !turn.state.is_open() || dispatch < turn.dispatches {
            return Ok(None);
        }
        let Some(chatbot) = self.chatbot(merchant, &turn.chatbot, config_sequence).await else { return Ok(None) };

        let plan = if turn.attempts >= ATTEMPTS_MAX {
            let text = texts::failure(chatbot.language).to_owned();
            Plan::Say(Answer { text, failed: true, ..Answer::default() })
        } else {
            match evidence::find(&self.database, merchant, &chatbot, &turn.question).await? {
                Found::Evidence { language, evidence } => {
                    Plan::Ask { question: ModelQuestion { text: turn.question.clone(), language, evidence } }
                }
                Found::Greeting { text } => Plan::Say(Answer { text, ..Answer::default() }),
                Found::Nothing { language } => {
                    let text = texts::refusal(language).to_owned();
                    Plan::Say(Answer { text, refused: true, ..Answer::default() })
                }
            }
        };
        let announcer = Announcer::new(Arc::clone(&self.bus), merchant, turn, answer_sequence, dispatch, traceparent);
        Ok(Some(Task { announcer, plan }))
    }

    /// Waits until this runtime has the config the turn was dispatched under.
    async fn chatbot(&self, merchant: MerchantId, chatbot: &str, config_sequence: u64) -> Option<TenantChatbot> {
        let mut tenants = self.tenants.clone();
        let fits = |tenants: &Arc<Tenants>| tenants.sequence(merchant).is_some_and(|have| have >= config_sequence);
        let Ok(Ok(snapshot)) = timeout(CONFIG_WAIT_MAX, tenants.wait_for(fits)).await else {
            warn!(config.sequence = config_sequence, "left a turn to the sweeper: its tenant config is not here yet");
            return None;
        };
        snapshot.find_chatbot(merchant, chatbot)
    }

    async fn attempt(&self, Task { announcer, plan }: Task) -> Result<(), AttemptError> {
        announcer.started().await?;
        let answer = match plan {
            Plan::Say(answer) => answer,
            Plan::Ask { question } => {
                announcer.log("writing").await?;
                let evidence = question.evidence.clone();
                let text = self.stream(&announcer, question).await?;
                Answer { sources: cited_sources(&text, &evidence), text, refused: false, failed: false }
            }
        };
        self.metrics.answered(&answer);
        Ok(announcer.ended(answer).await?)
    }

    async fn stream(&self, announcer: &Announcer, question: ModelQuestion) -> Result<String, AttemptError> {
        let mut first_token = Some(self.metrics.first_token_timer());
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
    #[error("failed to read the model's answer")]
    Model(#[from] crate::model::ModelError),
}
