//! When the API can answer: the database was reached, its schema is new enough, and the shops are known. The bus is
//! never part of it: accepting goes on without one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use vitrine_database::{Database, SCHEMA_VERSION_MIN};
use vitrine_service::Health;
use vitrine_tenant_config::TenantsReceiver;

/// Checks for a health endpoint. A clone is the same one.
#[derive(Clone)]
pub struct Readiness {
    database: Database,
    tenants: TenantsReceiver,
    /// Once is enough: a replica that loses its database later must not be taken out of service with all others.
    has_schema: Arc<AtomicBool>,
}

impl Readiness {
    pub(super) fn new(database: Database, tenants: TenantsReceiver) -> Self {
        Self { database, tenants, has_schema: Arc::default() }
    }

    /// Adds the checks `database` and `shops`.
    #[must_use]
    pub fn add_to(self, health: Health) -> Health {
        let Self { database, tenants, has_schema } = self;
        health
            .check("database", move || {
                let (database, has_schema) = (database.clone(), Arc::clone(&has_schema));
                async move { schema(&database, &has_schema).await }
            })
            .check("shops", move || {
                let is_ready = tenants.borrow().is_ready();
                async move { if is_ready { Ok(()) } else { Err("the first list of shops is being read".to_owned()) } }
            })
    }
}

async fn schema(database: &Database, has_schema: &AtomicBool) -> Result<(), String> {
    if has_schema.load(Ordering::Relaxed) {
        return Ok(());
    }
    let version = database.schema_version().await.map_err(|error| error.to_string())?;
    if version < SCHEMA_VERSION_MIN {
        return Err(format!("the schema has version {version}, at least {SCHEMA_VERSION_MIN} is needed: run migrate"));
    }
    has_schema.store(true, Ordering::Relaxed);
    Ok(())
}
