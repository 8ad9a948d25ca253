//! `POST /api/leads`

use serde_json::{Value, json};

use crate::support::{Stack, shops};

fn lead(fields: &Value) -> Value {
    let mut lead = json!({"agent_namespace": "customer_support"});
    for (name, value) in fields.as_object().unwrap() {
        lead[name] = value.clone();
    }
    lead
}

#[tokio::test]
async fn a_lead_is_kept_and_opens_a_conversation() {
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::ENGLISH).await;
    let full = lead(&json!({
        "api_key": shops::ENGLISH, "name": "Noor", "email": "noor@example.com", "phone": "+31 20 1234567",
        "leadable_id": null, "leadable_type": null, "consent_version": "c1",
    }));
    let created = shopper.post("/api/leads", full).await;
    let data = created.data(201);
    assert!(data["visitor_token"].is_string());
    let thread = json!({"agent_namespace": "customer_support", "lead_id": data["id"], "api_key": shops::ENGLISH});
    shopper.post("/api/thread", thread).await.data(201);
}

#[tokio::test]
async fn every_field_that_does_not_fit_is_named() {
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::ENGLISH).await;
    let wrong = lead(&json!({
        "name": "  ", "email": "nobody", "phone": "call\r\nme", "leadable_type": "user", "leadable_id": "x".repeat(200),
        "consent_version": "\u{0}",
    }));
    let refused = shopper.post("/api/leads", wrong).await;
    let errors = refused.problem(422, "invalid");
    let named: Vec<&String> = errors.as_object().unwrap().keys().collect();
    assert_eq!(named, ["consent_version", "email", "leadable_id", "leadable_type", "name", "phone"]);
    assert_eq!(errors["leadable_type"], json!(["customer"]));
}

#[tokio::test]
async fn a_customer_the_shop_names_needs_no_more() {
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::ENGLISH).await;
    let email_only = lead(&json!({"email": "noor@example.com"}));
    shopper.post("/api/leads", email_only).await.problem(422, "invalid");
    let named = lead(&json!({"email": "noor@example.com", "leadable_id": "42", "leadable_type": "customer"}));
    shopper.post("/api/leads", named).await.data(201);
}

#[tokio::test]
async fn the_credential_decides_and_not_the_body() {
    let stack = Stack::start().await;
    let shopper = stack.shopper(shops::DUTCH).await;
    let good = json!({"name": "Noor", "phone": "0201234567"});
    shopper.post("/api/leads", lead(&good)).await.data(201);

    let mut foreign = lead(&good);
    for (key, code) in [(shops::PERSIAN, "unknown_key"), (shops::ENGLISH, "unknown_key"), ("nonsense", "unknown_key")] {
        foreign["api_key"] = json!(key);
        shopper.post("/api/leads", foreign.clone()).await.problem(404, code);
    }
    let mut other_agent = lead(&good);
    other_agent["agent_namespace"] = json!("vitrine_agent");
    shopper.post("/api/leads", other_agent).await.problem(404, "not_found");
    for field in ["roles", "balance", "merchant_id", "visitor_id", "id", "verified", "plan", "sourceable_id"] {
        let mut privileged = lead(&good);
        privileged[field] = json!(1);
        let refused = shopper.post("/api/leads", privileged).await;
        assert!(refused.problem(422, "invalid")[field].is_array(), "{refused:?}");
    }
    let showcase = stack.shopper(shops::SHOWCASE).await;
    showcase.post("/api/leads", lead(&good)).await.problem(409, "demo_mode");
}
