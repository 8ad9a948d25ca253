//! `GET /api/openapi.json`

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::Value;
use uuid::Uuid;
use vitrine_tenant_api::openapi;

use crate::support::{Answer, Stack};

const COMMITTED: &str = include_str!("../../../docs/openapi.json");

fn operations(description: &Value) -> BTreeSet<String> {
    let paths = description["paths"].as_object().unwrap();
    paths
        .iter()
        .flat_map(|(path, methods)| {
            methods.as_object().unwrap().keys().map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect()
}

#[tokio::test]
async fn every_route_describes_itself_and_every_description_has_its_route() {
    let stack = Stack::start().await;
    let served = Answer::read(stack.call(Method::GET, "/api/openapi.json")).await;
    assert_eq!(served.status, 200);
    let described = operations(&served.body);
    let expected = [
        "GET /api/chatbot-config",
        "GET /api/messages",
        "GET /api/openapi.json",
        "GET /api/threads/{uuid}/events",
        "POST /api/leads",
        "POST /api/messages",
        "POST /api/thread",
        "PUT /api/platform/merchants/{name}/knowledge",
    ];
    assert_eq!(described, BTreeSet::from(expected.map(str::to_owned)));
    for operation in described {
        let (method, path) = operation.split_once(' ').unwrap();
        let path = path.replace("{uuid}", &Uuid::now_v7().to_string()).replace("{name}", "zadelhoek");
        let answer = Answer::read(stack.call(method.parse().unwrap(), &path)).await;
        let code = answer.body["code"].as_str().unwrap_or_default().to_owned();
        assert!(!["not_found", "method_not_allowed"].contains(&code.as_str()), "{operation}: {answer:?}");
        // Another method on the same address is refused by name.
        let wrong = Answer::read(stack.call(Method::DELETE, &path)).await;
        wrong.problem(405, "method_not_allowed");
    }
}

#[test]
fn the_committed_description_is_the_one_of_the_handlers() {
    assert!(COMMITTED == openapi::json(), "run: cargo run -p vitrine-tenant-api -- openapi > docs/openapi.json");
}

#[test]
fn every_operation_is_documented_for_its_reader() {
    let description: Value = serde_json::from_str(COMMITTED).unwrap();
    assert!(description["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut ids = BTreeSet::new();
    for (path, methods) in description["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id), "{method} {path}: {id} names another operation too");
            assert!(operation["summary"].as_str().is_some_and(|text| !text.is_empty()), "{method} {path}");
            assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{method} {path}");
            for (status, response) in operation["responses"].as_object().unwrap() {
                let is_described = response["description"].as_str().is_some_and(|text| !text.is_empty());
                assert!(is_described, "{method} {path} {status}");
                let is_problem = response["content"].get("application/problem+json").is_some();
                assert_eq!(is_problem, !status.starts_with('2'), "{method} {path} {status}");
            }
        }
    }
}
