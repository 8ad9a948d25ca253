//! A resource as somebody declared it, whether or not it can be used.

use std::fmt;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta};
use vitrine_crds::{Chatbot, ChatbotSpec, MERCHANT_ID_ANNOTATION, Merchant, MerchantSpec};

/// A resource with either its spec or the reason why that cannot be used.
#[derive(Clone, Debug)]
pub struct Declared<Spec> {
    pub metadata: ObjectMeta,
    pub spec: Result<Spec, Rejection>,
    /// The conditions it has so far.
    pub conditions: Vec<Condition>,
}

impl<Spec> Declared<Spec> {
    pub fn name(&self) -> &str {
        self.metadata.name.as_deref().unwrap_or_default()
    }

    /// Older resources come first; of the same age, in the order of their names.
    pub(crate) fn seniority(&self) -> (Option<Timestamp>, &str) {
        (self.metadata.creation_timestamp.as_ref().map(|time| time.0), self.name())
    }

    /// The id of a merchant as its annotation says it.
    pub(crate) fn merchant_id_annotation(&self) -> Option<&str> {
        self.metadata.annotations.as_ref()?.get(MERCHANT_ID_ANNOTATION).map(String::as_str)
    }
}

impl From<Merchant> for Declared<MerchantSpec> {
    fn from(merchant: Merchant) -> Self {
        let conditions = merchant.status.map(|status| status.conditions).unwrap_or_default();
        Self { metadata: merchant.metadata, spec: Ok(merchant.spec), conditions }
    }
}

impl From<Chatbot> for Declared<ChatbotSpec> {
    fn from(chatbot: Chatbot) -> Self {
        let conditions = chatbot.status.map(|status| status.conditions).unwrap_or_default();
        Self { metadata: chatbot.metadata, spec: Ok(chatbot.spec), conditions }
    }
}

/// Why a resource cannot be used as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    pub reason: Reason,
    /// A sentence or more for whoever wrote the resource, without a final stop.
    pub message: String,
}

impl Rejection {
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }

    pub(crate) fn of_field(field: &str, problem: impl fmt::Display) -> Self {
        Self::new(Reason::InvalidSpec, format!("{field}: {problem}"))
    }
}

/// `reason` of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Everything is in force.
    Ready,
    /// A field holds something that is not allowed there.
    InvalidSpec,
    /// The file that declared the resource cannot be read.
    UnreadableFile,
    /// Two files declare a resource of this name.
    DuplicateName,
    /// The merchant names a plan the platform does not have.
    PlanUnknown,
    /// An older merchant has the same id.
    IdentityConflict,
    /// The merchant's id is not the one its data is kept under.
    IdentityChanged,
    /// The chatbot names a merchant that is not there.
    MerchantNotFound,
    /// The chatbot's merchant has never been usable.
    MerchantNotReady,
    /// The merchant's default chatbot is not there.
    DefaultChatbotNotFound,
    /// The merchant has more chatbots than it may have.
    QuotaExceeded,
    /// The merchant is suspended.
    Suspended,
}

impl Reason {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "Ready",
            Self::InvalidSpec => "InvalidSpec",
            Self::UnreadableFile => "UnreadableFile",
            Self::DuplicateName => "DuplicateName",
            Self::PlanUnknown => "PlanUnknown",
            Self::IdentityConflict => "IdentityConflict",
            Self::IdentityChanged => "IdentityChanged",
            Self::MerchantNotFound => "MerchantNotFound",
            Self::MerchantNotReady => "MerchantNotReady",
            Self::DefaultChatbotNotFound => "DefaultChatbotNotFound",
            Self::QuotaExceeded => "QuotaExceeded",
            Self::Suspended => "Suspended",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
