use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::time::timeout;
use vitrine_bus::{Bus, Delivery, TailItem};
use vitrine_testkit::Kafka;

use crate::scene::{self, AN_HOUR, Gate, Gated, Memory, SOON, TOPIC, eventually, record, text};

/// The broker is away for longer than the session timeout, so the group's state is gone too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broker_that_is_away_for_a_while_loses_nothing() {
    let mut broker = Kafka::start().await.unwrap();
    let scene = scene::kafka_at(broker.bootstrap_servers()).await;
    let (gate, memory) = (Gate::closed(), Memory::default());
    let working =
        Gated { gate: gate.clone(), memory: memory.clone(), waits: |delivery: &Delivery| text(delivery) == "0" };
    let running = scene.consume("outage", working);
    let mut tail = scene.bus.tail(TOPIC, AN_HOUR).unwrap();

    let has_failed = Arc::new(AtomicBool::new(false));
    let enough = Arc::new(AtomicBool::new(false));
    let publishing = tokio::spawn(publish_until(scene.bus.clone(), Arc::clone(&enough), Arc::clone(&has_failed)));
    eventually("records are handled", || memory.len() > 100).await;
    eventually("one is in flight", || !gate.seen().is_empty()).await;
    broker.kill().unwrap();
    eventually("publishing fails", || has_failed.load(Ordering::SeqCst)).await;
    let handled = memory.len();
    broker.restart().await.unwrap();
    eventually("the consumer goes on by itself", || memory.len() > handled + 100).await;
    gate.open();
    enough.store(true, Ordering::SeqCst);
    let published = timeout(SOON, publishing).await.expect("publishing ends").unwrap();

    eventually("every acknowledged record is handled", || {
        let handled: HashSet<String> = memory.all().iter().map(text).collect();
        (0..published).all(|number| handled.contains(&number.to_string()))
    })
    .await;
    let mut tailed = HashSet::new();
    while tailed.len() < published {
        let item = timeout(SOON, tail.next()).await.expect("the tail goes on too").expect("the tail goes on too");
        if let TailItem::Record(delivery) = item {
            tailed.insert(text(&delivery));
        }
    }

    // Nobody is there to take leave of.
    broker.kill().unwrap();
    let stopping_at = Instant::now();
    running.stop().await;
    let stopped_within = stopping_at.elapsed();
    assert!(stopped_within < Duration::from_secs(15), "leaving an absent broker took {stopped_within:?}");
}

/// Publishes numbers, each until it is acknowledged. Gives how many.
async fn publish_until(bus: Arc<dyn Bus>, enough: Arc<AtomicBool>, has_failed: Arc<AtomicBool>) -> usize {
    let mut published = 0;
    while !enough.load(Ordering::SeqCst) {
        let text = published.to_string();
        match bus.publish(vec![record(TOPIC, &format!("key-{}", published % 50), &text)]).await.remove(0) {
            Ok(()) => published += 1,
            Err(_) => has_failed.store(true, Ordering::SeqCst),
        }
    }
    published
}
