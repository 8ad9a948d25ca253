//! Logs: sentences with fields, for people or for machines.

use clap::{Args, ValueEnum};
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::util::TryInitError;
use tracing_subscriber::{EnvFilter, layer::SubscriberExt, util::SubscriberInitExt};

#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    #[error("failed to read the log filter {filter:?}: expected for example info or info,vitrine_bus=debug")]
    Filter {
        filter: String,
        #[source]
        source: ParseError,
    },
    #[error("failed to set up logs: they are set up already")]
    Twice(#[source] TryInitError),
}

/// How logs look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// One line per event, for people.
    Text,
    /// One JSON object per line, for machines.
    Json,
}

#[derive(Args, Clone, Debug)]
pub struct TelemetryArguments {
    /// What is logged: a level, and levels of single modules.
    #[arg(long, env = "VITRINE_LOG", default_value = "info", value_name = "FILTER")]
    pub log: String,

    /// How logs look.
    #[arg(long, env = "VITRINE_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// Writes logs to standard error from now on. Once per process.
pub fn init(arguments: &TelemetryArguments) -> Result<(), TelemetryError> {
    let filter = EnvFilter::try_new(&arguments.log)
        .map_err(|source| TelemetryError::Filter { filter: arguments.log.clone(), source })?;
    let registry = tracing_subscriber::registry().with(filter);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let initialized = match arguments.log_format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    initialized.map_err(TelemetryError::Twice)
}
