//! Starting the API, in a process of its own or inside another.

mod readiness;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use prometheus::Registry;
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use vitrine_bus::{Bus, ConsumerSettings, Topic, provide_topics};
use vitrine_database::{Database, StoreError};
use vitrine_service::Limits;
use vitrine_tenant_config::TenantsReceiver;

use crate::app::{App, Front};
use crate::documents::{Assets, AssetsError};
use crate::hosts::{HostUsedTwice, Hosts, PublicOrigins, Site};
use crate::hub::{Hub, HubSettings};
use crate::limits::{RateLimits, RateSettings, StreamLimits, StreamSettings};
use crate::metrics::HttpMetrics;
use crate::outbox::{Outbox, OutboxMetrics, OutboxSettings};
use crate::recorder::{RECORDER_GROUP, Recorder};
use crate::sweeper::{self, Sweeper};
use crate::tokens::{SecretTooShort, Tokens};
use crate::turns::{Merchants, TurnMetrics, Turns};

pub use readiness::Readiness;

/// How long a consumer that cannot go on is left before it is started again.
const RECORDER_RESTART_PAUSE: Duration = Duration::from_secs(1);
/// Connections of one replica: below the 20,000 files a process may have open.
const CONNECTIONS_MAX: usize = 18_000;
/// A request's head, and what an idle stream's connection keeps.
const CONNECTION_BUFFER_BYTES_MAX: usize = 8 * 1024;

/// What the API is made of. The caller owns the parts and decides when to stop.
pub struct Parts {
    pub databases: Databases,
    pub bus: Arc<dyn Bus>,
    pub tenants: TenantsReceiver,
    pub configuration: Configuration,
    /// Cancelled when the API is to stop.
    pub shutdown: CancellationToken,
    pub registry: Registry,
    /// Where HTTP is served; `None` for a process that only works in the background.
    pub listener: Option<TcpListener>,
}

/// Connections by role. The worker needs 8 connections or more.
pub struct Databases {
    pub api: Database,
    pub worker: Database,
}

/// What an installation decides.
#[derive(Clone, Debug)]
pub struct Configuration {
    pub origins: PublicOrigins,
    /// Demo shops.
    pub sites: Vec<Site>,
    /// The built console: `loader.js`, `widget.html` and `assets/`.
    pub assets: PathBuf,
    /// Signs tokens; 32 bytes or more.
    pub token_secret: SecretString,
    /// Authorizes platform calls; without one there are none.
    pub platform_token: Option<SecretString>,
    /// Proxies of ours in front, whose `X-Forwarded-For` is believed.
    pub proxies: usize,
    pub rates: RateSettings,
    pub streams: StreamSettings,
    pub hub: HubSettings,
    /// Whether this process records answers, sweeps and publishes what was left.
    pub works: bool,
    /// The bus keeps nothing over a restart: every turn dispatched before this start is overdue at once.
    pub is_bus_forgetful: bool,
}

