//! Migrations: forward only, each in a transaction, under sqlx's advisory lock.

use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use sqlx::migrate::Migrator;
use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection, PgPool};

use crate::transaction::StoreError;

static MIGRATOR: Migrator = sqlx::migrate!();

/// The oldest schema this version of the services can work on. They are not ready below it, and never migrate
/// by themselves in a cluster.
pub const SCHEMA_VERSION_MIN: i64 = 202_611_210_006;

#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    #[error("failed to connect to PostgreSQL as the owner of the schema")]
    Connect(#[source] sqlx::Error),
    #[error("failed to apply the migrations")]
    Apply(#[source] sqlx::migrate::MigrateError),
}

/// Applies what is missing, as the owner of the schema (`vitrine_owner`). Migrations of a newer version that are
/// already there are left alone, so that a rollback of the programs works.
pub async fn migrate(owner_url: &SecretString) -> Result<(), MigrateError> {
    let options: PgConnectOptions = owner_url.expose_secret().parse().map_err(MigrateError::Connect)?;
    // Repeating is usual, so "exists already" is no news.
    let options = options.options([("client_min_messages", "warning")]);
    let mut connection = PgConnection::connect_with(&options).await.map_err(MigrateError::Connect)?;
    let migrator = Migrator { ignore_missing: true, ..clone(&MIGRATOR) };
    migrator.run(&mut connection).await.map_err(MigrateError::Apply)?;
    connection.close().await.map_err(MigrateError::Connect)
}

/// A digest of all migrations: a database made from them can be kept as a template under this name.
pub fn migrations_digest() -> String {
    let mut digest = Sha256::new();
    for migration in MIGRATOR.iter() {
        digest.update(&migration.checksum);
    }
    let digest = digest.finalize();
    digest.iter().take(8).fold(String::new(), |name, byte| format!("{name}{byte:02x}"))
}

/// The newest migration that has been applied, 0 when there is none.
pub async fn schema_version(pool: &PgPool) -> Result<i64, StoreError> {
    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations WHERE success")
        .fetch_one(pool)
        .await
        .map_err(StoreError::during("read the schema version"))
}

fn clone(migrator: &Migrator) -> Migrator {
    Migrator { migrations: migrator.migrations.clone(), ..Migrator::DEFAULT }
}
