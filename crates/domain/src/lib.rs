//! Pure types and rules of the product: what a thread, a turn and an answer are, and how the events of an answer
//! become the text a shopper sees.
//!
//! Nothing here does I/O, reads a clock or draws a random number, so that every rule can be tested by calling it.

pub mod allowed_host;
pub mod answer;
pub mod event;
pub mod fold;
pub mod ids;
pub mod language;
pub mod limits;
pub mod publishable_key;
pub mod stream_id;
pub mod texts;
pub mod thread;

pub use allowed_host::AllowedHost;
pub use answer::{Answer, Source, SourceKind};
pub use event::{ChatRequested, Envelope, LogLevel, ThreadEvent, ThreadEventBody};
pub use fold::{Change, Fold};
pub use ids::{AttemptId, LeadId, MerchantId, MessageId, ThreadId, TurnId, VisitorId};
pub use language::{Direction, Language};
pub use publishable_key::PublishableKey;
pub use stream_id::StreamId;
pub use thread::{Role, ThreadState, TurnState};
