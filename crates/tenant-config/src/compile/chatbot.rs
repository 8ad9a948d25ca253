//! A chatbot's part of a config.

use sha2::{Digest, Sha256};
use vitrine_crds::ChatbotSpec;
use vitrine_crds::chatbot::{self as resource, LeadAsk};
use vitrine_domain::{AllowedHost, Language};

use crate::config::{Appearance, ChatbotConfig, HandOver, LeadForm, Limits, MerchantConfig, Pages, Persona};
use crate::declared::{Declared, Reason, Rejection};
use crate::digest::hexadecimal;
use crate::platform::Platform;
use crate::welcome;

/// How much of the hash of a consent text names its version.
const CONSENT_VERSION_BYTES: usize = 6;

/// `index` counts the merchant's chatbots from the oldest, so that a new one never takes the place of an older one.
pub(super) fn build(
    chatbot: &Declared<ChatbotSpec>,
    index: usize,
    merchant: &MerchantConfig,
    platform: &Platform,
) -> Result<ChatbotConfig, Rejection> {
    let spec = chatbot.spec.as_ref().map_err(Clone::clone)?;
    let ChatbotSpec {
        merchant_ref,
        title,
        agent,
        language,
        appearance,
        allowed_domains,
        pages,
        visible,
        show_branding,
        demo,
        persona,
        lead_form,
        hand_over,
        limits,
        key_rotation,
    } = spec;
    if merchant_ref.name != merchant.name {
        return Err(Rejection::of_field("spec.merchantRef", "a chatbot cannot move to another merchant"));
    }
    let chatbots_max = usize::try_from(merchant.quotas.chatbots).unwrap_or(usize::MAX);
    if index >= chatbots_max {
        return Err(Rejection::new(
            Reason::QuotaExceeded,
            format!("the merchant may have {chatbots_max} chatbots and has that many older ones"),
        ));
    }
    let language = language.unwrap_or(merchant.language);
    Ok(ChatbotConfig {
        name: chatbot.name().to_owned(),
        key: platform.key.publishable_key(merchant.id, chatbot.name(), *key_rotation),
        is_default: false,
        title: title.clone(),
        agent: agent.clone(),
        language,
        appearance: build_appearance(appearance, title, language),
        allowed_hosts: allowed_hosts(allowed_domains, merchant, platform)?,
        pages: (!pages.urls.is_empty()).then(|| Pages { mode: pages.mode, urls: pages.urls.clone() }),
        visible: *visible,
        show_branding: *show_branding,
        demo: *demo,
        persona: Persona { instructions: persona.instructions.clone(), tone: persona.tone.clone() },
        lead_form: build_lead_form(lead_form),
        hand_over: hand_over.enabled.then(|| HandOver {
            answer_within_seconds: hand_over.answer_within_seconds,
            hours: hand_over.hours.clone(),
        }),
        limits: Limits { message_characters: limits.message_characters },
    })
}

fn build_appearance(appearance: &resource::Appearance, title: &str, language: Language) -> Appearance {
    Appearance {
        headline: appearance.headline.clone().unwrap_or_else(|| title.to_owned()),
        welcome_message: appearance.welcome_message.clone().unwrap_or_else(|| welcome::message(language).to_owned()),
        brand_color: appearance.brand_color.to_ascii_lowercase(),
        theme: appearance.theme,
        orientation: appearance.orientation.map_or(language.direction(), Into::into),
        bottom: appearance.bottom,
        right: appearance.right,
        avatar_url: appearance.avatar_url.clone(),
    }
}

/// An empty list stands for the shop itself and the demo page.
fn allowed_hosts(
    entries: &[String],
    merchant: &MerchantConfig,
    platform: &Platform,
) -> Result<Vec<AllowedHost>, Rejection> {
    if entries.is_empty() {
        let shop = merchant.shop_domain.iter().flat_map(|host| [Some(host.clone()), host.with_www()]).flatten();
        return Ok(shop.chain(platform.demo_host.clone()).collect());
    }
    entries
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            entry.parse().map_err(|error| Rejection::of_field(&format!("spec.allowedDomains[{index}]"), error))
        })
        .collect()
}

fn build_lead_form(form: &resource::LeadForm) -> Option<LeadForm> {
    if form.ask == LeadAsk::Never {
        return None;
    }
    let agreed_to = Sha256::new()
        .chain_update(form.consent_text.as_deref().unwrap_or_default())
        .chain_update([0])
        .chain_update(form.privacy_url.as_deref().unwrap_or_default())
        .finalize();
    Some(LeadForm {
        ask: form.ask,
        fields: form.fields.clone(),
        privacy_url: form.privacy_url.clone(),
        consent_text: form.consent_text.clone(),
        consent_version: hexadecimal(&agreed_to[..CONSENT_VERSION_BYTES]),
    })
}
