//! What every request passes before and after its handler.

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Method};
use axum::middleware::Next;
use axum::response::Response;

use crate::app::AppState;
use crate::problem::{Code, Problem};

/// Longest path and query.
const URI_BYTES_MAX: usize = 4_096;

/// Refuses what is too long to be meant well.
pub(super) fn bounds(request: &Request) -> Result<(), Problem> {
    let length = request.uri().path_and_query().map_or(0, |both| both.as_str().len());
    if length > URI_BYTES_MAX {
        return Err(Problem::new(Code::TooLarge, format!("the address can have at most {URI_BYTES_MAX} bytes")));
    }
    Ok(())
}

/// The shopper API takes calls of the widget's own page and of programs, never of another page.
///
/// What changes something must carry the widget's origin. What only reads may come without one (browsers send none
/// with a GET to their own origin), but not with another.
pub(super) async fn shopper_calls(
    State(state): State<AppState>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    if let Some(address) = client_address(&state, &request) {
        state.rates.count_call(address)?;
    }
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let is_ours = match request.headers().get(header::ORIGIN) {
        Some(origin) => origin.as_bytes() == state.widget_origin().as_bytes(),
        None => reads,
    };
    if !is_ours {
        return Err(Problem::new(Code::OriginRefused, "this call is for the widget's own page"));
    }
    let mut response = next.run(request).await;
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Where the call comes from: the connection's other end, or what the last proxy of ours says.
fn client_address(state: &AppState, request: &Request) -> Option<IpAddr> {
    let ConnectInfo(peer) = request.extensions().get::<ConnectInfo<SocketAddr>>()?;
    let forwarded = (state.proxies > 0).then(|| forwarded_for(request.headers(), state.proxies)).flatten();
    Some(forwarded.unwrap_or_else(|| peer.ip()))
}

/// The entry that our outermost proxy wrote: what stands before it was written by the caller.
fn forwarded_for(headers: &HeaderMap, proxies: usize) -> Option<IpAddr> {
    let entries: Vec<&str> = headers
        .get_all("x-forwarded-for")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .collect();
    entries.get(entries.len().checked_sub(proxies)?)?.parse().ok()
}

/// Headers that no response of ours is without. A handler's own are kept.
pub(super) fn secure(response: &mut Response) {
    let defaults = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in defaults {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
}

/// Measures and logs. Query strings and headers are never logged: they can hold what a person typed.
pub(super) async fn observe(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let response = next.run(request).await;
    let route = route.as_ref().map_or("unmatched", MatchedPath::as_str);
    let duration = started.elapsed();
    state.metrics.observe(route, &method, response.status(), duration);
    tracing::debug!(
        http.route = route,
        http.method = %method,
        http.status = response.status().as_u16(),
        duration_ms = duration.as_secs_f64() * 1_000.0,
        "answered a request"
    );
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_our_own_proxies_wrote_is_believed() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", HeaderValue::from_static("198.51.100.1, 203.0.113.9"));
        headers.append("x-forwarded-for", HeaderValue::from_static("10.0.0.2"));
        assert_eq!(forwarded_for(&headers, 1), Some("10.0.0.2".parse().unwrap()));
        assert_eq!(forwarded_for(&headers, 2), Some("203.0.113.9".parse().unwrap()));
        assert_eq!(forwarded_for(&headers, 4), None);
        assert_eq!(forwarded_for(&HeaderMap::new(), 1), None);
    }
}
