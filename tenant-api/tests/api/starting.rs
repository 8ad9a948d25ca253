//! Before the first list of shops.

use std::sync::Arc;

use reqwest::Method;
use vitrine_service::Health;
use vitrine_tenant_config::Tenants;

use crate::support::{Answer, Stack, StackSettings, shops};

#[tokio::test]
async fn an_unknown_shop_may_be_a_shop_of_the_list_to_come() {
    let stack = Stack::start_with(StackSettings { tenants: Tenants::starting(), ..StackSettings::default() }).await;
    let config = || Answer::read(stack.call(Method::GET, &format!("/api/chatbot-config?api_key={}", shops::DUTCH)));
    let early = config().await;
    early.problem(503, "starting");
    assert_eq!(early.headers["retry-after"], "2");
    let loader = stack.get("widget", &format!("/w/{}.js", shops::DUTCH)).send().await.unwrap();
    assert_eq!((loader.status().as_u16(), &loader.headers()["retry-after"]), (503, &"2".parse().unwrap()));
    assert_eq!(ready(&stack).await, 503);

    stack.tenants.send_replace(Arc::new(shops::tenants()));
    config().await.data(200);
    assert_eq!(ready(&stack).await, 200);
}

async fn ready(stack: &Stack) -> u16 {
    let health = Health::new(stack.registry.clone(), stack.shutdown.clone());
    let router = stack.api.readiness().add_to(health).router();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let limits = vitrine_service::Limits::default();
    let stop = stack.shutdown.child_token();
    tokio::spawn(vitrine_service::serve(listener, router, stop.clone(), stop, limits));
    stack.client.get(format!("http://{address}/readyz")).send().await.unwrap().status().as_u16()
}
