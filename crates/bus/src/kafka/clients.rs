//! The configuration of every Kafka client of the bus, in one place.

use std::sync::Arc;
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;

use crate::{ConsumerSettings, KafkaSettings, Topic};

/// How long a record may wait for its acknowledgement before publishing it has failed.
pub(crate) const DELIVERY_TIMEOUT: Duration = Duration::from_secs(10);
/// Records waiting in the producer.
const PRODUCER_RECORDS_MAX: u32 = 10_000;
/// Bytes waiting in the producer, in KiB.
const PRODUCER_KIBIBYTES_MAX: u32 = 64 * 1024;
/// Bytes a consumer reads ahead, in KiB.
const READ_AHEAD_KIBIBYTES_MAX: u32 = 8 * 1024;
/// How long a member may take to hear that the group shares its partitions out anew.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(1);
/// How often a consumer measures its lag.
const STATISTICS_INTERVAL: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub(crate) struct Clients {
    settings: Arc<KafkaSettings>,
}

impl Clients {
    pub(crate) fn new(settings: KafkaSettings) -> Self {
        Self { settings: Arc::new(settings) }
    }

    pub(crate) fn settings(&self) -> &KafkaSettings {
        &self.settings
    }

    pub(crate) fn topic_name(&self, topic: Topic) -> String {
        format!("{}{}", self.settings.topic_prefix, topic.name())
    }

    pub(crate) fn group_name(&self, group: &str) -> String {
        format!("{}{group}", self.settings.topic_prefix)
    }

    pub(crate) fn producer(&self) -> ClientConfig {
        let mut config = self.client();
        config
            .set("enable.idempotence", "true")
            .set("acks", "all")
            // Long enough to put the records of one commit into one request, too short to be felt.
            .set("linger.ms", "1")
            .set("delivery.timeout.ms", milliseconds(DELIVERY_TIMEOUT))
            .set("queue.buffering.max.messages", PRODUCER_RECORDS_MAX.to_string())
            .set("queue.buffering.max.kbytes", PRODUCER_KIBIBYTES_MAX.to_string())
            // As the Java clients do it, so that a replay with Kafka's own tools keeps a key in its partition.
            .set("partitioner", "murmur2_random");
        config
    }

    pub(crate) fn member(&self, group: &str, settings: &ConsumerSettings) -> ClientConfig {
        let mut config = self.reader();
        config
            .set("group.id", self.group_name(group))
            .set("partition.assignment.strategy", "cooperative-sticky")
            .set("session.timeout.ms", milliseconds(settings.session_timeout))
            .set("heartbeat.interval.ms", milliseconds(HEARTBEAT_INTERVAL.min(settings.session_timeout / 5)))
            // A member that drains takes part in the next rebalance only afterwards.
            .set("max.poll.interval.ms", milliseconds(settings.session_timeout + 4 * settings.revoke_grace))
            // An offset is stored when its outcome is final, and only then sent.
            .set("enable.auto.offset.store", "false")
            .set("enable.auto.commit", "true")
            .set("auto.commit.interval.ms", milliseconds(settings.commit_interval))
            .set("statistics.interval.ms", milliseconds(STATISTICS_INTERVAL));
        config
    }

    pub(crate) fn tail(&self) -> ClientConfig {
        let mut config = self.reader();
        config
            // Reading needs the name of a group; without subscribing nobody joins it, and nothing is stored in it.
            .set("group.id", self.group_name("vitrine-tail"))
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true");
        config
    }

    /// For creating topics and asking about them.
    pub(crate) fn client(&self) -> ClientConfig {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", &self.settings.bootstrap_servers)
            .set("client.id", "vitrine")
            .set("reconnect.backoff.ms", "100")
            .set("reconnect.backoff.max.ms", "2000")
            .set("topic.metadata.refresh.interval.ms", "30000")
            .set_log_level(RDKafkaLogLevel::Warning);
        config
    }

    fn reader(&self) -> ClientConfig {
        let mut config = self.client();
        config
            .set("auto.offset.reset", "earliest")
            .set("queued.max.messages.kbytes", READ_AHEAD_KIBIBYTES_MAX.to_string())
            // librdkafka's default of a second would be felt whenever its buffer was full for a moment.
            .set("fetch.queue.backoff.ms", "20");
        config
    }
}

fn milliseconds(duration: Duration) -> String {
    duration.as_millis().to_string()
}
