//! What a caller is told when a call did not succeed: problem details of RFC 9457 with a machine-readable `code`.

mod described;

use std::collections::BTreeMap;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use problem_details::ProblemDetails;
use serde::Serialize;
use utoipa::ToSchema;
use vitrine_database::StoreError;

pub use described::{BodyProblems, CallProblems, PROBLEM_JSON, ProblemBody, ProblemErrors};

/// A database that went away is usually back, or has a successor, within seconds.
const UNAVAILABLE_RETRY_AFTER: Duration = Duration::from_secs(2);

/// Why a call did not succeed. Each code has one status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    UnknownKey,
    ChatbotSuspended,
    Starting,
    TokenInvalid,
    OriginRefused,
    ThreadNotFound,
    LeadNotFound,
    Invalid,
    Malformed,
    TooLarge,
    UnsupportedMediaType,
    RateLimited,
    IdempotencyMismatch,
    DemoMode,
    Backlog,
    MethodNotAllowed,
    NotFound,
    Unavailable,
    Internal,
}

impl Code {
    pub const fn status(self) -> StatusCode {
        match self {
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::TokenInvalid => StatusCode::UNAUTHORIZED,
            Self::ChatbotSuspended | Self::OriginRefused => StatusCode::FORBIDDEN,
            Self::UnknownKey | Self::ThreadNotFound | Self::LeadNotFound | Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::DemoMode => StatusCode::CONFLICT,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Invalid | Self::IdempotencyMismatch => StatusCode::UNPROCESSABLE_ENTITY,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Starting | Self::Backlog | Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownKey => "unknown_key",
            Self::ChatbotSuspended => "chatbot_suspended",
            Self::Starting => "starting",
            Self::TokenInvalid => "token_invalid",
            Self::OriginRefused => "origin_refused",
            Self::ThreadNotFound => "thread_not_found",
            Self::LeadNotFound => "lead_not_found",
            Self::Invalid => "invalid",
            Self::Malformed => "malformed",
            Self::TooLarge => "too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::RateLimited => "rate_limited",
            Self::IdempotencyMismatch => "idempotency_mismatch",
            Self::DemoMode => "demo_mode",
            Self::Backlog => "backlog",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::NotFound => "not_found",
            Self::Unavailable => "unavailable",
            Self::Internal => "internal",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::UnknownKey => "Unknown key",
            Self::ChatbotSuspended => "Chatbot out of service",
            Self::Starting => "Starting",
            Self::TokenInvalid => "Token not accepted",
            Self::OriginRefused => "Origin not accepted",
            Self::ThreadNotFound => "Conversation not found",
            Self::LeadNotFound => "Contact details not found",
            Self::Invalid => "Invalid request",
            Self::Malformed => "Malformed request",
            Self::TooLarge => "Request too large",
            Self::UnsupportedMediaType => "Unsupported media type",
            Self::RateLimited => "Too many requests",
            Self::IdempotencyMismatch => "Idempotency key used for another request",
            Self::DemoMode => "Demonstration only",
            Self::Backlog => "Too much waits to be answered",
            Self::MethodNotAllowed => "Method not allowed",
            Self::NotFound => "Not found",
            Self::Unavailable => "Out of service for a moment",
            Self::Internal => "Internal error",
        }
    }
}

/// What is wrong, by field: each entry says what is allowed.
pub type FieldErrors = BTreeMap<String, Vec<String>>;

/// A problem as it is answered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    code: Code,
    message: String,
    errors: FieldErrors,
    retry_after: Option<Duration>,
}

