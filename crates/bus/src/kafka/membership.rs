//! Membership in a consumer group.

use std::sync::atomic::{AtomicBool, Ordering};

use rdkafka::config::{ClientConfig, FromClientConfigAndContext};
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext, RebalanceProtocol, StreamConsumer};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::types::RDKafkaRespErr;
use rdkafka::{ClientContext, Message, Statistics, TopicPartitionList};
use tokio::sync::mpsc;
use tracing::{info, warn};

use crate::{BusMetrics, Delivery, Record, Topic};

/// What reaches a member.
pub(crate) enum Signal {
    Record(Delivery),
    /// Nothing is read of these before [`Membership::assign`] was called.
    Assigned(TopicPartitionList),
    /// Nobody else gets these before [`Membership::unassign`] was called.
    Revoked(TopicPartitionList),
    /// Others may have these already.
    Lost(TopicPartitionList),
    /// The member cannot go on.
    Fatal(KafkaError),
}

/// A member that takes its time over giving partitions back: librdkafka's callbacks only pass the message on, and the
/// consumer answers when it is ready. Dropping it leaves the group, after sending the stored offsets; that blocks.
pub(crate) struct Membership {
    consumer: StreamConsumer<GroupContext>,
    /// Holds one rebalance at most: librdkafka sends the next when this one was answered.
    rebalances: mpsc::UnboundedReceiver<Signal>,
    topic: Topic,
    topic_name: String,
}

impl Membership {
    pub(crate) fn join(
        config: &ClientConfig,
        topic: Topic,
        topic_name: String,
        group: String,
        metrics: BusMetrics,
    ) -> KafkaResult<Self> {
        let (sender, rebalances) = mpsc::unbounded_channel();
        let context = GroupContext {
            rebalances: sender,
            is_leaving: AtomicBool::new(false),
            topic,
            topic_name: topic_name.clone(),
            group,
            metrics,
        };
        let consumer = StreamConsumer::from_config_and_context(config, context)?;
        consumer.subscribe(&[&topic_name])?;
        Ok(Self { consumer, rebalances, topic, topic_name })
    }

    /// The next signal. Can be dropped and called again without losing one.
    pub(crate) async fn next(&mut self) -> Signal {
        loop {
            tokio::select! {
                biased;
                Some(rebalance) = self.rebalances.recv() => return rebalance,
                received = self.consumer.recv() => match received {
                    Ok(message) => {
                        let record = Record {
                            topic: self.topic,
                            key: message.key().map(String::from_utf8_lossy).unwrap_or_default().into_owned(),
                            payload: message.payload().unwrap_or_default().to_vec().into(),
                        };
                        let (partition, offset) = (message.partition(), message.offset());
                        return Signal::Record(Delivery { record, partition, offset, attempt: 1 });
                    }
                    Err(error @ KafkaError::MessageConsumptionFatal(_)) => return Signal::Fatal(error),
                    // librdkafka goes on by itself.
                    Err(error) => warn!(%error, bus.topic = self.topic_name, "could not read from the bus"),
                },
            }
        }
    }

    /// Begins to read the assigned partitions.
    pub(crate) fn assign(&self, partitions: &TopicPartitionList) -> KafkaResult<()> {
        answer_assign(&self.consumer, partitions)?;
        // A partition that was paused when it was given back would stay so.
        self.consumer.resume(partitions)
    }

    /// Gives the revoked partitions back, after sending their stored offsets.
    pub(crate) fn unassign(&self, partitions: &TopicPartitionList) -> KafkaResult<()> {
        answer_unassign(&self.consumer, partitions)
    }

    /// Everything of the partition below `position` is final.
    pub(crate) fn store(&self, partition: i32, position: i64) -> KafkaResult<()> {
        self.consumer.store_offset(&self.topic_name, partition, position - 1)
    }

    pub(crate) fn pause(&self, partitions: &[i32]) -> KafkaResult<()> {
        self.consumer.pause(&self.list(partitions))
    }