impl Configuration {
    /// The product's own limits, everything in one process.
    pub fn new(origins: PublicOrigins, assets: PathBuf, token_secret: SecretString) -> Self {
        Self {
            origins,
            sites: Vec::new(),
            assets,
            token_secret,
            platform_token: None,
            proxies: 0,
            rates: RateSettings::default(),
            streams: StreamSettings::default(),
            hub: HubSettings::default(),
            works: true,
            is_bus_forgetful: false,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Secret(#[from] SecretTooShort),
    #[error(transparent)]
    Assets(#[from] AssetsError),
    #[error(transparent)]
    Hosts(#[from] HostUsedTwice),
    #[error("failed to register the metrics")]
    Metrics(#[source] prometheus::Error),
    #[error("failed to take over the turns of an earlier start")]
    TakeOver(#[source] StoreError),
}

/// A running API.
pub struct TenantApi {
    readiness: Readiness,
    tasks: TaskTracker,
}

impl TenantApi {
    /// Starts everything the configuration asks for. Returns as soon as requests are taken; use [`Self::readiness`] to
    /// know when they can be answered.
    pub async fn start(parts: Parts) -> Result<Self, StartError> {
        let Parts { databases, bus, tenants, configuration, shutdown, registry, listener } = parts;
        let Databases { api, worker } = databases;
        let turn_metrics = TurnMetrics::new(&registry).map_err(StartError::Metrics)?;
        let outbox_metrics = OutboxMetrics::new(&registry).map_err(StartError::Metrics)?;
        let (outbox, publisher) =
            Outbox::new(worker.clone(), Arc::clone(&bus), outbox_metrics, OutboxSettings::default());
        let app = match &listener {
            Some(_) => {
                let turns = Turns::new(api.clone(), outbox.clone(), turn_metrics.clone());
                Some(app(&api, turns, tenants.clone(), &configuration, &registry)?)
            }
            None => None,
        };
        if configuration.is_bus_forgetful {
            sweeper::expire_published_turns(&worker).await.map_err(StartError::TakeOver)?;
        }

        let tasks = TaskTracker::new();
        // The outbox stops last: whoever else stops may still write to it.
        let writers = TaskTracker::new();
        if configuration.works {
            work(&writers, &worker, &outbox, &bus, &tenants, turn_metrics, &shutdown);
        }
        if let (Some(app), Some(listener)) = (app, listener) {
            serve(&writers, app, listener, Arc::clone(&bus), &shutdown);
        }
        writers.close();
        let outbox_shutdown = CancellationToken::new();
        let outbox_stops = outbox_shutdown.clone();
        tasks.spawn(async move {
            if provide_topics(&*bus, &outbox_stops).await {
                publisher.run(outbox_stops).await;
            }
        });
        tasks.spawn(async move {
            shutdown.cancelled().await;
            writers.wait().await;
            outbox_shutdown.cancel();
        });
        tasks.close();
        Ok(Self { readiness: Readiness::new(api, tenants), tasks })
    }

    /// Whether it can do its work now.
    pub fn readiness(&self) -> Readiness {
        self.readiness.clone()
    }

    /// Waits until everything has stopped, which begins when `shutdown` is cancelled.
    pub async fn stopped(&self) {
        self.tasks.wait().await;
    }
}

fn app(
    api: &Database,
    turns: Turns,
    tenants: TenantsReceiver,
    configuration: &Configuration,
    registry: &Registry,
) -> Result<Arc<App>, StartError> {
    Ok(Arc::new(App {
        tenants,
        database: api.clone(),
        turns,
        hub: Hub::new(Arc::new(api.clone()), configuration.hub),
        tokens: Tokens::new(&configuration.token_secret)?,
        hosts: Hosts::new(configuration.origins.clone(), configuration.sites.clone())?,
        assets: Assets::read(&configuration.assets)?,
        rates: RateLimits::new(configuration.rates),
        streams: StreamLimits::new(configuration.streams),
        metrics: HttpMetrics::new(registry).map_err(StartError::Metrics)?,
        platform_token: configuration.platform_token.clone(),
        proxies: configuration.proxies,
    }))
}

/// Serves HTTP. Streams end before the server drains: no server's graceful stop ends while a stream is open.
fn serve(tasks: &TaskTracker, app: Arc<App>, listener: TcpListener, bus: Arc<dyn Bus>, shutdown: &CancellationToken) {
    let streams = CancellationToken::new();
    tasks.spawn(app.hub.clone().run(bus, streams.clone()));
    let front = Arc::new(Front::new(app));
    let router = Router::new().fallback(move |request: Request| {
        let front = Arc::clone(&front);
        async move { front.answer(request).await }
    });
    let limits =
        Limits { connections_max: CONNECTIONS_MAX, buffer_bytes_max: CONNECTION_BUFFER_BYTES_MAX, ..Limits::default() };
    tasks.spawn(vitrine_service::serve(listener, router, shutdown.clone(), streams, limits));
}

fn work(
    tasks: &TaskTracker,
    worker: &Database,
    outbox: &Outbox,
    bus: &Arc<dyn Bus>,
    tenants: &TenantsReceiver,
    metrics: TurnMetrics,
    shutdown: &CancellationToken,
) {
    let known: Arc<dyn Merchants> = Arc::new(tenants.clone());
    let recorder = Recorder::new(worker.clone(), outbox.clone(), Arc::clone(&known), metrics.clone());
    tasks.spawn(record(Arc::clone(bus), Arc::new(recorder), shutdown.child_token()));
    let sweeper = Sweeper::new(worker.clone(), outbox.clone(), known, metrics);
    tasks.spawn(sweeper::run(sweeper, shutdown.child_token()));
}

/// Records answers until `shutdown`.
async fn record(bus: Arc<dyn Bus>, recorder: Arc<Recorder>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        let handler = Arc::clone(&recorder);
        let settings = ConsumerSettings::default();
        let consumed =
            bus.consume(Topic::ThreadEvents, RECORDER_GROUP, handler, shutdown.child_token(), settings).await;
        let Err(error) = consumed else { return };
        tracing::error!(error = %error, "failed to record answers; starting again");
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = tokio::time::sleep(RECORDER_RESTART_PAUSE) => {}
        }
    }
}
