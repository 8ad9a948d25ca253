use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::{Record, Topic};

fn delivery(offset: i64, key: usize) -> Delivery {
    let record = Record { topic: Topic::ChatRequests, key: format!("key-{key}"), payload: "x".into() };
    Delivery { record, partition: 0, offset, attempt: 1 }
}

#[test]
fn a_partition_is_full_at_its_limit_and_has_room_at_half_of_it() {
    let mut work = PartitionWork::new(4);
    let mut running: Vec<Job> = (0..4).filter_map(|number| work.arrive(delivery(number, 0))).collect();
    assert!(work.is_full());
    for left in [3, 2, 1, 0] {
        let job = running.remove(0);
        running.extend(work.settle(&job.delivery.record.key, job.arrival).0);
        assert_eq!((work.is_full(), work.has_room()), (false, left <= 2), "{left} in flight");
    }
    assert!(work.is_idle());
}

#[test]
fn what_is_given_up_keeps_its_offset_open() {
    let mut work = PartitionWork::new(4);
    let first = work.arrive(delivery(0, 0)).unwrap();
    assert!(work.arrive(delivery(1, 0)).is_none());
    let other = work.arrive(delivery(2, 1)).unwrap();
    work.give_up(&first.delivery.record.key);
    assert_eq!(work.settle("key-1", other.arrival).1, None);
    assert!(work.is_idle());
}

proptest! {
    /// Whatever arrives and in whatever order it ends: never too many at once, never two of a key at once, each key in
    /// order, each record once, and in the end everything is final.
    #[test]
    fn every_record_runs_once_and_in_its_turn(
        keys in prop::collection::vec(0..6_usize, 1..150),
        // How many are settled after each arrival, and which.
        endings in prop::collection::vec(prop::collection::vec(any::<prop::sample::Index>(), 0..3), 150),
        in_flight_max in 1..10_usize,
    ) {
        let mut work = PartitionWork::new(in_flight_max);
        let mut running: Vec<Job> = Vec::new();
        let mut begun: HashMap<String, Vec<i64>> = HashMap::new();
        let mut stored = 0;
        let mut begin = |running: &mut Vec<Job>, jobs: Vec<Job>| -> Result<(), TestCaseError> {
            for job in jobs {
                let key = &job.delivery.record.key;
                prop_assert!(running.iter().all(|other| other.delivery.record.key != *key), "two of {key} at once");
                begun.entry(key.clone()).or_default().push(job.delivery.offset);
                running.push(job);
            }
            prop_assert!(running.len() <= in_flight_max);
            Ok(())
        };
        for (offset, key) in (0_i64..).zip(&keys) {
            let job = work.arrive(delivery(offset, *key));
            begin(&mut running, job.into_iter().collect())?;
            for ending in &endings[usize::try_from(offset).unwrap()] {
                if !running.is_empty() {
                    let job = running.swap_remove(ending.index(running.len()));
                    let (next, position) = work.settle(&job.delivery.record.key, job.arrival);
                    begin(&mut running, next)?;
                    stored = position.unwrap_or(stored);
                    prop_assert!(running.iter().all(|open| stored <= open.delivery.offset));
                }
            }
        }
        while let Some(job) = running.pop() {
            let (next, position) = work.settle(&job.delivery.record.key, job.arrival);
            begin(&mut running, next)?;
            stored = position.unwrap_or(stored);
        }
        prop_assert!(work.is_idle());
        prop_assert_eq!(stored, i64::try_from(keys.len()).unwrap());
        prop_assert_eq!(begun.values().map(Vec::len).sum::<usize>(), keys.len());
        prop_assert!(begun.values().all(|offsets| offsets.is_sorted()));
    }
}
