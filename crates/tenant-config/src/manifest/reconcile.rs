//! Makes what is in force follow what is in the files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, ObjectMeta, Time};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use vitrine_crds::{ChatbotSpec, Kind, MERCHANT_ID_ANNOTATION, MerchantSpec};
use vitrine_domain::MerchantId;

use super::ManifestDirectorySettings;
use super::document::ResourceName;
use super::files::ScanError;
use super::inventory::{Found, Inventory};
use super::sources::Sources;
use super::state::{Accepted, StateError, StateFolder};
use crate::compile::{Previous, compile, merchant_not_found, reject_identity_conflicts};
use crate::conditions::READY;
use crate::config::{ReadError, TenantConfig};
use crate::declared::{Declared, Rejection};
use crate::plans::Plans;
use crate::platform::Platform;
use crate::tenants::Tenants;

/// Why a look at the files came to nothing, or stopped half-way. The next look makes up for it.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    #[error(transparent)]
    Scan(#[from] ScanError),
    #[error(transparent)]
    State(#[from] StateError),
}

pub(super) struct Reconciler {
    inventory: Inventory,
    state: StateFolder,
    sources: Sources,
    plans: Plans,
    platform: Platform,
    merchant_ids: BTreeMap<String, MerchantId>,
    has_new_merchant_ids: bool,
    accepted: BTreeMap<ResourceName, Accepted>,
    statuses: BTreeMap<ResourceName, Value>,
    /// In force, by the merchant's name.
    configs: BTreeMap<String, Arc<TenantConfig>>,
    /// Sequences of configs that are not in force any more; the next ones are higher.
    past_sequences: BTreeMap<String, u64>,
    file_problems: Vec<String>,
    has_changed: bool,
}

impl Reconciler {
    pub(super) fn open(settings: ManifestDirectorySettings, sources: Sources) -> Result<Self, StateError> {
        let ManifestDirectorySettings { manifests, state, plans, demo_host } = settings;
        let inventory = Inventory::new(manifests, state.clone());
        let state = StateFolder::open(state)?;
        let platform = Platform { key: state.platform_key(&sources)?, demo_host };
        let mut configs = BTreeMap::new();
        let mut past_sequences = BTreeMap::new();
        for (merchant, json) in state.tenants()? {
            match TenantConfig::read(&json) {
                Ok(config) => {
                    configs.insert(merchant, Arc::new(config));
                }
                Err(error) => {
                    tracing::warn!(merchant.name = merchant, %error, "the published tenant config is not used");
                    if let ReadError::DigestMismatch { sequence } = error {
                        past_sequences.insert(merchant, sequence);
                    }
                }
            }
        }
        Ok(Self {
            merchant_ids: state.merchant_ids()?,
            has_new_merchant_ids: false,
            accepted: state.accepted()?,
            statuses: state.statuses()?,
            inventory,
            state,
            sources,
            plans,
            platform,
            configs,
            past_sequences,
            file_problems: Vec::new(),
            has_changed: false,
        })
    }

    pub(super) fn tenants(&self) -> Tenants {
        Tenants::new(self.configs.values().cloned())
    }

    /// The tenants, if they are not those that were taken last.
    pub(super) fn take_changed(&mut self) -> Option<Tenants> {
        std::mem::take(&mut self.has_changed).then(|| self.tenants())
    }

    /// Looks at all files and brings state and configs in line with them. What is kept is written before it is in
    /// force, so a look that stops half-way loses nothing.
    pub(super) fn refresh(&mut self) -> Result<(), RefreshError> {
        let look = self.inventory.look(&self.accepted)?;
        let now = (self.sources.now)();
        self.report_file_problems(look.file_problems)?;
        let resources = look.resources;
        self.accept(&resources, now)?;

        let mut merchants = Vec::new();
        let mut chatbots: BTreeMap<String, Vec<Declared<ChatbotSpec>>> = BTreeMap::new();
        for (resource, found) in &resources {
            match resource.kind {
                Kind::Merchant => merchants.push(self.declare_merchant(resource, found, now)),
                Kind::Chatbot => {
                    let merchant = self.merchant_of(resource, found);
                    chatbots.entry(merchant).or_default().push(self.declare(resource, found, now));
                }
            }
        }
        // Before anything is published under a new id.
        self.save_merchant_ids()?;
        reject_identity_conflicts(&mut merchants);
        for merchant in &merchants {
            let chatbots = chatbots.remove(merchant.name()).unwrap_or_default();
            self.compile(merchant, &chatbots, now)?;
        }
        for (merchant, chatbots) in &chatbots {
            for chatbot in chatbots {
                let status = merchant_not_found(chatbot, merchant, now);
                self.report(Kind::Chatbot, chatbot.name(), &status)?;
            }
        }
        self.save_merchant_ids()?;
        self.forget(&resources)
    }

    fn report_file_problems(&mut self, problems: Vec<String>) -> Result<(), StateError> {
        if self.file_problems != problems {
            for problem in problems.iter().filter(|problem| !self.file_problems.contains(problem)) {
                tracing::warn!(problem, "a manifest file is broken; what it declared before stays in force");
            }
            self.state.save_file_problems(&problems)?;
            self.file_problems = problems;
        }
        Ok(())
    }

    fn accept(&mut self, resources: &BTreeMap<ResourceName, Found>, now: Timestamp) -> Result<(), StateError> {
        for (resource, found) in resources.iter().filter(|(_, found)| found.rejection.is_none()) {
            let before = self.accepted.get(resource);
            let accepted = Accepted {
                file: found.file.clone(),
                created_at: before.map_or(now, |before| before.created_at),
                manifest: found.manifest.clone(),
            };
            if before != Some(&accepted) {
                self.state.save_accepted(resource, &accepted)?;
                self.accepted.insert(resource.clone(), accepted);
            }
        }
        Ok(())
    }

    /// The merchant with its id: the one it declares, else the one it got when it was first seen.
    fn declare_merchant(&mut self, resource: &ResourceName, found: &Found, now: Timestamp) -> Declared<MerchantSpec> {
        let mut merchant = self.declare(resource, found, now);
        if merchant.merchant_id_annotation().is_none() {
            let known = self.merchant_ids.get(&resource.name).copied();
            let id = known.unwrap_or_else(|| (self.sources.new_merchant_id)());
            self.keep_merchant_id(&resource.name, id);
            let annotations = merchant.metadata.annotations.get_or_insert_default();
            annotations.insert(MERCHANT_ID_ANNOTATION.to_owned(), id.to_string());
        }
        merchant
    }

    fn keep_merchant_id(&mut self, merchant: &str, id: MerchantId) {
        let before = self.merchant_ids.insert(merchant.to_owned(), id);
        self.has_new_merchant_ids |= before != Some(id);
    }

    fn save_merchant_ids(&mut self) -> Result<(), StateError> {
        if self.has_new_merchant_ids {
            self.state.save_merchant_ids(&self.merchant_ids)?;
            self.has_new_merchant_ids = false;
        }
        Ok(())
    }

    fn declare<Spec: DeserializeOwned>(
        &self,
        resource: &ResourceName,
        found: &Found,
        now: Timestamp,
    ) -> Declared<Spec> {
        let mut metadata: ObjectMeta = serde_json::from_value(found.manifest["metadata"].clone()).unwrap_or_default();
        metadata.name = Some(resource.name.clone());
        metadata
            .creation_timestamp
            .get_or_insert_with(|| Time(self.accepted.get(resource).map_or(now, |accepted| accepted.created_at)));
        let spec = match &found.rejection {
            Some(rejection) => Err(rejection.clone()),
            None => serde_json::from_value(found.manifest["spec"].clone())
                .map_err(|error| Rejection::of_field("spec", error)),
        };
        Declared { metadata, spec, conditions: self.conditions(resource) }
    }

    fn conditions(&self, resource: &ResourceName) -> Vec<Condition> {
        self.statuses
            .get(resource)
            .and_then(|status| serde_json::from_value(status["conditions"].clone()).ok())
            .unwrap_or_default()
    }

    /// The merchant a chatbot belongs to: where it was accepted, wherever a rejected manifest may want to move it.
    fn merchant_of(&self, resource: &ResourceName, found: &Found) -> String {
        let manifest = self.accepted.get(resource).map_or(&found.manifest, |accepted| &accepted.manifest);
        manifest["spec"]["merchantRef"]["name"].as_str().unwrap_or_default().to_owned()
    }

    fn compile(
        &mut self,
        merchant: &Declared<MerchantSpec>,
        chatbots: &[Declared<ChatbotSpec>],
        now: Timestamp,
    ) -> Result<(), StateError> {
        let name = merchant.name();
        let previous = Previous {
            config: self.configs.get(name).map(Arc::as_ref),
            sequence: self.past_sequences.get(name).copied().unwrap_or_default(),
        };
        let compiled = compile(merchant, chatbots, &self.plans, &self.platform, previous, now);
        match compiled.config {
            Some(config) => self.publish(config)?,
            None => self.withdraw(name)?,
        }
        self.report(Kind::Merchant, name, &compiled.merchant)?;
        for (chatbot, status) in &compiled.chatbots {
            self.report(Kind::Chatbot, chatbot, status)?;
        }
        Ok(())
    }

    fn publish(&mut self, config: TenantConfig) -> Result<(), StateError> {
        let name = config.merchant.name.clone();
        if self.configs.get(&name).is_some_and(|before| **before == config) {
            return Ok(());
        }
        self.keep_merchant_id(&name, config.merchant.id);
        self.state.save_tenant(&config)?;
        tracing::info!(
            merchant.name = name,
            config.sequence = config.sequence,
            config.chatbots = config.chatbots.len(),
            "a tenant config is published"
        );
        self.configs.insert(name, Arc::new(config));
        self.has_changed = true;
        Ok(())
    }

    fn withdraw(&mut self, merchant: &str) -> Result<(), StateError> {
        self.state.remove_tenant(merchant)?;
        if let Some(config) = self.configs.remove(merchant) {
            tracing::info!(merchant.name = merchant, "a tenant config is withdrawn");
            self.past_sequences.insert(merchant.to_owned(), config.sequence);
            self.has_changed = true;
        }
        Ok(())
    }

    fn report<Status: Serialize>(&mut self, kind: Kind, name: &str, status: &Status) -> Result<(), StateError> {
        let resource = ResourceName { kind, name: name.to_owned() };
        let status = serde_json::to_value(status).expect("a status is JSON");
        let before = self.statuses.get(&resource);
        if before == Some(&status) {
            return Ok(());
        }
        let ready = ready_condition(&status);
        if before.is_none_or(|before| ready_condition(before) != ready) {
            log_condition(&resource, ready);
        }
        self.state.save_status(&resource, &status)?;
        self.statuses.insert(resource, status);
        Ok(())
    }

    /// Drops everything that no file declares any more.
    fn forget(&mut self, resources: &BTreeMap<ResourceName, Found>) -> Result<(), RefreshError> {
        let merchants: BTreeSet<&str> = resources
            .keys()
            .filter(|resource| resource.kind == Kind::Merchant)
            .map(|resource| resource.name.as_str())
            .collect();
        let gone: Vec<String> =
            self.configs.keys().filter(|merchant| !merchants.contains(merchant.as_str())).cloned().collect();
        for merchant in gone {
            self.withdraw(&merchant)?;
        }
        let gone: Vec<ResourceName> =
            self.accepted.keys().filter(|resource| !resources.contains_key(resource)).cloned().collect();
        for resource in gone {
            self.state.remove_accepted(&resource)?;
            self.accepted.remove(&resource);
        }
        let gone: Vec<ResourceName> =
            self.statuses.keys().filter(|resource| !resources.contains_key(resource)).cloned().collect();
        for resource in gone {
            self.state.remove_status(&resource)?;
            self.statuses.remove(&resource);
        }
        Ok(())
    }
}

/// Whether the resource is in force as written, and why not.
fn ready_condition(status: &Value) -> Option<(&str, &str, &str)> {
    let conditions = status["conditions"].as_array()?;
    let ready = conditions.iter().find(|condition| condition["type"] == READY)?;
    Some((ready["status"].as_str()?, ready["reason"].as_str()?, ready["message"].as_str()?))
}

fn log_condition(resource: &ResourceName, ready: Option<(&str, &str, &str)>) {
    let kind = resource.kind.as_str();
    match ready {
        Some(("True", _, _)) => tracing::info!(resource.kind = kind, resource.name, "a resource is in force"),
        Some((_, reason, message)) => {
            tracing::warn!(
                resource.kind = kind,
                resource.name,
                reason,
                message,
                "a resource is not in force as written"
            );
        }
        None => {}
    }
}
