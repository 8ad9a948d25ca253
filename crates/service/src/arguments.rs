//! The part of the command line that is the same in every program.

use std::net::SocketAddr;

use clap::Args;

use crate::telemetry::TelemetryArguments;

/// Flatten this into a program's own arguments.
#[derive(Args, Clone, Debug)]
pub struct ServiceArguments {
    #[command(flatten)]
    pub telemetry: TelemetryArguments,

    /// Where health and metrics are served: `/livez`, `/readyz`, `/metrics`.
    #[arg(long, env = "VITRINE_HEALTH_ADDRESS", default_value = "127.0.0.1:7401", value_name = "ADDRESS:PORT")]
    pub health_address: SocketAddr,

    /// Seconds that open work gets when the program is told to stop.
    #[arg(long, env = "VITRINE_GRACE_SECONDS", default_value_t = 70, value_name = "SECONDS")]
    pub grace_seconds: u64,
}
