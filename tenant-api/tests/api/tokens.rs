//! Tokens and origins over every route of the API's own description: nothing is answered without the right ones.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use uuid::Uuid;
use vitrine_tenant_api::openapi;
use vitrine_tenant_api::tokens::{Session, TokenKind, Tokens, VISITOR_TOKEN_LIFETIME};

use crate::support::{Answer, Stack, shops};

/// Every operation that needs a token, with its path filled in.
fn guarded() -> Vec<(Method, String, bool)> {
    let description: Value = serde_json::from_str(&openapi::json()).unwrap();
    let mut guarded = Vec::new();
    for (path, operations) in description["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let security = operation["security"].as_array().cloned().unwrap_or_default();
            let is_optional = security.iter().any(|each| each.as_object().is_some_and(serde_json::Map::is_empty));
            if security.is_empty() || is_optional {
                continue;
            }
            let path = path.replace("{uuid}", &Uuid::now_v7().to_string()).replace("{name}", "zadelhoek");
            let is_platform = security.iter().any(|each| each.get("platform").is_some());
            guarded.push((method.to_uppercase().parse().unwrap(), path, is_platform));
        }
    }
    assert!(guarded.len() >= 6, "{guarded:?}");
    guarded
}

fn issue(secret: &str, merchant: u128, chatbot: &str, at: Timestamp) -> String {
    let session =
        Session { merchant: shops::id(merchant), chatbot: chatbot.to_owned(), visitor: Uuid::now_v7().into() };
    Tokens::new(&secret.into()).unwrap().issue(TokenKind::Visitor, &session, at).unwrap().token
}

#[tokio::test]
async fn no_route_answers_without_a_token_of_ours() {
    let stack = Stack::start().await;
    let secret = crate::support::stack::TOKEN_SECRET;
    let now = Timestamp::now();
    let good = issue(secret, shops::ZADELHOEK, "zadelhoek-nl", now);
    let (head, tail) = good.split_at(good.len() - 4);
    let tokens = [
        None,
        Some(String::new()),
        Some("nonsense".to_owned()),
        Some("x".repeat(5_000)),
        Some(format!("{head}{}", tail.chars().rev().collect::<String>())),
        Some(issue("another secret that is long enough too", shops::ZADELHOEK, "zadelhoek-nl", now)),
        Some(issue(secret, shops::ZADELHOEK, "zadelhoek-nl", now - VISITOR_TOKEN_LIFETIME - Duration::from_secs(2))),
        Some(issue(secret, shops::ZADELHOEK, "gone", now)),
        Some(issue(secret, 99, "zadelhoek-nl", now)),
        Some(issue(secret, shops::NEGIN, "zadelhoek-nl", now)),
    ];
    for (method, path, is_platform) in guarded() {
        for token in &tokens {
            let mut call = stack.call(method.clone(), &path).body("{}").header("content-type", "application/json");
            if let Some(token) = token {
                call = call.bearer_auth(token);
            }
            let refused = Answer::read(call).await;
            assert_eq!(refused.status, 401, "{method} {path} {token:?}: {refused:?}");
            refused.problem(401, "token_invalid");
        }
        // A visitor's token is no platform token, and the other way round.
        let other = if is_platform { good.clone() } else { crate::support::stack::PLATFORM_TOKEN.to_owned() };
        Answer::read(stack.call(method.clone(), &path).bearer_auth(other)).await.problem(401, "token_invalid");
        // The right one gets further than that.
        let right = if is_platform { crate::support::stack::PLATFORM_TOKEN } else { &good };
        let answered = Answer::read(stack.call(method.clone(), &path).bearer_auth(right)).await;
        assert_ne!(answered.status, StatusCode::UNAUTHORIZED, "{method} {path}");
        assert!(answered.status.is_client_error(), "nothing that exists was named: {answered:?}");
    }
}

#[tokio::test]
async fn a_suspended_shop_is_out_of_service_for_known_visitors_too() {
    let stack = Stack::start().await;
    let token = issue(crate::support::stack::TOKEN_SECRET, shops::CLOSED, "closed-en", Timestamp::now());
    for (method, path, is_platform) in guarded() {
        if !is_platform {
            Answer::read(stack.call(method, &path).bearer_auth(&token)).await.problem(403, "chatbot_suspended");
        }
    }
}

#[tokio::test]
async fn only_the_widgets_own_page_may_call() {
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::DUTCH).await;
    let url = |path: &str| format!("{}{path}", stack.widget_origin());
    let config = format!("/api/chatbot-config?api_key={}", shops::DUTCH);
    let begin = serde_json::json!({"agent_namespace": "customer_support"});
    let foreign = [
        "http://zadelhoek.localhost:7400".to_owned(),
        "https://evil.example".to_owned(),
        "null".to_owned(),
        String::new(),
        format!("{}.evil.example", stack.widget_origin()),
        stack.widget_origin().replace("http", "https"),
        stack.origin("console"),
    ];
    for origin in &foreign {
        let get = stack.client.get(url(&config)).header("origin", origin);
        Answer::read(get).await.problem(403, "origin_refused");
        let post =
            stack.client.post(url("/api/thread")).bearer_auth(&shopper.token).header("origin", origin).json(&begin);
        Answer::read(post).await.problem(403, "origin_refused");
    }
    // A page's own GET carries no origin; a change always does.
    Answer::read(stack.client.get(url(&config))).await.data(200);
    let without = stack.client.post(url("/api/thread")).bearer_auth(&shopper.token).json(&begin);
    Answer::read(without).await.problem(403, "origin_refused");
    shopper.post("/api/thread", begin).await.data(201);
    // No preflight is ever granted.
    let preflight = stack
        .client
        .request(Method::OPTIONS, url("/api/messages"))
        .header("origin", "https://evil.example")
        .header("access-control-request-method", "POST");
    let refused = Answer::read(preflight).await;
    assert!(refused.status.is_client_error());
    assert!(refused.headers.keys().all(|name| !name.as_str().starts_with("access-control")), "{refused:?}");
}
