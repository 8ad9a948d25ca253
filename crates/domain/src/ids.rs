//! Identifiers, one type each, so that a thread's id cannot be passed where a merchant's is meant.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$documentation:meta])* $name:ident) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            pub const fn as_uuid(&self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

id! {
    /// A merchant, for as long as its data lives: it survives renaming and restoring the resource.
    MerchantId
}
id! {
    /// One conversation of one visitor with one chatbot.
    ThreadId
}
id! {
    /// One question of a shopper (or several that were joined) and its answer. Also the id of the answer's message.
    TurnId
}
id! {
    MessageId
}
id! {
    /// A shopper's browser, as far as it keeps its visitor token.
    VisitorId
}
id! {
    LeadId
}
id! {
    /// One try of a runtime at answering a turn.
    AttemptId
}

impl From<TurnId> for MessageId {
    /// The answer's message carries the turn's id: storing it twice is a conflict of keys, not a second answer.
    fn from(turn: TurnId) -> Self {
        Self::new(turn.as_uuid())
    }
}
