//! The API with everything it needs.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use prometheus::Registry;
use reqwest::{Client, Method, RequestBuilder};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use vitrine_bus::{Bus, BusMetrics, LocalBus, LocalSettings};
use vitrine_database::{Database, Role};
use vitrine_tenant_api::hosts::{PublicOrigins, Site};
use vitrine_tenant_api::limits::{RateSettings, StreamSettings};
use vitrine_tenant_api::run::{Configuration, Databases, Parts, TenantApi};
use vitrine_tenant_config::Tenants;
use vitrine_testkit::TestDatabase;

use super::{Runtime, Shopper, shops};

pub const TOKEN_SECRET: &str = "a secret of the tests that is long enough";
pub const PLATFORM_TOKEN: &str = "the platform's token of the tests";

/// One running API.
pub struct Stack {
    pub runtime: Arc<Runtime>,
    pub tenants: watch::Sender<Arc<Tenants>>,
    pub registry: Registry,
    pub api: TenantApi,
    pub shutdown: CancellationToken,
    pub client: Client,
    pub address: SocketAddr,
    _test_database: TestDatabase,
    _files: TempDir,
}

/// What a test wants otherwise.
pub struct StackSettings {
    pub tenants: Tenants,
    pub rates: RateSettings,
    pub streams: StreamSettings,
    pub platform_token: Option<&'static str>,
}

impl Default for StackSettings {
    fn default() -> Self {
        let plenty = 1_000_000.try_into().expect("above zero");
        let rates = RateSettings {
            address_per_minute: plenty,
            visitor_writes_per_minute: plenty,
            chatbot_writes_per_minute: plenty,
        };
        Self {
            tenants: shops::tenants(),
            rates,
            streams: StreamSettings::default(),
            platform_token: Some(PLATFORM_TOKEN),
        }
    }
}

impl Stack {
    pub async fn start() -> Self {
        Self::start_with(StackSettings::default()).await
    }

    pub async fn start_with(settings: StackSettings) -> Self {
        vitrine_service::tls::install_provider();
        let test_database = TestDatabase::create().await.expect("a database");
        let connect =
            async |url, role, connections| Database::connect(&url, role, connections).await.expect("a connection");
        let database = connect(test_database.api(), Role::Api, 8).await;
        let worker = connect(test_database.worker(), Role::Worker, 8).await;

        let registry = Registry::new();
        let metrics = BusMetrics::new(&registry).expect("metrics");
        let bus: Arc<dyn Bus> = Arc::new(LocalBus::new(metrics, LocalSettings::default()));
        let shutdown = CancellationToken::new();
        let runtime = Arc::new(Runtime::start(&bus, database.clone(), shutdown.clone()));

        let files = files();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let site = |host: &str| Site { host: host.to_owned(), folder: files.path().join("site") };
        let (tenants, receiver) = watch::channel(Arc::new(settings.tenants));
        let configuration = Configuration {
            sites: vec![site("zadelhoek.localhost"), site("127.0.0.1")],
            platform_token: settings.platform_token.map(Into::into),
            rates: settings.rates,
            streams: settings.streams,
            is_bus_forgetful: true,
            ..Configuration::new(
                PublicOrigins::localhost(address.port()),
                files.path().join("dist"),
                TOKEN_SECRET.into(),
            )
        };
        let parts = Parts {
            databases: Databases { api: database.clone(), worker },
            bus,
            tenants: receiver,
            configuration,
            shutdown: shutdown.clone(),
            registry: registry.clone(),
            listener: Some(listener),
        };
        let api = TenantApi::start(parts).await.expect("a running API");
        let hosts = ["widget", "console", "uploads", "shop", "zadelhoek", "elsewhere"];
        let client = hosts
            .into_iter()
            .fold(Client::builder().no_proxy(), |builder, host| builder.resolve(&format!("{host}.localhost"), address))
            .build()
            .expect("a client");
        Self {
            runtime,
            tenants,
            registry,
            api,
            shutdown,
            client,
            address,
            _test_database: test_database,
            _files: files,
        }
    }

    pub fn origin(&self, host: &str) -> String {
        format!("http://{host}.localhost:{}", self.address.port())
    }

    pub fn widget_origin(&self) -> String {
        self.origin("widget")
    }

    /// A call of the widget's own page.
    pub fn call(&self, method: Method, path: &str) -> RequestBuilder {
        let origin = self.widget_origin();
        self.client.request(method, format!("{origin}{path}")).header("origin", origin)
    }

    /// A GET on one of the hosts.
    pub fn get(&self, host: &str, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.origin(host)))
    }

    /// A visitor who has opened the widget with this key.
    pub async fn shopper(&self, key: &str) -> Shopper<'_> {
        Shopper::arrive(self, key).await
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        self.shutdown.cancel();
    }
}

/// A built console and a shop's folder, with something outside it that nobody may reach.
fn files() -> TempDir {
    let files = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let path = files.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        std::fs::write(path, text).expect("a file");
    };
    write("dist/loader.js", "(()=>{start(\"__VITRINE_LAUNCHER__\")})();\n");
    write(
        "dist/widget.html",
        "<!doctype html><html><head><script id=\"vitrine-session\" type=\"application/json\">{}</script>\
         <script type=\"module\" src=\"/assets/widget-1.js\"></script></head><body></body></html>\n",
    );
    write("dist/assets/widget-1.js", &"console.log('widget');\n".repeat(100));
    write(
        "site/index.html",
        "<!doctype html><script async src=\"{{widget}}/w/{{key:zadelhoek-nl}}.js\"></script>{{key:nobody}}\n",
    );
    write("site/shop.css", "body { margin: 0; }\n");
    write("secret.txt", "nobody may read this\n");
    files
}
