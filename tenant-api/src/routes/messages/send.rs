//! `POST /api/messages`: a shopper says something.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use uuid::Uuid;
use vitrine_database::StoreError;
use vitrine_domain::ThreadId;
use vitrine_domain::limits::{IDEMPOTENCY_KEY_CHARACTERS_MAX, POST_WAIT_MAX};
use vitrine_service::clock;

use crate::app::AppState;
use crate::fields::Fields;
use crate::json::{JsonBody, RequestBody};
use crate::problem::{BodyProblems, CallProblems, Code, PROBLEM_JSON, Problem, ProblemBody};
use crate::shopper::Shopper;
use crate::store::messages::StoredMessage;
use crate::store::{threads, turns};
use crate::turns::{Accept, AcceptError, Accepted, Idempotency, Limits};
use crate::wire::{Envelope, Part, SourceBody, ThreadState};

/// Scope of idempotency keys.
const ROUTE: &str = "POST /api/messages";
/// Parts of one message.
const PARTS_MAX: usize = 10;
const CLAIM_CHARACTERS_MAX: usize = 128;
/// When to come back when the thread's next question is full or too much waits.
const RETRY_AFTER: std::time::Duration = std::time::Duration::from_secs(5);

#[derive(Deserialize, ToSchema)]
pub struct SendMessage {
    #[schema(value_type = Uuid)]
    thread_uuid: ThreadId,
    agent_namespace: String,
    /// At most 10 parts.
    messages: Vec<SentPart>,
    /// The shop's own id of its customer; a claim, not a proof.
    #[serde(default)]
    customer_id: Option<String>,
    /// The product of the page the shopper is on; a claim.
    #[serde(default)]
    integration_product_id: Option<String>,
}

impl RequestBody for SendMessage {
    const FIELDS: &'static [&'static str] =
        &["thread_uuid", "agent_namespace", "messages", "customer_id", "integration_product_id"];
}

#[derive(Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum SentPart {
    Text { text: SentText },
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SentText {
    value: String,
}

/// The question that was stored and its answer. `content` is empty while the answer is being written.
#[derive(Serialize, ToSchema)]
pub struct SentMessage {
    /// The answer's.
    uuid: Uuid,
    /// The answer's; null while it waits for its turn.
    #[schema(required)]
    sequence: Option<i64>,
    content: Vec<Part>,
    is_closing: bool,
    state: ThreadState,
    sources: Vec<SourceBody>,
    refused: bool,
    failed: bool,
    question_uuid: Uuid,
    question_sequence: i64,
}

#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    #[error(transparent)]
    Refused(#[from] Problem),
    #[error("there is no such conversation")]
    ThreadNotFound,
    #[error("this chatbot is a demonstration")]
    DemoMode,
    #[error(transparent)]
    Accept(#[from] AcceptError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<RouteError> for Problem {
    fn from(error: RouteError) -> Self {
        let message = error.to_string();
        match error {
            RouteError::Refused(problem) => problem,
            RouteError::ThreadNotFound | RouteError::Accept(AcceptError::ThreadNotFound) => {
                Self::new(Code::ThreadNotFound, RouteError::ThreadNotFound.to_string())
            }
            RouteError::DemoMode => Self::new(Code::DemoMode, message),
            RouteError::Accept(AcceptError::ThreadNotOpen(_)) => {
                Self::invalid_field("thread_uuid", "an open conversation; this one is closed, begin a new one")
            }
            RouteError::Accept(
                AcceptError::TooManyWaiting { retry_after } | AcceptError::RateLimited { retry_after },
            ) => Self::new(Code::RateLimited, "this shop's chat is very busy").with_retry_after(retry_after),
            RouteError::Accept(AcceptError::TurnFull) => {
                Self::new(Code::RateLimited, "wait for the answer before you ask more").with_retry_after(RETRY_AFTER)
            }
            RouteError::Accept(AcceptError::IdempotencyMismatch) => Self::new(
                Code::IdempotencyMismatch,
                "this Idempotency-Key came with another body before; use a new one for a new message",
            ),
            RouteError::Accept(AcceptError::Backlog) => {
                Self::new(Code::Backlog, "too many questions wait for an answer").with_retry_after(RETRY_AFTER)
            }
            RouteError::Accept(AcceptError::Store(error)) | RouteError::Store(error) => Self::store(&error),
        }
    }
}

/// What the headers ask for.
struct Wishes {
    idempotency_key: String,
    respond_async: bool,
}

/// A shopper's message, and its answer once that is stored.
///
/// Waits for the answer for up to 30 s and then says 202 with the answer's uuid; with `Prefer: respond-async` it says so
/// at once. A repetition with the same `Idempotency-Key` and body does nothing twice and joins the wait.
#[utoipa::path(
    post,
    path = "/api/messages",
    operation_id = "sendMessage",
    tag = "messages",
    security(("visitor" = [])),
    request_body = SendMessage,
    params(
        ("Idempotency-Key" = Option<String>, Header, description = "Made by the caller for each message; 24 hours", max_length = 128),
        ("Prefer" = Option<String>, Header, description = "`respond-async`: do not wait for the answer"),
    ),
    responses(
        CallProblems,
        BodyProblems,
        (status = 200, body = Envelope<SentMessage>, description = "The answer is stored"),
        (status = 202, body = Envelope<SentMessage>, description = "The message is stored, its answer is being written"),
        (status = 401, body = ProblemBody, content_type = PROBLEM_JSON, description = "`token_invalid`"),
        (status = 404, body = ProblemBody, content_type = PROBLEM_JSON, description = "`thread_not_found`: also another visitor's, and for an agent that is not the chatbot's"),
        (status = 409, body = ProblemBody, content_type = PROBLEM_JSON, description = "`demo_mode`"),
        (status = 422, body = ProblemBody, content_type = PROBLEM_JSON, description = "`invalid`, `idempotency_mismatch`"),
        (status = 503, body = ProblemBody, content_type = PROBLEM_JSON, description = "`backlog`, `starting`"),
    ),
)]
pub async fn handler(
    State(state): State<AppState>,
    shopper: Shopper,
    headers: HeaderMap,
    body: JsonBody<SendMessage>,
) -> Result<(StatusCode, HeaderMap, Json<Envelope<SentMessage>>), Problem> {
    let mut answered = HeaderMap::new();
    shopper.count_write(&state)?.write(&mut answered);
    let wishes = wishes(&headers)?;
    let sent = send(&state, &shopper, &wishes, body).await?;
    let (status, message) = if sent.content.is_empty() {
        (StatusCode::ACCEPTED, "your message was stored; the answer is being written")
    } else {
        (StatusCode::OK, "your message was answered")
    };
    if wishes.respond_async {
        answered.insert("preference-applied", HeaderValue::from_static("respond-async"));
    }
    Ok((status, answered, Json(Envelope::new(sent, message))))
}

