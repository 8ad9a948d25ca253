use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[test]
fn the_offset_moves_over_what_is_final_without_a_gap() {
    let mut ledger = OffsetLedger::default();
    let [first, second, third] = [10, 11, 12].map(|offset| ledger.arrive(offset).unwrap());
    assert_eq!(ledger.settle(second), None);
    assert_eq!(ledger.settle(first), Some(12));
    assert_eq!(ledger.settle(third), Some(13));
}

#[test]
fn offsets_that_a_log_skips_hold_nothing_up() {
    let mut ledger = OffsetLedger::default();
    let [first, second] = [3, 9].map(|offset| ledger.arrive(offset).unwrap());
    assert_eq!(ledger.settle(first), Some(4));
    assert_eq!(ledger.settle(second), Some(10));
}

#[test]
fn a_record_in_flight_is_not_taken_twice() {
    let mut ledger = OffsetLedger::default();
    let [first, second] = [0, 1].map(|offset| ledger.arrive(offset).unwrap());
    assert_eq!(ledger.settle(second), None);
    assert_eq!([ledger.arrive(0), ledger.arrive(1)], [None, None]);
    assert_eq!(ledger.settle(first), Some(2));
}

#[test]
fn after_a_jump_back_the_past_has_no_say() {
    let mut ledger = OffsetLedger::default();
    let before = ledger.arrive(500).unwrap();
    let after = ledger.arrive(7).unwrap();
    assert_eq!(ledger.settle(before), None);
    assert_eq!(ledger.settle(after), Some(8));
    assert!(ledger.arrive(500).is_some());
}

/// What can happen to a partition.
#[derive(Clone, Debug)]
enum Step {
    /// The next record arrives, this many offsets further on.
    Arrive(i64),
    /// One of the open records becomes final.
    Settle(prop::sample::Index),
    /// Reading begins again this many offsets back: the same records arrive again.
    JumpBack(i64),
    /// The partition goes to another member, which begins at the stored offset with a ledger of its own.
    Rebalance,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (1..4_i64).prop_map(Step::Arrive),
        8 => any::<prop::sample::Index>().prop_map(Step::Settle),
        1 => (0..12_i64).prop_map(Step::JumpBack),
        1 => Just(Step::Rebalance),
    ]
}

proptest! {
    /// The promise itself: whatever happens, below the stored offset there is no record without a final outcome, and
    /// once everything is final the stored offset is behind the last record.
    #[test]
    fn nothing_below_the_stored_offset_is_open(steps in prop::collection::vec(step(), 1..200)) {
        let mut log: Vec<i64> = Vec::new();
        let mut is_final: BTreeMap<i64, bool> = BTreeMap::new();
        let mut open: Vec<Arrival> = Vec::new();
        let mut ledger = OffsetLedger::default();
        let mut stored = 0;
        // Index into the log of the record that arrives next.
        let mut cursor = 0;
        for step in steps {
            match step {
                Step::Arrive(gap) => {
                    if cursor == log.len() {
                        log.push(log.last().map_or(0, |last| last + gap));
                    }
                    let offset = log[cursor];
                    cursor += 1;
                    is_final.entry(offset).or_insert(false);
                    open.extend(ledger.arrive(offset));
                }
                Step::Settle(index) => {
                    if !open.is_empty() {
                        let arrival = open.swap_remove(index.index(open.len()));
                        is_final.insert(arrival.offset, true);
                        stored = ledger.settle(arrival).unwrap_or(stored);
                    }
                }
                Step::JumpBack(records) => {
                    cursor = cursor.saturating_sub(usize::try_from(records).unwrap());
                }
                Step::Rebalance => {
                    ledger = OffsetLedger::default();
                    open.clear();
                    cursor = log.partition_point(|offset| *offset < stored);
                }
            }
            let lowest_open = is_final.iter().find(|(_, is_final)| !**is_final).map(|(offset, _)| *offset);
            prop_assert!(lowest_open.is_none_or(|offset| stored <= offset), "stored {stored}, open {lowest_open:?}");
        }
        while cursor < log.len() {
            open.extend(ledger.arrive(log[cursor]));
            cursor += 1;
        }
        let something_was_open = !open.is_empty();
        for arrival in open {
            stored = ledger.settle(arrival).unwrap_or(stored);
        }
        if something_was_open {
            prop_assert_eq!(stored, log.last().unwrap() + 1);
        }
    }
}
