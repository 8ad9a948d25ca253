//! The records of one partition between their arrival and their final outcome.

use std::collections::VecDeque;

use crate::Delivery;
use crate::lanes::Lanes;
use crate::offsets::{Arrival, OffsetLedger};

/// Decides what may start, what waits and which offset may be stored. Knows neither tasks nor brokers.
#[derive(Debug)]
pub(crate) struct PartitionWork {
    in_flight_max: usize,
    ledger: OffsetLedger,
    lanes: Lanes<Job>,
    /// What came although the partition was full. The broker's client hands out a few records between being told to
    /// pause and doing so.
    overflow: VecDeque<Job>,
}

/// A record that is to be handled.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) delivery: Delivery,
    pub(crate) arrival: Arrival,
}

impl PartitionWork {
    pub(crate) fn new(in_flight_max: usize) -> Self {
        Self { in_flight_max, ledger: OffsetLedger::default(), lanes: Lanes::default(), overflow: VecDeque::new() }
    }

    /// Takes a record in. Gives it back as a job when it is to start now.
    pub(crate) fn arrive(&mut self, delivery: Delivery) -> Option<Job> {
        let arrival = self.ledger.arrive(delivery.offset)?;
        let job = Job { delivery, arrival };
        if self.lanes.len() >= self.in_flight_max {
            self.overflow.push_back(job);
            return None;
        }
        self.enter(job)
    }

    /// A job is final. Gives the jobs that are to start now and, if it moved, the offset to store.
    pub(crate) fn settle(&mut self, key: &str, arrival: Arrival) -> (Vec<Job>, Option<i64>) {
        let position = self.ledger.settle(arrival);
        let mut start: Vec<Job> = self.lanes.leave(key).into_iter().collect();
        while self.lanes.len() < self.in_flight_max
            && let Some(job) = self.overflow.pop_front()
        {
            start.extend(self.enter(job));
        }
        (start, position)
    }

    /// A job was given up: it, and what waits behind it, stays open for whoever has the partition next.
    pub(crate) fn give_up(&mut self, key: &str) {
        self.lanes.give_up(key);
        self.overflow.clear();
    }

    /// No more records should be read now.
    pub(crate) fn is_full(&self) -> bool {
        self.lanes.len() >= self.in_flight_max
    }

    /// There is room for a good number of records again.
    pub(crate) fn has_room(&self) -> bool {
        self.overflow.is_empty() && self.lanes.len() <= self.in_flight_max / 2
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.lanes.len() == 0 && self.overflow.is_empty()
    }

    fn enter(&mut self, job: Job) -> Option<Job> {
        let key = job.delivery.record.key.clone();
        self.lanes.enter(&key, job)
    }
}

#[cfg(test)]
mod tests;
