//! What the database says about a thread: the truth that the hub's memory is a view on.

use futures::future::BoxFuture;
use vitrine_database::{Database, StoreError};
use vitrine_domain::{MerchantId, MessageId, ThreadId, ThreadState, TurnId, VisitorId};

use crate::store::messages::{self, StoredMessage};
use crate::store::turns::{self, OpenTurns};
use crate::store::{threads, turns::OpenTurn};

/// A thread of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreadOf {
    pub merchant: MerchantId,
    pub thread: ThreadId,
    pub visitor: VisitorId,
}

/// A thread at one moment.
#[derive(Clone, Debug)]
pub struct ThreadNow {
    pub state: ThreadState,
    /// The highest sequence that was given out.
    pub last_sequence: i64,
    pub open: OpenTurns,
    /// Stored messages after the point that was asked for, oldest first.
    pub messages: Vec<StoredMessage>,
    pub last_answer: Option<LastAnswer>,
}

/// The newest stored answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastAnswer {
    pub message: MessageId,
    pub sequence: i64,
    pub is_closing: bool,
}

impl ThreadNow {
    /// Whether anything is to be expected on a stream.
    pub fn is_idle(&self) -> bool {
        matches!(self.state, ThreadState::Bot | ThreadState::Closed)
            && self.open.dispatched.is_none()
            && self.open.queued.is_none()
    }

    /// The sequence of the answer that is being written.
    pub fn pending_sequence(&self) -> Option<i64> {
        self.open.dispatched.as_ref().and_then(|turn: &OpenTurn| turn.answer_sequence)
    }
}

/// Reads threads and answers.
pub trait StoredThreads: Send + Sync + 'static {
    /// A thread of this visitor, with its messages after a sequence (none without one).
    fn thread(&self, of: ThreadOf, after: Option<i64>) -> BoxFuture<'_, Result<Option<ThreadNow>, StoreError>>;

    /// The stored answer of a turn.
    fn answer(&self, merchant: MerchantId, turn: TurnId) -> BoxFuture<'_, Result<Option<StoredMessage>, StoreError>>;

    /// Whether a thread has a turn that is not closed.
    fn has_open_turn(&self, merchant: MerchantId, thread: ThreadId) -> BoxFuture<'_, Result<bool, StoreError>>;
}

/// How far back the newest answer is looked for. Behind an idle thread's answer only the visitor's own words stand.
const NEWEST_MAX: usize = 20;

impl StoredThreads for Database {
    fn thread(&self, of: ThreadOf, after: Option<i64>) -> BoxFuture<'_, Result<Option<ThreadNow>, StoreError>> {
        Box::pin(async move {
            let mut transaction = self.tenant(of.merchant).await?;
            let Some(thread) = threads::find(&mut transaction, of.thread, of.visitor).await? else { return Ok(None) };
            // Turns before messages: an answer that is stored in between is then simply there.
            let open = turns::open(&mut transaction, of.thread).await?;
            let messages = match after {
                Some(sequence) => messages::after(&mut transaction, of.thread, sequence).await?,
                None => Vec::new(),
            };
            let newest = if open.dispatched.is_none() && open.queued.is_none() {
                messages::list(&mut transaction, of.thread, None, NEWEST_MAX).await?
            } else {
                Vec::new()
            };
            transaction.commit().await?;
            let last_answer = newest.iter().find(|message| message.role != vitrine_domain::Role::Human).map(|answer| {
                LastAnswer { message: answer.message, sequence: answer.sequence, is_closing: answer.is_closing }
            });
            Ok(Some(ThreadNow {
                state: thread.state,
                last_sequence: thread.last_sequence,
                open,
                messages,
                last_answer,
            }))
        })
    }

    fn answer(&self, merchant: MerchantId, turn: TurnId) -> BoxFuture<'_, Result<Option<StoredMessage>, StoreError>> {
        Box::pin(async move {
            let mut transaction = self.tenant(merchant).await?;
            let answer = messages::answer(&mut transaction, turn).await?;
            transaction.commit().await?;
            Ok(answer)
        })
    }

    fn has_open_turn(&self, merchant: MerchantId, thread: ThreadId) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move {
            let mut transaction = self.tenant(merchant).await?;
            let open = turns::open(&mut transaction, thread).await?;
            transaction.commit().await?;
            Ok(open.dispatched.is_some() || open.queued.is_some())
        })
    }
}
