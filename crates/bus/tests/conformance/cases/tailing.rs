//! Reading without a group.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio::time::timeout;
use vitrine_bus::{Delivery, Tail, TailItem};

use crate::scene::{AN_HOUR, Memory, SOON, Scene, TOPIC, eventually, text};

pub(crate) async fn a_tail_begins_in_the_past_and_says_when_it_has_caught_up(scene: Scene) {
    const PAST: usize = 300;
    scene.publish((0..PAST).map(|number| (format!("key-{}", number % 30), format!("{number:04}")))).await;
    let mut tail = scene.bus.tail(TOPIC, AN_HOUR).unwrap();
    let past = until_caught_up(&mut tail).await;
    assert_eq!(past.len(), PAST);
    let mut by_key: HashMap<&str, Vec<String>> = HashMap::new();
    for delivery in &past {
        by_key.entry(&delivery.record.key).or_default().push(text(delivery));
    }
    assert!(by_key.values().all(|texts| texts.is_sorted()), "records of a key come in order");

    scene.publish([("key".to_owned(), "new".to_owned())]).await;
    assert_eq!(text(&next(&mut tail).await), "new");
}

pub(crate) async fn a_tail_that_begins_now_leaves_the_past_out(scene: Scene) {
    scene.publish((0..50).map(|number| (format!("key-{number}"), "old".to_owned()))).await;
    the_clock_moves_on().await;
    let mut tail = scene.bus.tail(TOPIC, Duration::ZERO).unwrap();
    assert_eq!(until_caught_up(&mut tail).await, []);
    scene.publish((0..50).map(|number| (format!("key-{number}"), "new".to_owned()))).await;
    for _ in 0..50 {
        assert_eq!(text(&next(&mut tail).await), "new");
    }
}

pub(crate) async fn a_tail_begins_where_its_span_says(scene: Scene) {
    scene.publish((0..50).map(|number| (format!("key-{number}"), "old".to_owned()))).await;
    the_clock_moves_on().await;
    let begin = Instant::now();
    the_clock_moves_on().await;
    scene.publish((0..50).map(|number| (format!("key-{number}"), "young".to_owned()))).await;
    let mut tail = scene.bus.tail(TOPIC, begin.elapsed()).unwrap();
    let read = until_caught_up(&mut tail).await;
    assert_eq!(read.len(), 50);
    assert!(read.iter().all(|delivery| text(delivery) == "young"));
}

pub(crate) async fn every_tail_reads_everything_and_no_group_notices(scene: Scene) {
    const RECORDS: usize = 2000;
    let mut tails = [scene.bus.tail(TOPIC, AN_HOUR).unwrap(), scene.bus.tail(TOPIC, AN_HOUR).unwrap()];
    for tail in &mut tails {
        assert_eq!(until_caught_up(tail).await, [], "nothing was published yet");
    }
    // More than a tail reads ahead.
    scene.publish((0..RECORDS).map(|number| (format!("key-{number}"), number.to_string()))).await;
    for tail in &mut tails {
        for _ in 0..RECORDS {
            next(tail).await;
        }
    }
    let memory = Memory::default();
    let running = scene.consume("beside-tails", memory.handler());
    eventually("the group has everything too", || memory.len() == RECORDS).await;
    running.stop().await;
}

/// By more than the millisecond that the times of records are counted in.
async fn the_clock_moves_on() {
    let before = Instant::now();
    eventually("the clock moves on", || before.elapsed() > Duration::from_millis(5)).await;
}

async fn until_caught_up(tail: &mut Tail) -> Vec<Delivery> {
    let mut read = Vec::new();
    loop {
        match timeout(SOON, tail.next()).await.expect("the tail catches up").expect("the tail goes on") {
            TailItem::Record(delivery) => read.push(delivery),
            TailItem::CaughtUp => return read,
        }
    }
}

async fn next(tail: &mut Tail) -> Delivery {
    match timeout(SOON, tail.next()).await.expect("a record comes").expect("the tail goes on") {
        TailItem::Record(delivery) => delivery,
        TailItem::CaughtUp => panic!("a tail catches up once"),
    }
}
