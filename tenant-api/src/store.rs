//! The rows of one merchant: every function takes the merchant's transaction, and no other row exists in it.
//!
//! A row of another merchant or another visitor is as absent as one that never was.

pub(crate) mod due;
pub(crate) mod idempotency;
pub mod leads;
pub(crate) mod merchants;
pub mod messages;
pub(crate) mod outbox;
pub mod threads;
pub mod turns;

use std::str::FromStr;

use vitrine_database::StoreError;
use vitrine_domain::thread::UnknownWord;

/// Reads a state or role as it is stored. A word this version does not know is an error of the database's answer.
fn word<T: FromStr<Err = UnknownWord>>(text: &str) -> Result<T, StoreError> {
    text.parse().map_err(|error: UnknownWord| StoreError {
        action: "read a stored word",
        source: sqlx::Error::Decode(Box::new(error)),
    })
}

/// PostgreSQL stores every character but NUL, which says nothing to a reader.
fn storable(text: &str) -> String {
    text.replace('\0', "")
}
