//! What publishing says about each record.

use vitrine_bus::{PublishError, RECORD_BYTES_MAX};

use crate::scene::{Memory, Scene, TOPIC, eventually, record};

pub(crate) async fn every_record_has_its_own_result(scene: Scene) {
    let memory = Memory::default();
    let running = scene.consume("publishing", memory.handler());
    let bytes = RECORD_BYTES_MAX + 1;
    let largest = "x".repeat(RECORD_BYTES_MAX);
    let records = ["before", &"x".repeat(bytes), &largest, "after"].map(|text| record(TOPIC, "key", text));

    let results = scene.bus.publish(records.into()).await;
    assert_eq!(results, [Ok(()), Err(PublishError::TooLarge { bytes }), Ok(()), Ok(())]);
    eventually("the acknowledged ones arrive", || memory.contains("after")).await;
    assert_eq!(memory.by_key()["key"], ["before".to_owned(), largest, "after".to_owned()]);
    running.stop().await;
}
