//! `GET /api/openapi.json`: what this API is.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::IntoResponse;

use crate::problem::{PROBLEM_JSON, ProblemBody};

static JSON: LazyLock<String> = LazyLock::new(crate::openapi::json);

/// The description of this API, as OpenAPI 3.1.
#[utoipa::path(
    get,
    path = "/api/openapi.json",
    operation_id = "openApi",
    tag = "meta",
    responses(
        (status = 200, description = "This document", content_type = "application/json"),
        (status = 403, body = ProblemBody, content_type = PROBLEM_JSON, description = "`origin_refused`"),
        (status = 413, body = ProblemBody, content_type = PROBLEM_JSON, description = "`too_large`"),
        (status = 429, body = ProblemBody, content_type = PROBLEM_JSON, description = "`rate_limited`"),
    ),
)]
pub async fn handler() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "public, max-age=60")], JSON.as_str())
}
