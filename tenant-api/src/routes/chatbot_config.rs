//! `GET /api/chatbot-config`: what the widget needs to know, and a fresh embed token.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use vitrine_domain::{AllowedHost, Language};
use vitrine_service::clock;
use vitrine_tenant_config::TenantChatbot;
use vitrine_tenant_config::config::LeadForm;

use crate::app::AppState;
use crate::extract::Query;
use crate::problem::{CallProblems, PROBLEM_JSON, Problem, ProblemBody};
use crate::shopper::{bearer, find_chatbot};
use crate::tokens::{Session, TokenKind};
use crate::wire::{Envelope, LeadAsk, LeadField, Orientation, Theme};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ConfigQuery {
    /// A publishable key.
    #[serde(default)]
    #[param(required)]
    api_key: String,
}

#[derive(Serialize, ToSchema)]
pub struct ChatbotConfigBody {
    /// The key that was asked with.
    key: String,
    title: String,
    /// The agent that `agent_namespace` has to name.
    agent: String,
    #[schema(value_type = String, example = "nl")]
    language: Language,
    interface: Interface,
    /// Hosts whose pages may talk to the widget: `host`, `host:port` or `*.host`.
    #[schema(value_type = Vec<String>)]
    allowed_domains: Vec<AllowedHost>,
    show_branding: bool,
    /// Shows the widget without storing or answering anything.
    demo: bool,
    visible: bool,
    lead_form: LeadFormBody,
    limits: LimitsBody,
    /// For calls before the first lead or thread; 15 minutes.
    embed_token: String,
    #[schema(value_type = String, format = DateTime)]
    embed_token_expires_at: Timestamp,
}

#[derive(Serialize, ToSchema)]
pub struct Interface {
    headline: String,
    welcome_message: String,
    #[schema(example = "#0ea5e9")]
    brand_color: String,
    theme: Theme,
    orientation: Orientation,
    /// In px.
    bottom: u32,
    /// In px.
    right: u32,
    #[schema(required)]
    avatar_url: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct LeadFormBody {
    ask: LeadAsk,
    fields: Vec<LeadField>,
    /// Those of `fields` that cannot be left empty.
    required: Vec<LeadField>,
    #[schema(required)]
    privacy_url: Option<String>,
    #[schema(required)]
    consent_text: Option<String>,
    #[schema(required)]
    consent_version: Option<String>,
}

#[derive(Serialize, ToSchema)]
pub struct LimitsBody {
    /// Longest message, in Unicode scalar values.
    message_characters: u32,
}

/// The chatbot that a publishable key opens.
///
/// With a token of this chatbot the visitor stays the same; otherwise a new one begins.
#[utoipa::path(
    get,
    path = "/api/chatbot-config",
    operation_id = "chatbotConfig",
    tag = "chatbot",
    params(ConfigQuery),
    security((), ("visitor" = [])),
    responses(
        CallProblems,
        (status = 200, body = Envelope<ChatbotConfigBody>, description = "The configuration and a fresh embed token"),
        (status = 400, body = ProblemBody, content_type = PROBLEM_JSON, description = "`malformed`"),
        (status = 404, body = ProblemBody, content_type = PROBLEM_JSON, description = "`unknown_key`"),
    ),
)]
pub async fn handler(
    State(state): State<AppState>,
    Query(query): Query<ConfigQuery>,
    headers: HeaderMap,
) -> Result<Json<Envelope<ChatbotConfigBody>>, Problem> {
    let chatbot = find_chatbot(&state.tenants(), &query.api_key)?;
    let known = bearer(&headers).and_then(|token| state.tokens.verify(token).ok());
    let session = known
        .filter(|known| known.merchant == chatbot.merchant_id() && known.chatbot == chatbot.name)
        .unwrap_or_else(|| Session {
            merchant: chatbot.merchant_id(),
            chatbot: chatbot.name.clone(),
            visitor: clock::new_uuid_v7().into(),
        });
    let embed =
        state.tokens.issue(TokenKind::Embed, &session, clock::now()).map_err(|error| Problem::internal(&error))?;
    let config = body(query.api_key, &chatbot, embed.token, embed.expires_at);
    Ok(Json(Envelope::new(config, "the chatbot's configuration")))
}

fn body(key: String, chatbot: &TenantChatbot, embed_token: String, expires_at: Timestamp) -> ChatbotConfigBody {
    let appearance = chatbot.appearance.clone();
    ChatbotConfigBody {
        key,
        title: chatbot.title.clone(),
        agent: chatbot.agent.clone(),
        language: chatbot.language,
        interface: Interface {
            headline: appearance.headline,
            welcome_message: appearance.welcome_message,
            brand_color: appearance.brand_color,
            theme: appearance.theme.into(),
            orientation: appearance.orientation.into(),
            bottom: appearance.bottom,
            right: appearance.right,
            avatar_url: appearance.avatar_url,
        },
        allowed_domains: chatbot.allowed_hosts.clone(),
        show_branding: chatbot.show_branding,
        demo: chatbot.demo,
        visible: chatbot.visible,
        lead_form: lead_form(chatbot.lead_form.as_ref()),
        limits: LimitsBody { message_characters: chatbot.limits.message_characters },
        embed_token,
        embed_token_expires_at: expires_at,
    }
}

fn lead_form(form: Option<&LeadForm>) -> LeadFormBody {
    let Some(form) = form else {
        return LeadFormBody {
            ask: LeadAsk::Never,
            fields: Vec::new(),
            required: Vec::new(),
            privacy_url: None,
            consent_text: None,
            consent_version: None,
        };
    };
    LeadFormBody {
        ask: form.ask.into(),
        fields: form.fields.iter().copied().map(LeadField::from).collect(),
        required: form.required().into_iter().map(LeadField::from).collect(),
        privacy_url: form.privacy_url.clone(),
        consent_text: form.consent_text.clone(),
        consent_version: Some(form.consent_version.clone()),
    }
}
