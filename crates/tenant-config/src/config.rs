//! What the services of one merchant know about it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use vitrine_crds::chatbot::{LeadAsk, LeadField, OpeningHours, PageMode, Theme};
pub use vitrine_crds::merchant::{EffectiveQuotas, Isolation, ModelProvider, SecretKeyReference};
use vitrine_domain::{AllowedHost, Direction, Language, MerchantId, PublishableKey};

use crate::digest;
use crate::tolerant;

/// The version of the form. It changes only when an older reader would misunderstand a newer config; fields and enum
/// values are added without it.
pub const FORMAT_VERSION: u32 = 1;

/// Everything the services need to know about one merchant. Written by the compiler only; it holds no secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TenantConfig {
    pub format_version: u32,
    /// Grows with every change of content.
    pub sequence: u64,
    /// `sha256:…` over everything but itself and `sequence`.
    pub digest: String,
    pub merchant: MerchantConfig,
    /// By name.
    pub chatbots: Vec<ChatbotConfig>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MerchantConfig {
    pub id: MerchantId,
    /// Name of the resource.
    pub name: String,
    /// The merchant's own publishable key; it opens the default chatbot.
    pub key: PublishableKey,
    pub display_name: String,
    pub owner_email: String,
    #[serde(default, deserialize_with = "tolerant::or_default")]
    pub language: Language,
    pub suspended: bool,
    pub plan: Plan,
    /// The shop's own host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shop_domain: Option<AllowedHost>,
    /// More hosts that serve the widget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<AllowedHost>,
    #[serde(default, deserialize_with = "tolerant::or_default")]
    pub isolation: Isolation,
    /// The plan's with the merchant's own on top.
    pub quotas: EffectiveQuotas,
    #[serde(default)]
    pub spend_cap: SpendCap,
    /// What writes the answers; `None` when only a newer version knows it, and then nothing is answered.
    #[serde(default, deserialize_with = "tolerant::or_default")]
    pub model: Option<Model>,
    pub retention: Retention,
}

/// The plan in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub code: String,
    pub title: String,
    /// Whether the plan costs something: gates what only paying merchants may change.
    pub paid: bool,
}

/// Limits of model cost in USD, as decimal text; an absent one does not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SpendCap {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monthly: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub daily: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_visitor_daily: Option<String>,
}

/// What writes the answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    pub provider: ModelProvider,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where the key is kept, never the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key_secret_ref: Option<SecretKeyReference>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    pub message_days: u32,
    pub lead_days: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own in the resource")]
pub struct ChatbotConfig {
    /// Name of the resource.
    pub name: String,
    pub key: PublishableKey,
    /// Whether the merchant's own key opens it. One chatbot of a config does, unless there is none.
    pub is_default: bool,
    pub title: String,
    /// The only agent a visitor of this chatbot may talk to.
    pub agent: String,
    #[serde(default, deserialize_with = "tolerant::or_default")]
    pub language: Language,
    pub appearance: Appearance,
    /// Hosts that may show the widget. Never empty of meaning: what an empty list stands for is filled in.
    pub allowed_hosts: Vec<AllowedHost>,
    /// Pages that show the widget's button; `None` means every page.
    #[serde(default, deserialize_with = "tolerant::or_default")]
    pub pages: Option<Pages>,
    pub visible: bool,
    pub show_branding: bool,
    pub demo: bool,
    #[serde(default)]
    pub persona: Persona,
    /// What a shopper is asked; `None` when nothing is.
    #[serde(default, deserialize_with = "tolerant::or_default")]
    pub lead_form: Option<LeadForm>,
    /// How a person takes over; `None` when none does.
    #[serde(default, deserialize_with = "tolerant::or_default")]
    pub hand_over: Option<HandOver>,
    pub limits: Limits,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Appearance {
    pub headline: String,
    pub welcome_message: String,
    /// `#rrggbb`, in lower case.
    pub brand_color: String,
    #[serde(default, deserialize_with = "tolerant::or_default")]
    pub theme: Theme,
    pub orientation: Direction,
    /// In px.
    pub bottom: u32,
    /// In px.
    pub right: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
}

/// A list of pages that is not empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pages {
    pub mode: PageMode,
    /// Path globs.
    pub urls: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Persona {
    #[serde(default)]
    pub instructions: String,
    #[serde(default)]
    pub tone: String,
}

/// What a shopper is asked about themselves, and when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeadForm {
    pub ask: LeadAsk,
    #[serde(default, deserialize_with = "tolerant::known_entries")]
    pub fields: Vec<LeadField>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub privacy_url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent_text: Option<String>,
    /// Changes with what the shopper agrees to.
    pub consent_version: String,
}

impl LeadForm {
    /// Name and phone when they are among the fields, or the e-mail address when it is the only one.
    pub fn required(&self) -> Vec<LeadField> {
        match *self.fields.as_slice() {
            [LeadField::Email] => vec![LeadField::Email],
            ref fields => fields.iter().copied().filter(|field| *field != LeadField::Email).collect(),
        }
    }
}

/// How a person takes over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandOver {
    pub answer_within_seconds: u32,
    /// An empty list means always.
    #[serde(default, deserialize_with = "tolerant::known_entries")]
    pub hours: Vec<OpeningHours>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Longest message of a shopper, in Unicode scalar values.
    pub message_characters: u32,
}

/// Why a written config is not used.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("failed to read a tenant config as JSON: {0}")]
    Malformed(#[source] serde_json::Error),
    #[error("failed to read a tenant config of format version {found}: this version reads up to {FORMAT_VERSION}")]
    TooNew { found: u64 },
    #[error("failed to verify a tenant config: its digest does not match its content")]
    DigestMismatch {
        /// The sequence it claims; the next config has a higher one.
        sequence: u64,
    },
}

impl TenantConfig {
    /// Reads a written config and verifies its digest. Fields this version does not know are ignored, but count in the
    /// digest.
    pub fn read(json: &[u8]) -> Result<Self, ReadError> {
        let value: Value = serde_json::from_slice(json).map_err(ReadError::Malformed)?;
        if let Some(found) = value["formatVersion"].as_u64().filter(|found| *found > u64::from(FORMAT_VERSION)) {
            return Err(ReadError::TooNew { found });
        }
        if value["digest"].as_str() != Some(&digest::of(&value)) {
            return Err(ReadError::DigestMismatch { sequence: value["sequence"].as_u64().unwrap_or_default() });
        }
        serde_json::from_value(value).map_err(ReadError::Malformed)
    }

    /// The form [`Self::read`] takes.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("a tenant config is JSON")
    }

    /// The digest its content should have.
    pub(crate) fn content_digest(&self) -> String {
        digest::of(&serde_json::to_value(self).expect("a tenant config is JSON"))
    }

    pub fn chatbot(&self, name: &str) -> Option<&ChatbotConfig> {
        self.chatbots.iter().find(|chatbot| chatbot.name == name)
    }

    /// The chatbot that the merchant's own key opens.
    pub fn default_chatbot(&self) -> Option<&ChatbotConfig> {
        self.chatbots.iter().find(|chatbot| chatbot.is_default)
    }
}
