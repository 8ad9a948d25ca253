//! Who is calling: a visitor of one chatbot.

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use vitrine_domain::{MerchantId, PublishableKey, VisitorId};
use vitrine_tenant_config::{TenantChatbot, Tenants};

use crate::app::AppState;
use crate::limits::Allowance;
use crate::problem::{Code, Problem};
use crate::tokens::Session;

/// When to ask again while the first list of shops is still being read.
pub const STARTING_RETRY_AFTER: std::time::Duration = std::time::Duration::from_secs(2);

/// A visitor whose token was verified, and the chatbot as it is configured now.
#[derive(Clone, Debug)]
pub struct Shopper {
    pub chatbot: TenantChatbot,
    pub visitor: VisitorId,
}

impl Shopper {
    pub fn merchant(&self) -> MerchantId {
        self.chatbot.merchant_id()
    }

    /// What the visitor's tokens speak for.
    pub fn session(&self) -> Session {
        Session { merchant: self.merchant(), chatbot: self.chatbot.name.clone(), visitor: self.visitor }
    }

    /// Whether the visitor may talk to this agent: only to the chatbot's own.
    pub fn may_ask(&self, agent: &str) -> bool {
        self.chatbot.agent == agent
    }

    /// Refuses a key in a body that does not open the token's own chatbot.
    pub fn require_key(&self, tenants: &Tenants, key: &str) -> Result<(), Problem> {
        let opened = key.parse::<PublishableKey>().ok().and_then(|key| tenants.find_by_key(&key));
        match opened {
            Some(opened) if opened.merchant_id() == self.merchant() && opened.name == self.chatbot.name => Ok(()),
            _ => Err(unknown_key()),
        }
    }

    /// Counts something the visitor writes.
    pub fn count_write(&self, state: &AppState) -> Result<Allowance, Problem> {
        state.rates.count_write(self.merchant(), &self.chatbot.name, self.visitor)
    }
}

impl FromRequestParts<AppState> for Shopper {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, Problem> {
        let session =
            bearer(&parts.headers).and_then(|token| state.tokens.verify(token).ok()).ok_or_else(token_invalid)?;
        let tenants = state.tenants();
        let Some(chatbot) = tenants.find_chatbot(session.merchant, &session.chatbot) else {
            return Err(if tenants.is_ready() { token_invalid() } else { starting() });
        };
        refuse_suspended(&chatbot)?;
        Ok(Self { chatbot, visitor: session.visitor })
    }
}

/// The token of an `Authorization: Bearer` header.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// The chatbot a publishable key opens, if it is in service.
pub fn find_chatbot(tenants: &Tenants, key: &str) -> Result<TenantChatbot, Problem> {
    let found = key.parse::<PublishableKey>().ok().and_then(|key| tenants.find_by_key(&key));
    let Some(chatbot) = found else {
        return Err(if tenants.is_ready() { unknown_key() } else { starting() });
    };
    refuse_suspended(&chatbot)?;
    Ok(chatbot)
}

fn refuse_suspended(chatbot: &TenantChatbot) -> Result<(), Problem> {
    if chatbot.tenant().merchant.suspended {
        return Err(Problem::new(Code::ChatbotSuspended, "this chatbot is out of service"));
    }
    Ok(())
}

fn token_invalid() -> Problem {
    Problem::new(Code::TokenInvalid, "the token is missing, has expired or is not one of ours")
}

fn unknown_key() -> Problem {
    Problem::new(Code::UnknownKey, "no chatbot has this key")
}

pub fn starting() -> Problem {
    Problem::new(Code::Starting, "the service is starting").with_retry_after(STARTING_RETRY_AFTER)
}
