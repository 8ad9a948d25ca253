//! `POST /api/messages`

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use uuid::Uuid;

use crate::support::{Answer, SOON, Shopper, Stack, shops};

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

#[tokio::test]
async fn with_respond_async_the_answer_comes_later_under_the_same_uuid() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    let sent = shopper.ask(&thread, "Hoe laat?").await;
    assert_eq!(sent.headers["preference-applied"], "respond-async");
    assert_eq!(sent.data(202)["content"], json!([]));
    let asked = stack.runtime.answer("Om tien uur.").await;
    assert_eq!(sent.data(202)["uuid"], asked.turn.to_string());
    let events = shopper.events(&thread, Some("1.stored.0")).await.rest().await;
    assert_eq!(events.last().unwrap().data["uuid"], asked.turn.to_string());
}

#[tokio::test]
async fn a_repetition_joins_the_wait_and_does_nothing_twice() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    let body = Shopper::message(&thread, "Wanneer?");
    let post =
        |body: &Value, key: &str| shopper.call(Method::POST, "/api/messages").header("idempotency-key", key).json(body);
    let (first, again, _) = tokio::join!(
        Answer::read(post(&body, "k1")),
        Answer::read(post(&body, "k1")),
        stack.runtime.answer("Vrijdag.")
    );
    assert_eq!(first.data(200), again.data(200));
    let later = Answer::read(post(&body, "k1")).await;
    assert_eq!(later.data(200), first.data(200));

    Answer::read(post(&Shopper::message(&thread, "Iets anders"), "k1")).await.problem(422, "idempotency_mismatch");
    let listed = shopper.get(&format!("/api/messages?thread_uuid={thread}")).await;
    assert_eq!(listed.data(200).as_array().unwrap().len(), 2);
    for wrong in [String::new(), "k".repeat(129)] {
        let refused = Answer::read(post(&body, &wrong)).await;
        assert!(refused.problem(422, "invalid")["Idempotency-Key"].is_array());
    }
}

#[tokio::test]
async fn questions_sent_in_one_breath_are_answered_by_one_answer() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    shopper.ask(&thread, "Hoi").await.data(202);
    let first = stack.runtime.asked().await;
    let (second, third) = (shopper.ask(&thread, "Wanneer").await, shopper.ask(&thread, "komt mijn fiets?").await);
    assert_eq!(second.data(202)["uuid"], third.data(202)["uuid"]);
    assert_eq!(second.data(202)["sequence"], Value::Null);
    first.answer("Hallo.").await;
    let asked = stack.runtime.answer("Vrijdag.").await;
    assert_eq!(second.data(202)["uuid"], asked.turn.to_string());
    assert_eq!(asked.sequence, 5, "behind both questions");
}

#[tokio::test]
async fn a_conversation_of_somebody_else_cannot_be_spoken_in() {
    let stack = Stack::start().await;
    let mut owner = stack.shopper(shops::DUTCH).await;
    let thread = owner.begin().await;
    for stranger in [shops::DUTCH, shops::ENGLISH, shops::PERSIAN] {
        stack.shopper(stranger).await.ask(&thread, "Hoi").await.problem(404, "thread_not_found");
    }
    owner.ask(&Uuid::now_v7().to_string(), "Hoi").await.problem(404, "thread_not_found");
    let mut other_agent = Shopper::message(&thread, "Hoi");
    other_agent["agent_namespace"] = json!("vitrine_agent");
    owner.post("/api/messages", other_agent).await.problem(404, "thread_not_found");
    owner.ask(&thread, "Hoi").await.data(202);
}

#[tokio::test]
async fn bad_bodies_get_a_clear_error_and_store_nothing() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    let post = |body: Vec<u8>, kind: &'static str| {
        Answer::read(shopper.call(Method::POST, "/api/messages").header(CONTENT_TYPE, kind).body(body))
    };
    let json = "application/json";
    let good = Shopper::message(&thread, "Hoi");
    let with = |field: &str, value: Value| {
        let mut body = good.clone();
        body[field] = value;
        body.to_string().into_bytes()
    };
    for (body, status, code) in [
        (b"{".to_vec(), 400, "malformed"),
        (b"".to_vec(), 400, "malformed"),
        (b"\xff\xfe".to_vec(), 400, "malformed"),
        (b"[]".to_vec(), 400, "malformed"),
        ([vec![b'['; 30_000], vec![b']'; 30_000]].concat(), 400, "malformed"),
        ([br#"{"messages":"#.to_vec(), vec![b'['; 60_000]].concat(), 400, "malformed"),
        (vec![b' '; 10 * 1024 * 1024], 413, "too_large"),
        (with("messages", json!([{"type": "text", "text": {"value": "x".repeat(100_000)}}])), 413, "too_large"),
        (b"{}".to_vec(), 422, "invalid"),
        (with("thread_uuid", json!("'; DROP TABLE threads; --")), 422, "invalid"),
        (with("thread_uuid", json!(null)), 422, "invalid"),
        (with("messages", json!([])), 422, "invalid"),
        (with("messages", json!({"type": "text"})), 422, "invalid"),
        (with("messages", json!([{"type": "audio", "audio": {"file": {"url": "http://x"}}}])), 422, "invalid"),
        (with("messages", json!([{"type": "text", "text": {"value": "x".repeat(301)}}])), 422, "invalid"),
        (with("messages", json!([{"type": "text", "text": {"value": " \n "}}])), 422, "invalid"),
        (with("messages", json!([{"type": "text", "text": {"value": "a\u{0}b"}}])), 422, "invalid"),
        (with("roles", json!(["admin"])), 422, "invalid"),
        (with("customer_id", json!({"$ne": 1})), 422, "invalid"),
    ] {
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let refused = post(body, json).await;
        assert_eq!((refused.status.as_u16(), refused.body["code"].as_str()), (status, Some(code)), "{shown}");
        refused.problem(status, code);
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        post(good.to_string().into_bytes(), kind).await.problem(415, "unsupported_media_type");
    }
    let listed = shopper.get(&format!("/api/messages?thread_uuid={thread}")).await;
    assert_eq!(listed.data(200), &json!([]), "nothing was stored");
    post(good.to_string().into_bytes(), "application/json; charset=utf-8").await;
}

#[tokio::test]
async fn a_caller_who_writes_a_large_body_to_its_end_reads_why_it_is_refused() {
    const BYTES: usize = 10 * 1024 * 1024;
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::DUTCH).await;
    let request = shopper.call(Method::POST, "/api/messages").header(CONTENT_TYPE, "application/json").build().unwrap();
    let headers: Vec<String> =
        request.headers().iter().map(|(name, value)| format!("{name}: {}\r\n", value.to_str().unwrap())).collect();
    let head = format!("host: widget.localhost\r\ncontent-length: {BYTES}\r\n{}", headers.concat());
    let mut connection = TcpStream::connect(stack.address).await.unwrap();
    connection.write_all(format!("POST /api/messages HTTP/1.1\r\n{head}\r\n").as_bytes()).await.unwrap();
    // Nothing is read before all is written, as simple clients do it.
    connection.write_all(&vec![b' '; BYTES]).await.expect("the whole body is taken");
    let mut answer = vec![0; 12];
    tokio::time::timeout(SOON, connection.read_exact(&mut answer)).await.expect("an answer").unwrap();
    assert_eq!(answer, b"HTTP/1.1 413");
}

#[tokio::test]
async fn a_demonstration_takes_no_messages() {
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::SHOWCASE).await;
    shopper.ask(&Uuid::now_v7().to_string(), "Hoi").await.problem(409, "demo_mode");
}
