//! The rule about hosts and the type that reads them agree.

use proptest::prelude::*;
use serde_json::json;
use vitrine_crds::{Kind, validate};
use vitrine_domain::AllowedHost;

fn entries() -> impl Strategy<Value = String> {
    prop_oneof![
        "[*a-c0-9.:-]{1,12}",
        "(\\*\\.)?([a-z0-9-]{1,4}\\.){0,2}[a-z0-9]{1,4}(:[0-9]{1,6})?",
        "(\\*\\.)?(localhost|127\\.0\\.0\\.1|shop\\.example)(:(0|1|443|65535|65536|08))?",
        "\\PC{1,8}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_the_rule_accepts_is_read_as_it_is_written(entry in entries()) {
        let manifest = json!({
            "apiVersion": vitrine_crds::API_VERSION,
            "kind": "Chatbot",
            "metadata": {"name": "support"},
            "spec": {"merchantRef": {"name": "acme"}, "title": "Support", "allowedDomains": [&entry]},
        });
        let is_accepted = validate(Kind::Chatbot, &manifest, None).is_empty();
        let read = entry.parse::<AllowedHost>();
        // Two hyphens mark an encoded label, which only the type can decode.
        if is_accepted && !entry.contains("--") {
            prop_assert_eq!(read.as_ref().map(ToString::to_string).ok(), Some(entry.clone()));
        }
        // The type also reads what a browser would still change: capitals and ports with leading zeros.
        if read.is_ok_and(|host| host.to_string() == entry) {
            prop_assert!(is_accepted, "{:?} is a host", entry);
        }
    }
}
