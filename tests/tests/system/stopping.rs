//! SIGTERM while answers are being written and read.

use std::time::{Duration, Instant};

use system_tests::{Settings, Stack, Tally, Victim};

use crate::support::{ask_all, begun, place, say, shoppers, written};

const SHOPPERS: usize = 8;
/// With streams open.
const API_STOPS_MAX: Duration = Duration::from_secs(5);
/// A runtime finishes what it writes: the longest answer of the demo at the tests' pace.
const DRAINED_MAX: Duration = Duration::from_secs(40);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_api_that_stops_hands_its_readers_over() {
    let _place = place().await;
    let mut stack = Stack::separate(&Settings::default()).await.unwrap();
    let tally = Tally::default();
    let asking = ask_all(shoppers(&stack, SHOPPERS, &tally).await);
    written(&tally, SHOPPERS).await;
    assert!(stack.metric(Victim::Api, "vitrine_streams_open").await.unwrap() >= 1.0, "streams are open");

    let stopping = Instant::now();
    let status = stack.process(Victim::Api).unwrap().terminate(API_STOPS_MAX).await.unwrap();
    let stopped_in = stopping.elapsed();
    stack.restart(Victim::Api).await.unwrap();
    let answers = asking.join_all().await;

    say(&format!(
        "SIGTERM, tenant-api: {status} after {:.1} s; {}; {:.0} s",
        stopped_in.as_secs_f64(),
        tally.figures(),
        stopping.elapsed().as_secs_f64()
    ));
    assert!(status.success(), "{status}");
    assert!(answers.iter().all(|(_, answer)| !answer.failed));
    assert!(tally.figures().resumed > 0, "somebody's stream was cut");
    tally.assert_whole();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runtimes_that_stop_finish_their_answers() {
    let _place = place().await;
    let mut stack = Stack::separate(&Settings::default()).await.unwrap();
    let tally = Tally::default();
    let asking = ask_all(shoppers(&stack, SHOPPERS, &tally).await);
    // With both runtimes gone, nobody would answer a request that still waits on the bus.
    begun(&tally, SHOPPERS).await;

    let stopping = Instant::now();
    for number in [0, 1] {
        stack.process(Victim::Runtime(number)).unwrap().signal("TERM").unwrap();
    }
    let answers = asking.join_all().await;
    let answered_in = stopping.elapsed();
    for number in [0, 1] {
        let status = stack.process(Victim::Runtime(number)).unwrap().wait(DRAINED_MAX).await.unwrap();
        assert!(status.success(), "{status}");
    }

    let figures = tally.figures();
    say(&format!(
        "SIGTERM, both runtimes: all answered after {:.1} s, stopped after {:.1} s; {figures}",
        answered_in.as_secs_f64(),
        stopping.elapsed().as_secs_f64()
    ));
    assert!(answers.iter().all(|(_, answer)| !answer.failed && answer.pieces > 0));
    assert_eq!(figures.replaced, 0, "no answer was begun again");
    tally.assert_whole();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_embedded_default_stops_and_goes_on() {
    let _place = place().await;
    let mut stack = Stack::embedded(&Settings::default()).await.unwrap();
    let tally = Tally::default();
    let asking = ask_all(shoppers(&stack, SHOPPERS, &tally).await);
    written(&tally, SHOPPERS).await;

    let stopping = Instant::now();
    let status = stack.process(Victim::Vitrine).unwrap().terminate(DRAINED_MAX).await.unwrap();
    let stopped_in = stopping.elapsed();
    stack.restart(Victim::Vitrine).await.unwrap();
    let answers = asking.join_all().await;

    say(&format!(
        "SIGTERM, vitrine: {status} after {:.1} s; {}; {:.0} s",
        stopped_in.as_secs_f64(),
        tally.figures(),
        stopping.elapsed().as_secs_f64()
    ));
    assert!(status.success(), "{status}");
    assert!(answers.iter().all(|(_, answer)| !answer.failed));
    assert_eq!(tally.figures().replaced, 0, "what was being written is finished, not begun again");
    tally.assert_whole();
}
