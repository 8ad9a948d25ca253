//! The real Kafka: what was acknowledged is there after a kill.

use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::producer::{FutureProducer, FutureRecord};
use vitrine_testkit::{Kafka, eventually, unique_name};

/// A broker that was just killed comes back and serves within this time on a busy machine.
const SERVES_WITHIN: Duration = Duration::from_mins(1);

#[tokio::test]
async fn a_killed_broker_comes_back_on_its_port_with_what_was_acknowledged() {
    let mut kafka = Kafka::start().await.expect("a broker");
    let bootstrap_servers = kafka.bootstrap_servers();
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", &bootstrap_servers).set("log_level", "0");
    let topic = unique_name("kept");
    let admin: AdminClient<_> = config.create().expect("an admin client");
    let new_topic = NewTopic::new(&topic, 1, TopicReplication::Fixed(1));
    admin.create_topics([&new_topic], &AdminOptions::new()).await.expect("an answer").remove(0).expect("the topic");
    let producer: FutureProducer = config.clone().set("acks", "all").create().expect("a producer");
    producer.send(FutureRecord::to(&topic).key("key").payload("kept"), SERVES_WITHIN).await.expect("acknowledged");

    kafka.kill().expect("the kill");
    kafka.restart().await.expect("the restart");

    assert_eq!(kafka.bootstrap_servers(), bootstrap_servers);
    let consumer: BaseConsumer = config.create().expect("a consumer");
    eventually(SERVES_WITHIN, "the acknowledged record is there", || async {
        consumer.fetch_watermarks(&topic, 0, Duration::from_secs(1)).is_ok_and(|(_, end)| end == 1)
    })
    .await;
    assert!(kafka.stop().await.expect("the stop").code().is_some());
}
