//! The PostgreSQL server of a test run.

use std::env;
use std::fs;

use anyhow::Context;
use secrecy::SecretString;
use tokio::sync::OnceCell;
use vitrine_local_postgres::{Error, Server, Settings};

use crate::port::free_port;
use crate::slot::Slot;

/// Names a superuser's URL of a server to use instead of starting one.
pub(crate) const URL_VARIABLE: &str = "VITRINE_TEST_POSTGRES_URL";
/// Many tests run side by side, each with a few pools.
const CONNECTIONS_MAX: u16 = 400;

/// A server of a test's own, to be killed and restarted. Tests that only need a database share [`postgres`].
#[derive(Debug)]
pub struct Postgres {
    pub server: Server,
    _slot: Slot,
}

impl Postgres {
    /// Starts a server on data that does not survive a loss of power. Its folder was perhaps used before, but not now.
    pub async fn start() -> anyhow::Result<Self> {
        let slot = Slot::take("postgres")?;
        let folder = slot.join("server");
        let settings = Settings {
            port: Some(free_port()?),
            connections_max: CONNECTIONS_MAX,
            durable: false,
            ..Settings::new(&folder)
        };
        let server = match Server::start(settings.clone()).await {
            // After a crash of the machine such data may be beyond repair. It is worth nothing: make it anew.
            Err(Error::Start { .. } | Error::NotFound { version: Some(_) }) => {
                fs::remove_dir_all(&folder)?;
                Server::start(settings).await
            }
            started => started,
        };
        Ok(Self { server: server.context("failed to start PostgreSQL for the tests")?, _slot: slot })
    }

    /// The superuser's URL.
    pub fn superuser_url(&self) -> SecretString {
        self.server.superuser_url("postgres")
    }

    pub async fn stop(self) -> anyhow::Result<()> {
        self.server.stop().await.context("failed to stop PostgreSQL")
    }
}

/// The superuser's URL of the server this process's tests share: the one `VITRINE_TEST_POSTGRES_URL` names, or one that
/// is started now and ends with this process. Tests get their databases from [`crate::TestDatabase`].
pub async fn postgres() -> anyhow::Result<SecretString> {
    static SHARED: OnceCell<Postgres> = OnceCell::const_new();
    if let Ok(url) = env::var(URL_VARIABLE) {
        return Ok(url.into());
    }
    Ok(SHARED.get_or_try_init(Postgres::start).await?.superuser_url())
}
