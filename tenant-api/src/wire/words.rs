//! The closed sets of words in bodies and events, as the API's description lists them.
//!
//! Each has a source elsewhere, which knows nothing of descriptions; a word that the source gains does not compile here.

use serde::Serialize;
use utoipa::ToSchema;
use vitrine_tenant_config::config;

macro_rules! words {
    ($(#[$attribute:meta])* $name:ident of $source:ty { $($word:ident),+ }) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum $name {
            $($word),+
        }

        impl From<$source> for $name {
            fn from(source: $source) -> Self {
                match source {
                    $(<$source>::$word => Self::$word),+
                }
            }
        }
    };
}

words! {
    /// Who has the word in a conversation.
    ThreadState of vitrine_domain::ThreadState { Bot, Waiting, Owner, Closed }
}
words! {
    /// Who wrote a message.
    Role of vitrine_domain::Role { Human, Ai, Owner }
}
words! {
    /// What a source is in the shop's knowledge.
    SourceKind of vitrine_domain::SourceKind { Faq, Document, Product }
}
words! {
    /// How much a log event matters.
    LogLevel of vitrine_domain::LogLevel { Info, Warn, Error }
}
words! {
    /// Which way the chatbot's language is written.
    Orientation of vitrine_domain::Direction { Ltr, Rtl }
}
words! {
    /// The widget's colors.
    Theme of config::Theme { Light, Dark }
}
words! {
    /// When the visitor is asked who they are.
    LeadAsk of config::LeadAsk { BeforeFirstMessage, Later, Never }
}
words! {
    /// What the visitor can be asked for.
    LeadField of config::LeadField { Name, Phone, Email }
}
