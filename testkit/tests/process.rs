//! Programs as child processes: watched, stopped, and never left behind.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use vitrine_testkit::{Program, eventually};

/// Starting and stopping PostgreSQL and Kafka on a busy machine.
const REAL_PARTS_WITHIN: Duration = Duration::from_mins(2);
const GONE_WITHIN: Duration = Duration::from_secs(10);

#[tokio::test]
async fn a_program_is_waited_for_and_its_output_is_kept() {
    // Its standard input is empty, so the real parts stop as soon as they have started.
    let mut process = Program::ours("real-parts").expect("the program").start().expect("a process");
    assert!(process.is_running().expect("a status"));
    let status = process.wait(REAL_PARTS_WITHIN).await.expect("the end");
    assert!(status.success(), "{}", process.log());
    assert!(process.log().contains("postgres_url"), "{}", process.log());
}

#[tokio::test]
async fn a_program_that_ends_early_is_not_waited_for() {
    let program = Program::ours("real-parts").expect("the program").variable("VITRINE_CACHE", "/proc/nowhere");
    let mut process = program.start().expect("a process");
    let error = process.wait_until_ready(1, "/readyz", REAL_PARTS_WITHIN).await.expect_err("it ended");
    assert!(error.to_string().contains("failed to start real-parts, it ended with exit status: 1"), "{error}");
    assert!(error.to_string().contains("/proc/nowhere"), "the log is missing: {error}");
}

#[tokio::test]
async fn children_end_with_a_killed_parent() {
    let mut parent = Command::new(env!("CARGO_BIN_EXE_real-parts"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let mut line = String::new();
    BufReader::new(parent.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
    let parts: serde_json::Value = serde_json::from_str(&line).expect("JSON");
    let kafka = parts["kafka"].as_str().expect("an address").to_owned();
    let postgres: url::Url = parts["postgres_url"].as_str().expect("a URL").parse().expect("a URL");
    let postgres = format!("127.0.0.1:{}", postgres.port().expect("its port"));
    assert!(TcpStream::connect(&kafka).is_ok() && TcpStream::connect(&postgres).is_ok());

    parent.kill().expect("the kill");
    parent.wait().expect("its end");
    eventually(GONE_WITHIN, "both servers are gone", || async {
        TcpStream::connect(&kafka).is_err() && TcpStream::connect(&postgres).is_err()
    })
    .await;
}
