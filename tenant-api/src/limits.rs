//! Limits on what the public side may be asked for. They are kept per replica, in memory of a bounded size; what a
//! merchant may use over all replicas is decided in the database.

mod rate;
mod streams;

pub use rate::{Allowance, RateLimit, RateLimits, RatePolicy, RateSettings};
pub use streams::{StreamLimits, StreamPermit, StreamSettings};
