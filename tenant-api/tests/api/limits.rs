//! Limits on what one caller may ask for.

use std::num::NonZeroU32;

use reqwest::Method;
use serde_json::json;
use vitrine_tenant_api::limits::{RateSettings, StreamSettings};
use vitrine_testkit::eventually;

use crate::support::{Answer, SOON, Stack, StackSettings, shops};

fn only(limit: impl FnOnce(&mut RateSettings)) -> StackSettings {
    let mut settings = StackSettings::default();
    limit(&mut settings.rates);
    settings
}

#[tokio::test]
async fn a_visitor_who_writes_too_much_is_told_when_to_come_back() {
    let stack = Stack::start_with(only(|rates| rates.visitor_writes_per_minute = NonZeroU32::new(2).unwrap())).await;
    let shopper = stack.shopper(shops::DUTCH).await;
    let begin = || shopper.post("/api/thread", json!({"agent_namespace": "customer_support"}));
    assert_eq!(begin().await.headers["ratelimit"], "\"visitor\";r=1;t=60");
    begin().await.data(201);
    let refused = begin().await;
    refused.problem(429, "rate_limited");
    let seconds: u32 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=30).contains(&seconds), "{seconds}");
    let other = stack.shopper(shops::DUTCH).await;
    other.post("/api/thread", json!({"agent_namespace": "customer_support"})).await.data(201);
}

#[tokio::test]
async fn an_address_that_calls_too_often_is_refused_before_anything_is_looked_up() {
    let stack = Stack::start_with(only(|rates| rates.address_per_minute = NonZeroU32::new(3).unwrap())).await;
    for _ in 0..3 {
        let answer =
            Answer::read(stack.call(Method::GET, &format!("/api/chatbot-config?api_key={}", shops::UNKNOWN))).await;
        answer.problem(404, "unknown_key");
    }
    let refused = Answer::read(stack.call(Method::GET, &format!("/api/chatbot-config?api_key={}", shops::DUTCH))).await;
    refused.problem(429, "rate_limited");
    assert!(refused.headers.contains_key("retry-after"));
}

#[tokio::test]
async fn a_visitor_has_so_many_streams_and_a_closed_one_gives_its_place_back() {
    let streams = StreamSettings { per_visitor_max: 2, ..StreamSettings::default() };
    let stack = Stack::start_with(StackSettings { streams, ..StackSettings::default() }).await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    shopper.ask(&thread, "Wanneer?").await.data(202);
    let first = shopper.events(&thread, None).await;
    let _second = shopper.events(&thread, None).await;
    let path = format!("/api/threads/{thread}/events");
    shopper.get(&path).await.problem(429, "rate_limited");
    let gauge = || {
        let families = stack.registry.gather();
        let family = families.iter().find(|family| family.name() == "vitrine_streams_open").unwrap();
        family.get_metric()[0].get_gauge().get_value()
    };
    assert!((gauge() - 2.0).abs() < f64::EPSILON);
    drop(first);
    eventually(SOON, "the place is free again", || async { (gauge() - 1.0).abs() < f64::EPSILON }).await;
    let _again = shopper.events(&thread, None).await;
}
