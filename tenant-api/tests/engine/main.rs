//! The engine of turns on a real PostgreSQL, as the roles that production uses.
//!
//! Time is PostgreSQL's: a test that needs some to pass moves the rows' timestamps.

mod accepting;
mod dispatching;
mod idempotency;
mod interleavings;
mod outbox;
mod rate;
mod recording;
mod rows;
mod support;
mod sweeping;
