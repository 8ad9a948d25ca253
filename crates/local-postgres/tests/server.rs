//! A real server through its life: started, crashed, left behind, stopped.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use secrecy::ExposeSecret;
use vitrine_local_postgres::{Error, Server, Settings};

/// Starting over after a crash, on a busy machine.
const RECOVERED_WITHIN: Duration = Duration::from_secs(20);

fn settings(folder: &Path) -> Settings {
    Settings { connections_max: 20, durable: false, ..Settings::new(folder) }
}

/// Runs one statement with `psql`, as somebody else's program would.
fn query(server: &Server, statement: &str) -> Result<String, String> {
    let output = Command::new("psql")
        .arg(server.superuser_url("postgres").expose_secret())
        .args(["--no-psqlrc", "--tuples-only", "--no-align", "--command", statement])
        .output()
        .expect("psql is installed with PostgreSQL");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) }
}

#[tokio::test]
async fn a_server_answers_keeps_its_data_and_asks_for_the_password() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(settings(folder.path())).await.expect("the first start");
    query(&server, "CREATE TABLE kept AS SELECT 'still here' AS text").expect("a table");

    let password = folder.path().join("superuser-password");
    let mode = std::fs::metadata(&password).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let without = Command::new("psql")
        .env("PGPASSWORD", "a guess")
        .arg(format!("postgres://postgres@127.0.0.1:{}/postgres", server.port()))
        .args(["--command", "SELECT 1"])
        .output()
        .expect("psql");
    assert!(!without.status.success(), "a wrong password was let in");
    server.stop().await.expect("the stop");

    let server = Server::start(settings(folder.path())).await.expect("the second start");
    assert_eq!(query(&server, "SELECT text FROM kept").expect("the row"), "still here");
    server.stop().await.expect("the stop");
}

#[tokio::test]
async fn a_killed_server_is_noticed_and_restarts_on_its_port_although_a_backend_is_busy() {
    let folder = tempfile::tempdir().expect("a folder");
    // What was committed must be there after the crash, so this one is durable.
    let mut server =
        Server::start(Settings { durable: true, ..settings(folder.path()) }).await.expect("the first start");
    let port = server.port();
    query(&server, "CREATE TABLE kept AS SELECT 'still here' AS text").expect("a table");
    // A backend deep in its work does not notice by itself that the postmaster is gone.
    let mut busy = Command::new("psql")
        .arg(server.superuser_url("postgres").expose_secret())
        .args(["--command", "SELECT count(*) FROM generate_series(1, 100000000000)"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("psql");
    let running =
        "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()";
    let deadline = std::time::Instant::now() + RECOVERED_WITHIN;
    while query(&server, running).as_deref() != Ok("1") {
        assert!(std::time::Instant::now() < deadline, "the busy query never ran");
    }

    server.kill().expect("the kill");
    tokio::time::timeout(RECOVERED_WITHIN, server.exited()).await.expect("it is noticed").expect("a status");
    tokio::time::timeout(RECOVERED_WITHIN, server.restart()).await.expect("in time").expect("the restart");

    assert_eq!(server.port(), port);
    assert_eq!(query(&server, "SELECT text FROM kept").expect("the row"), "still here");
    busy.wait().expect("the busy client lost its connection");
    server.stop().await.expect("the stop");
}

#[tokio::test]
async fn a_folder_in_use_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start(settings(folder.path())).await.expect("the first start");

    let error = Server::start(settings(folder.path())).await.expect_err("the folder is taken");
    assert!(matches!(error, Error::InUse { .. }), "{error}");
    query(&server, "SELECT 1").expect("the first server is unharmed");
    server.stop().await.expect("the stop");
}

#[tokio::test]
async fn a_server_without_an_owner_is_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let left = Server::start(settings(folder.path())).await.expect("the first start");
    let left_process = left.process_id();
    query(&left, "CREATE TABLE kept AS SELECT 'still here' AS text").expect("a table");
    // Dropped without a stop, as by a predecessor that was killed.
    drop(left);

    let server = Server::start(settings(folder.path())).await.expect("the start beside a leftover");
    assert_ne!(server.process_id(), left_process);
    assert_eq!(query(&server, "SELECT text FROM kept").expect("the row"), "still here");
    server.stop().await.expect("the stop");
}

#[tokio::test]
async fn a_stale_id_file_that_names_a_stranger_does_not_stop_a_start() {
    let folder = tempfile::tempdir().expect("a folder");
    Server::start(settings(folder.path())).await.expect("the first start").stop().await.expect("the stop");
    // PostgreSQL forgives its own parent, so the number must be somebody else's.
    let mut stranger = Command::new("cat").stdin(std::process::Stdio::piped()).spawn().expect("cat");
    let id_file = folder.path().join("data/postmaster.pid");
    std::fs::write(id_file, format!("{}\n", stranger.id())).expect("the id file");

    let server = Server::start(settings(folder.path())).await.expect("the second start");
    query(&server, "SELECT 1").expect("an answer");
    server.stop().await.expect("the stop");
    stranger.kill().and_then(|()| stranger.wait()).expect("the stranger was left alone");
}

#[tokio::test]
async fn a_port_that_is_taken_is_said_with_the_log() {
    let folder = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its address").port();

    let error = Server::start(Settings { port: Some(port), ..settings(folder.path()) }).await.expect_err("taken");
    assert!(error.to_string().contains("Address already in use"), "{error}");
}