async fn send(
    state: &AppState,
    shopper: &Shopper,
    wishes: &Wishes,
    JsonBody { value: body, bytes }: JsonBody<SendMessage>,
) -> Result<SentMessage, RouteError> {
    let merchant = shopper.merchant();
    let thread = body.thread_uuid;
    if !shopper.may_ask(&body.agent_namespace) {
        return Err(RouteError::ThreadNotFound);
    }
    if shopper.chatbot.demo {
        return Err(RouteError::DemoMode);
    }
    let text = text(&body, shopper.chatbot.limits.message_characters)?;
    let tenant = shopper.chatbot.tenant();
    // Waiting begins before the question is there, so that no answer is missed.
    let wait = state.hub.wait(merchant, thread);
    let accepted = state
        .turns
        .accept(Accept {
            merchant,
            config_sequence: tenant.sequence,
            limits: Limits {
                messages_per_minute: tenant.merchant.quotas.messages_per_minute,
                concurrent_answers: tenant.merchant.quotas.concurrent_answers,
            },
            thread,
            visitor: shopper.visitor,
            message: clock::new_uuid_v7().into(),
            turn: clock::new_uuid_v7().into(),
            text,
            idempotency: Some(Idempotency {
                key: wishes.idempotency_key.clone(),
                route: ROUTE.to_owned(),
                body_hash: Sha256::digest(&bytes).into(),
            }),
        })
        .await?;
    tracing::debug!(thread.id = %thread, turn.id = %accepted.turn, replayed = accepted.replayed, "accepted a message");

    // A repetition may find its answer there already.
    let earlier = if accepted.replayed { wait.look(accepted.turn).await? } else { None };
    let answer = match earlier {
        None if !wishes.respond_async => wait.answer(accepted.turn, POST_WAIT_MAX).await?,
        earlier => earlier,
    };
    match answer {
        Some(answer) => answered(state, shopper, thread, &accepted, &answer).await,
        None => unanswered(state, shopper, thread, &accepted).await,
    }
}

async fn answered(
    state: &AppState,
    shopper: &Shopper,
    thread: ThreadId,
    accepted: &Accepted,
    answer: &StoredMessage,
) -> Result<SentMessage, RouteError> {
    let mut transaction = state.database.tenant(shopper.merchant()).await?;
    let thread = threads::find(&mut transaction, thread, shopper.visitor).await?.ok_or(RouteError::ThreadNotFound)?;
    transaction.commit().await?;
    Ok(SentMessage {
        uuid: answer.message.as_uuid(),
        sequence: Some(answer.sequence),
        content: vec![Part::text(&answer.text)],
        is_closing: answer.is_closing,
        state: thread.state.into(),
        sources: answer.sources.iter().map(SourceBody::from).collect(),
        refused: answer.refused,
        failed: answer.failed,
        question_uuid: accepted.question.as_uuid(),
        question_sequence: accepted.question_sequence,
    })
}

