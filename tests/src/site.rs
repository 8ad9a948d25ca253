//! Where a stack answers, and plain calls to it.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use reqwest::{Client, RequestBuilder};
use serde::Deserialize;
use serde_json::Value;

/// Longer than the server lets a call wait for its answer.
const CALL_TIMEOUT: Duration = Duration::from_secs(40);

/// A stack's address and the keys of its chatbots.
#[derive(Clone, Debug)]
pub struct Site {
    port: u16,
    tenants: PathBuf,
}

/// Evidence of an answer.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Source {
    pub number: u32,
    pub title: String,
    pub url: Option<String>,
    pub kind: String,
}

impl Site {
    /// `state` is the folder in which the stack publishes its tenant configs.
    pub fn new(port: u16, state: &Path) -> Self {
        Self { port, tenants: state.join("tenants") }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where the widget's document lives.
    pub fn widget_origin(&self) -> String {
        format!("http://widget.localhost:{}", self.port)
    }

    pub fn zadelhoek(&self) -> String {
        format!("http://zadelhoek.localhost:{}", self.port)
    }

    pub fn negin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The publishable key of a chatbot, from what was published.
    pub fn key(&self, merchant: &str, chatbot: &str) -> anyhow::Result<String> {
        let file = self.tenants.join(format!("{merchant}.json"));
        let text = std::fs::read_to_string(&file).with_context(|| format!("failed to read {}", file.display()))?;
        let config: Value = serde_json::from_str(&text)?;
        let chatbots = config["chatbots"].as_array().context("a tenant config has chatbots")?;
        let found = chatbots.iter().find(|each| each["name"] == chatbot);
        let key = found.and_then(|chatbot| chatbot["key"].as_str());
        Ok(key.with_context(|| format!("{chatbot} is not in {}", file.display()))?.to_owned())
    }

    /// Whether the configs of these merchants are published.
    pub fn has_published(&self, merchants: &[&str]) -> bool {
        merchants.iter().all(|merchant| self.tenants.join(format!("{merchant}.json")).is_file())
    }

    /// A browser of its own: connections are not shared with another's.
    pub fn client(&self) -> anyhow::Result<Client> {
        vitrine_service::tls::install_provider();
        let here = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let client = ["widget.localhost", "zadelhoek.localhost", "shop.localhost", "console.localhost"]
            .into_iter()
            .fold(Client::builder(), |builder, host| builder.resolve(host, here));
        Ok(client.no_proxy().build()?)
    }

    /// A call of the shopper API as the widget makes it.
    pub fn get(&self, client: &Client, path: &str) -> RequestBuilder {
        client.get(format!("{}{path}", self.widget_origin())).timeout(CALL_TIMEOUT)
    }

    /// The same, with a body and the origin that what changes something must carry.
    pub fn post(&self, client: &Client, path: &str, body: &Value) -> RequestBuilder {
        let origin = self.widget_origin();
        client.post(format!("{origin}{path}")).header("origin", &origin).json(body).timeout(CALL_TIMEOUT)
    }

    /// The open stream of a thread: without a limit in time as a whole.
    pub fn events(&self, client: &Client, thread: uuid::Uuid) -> RequestBuilder {
        client.get(format!("{}/api/threads/{thread}/events", self.widget_origin()))
    }
}
