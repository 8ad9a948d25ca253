//! Health and metrics as Kubernetes and Prometheus see them.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use vitrine_service::{Health, metrics};

async fn get(router: &Router, path: &str) -> (StatusCode, String) {
    let request = Request::get(path).body(Body::empty()).expect("a request");
    let response = router.clone().oneshot(request).await.expect("an answer");
    let status = response.status();
    let body = to_bytes(response.into_body(), 1 << 20).await.expect("a body");
    (status, String::from_utf8(body.to_vec()).expect("text"))
}

fn health(stopping: CancellationToken) -> Health {
    Health::new(metrics::registry("tested", "1.2.3").expect("a registry"), stopping)
}

#[tokio::test]
async fn readiness_names_every_check_and_its_reason() {
    let router = health(CancellationToken::new())
        .check("database", || async { Ok(()) })
        .check("configuration", || async { Err("the first list has not arrived".to_owned()) })
        .router();

    let (status, body) = get(&router, "/readyz").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    let body: serde_json::Value = serde_json::from_str(&body).expect("JSON");
    let expected = serde_json::json!({
        "ready": false,
        "checks": {"database": "ok", "configuration": "the first list has not arrived"},
    });
    assert_eq!(body, expected);
    assert_eq!(get(&router, "/livez").await.0, StatusCode::OK, "a program that waits is alive");
}

#[tokio::test]
async fn a_check_that_hangs_has_failed() {
    let router = health(CancellationToken::new()).check("database", std::future::pending).router();
    let (status, body) = get(&router, "/readyz").await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(body.contains("no answer within 2 s"), "{body}");
}

#[tokio::test]
async fn a_program_that_stops_is_not_ready() {
    let stopping = CancellationToken::new();
    let router = health(stopping.clone()).router();
    assert_eq!(get(&router, "/readyz").await.0, StatusCode::OK);
    stopping.cancel();
    assert_eq!(get(&router, "/readyz").await.0, StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn metrics_say_what_runs_and_how_much_it_uses() {
    let (status, body) = get(&health(CancellationToken::new()).router(), "/metrics").await;
    assert_eq!(status, StatusCode::OK);
    assert!(body.contains("vitrine_build_info{program=\"tested\",version=\"1.2.3\"} 1"), "{body}");
    assert!(body.contains("process_resident_memory_bytes "), "{body}");
}
