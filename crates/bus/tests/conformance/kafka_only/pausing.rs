use vitrine_bus::{ConsumerSettings, Delivery};

use crate::scene::{self, Gate, Gated, Log, Memory, eventually};

/// On one thread, for the log is that of a thread.
#[tokio::test]
async fn a_full_partition_is_paused_and_goes_on_at_half() {
    const RECORDS: usize = 500;
    const IN_FLIGHT_MAX: usize = 8;
    let (log, _logging) = Log::start();
    let scene = scene::kafka().await;
    let (gate, memory) = (Gate::closed(), Memory::default());
    let settings = ConsumerSettings { in_flight_max: IN_FLIGHT_MAX, ..scene.settings.clone() };
    // The first records of the partition wait at the gate, the rest is quick.
    let handler = Gated {
        gate: gate.clone(),
        memory: memory.clone(),
        waits: |delivery: &Delivery| delivery.offset < i64::try_from(IN_FLIGHT_MAX).unwrap(),
    };
    let running = scene.consume_as("pausing", handler, settings);
    // One key, so one partition.
    scene.publish((0..RECORDS).map(|number| ("key".to_owned(), number.to_string()))).await;

    eventually("the partition is paused", || log.count("pausing a partition") == 1).await;
    assert_eq!(log.count("resuming a partition"), 0);
    assert_eq!(memory.len(), 0);
    gate.open();
    eventually("everything is handled", || memory.len() == RECORDS).await;
    assert!(log.count("resuming a partition") >= 1);
    let texts = memory.by_key().remove("key").unwrap();
    assert_eq!(texts, (0..RECORDS).map(|number| number.to_string()).collect::<Vec<_>>(), "in order, each once");
    running.stop().await;
}
