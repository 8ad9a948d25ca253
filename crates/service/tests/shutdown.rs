//! Stopping, as a signal or the program itself asks for it.

use std::process::Command;
use std::time::Duration;

use tokio::sync::oneshot;
use vitrine_service::Shutdown;

#[tokio::test]
async fn a_stop_waits_for_its_tasks() {
    let shutdown = Shutdown::default();
    let (go_on, waited) = oneshot::channel();
    let token = shutdown.token();
    let task = shutdown.spawn(async move {
        token.cancelled().await;
        waited.await
    });
    shutdown.request();
    go_on.send("finished").expect("the task waits");
    assert!(shutdown.finish(Duration::from_mins(1)).await);
    assert_eq!(task.await.expect("no panic"), Ok("finished"));
}

#[tokio::test]
async fn a_stop_is_over_after_its_grace_although_a_task_hangs() {
    let shutdown = Shutdown::default();
    shutdown.spawn(std::future::pending::<()>());
    shutdown.request();
    assert!(!shutdown.finish(Duration::from_millis(50)).await);
}

#[tokio::test]
async fn the_signal_of_an_orderly_stop_asks_for_one() {
    let shutdown = Shutdown::on_signals().expect("signal handlers");
    let own_process = std::process::id().to_string();
    let sent = Command::new("sh").args(["-c", "kill -s TERM \"$0\"", &own_process]).status().expect("sh");
    assert!(sent.success());
    tokio::time::timeout(Duration::from_secs(5), shutdown.token().cancelled()).await.expect("asked to stop");
}
