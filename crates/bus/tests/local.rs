//! What only the in-process form has: a bound that publishing runs into.

use std::sync::Arc;
use std::time::Duration;

use futures::future::pending;
use prometheus::Registry;
use tokio_util::sync::CancellationToken;
use vitrine_bus::{
    Bus, BusMetrics, ConsumerSettings, Delivery, LocalBus, LocalSettings, Outcome, PublishError, Record, Topic,
};

fn records(count: usize) -> Vec<Record> {
    let record = |number| Record { topic: Topic::ChatRequests, key: format!("{number}"), payload: "x".into() };
    (0..count).map(record).collect()
}

fn bus(publish_wait_max: Duration) -> LocalBus {
    let settings = LocalSettings { records_max: 10, publish_wait_max, ..LocalSettings::default() };
    LocalBus::new(BusMetrics::new(&Registry::new()).unwrap(), settings)
}

#[tokio::test]
async fn publishing_into_a_full_log_waits_for_a_while_and_then_fails() {
    let bus = bus(Duration::from_millis(50));
    let shutdown = CancellationToken::new();
    let stuck = Arc::new(|_: Delivery| pending::<Outcome>());
    let settings = ConsumerSettings::default();
    tokio::spawn(bus.consume(Topic::ChatRequests, "stuck", stuck, shutdown, settings));
    tokio::task::yield_now().await;
    let results = bus.publish(records(12)).await;
    assert_eq!(results[..10], vec![Ok(()); 10]);
    assert_eq!(results[10..], [Err(PublishError::Full), Err(PublishError::Full)]);
}

#[tokio::test]
async fn publishing_goes_on_when_there_is_room_again() {
    let bus = bus(Duration::from_secs(30));
    let shutdown = CancellationToken::new();
    let done = Arc::new(|_: Delivery| async { Outcome::Done });
    let settings = ConsumerSettings::default();
    let consumer = tokio::spawn(bus.consume(Topic::ChatRequests, "group", done, shutdown.clone(), settings));
    assert_eq!(bus.publish(records(500)).await, vec![Ok(()); 500]);
    shutdown.cancel();
    consumer.await.unwrap().unwrap();
}
