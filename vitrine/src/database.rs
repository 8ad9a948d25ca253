//! The embedded default's PostgreSQL: a server of its own, or one that is named; with its roles and schema.

use std::path::Path;

use anyhow::{Context, Result};
use secrecy::{ExposeSecret, SecretString};
use url::Url;
use vitrine_database::{Database, Role, RolePasswords, bootstrap, migrate};
use vitrine_local_postgres::{Server, Settings};

const NAME: &str = "vitrine";
/// Connections of one process, by what it does.
const API_CONNECTIONS_MAX: u32 = 24;
const WORKER_CONNECTIONS_MAX: u32 = 12;
const RUNTIME_CONNECTIONS_MAX: u32 = 16;

/// A server that is ours to stop, and connections by role.
pub struct Databases {
    pub server: Option<Server>,
    pub api: Database,
    pub worker: Database,
    pub runtime: Database,
}

impl Databases {
    /// Starts a server in `folder` unless `superuser_url` names one, makes roles and database, migrates, connects.
    pub async fn open(folder: &Path, superuser_url: Option<SecretString>, passwords: &RolePasswords) -> Result<Self> {
        let (server, superuser_url) = if let Some(url) = superuser_url {
            (None, url)
        } else {
            let server = Server::start(Settings::new(folder)).await?;
            let url = server.superuser_url("postgres");
            (Some(server), url)
        };
        bootstrap(&superuser_url, NAME, passwords).await?;
        let url = |role: &str, password: &SecretString| url_of(&superuser_url, role, password);
        migrate(&url("vitrine_owner", &passwords.owner)?).await?;

        let api = Database::connect(&url(Role::Api.name(), &passwords.api)?, Role::Api, API_CONNECTIONS_MAX).await?;
        let worker =
            Database::connect(&url(Role::Worker.name(), &passwords.worker)?, Role::Worker, WORKER_CONNECTIONS_MAX)
                .await?;
        let runtime =
            Database::connect(&url(Role::Runtime.name(), &passwords.runtime)?, Role::Runtime, RUNTIME_CONNECTIONS_MAX)
                .await?;
        Ok(Self { server, api, worker, runtime })
    }
}

/// The same server, as another role, in the product's database.
fn url_of(superuser_url: &SecretString, role: &str, password: &SecretString) -> Result<SecretString> {
    const NOT_A_URL: &str = "failed to read DATABASE_URL: expected postgres://user:password@host:port/database";
    let mut url: Url = superuser_url.expose_secret().parse().context(NOT_A_URL)?;
    let is_set = url.set_username(role).is_ok() && url.set_password(Some(password.expose_secret())).is_ok();
    anyhow::ensure!(is_set, NOT_A_URL);
    url.set_path(NAME);
    Ok(String::from(url).into())
}
