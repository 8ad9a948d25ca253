//! `POST /api/thread`

use serde_json::json;
use uuid::Uuid;

use crate::support::{Stack, shops};

#[tokio::test]
async fn a_conversation_begins_and_the_visitor_is_known_from_then_on() {
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::DUTCH).await;
    let created = shopper.post("/api/thread", json!({"agent_namespace": "customer_support"})).await;
    let data = created.data(201);
    assert_eq!(data["state"], "bot");
    assert!(data["uuid"].as_str().unwrap().parse::<Uuid>().is_ok());
    assert!(data["visitor_token"].is_string());
    assert!(created.headers.contains_key("ratelimit") && created.headers.contains_key("ratelimit-policy"));
}

#[tokio::test]
async fn a_chatbot_that_asks_first_is_told_who_it_is() {
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::ENGLISH).await;
    let refused = shopper.post("/api/thread", json!({"agent_namespace": "customer_support"})).await;
    assert!(refused.problem(422, "invalid")["lead_id"][0].as_str().unwrap().starts_with("required"));
}

#[tokio::test]
async fn a_lead_of_somebody_else_is_not_there() {
    let stack = Stack::start().await;
    let other = stack.shopper(shops::DUTCH).await;
    let body = json!({"agent_namespace": "customer_support", "name": "Sam", "phone": "0201234567"});
    let lead = other.post("/api/leads", body).await.data(201)["id"].clone();

    let begin = |lead: &serde_json::Value| json!({"agent_namespace": "customer_support", "lead_id": lead});
    let shopper = stack.shopper(shops::DUTCH).await;
    shopper.post("/api/thread", begin(&lead)).await.problem(404, "lead_not_found");
    shopper.post("/api/thread", begin(&json!(Uuid::now_v7()))).await.problem(404, "lead_not_found");
    let foreign = stack.shopper(shops::PERSIAN).await;
    foreign.post("/api/thread", begin(&lead)).await.problem(404, "lead_not_found");
    let refused = shopper.post("/api/thread", begin(&json!("1 OR 1=1"))).await;
    assert!(refused.problem(422, "invalid")["lead_id"].is_array());
    other.post("/api/thread", begin(&lead)).await.data(201);
}

#[tokio::test]
async fn another_agent_another_key_and_a_demonstration_are_refused() {
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::DUTCH).await;
    for agent in ["vitrine_agent", "", "customer_support\u{0}"] {
        shopper.post("/api/thread", json!({"agent_namespace": agent})).await.problem(404, "not_found");
    }
    let foreign = json!({"agent_namespace": "customer_support", "api_key": shops::PERSIAN});
    shopper.post("/api/thread", foreign).await.problem(404, "unknown_key");
    let showcase = stack.shopper(shops::SHOWCASE).await;
    showcase.post("/api/thread", json!({"agent_namespace": "customer_support"})).await.problem(409, "demo_mode");
}
