//! The life of a turn: accepted and queued, dispatched, closed; and put right when nobody reported it.
//!
//! Each of these first locks the merchant's row, so that counting, numbering and dispatching are serial per merchant and
//! there is one lock order; each ends with dispatching what may go. What they write to the outbox goes on the bus after
//! their commit.

mod accept;
mod close;
mod merchants;
mod metrics;
mod sweep;
mod waiters;

pub use accept::{Accept, AcceptError, Accepted, Idempotency, Limits, Turns};
pub(crate) use close::{Closing, close};
pub use merchants::{MerchantSettings, Merchants};
pub use metrics::TurnMetrics;
pub(crate) use sweep::{dispatch_queued, sweep};
