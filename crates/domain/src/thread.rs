//! States of threads and turns, as they are stored and sent.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! stored_word {
    ($name:ident { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl $name {
            /// The word in the database and on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl FromStr for $name {
            type Err = UnknownWord;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text {
                    $($word => Ok(Self::$variant),)+
                    other => Err(UnknownWord { kind: stringify!($name), word: other.to_owned() }),
                }
            }
        }
    };
}

/// A stored word this version does not know.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} {word:?}")]
pub struct UnknownWord {
    pub kind: &'static str,
    pub word: String,
}

/// Who has the word in a thread. Only the server changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThreadState {
    Bot,
    Waiting,
    Owner,
    Closed,
}
stored_word!(ThreadState { Bot => "bot", Waiting => "waiting", Owner => "owner", Closed => "closed" });

/// `Queued → Dispatched → Done | Failed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TurnState {
    Queued,
    Dispatched,
    Done,
    Failed,
}
stored_word!(TurnState { Queued => "queued", Dispatched => "dispatched", Done => "done", Failed => "failed" });

impl TurnState {
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Dispatched)
    }
}

/// Who wrote a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Human,
    Ai,
    Owner,
}
stored_word!(Role { Human => "human", Ai => "ai", Owner => "owner" });
