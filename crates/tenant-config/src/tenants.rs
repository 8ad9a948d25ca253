//! All merchants of a moment.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

use tokio::sync::watch;
use vitrine_domain::{MerchantId, PublishableKey};

use crate::config::{ChatbotConfig, TenantConfig};

/// How services follow the tenants: `borrow()` for the snapshot in force, `changed()` for the next.
pub type TenantsReceiver = watch::Receiver<Arc<Tenants>>;

/// The configs of all merchants at one moment. Taking one is taking an `Arc`; a merchant that did not change keeps its
/// `Arc` from snapshot to snapshot.
#[derive(Debug, Default)]
pub struct Tenants {
    is_ready: bool,
    by_id: HashMap<MerchantId, Arc<TenantConfig>>,
    ids_by_name: HashMap<String, MerchantId>,
    /// The merchant and the position of its chatbot.
    by_key: HashMap<PublishableKey, (MerchantId, usize)>,
}

/// A chatbot together with the config it is part of.
#[derive(Clone, Debug)]
pub struct TenantChatbot {
    tenant: Arc<TenantConfig>,
    index: usize,
}

impl TenantChatbot {
    pub fn tenant(&self) -> &Arc<TenantConfig> {
        &self.tenant
    }

    pub fn merchant_id(&self) -> MerchantId {
        self.tenant.merchant.id
    }

    pub fn config(&self) -> &ChatbotConfig {
        &self.tenant.chatbots[self.index]
    }
}

impl Deref for TenantChatbot {
    type Target = ChatbotConfig;

    fn deref(&self) -> &ChatbotConfig {
        self.config()
    }
}

impl Tenants {
    /// Nothing is known yet: an unknown key may be a key of tomorrow's list.
    pub fn starting() -> Self {
        Self::default()
    }

    /// A complete list. Of two configs with one merchant id or one key the first is served, which the compiler never
    /// lets happen.
    pub fn new(configs: impl IntoIterator<Item = Arc<TenantConfig>>) -> Self {
        let mut tenants = Self { is_ready: true, ..Self::default() };
        for config in configs {
            let id = config.merchant.id;
            if tenants.by_id.contains_key(&id) {
                tracing::warn!(merchant.name = config.merchant.name, merchant.id = %id, "two tenant configs have one merchant id");
                continue;
            }
            for (index, chatbot) in config.chatbots.iter().enumerate() {
                tenants.by_key.entry(chatbot.key.clone()).or_insert((id, index));
                if chatbot.is_default {
                    tenants.by_key.entry(config.merchant.key.clone()).or_insert((id, index));
                }
            }
            tenants.ids_by_name.insert(config.merchant.name.clone(), id);
            tenants.by_id.insert(id, config);
        }
        tenants
    }

    /// Whether the first list is complete. Before that, what is not found here may still exist.
    pub fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// The chatbot a publishable key opens: its own, or the default one for a merchant's key.
    pub fn find_by_key(&self, key: &PublishableKey) -> Option<TenantChatbot> {
        let (merchant, index) = self.by_key.get(key)?;
        Some(TenantChatbot { tenant: Arc::clone(self.by_id.get(merchant)?), index: *index })
    }

    pub fn find_by_id(&self, merchant: MerchantId) -> Option<&Arc<TenantConfig>> {
        self.by_id.get(&merchant)
    }

    pub fn find_by_name(&self, merchant: &str) -> Option<&Arc<TenantConfig>> {
        self.by_id.get(self.ids_by_name.get(merchant)?)
    }

    /// A chatbot of a merchant by the name of its resource.
    pub fn find_chatbot(&self, merchant: MerchantId, chatbot: &str) -> Option<TenantChatbot> {
        let tenant = self.by_id.get(&merchant)?;
        let index = tenant.chatbots.iter().position(|candidate| candidate.name == chatbot)?;
        Some(TenantChatbot { tenant: Arc::clone(tenant), index })
    }

    /// The sequence of a merchant's config in force.
    pub fn sequence(&self, merchant: MerchantId) -> Option<u64> {
        self.by_id.get(&merchant).map(|config| config.sequence)
    }

    /// In no particular order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<TenantConfig>> {
        self.by_id.values()
    }

    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }
}
