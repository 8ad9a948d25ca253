//! The CEL rules that more than one field uses. Each message starts with a key that the console translates.

use kube::core::Rule;
use schemars::{Schema, json_schema};

/// A port of a host entry.
const PORT: &str = "(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?";
/// One label of a host name in punycode.
const LABEL: &str = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";

fn rule(expression: String, message: &str) -> Rule {
    Rule::new(expression).message(message)
}

/// `shop.example`, with `:port` if it has one.
pub(crate) fn host() -> Rule {
    rule(
        format!(r"self.matches('^({LABEL}\\.)*{LABEL}{PORT}$')"),
        "host: write a host such as shop.example, in lower case and punycode, with :port if it has one, without https:// and path",
    )
}

/// `shop.example` or `*.shop.example`, with `:port` if it has one. A star in front of a single label would be a whole
/// top-level domain.
pub(crate) fn allowed_host() -> Rule {
    rule(
        format!(r"self.matches('^(({LABEL}\\.)*{LABEL}|\\*\\.(({LABEL}\\.)+{LABEL}|localhost)){PORT}$')"),
        "allowed-host: write a host such as shop.example or *.shop.example, in lower case and punycode, with :port if it has one, without https:// and path",
    )
}

/// A host that the platform's own gateway serves: no star, no port, at least two labels.
pub(crate) fn served_host() -> Rule {
    rule(
        format!(r"self.matches('^({LABEL}\\.)+{LABEL}$')"),
        "served-host: write a host such as chat.shop.example, in lower case and punycode, without port",
    )
}

pub(crate) fn email() -> Rule {
    rule(
        r"self.matches('^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$')".to_owned(),
        "email: write an e-mail address such as owner@shop.example",
    )
}

pub(crate) fn color() -> Rule {
    rule(
        "self.matches('^#[0-9a-fA-F]{6}$')".to_owned(),
        "color: write a colour as # and six hex digits, such as #0ea5e9",
    )
}

pub(crate) fn web_address() -> Rule {
    rule(
        r"self.matches('^https?://[^\\s/]+[^\\s]*$')".to_owned(),
        "web-address: write a whole web address that starts with https:// or http://",
    )
}

/// A glob on the path of a page.
pub(crate) fn page() -> Rule {
    rule(
        r"self.matches('^[/*][^\\s]*$')".to_owned(),
        "page: write a path such as /products/*, starting with / or *, without host and spaces",
    )
}

/// An amount of money, kept as text so that no digit is lost.
pub(crate) fn amount() -> Rule {
    rule(
        r"self.matches('^[0-9]{1,7}(\\.[0-9]{1,2})?$')".to_owned(),
        "amount: write an amount in USD in quotes, such as \"50.00\"",
    )
}

/// CPU or memory as Kubernetes writes it.
pub(crate) fn quantity() -> Rule {
    rule(
        r"self.matches('^[0-9]+(\\.[0-9]{1,3})?(m|k|M|G|Ki|Mi|Gi)?$')".to_owned(),
        "quantity: write a quantity such as 250m or 512Mi",
    )
}

pub(crate) fn time_of_day() -> Rule {
    rule("self.matches('^([01][0-9]|2[0-3]):[0-5][0-9]$')".to_owned(), "time-of-day: write a time such as 09:00")
}

/// Resource names become parts of namespaces and topics, so they are shorter than Kubernetes allows.
pub(crate) fn resource_name() -> Rule {
    rule(
        r"self.metadata.name.size() <= 50 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')".to_owned(),
        "resource-name: metadata.name has at most 50 characters: lower-case letters, digits and -, starting with a letter",
    )
}

/// A list of texts that each keep a rule, so that a refusal names the entry. Lists and texts in rules need a maximum:
/// the API server estimates what a rule costs from it.
pub(crate) fn list(rule: &Rule, items_max: u32, characters_max: u32) -> Schema {
    json_schema!({
        "type": "array",
        "maxItems": items_max,
        "items": {
            "type": "string",
            "minLength": 1,
            "maxLength": characters_max,
            "x-kubernetes-validations": [rule],
        },
    })
}
