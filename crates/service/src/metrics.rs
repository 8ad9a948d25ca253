//! The registry of a program's metrics.

use prometheus::process_collector::ProcessCollector;
use prometheus::{IntGauge, Opts, Registry, TextEncoder};

/// The media type of [`encode`]'s text.
pub const CONTENT_TYPE: &str = prometheus::TEXT_FORMAT;

#[derive(Debug, thiserror::Error)]
pub enum MetricsError {
    #[error("failed to register the metric {metric}")]
    Register {
        metric: &'static str,
        #[source]
        source: prometheus::Error,
    },
    #[error("failed to write the metrics")]
    Encode(#[source] prometheus::Error),
}

/// A registry with what is worth knowing of any process (processor, memory, open files) and of this build.
pub fn registry(program: &str, version: &str) -> Result<Registry, MetricsError> {
    let registry = Registry::new();
    let register =
        |metric, collector| registry.register(collector).map_err(|source| MetricsError::Register { metric, source });
    register("process", Box::new(ProcessCollector::for_self()))?;

    let error = |source| MetricsError::Register { metric: "vitrine_build_info", source };
    let options = Opts::new("vitrine_build_info", "Which program of which version this is; always 1.")
        .const_label("program", program)
        .const_label("version", version);
    let build = IntGauge::with_opts(options).map_err(error)?;
    build.set(1);
    register("vitrine_build_info", Box::new(build))?;
    Ok(registry)
}

/// All metrics in the text format of Prometheus.
pub fn encode(registry: &Registry) -> Result<String, MetricsError> {
    TextEncoder::new().encode_to_string(&registry.gather()).map_err(MetricsError::Encode)
}
