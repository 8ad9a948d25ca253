//! What the broker is told: as small as one broker can be, and quick to notice a dead consumer.

use std::path::Path;

/// Where a broker listens, on 127.0.0.1. It keeps them over a restart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ports {
    pub(crate) broker: u16,
    pub(crate) controller: u16,
}

impl Ports {
    pub(crate) fn bootstrap_servers(self) -> String {
        format!("127.0.0.1:{}", self.broker)
    }
}

/// The contents of `server.properties`. A broker that comes back after a kill waits until its former self is given up:
/// three seconds instead of nine.
pub(crate) fn properties(ports: Ports, data: &Path) -> String {
    let Ports { broker, controller } = ports;
    let data = data.display();
    format!(
        "process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{broker}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs={data}
num.partitions=4
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=500
auto.create.topics.enable=false
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
log.cleaner.dedupe.buffer.size=16777216
log.index.size.max.bytes=1048576
"
    )
}
