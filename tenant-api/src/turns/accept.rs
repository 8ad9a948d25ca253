//! Accepting a shopper's message: one transaction that stores it with its turn, its idempotency key and the request.

use std::time::Duration;

use vitrine_database::{Database, StoreError, TenantTransaction};
use vitrine_domain::limits::MESSAGES_PER_TURN_MAX;
use vitrine_domain::{MerchantId, MessageId, ThreadId, ThreadState, TurnId, VisitorId};

use super::TurnMetrics;
use super::waiters::Waiters;
use crate::outbox::Outbox;
use crate::store::messages::Question;
use crate::store::{idempotency, merchants, messages, threads, turns};

/// What a sender does well to wait while other messages of the merchant are being accepted.
const RETRY_AFTER_WAITERS: Duration = Duration::from_secs(1);

/// A shopper's message, with the ids it and its turn get if it is accepted.
#[derive(Clone, Debug)]
pub struct Accept {
    pub merchant: MerchantId,
    /// The config in force.
    pub config_sequence: u64,
    pub limits: Limits,
    pub thread: ThreadId,
    pub visitor: VisitorId,
    pub message: MessageId,
    /// Not used when the message joins a queued turn.
    pub turn: TurnId,
    pub text: String,
    pub idempotency: Option<Idempotency>,
}

/// What the merchant's config allows; both at least 1.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub messages_per_minute: u32,
    pub concurrent_answers: u32,
}

/// The key of a request that may be repeated.
#[derive(Clone, Debug)]
pub struct Idempotency {
    pub key: String,
    pub route: String,
    /// SHA-256 of the body.
    pub body_hash: [u8; 32],
}

/// A message that is stored, now or by an earlier request with the same key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The turn that answers it.
    pub turn: TurnId,
    pub question: MessageId,
    pub question_sequence: i64,
    pub thread_state: ThreadState,
    /// An earlier request did it.
    pub replayed: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum AcceptError {
    #[error("failed to find the thread")]
    ThreadNotFound,
    #[error("failed to ask in a thread that is {}", .0.as_str())]
    ThreadNotOpen(ThreadState),
    #[error("failed to accept: too many messages of the merchant are being accepted")]
    TooManyWaiting { retry_after: Duration },
    #[error("failed to accept: the merchant's messages of this minute are used up")]
    RateLimited { retry_after: Duration },
    #[error("failed to accept: the thread's next question holds as many messages as it may")]
    TurnFull,
    #[error("failed to accept: the idempotency key came with another body")]
    IdempotencyMismatch,
    #[error("failed to accept: too much waits to be put on the bus")]
    Backlog,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Accepts messages. A clone is the same one.
#[derive(Clone)]
pub struct Turns {
    api: Database,
    outbox: Outbox,
    metrics: TurnMetrics,
    waiters: Waiters,
}

impl Turns {
    /// `api` works as [`vitrine_database::Role::Api`].
    pub fn new(api: Database, outbox: Outbox, metrics: TurnMetrics) -> Self {
        Self { api, outbox, metrics, waiters: Waiters::default() }
    }

    /// Stores the message and queues or joins its turn, or finds what an earlier request with the same key did. When
    /// this returns, the message survives anything.
    pub async fn accept(&self, accept: Accept) -> Result<Accepted, AcceptError> {
        let result = self.accept_in_transaction(&accept).await;
        match &result {
            Ok(accepted) if accepted.replayed => {}
            Ok(_) => self.metrics.count_accepted(),
            Err(error) => self.metrics.count_refused(error),
        }
        result
    }

    async fn accept_in_transaction(&self, accept: &Accept) -> Result<Accepted, AcceptError> {
        let Some(waiting) = self.waiters.enter(accept.merchant) else {
            return Err(AcceptError::TooManyWaiting { retry_after: RETRY_AFTER_WAITERS });
        };
        let mut transaction = self.api.tenant(accept.merchant).await?;
        merchants::lock_or_add(&mut transaction).await?;
        drop(waiting);

        if let Some(earlier) = find_earlier(&mut transaction, accept).await? {
            return Ok(earlier);
        }
        // After the look for an earlier request: a retry of what is stored is never turned away.
        if self.outbox.is_full() {
            return Err(AcceptError::Backlog);
        }
        if let Some(retry_after) = merchants::take_message(&mut transaction, accept.limits.messages_per_minute).await? {
            return Err(AcceptError::RateLimited { retry_after });
        }

        let (question_sequence, thread_state) = threads::take_sequence(&mut transaction, accept.thread, accept.visitor)
            .await?
            .ok_or(AcceptError::ThreadNotFound)?;
        if thread_state != ThreadState::Bot {
            return Err(AcceptError::ThreadNotOpen(thread_state));
        }
        let turn = join_or_queue(&mut transaction, accept).await?;
        store(&mut transaction, accept, turn, question_sequence).await?;
        let rows = turns::dispatch(&mut transaction, accept.limits.concurrent_answers, accept.config_sequence).await?;
        transaction.commit().await?;

        self.outbox.publish(rows);
        Ok(Accepted { turn, question: accept.message, question_sequence, thread_state, replayed: false })
    }
}

/// What an earlier request with the same key did.
async fn find_earlier(transaction: &mut TenantTransaction, accept: &Accept) -> Result<Option<Accepted>, AcceptError> {
    let Some(Idempotency { key, route, body_hash }) = &accept.idempotency else { return Ok(None) };
    let scope = idempotency::Scope { visitor: accept.visitor, route, key };
    let Some(known) = idempotency::find(transaction, &scope).await? else { return Ok(None) };
    if known.body_hash != body_hash {
        return Err(AcceptError::IdempotencyMismatch);
    }
    Ok(Some(Accepted {
        turn: known.turn,
        question: known.message,
        question_sequence: known.sequence,
        thread_state: known.thread_state,
        replayed: true,
    }))
}

/// The turn that will answer the message: the thread's queued one, or a new one.
async fn join_or_queue(transaction: &mut TenantTransaction, accept: &Accept) -> Result<TurnId, AcceptError> {
    match turns::find_queued(transaction, accept.thread).await? {
        Some(queued) if queued.messages >= MESSAGES_PER_TURN_MAX => Err(AcceptError::TurnFull),
        Some(queued) => Ok(queued.turn),
        None => {
            turns::add(transaction, accept.turn, accept.thread, accept.config_sequence).await?;
            Ok(accept.turn)
        }
    }
}

async fn store(
    transaction: &mut TenantTransaction,
    accept: &Accept,
    turn: TurnId,
    sequence: i64,
) -> Result<(), StoreError> {
    let question = Question { message: accept.message, turn, thread: accept.thread, sequence, text: &accept.text };
    messages::add_question(transaction, &question).await?;
    if let Some(Idempotency { key, route, body_hash }) = &accept.idempotency {
        let scope = idempotency::Scope { visitor: accept.visitor, route, key };
        idempotency::put(transaction, &scope, body_hash, accept.message, turn).await?;
    }
    Ok(())
}
