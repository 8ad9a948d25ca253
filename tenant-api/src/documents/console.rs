//! The console's host: for now a page that says what runs here and where the demo shops are.

use axum::extract::State;
use axum::response::Response;

use super::escape::{fill, html};
use super::page;
use crate::app::AppState;

pub async fn handler(State(state): State<AppState>) -> Response {
    let shops = shops(&state);
    let text = fill(include_str!("console.html"), |name| match name {
        "shops" => Some(shops.clone()),
        "widget" => Some(html(state.widget_origin())),
        _ => None,
    });
    page(
        text,
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
}

/// A list entry for each demo shop, on the scheme and port of this very host.
fn shops(state: &AppState) -> String {
    let console = state.hosts.origins().console.as_str();
    let (scheme, authority) = console.split_once("://").unwrap_or(("http", console));
    let port = authority.rsplit_once(':').map(|(_, port)| format!(":{port}")).unwrap_or_default();
    let entries: Vec<String> = state
        .hosts
        .sites()
        .iter()
        .map(|site| {
            let address = html(&format!("{scheme}://{}{port}/", site.host));
            format!("<li><a href=\"{address}\">{address}</a></li>")
        })
        .collect();
    if entries.is_empty() { "<li>None are set up on this installation.</li>".to_owned() } else { entries.concat() }
}
