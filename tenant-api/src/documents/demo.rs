//! `GET /demo/{key}`: a page on which every merchant can try its widget.

use axum::extract::State;
use axum::response::{IntoResponse, Response};

use super::escape::{fill, html};
use super::page;
use crate::app::AppState;
use crate::extract::Path;
use crate::shopper::find_chatbot;

pub async fn handler(State(state): State<AppState>, Path(key): Path<String>) -> Response {
    let chatbot = match find_chatbot(&state.tenants(), &key) {
        Ok(chatbot) => chatbot,
        Err(problem) => return problem.into_response(),
    };
    let widget = state.widget_origin();
    let text = fill(include_str!("demo.html"), |name| {
        Some(match name {
            "language" => chatbot.language.to_string(),
            "direction" => {
                if chatbot.language.direction() == vitrine_domain::Direction::Rtl { "rtl" } else { "ltr" }.to_owned()
            }
            "shop" => html(&chatbot.tenant().merchant.display_name),
            "title" => html(&chatbot.title),
            "widget" => html(widget),
            "key" => html(&key),
            _ => return None,
        })
    });
    let policy = format!(
        "default-src 'none'; script-src {widget}; frame-src {widget}; img-src data:; style-src 'unsafe-inline'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    page(text, &policy)
}
