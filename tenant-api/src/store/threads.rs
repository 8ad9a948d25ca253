//! Threads: one conversation of one visitor with one chatbot.

use jiff::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;
use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::{LeadId, ThreadId, ThreadState, VisitorId};

use super::word;

#[derive(Clone, Debug)]
pub struct NewThread {
    pub thread: ThreadId,
    pub visitor: VisitorId,
    /// Name of the chatbot in the tenant config.
    pub chatbot: String,
    pub agent_namespace: String,
    /// A lead of the same visitor; it must exist.
    pub lead: Option<LeadId>,
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub thread: ThreadId,
    pub visitor: VisitorId,
    pub chatbot: String,
    pub agent_namespace: String,
    pub lead: Option<LeadId>,
    pub state: ThreadState,
    /// The highest sequence given to a message; the answer being written has one, too.
    pub last_sequence: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Adds a thread in state `bot` without messages.
pub async fn create(transaction: &mut TenantTransaction, new: NewThread) -> Result<Thread, StoreError> {
    let row: ThreadRow = sqlx::query_as(
        r"
        INSERT INTO threads (merchant_id, thread_id, visitor_id, chatbot, agent_namespace, lead_id)
        VALUES ($1, $2, $3, $4, $5, $6)
        RETURNING thread_id, visitor_id, chatbot, agent_namespace, lead_id, state, last_sequence, created_at, updated_at
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(new.thread.as_uuid())
    .bind(new.visitor.as_uuid())
    .bind(new.chatbot)
    .bind(new.agent_namespace)
    .bind(new.lead.map(|lead| lead.as_uuid()))
    .fetch_one(transaction.connection())
    .await
    .map_err(StoreError::during("add a thread"))?;
    row.try_into()
}

/// Finds a thread of this visitor.
pub async fn find(
    transaction: &mut TenantTransaction,
    thread: ThreadId,
    visitor: VisitorId,
) -> Result<Option<Thread>, StoreError> {
    let row: Option<ThreadRow> = sqlx::query_as(
        r"
        SELECT thread_id, visitor_id, chatbot, agent_namespace, lead_id, state, last_sequence, created_at, updated_at
          FROM threads
         WHERE merchant_id = $1
           AND thread_id = $2
           AND visitor_id = $3
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(thread.as_uuid())
    .bind(visitor.as_uuid())
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("find a thread"))?;
    row.map(Thread::try_from).transpose()
}

/// The next sequence of a thread of this visitor, and the thread's state. To be called under the merchant's lock.
pub(crate) async fn take_sequence(
    transaction: &mut TenantTransaction,
    thread: ThreadId,
    visitor: VisitorId,
) -> Result<Option<(i64, ThreadState)>, StoreError> {
    let row: Option<(i64, String)> = sqlx::query_as(
        r"
        UPDATE threads
           SET last_sequence = last_sequence + 1, updated_at = clock_timestamp()
         WHERE merchant_id = $1
           AND thread_id = $2
           AND visitor_id = $3
        RETURNING last_sequence, state
        ",
    )
    .bind(transaction.merchant().as_uuid())
    .bind(thread.as_uuid())
    .bind(visitor.as_uuid())
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("give a message its sequence"))?;
    row.map(|(sequence, state)| Ok((sequence, word(&state)?))).transpose()
}

#[derive(FromRow)]
struct ThreadRow {
    thread_id: Uuid,
    visitor_id: Uuid,
    chatbot: String,
    agent_namespace: String,
    lead_id: Option<Uuid>,
    state: String,
    last_sequence: i64,
    created_at: jiff_sqlx::Timestamp,
    updated_at: jiff_sqlx::Timestamp,
}

impl TryFrom<ThreadRow> for Thread {
    type Error = StoreError;

    fn try_from(row: ThreadRow) -> Result<Self, StoreError> {
        Ok(Self {
            thread: row.thread_id.into(),
            visitor: row.visitor_id.into(),
            chatbot: row.chatbot,
            agent_namespace: row.agent_namespace,
            lead: row.lead_id.map(LeadId::new),
            state: word(&row.state)?,
            last_sequence: row.last_sequence,
            created_at: row.created_at.to_jiff(),
            updated_at: row.updated_at.to_jiff(),
        })
    }
}
