//! Connecting as one of the product's roles.

use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use vitrine_domain::MerchantId;

use crate::transaction::{StoreError, TenantTransaction, WorkerTransaction};

/// How long a request waits for a free connection before it is answered as unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// No statement of ours runs longer; a stuck one must not hold a merchant's row.
const STATEMENT_TIMEOUT_MS: &str = "15000";

/// A login role. What each may do is written in the migrations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Serves HTTP: reads and writes rows of one merchant at a time.
    Api,
    /// Background work: the outbox, and rows of one merchant at a time.
    Worker,
    /// Answers turns: reads rows of one merchant at a time, writes nothing.
    Runtime,
}

impl Role {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Api => "vitrine_api",
            Self::Worker => "vitrine_worker",
            Self::Runtime => "vitrine_runtime",
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("failed to read the database URL: expected postgres://user:password@host:port/database")]
    Url(#[source] sqlx::Error),

    #[error("failed to connect to PostgreSQL as {role}")]
    Connect {
        role: &'static str,
        #[source]
        source: sqlx::Error,
    },

    #[error("refusing to work as {user}: this program works as {expected}")]
    WrongRole { user: String, expected: &'static str },

    #[error("refusing to work as {user}: it is a superuser or has BYPASSRLS, so row-level security would not bind it")]
    UnboundRole { user: String },
}

/// Connections of one role.
#[derive(Clone, Debug)]
pub struct Database {
    pool: PgPool,
}

impl Database {
    /// Connects as `role` with at most `connections_max` connections, and checks that row-level security binds it.
    pub async fn connect(url: &SecretString, role: Role, connections_max: u32) -> Result<Self, ConnectError> {
        let options: PgConnectOptions = url.expose_secret().parse().map_err(ConnectError::Url)?;
        let options = options.application_name(role.name()).options([("statement_timeout", STATEMENT_TIMEOUT_MS)]);
        let connect_error = |source| ConnectError::Connect { role: role.name(), source };
        let pool = PgPoolOptions::new()
            .max_connections(connections_max)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .connect_with(options)
            .await
            .map_err(connect_error)?;

        let (user, unbound): (String, bool) = sqlx::query_as(
            "SELECT current_user::text, rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user",
        )
        .fetch_one(&pool)
        .await
        .map_err(connect_error)?;
        if unbound {
            return Err(ConnectError::UnboundRole { user });
        }
        if user != role.name() {
            return Err(ConnectError::WrongRole { user, expected: role.name() });
        }
        Ok(Self { pool })
    }

    /// Begins a transaction in which only `merchant`'s rows exist.
    pub async fn tenant(&self, merchant: MerchantId) -> Result<TenantTransaction, StoreError> {
        TenantTransaction::begin(&self.pool, merchant).await
    }

    /// Begins a transaction outside any merchant; of use to the worker role only.
    pub async fn worker(&self) -> Result<WorkerTransaction, StoreError> {
        WorkerTransaction::begin(&self.pool).await
    }

    /// Whether the server answers now.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.pool).await.map_err(StoreError::during("reach PostgreSQL")).map(|_| ())
    }

    /// The newest migration that has been applied.
    pub async fn schema_version(&self) -> Result<i64, StoreError> {
        crate::migrate::schema_version(&self.pool).await
    }

    /// Closes the connections, waiting for those in use.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}
