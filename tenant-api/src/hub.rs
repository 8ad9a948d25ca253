//! Follows the answers that are being written and hands them to open streams and waiting calls.
//!
//! The hub reads every thread event of the bus, keeps one [`vitrine_domain::Fold`] for each unfinished answer, and
//! writes what changes into a list that all readers of the thread share. It is a view: what is stored is the truth, a
//! reader that is cut off resumes from there, and nothing is lost when the hub forgets.

mod channel;
mod frame;
mod log;
mod pump;
mod reader;
mod stored;
mod stream;
mod threads;
mod wait;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use vitrine_domain::{MerchantId, ThreadEvent, ThreadId};

use channel::{Channel, Next, Stored, Unfinished};
use reader::Reader;
pub use stored::{LastAnswer, StoredThreads, ThreadNow, ThreadOf};
pub use stream::ThreadStream;
pub use threads::HubSettings;
use threads::Threads;
pub use wait::AnswerWait;

/// Tries at reading an answer that the events did not tell, before the thread's readers are sent to fetch it
/// themselves.
const READS_MAX: u32 = 5;
const READ_PAUSE: Duration = Duration::from_millis(100);

/// The hub of one process. A clone is the same one.
#[derive(Clone)]
pub struct Hub {
    inner: Arc<Inner>,
}

struct Inner {
    threads: Mutex<Threads>,
    stored: Arc<dyn StoredThreads>,
    phase: watch::Sender<Phase>,
}

/// How far the hub is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Events of answers that are being written may not have been read yet.
    CatchingUp,
    Live,
    /// The process stops: streams end and no new one begins.
    Closing,
}

/// The hub is closing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Closed;

impl Hub {
    pub fn new(stored: Arc<dyn StoredThreads>, settings: HubSettings) -> Self {
        let threads = Mutex::new(Threads::new(settings));
        Self { inner: Arc::new(Inner { threads, stored, phase: watch::Sender::new(Phase::CatchingUp) }) }
    }

    /// Takes one event of a thread.
    pub fn take(&self, merchant: MerchantId, event: ThreadEvent) {
        let thread = event.thread;
        let mut threads = self.threads();
        let channel = threads.find_or_add(merchant, thread);
        if channel.merchant != merchant {
            tracing::warn!(thread.id = %thread, merchant.id = %merchant, "ignored an event of a thread of another merchant");
            return;
        }
        let mut state = channel.lock();
        let next = state.apply(event);
        let has_readers = state.readers() > 0;
        drop(state);
        threads.settle(thread);
        drop(threads);
        if has_readers {
            channel.ring();
        }
        self.follow_up(thread, channel, next);
    }

    /// From now on streams are served live.
    pub fn caught_up(&self) {
        self.inner.phase.send_if_modified(|phase| {
            let was_catching_up = *phase == Phase::CatchingUp;
            if was_catching_up {
                *phase = Phase::Live;
            }
            was_catching_up
        });
    }

    /// Ends every stream and every wait, for good.
    pub fn close(&self) {
        let mut threads = self.threads();
        self.inner.phase.send_replace(Phase::Closing);
        threads.clear();
    }

    /// A reader of everything from now on, and the unfinished answer so far.
    fn attach(&self, merchant: MerchantId, thread: ThreadId) -> Result<(Reader, Option<Unfinished>), Closed> {
        let mut threads = self.threads();
        if *self.inner.phase.borrow() == Phase::Closing {
            return Err(Closed);
        }
        let channel = threads.find_or_add(merchant, thread);
        if channel.merchant != merchant {
            return Err(Closed);
        }
        let mut state = channel.lock();
        let unfinished = state.unfinished();
        let cursor = state.attach();
        drop(state);
        drop(threads);
        Ok((Reader::new(self.clone(), thread, channel, cursor), unfinished))
    }

    fn follow_up(&self, thread: ThreadId, channel: Arc<Channel>, next: Next) {
        match next {
            Next::Nothing => {}
            Next::ReadAnswer(stored) => {
                tokio::spawn(self.clone().read_answer(thread, channel, stored));
            }
            Next::LookForMore => {
                tokio::spawn(self.clone().look_for_more(thread, channel));
            }
        }
    }

    /// Reads an answer that was stored without the hub knowing its text.
    async fn read_answer(self, thread: ThreadId, channel: Arc<Channel>, stored: Stored) {
        let mut answer = None;
        for read in 1..=READS_MAX {
            match self.inner.stored.answer(channel.merchant, stored.turn).await {
                Ok(found) => {
                    answer = found;
                    break;
                }
                Err(error) => {
                    tracing::warn!(thread.id = %thread, read, error = %error, "failed to read a stored answer for its readers");
                    tokio::time::sleep(READ_PAUSE * read).await;
                }
            }
        }
        let next = channel.lock().resume(stored, answer.as_ref());
        channel.ring();
        self.threads().settle(thread);
        for next in next {
            self.follow_up(thread, Arc::clone(&channel), next);
        }
    }

    /// Ends the thread's streams when no further answer is to be expected.
    async fn look_for_more(self, thread: ThreadId, channel: Arc<Channel>) {
        match self.inner.stored.has_open_turn(channel.merchant, thread).await {
            Ok(true) => {}
            Ok(false) => {
                channel.lock().close_if_idle();
                channel.ring();
            }
            Err(error) => {
                tracing::warn!(thread.id = %thread, error = %error, "failed to see whether an answer is to be expected");
            }
        }
    }

    fn threads(&self) -> MutexGuard<'_, Threads> {
        self.inner.threads.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
