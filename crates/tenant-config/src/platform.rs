//! What a config needs to know of the platform it is compiled on.

use std::fmt;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use vitrine_domain::{AllowedHost, MerchantId, PublishableKey};

use crate::digest::hexadecimal;

/// Length of the platform key.
pub const PLATFORM_KEY_BYTES: usize = 32;
/// How much of the code stays in a publishable key: 144 bits, 24 characters.
const CODE_BYTES: usize = 18;
/// How much of the platform key's hash names it in the keys derived from it.
const KEY_ID_BYTES: usize = 4;

/// The platform's part in every config.
#[derive(Debug)]
pub struct Platform {
    pub key: PlatformKey,
    /// Host of the demo shop pages, where every chatbot without `allowedDomains` may be shown.
    pub demo_host: Option<AllowedHost>,
}

/// The secret from which publishable keys are derived. Embed codes survive as long as it does.
pub struct PlatformKey {
    id: String,
    secret: [u8; PLATFORM_KEY_BYTES],
}

impl PlatformKey {
    pub fn new(secret: [u8; PLATFORM_KEY_BYTES]) -> Self {
        let hash = Sha256::new().chain_update(b"vitrine platform key").chain_update(secret).finalize();
        Self { id: hexadecimal(&hash[..KEY_ID_BYTES]), secret }
    }

    /// The key of a chatbot, or with an empty name the merchant's own. A higher rotation gives another key.
    pub fn publishable_key(&self, merchant: MerchantId, chatbot: &str, rotation: u32) -> PublishableKey {
        // The id has a fixed length and a name holds no zero byte, so no two inputs run together to the same bytes.
        let code = Hmac::<Sha256>::new_from_slice(&self.secret)
            .expect("HMAC takes a key of any length")
            .chain_update(merchant.as_uuid().as_bytes())
            .chain_update(chatbot.as_bytes())
            .chain_update([0])
            .chain_update(rotation.to_be_bytes())
            .finalize()
            .into_bytes();
        format!("pk_{}_{}", self.id, BASE64_URL_SAFE_NO_PAD.encode(&code[..CODE_BYTES]))
            .parse()
            .expect("an id of hex digits and a code in URL-safe base64 make a publishable key")
    }
}

impl fmt::Debug for PlatformKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PlatformKey").field("id", &self.id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn platform_key() -> PlatformKey {
        PlatformKey::new([7; PLATFORM_KEY_BYTES])
    }

    #[test]
    fn keys_never_change_between_versions() {
        let key = platform_key().publishable_key(Uuid::from_u128(1).into(), "support", 0);
        assert_eq!(key.as_str(), "pk_82d0ee5f_c_Spoo0wWXGFT1koAJJpmvYD");
    }

    #[test]
    fn the_secret_is_not_printed() {
        assert!(!format!("{:?}", platform_key()).contains("7, 7"));
    }

    proptest! {
        #[test]
        fn every_part_makes_another_key(
            first in (any::<u128>(), "[a-z-]{0,50}", 0..3_u32),
            second in (any::<u128>(), "[a-z-]{0,50}", 0..3_u32),
        ) {
            let derive = |(merchant, chatbot, rotation): &(u128, String, u32)| {
                platform_key().publishable_key(Uuid::from_u128(*merchant).into(), chatbot, *rotation)
            };
            prop_assert_eq!(derive(&first) == derive(&second), first == second);
            prop_assert_ne!(
                derive(&first),
                PlatformKey::new([8; PLATFORM_KEY_BYTES]).publishable_key(Uuid::from_u128(first.0).into(), &first.1, first.2)
            );
        }
    }
}
