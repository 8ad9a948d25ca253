//! The program `chat-runtime`: answers turns from Kafka, reading PostgreSQL.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Parser;
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use vitrine_bus::{Bus, BusMetrics, KafkaBus, KafkaSettings};
use vitrine_chat_runtime::{BuiltIn, ChatRuntime, Metrics};
use vitrine_database::{Database, Role};
use vitrine_service::{Health, Limits, ServiceArguments, Shutdown, metrics, serve, telemetry, tls};
use vitrine_tenant_config::TenantDirectory;

/// Answers the questions of shoppers.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(flatten)]
    service: ServiceArguments,

    /// URL of the PostgreSQL database, as the role `vitrine_runtime`
    #[arg(long, env = "DATABASE_RUNTIME_URL", hide_env_values = true)]
    runtime_url: SecretString,
    /// Connections to PostgreSQL at most
    #[arg(long, env = "DATABASE_RUNTIME_CONNECTIONS", default_value_t = 16)]
    runtime_connections_max: u32,
    /// Kafka brokers: host:port,host:port
    #[arg(long, env = "KAFKA_BOOTSTRAP_SERVERS")]
    kafka_bootstrap_servers: String,
    /// Stands before the names of all topics and consumer groups
    #[arg(long, env = "KAFKA_TOPIC_PREFIX", default_value = "")]
    kafka_topic_prefix: String,
    /// Folder of tenant configs, watched
    #[arg(long, env = "VITRINE_TENANTS")]
    tenants: PathBuf,
    #[command(flatten)]
    answering: AnsweringArguments,
}

/// How answers are given.
#[derive(clap::Args, Debug)]
struct AnsweringArguments {
    /// Pace at which the built-in answerer writes
    #[arg(long, env = "VITRINE_WORDS_PER_SECOND", default_value_t = vitrine_chat_runtime::WORDS_PER_SECOND)]
    words_per_second: u32,
    /// Seconds without a sign of life after which another runtime takes over this one's turns
    #[arg(long, env = "VITRINE_SESSION_TIMEOUT_SECONDS", default_value_t = 10)]
    session_timeout_seconds: u64,
}

#[tokio::main]
async fn main() -> Result<()> {
    tls::install_provider();
    let arguments = Arguments::parse();
    telemetry::init(&arguments.service.telemetry)?;
    let shutdown = Shutdown::on_signals().context("failed to listen for signals")?;
    let registry = metrics::registry("chat-runtime", env!("CARGO_PKG_VERSION"))?;

    let database = Database::connect(&arguments.runtime_url, Role::Runtime, arguments.runtime_connections_max).await?;
    let directory = TenantDirectory::open(arguments.tenants);
    let tenants = directory.subscribe();
    let settings = KafkaSettings {
        bootstrap_servers: arguments.kafka_bootstrap_servers,
        topic_prefix: arguments.kafka_topic_prefix,
    };
    let bus: Arc<dyn Bus> = Arc::new(KafkaBus::connect(settings, BusMetrics::new(&registry)?)?);

    let runtime = ChatRuntime {
        database,
        bus,
        tenants: tenants.clone(),
        model: Arc::new(BuiltIn::new(arguments.answering.words_per_second)),
        metrics: Metrics::register(&registry)?,
        session_timeout: Duration::from_secs(arguments.answering.session_timeout_seconds),
    };
    shutdown.spawn(directory.run(shutdown.token()));
    let answering = shutdown.spawn(runtime.run(shutdown.token()));

    let health = Health::new(registry, shutdown.token()).check("tenants", move || {
        let is_ready = tenants.borrow().is_ready();
        async move { is_ready.then_some(()).ok_or_else(|| "the tenant configs were not read yet".to_owned()) }
    });
    let listener = TcpListener::bind(arguments.service.health_address).await.context("failed to serve health")?;
    // Health is answered until the very end, so that a draining pod is seen draining.
    let stop_health = CancellationToken::new();
    let serving = tokio::spawn(serve(
        listener,
        health.router(),
        stop_health.clone(),
        CancellationToken::new(),
        Limits::default(),
    ));

    let result = answering.await.context("failed to wait for the answers in flight")?;
    shutdown.request();
    shutdown.finish(Duration::from_secs(arguments.service.grace_seconds)).await;
    stop_health.cancel();
    serving.await.context("failed to stop serving health")?;
    result.context("failed to go on consuming requests")
}
