//! `GET /api/chatbot-config`

use reqwest::Method;
use serde_json::json;

use crate::support::{Answer, Stack, shops};

#[tokio::test]
async fn the_configuration_is_what_the_widget_needs() {
    let stack = Stack::start().await;
    let answer =
        Answer::read(stack.call(Method::GET, &format!("/api/chatbot-config?api_key={}", shops::PERSIAN))).await;
    let mut data = answer.data(200).clone();
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert!(answer.headers.keys().all(|name| !name.as_str().starts_with("access-control")), "no CORS");
    data["embed_token"] = json!("…");
    data["embed_token_expires_at"] = json!("…");
    insta::assert_json_snapshot!(data);
}

#[tokio::test]
async fn a_visitor_stays_the_same_with_a_token_of_this_chatbot_only() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;

    let path = |key: &str| format!("/api/chatbot-config?api_key={key}");
    let renewed = shopper.get(&path(shops::DUTCH)).await.data(200)["embed_token"].as_str().unwrap().to_owned();
    let list = format!("/api/messages?thread_uuid={thread}");
    let seen = Answer::read(stack.call(Method::GET, &list).bearer_auth(&renewed)).await;
    seen.data(200);

    // The merchant's own key opens the same chatbot.
    let through_merchant =
        shopper.get(&path(shops::MERCHANT)).await.data(200)["embed_token"].as_str().unwrap().to_owned();
    Answer::read(stack.call(Method::GET, &list).bearer_auth(&through_merchant)).await.data(200);

    for other in [shops::ENGLISH, shops::PERSIAN] {
        let stranger = shopper.get(&path(other)).await.data(200)["embed_token"].as_str().unwrap().to_owned();
        let unseen = Answer::read(stack.call(Method::GET, &list).bearer_auth(&stranger)).await;
        unseen.problem(404, "thread_not_found");
    }
    for nobody in ["", "not.a.token"] {
        Answer::read(stack.call(Method::GET, &path(shops::DUTCH)).bearer_auth(nobody)).await.data(200);
    }
}

#[tokio::test]
async fn unknown_and_suspended_keys_are_refused_in_the_same_few_bytes() {
    let stack = Stack::start().await;
    let ask =
        async |key: &str| Answer::read(stack.call(Method::GET, &format!("/api/chatbot-config?api_key={key}"))).await;
    let unknown = ask(shops::UNKNOWN).await;
    unknown.problem(404, "unknown_key");
    for wrong in ["", "pk_", "sk_live_1", "pk_t_%00", "pk_t_..%2F..%2Fetc", &"x".repeat(2_000), "%F0%9F%92%A9"] {
        let answer = ask(wrong).await;
        answer.problem(404, "unknown_key");
        assert_eq!(answer.body, unknown.body, "{wrong}");
    }
    ask(shops::SUSPENDED).await.problem(403, "chatbot_suspended");
    let none = Answer::read(stack.call(Method::GET, "/api/chatbot-config")).await;
    none.problem(404, "unknown_key");
}
