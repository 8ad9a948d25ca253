//! Back-pressure, retries, poison and panics.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::time::timeout;
use vitrine_bus::{Bus, ConsumerSettings, DeadLetter, Delivery, Outcome, TailItem, Topic};
use vitrine_domain::limits::PARTITIONS;
use vitrine_domain::{Envelope, ThreadEvent};

use crate::scene::{AN_HOUR, Gate, Gated, Memory, SOON, Scene, TOPIC, eventually, text};

pub(crate) async fn no_more_is_in_flight_than_allowed(scene: Scene) {
    const RECORDS: usize = 600;
    const IN_FLIGHT_MAX: usize = 5;
    let (gate, memory) = (Gate::closed(), Memory::default());
    let settings = ConsumerSettings { in_flight_max: IN_FLIGHT_MAX, ..scene.settings.clone() };
    let handler = Gated { gate: gate.clone(), memory: memory.clone(), waits: |_: &Delivery| true };
    let running = scene.consume_as("bounded", handler, settings);
    scene.publish((0..RECORDS).map(|number| (format!("key-{number}"), number.to_string()))).await;

    let in_flight = || {
        let mut by_partition: HashMap<i32, usize> = HashMap::new();
        for delivery in gate.seen() {
            *by_partition.entry(delivery.partition).or_default() += 1;
        }
        by_partition
    };
    eventually("every partition is full", || {
        in_flight().values().filter(|count| **count >= IN_FLIGHT_MAX).count() == usize::try_from(PARTITIONS).unwrap()
    })
    .await;
    // A record of another topic goes to the broker and back: time enough for too many to have come.
    publish_and_read_back(&scene).await;
    assert!(in_flight().values().all(|count| *count == IN_FLIGHT_MAX), "{:?}", in_flight());
    gate.open();
    eventually("everything is handled after all", || memory.len() == RECORDS).await;
    running.stop().await;
    assert_eq!(memory.by_key().len(), RECORDS, "nothing came twice");
}

pub(crate) async fn what_is_not_final_counts_as_lag(scene: Scene) {
    const RECORDS: usize = 100;
    let (gate, memory) = (Gate::closed(), Memory::default());
    let handler = Gated { gate: gate.clone(), memory: memory.clone(), waits: |_: &Delivery| true };
    let running = scene.consume("lag", handler);
    scene.publish((0..RECORDS).map(|number| (format!("key-{number}"), number.to_string()))).await;

    let lag = || scene.metric("vitrine_bus_lag_records").to_string();
    eventually("all of it is open", || lag() == RECORDS.to_string()).await;
    gate.open();
    eventually("all of it is final", || lag() == "0").await;
    assert_eq!(memory.len(), RECORDS);
    running.stop().await;
}

async fn publish_and_read_back(scene: &Scene) {
    let mut tail = scene.bus.tail(Topic::ThreadEvents, AN_HOUR).unwrap();
    let records = vec![crate::scene::record(Topic::ThreadEvents, "there", "and back")];
    scene.bus.publish(records).await.remove(0).unwrap();
    let read = async { while !matches!(tail.next().await, Some(TailItem::Record(_))) {} };
    timeout(SOON, read).await.expect("the record comes back");
}

pub(crate) async fn a_retry_holds_up_its_own_key_only(scene: Scene) {
    const OTHERS: usize = 100;
    let memory = Memory::default();
    let attempts: Arc<Mutex<Vec<(u32, Instant)>>> = Arc::default();
    let database_is_back = Arc::new(Mutex::new(false));
    let (remember, tried, back) = (memory.clone(), Arc::clone(&attempts), Arc::clone(&database_is_back));
    let running = scene.consume("retry", move |delivery: Delivery| {
        let (memory, attempts) = (remember.clone(), Arc::clone(&tried));
        let is_back = *back.lock().unwrap();
        async move {
            if delivery.record.key == "held" && text(&delivery) == "held 1" {
                attempts.lock().unwrap().push((delivery.attempt, Instant::now()));
                if !is_back {
                    return Outcome::Retry { reason: "the database is down".to_owned(), after: Duration::ZERO };
                }
            }
            memory.add(&delivery);
            Outcome::Done
        }
    });
    scene.publish(["held 1", "held 2"].map(|text| ("held".to_owned(), text.to_owned()))).await;
    scene.publish((0..OTHERS).map(|number| (format!("key-{number}"), number.to_string()))).await;

    eventually("the other keys are handled", || memory.len() == OTHERS).await;
    eventually("the record is tried several times", || attempts.lock().unwrap().len() >= 6).await;
    assert!(!memory.contains("held 2"), "the next record of the key waits");
    *database_is_back.lock().unwrap() = true;
    eventually("the key goes on", || memory.contains("held 2")).await;
    assert_eq!(memory.by_key()["held"], ["held 1", "held 2"]);
    let attempts = attempts.lock().unwrap().clone();
    assert!(attempts.iter().enumerate().all(|(index, (attempt, _))| *attempt as usize == index + 1), "{attempts:?}");
    let wait = |index: usize| attempts[index + 1].1 - attempts[index].1;
    assert!(wait(0) >= scene.settings.retry_wait_min, "{attempts:?}");
    assert!(wait(4) >= scene.settings.retry_wait_max, "the wait grows up to its limit: {attempts:?}");
    running.stop().await;
}

