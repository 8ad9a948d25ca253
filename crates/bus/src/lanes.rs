//! Order per key, keys side by side.

use std::collections::{HashMap, VecDeque};

/// One lane per key with something running; what comes meanwhile waits behind it.
#[derive(Debug)]
pub(crate) struct Lanes<T> {
    waiting: HashMap<String, VecDeque<T>>,
    length: usize,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self { waiting: HashMap::new(), length: 0 }
    }
}

impl<T> Lanes<T> {
    /// Gives the item back when it is to start now.
    pub(crate) fn enter(&mut self, key: &str, item: T) -> Option<T> {
        self.length += 1;
        if let Some(lane) = self.waiting.get_mut(key) {
            lane.push_back(item);
            return None;
        }
        self.waiting.insert(key.to_owned(), VecDeque::new());
        Some(item)
    }

    /// The key's running item has ended. Gives the one that is to start now.
    pub(crate) fn leave(&mut self, key: &str) -> Option<T> {
        let lane = self.waiting.get_mut(key)?;
        self.length -= 1;
        let next = lane.pop_front();
        if next.is_none() {
            self.waiting.remove(key);
        }
        next
    }

    /// The key's running item was given up, so whatever waits behind it cannot come either.
    pub(crate) fn give_up(&mut self, key: &str) {
        if let Some(lane) = self.waiting.remove(key) {
            self.length -= lane.len() + 1;
        }
    }

    /// Items running and waiting.
    pub(crate) fn len(&self) -> usize {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_a_key_start_one_after_the_other() {
        let mut lanes = Lanes::default();
        assert_eq!(lanes.enter("a", 1), Some(1));
        assert_eq!(lanes.enter("a", 2), None);
        assert_eq!(lanes.enter("b", 3), Some(3));
        assert_eq!(lanes.len(), 3);
        assert_eq!(lanes.leave("a"), Some(2));
        assert_eq!(lanes.leave("a"), None);
        assert_eq!(lanes.enter("a", 4), Some(4));
        assert_eq!(lanes.len(), 2);
    }

    #[test]
    fn giving_up_a_key_forgets_what_waits_behind_it_and_nothing_else() {
        let mut lanes = Lanes::default();
        for (key, item) in [("a", 1), ("a", 2), ("b", 3), ("b", 4)] {
            lanes.enter(key, item);
        }
        lanes.give_up("a");
        assert_eq!(lanes.len(), 2);
        assert_eq!(lanes.leave("b"), Some(4));
    }
}
