//! The `id` of a server-sent event: where in a thread a reader is.

use std::fmt;
use std::str::FromStr;

use crate::ids::AttemptId;

/// `sequence.attempt.characters` inside an answer, `sequence.stored.0` after a stored message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamId {
    /// The reader has this many Unicode scalar values of this attempt.
    Unfinished { sequence: i64, attempt: AttemptId, characters: usize },
    /// The reader has everything up to this message.
    Stored { sequence: i64 },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an event id: expected sequence.attempt.characters or sequence.stored.0")]
pub struct NotAStreamId;

impl fmt::Display for StreamId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unfinished { sequence, attempt, characters } => {
                write!(formatter, "{sequence}.{attempt}.{characters}")
            }
            Self::Stored { sequence } => write!(formatter, "{sequence}.stored.0"),
        }
    }
}

impl FromStr for StreamId {
    type Err = NotAStreamId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.splitn(3, '.');
        let (Some(sequence), Some(attempt), Some(characters)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(NotAStreamId);
        };
        let sequence: i64 = sequence.parse().map_err(|_| NotAStreamId)?;
        if sequence < 0 {
            return Err(NotAStreamId);
        }
        let characters: usize = characters.parse().map_err(|_| NotAStreamId)?;
        if attempt == "stored" {
            return Ok(Self::Stored { sequence });
        }
        Ok(Self::Unfinished { sequence, attempt: attempt.parse().map_err(|_| NotAStreamId)?, characters })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(sequence in 0..i64::MAX, attempt: u128, characters: usize) {
            let unfinished = StreamId::Unfinished { sequence, attempt: uuid::Uuid::from_u128(attempt).into(), characters };
            prop_assert_eq!(unfinished.to_string().parse(), Ok(unfinished));
            let stored = StreamId::Stored { sequence };
            prop_assert_eq!(stored.to_string().parse(), Ok(stored));
        }

        #[test]
        fn anything_else_is_refused_without_a_panic(text in ".{0,80}") {
            if let Ok(id) = text.parse::<StreamId>() {
                prop_assert!(id.to_string().parse::<StreamId>() == Ok(id));
            }
        }
    }
}
