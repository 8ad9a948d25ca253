//! Databases of the tests: separate, migrated, and never reached as superuser.

use secrecy::ExposeSecret;
use sqlx::{Connection, PgConnection};
use vitrine_testkit::{Postgres, TestDatabase};

#[tokio::test]
async fn each_test_has_a_migrated_database_of_its_own_and_no_superuser() {
    let (one, other) = tokio::join!(TestDatabase::create(), TestDatabase::create());
    let (one, other) = (one.expect("a database"), other.expect("another"));
    assert_ne!(one.name(), other.name());

    for url in [one.owner(), one.api(), one.worker(), other.runtime()] {
        let mut connection = PgConnection::connect(url.expose_secret()).await.expect("a connection");
        let unbound: bool =
            sqlx::query_scalar("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
                .fetch_one(&mut connection)
                .await
                .expect("the role");
        assert!(!unbound);
    }
    let mut connection = PgConnection::connect(one.owner().expose_secret()).await.expect("a connection");
    let migrations: i64 = sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations WHERE success")
        .fetch_one(&mut connection)
        .await
        .expect("the migrations");
    assert!(migrations > 0, "the template is not migrated");
}

#[tokio::test]
async fn a_server_of_a_tests_own_comes_back_with_its_databases() {
    let mut postgres = Postgres::start().await.expect("a server");
    let database = TestDatabase::create_on(&postgres.superuser_url()).await.expect("a database");

    postgres.server.kill().expect("the kill");
    assert!(PgConnection::connect(database.api().expose_secret()).await.is_err(), "a killed server answered");
    postgres.server.restart().await.expect("the restart");
    PgConnection::connect(database.api().expose_secret()).await.expect("a connection after the restart");
    postgres.stop().await.expect("the stop");
}
