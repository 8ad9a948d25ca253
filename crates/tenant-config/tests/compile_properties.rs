//! What holds for the compiler whatever it is given.

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use vitrine_crds::{Chatbot, ChatbotSpec, Merchant, MerchantSpec};
use vitrine_tenant_config::{
    Compiled, Declared, PLATFORM_KEY_BYTES, Plans, Platform, PlatformKey, Previous, Reason, Rejection, TenantConfig,
    compile,
};

/// A chatbot as the tests vary it.
#[derive(Clone, Debug)]
struct Sketch {
    name: String,
    created_day: u8,
    title: String,
    key_rotation: u32,
    is_valid: bool,
}

fn sketches() -> impl Strategy<Value = Vec<Sketch>> {
    prop::collection::btree_map("[a-f]", (1..4_u8, "[x-z]{1,2}", 0..2_u32, prop::bool::weighted(0.7)), 0..6).prop_map(
        |sketches| {
            sketches
                .into_iter()
                .map(|(name, (created_day, title, key_rotation, is_valid))| Sketch {
                    name,
                    created_day,
                    title,
                    key_rotation,
                    is_valid,
                })
                .collect()
        },
    )
}

fn declare(sketch: &Sketch) -> Declared<ChatbotSpec> {
    let chatbot: Chatbot = serde_json::from_value(json!({
        "apiVersion": "vitrine.dev/v1alpha1",
        "kind": "Chatbot",
        "metadata": {"name": sketch.name, "creationTimestamp": format!("2026-11-{:02}T09:00:00Z", sketch.created_day)},
        "spec": {"merchantRef": {"name": "acme"}, "title": sketch.title, "keyRotation": sketch.key_rotation},
    }))
    .unwrap();
    let mut declared = Declared::from(chatbot);
    if !sketch.is_valid {
        declared.spec = Err(Rejection::new(Reason::InvalidSpec, "broken"));
    }
    declared
}

fn merchant(display_name: &str) -> Declared<MerchantSpec> {
    let merchant: Merchant = serde_json::from_value(json!({
        "apiVersion": "vitrine.dev/v1alpha1",
        "kind": "Merchant",
        "metadata": {"name": "acme", "annotations": {"vitrine.dev/merchant-id": "018f3c1e-7a44-7c10-9b1e-3d1f0a5b6c7d"}},
        "spec": {"displayName": display_name, "ownerEmail": "owner@acme.example", "plan": "p-pro"},
    }))
    .unwrap();
    merchant.into()
}

fn run(display_name: &str, chatbots: &[Sketch], previous: Option<&TenantConfig>, sequence: u64) -> Compiled {
    let chatbots: Vec<_> = chatbots.iter().map(declare).collect();
    let platform = Platform { key: PlatformKey::new([7; PLATFORM_KEY_BYTES]), demo_host: None };
    let previous = Previous { config: previous, sequence };
    compile(&merchant(display_name), &chatbots, &Plans::default(), &platform, previous, Timestamp::UNIX_EPOCH)
}

fn config(display_name: &str, chatbots: &[Sketch], previous: Option<&TenantConfig>) -> TenantConfig {
    run(display_name, chatbots, previous, 0).config.unwrap()
}

proptest! {
    #[test]
    fn the_order_of_chatbots_does_not_matter(
        before in sketches(),
        (now, shuffled) in sketches().prop_flat_map(|now| (Just(now.clone()), Just(now).prop_shuffle())),
    ) {
        let previous = config("Acme", &before, None);
        prop_assert_eq!(run("Acme", &now, Some(&previous), 0), run("Acme", &shuffled, Some(&previous), 0));
    }

    #[test]
    fn compiling_again_changes_nothing(before in sketches(), now in sketches()) {
        let previous = config("Acme", &before, None);
        let published = config("Acme", &now, Some(&previous));
        prop_assert_eq!(config("Acme", &now, Some(&published)), published);
    }

    #[test]
    fn the_sequence_grows_exactly_when_the_content_changes(
        before in sketches(), now in sketches(), names in ("[ab]", "[ab]"), status_sequence in 0..4_u64,
    ) {
        let previous = config(&names.0, &before, None);
        let compiled = run(&names.1, &now, Some(&previous), status_sequence).config.unwrap();
        let same_content = compiled.merchant == previous.merchant && compiled.chatbots == previous.chatbots;
        prop_assert_eq!(compiled.digest == previous.digest, same_content);
        if same_content && previous.sequence >= status_sequence {
            prop_assert_eq!(compiled.sequence, previous.sequence);
        } else {
            prop_assert_eq!(compiled.sequence, previous.sequence.max(status_sequence) + 1);
        }
    }

    #[test]
    fn breaking_a_chatbot_changes_no_other_and_nothing_that_shoppers_see(
        chatbots in sketches(), broken in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!chatbots.is_empty());
        let published = config("Acme", &chatbots, None);
        let mut after = chatbots;
        let index = broken.index(after.len());
        after[index].is_valid = false;
        after[index].title = "changed".to_owned();
        prop_assert_eq!(config("Acme", &after, Some(&published)), published);
    }

    #[test]
    fn a_new_broken_chatbot_changes_no_other(chatbots in sketches(), created_day in 4..9_u8) {
        let published = config("Acme", &chatbots, None);
        let mut after = chatbots;
        after.push(Sketch { name: "z".to_owned(), created_day, title: "z".to_owned(), key_rotation: 0, is_valid: false });
        prop_assert_eq!(config("Acme", &after, Some(&published)), published);
    }

    #[test]
    fn one_chatbot_is_the_default_unless_there_is_none(before in sketches(), now in sketches()) {
        let previous = config("Acme", &before, None);
        let compiled = config("Acme", &now, Some(&previous));
        let defaults = compiled.chatbots.iter().filter(|chatbot| chatbot.is_default).count();
        prop_assert_eq!(defaults, usize::from(!compiled.chatbots.is_empty()));
    }

    #[test]
    fn what_is_written_is_read(chatbots in sketches()) {
        let published = config("Acme", &chatbots, None);
        prop_assert_eq!(TenantConfig::read(published.to_json().as_bytes()).unwrap(), published);
    }

    #[test]
    fn a_config_that_was_tampered_with_is_not_read(chatbots in sketches(), position in any::<prop::sample::Index>(), letter in "[a-z]") {
        let published = config("Acme", &chatbots, None);
        let json = published.to_json();
        let mut bytes = json.clone().into_bytes();
        let position = position.index(bytes.len());
        bytes[position] = letter.as_bytes()[0];
        if let Ok(read) = TenantConfig::read(&bytes) {
            // Only the sequence is outside of the digest, and a letter is no number.
            prop_assert_eq!(read, published);
        }
    }
}
