//! The first limits of the product, in one place. A limit that plans or merchants change is data in the tenant
//! config; these hold for everybody.

use std::time::Duration;

/// A turn that has no END this long after its request was on the bus is overdue.
pub const TURN_DEADLINE: Duration = Duration::from_mins(1);
/// How long `POST /api/messages` waits for the stored answer before it answers 202.
pub const POST_WAIT_MAX: Duration = Duration::from_secs(30);
/// How long the sweeper leaves a turn alone whose request could not be published (Kafka away).
pub const PUBLISH_WAIT_MAX: Duration = Duration::from_mins(10);
/// A turn is put on the bus this often at most.
pub const DISPATCHES_MAX: i32 = 2;
/// A turn is tried by runtimes this often at most; the next attempt ends it as failed without a model call.
pub const ATTEMPTS_MAX: i32 = 3;
/// Longest stored answer.
pub const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// Longest request body, uploads excepted.
pub const BODY_BYTES_MAX: usize = 64 * 1024;
/// Requests waiting to be put on the bus before new messages are refused with 503.
pub const OUTBOX_ROWS_MAX: i64 = 100_000;
/// Transactions of one merchant that one replica lets wait for the merchant's row; the next gets 429.
pub const MERCHANT_WAITERS_MAX: usize = 4;
/// Partitions of the request topic and of the event topic.
pub const PARTITIONS: i32 = 12;
/// Records in flight per partition.
pub const IN_FLIGHT_PER_PARTITION_MAX: usize = 64;
/// How often a runtime puts merged deltas on the bus.
pub const DELTA_INTERVAL: Duration = Duration::from_millis(40);
/// How long an idempotency key is remembered.
pub const IDEMPOTENCY_KEY_LIFETIME: Duration = Duration::from_hours(24);
/// Longest idempotency key.
pub const IDEMPOTENCY_KEY_CHARACTERS_MAX: usize = 128;
/// Messages of a shopper that one queued turn can take in.
pub const MESSAGES_PER_TURN_MAX: i64 = 10;
