//! What the compiler makes of resources, good and bad.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};
use serde_json::{Value, json};
use vitrine_crds::{Chatbot, ChatbotSpec, Merchant, MerchantSpec};
use vitrine_tenant_config::compile::{merchant_not_found, reject_identity_conflicts};
use vitrine_tenant_config::{
    Compiled, Declared, PLATFORM_KEY_BYTES, Plans, Platform, PlatformKey, Previous, Reason, Rejection, TenantConfig,
    compile,
};

const NOW: &str = "2026-11-20T10:00:00Z";
const LATER: &str = "2026-11-20T11:00:00Z";

fn platform() -> Platform {
    Platform { key: PlatformKey::new([7; PLATFORM_KEY_BYTES]), demo_host: Some("shop.localhost:7400".parse().unwrap()) }
}

fn merchant(spec: Value) -> Declared<MerchantSpec> {
    let mut manifest = json!({
        "apiVersion": "vitrine.dev/v1alpha1",
        "kind": "Merchant",
        "metadata": {
            "name": "acme-bikes",
            "creationTimestamp": "2026-11-01T09:00:00Z",
            "generation": 3,
            "annotations": {"vitrine.dev/merchant-id": "018f3c1e-7a44-7c10-9b1e-3d1f0a5b6c7d"},
        },
        "spec": {"displayName": "Acme Bikes", "ownerEmail": "owner@acme.example", "plan": "p-pro", "shopDomain": "acme.example"},
    });
    merge(&mut manifest["spec"], spec);
    serde_json::from_value::<Merchant>(manifest).unwrap().into()
}

fn chatbot(name: &str, created_day: u8, spec: Value) -> Declared<ChatbotSpec> {
    let mut manifest = json!({
        "apiVersion": "vitrine.dev/v1alpha1",
        "kind": "Chatbot",
        "metadata": {"name": name, "creationTimestamp": format!("2026-11-{created_day:02}T09:00:00Z")},
        "spec": {"merchantRef": {"name": "acme-bikes"}, "title": name},
    });
    merge(&mut manifest["spec"], spec);
    serde_json::from_value::<Chatbot>(manifest).unwrap().into()
}

fn merge(spec: &mut Value, fields: Value) {
    let Value::Object(fields) = fields else { panic!("a spec is an object") };
    spec.as_object_mut().unwrap().extend(fields);
}

fn rejected(name: &str, created_day: u8) -> Declared<ChatbotSpec> {
    let spec = Err(Rejection::new(Reason::InvalidSpec, "spec.title: is required"));
    Declared { spec, ..chatbot(name, created_day, json!({})) }
}

fn run(
    merchant: &Declared<MerchantSpec>,
    chatbots: &[Declared<ChatbotSpec>],
    previous: Option<&TenantConfig>,
) -> Compiled {
    let previous = Previous { config: previous, sequence: 0 };
    compile(merchant, chatbots, &Plans::default(), &platform(), previous, NOW.parse().unwrap())
}

fn ready(conditions: &[Condition]) -> (&str, &str, &str) {
    let ready = conditions.iter().find(|condition| condition.type_ == "Ready").unwrap();
    (&ready.status, &ready.reason, &ready.message)
}

fn names(config: &TenantConfig) -> Vec<&str> {
    config.chatbots.iter().map(|chatbot| chatbot.name.as_str()).collect()
}

#[test]
fn a_shop_with_two_chatbots() {
    let merchant = merchant(json!({
        "language": "nl",
        "defaultChatbot": "support",
        "hosts": ["chat.acme.example"],
        "quotas": {"documents": 200},
        "spendCap": {"monthly": "50.00"},
    }));
    let support = chatbot(
        "support",
        3,
        json!({
            "appearance": {"headline": "Welkom", "brandColor": "#0EA5E9", "theme": "dark", "bottom": 30},
            "allowedDomains": ["*.acme.example", "staging.acme.example:8443"],
            "pages": {"mode": "black", "urls": ["/checkout/*"]},
            "persona": {"instructions": "Antwoord kort.", "tone": "Vriendelijk"},
            "leadForm": {"ask": "Later", "fields": ["email"], "consentText": "Wij bewaren dit.", "privacyUrl": "https://acme.example/privacy"},
            "limits": {"messageCharacters": 500},
        }),
    );
    let persian =
        chatbot("persian", 2, json!({"language": "fa", "leadForm": {"ask": "Never"}, "handOver": {"enabled": false}}));
    let compiled = run(&merchant, &[support, persian], None);
    insta::assert_yaml_snapshot!(compiled.config.unwrap());
    insta::assert_yaml_snapshot!("statuses", json!({"merchant": compiled.merchant, "chatbots": compiled.chatbots}));
}

