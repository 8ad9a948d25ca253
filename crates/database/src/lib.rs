//! PostgreSQL with a merchant in every transaction.
//!
//! There is no way to a connection but [`Database::tenant`] (rows of one merchant, by row-level security) and
//! [`Database::worker`] (the outbox and functions over due work: ids only). A program connects as one of the product's
//! own roles; a role that row-level security would not bind is refused.

mod connect;
mod migrate;
mod roles;
mod transaction;

pub use connect::{ConnectError, Database, Role};
pub use migrate::{MigrateError, SCHEMA_VERSION_MIN, migrate, migrations_digest, schema_version};
pub use roles::{BootstrapError, RolePasswords, bootstrap};
pub use transaction::{StoreError, TenantTransaction, WorkerTransaction};
