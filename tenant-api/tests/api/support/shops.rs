//! The shops the tests are about.

use std::sync::Arc;

use serde_json::{Value, json};
use uuid::Uuid;
use vitrine_domain::MerchantId;
use vitrine_tenant_config::{TenantConfig, Tenants};

/// A bicycle shop: a Dutch chatbot that asks who you are later, an English one that asks first, one only to look at.
pub const ZADELHOEK: u128 = 1;
/// Another shop.
pub const NEGIN: u128 = 2;
/// A shop out of service.
pub const CLOSED: u128 = 3;

pub const DUTCH: &str = "pk_t_zadelhoek-nl";
pub const ENGLISH: &str = "pk_t_zadelhoek-en";
pub const SHOWCASE: &str = "pk_t_zadelhoek-show";
pub const MERCHANT: &str = "pk_t_zadelhoek";
pub const PERSIAN: &str = "pk_t_negin-fa";
pub const SUSPENDED: &str = "pk_t_closed";
pub const UNKNOWN: &str = "pk_t_nobody";

pub fn id(number: u128) -> MerchantId {
    Uuid::from_u128(number).into()
}

pub fn tenants() -> Tenants {
    Tenants::new([zadelhoek(20), negin(), closed()].map(Arc::new))
}

/// The bicycle shop, with this many answers at a time.
pub fn zadelhoek(concurrent_answers: u32) -> TenantConfig {
    let dutch = chatbot("zadelhoek-nl", DUTCH, true, "nl", json!({"ask": "Later"}));
    let english = chatbot("zadelhoek-en", ENGLISH, false, "en", json!({"ask": "BeforeFirstMessage"}));
    let mut showcase = chatbot("zadelhoek-show", SHOWCASE, false, "en", json!({"ask": "Never"}));
    showcase["demo"] = json!(true);
    let mut shop = merchant(ZADELHOEK, "zadelhoek", MERCHANT, "nl");
    shop["quotas"]["concurrentAnswers"] = json!(concurrent_answers);
    config(&shop, &[dutch, english, showcase])
}

fn negin() -> TenantConfig {
    let persian = chatbot("negin-fa", PERSIAN, true, "fa", json!({"ask": "Later"}));
    config(&merchant(NEGIN, "negin", "pk_t_negin", "fa"), &[persian])
}

fn closed() -> TenantConfig {
    let mut shop = merchant(CLOSED, "closed", "pk_t_closed-merchant", "en");
    shop["suspended"] = json!(true);
    config(&shop, &[chatbot("closed-en", SUSPENDED, true, "en", json!({"ask": "Later"}))])
}

fn config(merchant: &Value, chatbots: &[Value]) -> TenantConfig {
    let config = json!({
        "formatVersion": 1, "sequence": 7, "digest": "unchecked", "merchant": merchant, "chatbots": chatbots,
    });
    serde_json::from_value(config).expect("a tenant config")
}

fn merchant(number: u128, name: &str, key: &str, language: &str) -> Value {
    json!({
        "id": Uuid::from_u128(number), "name": name, "key": key, "displayName": format!("Shop {name}"),
        "ownerEmail": "owner@shop.example", "language": language, "suspended": false,
        "plan": {"code": "p-pro", "title": "Pro", "paid": true},
        "shopDomain": "shop.example",
        "quotas": {
            "messagesPerMinute": 100_000, "concurrentAnswers": 20, "responsesPerMonth": 1_000, "chatbots": 5,
            "documents": 200, "storageMebibytes": 500,
        },
        "model": {"provider": "BuiltIn"},
        "retention": {"messageDays": 365, "leadDays": 730},
    })
}

fn chatbot(name: &str, key: &str, is_default: bool, language: &str, mut form: Value) -> Value {
    form["fields"] = json!(["name", "phone", "email"]);
    form["privacyUrl"] = json!("https://shop.example/privacy");
    form["consentText"] = json!("We keep this to answer you.");
    form["consentVersion"] = json!("c1");
    json!({
        "name": name, "key": key, "isDefault": is_default, "title": format!("Chat of {name}"),
        "agent": "customer_support", "language": language,
        "appearance": {
            "headline": "</script><script>alert(1)</script>", "welcomeMessage": "How can I help you?",
            "brandColor": "#0ea5e9", "theme": "light",
            "orientation": if language == "fa" { "rtl" } else { "ltr" }, "bottom": 20, "right": 20,
        },
        "allowedHosts": ["shop.example", "*.shop.example:8443", "zadelhoek.localhost:7400"],
        "visible": true, "showBranding": true, "demo": false, "leadForm": form,
        "limits": {"messageCharacters": 300},
    })
}
