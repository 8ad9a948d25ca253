//! The key in a shop's embed code. It is no secret: it opens shopper sessions and nothing else.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const CHARACTERS_MAX: usize = 64;

/// `pk_<key id>_<code>`. How the code is derived is the compiler's matter; readers look keys up.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct PublishableKey(String);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a publishable key: expected pk_<key id>_<code> of letters, digits, - and _, at most {CHARACTERS_MAX} characters"
)]
pub struct NotAPublishableKey;

impl PublishableKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PublishableKey {
    type Err = NotAPublishableKey;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = text.len() <= CHARACTERS_MAX
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
            && text
                .strip_prefix("pk_")
                .and_then(|rest| rest.split_once('_'))
                .is_some_and(|(key_id, code)| !key_id.is_empty() && !code.is_empty());
        if fits { Ok(Self(text.to_owned())) } else { Err(NotAPublishableKey) }
    }
}

impl TryFrom<String> for PublishableKey {
    type Error = NotAPublishableKey;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<PublishableKey> for String {
    fn from(key: PublishableKey) -> Self {
        key.0
    }
}

impl fmt::Display for PublishableKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_three_parts() {
        assert!("pk_1_Zm9v-YmFy_x".parse::<PublishableKey>().is_ok());
        for wrong in
            ["", "pk_", "pk__x", "pk_1_", "sk_1_x", "pk_1_x y", "pk_1_x.js", &format!("pk_1_{}", "x".repeat(64))]
        {
            assert_eq!(wrong.parse::<PublishableKey>(), Err(NotAPublishableKey), "{wrong:?}");
        }
    }
}
