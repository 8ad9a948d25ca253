//! The operator's output: what one merchant's services need to know, compiled from the custom resources, kept, and
//! handed to whoever serves shoppers.
//!
//! [`compile()`] is pure. [`ManifestDirectory`] feeds it from a folder of YAML (the embedded default), the operator from
//! the Kubernetes API. Services hold a [`Tenants`] snapshot, which [`ManifestDirectory`] or [`TenantDirectory`]
//! publishes on a `tokio::sync::watch` channel.

pub mod compile;
pub mod conditions;
pub mod config;
pub mod declared;
mod digest;
pub mod manifest;
pub mod plans;
pub mod platform;
mod tenant_directory;
pub mod tenants;
mod tolerant;
mod watch_folder;
mod welcome;

pub use compile::{Compiled, Previous, compile};
pub use config::{ChatbotConfig, MerchantConfig, ReadError, TenantConfig};
pub use declared::{Declared, Reason, Rejection};
pub use manifest::{ManifestDirectory, ManifestDirectorySettings, OpenError, Sources};
pub use plans::{PlanOffer, Plans, PlansError};
pub use platform::{PLATFORM_KEY_BYTES, Platform, PlatformKey};
pub use tenant_directory::TenantDirectory;
pub use tenants::{TenantChatbot, Tenants, TenantsReceiver};
