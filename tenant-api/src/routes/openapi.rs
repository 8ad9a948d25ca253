//! `GET /api/openapi.json`: what this API is.

use std::sync::LazyLock;

use axum::http::header;
use axum::response::IntoResponse;

static JSON: LazyLock<String> = LazyLock::new(crate::openapi::json);

/// The description of this API, as OpenAPI 3.1.
#[utoipa::path(
    get,
    path = "/api/openapi.json",
    tag = "meta",
    responses((status = 200, description = "This document", content_type = "application/json")),
)]
pub async fn handler() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "public, max-age=60")], JSON.as_str())
}
