//! What every program of ours does the same way: logs, metrics, health, serving and stopping.

pub mod arguments;
pub mod clock;
pub mod health;
pub mod metrics;
pub mod serve;
pub mod shutdown;
pub mod telemetry;
pub mod tls;

pub use arguments::ServiceArguments;
pub use health::Health;
pub use serve::{Limits, serve};
pub use shutdown::Shutdown;
