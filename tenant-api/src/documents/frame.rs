//! The widget's document, framed by shops or opened by itself.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use vitrine_service::clock;
use vitrine_tenant_config::TenantChatbot;

use super::escape::{fill, html, json_for_script};
use super::page;
use crate::app::AppState;
use crate::extract::{Path, Query};
use crate::problem::Problem;
use crate::shopper::find_chatbot;
use crate::tokens::{Session, TokenKind};

/// What the document carries for the app.
#[derive(Serialize)]
struct DocumentSession<'a> {
    key: &'a str,
    embed_token: &'a str,
    embed_token_expires_at: Timestamp,
}

/// `GET /iframe/{key}`.
pub async fn of_chatbot(State(state): State<AppState>, Path(key): Path<String>) -> Response {
    document(&state, &key)
}

/// `GET /iframe/{key}/{thread}`: the same document; the app takes the thread from the address, and its API answers
/// only the visitor whose thread it is.
pub async fn of_thread(State(state): State<AppState>, Path((key, _thread)): Path<(String, String)>) -> Response {
    document(&state, &key)
}

#[derive(Deserialize)]
pub struct FrameQuery {
    #[serde(default)]
    api_key: String,
}

/// `GET /chatbot-iframe?api_key=`.
pub async fn of_query(State(state): State<AppState>, Query(query): Query<FrameQuery>) -> Response {
    document(&state, &query.api_key)
}

fn document(state: &AppState, key: &str) -> Response {
    match find_chatbot(&state.tenants(), key).and_then(|chatbot| widget(state, key, &chatbot)) {
        Ok(document) => document,
        Err(problem) => unavailable(problem),
    }
}

fn widget(state: &AppState, key: &str, chatbot: &TenantChatbot) -> Result<Response, Problem> {
    let session = Session {
        merchant: chatbot.merchant_id(),
        chatbot: chatbot.name.clone(),
        visitor: clock::new_uuid_v7().into(),
    };
    let issued =
        state.tokens.issue(TokenKind::Embed, &session, clock::now()).map_err(|error| Problem::internal(&error))?;
    let session = json_for_script(&DocumentSession {
        key,
        embed_token: &issued.token,
        embed_token_expires_at: issued.expires_at,
    });
    let mut response = page(state.assets.widget(&session), &policy(state, chatbot));
    let headers = response.headers_mut();
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("strict-origin-when-cross-origin"));
    headers.insert("permissions-policy", HeaderValue::from_static("camera=(), geolocation=(), payment=()"));
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
    Ok(response)
}

/// Only the listed shops may frame the document, and it can load and send nothing but to and from its own host.
fn policy(state: &AppState, chatbot: &TenantChatbot) -> String {
    let uploads = state.hosts.origins().uploads.as_str();
    let mut ancestors: Vec<String> =
        chatbot.allowed_hosts.iter().map(vitrine_domain::AllowedHost::frame_ancestor).collect();
    if ancestors.is_empty() {
        ancestors.push("'none'".to_owned());
    }
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: {uploads}; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors {}",
        ancestors.join(" ")
    )
}

/// A page of a sentence, of the same size for every wrong key.
fn unavailable(problem: Problem) -> Response {
    let text = fill(include_str!("unavailable.html"), |name| match name {
        "message" => Some(html(problem.message())),
        _ => None,
    });
    let mut response = page(text, "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
    *response.status_mut() = problem.code().status();
    let problem = axum::response::IntoResponse::into_response(problem);
    if let Some(retry_after) = problem.headers().get(header::RETRY_AFTER) {
        response.headers_mut().insert(header::RETRY_AFTER, retry_after.clone());
    }
    response
}
