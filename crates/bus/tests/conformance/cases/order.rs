//! Order per key, keys side by side, groups and their members.

use std::collections::HashSet;
use std::time::Duration;

use tokio::time::sleep;
use vitrine_bus::{Delivery, Outcome};

use crate::scene::{Gate, Gated, Memory, Scene, eventually, text};

pub(crate) async fn records_of_a_key_are_handled_in_order(scene: Scene) {
    const KEYS: usize = 40;
    const RECORDS: usize = 4000;
    let memory = Memory::default();
    let remember = memory.clone();
    let running = scene.consume("order", move |delivery: Delivery| {
        let memory = remember.clone();
        async move {
            // Work of uneven length; some does not wait at all.
            let work_us = uuid::Uuid::new_v4().as_u128() % 3000;
            if work_us > 1000 {
                sleep(Duration::from_micros(u64::try_from(work_us).unwrap())).await;
            }
            memory.add(&delivery);
            Outcome::Done
        }
    });
    scene.publish((0..RECORDS).map(|number| (format!("key-{}", number % KEYS), format!("{number:05}")))).await;

    eventually("every record is handled", || memory.len() >= RECORDS).await;
    let by_key = memory.by_key();
    assert_eq!(by_key.len(), KEYS);
    for (key, texts) in by_key {
        assert_eq!(texts.len(), RECORDS / KEYS, "records of {key}");
        assert!(texts.is_sorted(), "{key} was handled out of order: {texts:?}");
    }
    running.stop().await;
}

pub(crate) async fn a_slow_key_holds_no_other(scene: Scene) {
    const OTHERS: usize = 200;
    let (gate, memory) = (Gate::closed(), Memory::default());
    let handler = Gated {
        gate: gate.clone(),
        memory: memory.clone(),
        waits: |delivery: &Delivery| delivery.record.key == "slow",
    };
    let running = scene.consume("side-by-side", handler);
    scene.publish([("slow".to_owned(), "slow 1".to_owned()), ("slow".to_owned(), "slow 2".to_owned())]).await;
    eventually("the slow record is being handled", || !gate.seen().is_empty()).await;
    scene.publish((0..OTHERS).map(|number| (format!("quick-{number}"), number.to_string()))).await;

    eventually("every other key is handled", || memory.len() == OTHERS).await;
    let slow = &gate.seen()[0];
    assert!(
        memory.all().iter().any(|quick| quick.partition == slow.partition && quick.offset > slow.offset),
        "no other key shared the partition of the slow one, so nothing was shown"
    );
    assert_eq!(gate.seen().len(), 1, "the second record of the slow key waits for the first");
    gate.open();
    eventually("the slow key is handled", || memory.contains("slow 2")).await;
    running.stop().await;
}

pub(crate) async fn every_group_gets_every_record(scene: Scene) {
    const RECORDS: usize = 50;
    let (first, second) = (Memory::default(), Memory::default());
    let running = [scene.consume("first", first.handler()), scene.consume("second", second.handler())];
    scene.publish((0..RECORDS).map(|number| (number.to_string(), number.to_string()))).await;

    eventually("both groups have everything", || first.len() == RECORDS && second.len() == RECORDS).await;
    for running in running {
        running.stop().await;
    }
}

pub(crate) async fn members_of_a_group_share_the_records(scene: Scene) {
    let (first, second) = (Memory::default(), Memory::default());
    let running = [scene.consume("shared", first.handler()), scene.consume("shared", second.handler())];
    let mut published = 0;
    // Until the group has settled one member may get everything.
    while first.len() < 100 || second.len() < 100 {
        scene
            .publish((published..published + 60).map(|number| (format!("key-{}", number % 60), number.to_string())))
            .await;
        published += 60;
        assert!(published < 60_000, "the members never shared");
        eventually("what was published is handled", || first.len() + second.len() >= published).await;
    }
    let all: Vec<Delivery> = first.all().into_iter().chain(second.all()).collect();
    let distinct: HashSet<String> = all.iter().map(text).collect();
    assert_eq!(distinct.len(), published, "every record was handled");
    for running in running {
        running.stop().await;
    }
}
