use std::collections::HashSet;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use vitrine_bus::{ConsumerSettings, Delivery, TailItem, Topic};

use crate::scene::{self, AN_HOUR, Gate, Gated, Log, Memory, SOON, Scene, TOPIC, eventually, text};

const CHILD_SERVERS: &str = "VITRINE_BUS_TEST_SERVERS";
const CHILD_PREFIX: &str = "VITRINE_BUS_TEST_PREFIX";

/// On one thread, for the log is that of a thread.
#[tokio::test]
async fn a_member_finishes_what_is_in_flight_before_it_gives_a_partition_back() {
    const RECORDS: usize = 240;
    let (log, _logging) = Log::start();
    let scene = scene::kafka().await;
    let (gate, first, second) = (Gate::closed(), Memory::default(), Memory::default());
    // Everything is in flight at the first member; one record of twenty waits at the gate.
    let handler = Gated {
        gate: gate.clone(),
        memory: first.clone(),
        waits: |delivery: &Delivery| text(delivery).parse::<usize>().unwrap() % 20 == 0,
    };
    let staying = scene.consume("revoke", handler);
    scene.publish(numbered(0..RECORDS)).await;
    eventually("the rest is handled", || first.len() == RECORDS - RECORDS / 20).await;

    let joining = scene.consume("revoke", second.handler());
    eventually("the first member is asked for partitions", || log.count("change=\"revoked\"") == 1).await;
    let mut published = RECORDS + 60;
    scene.publish(numbered(RECORDS..published)).await;
    assert_eq!(second.len(), 0, "a partition with work in flight must not move");

    gate.open();
    eventually("the second member has its share", || second.len() > 0 && first.len() + second.len() == published).await;
    scene.publish(numbered(published..published + 60)).await;
    published += 60;
    eventually("everything is handled", || first.len() + second.len() >= published).await;
    let stuck: HashSet<String> = gate.seen().iter().map(text).collect();
    assert!(second.all().iter().all(|delivery| !stuck.contains(&text(delivery))), "it was finished where it was begun");
    let all: Vec<String> = first.all().iter().chain(&second.all()).map(text).collect();
    let distinct: HashSet<&String> = all.iter().collect();
    assert_eq!((distinct.len(), all.len()), (published, published), "nothing was lost and nothing came twice");
    joining.stop().await;
    staying.stop().await;
}

/// The broker waits for an answer to the rebalance; a member that ends without giving one must not be waited for.
#[tokio::test]
async fn a_member_that_ends_while_it_drains_lets_go_at_once() {
    const RECORDS: usize = 60;
    let (log, _logging) = Log::start();
    let scene = scene::kafka().await;
    let settings = ConsumerSettings {
        session_timeout: Duration::from_mins(1),
        revoke_grace: Duration::from_mins(1),
        ..scene.settings.clone()
    };
    let (gate, second) = (Gate::closed(), Memory::default());
    let handler = Gated { gate: gate.clone(), memory: Memory::default(), waits: |_: &Delivery| true };
    let ending = scene.consume_as("ending", handler, settings.clone());
    scene.publish(numbered(0..RECORDS)).await;
    eventually("everything is in flight", || gate.seen().len() == RECORDS).await;
    let joining = scene.consume_as("ending", second.handler(), settings);
    eventually("the first member is asked for partitions", || log.count("change=\"revoked\"") == 1).await;

    let ended_at = Instant::now();
    ending.crash().await;
    eventually("the other member has everything", || second.by_key().len() == RECORDS).await;
    let handed_over = ended_at.elapsed();
    assert!(handed_over < Duration::from_secs(15), "it took {handed_over:?}");
    joining.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_member_that_leaves_hands_over_at_once() {
    let scene = scene::kafka().await;
    // If leaving went unnoticed, the others would wait for this.
    let settings = ConsumerSettings { session_timeout: Duration::from_mins(1), ..scene.settings.clone() };
    let (first, second) = (Memory::default(), Memory::default());
    let leaving = scene.consume_as("leave", first.handler(), settings.clone());
    let staying = scene.consume_as("leave", second.handler(), settings);
    let mut published = 0;
    while first.len() == 0 || second.len() == 0 {
        scene.publish(numbered(published..published + 60)).await;
        published += 60;
        eventually("everything is handled", || first.len() + second.len() >= published).await;
    }
    let left_at = Instant::now();
    leaving.stop().await;
    let handled = first.len() + second.len();
    scene.publish(numbered(published..published + 60)).await;
    eventually("the other member has everything", || first.len() + second.len() >= handled + 60).await;
    let handed_over = left_at.elapsed();
    assert!(handed_over < Duration::from_secs(15), "it took {handed_over:?}");
    staying.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_killed_member_had_in_flight_comes_to_another() {
    const RECORDS: usize = 240;
    let scene = scene::kafka().await;
    let mut child = start_member_process(&scene).await;
    scene.publish(numbered(0..RECORDS)).await;
    let taken = Memory::default();
    // The child says on another topic what it has begun.
    let mut tail = scene.bus.tail(Topic::ThreadEvents, AN_HOUR).unwrap();
    while taken.len() < RECORDS {
        let item = timeout(SOON, tail.next()).await.expect("the child works").unwrap();
        if let TailItem::Record(delivery) = item {
            taken.add(&delivery);
        }
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let memory = Memory::default();
    let running = scene.consume(MEMBER_GROUP, memory.handler());
    eventually("every record the killed member had begun comes again", || memory.by_key().len() == RECORDS).await;
    running.stop().await;
}

const MEMBER_GROUP: &str = "killed";

async fn start_member_process(scene: &Scene) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "kafka_only::rebalance::member_process"])
        .env(CHILD_SERVERS, vitrine_testkit::kafka().await.unwrap())
        .env(CHILD_PREFIX, &scene.topic_prefix)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// The member that is killed: begins every record, says so, and finishes none.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a child process of what_a_killed_member_had_in_flight_comes_to_another"]
async fn member_process() {
    let [servers, prefix] =
        [CHILD_SERVERS, CHILD_PREFIX].map(|name| std::env::var(name).expect("started by its parent"));
    let scene = scene::kafka_with_prefix(servers, prefix);
    let bus = scene.bus.clone();
    let handler = move |delivery: Delivery| {
        let bus = bus.clone();
        async move {
            let begun = scene::record(Topic::ThreadEvents, &delivery.record.key, "begun");
            bus.publish(vec![begun]).await.remove(0).expect("acknowledged");
            std::future::pending().await
        }
    };
    scene.bus.consume(TOPIC, MEMBER_GROUP, Arc::new(handler), CancellationToken::new(), scene.settings).await.unwrap();
}

fn numbered(numbers: std::ops::Range<usize>) -> impl Iterator<Item = (String, String)> {
    numbers.map(|number| (format!("key-{number}"), number.to_string()))
}
