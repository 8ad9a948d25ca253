//! `POST /api/leads`: a visitor says who they are.

use std::str::FromStr;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use email_address::{EmailAddress, Options};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{SchemaType, Type};
use utoipa::openapi::{Object, ObjectBuilder};
use uuid::Uuid;
use vitrine_database::StoreError;
use vitrine_service::clock;
use vitrine_tenant_config::config::{LeadField, LeadForm};

use crate::app::AppState;
use crate::fields::Fields;
use crate::json::{JsonBody, RequestBody};
use crate::problem::{BodyProblems, CallProblems, Code, PROBLEM_JSON, Problem, ProblemBody};
use crate::shopper::Shopper;
use crate::store::leads::{self, NewLead};
use crate::tokens::{SignError, TokenKind};
use crate::wire::Envelope;

const NAME_CHARACTERS_MAX: usize = 100;
const EMAIL_CHARACTERS_MAX: usize = 254;
const PHONE_CHARACTERS_MAX: usize = 32;
const PHONE_DIGITS_MIN: usize = 5;
const CLAIM_CHARACTERS_MAX: usize = 128;

#[derive(Deserialize, ToSchema)]
pub struct CreateLead {
    /// The key the widget was opened with.
    #[serde(default)]
    api_key: Option<String>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    phone: Option<String>,
    /// The shop's own id of its customer; a claim, not a proof.
    #[serde(default)]
    leadable_id: Option<String>,
    #[serde(default)]
    #[schema(schema_with = leadable_type)]
    leadable_type: Option<String>,
    agent_namespace: String,
    /// Which consent text the visitor saw.
    #[serde(default)]
    consent_version: Option<String>,
}

impl RequestBody for CreateLead {
    const FIELDS: &'static [&'static str] =
        &["api_key", "name", "email", "phone", "leadable_id", "leadable_type", "agent_namespace", "consent_version"];
}

#[derive(Serialize, ToSchema)]
pub struct CreatedLead {
    id: Uuid,
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
            RouteError::Store(error) => Self::store(&error),
            RouteError::Sign(error) => Self::internal(&error),
        }
    }
}

/// `leadable_type` in the description: one word, or nothing.
fn leadable_type() -> Object {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .description(Some("What `leadable_id` names."))
        .enum_values(Some([Value::from("customer"), Value::Null]))
        .build()
}

/// Keeps what a visitor says about themselves.
///
/// Which fields are required is the chatbot's matter; a customer the shop names by id and e-mail needs no more.
#[utoipa::path(
    post,
    path = "/api/leads",
    operation_id = "createLead",
    tag = "leads",
    security(("visitor" = [])),
    request_body = CreateLead,
    responses(
        CallProblems,
        BodyProblems,
        (status = 201, body = Envelope<CreatedLead>, description = "The details are saved"),
        (status = 401, body = ProblemBody, content_type = PROBLEM_JSON, description = "`token_invalid`"),
        (status = 404, body = ProblemBody, content_type = PROBLEM_JSON, description = "`unknown_key`, `not_found` for an agent that is not the chatbot's"),
        (status = 409, body = ProblemBody, content_type = PROBLEM_JSON, description = "`demo_mode`"),
        (status = 422, body = ProblemBody, content_type = PROBLEM_JSON, description = "`invalid`, with what is allowed by field"),
    ),
)]
pub async fn handler(
    State(state): State<AppState>,
    shopper: Shopper,
    JsonBody { value: body, .. }: JsonBody<CreateLead>,
) -> Result<(StatusCode, HeaderMap, Json<Envelope<CreatedLead>>), Problem> {
    let mut headers = HeaderMap::new();
    shopper.count_write(&state)?.write(&mut headers);
    let created = create(&state, &shopper, body).await?;
    Ok((StatusCode::CREATED, headers, Json(Envelope::new(created, "your details were saved"))))
}

