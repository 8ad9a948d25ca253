//! What the engine must know of a merchant's config when nobody's request brings it along.

use std::sync::Arc;

use vitrine_domain::{Language, MerchantId};
use vitrine_tenant_config::TenantsReceiver;

/// Answers at a time of a merchant whose config is not known now: one goes on, and nothing is stranded.
const CONCURRENT_ANSWERS_UNKNOWN: u32 = 1;

/// Looks up merchants in the config in force.
pub trait Merchants: Send + Sync + 'static {
    /// `None` when the merchant is not known now: its config is not there yet, or not there any more.
    fn settings(&self, merchant: MerchantId) -> Option<MerchantSettings>;

    /// The language of one of its chatbots, or the merchant's own when the chatbot is gone.
    fn language(&self, merchant: MerchantId, chatbot: &str) -> Option<Language>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerchantSettings {
    /// Turns that may be answered at a time.
    pub concurrent_answers: u32,
    /// The number of the config.
    pub config_sequence: u64,
}

impl Default for MerchantSettings {
    /// For a merchant that is not known now. A turn keeps the config sequence it was accepted under.
    fn default() -> Self {
        Self { concurrent_answers: CONCURRENT_ANSWERS_UNKNOWN, config_sequence: 0 }
    }
}

impl Merchants for TenantsReceiver {
    fn settings(&self, merchant: MerchantId) -> Option<MerchantSettings> {
        let tenants = Arc::clone(&self.borrow());
        let config = tenants.find_by_id(merchant)?;
        Some(MerchantSettings {
            concurrent_answers: config.merchant.quotas.concurrent_answers,
            config_sequence: tenants.sequence(merchant)?,
        })
    }

    fn language(&self, merchant: MerchantId, chatbot: &str) -> Option<Language> {
        let tenants = Arc::clone(&self.borrow());
        let config = tenants.find_by_id(merchant)?;
        Some(config.chatbot(chatbot).map_or(config.merchant.language, |chatbot| chatbot.language))
    }
}
