//! A migrated database for one test, reached only as the product's own roles.

use std::path::Path;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context;
use secrecy::{ExposeSecret, SecretString};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tokio::sync::OnceCell;
use url::Url;
use vitrine_database::{RolePasswords, bootstrap, migrate, migrations_digest};

use crate::postgres::postgres;

/// All processes that share a server must agree on it. The server listens on 127.0.0.1 and holds nothing but tests.
const PASSWORD: &str = "test";
/// Held while a template is made, which happens once per server and set of migrations.
const TEMPLATE_LOCK: i64 = 7_401;
/// Databases are named by their process, so that a later one knows whose are left over: `vitrine_test_<process>_<n>`.
const PREFIX: &str = "vitrine_test_";

/// A database of its own. It is dropped by a later test process, when this one has ended.
#[derive(Clone, Debug)]
pub struct TestDatabase {
    server: Url,
    name: String,
}

impl TestDatabase {
    /// Copies the migrated template on the shared server.
    pub async fn create() -> anyhow::Result<Self> {
        static TEMPLATE: OnceCell<String> = OnceCell::const_new();
        let server = postgres().await?;
        let template = TEMPLATE
            .get_or_try_init(|| async {
                drop_leftovers(&server).await?;
                template(&server).await
            })
            .await?;
        Self::copy(&server, template).await
    }

    /// The same on a server of the test's own, see [`crate::Postgres`].
    pub async fn create_on(superuser_url: &SecretString) -> anyhow::Result<Self> {
        let template = template(superuser_url).await?;
        Self::copy(superuser_url, &template).await
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Owns the schema and may change it; also a member of the roles that own the functions.
    pub fn owner(&self) -> SecretString {
        self.url("vitrine_owner")
    }

    pub fn api(&self) -> SecretString {
        self.url("vitrine_api")
    }

    pub fn worker(&self) -> SecretString {
        self.url("vitrine_worker")
    }

    pub fn runtime(&self) -> SecretString {
        self.url("vitrine_runtime")
    }

    async fn copy(superuser_url: &SecretString, template: &str) -> anyhow::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(1);
        let name = format!("{PREFIX}{}_{}", process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut connection = connect(superuser_url).await?;
        // A process of this number may have been here before.
        run(&mut connection, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
        run(&mut connection, format!("CREATE DATABASE {name} TEMPLATE {template} OWNER vitrine_owner")).await?;
        connection.close().await?;
        let server = superuser_url.expose_secret().parse().context("failed to read the server's URL")?;
        Ok(Self { server, name })
    }

    fn url(&self, role: &str) -> SecretString {
        with_user(&self.server, role, &self.name).into()
    }
}

/// The name of the template database, made if it is missing.
async fn template(superuser_url: &SecretString) -> anyhow::Result<String> {
    let template = format!("vitrine_template_{}", migrations_digest());
    let mut connection = connect(superuser_url).await?;
    sqlx::query("SELECT pg_advisory_lock($1)").bind(TEMPLATE_LOCK).execute(&mut connection).await?;
    let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)")
        .bind(&template)
        .fetch_one(&mut connection)
        .await?;
    if !exists {
        make_template(superuser_url, &mut connection, &template)
            .await
            .context("failed to make the template database")?;
    }
    connection.close().await?;
    Ok(template)
}

/// The template gets its name when it is whole, so that a test killed meanwhile leaves no half of one.
async fn make_template(
    superuser_url: &SecretString,
    connection: &mut PgConnection,
    template: &str,
) -> anyhow::Result<()> {
    let unfinished = format!("{template}_unfinished");
    run(connection, format!("DROP DATABASE IF EXISTS {unfinished} WITH (FORCE)")).await?;
    let password = || SecretString::from(PASSWORD);
    let passwords = RolePasswords { owner: password(), api: password(), worker: password(), runtime: password() };
    bootstrap(superuser_url, &unfinished, &passwords).await?;
    let server: Url = superuser_url.expose_secret().parse()?;
    migrate(&with_user(&server, "vitrine_owner", &unfinished).into()).await?;
    // A connection, if only of the vacuum, would keep others from copying it.
    run(connection, format!("ALTER DATABASE {unfinished} ALLOW_CONNECTIONS false")).await?;
    run(connection, format!("ALTER DATABASE {unfinished} RENAME TO {template}")).await
}

/// Drops the databases of test processes that have ended.
async fn drop_leftovers(superuser_url: &SecretString) -> anyhow::Result<()> {
    let mut connection = connect(superuser_url).await?;
    let names: Vec<String> = sqlx::query_scalar("SELECT datname::text FROM pg_database WHERE datname LIKE $1 || '%'")
        .bind(PREFIX.replace('_', "\\_"))
        .fetch_all(&mut connection)
        .await?;
    let is_left_over = |name: &String| {
        let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split('_').next());
        process.is_some_and(|process| !Path::new("/proc").join(process).exists())
    };
    for name in names.into_iter().filter(is_left_over) {
        run(&mut connection, format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await?;
    }
    Ok(connection.close().await?)
}

async fn connect(superuser_url: &SecretString) -> anyhow::Result<PgConnection> {
    PgConnection::connect(superuser_url.expose_secret()).await.context("failed to connect to the tests' PostgreSQL")
}

async fn run(connection: &mut PgConnection, statement: String) -> anyhow::Result<()> {
    sqlx::query(AssertSqlSafe(statement)).execute(connection).await?;
    Ok(())
}

fn with_user(server: &Url, role: &str, database: &str) -> String {
    let mut url = server.clone();
    // Fails only for URLs that cannot have a user, and this one had a superuser.
    let _ = url.set_username(role);
    let _ = url.set_password(Some(PASSWORD));
    url.set_path(database);
    url.into()
}
