//! Health and metrics, on a port of their own.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures::future::{BoxFuture, join_all};
use prometheus::Registry;
use serde::Serialize;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::error;

use crate::metrics;

/// A check that takes longer has failed: whoever asks would not wait longer either.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);
const OK: &str = "ok";

type Check = Box<dyn Fn() -> BoxFuture<'static, Result<(), String>> + Send + Sync>;

/// What must hold for the program to be given work.
pub struct Health {
    registry: Registry,
    stopping: CancellationToken,
    checks: Vec<(&'static str, Check)>,
}

impl Health {
    /// Ready as long as `stopping` is not cancelled and every added check passes.
    pub fn new(registry: Registry, stopping: CancellationToken) -> Self {
        Self { registry, stopping, checks: Vec::new() }
    }

    /// Adds a check. Its error is shown to whoever asks: a reason, never a secret.
    #[must_use]
    pub fn check<Run, Passed>(mut self, name: &'static str, run: Run) -> Self
    where
        Run: Fn() -> Passed + Send + Sync + 'static,
        Passed: Future<Output = Result<(), String>> + Send + 'static,
    {
        self.checks.push((name, Box::new(move || Box::pin(run()))));
        self
    }

    /// `/livez` (the process answers), `/readyz` (every check with its reason; 503 unless all pass), `/metrics`.
    pub fn router(self) -> Router {
        Router::new()
            .route("/livez", get(|| async { OK }))
            .route("/readyz", get(ready))
            .route("/metrics", get(metrics))
            .with_state(Arc::new(self))
    }

    async fn run(&self) -> BTreeMap<&'static str, String> {
        let checks = self.checks.iter().map(|(name, check)| async move {
            let result = match timeout(CHECK_TIMEOUT, check()).await {
                Ok(Ok(())) => OK.to_owned(),
                Ok(Err(reason)) => reason,
                Err(_) => format!("no answer within {} s", CHECK_TIMEOUT.as_secs()),
            };
            (*name, result)
        });
        let mut results: BTreeMap<_, _> = join_all(checks).await.into_iter().collect();
        if self.stopping.is_cancelled() {
            results.insert("running", "the program was told to stop".to_owned());
        }
        results
    }
}

#[derive(Serialize)]
struct Readiness {
    ready: bool,
    checks: BTreeMap<&'static str, String>,
}

async fn ready(State(health): State<Arc<Health>>) -> Response {
    let checks = health.run().await;
    let ready = checks.values().all(|result| result == OK);
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Readiness { ready, checks })).into_response()
}

async fn metrics(State(health): State<Arc<Health>>) -> Response {
    match metrics::encode(&health.registry) {
        Ok(text) => ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response(),
        Err(error) => {
            error!(%error, "failed to answer with metrics");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
