//! Requests per minute of an address, a visitor and a chatbot.

use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::http::{HeaderMap, HeaderValue};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use vitrine_domain::{MerchantId, VisitorId};

use crate::problem::{Code, Problem};

/// Callers remembered per limit. Beyond it newcomers share a few places until somebody has been quiet long enough.
const CALLERS_MAX: usize = 100_000;
/// Places that newcomers share when there are too many callers.
const SHARED_PLACES: u64 = 1_024;
/// How often callers that have been quiet are forgotten at most.
const FORGET_EVERY: Duration = Duration::from_secs(10);
const WINDOW: Duration = Duration::from_mins(1);

/// Requests per minute, and how many of them may come at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSettings {
    /// Any call of the shopper API, of one address (an IPv6 /64, an IPv4 /24).
    pub address_per_minute: NonZeroU32,
    /// Leads, threads and messages of one visitor.
    pub visitor_writes_per_minute: NonZeroU32,
    /// Leads, threads and messages through one chatbot.
    pub chatbot_writes_per_minute: NonZeroU32,
}

impl Default for RateSettings {
    fn default() -> Self {
        const fn per_minute(count: u32) -> NonZeroU32 {
            NonZeroU32::new(count).expect("a limit above zero")
        }
        Self {
            address_per_minute: per_minute(1_200),
            visitor_writes_per_minute: per_minute(30),
            chatbot_writes_per_minute: per_minute(6_000),
        }
    }
}

/// One of the limits, as its headers name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RatePolicy {
    Address,
    Visitor,
    Chatbot,
}

impl RatePolicy {
    const fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Visitor => "visitor",
            Self::Chatbot => "chatbot",
        }
    }
}

/// What is left of a limit, for the `RateLimit` headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    policy: RatePolicy,
    quota: u32,
    remaining: u32,
}

impl Allowance {
    /// Writes `RateLimit` and `RateLimit-Policy`.
    pub fn write(&self, headers: &mut HeaderMap) {
        let Self { policy, quota, remaining } = self;
        let name = policy.name();
        let window = WINDOW.as_secs();
        let entries = [
            ("ratelimit-policy", format!("\"{name}\";q={quota};w={window}")),
            ("ratelimit", format!("\"{name}\";r={remaining};t={window}")),
        ];
        for (header, value) in entries {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(header, value);
            }
        }
    }
}

/// All limits of the shopper API.
#[derive(Debug)]
pub struct RateLimits {
    addresses: RateLimit,
    visitors: RateLimit,
    chatbots: RateLimit,
}

impl RateLimits {
    pub fn new(settings: RateSettings) -> Self {
        Self {
            addresses: RateLimit::new(RatePolicy::Address, settings.address_per_minute),
            visitors: RateLimit::new(RatePolicy::Visitor, settings.visitor_writes_per_minute),
            chatbots: RateLimit::new(RatePolicy::Chatbot, settings.chatbot_writes_per_minute),
        }
    }

    /// Counts a call of an address.
    pub fn count_call(&self, address: IpAddr) -> Result<(), Problem> {
        self.addresses.count(&prefix(address)).map(|_| ())
    }

    /// Counts something a visitor writes, and says what the visitor has left.
    pub fn count_write(&self, merchant: MerchantId, chatbot: &str, visitor: VisitorId) -> Result<Allowance, Problem> {
        let allowance = self.visitors.count(&(merchant, visitor))?;
        self.chatbots.count(&(merchant, chatbot))?;
        Ok(allowance)
    }
}

/// The part of an address that one household or server farm shares.
fn prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4((u32::from(address) & 0xffff_ff00).into()),
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) & !u128::from(u64::MAX)).into()),
    }
}

/// A limit per caller, of bounded memory: a caller is a hash.
#[derive(Debug)]
pub struct RateLimit {
    policy: RatePolicy,
    per_minute: NonZeroU32,
    limiter: RateLimiter<u64, DefaultKeyedStateStore<u64>, DefaultClock, StateInformationMiddleware>,
    hasher: RandomState,
    started: Instant,
    /// When the quiet were forgotten last, in ms since `started`.
    forgotten_ms: AtomicU64,
    callers_max: usize,
}

