//! All threads the hub follows, within bounds.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use vitrine_domain::{MerchantId, ThreadId};

use super::channel::Channel;

/// Bounds of the hub's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HubSettings {
    pub threads_max: usize,
    pub bytes_max: usize,
    /// An unfinished answer is forgotten after this long without an event: nobody writes it any more.
    pub silence_max: Duration,
}

impl Default for HubSettings {
    fn default() -> Self {
        Self { threads_max: 50_000, bytes_max: 128 * 1024 * 1024, silence_max: Duration::from_mins(15) }
    }
}

/// Channels by thread. Above a bound the oldest go first: their readers are cut off and resume from the database, and
/// what is written meanwhile reaches them when it is stored.
#[derive(Debug)]
pub struct Threads {
    settings: HubSettings,
    channels: HashMap<ThreadId, Place>,
    /// In the order they came; some may have gone.
    order: VecDeque<(u64, ThreadId)>,
    born: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Place {
    channel: Arc<Channel>,
    born: u64,
    /// Its part of `bytes`.
    weight: usize,
}

impl Threads {
    pub fn new(settings: HubSettings) -> Self {
        Self { settings, channels: HashMap::new(), order: VecDeque::new(), born: 0, bytes: 0 }
    }

    pub fn find_or_add(&mut self, merchant: MerchantId, thread: ThreadId) -> Arc<Channel> {
        if let Some(place) = self.channels.get(&thread) {
            return Arc::clone(&place.channel);
        }
        while self.channels.len() >= self.settings.threads_max {
            self.evict_oldest();
        }
        let channel = Arc::new(Channel::new(merchant));
        self.born += 1;
        self.channels.insert(thread, Place { channel: Arc::clone(&channel), born: self.born, weight: 0 });
        self.order.push_back((self.born, thread));
        channel
    }

    /// Takes note of what a channel holds now: forgets it when nothing, makes room when too much.
    pub fn settle(&mut self, thread: ThreadId) {
        let Some(place) = self.channels.get_mut(&thread) else { return };
        let state = place.channel.lock();
        let (is_unused, weight) = (state.is_unused(), state.weight());
        drop(state);
        self.bytes = self.bytes - place.weight + weight;
        place.weight = weight;
        if is_unused {
            self.remove(thread);
        }
        while self.bytes > self.settings.bytes_max && self.channels.len() > 1 {
            self.evict_oldest();
        }
    }

    /// Forgets answers that nobody writes any more.
    pub fn forget_silent(&mut self) {
        let threads: Vec<ThreadId> = self.channels.keys().copied().collect();
        for thread in threads {
            if let Some(place) = self.channels.get(&thread) {
                place.channel.lock().forget_silent(self.settings.silence_max);
            }
            self.settle(thread);
        }
    }

    /// Cuts every reader off.
    pub fn clear(&mut self) {
        while !self.channels.is_empty() {
            self.evict_oldest();
        }
    }

    fn evict_oldest(&mut self) {
        while let Some((born, thread)) = self.order.pop_front() {
            if self.channels.get(&thread).is_some_and(|place| place.born == born) {
                self.remove(thread);
                return;
            }
        }
    }

    fn remove(&mut self, thread: ThreadId) {
        let Some(place) = self.channels.remove(&thread) else { return };
        self.bytes -= place.weight;
        place.channel.lock().cut_off();
        place.channel.ring();
        // Threads come and go quickly; their traces must not pile up.
        if self.order.len() > 2 * self.channels.len() + 64 {
            let Self { order, channels, .. } = self;
            order.retain(|(born, thread)| channels.get(thread).is_some_and(|place| place.born == *born));
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;
    use vitrine_domain::{AttemptId, ThreadEvent, ThreadEventBody, TurnId};

    use super::*;

    fn thread(number: u128) -> ThreadId {
        Uuid::from_u128(number).into()
    }

    fn say(threads: &mut Threads, number: u128, text: &str) {
        let channel = threads.find_or_add(Uuid::from_u128(1).into(), thread(number));
        let attempt = AttemptId::new(Uuid::from_u128(number));
        let event = |body| ThreadEvent {
            thread: thread(number),
            turn: TurnId::new(Uuid::from_u128(number)),
            answer_sequence: 2,
            body,
        };
        channel.lock().apply(event(ThreadEventBody::Started { attempt, dispatch: 1 }));
        channel.lock().apply(event(ThreadEventBody::Message { attempt, at: 0, text: text.to_owned() }));
        threads.settle(thread(number));
    }

    #[test]
    fn the_oldest_go_when_there_are_too_many_threads_or_bytes() {
        let mut threads = Threads::new(HubSettings { threads_max: 3, ..HubSettings::default() });
        for number in 1..=5 {
            say(&mut threads, number, "dag");
        }
        assert_eq!(threads.channels.len(), 3);
        assert!(!threads.channels.contains_key(&thread(2)) && threads.channels.contains_key(&thread(3)));

        let mut threads = Threads::new(HubSettings { bytes_max: 10_000, ..HubSettings::default() });
        for number in 1..=50 {
            say(&mut threads, number, &"x".repeat(1_000));
        }
        assert!(threads.bytes <= 10_000 && threads.channels.contains_key(&thread(50)), "{}", threads.bytes);
        threads.clear();
        assert_eq!((threads.channels.len(), threads.bytes), (0, 0));
    }

    #[test]
    fn threads_that_come_and_go_leave_no_trace() {
        let mut threads = Threads::new(HubSettings::default());
        for number in 1..=10_000 {
            threads.find_or_add(Uuid::from_u128(1).into(), thread(number));
            threads.settle(thread(number));
        }
        assert!(threads.channels.is_empty() && threads.order.len() <= 64, "{}", threads.order.len());
    }

    #[test]
    fn a_reader_of_an_evicted_thread_is_cut_off() {
        let mut threads = Threads::new(HubSettings { threads_max: 1, ..HubSettings::default() });
        let channel = threads.find_or_add(Uuid::from_u128(1).into(), thread(1));
        let mut cursor = channel.lock().attach();
        threads.find_or_add(Uuid::from_u128(1).into(), thread(2));
        assert!(channel.lock().read(&mut cursor).is_err());
    }
}
