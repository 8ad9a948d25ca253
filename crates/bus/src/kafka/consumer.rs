//! A member of a group on Kafka.

use std::collections::HashSet;
use std::time::Duration;

use rdkafka::TopicPartitionList;
use rdkafka::error::KafkaResult;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

use crate::crew::{Change, Crew};
use crate::kafka::clients::Clients;
use crate::kafka::membership::{Membership, Signal};
use crate::kafka::off_thread::OffThread;
use crate::settle::Settling;
use crate::{ConsumeError, Delivery};

/// How long leaving the group is waited for. The broker notices by itself after the session timeout.
const LEAVE_WAIT_MAX: Duration = Duration::from_secs(5);

/// Works off the member's partitions until `shutdown`, then finishes what is in flight and leaves.
pub(crate) async fn run(clients: Clients, settling: Settling, shutdown: CancellationToken) -> Result<(), ConsumeError> {
    let (topic, group, settings) = (settling.topic, settling.group.clone(), settling.settings.clone());
    let membership = Membership::join(
        &clients.member(&group, &settings),
        topic,
        clients.topic_name(topic),
        group.clone(),
        settling.metrics.clone(),
    )
    .map_err(|error| ConsumeError::Start { topic, group: group.clone(), reason: error.to_string() })?;
    let mut member = Member {
        crew: Crew::new(settling),
        membership: OffThread::new(membership),
        paused: HashSet::new(),
        returning: None,
        revoke_grace: settings.revoke_grace,
        stopping: false,
    };

    while !(member.stopping && member.crew.is_empty()) {
        tokio::select! {
            biased;
            () = shutdown.cancelled(), if !member.stopping => member.stop(settings.shutdown_grace),
            change = member.crew.changed() => member.settle(change),
            signal = member.membership.next() => match signal {
                Signal::Record(delivery) => member.take(delivery),
                Signal::Assigned(partitions) => member.assign(&partitions),
                Signal::Revoked(partitions) => member.revoke(partitions),
                Signal::Lost(partitions) => member.lose(&partitions),
                Signal::Fatal(error) => {
                    return Err(ConsumeError::Fatal { topic, group, reason: error.to_string() });
                }
            },
        }
    }
    if timeout(LEAVE_WAIT_MAX, member.membership.close()).await.is_err() {
        warn!(bus.topic = %topic, bus.group = group, "left the group without hearing from the broker");
    }
    Ok(())
}

struct Member {
    // Dropped in this order: handlers end before the group hears of it.
    crew: Crew<()>,
    membership: OffThread<Membership>,
    paused: HashSet<i32>,
    /// Revoked partitions, given back when all of them are drained.
    returning: Option<TopicPartitionList>,
    revoke_grace: Duration,
    stopping: bool,
}

impl Member {
    fn take(&mut self, delivery: Delivery) {
        let partition = delivery.partition;
        self.crew.accept(delivery);
        if self.crew.is_full(partition) && self.paused.insert(partition) {
            debug!(bus.partition = partition, "pausing a partition that is full");
            report(self.membership.pause(&[partition]), "pause a partition");
        }
    }

    fn settle(&mut self, change: Change) {
        match change {
            Change::Settled { partition, position } => {
                if let Some(position) = position {
                    report(self.membership.store(partition, position), "store an offset");
                }
                if self.crew.has_room(partition) && self.paused.remove(&partition) {
                    debug!(bus.partition = partition, "resuming a partition that has room");
                    report(self.membership.resume(&[partition]), "resume a partition");
                }
            }
            Change::Drained { .. } => self.give_back_what_is_drained(),
        }
    }

    fn assign(&mut self, partitions: &TopicPartitionList) {
        if !self.stopping {
            for partition in numbers(partitions) {
                self.paused.remove(&partition);
                self.crew.open(partition, ());
            }
        }
        report(self.membership.assign(partitions), "take partitions");
        if self.stopping {
            report(self.membership.pause(&numbers(partitions)), "pause partitions");
        }
    }

    fn revoke(&mut self, partitions: TopicPartitionList) {
        let revoked = numbers(&partitions);
        report(self.membership.pause(&revoked), "pause partitions");
        for partition in revoked {
            self.crew.drain(partition, self.revoke_grace);
        }
        self.returning = Some(partitions);
        self.give_back_what_is_drained();
    }

    fn lose(&mut self, partitions: &TopicPartitionList) {
        for partition in numbers(partitions) {
            self.paused.remove(&partition);
            self.crew.close(partition);
        }
    }

    fn stop(&mut self, grace: Duration) {
        self.stopping = true;
        let held = self.crew.partitions();
        report(self.membership.pause(&held), "pause partitions");
        for partition in held {
            self.crew.drain(partition, grace);
        }
    }

    fn give_back_what_is_drained(&mut self) {
        let crew = &self.crew;
        let Some(partitions) =
            self.returning.take_if(|partitions| numbers(partitions).iter().all(|partition| !crew.holds(*partition)))
        else {
            return;
        };
        for partition in numbers(&partitions) {
            self.paused.remove(&partition);
        }
        report(self.membership.unassign(&partitions), "give partitions back");
    }
}

fn numbers(partitions: &TopicPartitionList) -> Vec<i32> {
    partitions.elements().iter().map(rdkafka::topic_partition_list::TopicPartitionListElem::partition).collect()
}

/// These fail only when the partition was lost meanwhile, which has its own signal.
fn report(result: KafkaResult<()>, what: &str) {
    if let Err(error) = result {
        warn!(%error, "failed to {what}");
    }
}
