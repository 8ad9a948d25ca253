//! Problems in the API's description: what many calls can be answered with is told once.

use std::collections::BTreeMap;

use utoipa::openapi::{ContentBuilder, Ref, RefOr, Response, ResponseBuilder, ResponsesBuilder};
use utoipa::{IntoResponses, ToSchema};

use super::Code;

/// Media type of every problem.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// The document of a problem (RFC 9457).
#[derive(ToSchema)]
#[schema(title = "Problem")]
pub struct ProblemBody {
    /// Identifies the kind of problem.
    #[schema(example = "https://vitrine.dev/problems/thread_not_found")]
    pub r#type: String,
    pub title: String,
    pub status: u16,
    pub detail: String,
    pub code: Code,
    /// The same sentence as `detail`.
    pub message: String,
    /// On 422: what is wrong.
    #[schema(nullable = false)]
    pub errors: Option<ProblemErrors>,
}

/// By field: what is allowed there.
#[derive(ToSchema)]
pub struct ProblemErrors(pub BTreeMap<String, Vec<String>>);

/// Problems that any call of the widget can meet.
pub enum CallProblems {}

impl IntoResponses for CallProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        described([
            ("403", "`origin_refused`, `chatbot_suspended`"),
            ("413", "`too_large`"),
            ("429", "`rate_limited`"),
            ("500", "`internal`"),
            ("503", "`starting`"),
        ])
    }
}

/// Problems of a call whose body has to be JSON.
pub enum BodyProblems {}

impl IntoResponses for BodyProblems {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        described([("400", "`malformed`"), ("415", "`unsupported_media_type`")])
    }
}

fn described<const COUNT: usize>(problems: [(&str, &str); COUNT]) -> BTreeMap<String, RefOr<Response>> {
    let schema = Ref::from_schema_name(ProblemBody::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let responses = problems.map(|(status, description)| {
        let response = ResponseBuilder::new().description(description).content(PROBLEM_JSON, content.clone());
        (status, response.build())
    });
    ResponsesBuilder::new().responses_from_iter(responses).build().into()
}
