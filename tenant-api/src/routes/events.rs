//! `GET /api/threads/{uuid}/events`: an answer while it is being written.

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use vitrine_database::StoreError;
use vitrine_domain::{StreamId, ThreadId};

use crate::app::AppState;
use crate::extract::Path;
use crate::hub::{ThreadOf, ThreadStream};
use crate::limits::StreamPermit;
use crate::metrics::OpenStream;
use crate::problem::{CallProblems, Code, PROBLEM_JSON, Problem, ProblemBody};
use crate::shopper::Shopper;

#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    #[error("there is no such conversation")]
    ThreadNotFound,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<RouteError> for Problem {
    fn from(error: RouteError) -> Self {
        let message = error.to_string();
        match error {
            RouteError::ThreadNotFound => Self::new(Code::ThreadNotFound, message),
            RouteError::Store(error) => Self::store(&error),
        }
    }
}

/// The events of a conversation as a stream (server-sent events).
///
/// The data of each event is JSON. `message` (`StreamMessage`) carries text: `replace` says whether it is the whole text or
/// a continuation. `log` (`StreamLog`) is a code that says what is being done. `command` (`StreamCommand`) END follows a
/// stored answer. The stream ends when nothing more is to be expected. Read it with `fetch` and send the last event's id
/// as `Last-Event-ID` after a break: nothing is missed or repeated.
#[utoipa::path(
    get,
    path = "/api/threads/{uuid}/events",
    operation_id = "followThread",
    tag = "threads",
    security(("visitor" = [])),
    params(
        ("uuid" = uuid::Uuid, Path, description = "The conversation"),
        ("Last-Event-ID" = Option<String>, Header, description = "Where to go on: `sequence.attempt.characters` or `sequence.stored.0`"),
    ),
    responses(
        CallProblems,
        (status = 200, description = "A stream of `message`, `log` and `command` events", content_type = "text/event-stream"),
        (status = 401, body = ProblemBody, content_type = PROBLEM_JSON, description = "`token_invalid`"),
        (status = 404, body = ProblemBody, content_type = PROBLEM_JSON, description = "`thread_not_found`: also another visitor's"),
        (status = 422, body = ProblemBody, content_type = PROBLEM_JSON, description = "`invalid`"),
        (status = 429, body = ProblemBody, content_type = PROBLEM_JSON, description = "`rate_limited`: also too many open streams"),
    ),
)]
pub async fn handler(
    State(state): State<AppState>,
    shopper: Shopper,
    Path(uuid): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let thread = uuid.parse::<ThreadId>().map_err(|_| RouteError::ThreadNotFound)?;
    let last = last_event_id(&headers)?;
    let permit = state.streams.open(shopper.merchant(), &shopper.chatbot.name, shopper.visitor)?;
    let of = ThreadOf { merchant: shopper.merchant(), thread, visitor: shopper.visitor };
    let stream =
        ThreadStream::open(&state.hub, of, last).await.map_err(RouteError::from)?.ok_or(RouteError::ThreadNotFound)?;
    Ok(response(Open { stream, _permit: permit, _counted: state.metrics.stream_opened() }))
}

/// A stream with what it holds as long as it is open.
struct Open {
    stream: ThreadStream,
    _permit: StreamPermit,
    _counted: OpenStream,
}

fn response(open: Open) -> Response {
    let chunks = futures::stream::unfold(open, |mut open| async move {
        let chunk = open.stream.next().await?;
        Some((Ok::<_, Infallible>(chunk), open))
    });
    let mut response = Response::new(Body::from_stream(chunks));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Proxies that would collect the stream before handing it on.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<StreamId>, Problem> {
    let Some(last) = headers.get("last-event-id").filter(|last| !last.is_empty()) else { return Ok(None) };
    last.to_str().ok().and_then(|last| last.parse().ok()).map(Some).ok_or_else(|| {
        Problem::invalid_field("Last-Event-ID", "the id of an event: sequence.attempt.characters or sequence.stored.0")
    })
}