#[test]
fn an_unchanged_config_keeps_its_sequence_and_a_change_raises_it() {
    let chatbots = [chatbot("support", 1, json!({}))];
    let first = run(&merchant(json!({})), &chatbots, None).config.unwrap();
    assert_eq!(first.sequence, 1);

    let same = run(&merchant(json!({})), &chatbots, Some(&first)).config.unwrap();
    assert_eq!(same, first);

    let changed = run(&merchant(json!({"displayName": "Acme"})), &chatbots, Some(&first)).config.unwrap();
    assert_eq!(changed.sequence, 2);
    assert_ne!(changed.digest, first.digest);

    let previous = Previous { config: Some(&first), sequence: 9 };
    let after_loss =
        compile(&merchant(json!({})), &chatbots, &Plans::default(), &platform(), previous, NOW.parse().unwrap());
    assert_eq!(after_loss.config.unwrap().sequence, 10, "the status knew of a higher sequence");
}

#[test]
fn a_rejected_chatbot_keeps_its_part_and_the_others_change() {
    let before = run(
        &merchant(json!({})),
        &[chatbot("faq", 1, json!({"title": "Old"})), chatbot("support", 2, json!({"title": "Old"}))],
        None,
    )
    .config
    .unwrap();
    let compiled =
        run(&merchant(json!({})), &[rejected("faq", 1), chatbot("support", 2, json!({"title": "New"}))], Some(&before));
    let after = compiled.config.unwrap();
    assert_eq!(after.chatbot("faq"), before.chatbot("faq"));
    assert_eq!(after.chatbot("support").unwrap().title, "New");
    assert_eq!(
        ready(&compiled.chatbots["faq"].conditions),
        ("False", "InvalidSpec", "spec.title: is required; the last good version stays in force")
    );
    assert_eq!(ready(&compiled.chatbots["support"].conditions), ("True", "Ready", "everything is in force"));
    assert!(compiled.chatbots["faq"].publishable_key.is_some());
}

#[test]
fn a_rejected_chatbot_without_a_past_is_left_out() {
    let compiled = run(&merchant(json!({})), &[rejected("faq", 1), chatbot("support", 2, json!({}))], None);
    let config = compiled.config.unwrap();
    assert_eq!(names(&config), ["support"]);
    assert!(config.chatbots[0].is_default);
    assert_eq!(
        ready(&compiled.chatbots["faq"].conditions),
        ("False", "InvalidSpec", "spec.title: is required; the chatbot is not served")
    );
    assert_eq!(compiled.chatbots["faq"].publishable_key, None);
}

#[test]
fn a_chatbot_that_is_gone_is_gone() {
    let both = [chatbot("faq", 1, json!({})), chatbot("support", 2, json!({}))];
    let before = run(&merchant(json!({})), &both, None).config.unwrap();
    let after = run(&merchant(json!({})), &both[1..], Some(&before)).config.unwrap();
    assert_eq!(names(&after), ["support"]);
}

#[test]
fn an_unknown_plan_keeps_the_merchant_as_it_was() {
    let chatbots = [chatbot("support", 1, json!({}))];
    let before = run(&merchant(json!({})), &chatbots, None).config.unwrap();
    let wrong = merchant(json!({"plan": "p-gold", "displayName": "New"}));

    let compiled = run(&wrong, &chatbots, Some(&before));
    assert_eq!(compiled.config.as_ref(), Some(&before));
    assert_eq!(
        ready(&compiled.merchant.conditions),
        (
            "False",
            "PlanUnknown",
            "spec.plan: there is no plan p-gold, known are p-free, p-pro; the last good version stays in force"
        )
    );

    let compiled = run(&wrong, &chatbots, None);
    assert_eq!(compiled.config, None);
    assert_eq!(ready(&compiled.merchant.conditions).1, "PlanUnknown");
    assert_eq!(
        ready(&compiled.chatbots["support"].conditions),
        ("False", "MerchantNotReady", "the merchant acme-bikes is PlanUnknown; the chatbot is not served")
    );
}