async fn create(state: &AppState, shopper: &Shopper, body: CreateLead) -> Result<CreatedLead, RouteError> {
    if let Some(key) = &body.api_key {
        shopper.require_key(&state.tenants(), key)?;
    }
    if !shopper.may_ask(&body.agent_namespace) {
        return Err(RouteError::UnknownAgent);
    }
    if shopper.chatbot.demo {
        return Err(RouteError::DemoMode);
    }
    let lead = checked(shopper, body)?;
    let id = lead.lead;
    let mut transaction = state.database.tenant(shopper.merchant()).await?;
    leads::add(&mut transaction, lead).await?;
    transaction.commit().await?;
    let visitor_token = state.tokens.issue(TokenKind::Visitor, &shopper.session(), clock::now())?.token;
    Ok(CreatedLead { id: id.as_uuid(), visitor_token })
}

/// The lead, if every field fits and the required ones are there.
fn checked(shopper: &Shopper, body: CreateLead) -> Result<NewLead, Problem> {
    let mut fields = Fields::default();
    let name = fields.line("name", body.name, NAME_CHARACTERS_MAX);
    let email = fields.line("email", body.email, EMAIL_CHARACTERS_MAX);
    let phone = fields.line("phone", body.phone, PHONE_CHARACTERS_MAX);
    let leadable_id = fields.line("leadable_id", body.leadable_id, CLAIM_CHARACTERS_MAX);
    let leadable_type = fields.line("leadable_type", body.leadable_type, CLAIM_CHARACTERS_MAX);
    let consent_version = fields.line("consent_version", body.consent_version, CLAIM_CHARACTERS_MAX);
    if email.as_deref().is_some_and(|email| !is_email(email)) {
        fields.refuse("email", "an e-mail address such as name@example.com");
    }
    if phone.as_deref().is_some_and(|phone| !is_phone(phone)) {
        fields.refuse("phone", "a telephone number: digits, spaces and + ( ) - . /");
    }
    if leadable_type.as_deref().is_some_and(|kind| kind != "customer") {
        fields.refuse("leadable_type", "customer");
    }
    let is_known_customer = leadable_id.is_some() && email.is_some();
    if !is_known_customer {
        for required in shopper.chatbot.lead_form.as_ref().map(LeadForm::required).unwrap_or_default() {
            let (field, is_given) = match required {
                LeadField::Name => ("name", name.is_some()),
                LeadField::Phone => ("phone", phone.is_some()),
                LeadField::Email => ("email", email.is_some()),
            };
            if !is_given {
                fields.refuse(field, "required");
            }
        }
    }
    fields.finish()?;
    if name.is_none() && email.is_none() && phone.is_none() {
        return Err(Problem::invalid_field("name", "one of name, phone and email is required"));
    }
    Ok(NewLead {
        lead: clock::new_uuid_v7().into(),
        visitor: shopper.visitor,
        chatbot: shopper.chatbot.name.clone(),
        agent_namespace: body.agent_namespace,
        name,
        email,
        phone,
        leadable_id,
        leadable_type,
        consent_version,
    })
}

fn is_email(text: &str) -> bool {
    let options = Options::default().with_required_tld().without_display_text().without_domain_literal();
    EmailAddress::from_str(text).is_ok() && EmailAddress::parse_with_options(text, options).is_ok()
}

/// Numbers are written in many scripts and ways; what makes one is digits.
fn is_phone(text: &str) -> bool {
    let digits = text.chars().filter(|character| character.is_numeric()).count();
    digits >= PHONE_DIGITS_MIN && text.chars().all(|character| character.is_numeric() || " +()-./".contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_numbers_are_checked_by_form_only() {
        for email in ["noor@example.com", "a.b+c@shop.example", "نور@example.com"] {
            assert!(is_email(email), "{email}");
        }
        for email in [
            "noor",
            "noor@",
            "@example.com",
            "noor@localhost",
            "Noor <noor@example.com>",
            "a@[127.0.0.1]",
            "a b@example.com",
        ] {
            assert!(!is_email(email), "{email}");
        }
        for phone in ["+31 (0)20 123 45 67", "۰۹۱۲۳۴۵۶۷۸۹", "020-1234567"] {
            assert!(is_phone(phone), "{phone}");
        }
        for phone in ["1234", "call me 12345", "+++++", "12345<script>"] {
            assert!(!is_phone(phone), "{phone}");
        }
    }
}
