//! Versions N and N-1 read each other's configs.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use vitrine_domain::Language;
use vitrine_tenant_config::config::{FORMAT_VERSION, LeadField, Theme};
use vitrine_tenant_config::{ReadError, TenantConfig};

/// A config as this version wrote it at its release.
const WRITTEN: &str = include_str!("golden/tenant-config-v1.json");

/// As a newer version would write it: with its own digest over its own fields.
fn sealed(mut config: Value) -> Vec<u8> {
    let mut content = config.clone();
    let fields = content.as_object_mut().unwrap();
    fields.remove("digest");
    fields.remove("sequence");
    // The fields of a JSON map of this crate's dependencies are in alphabetical order, as the digest wants them.
    let digest = hexadecimal(&Sha256::digest(content.to_string()));
    config["digest"] = format!("sha256:{digest}").into();
    config.to_string().into_bytes()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .chunks(16)
        .map(|half| u128::from_be_bytes(half.try_into().unwrap()))
        .fold(String::new(), |text, half| text + &format!("{half:032x}"))
}

#[test]
fn the_golden_config_is_read_as_ever() {
    let config = TenantConfig::read(WRITTEN.as_bytes()).unwrap();
    assert_eq!(config.format_version, FORMAT_VERSION);
    assert_eq!(config.merchant.name, "acme-bikes");
    assert_eq!(config.to_json().trim(), WRITTEN.trim());
}

#[test]
fn unknown_fields_are_ignored_and_unknown_values_switch_their_feature_off() {
    let mut config: Value = serde_json::from_str(WRITTEN).unwrap();
    config["merchant"]["colour"] = json!("green");
    config["merchant"]["model"] = json!({"provider": "Telepathy"});
    let chatbot = &mut config["chatbots"][0];
    chatbot["language"] = json!("tlh");
    chatbot["appearance"]["theme"] = json!("sepia");
    chatbot["pages"] = json!({"mode": "grey", "urls": ["/"]});
    chatbot["leadForm"] = json!({"ask": "Later", "fields": ["name", "birthday"], "consentVersion": "x"});
    chatbot["handOver"] = json!({"answerWithinSeconds": "soon"});

    let read = TenantConfig::read(&sealed(config)).unwrap();
    assert_eq!(read.merchant.model, None);
    let chatbot = &read.chatbots[0];
    assert_eq!(chatbot.language, Language::En);
    assert_eq!(chatbot.appearance.theme, Theme::Light);
    assert_eq!(chatbot.pages, None);
    assert_eq!(chatbot.lead_form.as_ref().unwrap().fields, [LeadField::Name]);
    assert_eq!(chatbot.hand_over, None);
}

#[test]
fn what_does_not_verify_is_refused_and_says_its_sequence() {
    let mut config: Value = serde_json::from_str(WRITTEN).unwrap();
    config["sequence"] = json!(41);
    config["merchant"]["suspended"] = json!(true);
    let json = serde_json::to_vec(&config).unwrap();
    assert!(matches!(TenantConfig::read(&json), Err(ReadError::DigestMismatch { sequence: 41 })));
    assert!(matches!(TenantConfig::read(b"{"), Err(ReadError::Malformed(_))));
    assert!(matches!(TenantConfig::read(b"[]"), Err(ReadError::DigestMismatch { sequence: 0 })));

    config["formatVersion"] = json!(FORMAT_VERSION + 1);
    assert!(matches!(TenantConfig::read(&sealed(config)), Err(ReadError::TooNew { found: 2 })));
}

#[test]
fn required_lead_fields_follow_the_form() {
    let config = TenantConfig::read(WRITTEN.as_bytes()).unwrap();
    let mut form = config.chatbots[1].lead_form.clone().unwrap();
    for (fields, required) in [
        (vec![LeadField::Name, LeadField::Phone, LeadField::Email], vec![LeadField::Name, LeadField::Phone]),
        (vec![LeadField::Name, LeadField::Email], vec![LeadField::Name]),
        (vec![LeadField::Email], vec![LeadField::Email]),
        (vec![], vec![]),
    ] {
        form.fields = fields;
        assert_eq!(form.required(), required);
    }
}
