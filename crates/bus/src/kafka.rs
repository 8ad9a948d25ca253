//! The bus on an Apache Kafka cluster.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::dead_letter::DeadLetterSink;
use crate::kafka::clients::Clients;
use crate::kafka::publisher::Publisher;
use crate::settle::Settling;
use crate::{
    Bus, BusMetrics, ConsumeError, ConsumerSettings, Delivery, Handler, PublishError, Record, Tail, TailError, Topic,
    TopicError,
};

mod clients;
mod consumer;
mod membership;
mod off_thread;
mod publisher;
mod tail;
mod topics;

/// Where the cluster is and how the topics are called there.
#[derive(Clone, Debug)]
pub struct KafkaSettings {
    /// `host:port`, several with commas between.
    pub bootstrap_servers: String,
    /// Stands before the name of every topic and group, so that installations can share a cluster. Usually empty.
    pub topic_prefix: String,
}

/// A bus on Kafka. Clones share one producer.
#[derive(Clone)]
pub struct KafkaBus {
    clients: Clients,
    publisher: Arc<Publisher>,
    metrics: BusMetrics,
}

/// The settings are not ones that a Kafka client takes.
#[derive(Debug, thiserror::Error)]
#[error("failed to set up a Kafka client: {reason}")]
pub struct ConnectError {
    reason: String,
}

impl KafkaBus {
    /// Sets the bus up; the cluster need not be there yet.
    pub fn connect(settings: KafkaSettings, metrics: BusMetrics) -> Result<Self, ConnectError> {
        let clients = Clients::new(settings);
        let publisher = Publisher::new(clients.clone()).map_err(|error| ConnectError { reason: error.to_string() })?;
        Ok(Self { clients, publisher: Arc::new(publisher), metrics })
    }
}

impl Bus for KafkaBus {
    fn publish(&self, records: Vec<Record>) -> BoxFuture<'_, Vec<Result<(), PublishError>>> {
        self.publisher.publish(records).boxed()
    }

    fn consume(
        &self,
        topic: Topic,
        group: &str,
        handler: Arc<dyn Handler>,
        shutdown: CancellationToken,
        settings: ConsumerSettings,
    ) -> BoxFuture<'static, Result<(), ConsumeError>> {
        let settling = Settling {
            topic,
            group: group.to_owned(),
            handler,
            dead_letters: Arc::clone(&self.publisher) as Arc<dyn DeadLetterSink>,
            metrics: self.metrics.clone(),
            settings,
        };
        consumer::run(self.clients.clone(), settling, shutdown).boxed()
    }

    fn tail(&self, topic: Topic, since: Duration) -> Result<Tail, TailError> {
        let consumer = tail::consumer(&self.clients).map_err(|error| TailError { topic, reason: error.to_string() })?;
        let start = tail::Start {
            topic,
            topic_name: self.clients.topic_name(topic),
            // A span that reaches further back than time itself means everything.
            from: Timestamp::now().checked_sub(since).unwrap_or(Timestamp::UNIX_EPOCH),
        };
        Ok(Tail::spawn(|items| tail::run(consumer, start, items)))
    }

    fn ensure_topics(&self) -> BoxFuture<'_, Result<(), TopicError>> {
        topics::ensure(&self.clients).boxed()
    }
}

impl DeadLetterSink for Publisher {
    fn bury(&self, record: Record) -> BoxFuture<'_, Result<(), PublishError>> {
        async move { self.publish(vec![record]).await.pop().unwrap_or(Err(PublishError::Full)) }.boxed()
    }

    fn topic_name(&self, topic: Topic) -> String {
        self.clients().topic_name(topic)
    }

    /// With the tools that come with Kafka. Their producer puts a key into the same partition as ours.
    fn replay(&self, delivery: &Delivery) -> String {
        let servers = &self.clients().settings().bootstrap_servers;
        let topic = self.clients().topic_name(delivery.record.topic);
        format!(
            "kafka-console-consumer.sh --bootstrap-server {servers} --topic {topic} --partition {} --offset {} \
             --max-messages 1 --formatter-property print.key=true \
             | kafka-console-producer.sh --bootstrap-server {servers} --topic {topic} --reader-property parse.key=true",
            delivery.partition, delivery.offset,
        )
    }
}
