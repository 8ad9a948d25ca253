//! `vitrine up`: the embedded default.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use prometheus::Registry;
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracing::{error, info};
use vitrine_bus::{Bus, BusMetrics, LocalBus, LocalSettings};
use vitrine_chat_runtime::{BuiltIn, ChatRuntime, Metrics, WORDS_PER_SECOND};
use vitrine_local_postgres::Server;
use vitrine_service::{Health, Limits, ServiceArguments, Shutdown, metrics, serve, telemetry};
use vitrine_tenant_api::arguments::LimitArguments;
use vitrine_tenant_api::hosts::{PublicOrigins, Site};
use vitrine_tenant_api::run::{self, Configuration, Parts, TenantApi};

use crate::compile::ManifestArguments;
use crate::database::Databases;
use crate::demo::Demo;
use crate::secrets::Secrets;

/// A PostgreSQL of ours that ended is started again after this.
const POSTGRES_RESTART_PAUSE: Duration = Duration::from_millis(200);

#[derive(Args, Debug)]
pub struct UpArguments {
    #[command(flatten)]
    service: ServiceArguments,
    #[command(flatten)]
    manifests: ManifestArguments,
    /// Folder for everything that is kept: the database, keys, published configs
    #[arg(long, env = "VITRINE_STATE", default_value = "state")]
    state: PathBuf,
    /// A PostgreSQL server, as its superuser; without it one is started in the state folder
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: Option<SecretString>,
    /// Where to listen; browsers use widget.localhost, console.localhost, uploads.localhost and shop.localhost
    #[arg(long, env = "VITRINE_ADDRESS", default_value = "127.0.0.1:7400")]
    address: SocketAddr,
    /// The built console
    #[arg(long, env = "VITRINE_ASSETS", default_value = "console/dist")]
    assets: PathBuf,
    /// A shop's pages, HOST=DIR; can be given more than once
    #[arg(long = "site", value_name = "HOST=DIR")]
    sites: Vec<Site>,
    /// Folder with demo shops: manifests/, knowledge/ and sites/
    #[arg(long, conflicts_with = "manifests")]
    demo: Option<PathBuf>,
    /// Pace at which the built-in answerer writes
    #[arg(long, env = "VITRINE_WORDS_PER_SECOND", default_value_t = WORDS_PER_SECOND)]
    words_per_second: u32,
    #[command(flatten)]
    limits: LimitArguments,
}

pub async fn up(arguments: UpArguments) -> Result<()> {
    let started = Instant::now();
    telemetry::init(&arguments.service.telemetry)?;
    let shutdown = Shutdown::on_signals().context("failed to listen for signals")?;
    let demo = arguments.demo.as_deref().map(Demo::open).transpose()?;
    let listener = TcpListener::bind(arguments.address)
        .await
        .with_context(|| format!("failed to listen on {}: is vitrine running already?", arguments.address))?;
    let address = listener.local_addr().context("failed to read the address")?;
    let registry = metrics::registry("vitrine", env!("CARGO_PKG_VERSION"))?;
    let secrets = Secrets::open(&arguments.state)?;

    let mut manifests = arguments.manifests.clone();
    if let Some(demo) = &demo {
        manifests.manifests = demo.manifests();
    }
    let demo_host = format!("shop.localhost:{}", address.port()).parse().ok();
    let directory = manifests.open(arguments.state.clone(), demo_host)?;
    info!("starting PostgreSQL");
    let folder = arguments.state.join("postgres");
    let databases = Databases::open(&folder, arguments.database_url.clone(), &secrets.role_passwords()?).await?;

    let bus: Arc<dyn Bus> = Arc::new(LocalBus::new(BusMetrics::new(&registry)?, LocalSettings::default()));
    let tenants = directory.subscribe();
    shutdown.spawn(directory.run(shutdown.token()));
    let runtime = ChatRuntime {
        database: databases.runtime,
        bus: Arc::clone(&bus),
        tenants: tenants.clone(),
        model: Arc::new(BuiltIn::new(arguments.words_per_second)),
        metrics: Metrics::register(&registry)?,
        session_timeout: Duration::from_secs(10),
    };
    let configuration = Configuration {
        sites: arguments.sites.into_iter().chain(demo.iter().flat_map(Demo::sites)).collect(),
        platform_token: Some(secrets.platform_token()?),
        rates: arguments.limits.rates(),
        streams: arguments.limits.streams(),
        is_bus_forgetful: true,
        ..Configuration::new(PublicOrigins::localhost(address.port()), arguments.assets, secrets.token_key()?)
    };
    // The API stops after the runtime: answers that are finished while everything stops are stored and shown.
    let stop_api = CancellationToken::new();
    let api = TenantApi::start(Parts {
        databases: run::Databases { api: databases.api, worker: databases.worker },
        bus,
        tenants,
        configuration,
        shutdown: stop_api.clone(),
        registry: registry.clone(),
        listener: Some(listener),
    })
    .await?;
    answer(&shutdown, runtime);
    let stop_health = serve_health(&arguments.service, &shutdown, &api, registry).await?;
    let stop_postgres = CancellationToken::new();
    let postgres = databases.server.map(|server| tokio::spawn(keep_running(server, stop_postgres.clone())));

    if let Some(demo) = &demo {
        demo.teach(address, &secrets.platform_token()?).await?;
        welcome(demo, address.port());
    }
    info!(seconds = started.elapsed().as_secs_f64(), "ready; Ctrl-C stops everything");

    shutdown.finish(Duration::from_secs(arguments.service.grace_seconds)).await;
    stop_api.cancel();
    api.stopped().await;
    stop_postgres.cancel();
    if let Some(postgres) = postgres {
        postgres.await.context("failed to stop PostgreSQL")?;
    }
    stop_health.cancel();
    Ok(())
}

/// Answers turns; a runtime that cannot go on ends the program, whose supervisor starts it again.
fn answer(shutdown: &Shutdown, runtime: ChatRuntime) {
    let (token, stop) = (shutdown.token(), shutdown.clone());
    shutdown.spawn(async move {
        if let Err(error) = runtime.run(token).await {
            error!(error = &error as &dyn std::error::Error, "failed to go on answering");
            stop.request();
        }
    });
}

/// Serves health and metrics until the token it gives is cancelled.
async fn serve_health(
    service: &ServiceArguments,
    shutdown: &Shutdown,
    api: &TenantApi,
    registry: Registry,
) -> Result<CancellationToken> {
    let health = api.readiness().add_to(Health::new(registry, shutdown.token()));
    let listener = TcpListener::bind(service.health_address)
        .await
        .with_context(|| format!("failed to listen on {}", service.health_address))?;
    let stop = CancellationToken::new();
    tokio::spawn(serve(listener, health.router(), stop.clone(), stop.clone(), Limits::default()));
    Ok(stop)
}

/// Starts our PostgreSQL again whenever it ends, until it is to be stopped.
async fn keep_running(mut server: Server, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            status = server.exited() => error!(?status, "PostgreSQL ended; starting it again"),
        }
        tokio::time::sleep(POSTGRES_RESTART_PAUSE).await;
        if let Err(error) = server.restart().await {
            error!(error = &error as &dyn std::error::Error, "failed to start PostgreSQL again");
        }
    }
    if let Err(error) = server.stop().await {
        error!(error = &error as &dyn std::error::Error, "failed to stop PostgreSQL");
    }
}

fn welcome(demo: &Demo, port: u16) {
    println!();
    for (merchant, address) in demo.addresses(port) {
        println!("  {merchant:<12} {address}");
    }
    println!("  {:<12} http://console.localhost:{port}/\n", "console");
}
