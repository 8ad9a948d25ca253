//! Up to where a partition is final.

use std::collections::VecDeque;

/// Follows the records of one partition from their arrival to their final outcome, in whatever order they end, and
/// says the offset to store: the highest below which everything that arrived is final.
#[derive(Debug, Default)]
pub(crate) struct OffsetLedger {
    /// Ascending; the first is open, for a final one at the front is taken off at once.
    arrived: VecDeque<Arrived>,
    /// One above the highest offset that was taken off.
    position: Option<i64>,
    run: u64,
}

#[derive(Debug)]
struct Arrived {
    offset: i64,
    settled: bool,
}

/// Identifies an arrival in the ledger: an offset can arrive again after the log jumped back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    run: u64,
    offset: i64,
}

impl OffsetLedger {
    /// Notes a record. `None` when it is in flight already, or final and waiting for a lower one: nothing is to be
    /// done about it.
    ///
    /// An offset below everything followed means that the log was cut or made anew, or that reading began again
    /// further back. It is followed from there: repeating work is safe, skipping is not.
    pub(crate) fn arrive(&mut self, offset: i64) -> Option<Arrival> {
        let floor = self.arrived.front().map(|first| first.offset).or(self.position);
        if floor.is_some_and(|floor| offset < floor) {
            self.arrived.clear();
            self.position = None;
            self.run += 1;
        }
        match self.arrived.binary_search_by_key(&offset, |arrived| arrived.offset) {
            Ok(_) => return None,
            Err(index) => self.arrived.insert(index, Arrived { offset, settled: false }),
        }
        Some(Arrival { run: self.run, offset })
    }

    /// Notes that a record is final. Gives the offset to store, if it moved.
    pub(crate) fn settle(&mut self, arrival: Arrival) -> Option<i64> {
        if arrival.run != self.run {
            return None;
        }
        let index = self.arrived.binary_search_by_key(&arrival.offset, |arrived| arrived.offset).ok()?;
        self.arrived[index].settled = true;
        let mut moved = None;
        while self.arrived.front().is_some_and(|first| first.settled) {
            moved = self.arrived.pop_front().map(|first| first.offset + 1);
        }
        self.position = moved.or(self.position);
        moved
    }
}

#[cfg(test)]
mod tests;
