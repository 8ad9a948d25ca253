//! What the tests stand on.

pub mod runtime;
pub mod shopper;
pub mod shops;
pub mod sse;
pub mod stack;

pub use runtime::Runtime;
pub use shopper::{Answer, Shopper};
pub use stack::{Stack, StackSettings};

use std::time::Duration;

/// A stored answer reaches a reader within this time, on a machine that builds at the same time.
pub const SOON: Duration = Duration::from_secs(10);
