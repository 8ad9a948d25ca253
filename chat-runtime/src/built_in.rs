//! The built-in answerer: no model, no network. It says what the merchant's own knowledge says, with the source.

mod compose;

use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};

use crate::model::{Model, ModelError, ModelQuestion};

/// A pace at which an answer can be read along while it is written.
pub const WORDS_PER_SECOND: u32 = 60;

/// Answers by quoting the evidence that fits best.
#[derive(Clone, Debug)]
pub struct BuiltIn {
    word_pause: Duration,
}

impl BuiltIn {
    /// `words_per_second` is the pace at which the answer is written out, so that it can be read along.
    pub fn new(words_per_second: u32) -> Self {
        Self { word_pause: Duration::from_secs(1) / words_per_second.max(1) }
    }
}

impl Model for BuiltIn {
    fn answer(&self, question: ModelQuestion) -> BoxStream<'static, Result<String, ModelError>> {
        let words: Vec<String> =
            compose::compose(&question).split_inclusive(char::is_whitespace).map(str::to_owned).collect();
        let pause = self.word_pause;
        stream::iter(words.into_iter().enumerate())
            .then(move |(index, word)| async move {
                if index > 0 {
                    tokio::time::sleep(pause).await;
                }
                Ok(word)
            })
            .boxed()
    }
}
