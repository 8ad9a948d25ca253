//! Stopping with streams and calls open.

use std::time::{Duration, Instant};

use crate::support::{Shopper, Stack, shops};

/// From the wish to stop until everything has.
const STOP_WITHIN: Duration = Duration::from_secs(2);

#[tokio::test]
async fn streams_end_waiting_calls_are_answered_and_nothing_lingers() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    shopper.ask(&thread, "Wanneer?").await.data(202);
    let asked = stack.runtime.asked().await;
    let attempt = asked.start().await;
    asked.piece(attempt, 0, "Op vrij").await;
    let mut streams = Vec::new();
    for _ in 0..5 {
        let mut stream = shopper.events(&thread, Some("1.stored.0")).await;
        assert_eq!(stream.until("message").await.pop().unwrap().text(), "Op vrij");
        streams.push(stream);
    }
    let waiting = shopper.post("/api/messages", Shopper::message(&thread, "En verder?"));
    let stopping = async {
        // The call is waiting once its question is stored.
        let list = format!("/api/messages?thread_uuid={thread}");
        while shopper.get(&list).await.data(200).as_array().unwrap().len() < 2 {}
        let started = Instant::now();
        stack.shutdown.cancel();
        stack.api.stopped().await;
        started.elapsed()
    };
    let (answered, took) = tokio::join!(waiting, stopping);
    answered.data(202);
    assert!(took < STOP_WITHIN, "{took:?}");
    for stream in streams {
        assert_eq!(stream.rest().await, []);
    }
}