#[test]
fn a_suspended_merchant_stays_known_and_says_so() {
    let compiled = run(&merchant(json!({"suspended": true})), &[chatbot("support", 1, json!({}))], None);
    assert!(compiled.config.unwrap().merchant.suspended);
    assert_eq!(ready(&compiled.merchant.conditions), ("False", "Suspended", "the merchant is suspended"));
    assert_eq!(ready(&compiled.chatbots["support"].conditions).1, "Suspended");
}

#[test]
fn the_default_chatbot_is_the_named_one_or_the_oldest() {
    let chatbots = [chatbot("b", 2, json!({})), chatbot("c", 1, json!({})), chatbot("a", 1, json!({}))];
    let default_of = |merchant: &Declared<MerchantSpec>| {
        let compiled = run(merchant, &chatbots, None);
        let config = compiled.config.unwrap();
        (config.default_chatbot().unwrap().name.clone(), ready(&compiled.merchant.conditions).1.to_owned())
    };
    assert_eq!(default_of(&merchant(json!({}))), ("a".to_owned(), "Ready".to_owned()));
    assert_eq!(default_of(&merchant(json!({"defaultChatbot": "b"}))), ("b".to_owned(), "Ready".to_owned()));
    assert_eq!(
        default_of(&merchant(json!({"defaultChatbot": "x"}))),
        ("a".to_owned(), "DefaultChatbotNotFound".to_owned())
    );
}

#[test]
fn the_newest_chatbots_are_those_above_the_quota() {
    let chatbots = [chatbot("third", 3, json!({})), chatbot("first", 1, json!({})), chatbot("second", 2, json!({}))];
    let compiled = run(&merchant(json!({"quotas": {"chatbots": 2}})), &chatbots, None);
    assert_eq!(names(&compiled.config.unwrap()), ["first", "second"]);
    assert_eq!(ready(&compiled.chatbots["third"].conditions).1, "QuotaExceeded");
}

#[test]
fn a_chatbot_of_another_merchant_is_refused() {
    let moved = chatbot("support", 1, json!({"merchantRef": {"name": "other"}}));
    let compiled = run(&merchant(json!({})), &[moved], None);
    assert_eq!(names(&compiled.config.unwrap()), [""; 0]);
    assert_eq!(ready(&compiled.chatbots["support"].conditions).1, "InvalidSpec");
}

#[test]
fn what_the_rules_cannot_see_is_refused_here() {
    // The rules check the form of a label; whether punycode decodes is known only to the reader of host names.
    let broken = chatbot("support", 1, json!({"allowedDomains": ["acme.example", "xn--a.example"]}));
    let compiled = run(&merchant(json!({})), &[broken], None);
    let (status, reason, message) = ready(&compiled.chatbots["support"].conditions);
    assert_eq!((status, reason), ("False", "InvalidSpec"));
    assert!(message.starts_with("spec.allowedDomains[1]: \"xn--a.example\" is not allowed here"), "{message}");
}

