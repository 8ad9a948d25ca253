//! `POST /api/messages`

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Answer, Shopper, Stack, shops};

#[tokio::test]
async fn a_question_is_answered_once_the_answer_is_stored() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    let (sent, asked) = tokio::join!(
        shopper.post("/api/messages", Shopper::message(&thread, "Wanneer komt mijn fiets?")),
        stack.runtime.answer("Op vrijdag. [1]"),
    );
    let data = sent.data(200);
    assert_eq!(data["uuid"], asked.turn.to_string());
    assert_eq!(data["content"], json!([{"type": "text", "text": {"value": "Op vrijdag. [1]"}}]));
    assert_eq!(data["sequence"], 2);
    assert_eq!(data["question_sequence"], 1);
    assert_eq!(data["state"], "bot");
    assert_eq!(data["sources"][0]["url"], "https://shop.example/delivery");
    assert_eq!([&data["refused"], &data["failed"], &data["is_closing"]], [&json!(false); 3]);
}
