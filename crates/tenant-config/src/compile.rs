//! From resources to the config in force. Pure: the same resources, plans, platform and previous config give the same
//! result, whatever the order of the chatbots.

mod chatbot;
mod merchant;

use std::collections::BTreeMap;

use jiff::Timestamp;
use vitrine_crds::{ChatbotSpec, ChatbotStatus, MerchantSpec, MerchantStatus};
use vitrine_domain::MerchantId;

use crate::conditions::{self, CONFIG_PUBLISHED, Finding, READY};
use crate::config::{ChatbotConfig, FORMAT_VERSION, MerchantConfig, TenantConfig};
use crate::declared::{Declared, Reason, Rejection};
use crate::plans::Plans;
use crate::platform::Platform;

/// What is in force so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Previous<'a> {
    /// The published config, if its digest verified ([`TenantConfig::read`]).
    pub config: Option<&'a TenantConfig>,
    /// The highest sequence known from elsewhere: the merchant's status, or a config that did not verify.
    pub sequence: u64,
}

/// What becomes of a merchant and its chatbots.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The config to publish. Without one there is nothing that could be served.
    pub config: Option<TenantConfig>,
    pub merchant: MerchantStatus,
    /// Of every declared chatbot, by name.
    pub chatbots: BTreeMap<String, ChatbotStatus>,
}

/// Compiles a merchant and all its chatbots. A rejected resource keeps its part of the previous config, or is left out
/// when there is none; its conditions say why.
///
/// `chatbots` are those that name this merchant or are part of its previous config; their names are unique. `now` dates
/// the conditions that change.
pub fn compile(
    merchant: &Declared<MerchantSpec>,
    chatbots: &[Declared<ChatbotSpec>],
    plans: &Plans,
    platform: &Platform,
    previous: Previous<'_>,
    now: Timestamp,
) -> Compiled {
    let built = merchant::build(merchant, plans, platform, previous.config);
    let part = match merchant_part(&built, previous.config) {
        Ok(part) => part,
        Err(rejection) => return unusable(merchant, chatbots, rejection, now),
    };

    let mut senior_first: Vec<_> = chatbots.iter().collect();
    senior_first.sort_unstable_by(|one, other| one.seniority().cmp(&other.seniority()));
    let built_chatbots: Vec<_> = senior_first
        .iter()
        .enumerate()
        .map(|(index, chatbot)| (*chatbot, chatbot::build(chatbot, index, &part, platform)))
        .collect();

    let mut served: Vec<ChatbotConfig> = built_chatbots
        .iter()
        .filter_map(|(chatbot, built)| match built {
            Ok(config) => Some(config.clone()),
            Err(_) => previous.config?.chatbot(chatbot.name()).cloned(),
        })
        .collect();
    let wanted_default = match &merchant.spec {
        Ok(spec) if built.is_ok() => spec.default_chatbot.as_deref(),
        _ => previous.config.and_then(TenantConfig::default_chatbot).map(|chatbot| chatbot.name.as_str()),
    };
    let default_is_missing = choose_default(&mut served, wanted_default);
    served.sort_unstable_by(|one, other| one.name.cmp(&other.name));

    let config = publish(part, served, previous);
    let chatbot_statuses = built_chatbots
        .iter()
        .map(|(chatbot, built)| {
            (chatbot.name().to_owned(), chatbot_status(chatbot, built.as_ref().err(), &config, now))
        })
        .collect();
    let missing_default = if default_is_missing { wanted_default } else { None };
    Compiled {
        merchant: merchant_status(merchant, built.as_ref().err(), missing_default, &config, now),
        chatbots: chatbot_statuses,
        config: Some(config),
    }
}

/// The status of a chatbot whose merchant is not there.
pub fn merchant_not_found(chatbot: &Declared<ChatbotSpec>, merchant: &str, now: Timestamp) -> ChatbotStatus {
    let rejection = Rejection::new(Reason::MerchantNotFound, format!("there is no merchant {merchant}"));
    unserved_status(chatbot, chatbot.spec.as_ref().err().unwrap_or(&rejection), now)
}

/// Of merchants with one id the oldest is served; every other one becomes rejected.
pub fn reject_identity_conflicts(merchants: &mut [Declared<MerchantSpec>]) {
    merchants.sort_unstable_by(|one, other| one.seniority().cmp(&other.seniority()));
    let mut owners: BTreeMap<MerchantId, String> = BTreeMap::new();
    for merchant in merchants {
        // By value: a UUID can be written in several ways.
        let Some(Ok(id)) = merchant.merchant_id_annotation().map(str::parse::<MerchantId>) else { continue };
        if let Some(owner) = owners.get(&id) {
            merchant.spec = Err(Rejection::new(
                Reason::IdentityConflict,
                format!("the older merchant {owner} has the same id {id}: give one of them another id"),
            ));
        } else {
            owners.insert(id, merchant.name().to_owned());
        }
    }
}

/// The merchant as it is served: as built, else as before. Two merchants with one id would mix their data, so such a
/// merchant is not served even if it was.
fn merchant_part<'a>(
    built: &'a Result<MerchantConfig, Rejection>,
    previous: Option<&TenantConfig>,
) -> Result<MerchantConfig, &'a Rejection> {
    match built {
        Ok(part) => Ok(part.clone()),
        Err(rejection) if rejection.reason == Reason::IdentityConflict => Err(rejection),
        Err(rejection) => previous.map(|config| config.merchant.clone()).ok_or(rejection),
    }
}

