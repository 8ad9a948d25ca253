//! Carries records between the programs: one small set of traits, two implementations.
//!
//! [`KafkaBus`] speaks to an Apache Kafka cluster. [`LocalBus`] lives in this process and keeps nothing over a
//! restart; whoever publishes must be able to publish again. Both promise the same, and one conformance suite
//! (`tests/conformance`) holds both to it:
//!
//! - records of one key are handled in the order they were published, keys side by side;
//! - every record is handled at least once: its offset is stored only when its outcome is final, so a crash repeats
//!   work and never loses it. Handlers must be idempotent;
//! - at most [`ConsumerSettings::in_flight_max`] records of a partition are in flight;
//! - a record that can never succeed goes to [`Topic::DeadLetters`] with its coordinates and holds nobody up;
//! - a dependency that is down holds up the keys it concerns, not the others.

mod backoff;
mod bus;
mod crew;
mod dead_letter;
mod handler;
mod kafka;
mod lanes;
mod local;
mod metrics;
mod offsets;
mod provide;
mod record;
mod settings;
mod settle;
mod tail;
mod work;

pub use bus::{Bus, ConsumeError, PublishError, TailError, TopicError};
pub use dead_letter::DeadLetter;
pub use handler::{Handler, Outcome};
pub use kafka::{ConnectError, KafkaBus, KafkaSettings};
pub use local::{LocalBus, LocalSettings};
pub use metrics::BusMetrics;
pub use provide::provide_topics;
pub use record::{DecodeError, Delivery, EncodeError, RECORD_BYTES_MAX, Record, Topic};
pub use settings::ConsumerSettings;
pub use tail::{Tail, TailItem};
