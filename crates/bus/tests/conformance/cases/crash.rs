//! At least once: what a crash, and a shutdown, leave to the next member.

use std::collections::HashSet;
use std::time::Duration;

use vitrine_bus::{ConsumerSettings, Delivery};

use crate::scene::{Gate, Gated, Memory, Scene, eventually, text};

pub(crate) async fn a_crash_loses_nothing(scene: Scene) {
    const RECORDS: usize = 300;
    let (gate, before) = (Gate::closed(), Memory::default());
    let stuck_at_every_third = |delivery: &Delivery| text(delivery).parse::<usize>().unwrap() % 3 == 0;
    let handler = Gated { gate: gate.clone(), memory: before.clone(), waits: stuck_at_every_third };
    let crashing = scene.consume("crash", handler);
    scene.publish((0..RECORDS).map(|number| (format!("key-{number}"), number.to_string()))).await;
    eventually("the rest is handled", || before.len() == RECORDS - RECORDS.div_ceil(3)).await;
    eventually("every third is in flight", || gate.seen().len() == RECORDS.div_ceil(3)).await;
    crashing.crash().await;

    let after = Memory::default();
    let running = scene.consume("crash", after.handler());
    let stuck: HashSet<String> = gate.seen().iter().map(text).collect();
    eventually("what was in flight comes again", || {
        let again: HashSet<String> = after.all().iter().map(text).collect();
        stuck.is_subset(&again)
    })
    .await;
    running.stop().await;
}

pub(crate) async fn an_offset_is_stored_only_when_everything_below_it_is_final(scene: Scene) {
    const RECORDS: usize = 400;
    let (gate, before) = (Gate::closed(), Memory::default());
    let handler = Gated {
        gate: gate.clone(),
        memory: before.clone(),
        waits: |delivery: &Delivery| text(delivery).parse::<usize>().unwrap() == RECORDS / 2,
    };
    let settings = ConsumerSettings { shutdown_grace: Duration::from_millis(500), ..scene.settings.clone() };
    let running = scene.consume_as("offsets", handler, settings);
    scene.publish((0..RECORDS).map(|number| (format!("key-{number}"), number.to_string()))).await;
    eventually("everything else is handled", || before.len() == RECORDS - 1).await;
    let stuck = gate.seen().remove(0);
    running.stop().await;
    assert_eq!(before.len(), RECORDS - 1, "the open record was given up");

    let after = Memory::default();
    let running = scene.consume("offsets", after.handler());
    eventually("the open record comes again", || after.contains(&text(&stuck))).await;
    running.stop().await;
    let again = after.all();
    assert!(
        again.iter().all(|delivery| delivery.partition == stuck.partition && delivery.offset >= stuck.offset),
        "what lies below the open record is final and must not come again: {again:?}"
    );
    let behind = before
        .all()
        .into_iter()
        .filter(|delivery| delivery.partition == stuck.partition && delivery.offset > stuck.offset);
    assert_eq!(again.len(), behind.count() + 1, "what lies behind the open record comes again");
}

pub(crate) async fn a_shutdown_finishes_what_is_in_flight(scene: Scene) {
    const RECORDS: usize = 60;
    let (gate, before) = (Gate::closed(), Memory::default());
    let settings = ConsumerSettings { in_flight_max: 2, ..scene.settings.clone() };
    let handler = Gated { gate: gate.clone(), memory: before.clone(), waits: |_: &Delivery| true };
    let running = scene.consume_as("drain", handler, settings);
    scene.publish((0..RECORDS).map(|number| (format!("key-{number}"), number.to_string()))).await;
    eventually("records are in flight", || gate.seen().len() >= 10).await;
    running.shutdown.cancel();
    // A publish and its acknowledgement later, a consumer that does not wait would be gone.
    scene.publish([("late".to_owned(), "late".to_owned())]).await;
    assert!(!running.has_ended(), "the consumer waits for what is in flight");
    gate.open();
    running.stop().await;
    let finished: HashSet<String> = before.all().iter().map(text).collect();
    assert_eq!(finished.len(), gate.seen().len(), "everything in flight was finished");
    assert!(finished.len() < RECORDS, "nothing new was begun");

    let after = Memory::default();
    let running = scene.consume("drain", after.handler());
    eventually("the rest is handled", || finished.len() + after.len() == RECORDS + 1).await;
    running.stop().await;
    let rest: HashSet<String> = after.all().iter().map(text).collect();
    assert!(finished.is_disjoint(&rest), "what was finished does not come again");
}

pub(crate) async fn a_shutdown_gives_up_what_outlives_its_grace(scene: Scene) {
    let (gate, before) = (Gate::closed(), Memory::default());
    let settings = ConsumerSettings { shutdown_grace: Duration::from_millis(100), ..scene.settings.clone() };
    let handler = Gated { gate: gate.clone(), memory: before.clone(), waits: |_: &Delivery| true };
    let running = scene.consume_as("grace", handler, settings);
    scene.publish([("key".to_owned(), "endless".to_owned())]).await;
    eventually("the record is in flight", || !gate.seen().is_empty()).await;
    running.stop().await;
    assert_eq!(before.len(), 0);

    let after = Memory::default();
    let running = scene.consume("grace", after.handler());
    eventually("the record comes again", || after.contains("endless")).await;
    running.stop().await;
}
