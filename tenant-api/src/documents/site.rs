//! Demo shops: folders of pages in which the widget's address and keys are filled in.

use std::path::Path;

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use tower::ServiceExt;
use tower_http::services::ServeDir;
use vitrine_tenant_config::Tenants;

use super::escape::fill;
use crate::app::AppState;
use crate::problem::{Code, Problem};

/// Longest page.
const PAGE_BYTES_MAX: usize = 2 * 1024 * 1024;

/// The files below one folder; nothing outside it can be reached.
#[derive(Clone, Debug)]
pub struct Files(ServeDir);

impl Files {
    pub fn new(folder: &Path) -> Self {
        Self(ServeDir::new(folder))
    }
}

pub async fn handler(Files(files): Files, State(state): State<AppState>, mut request: Request) -> Response {
    // What is filled in changes without the file changing, so pages have no validators.
    for name in [header::IF_MODIFIED_SINCE, header::IF_NONE_MATCH, header::RANGE] {
        request.headers_mut().remove(name);
    }
    let response = match files.oneshot(request).await {
        Ok(response) => response.map(axum::body::Body::new),
        Err(never) => match never {},
    };
    if response.status() == StatusCode::NOT_FOUND || response.status() == StatusCode::METHOD_NOT_ALLOWED {
        return Problem::new(Code::NotFound, "this shop has no such page").into_response();
    }
    let is_page =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html"));
    let mut response = if is_page { filled(&state, response).await } else { response };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(policy) = HeaderValue::from_str(&policy(&state)) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

async fn filled(state: &AppState, response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let Some(text) = to_bytes(body, PAGE_BYTES_MAX).await.ok().and_then(|bytes| String::from_utf8(bytes.into()).ok())
    else {
        return Problem::new(Code::Internal, "this page cannot be shown").into_response();
    };
    let tenants = state.tenants();
    let text = fill(&text, |name| match name.split_once(':') {
        None if name == "widget" => Some(state.widget_origin().to_owned()),
        Some(("key", chatbot)) => key_of(&tenants, chatbot.trim()),
        _ => None,
    });
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.remove(header::LAST_MODIFIED);
    parts.headers.remove(header::ACCEPT_RANGES);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    Response::from_parts(parts, text.into())
}

/// The publishable key of a chatbot by its name.
fn key_of(tenants: &Tenants, chatbot: &str) -> Option<String> {
    tenants.iter().find_map(|tenant| tenant.chatbot(chatbot)).map(|chatbot| chatbot.key.to_string())
}

/// A shop's pages are ordinary pages, with the widget as their only stranger.
fn policy(state: &AppState) -> String {
    let widget = state.widget_origin();
    format!(
        "default-src 'self'; script-src 'self' {widget}; frame-src {widget}; img-src 'self' data:; \
         style-src 'self' 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
    )
}
