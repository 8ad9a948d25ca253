//! Answers turns: takes requests from the bus, retrieves evidence, asks a model, and says on the bus what comes of it.
//!
//! A runtime writes nothing to the database: its role may only read. Any number of runtimes share the work; one that
//! dies leaves its turns to the others.

mod announce;
mod answering;
mod built_in;
mod deltas;
mod evidence;
mod metrics;
mod model;
mod run;
mod turn;

pub use built_in::{BuiltIn, WORDS_PER_SECOND};
pub use metrics::Metrics;
pub use model::{Evidence, Model, ModelError, ModelQuestion};
pub use run::ChatRuntime;
