//! A call that waits for its answer.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};
use vitrine_database::StoreError;
use vitrine_domain::{MerchantId, ThreadId, TurnId};

use super::Hub;
use super::frame::Frame;
use super::reader::Reader;
use crate::store::messages::StoredMessage;

/// How often the row is looked at while nothing is heard: the bus may be away.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Waits for answers of one thread. Made before the question is accepted, it misses none.
pub struct AnswerWait {
    hub: Hub,
    merchant: MerchantId,
    /// `None` when the hub closes: then only the row is looked at.
    reader: Option<Reader>,
}

impl Hub {
    pub fn wait(&self, merchant: MerchantId, thread: ThreadId) -> AnswerWait {
        let reader = self.attach(merchant, thread).ok().map(|(reader, _)| reader);
        AnswerWait { hub: self.clone(), merchant, reader }
    }
}

impl AnswerWait {
    /// The stored answer of the turn, or `None` if there is none after `wait_max`.
    pub async fn answer(mut self, turn: TurnId, wait_max: Duration) -> Result<Option<StoredMessage>, StoreError> {
        let deadline = Instant::now() + wait_max;
        loop {
            let Some(reader) = &mut self.reader else { return self.look(turn).await };
            let look_at = deadline.min(Instant::now() + LOOK_EVERY);
            let is_worth_a_look = match timeout_at(look_at, reader.next()).await {
                Ok(Ok(frames)) => {
                    frames.iter().any(|frame| matches!(frame, Frame::Stored { turn: stored, .. } if *stored == turn))
                }
                Ok(Err(_)) => {
                    self.reader = None;
                    continue;
                }
                Err(_) => true,
            };
            if is_worth_a_look && let Some(answer) = self.look(turn).await? {
                return Ok(Some(answer));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
        }
    }

    /// The stored answer, if it is there now.
    pub async fn look(&self, turn: TurnId) -> Result<Option<StoredMessage>, StoreError> {
        self.hub.inner.stored.answer(self.merchant, turn).await
    }
}
