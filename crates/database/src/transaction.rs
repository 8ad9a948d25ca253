//! The only two transaction types.

use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};
use vitrine_domain::MerchantId;

/// Failures of the database that no caller can mend: answered as unavailable, logged once where they are answered.
#[derive(Debug, thiserror::Error)]
#[error("failed to {action}")]
pub struct StoreError {
    /// What was being done, as the rest of "failed to …".
    pub action: &'static str,
    #[source]
    pub source: sqlx::Error,
}

impl StoreError {
    /// For `map_err`: names what failed.
    pub fn during(action: &'static str) -> impl FnOnce(sqlx::Error) -> Self {
        move |source| Self { action, source }
    }

    /// Whether doing the same again later can help: the connection or the server was the trouble, not the statement.
    pub fn is_transient(&self) -> bool {
        match &self.source {
            sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::Protocol(_)
            | sqlx::Error::Tls(_) => true,
            // Connection exceptions, serialization and deadlock, out of resources, operator intervention; and a server
            // that takes no writes, which is what a failover leaves behind for a moment.
            sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                code == "25006" || ["08", "40", "53", "57"].iter().any(|class| code.starts_with(class))
            }),
            _ => false,
        }
    }
}

/// A transaction in which only the rows of one merchant exist. Dropped without `commit` it is rolled back.
pub struct TenantTransaction {
    transaction: Transaction<'static, Postgres>,
    merchant: MerchantId,
}

impl TenantTransaction {
    pub(crate) async fn begin(pool: &sqlx::PgPool, merchant: MerchantId) -> Result<Self, StoreError> {
        // One round trip. The id is a UUID, so it cannot carry a quote.
        let begin = format!("BEGIN; SET LOCAL vitrine.merchant_id = '{merchant}'");
        let transaction = pool
            .begin_with(AssertSqlSafe(begin))
            .await
            .map_err(StoreError::during("begin a merchant's transaction"))?;
        Ok(Self { transaction, merchant })
    }

    pub const fn merchant(&self) -> MerchantId {
        self.merchant
    }

    /// The connection, for one query.
    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }

    pub async fn commit(self) -> Result<(), StoreError> {
        self.transaction.commit().await.map_err(StoreError::during("commit a merchant's transaction"))
    }
}

/// A transaction of the worker role outside any merchant: it sees the outbox and what the due-work functions give.
pub struct WorkerTransaction {
    transaction: Transaction<'static, Postgres>,
}

impl WorkerTransaction {
    pub(crate) async fn begin(pool: &sqlx::PgPool) -> Result<Self, StoreError> {
        let transaction = pool.begin().await.map_err(StoreError::during("begin a worker transaction"))?;
        Ok(Self { transaction })
    }

    /// The connection, for one query.
    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }

    pub async fn commit(self) -> Result<(), StoreError> {
        self.transaction.commit().await.map_err(StoreError::during("commit a worker transaction"))
    }
}
