//! The tenant API as a process of its own. The command line, and the wiring of what it names.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use tokio::net::TcpListener;
use vitrine_bus::{Bus, BusMetrics, KafkaBus, KafkaSettings};
use vitrine_database::{Database, Role};
use vitrine_service::{Health, Limits, ServiceArguments, Shutdown, metrics, serve, telemetry, tls};
use vitrine_tenant_api::arguments::{Arguments, BackendArguments, Command, ServeArguments, WorkArguments};
use vitrine_tenant_api::hosts::PublicOrigins;
use vitrine_tenant_api::run::{Configuration, Databases, Parts, TenantApi};
use vitrine_tenant_config::TenantDirectory;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    tls::install_provider();
    match Arguments::parse().command {
        Command::Serve(arguments) => serve_shoppers(*arguments).await,
        Command::Work(arguments) => work(*arguments).await,
        Command::Migrate(arguments) => Ok(vitrine_database::migrate(&arguments.owner_url).await?),
        Command::Openapi => {
            std::io::stdout().write_all(vitrine_tenant_api::openapi::json().as_bytes()).context("failed to print")
        }
    }
}

async fn serve_shoppers(arguments: ServeArguments) -> anyhow::Result<()> {
    let ServeArguments { service, backends, http, without_work } = arguments;
    telemetry::init(&service.telemetry)?;
    let listener =
        TcpListener::bind(http.address).await.with_context(|| format!("failed to listen on {}", http.address))?;
    let configuration = Configuration {
        sites: http.sites.clone(),
        platform_token: http.platform_token.clone(),
        proxies: http.proxies,
        rates: http.limits.rates(),
        streams: http.limits.streams(),
        works: !without_work,
        ..Configuration::new(http.origins(), http.assets.clone(), http.token_secret.clone())
    };
    run(&service, backends, configuration, Some(listener)).await
}

async fn work(arguments: WorkArguments) -> anyhow::Result<()> {
    let WorkArguments { service, backends } = arguments;
    telemetry::init(&service.telemetry)?;
    // Nothing of the HTTP side is used without a listener.
    let configuration = Configuration::new(PublicOrigins::localhost(0), "".into(), "".into());
    run(&service, backends, configuration, None).await
}

async fn run(
    service: &ServiceArguments,
    backends: BackendArguments,
    configuration: Configuration,
    listener: Option<TcpListener>,
) -> anyhow::Result<()> {
    let shutdown = Shutdown::on_signals()?;
    let registry = metrics::registry("tenant-api", env!("CARGO_PKG_VERSION"))?;
    let databases = Databases {
        api: Database::connect(&backends.api_url, Role::Api, backends.api_connections_max).await?,
        worker: Database::connect(&backends.worker_url, Role::Worker, backends.worker_connections_max).await?,
    };
    let settings = KafkaSettings {
        bootstrap_servers: backends.kafka_bootstrap_servers,
        topic_prefix: backends.kafka_topic_prefix,
    };
    let bus: Arc<dyn Bus> = Arc::new(KafkaBus::connect(settings, BusMetrics::new(&registry)?)?);
    let tenants = TenantDirectory::open(backends.tenants);
    let receiver = tenants.subscribe();
    shutdown.spawn(tenants.run(shutdown.token()));

    let parts = Parts {
        databases,
        bus,
        tenants: receiver,
        configuration,
        shutdown: shutdown.token(),
        registry: registry.clone(),
        listener,
    };
    let api = TenantApi::start(parts).await?;
    let health = api.readiness().add_to(Health::new(registry, shutdown.token())).router();
    let listener = TcpListener::bind(service.health_address)
        .await
        .with_context(|| format!("failed to listen on {}", service.health_address))?;
    let (stopping, streams) = (shutdown.token(), shutdown.token());
    shutdown.spawn(serve(listener, health, stopping, streams, Limits::default()));
    shutdown.spawn(async move { api.stopped().await });
    shutdown.finish(Duration::from_secs(service.grace_seconds)).await;
    Ok(())
}
