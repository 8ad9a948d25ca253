//! The real parts the tests need, as child processes on free ports: PostgreSQL, Apache Kafka, our own programs.
//!
//! Everything started here ends with the process that started it, even when that is killed. What is worth keeping (jars,
//! a made data folder, a migrated template database) stays in the cache, `~/.cache/vitrine` or `VITRINE_CACHE`.

mod cache;
mod database;
mod eventually;
mod kafka;
mod port;
mod postgres;
mod process;
mod slot;

pub use database::TestDatabase;
pub use eventually::{eventually, eventually_some};
pub use kafka::{Kafka, kafka};
pub use port::free_port;
pub use postgres::{Postgres, postgres};
pub use process::{Process, Program};
pub use vitrine_local_postgres::{Server, Settings};

/// A name nobody else uses, for topic prefixes, groups and the like: `prefix-` and 12 random characters.
pub fn unique_name(prefix: &str) -> String {
    let random = uuid::Uuid::new_v4().simple().to_string();
    format!("{prefix}-{}", &random[..12])
}
