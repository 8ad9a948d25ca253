//! Where time, ids and random bytes come from.

use std::fmt;
use std::io;

use jiff::Timestamp;
use uuid::Uuid;
use vitrine_domain::MerchantId;

use crate::platform::PLATFORM_KEY_BYTES;

/// What the rules themselves may not reach for.
pub struct Sources {
    pub now: Box<dyn Fn() -> Timestamp + Send>,
    /// Asked once for each merchant without an id.
    pub new_merchant_id: Box<dyn Fn() -> MerchantId + Send>,
    /// Asked once, when there is no platform key.
    pub new_platform_key: Box<dyn Fn() -> io::Result<[u8; PLATFORM_KEY_BYTES]> + Send>,
}

impl Sources {
    /// The machine's clock and randomness.
    pub fn system() -> Self {
        Self {
            now: Box::new(Timestamp::now),
            new_merchant_id: Box::new(|| Uuid::new_v4().into()),
            new_platform_key: Box::new(|| {
                let mut key = [0; PLATFORM_KEY_BYTES];
                getrandom::fill(&mut key).map_err(io::Error::other)?;
                Ok(key)
            }),
        }
    }
}

impl fmt::Debug for Sources {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sources").finish_non_exhaustive()
    }
}
