//! `GET /w/{key}.js`: the script a shop embeds.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use vitrine_domain::{Direction, Language};
use vitrine_tenant_config::TenantChatbot;
use vitrine_tenant_config::config::{PageMode, Theme};

use super::escape::json_for_script;
use crate::app::AppState;
use crate::extract::Path;
use crate::problem::{Code, Problem};
use crate::shopper::find_chatbot;

/// How stale a shop's button may be.
const FRESH: HeaderValue = HeaderValue::from_static("public, max-age=60");

/// What the loader knows without asking.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Launcher<'a> {
    key: &'a str,
    widget_origin: &'a str,
    title: &'a str,
    language: Language,
    brand_color: &'a str,
    theme: Theme,
    orientation: Direction,
    bottom: u32,
    right: u32,
    visible: bool,
    pages: Pages<'a>,
}

#[derive(Serialize)]
struct Pages<'a> {
    mode: PageMode,
    urls: &'a [String],
}

pub async fn handler(State(state): State<AppState>, Path(file): Path<String>, headers: HeaderMap) -> Response {
    let Some(key) = file.strip_suffix(".js") else {
        return Problem::new(Code::NotFound, "there is nothing at this address").into_response();
    };
    match find_chatbot(&state.tenants(), key) {
        Ok(chatbot) => loader(&state, key, &chatbot, &headers),
        Err(problem) => refusal(problem),
    }
}

fn loader(state: &AppState, key: &str, chatbot: &TenantChatbot, headers: &HeaderMap) -> Response {
    let launcher = json_for_script(&launcher(key, state.widget_origin(), chatbot));
    let tag = state.assets.loader_tag(&launcher);
    let is_known = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|known| known.trim() == tag || known.trim() == "*");
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        script(StatusCode::OK, state.assets.loader(&launcher))
    };
    response.headers_mut().insert(header::CACHE_CONTROL, FRESH);
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(header::ETAG, tag);
    }
    allow_every_page(&mut response);
    response
}

fn launcher<'a>(key: &'a str, widget_origin: &'a str, chatbot: &'a TenantChatbot) -> Launcher<'a> {
    let appearance = &chatbot.appearance;
    let pages = chatbot.pages.as_ref();
    Launcher {
        key,
        widget_origin,
        title: &chatbot.title,
        language: chatbot.language,
        brand_color: &appearance.brand_color,
        theme: appearance.theme,
        orientation: appearance.orientation,
        bottom: appearance.bottom,
        right: appearance.right,
        visible: chatbot.visible,
        pages: Pages {
            mode: pages.map_or(PageMode::White, |pages| pages.mode),
            urls: pages.map_or(&[], |pages| pages.urls.as_slice()),
        },
    }
}

/// A script that does nothing but say why, in the shop's console.
fn refusal(problem: Problem) -> Response {
    let (status, message) = (problem.code().status(), problem.message().to_owned());
    let retry_after = problem.into_response().headers_mut().remove(header::RETRY_AFTER);
    let text = format!("/* Vitrine: {message} */\nconsole.warn(\"[vitrine] {message}\");\n");
    let mut response = script(status, text);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(retry_after) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, retry_after);
    }
    allow_every_page(&mut response);
    response
}

fn script(status: StatusCode, text: String) -> Response {
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("text/javascript; charset=utf-8"))];
    (status, kind, text).into_response()
}

/// A script is for the pages of others.
fn allow_every_page(response: &mut Response) {
    response.headers_mut().insert("cross-origin-resource-policy", HeaderValue::from_static("cross-origin"));
}
