//! A runtime on a real PostgreSQL, as the role it has in production, and the in-process bus.

#[path = "answering/shop.rs"]
mod shop;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use vitrine_chat_runtime::{BuiltIn, Model, ModelError, ModelQuestion};
use vitrine_domain::{Change, Fold, Language, ThreadEventBody, texts};

use shop::{Asked, Shop};

/// Fast enough for a test, slow enough for several deltas.
const WORDS_PER_SECOND: u32 = 200;
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_question_is_answered_as_it_is_written_and_names_its_source() -> Result<()> {
    let mut shop = Shop::open(Arc::new(BuiltIn::new(WORDS_PER_SECOND))).await?;
    let asked = shop.ask("Within how many days can I return an order?").await?;
    shop.request(&asked, 1).await?;

    let events = shop.events_until_end(ANSWERED_WITHIN).await?;
    let mut fold = Fold::default();
    let deltas = events.iter().filter(|event| matches!(fold.apply(event), Change::Appended(_))).count();
    let (_, answer) = fold.ended().expect("an END");
    assert!(matches!(events[0], ThreadEventBody::Started { dispatch: 1, .. }), "{:?}", events[0]);
    assert!(deltas >= 2, "only {deltas} deltas of {:?}", answer.text);
    assert!(answer.text.contains("30 days") && answer.text.ends_with("[1]"), "{:?}", answer.text);
    assert_eq!(answer.sources.len(), 1);
    assert_eq!(answer.sources[0].url.as_deref(), Some("https://shop.example/returns.html"));
    assert!(!answer.refused && !answer.failed);
    shop.close().await
}

#[tokio::test]
async fn what_the_shop_does_not_know_is_refused_without_asking_a_model() -> Result<()> {
    let model = Arc::new(CountingModel::default());
    let mut shop = Shop::open(Arc::clone(&model) as Arc<dyn Model>).await?;
    let asked = shop.ask("What is the capital of Mongolia?").await?;
    shop.request(&asked, 1).await?;

    let answer = shop.answer(ANSWERED_WITHIN).await?;
    assert!(answer.refused);
    assert_eq!(answer.text, texts::refusal(Language::En));
    assert_eq!(model.calls(), 0);
    shop.close().await
}

#[tokio::test]
async fn a_turn_that_was_tried_too_often_ends_as_failed_without_asking_a_model() -> Result<()> {
    let model = Arc::new(CountingModel::default());
    let mut shop = Shop::open(Arc::clone(&model) as Arc<dyn Model>).await?;
    let asked = shop.ask("Within how many days can I return an order?").await?;
    shop.set_attempts(&asked, 3).await?;
    shop.request(&asked, 1).await?;

    let answer = shop.answer(ANSWERED_WITHIN).await?;
    assert!(answer.failed);
    assert_eq!(answer.text, texts::failure(Language::En));
    assert_eq!(model.calls(), 0);
    shop.close().await
}

#[tokio::test]
async fn requests_that_are_out_of_date_change_nothing() -> Result<()> {
    let model = Arc::new(CountingModel::default());
    let mut shop = Shop::open(Arc::clone(&model) as Arc<dyn Model>).await?;
    let closed = shop.ask("Within how many days can I return an order?").await?;
    shop.close_turn(&closed).await?;
    let overtaken = shop.ask("Within how many days can I return an order?").await?;
    shop.set_dispatches(&overtaken, 2).await?;
    let absent = Asked::nowhere();
    let current = shop.ask("Within how many days can I return an order?").await?;
    for (asked, dispatch) in [(&closed, 1), (&overtaken, 1), (&absent, 1), (&current, 1)] {
        shop.request(asked, dispatch).await?;
    }

    // Only the last one is answered. Had one of the others been, its events would be among these.
    let turns = shop.turns_heard_until_end(ANSWERED_WITHIN).await?;
    assert_eq!(turns, [current.turn]);
    assert_eq!(model.calls(), 1);
    shop.close().await
}

/// Answers with one word and counts how often it was asked.
#[derive(Default)]
struct CountingModel {
    calls: AtomicUsize,
}

impl CountingModel {
    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Model for CountingModel {
    fn answer(&self, _question: ModelQuestion) -> BoxStream<'static, Result<String, ModelError>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        stream::iter([Ok("Yes.".to_owned())]).boxed()
    }
}
