//! `POST /api/thread`: a visitor begins a conversation.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;
use vitrine_database::StoreError;
use vitrine_domain::LeadId;
use vitrine_service::clock;
use vitrine_tenant_config::config::LeadAsk;

use crate::app::AppState;
use crate::json::{JsonBody, RequestBody};
use crate::problem::{BodyProblems, CallProblems, Code, PROBLEM_JSON, Problem, ProblemBody};
use crate::shopper::Shopper;
use crate::store::leads;
use crate::store::threads::{self, NewThread};
use crate::tokens::{SignError, TokenKind};
use crate::wire::{Envelope, ThreadState};

#[derive(Deserialize, ToSchema)]
pub struct CreateThread {
    /// A lead of the same visitor; required when the chatbot asks before the first message.
    #[serde(default)]
    #[schema(value_type = Option<Uuid>)]
    lead_id: Option<LeadId>,
    agent_namespace: String,
    #[serde(default)]
    api_key: Option<String>,
}

impl RequestBody for CreateThread {
    const FIELDS: &'static [&'static str] = &["lead_id", "agent_namespace", "api_key"];
}

#[derive(Serialize, ToSchema)]
pub struct CreatedThread {
    uuid: Uuid,
    state: ThreadState,
    /// To be kept by the browser and sent as bearer token from now on; 30 days.
    visitor_token: String,
}

#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    #[error(transparent)]
    Refused(#[from] Problem),
    #[error("the chatbot has no such agent")]
    UnknownAgent,
    #[error("this chatbot is a demonstration")]
    DemoMode,
    #[error("required: this chatbot asks who you are before the first message (POST /api/leads)")]
    LeadRequired,
    #[error("there are no such contact details")]
    LeadNotFound,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Sign(#[from] SignError),
}

impl From<RouteError> for Problem {
    fn from(error: RouteError) -> Self {
        let message = error.to_string();
        match error {
            RouteError::Refused(problem) => problem,
            RouteError::UnknownAgent => Self::new(Code::NotFound, message),
            RouteError::DemoMode => Self::new(Code::DemoMode, message),
            RouteError::LeadRequired => Self::invalid_field("lead_id", message),
            RouteError::LeadNotFound => Self::new(Code::LeadNotFound, message),
            RouteError::Store(error) => Self::store(&error),
            RouteError::Sign(error) => Self::internal(&error),
        }
    }
}

/// Begins a conversation with the chatbot.
#[utoipa::path(
    post,
    path = "/api/thread",
    operation_id = "createThread",
    tag = "threads",
    security(("visitor" = [])),
    request_body = CreateThread,
    responses(
        CallProblems,
        BodyProblems,
        (status = 201, body = Envelope<CreatedThread>, description = "The conversation has begun"),
        (status = 401, body = ProblemBody, content_type = PROBLEM_JSON, description = "`token_invalid`"),
        (status = 404, body = ProblemBody, content_type = PROBLEM_JSON, description = "`unknown_key`, `lead_not_found`, `not_found` for an agent that is not the chatbot's"),
        (status = 409, body = ProblemBody, content_type = PROBLEM_JSON, description = "`demo_mode`"),
        (status = 422, body = ProblemBody, content_type = PROBLEM_JSON, description = "`invalid`: on `lead_id` when the chatbot asks first"),
    ),
)]
pub async fn handler(
    State(state): State<AppState>,
    shopper: Shopper,
    JsonBody { value: body, .. }: JsonBody<CreateThread>,
) -> Result<(StatusCode, HeaderMap, Json<Envelope<CreatedThread>>), Problem> {
    let mut headers = HeaderMap::new();
    shopper.count_write(&state)?.write(&mut headers);
    let created = create(&state, &shopper, body).await?;
    Ok((StatusCode::CREATED, headers, Json(Envelope::new(created, "the conversation has begun"))))
}

async fn create(state: &AppState, shopper: &Shopper, body: CreateThread) -> Result<CreatedThread, RouteError> {
    if let Some(key) = &body.api_key {
        shopper.require_key(&state.tenants(), key)?;
    }
    if !shopper.may_ask(&body.agent_namespace) {
        return Err(RouteError::UnknownAgent);
    }
    if shopper.chatbot.demo {
        return Err(RouteError::DemoMode);
    }
    let asks_first = shopper.chatbot.lead_form.as_ref().is_some_and(|form| form.ask == LeadAsk::BeforeFirstMessage);
    if asks_first && body.lead_id.is_none() {
        return Err(RouteError::LeadRequired);
    }
    let mut transaction = state.database.tenant(shopper.merchant()).await?;
    if let Some(lead) = body.lead_id {
        leads::find(&mut transaction, lead, shopper.visitor).await?.ok_or(RouteError::LeadNotFound)?;
    }
    let new = NewThread {
        thread: clock::new_uuid_v7().into(),
        visitor: shopper.visitor,
        chatbot: shopper.chatbot.name.clone(),
        agent_namespace: body.agent_namespace,
        lead: body.lead_id,
    };
    let thread = threads::create(&mut transaction, new).await?;
    transaction.commit().await?;
    let visitor_token = state.tokens.issue(TokenKind::Visitor, &shopper.session(), clock::now())?.token;
    Ok(CreatedThread { uuid: thread.thread.as_uuid(), state: thread.state.into(), visitor_token })
}
