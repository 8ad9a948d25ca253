//! Everything that is not JSON: the loader, the widget's document, its assets, and the pages around them.

mod assets;
mod console;
mod demo;
mod escape;
mod frame;
mod loader;
mod site;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::get;
use tower::ServiceBuilder;
use tower_http::compression::CompressionLayer;
use tower_http::services::ServeDir;
use tower_http::set_header::SetResponseHeaderLayer;

pub use assets::{Assets, AssetsError};

use crate::app::AppState;
use crate::hosts::Site;

/// The documents of the widget host.
pub fn widget(assets: &Assets) -> Router<AppState> {
    let hashed = ServiceBuilder::new()
        .layer(SetResponseHeaderLayer::overriding(header::CACHE_CONTROL, cached_for_ever))
        .service(
            ServeDir::new(assets.hashed_folder())
                .append_index_html_on_directories(false)
                .precompressed_br()
                .precompressed_gzip(),
        );
    Router::new()
        .route("/w/{file}", get(loader::handler))
        .route("/iframe/{key}", get(frame::of_chatbot))
        .route("/iframe/{key}/{thread_uuid}", get(frame::of_thread))
        .route("/chatbot-iframe", get(frame::of_query))
        .nest_service("/assets", hashed)
        .layer(CompressionLayer::new())
}

/// The console host.
pub fn console() -> Router<AppState> {
    Router::new().route("/", get(console::handler)).layer(CompressionLayer::new())
}

/// The host of the merchants' demo pages.
pub fn demo() -> Router<AppState> {
    Router::new().route("/demo/{key}", get(demo::handler)).layer(CompressionLayer::new())
}

/// The host of one demo shop.
pub fn site(site: &Site) -> Router<AppState> {
    let files = site::Files::new(&site.folder);
    let answer = move |state, request: Request| site::handler(files.clone(), state, request);
    Router::new().route("/", get(answer.clone())).route("/{*path}", get(answer)).layer(CompressionLayer::new())
}

/// A file whose name holds a digest of its content never changes. Errors do.
#[expect(clippy::unnecessary_wraps, reason = "the layer takes `None` for a header it leaves alone")]
fn cached_for_ever<B>(response: &axum::http::Response<B>) -> Option<HeaderValue> {
    let is_content = response.status().is_success() || response.status() == axum::http::StatusCode::NOT_MODIFIED;
    let value = if is_content { "public, max-age=31536000, immutable" } else { "no-store" };
    Some(HeaderValue::from_static(value))
}

/// A page with its content security policy.
fn page(html: String, policy: &str) -> Response {
    let mut response = Response::new(html.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}