impl RateLimit {
    pub fn new(policy: RatePolicy, per_minute: NonZeroU32) -> Self {
        Self::with_callers_max(policy, per_minute, CALLERS_MAX)
    }

    fn with_callers_max(policy: RatePolicy, per_minute: NonZeroU32, callers_max: usize) -> Self {
        Self {
            policy,
            per_minute,
            limiter: RateLimiter::keyed(Quota::per_minute(per_minute)).with_middleware(),
            hasher: RandomState::new(),
            started: Instant::now(),
            forgotten_ms: AtomicU64::new(0),
            callers_max,
        }
    }

    /// Counts one request of the caller, or refuses it.
    pub fn count(&self, caller: &impl Hash) -> Result<Allowance, Problem> {
        match self.limiter.check_key(&self.place(caller)) {
            Ok(state) => Ok(Allowance {
                policy: self.policy,
                quota: self.per_minute.get(),
                remaining: state.remaining_burst_capacity(),
            }),
            Err(not_until) => {
                let wait = not_until.wait_time_from(DefaultClock::default().now());
                Err(Problem::new(Code::RateLimited, "too many requests in a short time").with_retry_after(wait))
            }
        }
    }

    fn place(&self, caller: &impl Hash) -> u64 {
        let hash = self.hasher.hash_one(caller);
        if self.limiter.len() < self.callers_max {
            return hash;
        }
        self.forget_the_quiet();
        if self.limiter.len() < self.callers_max { hash } else { hash % SHARED_PLACES }
    }

    fn forget_the_quiet(&self) {
        let now_ms = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last_ms = self.forgotten_ms.load(Ordering::Relaxed);
        let pause_ms = u64::try_from(FORGET_EVERY.as_millis()).unwrap_or(u64::MAX);
        let is_due = last_ms == 0 || now_ms.saturating_sub(last_ms) >= pause_ms;
        if is_due
            && self.forgotten_ms.compare_exchange(last_ms, now_ms.max(1), Ordering::Relaxed, Ordering::Relaxed).is_ok()
        {
            self.limiter.retain_recent();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(per_minute: u32) -> RateLimit {
        RateLimit::new(RatePolicy::Visitor, NonZeroU32::new(per_minute).unwrap())
    }

    #[test]
    fn a_caller_above_the_limit_is_told_when_to_come_back_and_others_are_not_affected() {
        let limit = limit(2);
        assert_eq!(limit.count(&"noor").unwrap().remaining, 1);
        assert_eq!(limit.count(&"noor").unwrap().remaining, 0);
        let refused = limit.count(&"noor").unwrap_err();
        assert_eq!(refused.code(), Code::RateLimited);
        assert!(limit.count(&"sam").is_ok());
    }

    #[test]
    fn memory_is_bounded_however_many_callers_come() {
        let limit = RateLimit::with_callers_max(RatePolicy::Address, NonZeroU32::new(1_000_000).unwrap(), 100);
        for caller in 0..20_000 {
            limit.count(&caller).unwrap();
        }
        assert!(limit.limiter.len() <= 100 + usize::try_from(SHARED_PLACES).unwrap(), "{}", limit.limiter.len());
    }

    #[test]
    fn neighbours_share_an_address_prefix() {
        let of = |text: &str| prefix(text.parse().unwrap());
        assert_eq!(of("192.0.2.7"), of("192.0.2.200"));
        assert_ne!(of("192.0.2.7"), of("192.0.3.7"));
        assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
        assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
        assert_eq!(of("::ffff:192.0.2.7"), of("192.0.2.8"));
    }

    #[test]
    fn the_headers_say_what_is_left() {
        let mut headers = HeaderMap::new();
        limit(30).count(&1).unwrap().write(&mut headers);
        assert_eq!(headers["ratelimit-policy"], "\"visitor\";q=30;w=60");
        assert_eq!(headers["ratelimit"], "\"visitor\";r=29;t=60");
    }
}
