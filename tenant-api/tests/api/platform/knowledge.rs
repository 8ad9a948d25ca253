//! `PUT /api/platform/merchants/{name}/knowledge`

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::stack::PLATFORM_TOKEN;
use crate::support::{Answer, Stack, StackSettings};

fn put(stack: &Stack, merchant: &str) -> RequestBuilder {
    let url = format!("http://127.0.0.1:{}/api/platform/merchants/{merchant}/knowledge", stack.address.port());
    stack.client.request(Method::PUT, url).bearer_auth(PLATFORM_TOKEN)
}

fn knowledge(answer: &str) -> Value {
    json!({"items": [
        {"kind": "faq", "id": "q1", "question": "Wanneer bezorgen jullie?", "answer": answer},
        {"kind": "faq", "id": "q2", "question": "Repareren jullie ook?", "answer": "Ja, elke dag."},
    ]})
}

#[tokio::test]
async fn knowledge_is_replaced_as_a_whole() {
    let stack = Stack::start().await;
    let first = Answer::read(put(&stack, "zadelhoek").json(&knowledge("Op vrijdag."))).await;
    assert_eq!((&first.data(200)["added"], &first.data(200)["removed"]), (&json!(2), &json!(0)));
    let second = Answer::read(put(&stack, "zadelhoek").json(&knowledge("Op maandag."))).await;
    assert_eq!((&second.data(200)["changed"], &second.data(200)["unchanged"]), (&json!(1), &json!(1)));
    let third = Answer::read(put(&stack, "zadelhoek").json(&json!({"items": []}))).await;
    assert_eq!(third.data(200)["removed"], 2);
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_changes_nothing() {
    let stack = Stack::start().await;
    Answer::read(put(&stack, "zadelhoek").json(&knowledge("Op vrijdag."))).await.data(200);
    for (body, status, code) in [
        ("{".to_owned(), 400, "malformed"),
        ("{}".to_owned(), 422, "invalid"),
        (r#"{"items": [{"kind": "page", "id": "x"}]}"#.to_owned(), 422, "invalid"),
        (r#"{"items": [], "merchant": "negin"}"#.to_owned(), 422, "invalid"),
        (r#"{"items": [{"kind": "faq", "id": "q", "question": "", "answer": ""}]}"#.to_owned(), 422, "invalid"),
        (" ".repeat(9 * 1024 * 1024), 413, "too_large"),
    ] {
        let request = put(&stack, "zadelhoek").header("content-type", "application/json").body(body);
        Answer::read(request).await.problem(status, code);
    }
    Answer::read(put(&stack, "zadelhoek").body("{}")).await.problem(415, "unsupported_media_type");
    for unknown in ["nobody", "..%2Fzadelhoek", "zadelhoek%00"] {
        Answer::read(put(&stack, unknown).json(&knowledge("x"))).await.problem(404, "not_found");
    }
    let again = Answer::read(put(&stack, "zadelhoek").json(&knowledge("Op vrijdag."))).await;
    assert_eq!(again.data(200)["unchanged"], 2);
}

#[tokio::test]
async fn without_a_token_of_its_own_a_platform_has_no_such_call() {
    let stack = Stack::start_with(StackSettings { platform_token: None, ..StackSettings::default() }).await;
    for token in ["", PLATFORM_TOKEN] {
        let call = put(&stack, "zadelhoek").bearer_auth(token).json(&knowledge("x"));
        Answer::read(call).await.problem(401, "token_invalid");
    }
}
