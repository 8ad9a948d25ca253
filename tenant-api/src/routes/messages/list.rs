//! `GET /api/messages`: what has been said.

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vitrine_database::StoreError;
use vitrine_domain::ThreadId;

use crate::app::AppState;
use crate::extract::Query;
use crate::fields::Fields;
use crate::problem::{CallProblems, Code, PROBLEM_JSON, Problem, ProblemBody};
use crate::shopper::Shopper;
use crate::store::{messages, threads, turns};
use crate::wire::{Message, ThreadState};

const LIMIT_DEFAULT: usize = 50;
const LIMIT_MAX: usize = 100;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    #[serde(default)]
    #[param(required, format = Uuid)]
    thread_uuid: Option<String>,
    /// Messages at most, from 1 to 100.
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100, default = 50)]
    limit: Option<String>,
    /// `next_cursor` of an earlier page.
    #[serde(default)]
    cursor: Option<String>,
}

/// Messages, newest first.
#[derive(Serialize, ToSchema)]
pub struct MessageList {
    data: Vec<Message>,
    meta: MessagesMeta,
    message: &'static str,
}

#[derive(Serialize, ToSchema)]
pub struct MessagesMeta {
    state: ThreadState,
    /// The sequence of the answer that is being written.
    #[schema(required)]
    pending: Option<i64>,
    /// Where the next, older page begins.
    #[schema(required)]
    next_cursor: Option<String>,
}

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

/// Where a page begins and how long it is.
struct Page {
    thread: ThreadId,
    before: Option<i64>,
    limit: usize,
}

/// The messages of a conversation of this visitor, newest first.
#[utoipa::path(
    get,
    path = "/api/messages",
    operation_id = "listMessages",
    tag = "messages",
    security(("visitor" = [])),
    params(ListQuery),
    responses(
        CallProblems,
        (status = 200, body = MessageList, description = "A page of the conversation"),
        (status = 400, body = ProblemBody, content_type = PROBLEM_JSON, description = "`malformed`"),
        (status = 401, body = ProblemBody, content_type = PROBLEM_JSON, description = "`token_invalid`"),
        (status = 404, body = ProblemBody, content_type = PROBLEM_JSON, description = "`thread_not_found`: also another visitor's"),
        (status = 422, body = ProblemBody, content_type = PROBLEM_JSON, description = "`invalid`"),
    ),
)]
pub async fn handler(
    State(state): State<AppState>,
    shopper: Shopper,
    Query(query): Query<ListQuery>,
) -> Result<Json<MessageList>, Problem> {
    let page = page(query)?;
    Ok(Json(list(&state, &shopper, &page).await?))
}

fn page(query: ListQuery) -> Result<Page, Problem> {
    let mut fields = Fields::default();
    let thread = fields
        .require("thread_uuid", query.thread_uuid)
        .and_then(|thread| fields.parse::<ThreadId>("thread_uuid", &thread, "the uuid of a conversation"));
    let limit = match query.limit {
        None => Some(LIMIT_DEFAULT),
        Some(limit) => {
            let limit = limit.parse::<usize>().ok().filter(|limit| (1..=LIMIT_MAX).contains(limit));
            if limit.is_none() {
                fields.refuse("limit", format!("a whole number from 1 to {LIMIT_MAX}"));
            }
            limit
        }
    };
    let before = query.cursor.and_then(|cursor| {
        let before = cursor.parse::<i64>().ok().filter(|before| *before > 0);
        if before.is_none() {
            fields.refuse("cursor", "next_cursor of an earlier page");
        }
        before
    });
    fields.finish()?;
    match (thread, limit) {
        (Some(thread), Some(limit)) => Ok(Page { thread, before, limit }),
        _ => Err(Problem::invalid_field("thread_uuid", "required")),
    }
}

async fn list(state: &AppState, shopper: &Shopper, page: &Page) -> Result<MessageList, RouteError> {
    let mut transaction = state.database.tenant(shopper.merchant()).await?;
    let thread =
        threads::find(&mut transaction, page.thread, shopper.visitor).await?.ok_or(RouteError::ThreadNotFound)?;
    let open = turns::open(&mut transaction, page.thread).await?;
    // One more than asked for tells whether there is another page.
    let mut stored = messages::list(&mut transaction, page.thread, page.before, page.limit + 1).await?;
    transaction.commit().await?;

    let has_more = stored.len() > page.limit;
    stored.truncate(page.limit);
    let next_cursor = stored.last().filter(|_| has_more).map(|oldest| oldest.sequence.to_string());
    // An answer that was stored after the turns were read is no longer pending.
    let pending = open
        .dispatched
        .and_then(|turn| turn.answer_sequence)
        .filter(|pending| stored.iter().all(|message| message.sequence != *pending));
    Ok(MessageList {
        data: stored.iter().map(Message::from).collect(),
        meta: MessagesMeta { state: thread.state.into(), pending, next_cursor },
        message: "the conversation, newest first",
    })
}
