//! Merging a model's pieces: the first goes out at once, later ones together every [`DELTA_INTERVAL`].

use futures::StreamExt;
use futures::stream::BoxStream;
use tokio::time::{Instant, timeout_at};
use vitrine_domain::limits::{ANSWER_BYTES_MAX, DELTA_INTERVAL};

use crate::model::ModelError;

/// A model's stream, merged, with its place in the text.
pub(crate) struct Deltas {
    pieces: BoxStream<'static, Result<String, ModelError>>,
    /// Everything received so far.
    text: String,
    /// How much of `text` was given out: bytes, and Unicode scalar values.
    given_bytes: usize,
    given_characters: usize,
    next_at: Option<Instant>,
    ended: bool,
}

/// A piece of the answer; `at` is where it begins, in Unicode scalar values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Delta {
    pub at: usize,
    pub text: String,
}

impl Deltas {
    pub(crate) fn new(pieces: BoxStream<'static, Result<String, ModelError>>) -> Self {
        Self { pieces, text: String::new(), given_bytes: 0, given_characters: 0, next_at: None, ended: false }
    }

    /// The next piece, or `None` at the end. An answer that grows beyond [`ANSWER_BYTES_MAX`] ends there.
    pub(crate) async fn next(&mut self) -> Result<Option<Delta>, ModelError> {
        while !self.ended {
            let received = match self.next_at {
                Some(at) if self.text.len() > self.given_bytes => match timeout_at(at, self.pieces.next()).await {
                    Ok(received) => received,
                    Err(_elapsed) => break,
                },
                _ => self.pieces.next().await,
            };
            match received {
                None => self.ended = true,
                Some(piece) => self.take(&piece?),
            }
            let is_first = self.next_at.is_none() && !self.text.is_empty();
            if is_first {
                break;
            }
        }
        self.next_at = Some(Instant::now() + DELTA_INTERVAL);
        Ok(self.give())
    }

    /// The whole text, once the stream has ended.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn take(&mut self, piece: &str) {
        let mut room = ANSWER_BYTES_MAX - self.text.len();
        if piece.len() > room {
            while !piece.is_char_boundary(room) {
                room -= 1;
            }
            self.ended = true;
        }
        self.text.push_str(&piece[..room.min(piece.len())]);
    }

    fn give(&mut self) -> Option<Delta> {
        let text = self.text[self.given_bytes..].to_owned();
        if text.is_empty() {
            return None;
        }
        let delta = Delta { at: self.given_characters, text };
        self.given_bytes = self.text.len();
        self.given_characters += delta.text.chars().count();
        Some(delta)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::stream;

    use super::*;

    /// Pieces that arrive at these times, in milliseconds of paused time.
    fn arriving(pieces: &[(u64, &str)]) -> Deltas {
        let start = Instant::now();
        let pieces: Vec<(u64, String)> = pieces.iter().map(|(at_ms, text)| (*at_ms, (*text).to_owned())).collect();
        Deltas::new(
            stream::iter(pieces)
                .then(move |(at_ms, text)| async move {
                    tokio::time::sleep_until(start + Duration::from_millis(at_ms)).await;
                    Ok(text)
                })
                .boxed(),
        )
    }

    async fn all(mut deltas: Deltas) -> Vec<Delta> {
        let mut given = Vec::new();
        while let Some(delta) = deltas.next().await.unwrap() {
            given.push(delta);
        }
        given
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_piece_goes_out_at_once_and_later_ones_together() {
        let given = all(arriving(&[(0, "سلام"), (5, " دوست"), (10, " من"), (200, "!")])).await;
        let texts: Vec<&str> = given.iter().map(|delta| delta.text.as_str()).collect();
        assert_eq!(texts, ["سلام", " دوست من", "!"]);
        assert_eq!(given.iter().map(|delta| delta.at).collect::<Vec<_>>(), [0, 4, 12]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_endless_answer_ends_at_the_limit_on_a_character() {
        let long = "é".repeat(ANSWER_BYTES_MAX);
        let mut deltas = arriving(&[(0, "x"), (1, &long), (2, "more")]);
        while deltas.next().await.unwrap().is_some() {}
        let text = deltas.into_text();
        assert!(text.len() <= ANSWER_BYTES_MAX && text.len() > ANSWER_BYTES_MAX - 2);
        assert!(!text.contains("more"));
    }
}