impl Problem {
    /// `message` is a sentence for a person; it must not repeat what the caller sent.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), errors: FieldErrors::new(), retry_after: None }
    }

    /// Fields that do not fit.
    pub fn invalid(errors: FieldErrors) -> Self {
        let fields = errors.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        Self { errors, ..Self::new(Code::Invalid, format!("not accepted: {fields}")) }
    }

    /// One field that does not fit, and what is allowed there.
    pub fn invalid_field(field: &str, allowed: impl Into<String>) -> Self {
        Self::invalid(FieldErrors::from([(field.to_owned(), vec![allowed.into()])]))
    }

    /// Something of ours failed. The cause is logged here, once, and the caller learns nothing of it.
    pub fn internal(error: &(dyn std::error::Error + 'static)) -> Self {
        tracing::error!(error = %chain(error), "failed to answer a request");
        Self::new(Code::Internal, "Something went wrong on our side. Please try again.")
    }

    /// The database did not do what it was asked. Where it was out of reach, coming back helps.
    pub fn store(error: &StoreError) -> Self {
        let problem = Self::internal(error);
        if error.is_transient() {
            let problem = Self { code: Code::Unavailable, ..problem };
            return problem.with_retry_after(UNAVAILABLE_RETRY_AFTER);
        }
        problem
    }

    /// Says when trying again makes sense.
    pub fn with_retry_after(self, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..self }
    }

    pub const fn code(&self) -> Code {
        self.code
    }

    pub fn message(&self) -> &str {
        &self.message
    }
}

/// An error and its causes in one line.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// The document's members beyond RFC 9457.
#[derive(Serialize)]
struct Extensions {
    code: Code,
    message: String,
    #[serde(skip_serializing_if = "FieldErrors::is_empty")]
    errors: FieldErrors,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self { code, message, errors, retry_after } = self;
        let kind = format!("https://vitrine.dev/problems/{}", code.as_str());
        let mut details = ProblemDetails::from_status_code(code.status())
            .with_title(code.title())
            .with_detail(message.clone())
            .with_extensions(Extensions { code, message, errors });
        if let Ok(kind) = kind.parse::<Uri>() {
            details = details.with_type(kind);
        }
        let mut response = details.into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if code == Code::TokenInvalid {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(retry_after) = retry_after {
            // Rounded up: coming back a moment too early would only be refused again.
            let seconds = retry_after.as_millis().div_ceil(1_000).max(1);
            if let Ok(value) = HeaderValue::from_str(&seconds.to_string()) {
                headers.insert(header::RETRY_AFTER, value);
            }
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_problem_is_a_document_that_names_field_and_code() {
        let response = Problem::invalid_field("limit", "a whole number from 1 to 100").into_response();
        assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/problem+json");
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        insta::assert_json_snapshot!(serde_json::from_slice::<serde_json::Value>(&body).unwrap(), @r#"
        {
          "code": "invalid",
          "detail": "not accepted: limit",
          "errors": {
            "limit": [
              "a whole number from 1 to 100"
            ]
          },
          "message": "not accepted: limit",
          "status": 422,
          "title": "Invalid request",
          "type": "https://vitrine.dev/problems/invalid"
        }
        "#);
    }

    #[test]
    fn a_database_out_of_reach_is_worth_coming_back_for() {
        let error = |source| StoreError { action: "read a thread", source };
        let away = Problem::store(&error(sqlx::Error::PoolTimedOut)).into_response();
        assert_eq!(away.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(away.headers()[header::RETRY_AFTER], "2");
        let broken = Problem::store(&error(sqlx::Error::RowNotFound)).into_response();
        assert_eq!(broken.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!broken.headers().contains_key(header::RETRY_AFTER));
    }

    #[test]
    fn waiting_is_rounded_up_to_whole_seconds() {
        let response =
            Problem::new(Code::RateLimited, "slow down").with_retry_after(Duration::from_millis(1_001)).into_response();
        assert_eq!(response.headers()[header::RETRY_AFTER], "2");
    }

    #[test]
    fn the_code_on_the_wire_is_the_code_in_the_type() {
        for code in [Code::UnknownKey, Code::IdempotencyMismatch, Code::UnsupportedMediaType, Code::Internal] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