async fn unanswered(
    state: &AppState,
    shopper: &Shopper,
    thread: ThreadId,
    accepted: &Accepted,
) -> Result<SentMessage, RouteError> {
    let mut transaction = state.database.tenant(shopper.merchant()).await?;
    let open = turns::open(&mut transaction, thread).await?;
    transaction.commit().await?;
    let sequence = open.dispatched.filter(|turn| turn.turn == accepted.turn).and_then(|turn| turn.answer_sequence);
    Ok(SentMessage {
        uuid: accepted.turn.as_uuid(),
        sequence,
        content: Vec::new(),
        is_closing: false,
        state: accepted.thread_state.into(),
        sources: Vec::new(),
        refused: false,
        failed: false,
        question_uuid: accepted.question.as_uuid(),
        question_sequence: accepted.question_sequence,
    })
}

/// The message's text: its parts, one per line.
fn text(body: &SendMessage, characters_max: u32) -> Result<String, Problem> {
    let mut fields = Fields::default();
    fields.line("customer_id", body.customer_id.clone(), CLAIM_CHARACTERS_MAX);
    fields.line("integration_product_id", body.integration_product_id.clone(), CLAIM_CHARACTERS_MAX);
    if body.messages.is_empty() || body.messages.len() > PARTS_MAX {
        fields.refuse("messages", format!("1 to {PARTS_MAX} parts"));
    }
    let parts: Vec<&str> = body.messages.iter().map(|SentPart::Text { text }| text.value.trim()).collect();
    let text = parts.join("\n").trim().to_owned();
    let is_control = |character: char| character.is_control() && !matches!(character, '\n' | '\r' | '\t');
    if !body.messages.is_empty() && text.is_empty() {
        fields.refuse("messages", "a text that is not empty");
    }
    if text.chars().count() > usize::try_from(characters_max).unwrap_or(usize::MAX) {
        fields.refuse("messages", format!("at most {characters_max} characters"));
    }
    if text.chars().any(is_control) {
        fields.refuse("messages", "a text without control characters");
    }
    fields.finish()?;
    Ok(text)
}

fn wishes(headers: &HeaderMap) -> Result<Wishes, Problem> {
    let idempotency_key = match headers.get("idempotency-key") {
        // Without a key a repetition cannot be told from a second message.
        None => clock::new_uuid_v4().to_string(),
        Some(key) => key
            .to_str()
            .ok()
            .filter(|key| (1..=IDEMPOTENCY_KEY_CHARACTERS_MAX).contains(&key.len()))
            .ok_or_else(|| {
                let allowed = format!("1 to {IDEMPOTENCY_KEY_CHARACTERS_MAX} visible ASCII characters");
                Problem::invalid_field("Idempotency-Key", allowed)
            })?
            .to_owned(),
    };
    let respond_async = headers
        .get_all("prefer")
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|wish| wish.trim().eq_ignore_ascii_case("respond-async"));
    Ok(Wishes { idempotency_key, respond_async })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn read(messages: &str) -> Result<String, Problem> {
        let body = format!(
            r#"{{"thread_uuid": "018f0000-0000-7000-8000-000000000000", "agent_namespace": "a", "messages": {messages}}}"#
        );
        text(&parse::<SendMessage>(body.as_bytes())?, 10)
    }

    #[test]
    fn parts_become_lines() {
        let parts = r#"[{"type":"text","text":{"value":" Hoi "}},{"type":"text","text":{"value":"daar"}}]"#;
        assert_eq!(read(parts).unwrap(), "Hoi\ndaar");
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_reason() {
        let part = |value: &str| format!(r#"[{{"type":"text","text":{{"value":{value}}}}}]"#);
        for wrong in [
            "[]".to_owned(),
            part(r#""  ""#),
            part(r#""12345678901""#),
            part(r#""nul \u0000""#),
            part("5"),
            r#"[{"type":"audio","audio":{}}]"#.to_owned(),
            r#"[{"type":"text","text":{"value":"a","html":"b"}}]"#.to_owned(),
            format!("[{}]", [r#"{"type":"text","text":{"value":"a"}}"#; 11].join(",")),
        ] {
            assert_eq!(read(&wrong).unwrap_err().code(), Code::Invalid, "{wrong}");
        }
        assert!(read(&part(r#""😀😀😀😀😀😀😀😀😀😀""#)).is_ok(), "characters are counted, not bytes");
    }

    #[test]
    fn headers_say_what_is_wished_for() {
        let mut headers = HeaderMap::new();
        assert!(!wishes(&headers).unwrap().respond_async);
        headers.insert("prefer", HeaderValue::from_static("wait=10, Respond-Async"));
        headers.insert("idempotency-key", HeaderValue::from_static("k"));
        let wished = wishes(&headers).unwrap();
        assert!(wished.respond_async && wished.idempotency_key == "k");
        headers.insert("idempotency-key", HeaderValue::from_str(&"k".repeat(129)).unwrap());
        assert!(wishes(&headers).is_err());
    }
}
