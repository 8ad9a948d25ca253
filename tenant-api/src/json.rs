//! Reading JSON bodies: bounded, strict about fields, and clear about what is wrong where.

use std::error::Error;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use futures::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::time::timeout;
use vitrine_domain::limits::BODY_BYTES_MAX;

use crate::problem::{Code, FieldErrors, Problem};

/// A body that takes longer to arrive is given up: it would hold a connection for nothing.
const BODY_READ_TIMEOUT: Duration = Duration::from_secs(20);

/// A body of one request.
pub trait RequestBody: DeserializeOwned + Send {
    /// Every field it can have. Others are refused by name: a caller that sends `roles` or `balance` learns that it
    /// has no effect instead of believing it had.
    const FIELDS: &'static [&'static str];
}

/// A JSON body of at most 64 KiB, and the bytes it was read from.
#[derive(Debug)]
pub struct JsonBody<T> {
    pub value: T,
    pub bytes: Bytes,
}

impl<T: RequestBody, S: Send + Sync> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        require_json(&parts.headers)?;
        let bytes = read_body(&parts.headers, body, BODY_BYTES_MAX).await?;
        Ok(Self { value: parse(&bytes)?, bytes })
    }
}

/// Refuses anything that does not say it is JSON.
pub fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    let is_json = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .is_some_and(|value| value.trim().eq_ignore_ascii_case("application/json"));
    if is_json {
        return Ok(());
    }
    Err(Problem::new(Code::UnsupportedMediaType, "send the body as Content-Type: application/json"))
}

/// Announced bytes of a body that are read although it is refused.
const DISCARDED_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The whole body, which has at most `bytes_max` bytes.
pub async fn read_body(headers: &HeaderMap, body: Body, bytes_max: usize) -> Result<Bytes, Problem> {
    let too_large = || Problem::new(Code::TooLarge, format!("the body can have at most {bytes_max} bytes"));
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if let Some(announced) = announced.filter(|announced| *announced > bytes_max) {
        if announced <= DISCARDED_BYTES_MAX {
            discard(body).await;
        }
        return Err(too_large());
    }
    let broken_off = || Problem::new(Code::Malformed, "the body did not arrive completely in time");
    let read = timeout(BODY_READ_TIMEOUT, to_bytes(body, bytes_max)).await.map_err(|_| broken_off())?;
    read.map_err(|error| {
        let is_too_long = error.source().is_some_and(<dyn Error>::is::<http_body_util::LengthLimitError>);
        if is_too_long { too_large() } else { broken_off() }
    })
}

/// Reads a body that is too large to its end: a caller who writes before reading would find the connection broken
/// instead of the reason.
async fn discard(body: Body) {
    let mut chunks = body.into_data_stream();
    // A caller who is too slow does not get to read the reason.
    let _ = timeout(BODY_READ_TIMEOUT, async { while let Some(Ok(_)) = chunks.next().await {} }).await;
}

/// Reads a body. Its nesting is bounded by the parser.
pub fn parse<T: RequestBody>(bytes: &[u8]) -> Result<T, Problem> {
    let malformed = |error: &serde_json::Error| {
        Problem::new(
            Code::Malformed,
            format!("the body is not JSON that can be read: line {}, column {}", error.line(), error.column()),
        )
    };
    let value: Value = serde_json::from_slice(bytes).map_err(|error| malformed(&error))?;
    let Value::Object(fields) = value else {
        return Err(Problem::new(Code::Malformed, "the body must be a JSON object"));
    };
    let unknown = unknown_fields::<T>(&fields);
    if !unknown.is_empty() {
        return Err(Problem::invalid(unknown));
    }
    serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
        let path = Some(error.path().to_string()).filter(|path| path != ".");
        let text = error.into_inner().to_string();
        let (field, allowed) = match text.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
            Some(missing) => (path.into_iter().chain([missing.to_owned()]).collect::<Vec<_>>().join("."), "required"),
            None => (path.unwrap_or_else(|| "body".to_owned()), without_values(&text)),
        };
        Problem::invalid_field(&field, allowed)
    })
}

/// How many unknown fields are named, and how much of each name.
const UNKNOWN_FIELDS_NAMED_MAX: usize = 10;
const FIELD_NAME_CHARACTERS_MAX: usize = 64;

fn unknown_fields<T: RequestBody>(fields: &Map<String, Value>) -> FieldErrors {
    let allowed = format!("not a field of this request; its fields are {}", T::FIELDS.join(", "));
    fields
        .keys()
        .filter(|name| !T::FIELDS.contains(&name.as_str()))
        .take(UNKNOWN_FIELDS_NAMED_MAX)
        .map(|name| (name.chars().take(FIELD_NAME_CHARACTERS_MAX).collect(), vec![allowed.clone()]))
        .collect()
}

/// What was expected, without what was sent: "invalid type: string \"x\", expected u32" quotes the caller.
fn without_values(text: &str) -> &str {
    text.find("expected ").map_or("does not fit", |start| &text[start..])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Sample {
        #[expect(dead_code, reason = "only its reading is tested")]
        name: String,
        #[serde(default)]
        #[expect(dead_code, reason = "only its reading is tested")]
        parts: Vec<Part>,
    }

    #[derive(Debug, Deserialize)]
    struct Part {
        #[expect(dead_code, reason = "only its reading is tested")]
        value: u32,
    }

    impl RequestBody for Sample {
        const FIELDS: &'static [&'static str] = &["name", "parts"];
    }

    fn refused(body: &str) -> Problem {
        parse::<Sample>(body.as_bytes()).unwrap_err()
    }

    #[test]
    fn the_place_that_does_not_fit_is_named() {
        assert!(parse::<Sample>(br#"{"name": "a", "parts": [{"value": 1}]}"#).is_ok());
        let wrong = refused(r#"{"name": "a", "parts": [{"value": 1}, {"value": "my secret"}]}"#);
        assert_eq!(wrong, Problem::invalid_field("parts[1].value", "expected u32"));
        assert_eq!(refused("{}"), Problem::invalid_field("name", "required"));
    }

    #[test]
    fn privileged_and_other_unknown_fields_are_refused_by_name() {
        for field in ["roles", "balance", "merchant_id", "visitor_id", "is_admin"] {
            let problem = refused(&format!(r#"{{"name": "a", "{field}": 1}}"#));
            assert_eq!(
                problem,
                Problem::invalid_field(field, "not a field of this request; its fields are name, parts")
            );
        }
    }

    #[test]
    fn what_is_no_json_object_is_malformed() {
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        for body in ["", "{", "[]", "null", "\"a\"", "{\"name\": \u{1}}", &deep, &format!("{{\"name\": {deep}}}")] {
            assert_eq!(refused(body).code(), Code::Malformed, "{body:.40}");
        }
    }

    proptest! {
        #[test]
        fn no_body_makes_the_parser_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
            drop(parse::<Sample>(&body));
        }
    }
}