/// Marks the chatbot that the merchant's own key opens: the wanted one, else the oldest, which comes first. Gives
/// whether the wanted one is missing.
fn choose_default(senior_first: &mut [ChatbotConfig], wanted: Option<&str>) -> bool {
    let found = wanted.and_then(|name| senior_first.iter().position(|chatbot| chatbot.name == name));
    for (index, chatbot) in senior_first.iter_mut().enumerate() {
        chatbot.is_default = index == found.unwrap_or_default();
    }
    wanted.is_some() && found.is_none()
}

fn publish(merchant: MerchantConfig, chatbots: Vec<ChatbotConfig>, previous: Previous<'_>) -> TenantConfig {
    let mut config =
        TenantConfig { format_version: FORMAT_VERSION, sequence: 0, digest: String::new(), merchant, chatbots };
    config.digest = config.content_digest();
    let before = previous.config.map_or(0, |config| config.sequence);
    let is_unchanged = previous.config.is_some_and(|before| before.digest == config.digest);
    config.sequence =
        if is_unchanged && before >= previous.sequence { before } else { before.max(previous.sequence) + 1 };
    config
}

fn merchant_status(
    merchant: &Declared<MerchantSpec>,
    rejection: Option<&Rejection>,
    missing_default: Option<&str>,
    config: &TenantConfig,
    now: Timestamp,
) -> MerchantStatus {
    let (reason, message) = match (rejection, missing_default) {
        (Some(rejection), _) => {
            (rejection.reason, format!("{}; the last good version stays in force", rejection.message))
        }
        (None, _) if config.merchant.suspended => (Reason::Suspended, "the merchant is suspended".to_owned()),
        (None, Some(chatbot)) => (
            Reason::DefaultChatbotNotFound,
            format!("there is no chatbot {chatbot} to be the default; the oldest is the default until there is"),
        ),
        (None, None) => (Reason::Ready, "everything is in force".to_owned()),
    };
    let published = format!("config {} is published", config.sequence);
    MerchantStatus {
        observed_generation: merchant.metadata.generation.unwrap_or_default(),
        conditions: conditions::with(
            merchant,
            vec![
                Finding { type_: READY, holds: reason == Reason::Ready, reason, message },
                Finding { type_: CONFIG_PUBLISHED, holds: true, reason: Reason::Ready, message: published },
            ],
            now,
        ),
        config_digest: config.digest.clone(),
        config_sequence: config.sequence,
        chatbots: u32::try_from(config.chatbots.len()).unwrap_or(u32::MAX),
        effective_quotas: Some(config.merchant.quotas),
    }
}

fn chatbot_status(
    chatbot: &Declared<ChatbotSpec>,
    rejection: Option<&Rejection>,
    config: &TenantConfig,
    now: Timestamp,
) -> ChatbotStatus {
    let served = config.chatbot(chatbot.name());
    let (reason, message) = match rejection {
        Some(rejection) if served.is_none() => return unserved_status(chatbot, rejection, now),
        Some(rejection) => (rejection.reason, format!("{}; the last good version stays in force", rejection.message)),
        None if config.merchant.suspended => (Reason::Suspended, "the merchant is suspended".to_owned()),
        None => (Reason::Ready, "everything is in force".to_owned()),
    };
    ChatbotStatus {
        observed_generation: chatbot.metadata.generation.unwrap_or_default(),
        conditions: conditions::with(
            chatbot,
            vec![Finding { type_: READY, holds: reason == Reason::Ready, reason, message }],
            now,
        ),
        publishable_key: served.map(|served| served.key.to_string()),
        config_digest: config.digest.clone(),
    }
}

fn unserved_status(chatbot: &Declared<ChatbotSpec>, rejection: &Rejection, now: Timestamp) -> ChatbotStatus {
    let message = format!("{}; the chatbot is not served", rejection.message);
    ChatbotStatus {
        observed_generation: chatbot.metadata.generation.unwrap_or_default(),
        conditions: conditions::with(
            chatbot,
            vec![Finding { type_: READY, holds: false, reason: rejection.reason, message }],
            now,
        ),
        publishable_key: None,
        config_digest: String::new(),
    }
}

/// A merchant that has never been usable, or may not be served.
fn unusable(
    merchant: &Declared<MerchantSpec>,
    chatbots: &[Declared<ChatbotSpec>],
    rejection: &Rejection,
    now: Timestamp,
) -> Compiled {
    let message = format!("{}; nothing of the merchant is served", rejection.message);
    let findings = [READY, CONFIG_PUBLISHED].map(|type_| Finding {
        type_,
        holds: false,
        reason: rejection.reason,
        message: message.clone(),
    });
    let not_ready =
        Rejection::new(Reason::MerchantNotReady, format!("the merchant {} is {}", merchant.name(), rejection.reason));
    Compiled {
        config: None,
        merchant: MerchantStatus {
            observed_generation: merchant.metadata.generation.unwrap_or_default(),
            conditions: conditions::with(merchant, findings.into(), now),
            ..MerchantStatus::default()
        },
        chatbots: chatbots
            .iter()
            .map(|chatbot| {
                let rejection = chatbot.spec.as_ref().err().unwrap_or(&not_ready);
                (chatbot.name().to_owned(), unserved_status(chatbot, rejection, now))
            })
            .collect(),
    }
}