    pub(crate) fn resume(&self, partitions: &[i32]) -> KafkaResult<()> {
        self.consumer.resume(&self.list(partitions))
    }

    fn list(&self, partitions: &[i32]) -> TopicPartitionList {
        let mut list = TopicPartitionList::new();
        for partition in partitions {
            list.add_partition(&self.topic_name, *partition);
        }
        list
    }
}

impl Drop for Membership {
    /// From here on nobody is there to answer: the callbacks do it themselves, or closing the consumer would wait for
    /// ever. One that was not answered yet is settled by closing.
    fn drop(&mut self) {
        self.consumer.context().is_leaving.store(true, Ordering::SeqCst);
    }
}

struct GroupContext {
    rebalances: mpsc::UnboundedSender<Signal>,
    is_leaving: AtomicBool,
    topic: Topic,
    topic_name: String,
    group: String,
    metrics: BusMetrics,
}

impl ConsumerContext for GroupContext {
    /// Runs on whatever thread polls the consumer, so it must not wait.
    fn rebalance(&self, consumer: &BaseConsumer<Self>, code: RDKafkaRespErr, partitions: &mut TopicPartitionList) {
        let is_assignment = code == RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS;
        let is_lost = !is_assignment && consumer.assignment_lost();
        info!(
            bus.topic = self.topic_name,
            bus.group = self.group,
            partitions = partitions.count(),
            change = if is_assignment {
                "assigned"
            } else if is_lost {
                "lost"
            } else {
                "revoked"
            },
            "the group shares its partitions out anew",
        );
        let is_leaving = self.is_leaving.load(Ordering::SeqCst);
        if is_leaving || is_lost {
            let answered =
                if is_assignment { answer_assign(consumer, partitions) } else { answer_unassign(consumer, partitions) };
            if let Err(error) = answered {
                warn!(%error, bus.topic = self.topic_name, "failed to answer a rebalance");
            }
        }
        if is_leaving {
            return;
        }
        let partitions = partitions.clone();
        let signal = match (is_assignment, is_lost) {
            (true, _) => Signal::Assigned(partitions),
            (false, false) => Signal::Revoked(partitions),
            (false, true) => Signal::Lost(partitions),
        };
        // The receiver goes together with the consumer.
        let _ = self.rebalances.send(signal);
    }
}

impl ClientContext for GroupContext {
    fn stats(&self, statistics: Statistics) {
        let Some(topic) = statistics.topics.get(&self.topic_name) else { return };
        let held = topic.partitions.values().filter(|partition| partition.fetch_state == "active");
        // Before the first offset is stored the committed one counts, and in a new group everything; -1 is "unknown".
        let lag = held.map(|partition| match (partition.consumer_lag_stored, partition.consumer_lag) {
            (stored @ 0.., _) => stored,
            (_, committed @ 0..) => committed,
            _ => partition.hi_offset.max(0) - partition.lo_offset.max(0),
        });
        self.metrics.set_lag(self.topic, &self.group, lag.sum());
    }

    fn error(&self, error: KafkaError, reason: &str) {
        warn!(%error, reason, bus.topic = self.topic_name, bus.group = self.group, "a consumer has trouble with the bus");
    }
}

fn answer_assign<C: ConsumerContext>(consumer: &impl Consumer<C>, partitions: &TopicPartitionList) -> KafkaResult<()> {
    match consumer.rebalance_protocol() {
        RebalanceProtocol::Cooperative => consumer.incremental_assign(partitions),
        RebalanceProtocol::Eager | RebalanceProtocol::None => consumer.assign(partitions),
    }
}

fn answer_unassign<C: ConsumerContext>(
    consumer: &impl Consumer<C>,
    partitions: &TopicPartitionList,
) -> KafkaResult<()> {
    match consumer.rebalance_protocol() {
        RebalanceProtocol::Cooperative => consumer.incremental_unassign(partitions),
        RebalanceProtocol::Eager | RebalanceProtocol::None => consumer.unassign(),
    }
}
