//! What a transaction wrote for the bus gets there.

use std::time::Duration;

use vitrine_bus::Topic;
use vitrine_domain::{ChatRequested, ThreadEvent, ThreadEventBody, ThreadState};
use vitrine_tenant_api::outbox::OutboxSettings;
use vitrine_testkit::eventually;

use crate::support::{Shop, attempt};

/// The sweep's age and interval, and what a busy machine adds.
const SOON: Duration = Duration::from_mins(1);

async fn is_empty(shop: &Shop) -> bool {
    shop.number("SELECT count(*) FROM outbox").await == 0
}

#[tokio::test]
async fn a_replica_publishes_its_own_rows_and_starts_their_deadlines() {
    let shop = Shop::open(5).await;
    // Nothing here is left to the sweep.
    let settings = OutboxSettings { sweep_age: Duration::from_hours(1), ..OutboxSettings::default() };
    let mut replica = shop.replica_with(settings).await;
    let running = replica.publish();
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;
    eventually(SOON, "the request is published", || is_empty(&shop)).await;

    let requests = shop.bus.published(Topic::ChatRequests);
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].key, thread.to_string());
    let envelope = requests[0].decode::<ChatRequested>().unwrap();
    let ChatRequested::ChatRequested { turn: requested, thread: of, dispatch, config_sequence, deadline_at } =
        envelope.body;
    assert_eq!((requested, of, dispatch, config_sequence), (turn, thread, 1, 7));
    assert_eq!(envelope.merchant, shop.merchant);
    assert!(deadline_at > envelope.occurred_at);
    assert_eq!(shop.number("SELECT count(*) FROM turns WHERE deadline_at > now()").await, 1);

    let next = replica.ask(&shop, thread, "next question").await.unwrap().turn;
    let spoken = attempt();
    replica.end(&shop, turn, spoken, "answer").await;
    eventually(SOON, "the stored answer is announced", || is_empty(&shop)).await;
    let events = shop.bus.published(Topic::ThreadEvents);
    let event = events[0].decode::<ThreadEvent>().unwrap().body;
    assert_eq!((event.turn, event.thread, event.answer_sequence), (turn, thread, 2));
    let stored = ThreadEventBody::Stored { attempt: Some(spoken), is_closing: false, state: ThreadState::Bot };
    assert_eq!(event.body, stored);
    let requests = shop.bus.published(Topic::ChatRequests);
    assert_eq!(requests.len(), 2, "closing a turn lets the next one go at once");
    let ChatRequested::ChatRequested { turn: requested, .. } = requests[1].decode().unwrap().body;
    assert_eq!(requested, next);
    drop(running);
}

#[tokio::test]
async fn rows_of_a_replica_that_died_are_published_by_another() {
    let shop = Shop::open(5).await;
    let dead = shop.replica().await;
    let thread = dead.thread(&shop).await;
    dead.ask(&shop, thread, "question").await.unwrap();
    drop(dead);

    let mut other = shop.replica().await;
    let running = other.publish();
    eventually(SOON, "the row is swept", || is_empty(&shop)).await;
    assert_eq!(shop.bus.published(Topic::ChatRequests).len(), 1);
    drop(running);
}

#[tokio::test]
async fn a_bus_that_is_away_loses_nothing() {
    let shop = Shop::open(100).await;
    shop.bus.go_away(true);
    let mut replica = shop.replica().await;
    let running = replica.publish();
    for _ in 0..40 {
        let thread = replica.thread(&shop).await;
        replica.ask(&shop, thread, "question").await.unwrap();
    }
    let failed = || async { counter(&replica.registry, "failed") >= 40 };
    eventually(SOON, "every row was tried", failed).await;
    assert_eq!(shop.number("SELECT count(*) FROM outbox").await, 40);
    assert_eq!(shop.number("SELECT count(*) FROM turns WHERE deadline_at IS NOT NULL").await, 0);

    shop.bus.go_away(false);
    eventually(SOON, "the backlog drains", || is_empty(&shop)).await;
    assert_eq!(shop.bus.published(Topic::ChatRequests).len(), 40);
    drop(running);
}

#[tokio::test]
async fn a_row_that_cannot_be_read_holds_up_no_other() {
    let shop = Shop::open(5).await;
    let unreadable = "INSERT INTO outbox (merchant_id, kind, turn_id, thread_id, body, created_at)
                      SELECT current_merchant(), 'stored', gen_random_uuid(), gen_random_uuid(), '{}',
                             now() - interval '1 minute'";
    shop.sql(unreadable).await;
    let dead = shop.replica().await;
    let thread = dead.thread(&shop).await;
    dead.ask(&shop, thread, "question").await.unwrap();

    let mut other = shop.replica().await;
    let running = other.publish();
    let only_that_is_left = || async { shop.number("SELECT count(*) FROM outbox").await == 1 };
    eventually(SOON, "the readable row is swept", only_that_is_left).await;
    assert_eq!(shop.bus.published(Topic::ChatRequests).len(), 1);
    drop(running);
}

#[tokio::test]
async fn several_sweeps_share_a_backlog_without_publishing_twice() {
    let shop = Shop::open(1).await;
    let rows = "INSERT INTO outbox (merchant_id, kind, turn_id, thread_id, body, created_at)
                SELECT current_merchant(), 'stored', gen_random_uuid(), gen_random_uuid(),
                       '{\"answer_sequence\": 2, \"attempt\": null, \"is_closing\": false, \"state\": \"bot\"}',
                       now() - interval '1 minute'
                  FROM generate_series(1, 3000)";
    shop.sql(rows).await;
    let mut replicas = [shop.replica().await, shop.replica().await, shop.replica().await];
    let running: Vec<_> = replicas.iter_mut().map(crate::support::Replica::publish).collect();
    eventually(SOON, "the backlog drains", || is_empty(&shop)).await;
    assert_eq!(shop.bus.published(Topic::ThreadEvents).len(), 3000);
    drop(running);
}

fn counter(registry: &prometheus::Registry, result: &str) -> u64 {
    let families = registry.gather();
    let Some(family) = families.iter().find(|family| family.name() == "vitrine_outbox_published_total") else {
        return 0;
    };
    let of_result = family.get_metric().iter().find(|metric| metric.get_label()[0].value() == result);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of a few rows")]
    of_result.map_or(0, |metric| metric.get_counter().get_value() as u64)
}
