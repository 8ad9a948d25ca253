//! How many transactions of one merchant this replica lets wait for the merchant's row, so that one merchant cannot
//! take all connections.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use vitrine_domain::MerchantId;
use vitrine_domain::limits::MERCHANT_WAITERS_MAX;

#[derive(Clone, Default)]
pub(super) struct Waiters {
    waiting: Arc<Mutex<HashMap<MerchantId, usize>>>,
}

/// One transaction that waits; dropped, it waits no more.
pub(super) struct Waiting {
    waiters: Waiters,
    merchant: MerchantId,
}

impl Waiters {
    /// `None` when as many wait already as may.
    pub(super) fn enter(&self, merchant: MerchantId) -> Option<Waiting> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let count = waiting.entry(merchant).or_default();
        if *count == MERCHANT_WAITERS_MAX {
            return None;
        }
        *count += 1;
        Some(Waiting { waiters: self.clone(), merchant })
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut waiting = self.waiters.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = waiting.get_mut(&self.merchant) {
            *count -= 1;
            if *count == 0 {
                waiting.remove(&self.merchant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn one_merchant_is_refused_at_its_limit_and_no_other() {
        let waiters = Waiters::default();
        let (noisy, quiet) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let mut waiting: Vec<Waiting> = (0..MERCHANT_WAITERS_MAX).filter_map(|_| waiters.enter(noisy)).collect();
        assert_eq!(waiting.len(), MERCHANT_WAITERS_MAX);
        assert!(waiters.enter(noisy).is_none());
        assert!(waiters.enter(quiet).is_some());

        waiting.pop();
        waiting.extend(waiters.enter(noisy));
        assert_eq!(waiting.len(), MERCHANT_WAITERS_MAX);
    }

    #[test]
    fn a_merchant_without_waiters_takes_no_memory() {
        let waiters = Waiters::default();
        drop(waiters.enter(Uuid::from_u128(1).into()));
        assert!(waiters.waiting.lock().unwrap().is_empty());
    }
}
