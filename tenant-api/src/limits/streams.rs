//! How many streams may be open at once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use vitrine_domain::{MerchantId, VisitorId};

use crate::problem::{Code, Problem};

/// When a refused stream may be tried again.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Open streams of one replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamSettings {
    pub per_visitor_max: u32,
    pub per_chatbot_max: u32,
    pub per_process_max: u32,
}

impl Default for StreamSettings {
    fn default() -> Self {
        Self { per_visitor_max: 6, per_chatbot_max: 8_000, per_process_max: 16_000 }
    }
}

/// Counts open streams.
#[derive(Debug)]
pub struct StreamLimits {
    settings: StreamSettings,
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    all: u32,
    by_visitor: HashMap<VisitorId, u32>,
    by_chatbot: HashMap<(MerchantId, String), u32>,
}

/// Permission for one stream; dropping it gives the place back.
#[derive(Debug)]
pub struct StreamPermit {
    limits: Arc<StreamLimits>,
    visitor: VisitorId,
    chatbot: (MerchantId, String),
}

impl StreamLimits {
    pub fn new(settings: StreamSettings) -> Arc<Self> {
        Arc::new(Self { settings, open: Mutex::default() })
    }

    /// A place for one more stream of the visitor.
    pub fn open(
        self: &Arc<Self>,
        merchant: MerchantId,
        chatbot: &str,
        visitor: VisitorId,
    ) -> Result<StreamPermit, Problem> {
        let StreamSettings { per_visitor_max, per_chatbot_max, per_process_max } = self.settings;
        let chatbot = (merchant, chatbot.to_owned());
        let mut open = self.lock();
        let is_full = open.all >= per_process_max
            || open.by_visitor.get(&visitor).is_some_and(|count| *count >= per_visitor_max)
            || open.by_chatbot.get(&chatbot).is_some_and(|count| *count >= per_chatbot_max);
        if is_full {
            return Err(Problem::new(Code::RateLimited, "too many open streams").with_retry_after(RETRY_AFTER));
        }
        open.all += 1;
        *open.by_visitor.entry(visitor).or_default() += 1;
        *open.by_chatbot.entry(chatbot.clone()).or_default() += 1;
        drop(open);
        Ok(StreamPermit { limits: Arc::clone(self), visitor, chatbot })
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.limits.lock();
        open.all = open.all.saturating_sub(1);
        give_back(&mut open.by_visitor, &self.visitor);
        give_back(&mut open.by_chatbot, &self.chatbot);
    }
}

fn give_back<K: Hash + Eq>(counts: &mut HashMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn each_limit_holds_and_a_closed_stream_gives_its_place_back() {
        let limits = StreamLimits::new(StreamSettings { per_visitor_max: 2, per_chatbot_max: 3, per_process_max: 4 });
        let (merchant, other): (MerchantId, MerchantId) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let visitor = |number: u128| VisitorId::new(Uuid::from_u128(number));

        let first = limits.open(merchant, "a", visitor(1)).unwrap();
        let second = limits.open(merchant, "a", visitor(1)).unwrap();
        assert!(limits.open(merchant, "a", visitor(1)).is_err(), "a third of the visitor");
        let third = limits.open(merchant, "a", visitor(2)).unwrap();
        assert!(limits.open(merchant, "a", visitor(3)).is_err(), "a fourth of the chatbot");
        let fourth = limits.open(other, "a", visitor(4)).unwrap();
        assert!(limits.open(other, "b", visitor(5)).is_err(), "a fifth of the process");

        drop(first);
        let again = limits.open(merchant, "a", visitor(1)).unwrap();
        drop((again, second, third, fourth));
        let open = limits.lock();
        assert!(open.all == 0 && open.by_visitor.is_empty() && open.by_chatbot.is_empty(), "{open:?}");
    }
}
