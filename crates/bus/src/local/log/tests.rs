use super::*;
use crate::Topic;

const WINDOW: Duration = Duration::from_secs(100);

/// One partition with room for four records.
fn log() -> Log {
    Log::new(&LocalSettings { partitions: 1, records_max: 4, tail_window: WINDOW, ..LocalSettings::default() })
}

fn record(text: &str) -> Record {
    Record { topic: Topic::ChatRequests, key: "key".to_owned(), payload: text.to_owned().into() }
}

fn fill(log: &mut Log, now: Instant) -> usize {
    (0..10).take_while(|number| log.append(&record(&number.to_string()), now)).count()
}

#[test]
fn what_a_group_has_not_settled_is_kept_and_fills_the_log() {
    let (mut log, now) = (log(), Instant::now());
    log.join("group");
    assert_eq!(fill(&mut log, now), 4);
    let much_later = now + 10 * WINDOW;
    assert!(!log.append(&record("no room"), much_later));
    assert!(log.read(0, 0).is_some());

    log.settle("group", 0, 1, now);
    assert!(log.append(&record("room"), now));
    assert!(log.read(0, 0).is_none());
    assert!(log.read(0, 1).is_some());
}

#[test]
fn bytes_fill_the_log_too() {
    let settings = LocalSettings { partitions: 1, bytes_max: 10, ..LocalSettings::default() };
    let (mut log, now) = (Log::new(&settings), Instant::now());
    log.join("group");
    assert!(log.append(&record("123456789"), now));
    assert!(!log.append(&record("1"), now));
}

#[test]
fn settled_records_are_kept_for_the_window_and_no_longer() {
    let (mut log, now) = (log(), Instant::now());
    log.join("group");
    assert!(log.append(&record("old"), now));
    assert!(log.append(&record("young"), now + WINDOW));
    log.settle("group", 0, 2, now + WINDOW);
    assert!(log.read(0, 0).is_some());
    log.settle("group", 0, 2, now + WINDOW + Duration::from_secs(1));
    assert!(log.read(0, 0).is_none());
    assert!(log.read(0, 1).is_some());
}

#[test]
fn a_tail_holds_what_it_has_not_read() {
    let (mut log, now) = (log(), Instant::now());
    let tail = log.open_tail(Duration::ZERO, now);
    assert_eq!(fill(&mut log, now), 4);
    assert_eq!(log.read_tail(tail, 0).unwrap().1, 0);
    assert!(!log.tail_has_reached(tail, &[2]));
    assert!(log.append(&record("room for one"), now));
    assert!(!log.append(&record("no room"), now));
    log.close_tail(tail);
    assert!(log.append(&record("room again"), now));
}

#[test]
fn a_tail_begins_with_the_records_of_its_span() {
    let (mut log, now) = (log(), Instant::now());
    for second in 0..3 {
        assert!(log.append(&record("x"), now + Duration::from_secs(second)));
    }
    let tail = log.open_tail(Duration::from_secs(1), now + Duration::from_secs(2));
    assert_eq!(log.read_tail(tail, 0).unwrap().1, 1);
}

#[test]
fn members_share_the_partitions_and_none_is_held_twice() {
    let mut log = Log::new(&LocalSettings { partitions: 5, ..LocalSettings::default() });
    let first = log.join("group");
    assert_eq!(log.share_of("group", first), [0, 1, 2, 3, 4]);
    assert_eq!(log.claim("group", first, 1), Some(0));
    let second = log.join("group");
    assert_eq!([log.share_of("group", first), log.share_of("group", second)], [vec![0, 2, 4], vec![1, 3]]);
    assert_eq!(log.claim("group", second, 1), None);
    log.release("group", 1);
    assert_eq!(log.claim("group", second, 1), Some(0));
    log.leave("group", first);
    assert_eq!(log.share_of("group", second), [0, 1, 2, 3, 4]);
}
