//! `GET /api/messages`

use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Shopper, Stack, shops};

#[tokio::test]
async fn a_conversation_is_listed_newest_first_and_page_by_page() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    let empty = shopper.get(&format!("/api/messages?thread_uuid={thread}")).await;
    assert_eq!(empty.data(200), &json!([]));
    assert_eq!(empty.body["meta"], json!({"state": "bot", "pending": null, "next_cursor": null}));

    stack.runtime.answer_always("Ja. [1]");
    for number in 1..=3 {
        shopper.post("/api/messages", Shopper::message(&thread, &format!("Vraag {number}"))).await.data(200);
    }
    let sequences = |body: &Value| -> Vec<i64> {
        body["data"].as_array().unwrap().iter().map(|message| message["sequence"].as_i64().unwrap()).collect()
    };
    let first = shopper.get(&format!("/api/messages?thread_uuid={thread}&limit=4")).await;
    assert_eq!(sequences(&first.body), [6, 5, 4, 3]);
    let cursor = first.body["meta"]["next_cursor"].as_str().unwrap();
    let second = shopper.get(&format!("/api/messages?thread_uuid={thread}&limit=4&cursor={cursor}")).await;
    assert_eq!(sequences(&second.body), [2, 1]);
    assert_eq!(second.body["meta"]["next_cursor"], Value::Null);

    let mut answer = second.body["data"][0].clone();
    answer["uuid"] = json!("…");
    answer["created_at"] = json!("…");
    insta::assert_json_snapshot!(answer);
}

#[tokio::test]
async fn an_answer_that_is_being_written_is_pending() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    let sent = shopper.ask(&thread, "Hoe laat?").await;
    assert_eq!((sent.data(202)["content"].clone(), sent.data(202)["sequence"].clone()), (json!([]), json!(2)));
    let listed = shopper.get(&format!("/api/messages?thread_uuid={thread}")).await;
    assert_eq!(listed.body["meta"]["pending"], 2);
    assert_eq!(listed.data(200).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_asked_for_wrongly_is_refused_by_field() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    for (query, field) in [
        (String::new(), "thread_uuid"),
        ("thread_uuid=1".to_owned(), "thread_uuid"),
        (format!("thread_uuid={thread}'--"), "thread_uuid"),
        (format!("thread_uuid={thread}&limit=0"), "limit"),
        (format!("thread_uuid={thread}&limit=101"), "limit"),
        (format!("thread_uuid={thread}&limit=-1"), "limit"),
        (format!("thread_uuid={thread}&cursor=abc"), "cursor"),
        (format!("thread_uuid={thread}&cursor=99999999999999999999"), "cursor"),
    ] {
        let refused = shopper.get(&format!("/api/messages?{query}")).await;
        assert!(refused.problem(422, "invalid")[field].is_array(), "{query}: {refused:?}");
    }
}

#[tokio::test]
async fn another_visitors_conversation_is_not_there() {
    let stack = Stack::start().await;
    let mut owner = stack.shopper(shops::DUTCH).await;
    let thread = owner.begin().await;
    let path = format!("/api/messages?thread_uuid={thread}");
    owner.get(&path).await.data(200);
    for stranger in [shops::DUTCH, shops::ENGLISH, shops::PERSIAN] {
        stack.shopper(stranger).await.get(&path).await.problem(404, "thread_not_found");
    }
    owner.get(&format!("/api/messages?thread_uuid={}", Uuid::now_v7())).await.problem(404, "thread_not_found");
}
