//! What others depend on is away for a while.

use std::time::{Duration, Instant};

use system_tests::{Settings, Shopper, Stack, Tally, Victim};
use vitrine_testkit::eventually;

use crate::support::{ask_all, place, say, shoppers, written};

const SHOPPERS: usize = 12;
/// An answer is stored and its turn's row published well before this, once everything is back.
const DRAINED_MAX: Duration = Duration::from_secs(30);
/// The outbox is counted now and then.
const COUNTED_MAX: Duration = Duration::from_secs(20);
/// A call that cannot be answered says so before a person gives up.
const REFUSED_MAX: Duration = Duration::from_secs(8);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_kafka_questions_are_accepted_and_answered_when_it_is_back() {
    let _place = place().await;
    let started = Instant::now();
    let mut stack = Stack::separate(&Settings::default()).await.unwrap();
    let tally = Tally::default();
    let mut asking = Vec::new();
    let entered = shoppers(&stack, SHOPPERS, &tally).await;

    stack.kill(Victim::Kafka).unwrap();
    let away = Instant::now();
    for (mut shopper, question) in entered {
        let turn = shopper.send(question).await.unwrap();
        asking.push((shopper, turn));
    }
    let accepted_in = away.elapsed();
    assert_eq!(tally.figures().accepted, SHOPPERS, "accepting goes on without Kafka");
    eventually(COUNTED_MAX, "every question waits in the outbox", || async { pending(&stack).await >= SHOPPERS }).await;
    let open: Vec<bool> = futures::future::join_all(asking.iter().map(|(shopper, _)| shopper.is_answered())).await;
    assert!(open.iter().all(|is_answered| !is_answered), "nothing can be answered without Kafka");

    stack.restart(Victim::Kafka).await.unwrap();
    let back = Instant::now();
    futures::future::join_all(asking.iter_mut().map(|(shopper, turn)| shopper.read(*turn)))
        .await
        .into_iter()
        .for_each(|answer| assert!(!answer.unwrap().failed));
    let answered_in = back.elapsed();
    eventually(DRAINED_MAX, "the backlog is drained", || async { pending(&stack).await == 0 }).await;
    say(&format!(
        "Kafka away: {SHOPPERS} accepted in {:.1} s; all answered {:.1} s after it was back; {}; {:.0} s",
        accepted_in.as_secs_f64(),
        answered_in.as_secs_f64(),
        tally.figures(),
        started.elapsed().as_secs_f64()
    ));
    tally.assert_whole();
}

/// Rows of the outbox that wait for the bus.
async fn pending(stack: &Stack) -> usize {
    let rows = stack.metric(Victim::Api, "vitrine_outbox_pending").await.unwrap();
    format!("{rows:.0}").parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_postgresql_calls_are_refused_clearly_and_nothing_is_lost() {
    let _place = place().await;
    let started = Instant::now();
    let mut stack = Stack::separate(&Settings::default()).await.unwrap();
    let tally = Tally::default();
    let entered = shoppers(&stack, SHOPPERS, &tally).await;
    let key = stack.site.key("zadelhoek", "zadelhoek-nl").unwrap();
    let visitor = Shopper::enter(&stack.site, &key, &tally).await.unwrap();
    let asking = ask_all(entered);
    written(&tally, SHOPPERS).await;

    stack.kill(Victim::Postgres).unwrap();
    let (status, problem, took) = visitor.refusal().await.unwrap();
    assert_eq!((status.as_u16(), problem["code"].as_str()), (503, Some("unavailable")), "{problem}");
    assert!(problem["message"].as_str().is_some_and(|message| !message.contains("postgres")), "{problem}");
    assert!(took < REFUSED_MAX, "refused only after {took:?}");
    // What needs no database goes on.
    let client = stack.site.client().unwrap();
    let config = stack.site.get(&client, &format!("/api/chatbot-config?api_key={key}")).send().await.unwrap();
    assert_eq!(config.status(), 200);

    stack.restart(Victim::Postgres).await.unwrap();
    let back = Instant::now();
    let answers = asking.join_all().await;
    assert!(answers.iter().all(|(_, answer)| !answer.failed));
    say(&format!(
        "PostgreSQL away: {} {} after {:.1} s; all {SHOPPERS} answered {:.1} s after it was back; {}; {:.0} s",
        status.as_u16(),
        problem["code"],
        took.as_secs_f64(),
        back.elapsed().as_secs_f64(),
        tally.figures(),
        started.elapsed().as_secs_f64()
    ));
    tally.assert_whole();
}
