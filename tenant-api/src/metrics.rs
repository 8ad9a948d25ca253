//! Metrics of the HTTP side.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use prometheus::{HistogramOpts, HistogramVec, IntGauge, Registry};

/// Upper bounds in seconds: calls take milliseconds, a waiting POST up to half a minute.
const BUCKETS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0, 35.0];

/// Made once per registry.
#[derive(Clone)]
pub struct HttpMetrics {
    durations: HistogramVec,
    streams: IntGauge,
}

impl HttpMetrics {
    pub fn new(registry: &Registry) -> Result<Self, prometheus::Error> {
        let durations = HistogramVec::new(
            HistogramOpts::new(
                "vitrine_http_request_duration_seconds",
                "Time to the response of a request; for a stream, to its headers",
            )
            .buckets(BUCKETS.to_vec()),
            &["route", "method", "status"],
        )?;
        let streams = IntGauge::new("vitrine_streams_open", "Streams of answers that are open")?;
        registry.register(Box::new(durations.clone()))?;
        registry.register(Box::new(streams.clone()))?;
        Ok(Self { durations, streams })
    }

    /// Notes a request. `route` is the route's pattern, so that the number of labels is bounded.
    pub fn observe(&self, route: &str, method: &Method, status: StatusCode, duration: Duration) {
        let labels = [route, method_label(method), status_label(status)];
        self.durations.with_label_values(&labels).observe(duration.as_secs_f64());
    }

    /// Counts a stream as open until the guard is dropped.
    pub fn stream_opened(&self) -> OpenStream {
        self.streams.inc();
        OpenStream(self.streams.clone())
    }
}

/// A stream that is counted as open.
pub struct OpenStream(IntGauge);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.dec();
    }
}

const fn status_label(status: StatusCode) -> &'static str {
    match status.as_u16() {
        200..300 => "2xx",
        300..400 => "3xx",
        400..500 => "4xx",
        _ => "5xx",
    }
}

fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