pub(crate) async fn poison_goes_to_the_dead_letters_and_holds_nothing_up(scene: Scene) {
    let (memory, poison) = (Memory::default(), Memory::default());
    let handled_at: Arc<Mutex<HashMap<String, Instant>>> = Arc::default();
    let (remember, remember_poison, at) = (memory.clone(), poison.clone(), Arc::clone(&handled_at));
    let running = scene.consume("poison", move |delivery: Delivery| {
        let (memory, poison, at) = (remember.clone(), remember_poison.clone(), Arc::clone(&at));
        async move {
            at.lock().unwrap().insert(text(&delivery), Instant::now());
            if text(&delivery) == "hemlock" {
                poison.add(&delivery);
                return Outcome::Poison { reason: "no such turn".to_owned() };
            }
            if text(&delivery).starts_with('{') {
                poison.add(&delivery);
                let decoded: Result<Envelope<ThreadEvent>, _> = delivery.record.decode();
                return decoded.expect_err("it is no envelope").into();
            }
            memory.add(&delivery);
            Outcome::Done
        }
    });
    let garbage = r#"{"merchant": "11111111-2222-3333-4444-555555555555", "secret": "mijn vraag"}"#;
    scene
        .publish(["first", "hemlock", "second", garbage, "third"].map(|text| ("key".to_owned(), text.to_owned())))
        .await;

    eventually("the rest of the key is handled", || memory.contains("third")).await;
    assert_eq!(memory.by_key()["key"], ["first", "second", "third"]);
    let handled_at = handled_at.lock().unwrap().clone();
    let held_up = handled_at["second"] - handled_at["hemlock"];
    assert!(held_up < Duration::from_secs(1), "one poison record held its key up for {held_up:?}");

    let [hemlock, garbage] = poison.all().try_into().unwrap();
    let letters = dead_letters(scene.bus.as_ref(), 2).await;
    let of = |delivery: &Delivery| letters.iter().find(|letter| letter.offset == delivery.offset).unwrap();
    for delivery in [&hemlock, &garbage] {
        let letter = of(delivery);
        assert_eq!(letter.topic, format!("{}{TOPIC}", scene.topic_prefix));
        assert_eq!((letter.partition, letter.offset), (delivery.partition, delivery.offset));
        assert_eq!((letter.key.as_str(), letter.group.as_str(), letter.attempts), ("key", "poison", 1));
        assert!(!letter.replay.is_empty());
    }
    assert_eq!(of(&hemlock).error, "no such turn");
    assert!(of(&garbage).error.contains("failed to decode"), "{}", of(&garbage).error);
    assert_eq!(of(&garbage).merchant.unwrap().to_string(), "11111111-2222-3333-4444-555555555555");
    assert!(!format!("{letters:?}").contains("mijn vraag"), "a dead letter repeats no texts");
    assert_eq!(scene.metric("vitrine_dead_letters_total").to_string(), "2");

    running.crash().await;
    let after = Memory::default();
    let running = scene.consume("poison", after.handler());
    scene.publish([("key".to_owned(), "fourth".to_owned())]).await;
    eventually("the group goes on", || after.contains("fourth")).await;
    assert!(!after.contains("hemlock"), "a dead-lettered record is final");
    running.stop().await;
}

pub(crate) async fn a_handler_that_panics_is_tried_again_and_then_dead_lettered(scene: Scene) {
    let memory = Memory::default();
    let remember = memory.clone();
    let running = scene.consume("panic", move |delivery: Delivery| {
        let memory = remember.clone();
        async move {
            assert!(text(&delivery) != "always" && (text(&delivery) != "once" || delivery.attempt > 1), "as arranged");
            memory.add(&delivery);
            Outcome::Done
        }
    });
    scene.publish(["once", "always", "never"].map(|text| ("key".to_owned(), text.to_owned()))).await;

    eventually("the key goes on", || memory.contains("never")).await;
    assert_eq!(memory.by_key()["key"], ["once", "never"]);
    let letter = dead_letters(scene.bus.as_ref(), 1).await.remove(0);
    assert_eq!((letter.attempts, letter.error.as_str()), (3, "the handler panicked"));
    running.stop().await;
}

async fn dead_letters(bus: &dyn Bus, count: usize) -> Vec<DeadLetter> {
    let mut tail = bus.tail(Topic::DeadLetters, AN_HOUR).unwrap();
    let mut letters = Vec::new();
    while letters.len() < count {
        let item = timeout(SOON, tail.next()).await.expect("the dead letters arrive").unwrap();
        if let TailItem::Record(delivery) = item {
            letters.push(serde_json::from_slice(&delivery.record.payload).unwrap());
        }
    }
    letters
}
