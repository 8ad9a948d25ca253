//! How a consumer behaves.

use std::time::Duration;

use vitrine_domain::limits::{IN_FLIGHT_PER_PARTITION_MAX, TURN_DEADLINE};

/// Limits of one consumer. The default is what the product runs with.
#[derive(Clone, Debug)]
pub struct ConsumerSettings {
    /// Records of one partition that are handed out and not final. At this number the partition is paused, at half
    /// of it it goes on.
    pub in_flight_max: usize,
    /// Shortest wait before a record is handed again; doubles with each attempt.
    pub retry_wait_min: Duration,
    /// Longest wait before a record is handed again.
    pub retry_wait_max: Duration,
    /// How long what is in flight of a partition may go on when another member is to have the partition; what is not
    /// final then, the other member does again. Kafka's client reads nothing at all meanwhile, not even from the
    /// partitions that stay, so this is shorter than a turn can take.
    pub revoke_grace: Duration,
    /// How long what is in flight may go on at a shutdown.
    pub shutdown_grace: Duration,
    /// How long a member may be silent before the group gives its partitions to others. Kafka only.
    pub session_timeout: Duration,
    /// How often stored offsets are sent to the broker. Kafka only.
    pub commit_interval: Duration,
}

impl Default for ConsumerSettings {
    fn default() -> Self {
        Self {
            in_flight_max: IN_FLIGHT_PER_PARTITION_MAX,
            retry_wait_min: Duration::from_millis(100),
            retry_wait_max: Duration::from_secs(10),
            revoke_grace: Duration::from_secs(10),
            shutdown_grace: TURN_DEADLINE + Duration::from_secs(10),
            session_timeout: Duration::from_secs(10),
            commit_interval: Duration::from_secs(1),
        }
    }
}
