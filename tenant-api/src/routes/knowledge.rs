//! `PUT /api/platform/merchants/{name}/knowledge`: what a shop's chatbots may answer from.

use axum::Json;
use axum::extract::{Request, State};
use secrecy::ExposeSecret;
use serde::Serialize;
use subtle::ConstantTimeEq;
use utoipa::ToSchema;
use vitrine_database::StoreError;
use vitrine_knowledge::{ImportError, KnowledgeImport};

use crate::app::AppState;
use crate::extract::Path;
use crate::json::{read_body, require_json};
use crate::problem::{BodyProblems, Code, PROBLEM_JSON, Problem, ProblemBody};
use crate::shopper::{bearer, starting};
use crate::wire::Envelope;

/// Five MiB of text and what JSON adds to it.
const BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

#[derive(Serialize, ToSchema)]
pub struct ImportCounts {
    added: usize,
    changed: usize,
    unchanged: usize,
    removed: usize,
    /// Passages that can be found now.
    passages: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    #[error("the platform's token is missing or wrong")]
    TokenInvalid,
    #[error("no merchant has this name")]
    UnknownMerchant,
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<RouteError> for Problem {
    fn from(error: RouteError) -> Self {
        let message = error.to_string();
        match error {
            RouteError::TokenInvalid => Self::new(Code::TokenInvalid, message),
            RouteError::UnknownMerchant => Self::new(Code::NotFound, message),
            RouteError::Import(ImportError::Item(error)) => Self::invalid_field("items", error.to_string()),
            RouteError::Import(ImportError::Store(error)) | RouteError::Store(error) => Self::store(&error),
        }
    }
}

/// Replaces a merchant's knowledge by the items of the body; items that are absent are removed.
#[utoipa::path(
    put,
    path = "/api/platform/merchants/{name}/knowledge",
    operation_id = "importKnowledge",
    tag = "platform",
    security(("platform" = [])),
    params(("name" = String, Path, description = "Name of the Merchant resource")),
    request_body(content = serde_json::Value, description = "`{\"items\": [{\"kind\": \"faq\" | \"document\" | \"product\", \"id\": …}]}`"),
    responses(
        BodyProblems,
        (status = 200, body = Envelope<ImportCounts>, description = "The knowledge is as the body says"),
        (status = 401, body = ProblemBody, content_type = PROBLEM_JSON, description = "`token_invalid`"),
        (status = 404, body = ProblemBody, content_type = PROBLEM_JSON, description = "`not_found`"),
        (status = 413, body = ProblemBody, content_type = PROBLEM_JSON, description = "`too_large`"),
        (status = 422, body = ProblemBody, content_type = PROBLEM_JSON, description = "`invalid`"),
        (status = 500, body = ProblemBody, content_type = PROBLEM_JSON, description = "`internal`"),
        (status = 503, body = ProblemBody, content_type = PROBLEM_JSON, description = "`starting`"),
    ),
)]
pub async fn handler(
    State(state): State<AppState>,
    Path(name): Path<String>,
    request: Request,
) -> Result<Json<Envelope<ImportCounts>>, Problem> {
    let (parts, body) = request.into_parts();
    // Before the body is read: nobody without the token makes us take megabytes.
    authorize(&state, bearer(&parts.headers))?;
    require_json(&parts.headers)?;
    let bytes = read_body(&parts.headers, body, BODY_BYTES_MAX).await?;
    let import = read(&bytes)?;
    let counts = store(&state, &name, &import).await?;
    Ok(Json(Envelope::new(counts, "the knowledge was imported")))
}

fn authorize(state: &AppState, token: Option<&str>) -> Result<(), RouteError> {
    let (Some(expected), Some(token)) = (&state.platform_token, token) else { return Err(RouteError::TokenInvalid) };
    let is_same = bool::from(expected.expose_secret().as_bytes().ct_eq(token.as_bytes()));
    if is_same { Ok(()) } else { Err(RouteError::TokenInvalid) }
}

fn read(bytes: &[u8]) -> Result<KnowledgeImport, Problem> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_data() {
            Problem::invalid_field(&path, inner.to_string())
        } else {
            Problem::new(
                Code::Malformed,
                format!("the body is not JSON: line {}, column {}", inner.line(), inner.column()),
            )
        }
    })
}

async fn store(state: &AppState, name: &str, import: &KnowledgeImport) -> Result<ImportCounts, Problem> {
    let tenants = state.tenants();
    let tenant = match tenants.find_by_name(name) {
        Some(tenant) => tenant,
        None if tenants.is_ready() => return Err(RouteError::UnknownMerchant.into()),
        None => return Err(starting()),
    };
    let language = tenant.default_chatbot().map_or(tenant.merchant.language, |chatbot| chatbot.language);
    let merchant = tenant.merchant.id;
    let report = async {
        let mut transaction = state.database.tenant(merchant).await?;
        let report = vitrine_knowledge::import(&mut transaction, import, language).await?;
        transaction.commit().await?;
        Ok::<_, RouteError>(report)
    }
    .await?;
    tracing::info!(merchant.name = name, knowledge.passages = report.passages, "imported a merchant's knowledge");
    Ok(ImportCounts {
        added: report.added,
        changed: report.changed,
        unchanged: report.unchanged,
        removed: report.removed,
        passages: report.passages,
    })
}
