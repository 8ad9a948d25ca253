//! The roles and the database, made once per server by its administrator.

use secrecy::{ExposeSecret, SecretString};
use sqlx::{AssertSqlSafe, Connection, PgConnection};

/// Passwords of the login roles. Anything but a quote-free ASCII password is refused by PostgreSQL's parser here.
#[derive(Clone, Debug)]
pub struct RolePasswords {
    pub owner: SecretString,
    pub api: SecretString,
    pub worker: SecretString,
    pub runtime: SecretString,
}

#[derive(Debug, thiserror::Error)]
pub enum BootstrapError {
    #[error("failed to connect to PostgreSQL as its administrator")]
    Connect(#[source] sqlx::Error),
    #[error("refusing the name or password {0}: only letters, digits, - and _ are allowed")]
    Characters(&'static str),
    #[error("failed to make {object}")]
    Create {
        object: &'static str,
        #[source]
        source: sqlx::Error,
    },
}

/// Login roles: the owner of the schema, who migrates, and the three that programs work as.
const LOGIN_ROLES: [&str; 4] = ["vitrine_owner", "vitrine_api", "vitrine_worker", "vitrine_runtime"];
/// Owners of SECURITY DEFINER functions: one reads across merchants, one acknowledges published outbox rows. The owner
/// of the schema is a member of both, because only a member can hand a function to a role; so it sees what they see, and
/// no program works as it.
const FUNCTION_ROLES: [&str; 2] = ["vitrine_reader", "vitrine_publisher"];

/// Makes the roles (or sets their passwords anew) and the database, as the server's superuser. May be repeated.
pub async fn bootstrap(
    superuser_url: &SecretString,
    database: &str,
    passwords: &RolePasswords,
) -> Result<(), BootstrapError> {
    let passwords = [&passwords.owner, &passwords.api, &passwords.worker, &passwords.runtime];
    if !is_plain(database) {
        return Err(BootstrapError::Characters("of the database"));
    }
    for (role, password) in LOGIN_ROLES.iter().zip(passwords) {
        if !is_plain(password.expose_secret()) {
            return Err(BootstrapError::Characters(role));
        }
    }

    let mut connection = PgConnection::connect(superuser_url.expose_secret()).await.map_err(BootstrapError::Connect)?;
    // Repeating is usual, so "is already a member" is no news.
    run(&mut connection, "the session", "SET client_min_messages = warning".to_owned()).await?;
    // Two programs may start at once; roles belong to the server, not to a database.
    run(&mut connection, "the lock", "SELECT pg_advisory_lock(7400)".to_owned()).await?;
    for role in FUNCTION_ROLES {
        make_role(&mut connection, role, "NOLOGIN").await?;
    }
    for (role, password) in LOGIN_ROLES.into_iter().zip(passwords) {
        make_role(&mut connection, role, "LOGIN").await?;
        let alter = format!("ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS PASSWORD '{}'", password.expose_secret());
        run(&mut connection, role, alter).await?;
    }
    for role in FUNCTION_ROLES {
        run(&mut connection, role, format!("GRANT {role} TO vitrine_owner")).await?;
    }
    let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)")
        .bind(database)
        .fetch_one(&mut connection)
        .await
        .map_err(|source| BootstrapError::Create { object: "the database", source })?;
    if !exists {
        run(&mut connection, "the database", format!("CREATE DATABASE \"{database}\" OWNER vitrine_owner")).await?;
    }
    connection.close().await.map_err(BootstrapError::Connect)
}

async fn make_role(connection: &mut PgConnection, role: &'static str, login: &str) -> Result<(), BootstrapError> {
    let exists: bool = sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)")
        .bind(role)
        .fetch_one(&mut *connection)
        .await
        .map_err(|source| BootstrapError::Create { object: role, source })?;
    if exists {
        return Ok(());
    }
    run(connection, role, format!("CREATE ROLE {role} {login}")).await
}

async fn run(connection: &mut PgConnection, object: &'static str, statement: String) -> Result<(), BootstrapError> {
    sqlx::query(AssertSqlSafe(statement))
        .execute(connection)
        .await
        .map_err(|source| BootstrapError::Create { object, source })
        .map(|_| ())
}

/// Names and passwords stand in statements that take no parameters, so only harmless characters may be in them.
fn is_plain(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}
