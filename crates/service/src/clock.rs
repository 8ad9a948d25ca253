//! The one place where programs ask for the time and for random identifiers, so that rules take both as parameters and a
//! reader finds who does not. `cargo xtask tidy` checks that programs ask nowhere else.

use jiff::Timestamp;
use uuid::Uuid;

/// The time now.
pub fn now() -> Timestamp {
    Timestamp::now()
}

/// A new identifier that sorts by the time of its making: for rows and events.
pub fn new_uuid_v7() -> Uuid {
    Uuid::now_v7()
}

/// A new identifier that tells nothing, not even its time: for what strangers get to see.
pub fn new_uuid_v4() -> Uuid {
    Uuid::new_v4()
}