#[test]
fn an_empty_list_of_hosts_means_the_shop_and_the_demo_page() {
    let hosts = |spec| {
        let config = run(&merchant(spec), &[chatbot("support", 1, json!({}))], None).config.unwrap();
        config.chatbots[0].allowed_hosts.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(hosts(json!({})), ["acme.example", "www.acme.example", "shop.localhost:7400"]);
    assert_eq!(hosts(json!({"shopDomain": "127.0.0.1:7400"})), ["127.0.0.1:7400", "shop.localhost:7400"]);
    assert_eq!(hosts(json!({"shopDomain": null})), ["shop.localhost:7400"]);
}

#[test]
fn a_rotation_changes_the_chatbots_key_and_not_the_merchants() {
    let at = |rotation: u32| {
        run(&merchant(json!({})), &[chatbot("support", 1, json!({"keyRotation": rotation}))], None).config.unwrap()
    };
    let (before, after) = (at(0), at(1));
    assert_ne!(before.chatbots[0].key, after.chatbots[0].key);
    assert_eq!(before.merchant.key, after.merchant.key);
    assert_ne!(before.merchant.key, before.chatbots[0].key);
}

#[test]
fn the_version_of_a_consent_changes_with_what_is_agreed_to() {
    let version = |form: Value| {
        let config =
            run(&merchant(json!({})), &[chatbot("support", 1, json!({"leadForm": form}))], None).config.unwrap();
        config.chatbots[0].lead_form.clone().unwrap().consent_version
    };
    let base = version(json!({"consentText": "a", "ask": "Later"}));
    assert_eq!(version(json!({"consentText": "a", "fields": ["email"]})), base);
    assert_ne!(version(json!({"consentText": "b"})), base);
    assert_ne!(version(json!({"consentText": "a", "privacyUrl": "https://acme.example"})), base);
}

#[test]
fn of_two_merchants_with_one_id_the_older_is_served() {
    let older = merchant(json!({}));
    let mut younger = merchant(json!({}));
    younger.metadata.name = Some("a-copy".to_owned());
    younger.metadata.creation_timestamp = Some(Time(LATER.parse().unwrap()));
    let the_same_id = "018F3C1E7A447C109B1E3D1F0A5B6C7D".to_owned();
    younger.metadata.annotations = Some([("vitrine.dev/merchant-id".to_owned(), the_same_id)].into());
    let mut merchants = [younger, older];
    reject_identity_conflicts(&mut merchants);
    let [served, refused] = merchants;
    assert_eq!((served.name(), served.spec.is_ok()), ("acme-bikes", true));

    let before = run(&served, &[], None).config.unwrap();
    let compiled = run(&refused, &[], Some(&before));
    assert_eq!(compiled.config, None, "not even what was served before");
    assert_eq!(ready(&compiled.merchant.conditions).1, "IdentityConflict");
}

#[test]
fn an_id_is_set_once_and_is_a_uuid() {
    let before = run(&merchant(json!({})), &[], None).config.unwrap();
    let with_id = |id: Option<&str>| {
        let mut merchant = merchant(json!({"displayName": "New"}));
        let annotations = merchant.metadata.annotations.as_mut().unwrap();
        annotations.clear();
        annotations.extend(id.map(|id| ("vitrine.dev/merchant-id".to_owned(), id.to_owned())));
        merchant
    };
    let compiled = run(&with_id(Some("018f3c1e-7a44-7c10-9b1e-000000000000")), &[], Some(&before));
    assert_eq!(compiled.config.as_ref(), Some(&before));
    assert_eq!(ready(&compiled.merchant.conditions).1, "IdentityChanged");
    for wrong in [None, Some("acme"), Some("00000000-0000-0000-0000-000000000000")] {
        assert_eq!(ready(&run(&with_id(wrong), &[], None).merchant.conditions).1, "InvalidSpec", "{wrong:?}");
    }
}

#[test]
fn a_chatbot_without_a_merchant_says_which() {
    let status = merchant_not_found(&chatbot("support", 1, json!({})), "acme-bikes", NOW.parse().unwrap());
    assert_eq!(
        ready(&status.conditions),
        ("False", "MerchantNotFound", "there is no merchant acme-bikes; the chatbot is not served")
    );
}

#[test]
fn a_condition_keeps_the_time_of_its_last_change_and_others_stay() {
    let routes = Condition {
        type_: "RoutesAccepted".to_owned(),
        status: "False".to_owned(),
        reason: "Pending".to_owned(),
        message: String::new(),
        observed_generation: None,
        last_transition_time: Time(NOW.parse().unwrap()),
    };
    let mut merchant = merchant(json!({}));
    merchant.conditions = vec![routes.clone()];
    let first = run(&merchant, &[], None);
    merchant.conditions.clone_from(&first.merchant.conditions);

    let later: Timestamp = LATER.parse().unwrap();
    let at_later = |merchant: &Declared<MerchantSpec>| {
        compile(merchant, &[], &Plans::default(), &platform(), Previous::default(), later)
    };
    let unchanged = at_later(&merchant).merchant.conditions;
    assert_eq!(unchanged, first.merchant.conditions);
    assert!(unchanged.contains(&routes));

    merchant.spec = Err(Rejection::new(Reason::InvalidSpec, "wrong"));
    let changed = at_later(&merchant).merchant.conditions;
    assert!(changed.contains(&routes));
    let ready = changed.iter().find(|condition| condition.type_ == "Ready").unwrap();
    assert_eq!(ready.last_transition_time, Time(later));
}
