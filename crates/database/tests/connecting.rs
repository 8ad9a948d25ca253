//! Who may connect, and that preparing a server can be repeated.

use secrecy::{ExposeSecret, SecretString};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use url::Url;
use vitrine_database::{
    BootstrapError, ConnectError, Database, Role, RolePasswords, SCHEMA_VERSION_MIN, bootstrap, migrate,
};
use vitrine_testkit::{TestDatabase, postgres, unique_name};

#[tokio::test]
async fn a_superuser_is_refused() {
    let superuser = postgres().await.unwrap();
    let refused = Database::connect(&superuser, Role::Api, 1).await;
    assert!(matches!(refused, Err(ConnectError::UnboundRole { .. })));
}

#[tokio::test]
async fn a_role_that_bypasses_row_level_security_is_refused() {
    let superuser = postgres().await.unwrap();
    let name = unique_name("bypasses").replace('-', "_");
    let mut connection = PgConnection::connect(superuser.expose_secret()).await.unwrap();
    run(&mut connection, format!("CREATE ROLE {name} LOGIN BYPASSRLS PASSWORD 'test'")).await;
    let mut url: Url = superuser.expose_secret().parse().unwrap();
    url.set_username(&name).unwrap();
    url.set_password(Some("test")).unwrap();

    let refused = Database::connect(&String::from(url).into(), Role::Api, 1).await;
    run(&mut connection, format!("DROP ROLE {name}")).await;
    assert!(matches!(refused, Err(ConnectError::UnboundRole { user }) if user == name));
}

#[tokio::test]
async fn a_program_works_as_its_own_role_only() {
    let database = TestDatabase::create().await.unwrap();
    for (url, role) in [
        (database.worker(), Role::Api),
        (database.api(), Role::Worker),
        (database.api(), Role::Runtime),
        (database.owner(), Role::Api),
    ] {
        let refused = Database::connect(&url, role, 1).await;
        assert!(matches!(refused, Err(ConnectError::WrongRole { expected, .. }) if expected == role.name()));
    }
    Database::connect(&database.runtime(), Role::Runtime, 1).await.unwrap().ping().await.unwrap();
}

#[tokio::test]
async fn the_schema_is_as_new_as_the_services_need_and_migrating_again_changes_nothing() {
    let database = TestDatabase::create().await.unwrap();
    let api = Database::connect(&database.api(), Role::Api, 1).await.unwrap();
    let version = api.schema_version().await.unwrap();
    assert!(version >= SCHEMA_VERSION_MIN);
    migrate(&database.owner()).await.unwrap();
    assert_eq!(api.schema_version().await.unwrap(), version);
}

#[tokio::test]
async fn migrations_of_a_newer_version_are_left_alone() {
    let database = TestDatabase::create().await.unwrap();
    let mut owner = PgConnection::connect(database.owner().expose_secret()).await.unwrap();
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (999912310001, 'newer', true, '', 0)";
    run(&mut owner, newer.to_owned()).await;
    migrate(&database.owner()).await.unwrap();
}

#[tokio::test]
async fn names_and_passwords_that_could_end_a_statement_are_refused() {
    let nowhere = SecretString::from("postgres://nobody@127.0.0.1:1/none");
    let password = |text: &str| SecretString::from(text);
    let passwords = |owner: &str| RolePasswords {
        owner: password(owner),
        api: password("fine"),
        worker: password("fine"),
        runtime: password("fine"),
    };
    let refused = bootstrap(&nowhere, "vitrine", &passwords("it's")).await;
    assert!(matches!(refused, Err(BootstrapError::Characters("vitrine_owner"))));
    let refused = bootstrap(&nowhere, "v\"; DROP", &passwords("fine")).await;
    assert!(matches!(refused, Err(BootstrapError::Characters(_))));
    let refused = bootstrap(&nowhere, "vitrine", &passwords("fine")).await;
    assert!(matches!(refused, Err(BootstrapError::Connect(_))));
}

async fn run(connection: &mut PgConnection, statement: String) {
    sqlx::query(AssertSqlSafe(statement)).execute(connection).await.unwrap();
}
