//! The two custom resources of the product, `Merchant` and `Chatbot`, and the rules a manifest must keep.
//!
//! The types here are the source: `crds/yaml/` is generated from them (`generate-crds`), and [`validate`] holds a
//! manifest in a file to exactly what the Kubernetes API server would hold it to.

pub mod chatbot;
pub mod definitions;
pub mod merchant;
mod rules;
mod strict_schema;
pub mod validate;

pub use chatbot::{Chatbot, ChatbotSpec, ChatbotStatus};
pub use merchant::{Merchant, MerchantSpec, MerchantStatus};
pub use validate::{Kind, Violation, validate};

/// `apiVersion` of both kinds.
pub const API_VERSION: &str = "vitrine.dev/v1alpha1";

/// The annotation that carries a merchant's id: a UUID, set once, never changed.
pub const MERCHANT_ID_ANNOTATION: &str = "vitrine.dev/merchant-id";
