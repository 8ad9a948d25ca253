//! A runtime at work.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use vitrine_bus::{Bus, ConsumeError, ConsumerSettings, Topic, provide_topics};
use vitrine_database::Database;
use vitrine_tenant_config::TenantsReceiver;

use crate::answering::Answering;
use crate::metrics::Metrics;
use crate::model::Model;

/// The group in which all pooled runtimes share the requests.
const CONSUMER_GROUP: &str = "vitrine-chat-runtime";

/// What a runtime works with.
pub struct ChatRuntime {
    /// As [`vitrine_database::Role::Runtime`].
    pub database: Database,
    pub bus: Arc<dyn Bus>,
    pub tenants: TenantsReceiver,
    pub model: Arc<dyn Model>,
    pub metrics: Metrics,
    /// How long this runtime may be silent before another takes over its turns.
    pub session_timeout: Duration,
}

impl ChatRuntime {
    /// Answers turns until `shutdown` is cancelled, then finishes those in flight.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), ConsumeError> {
        let Self { database, bus, tenants, model, metrics, session_timeout } = self;
        if !provide_topics(&*bus, &shutdown).await {
            return Ok(());
        }
        let answering = Answering { database, bus: Arc::clone(&bus), tenants, model, metrics };
        let settings = ConsumerSettings { session_timeout, ..ConsumerSettings::default() };
        bus.consume(Topic::ChatRequests, CONSUMER_GROUP, Arc::new(answering), shutdown, settings).await
    }
}
