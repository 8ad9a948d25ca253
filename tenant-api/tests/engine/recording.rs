//! What runtimes report is stored once, whatever comes twice, late or wrong.

use std::time::Duration;

use bytes::Bytes;
use uuid::Uuid;
use vitrine_bus::{Handler, Outcome};
use vitrine_domain::limits::ANSWER_BYTES_MAX;
use vitrine_domain::{Answer, Source, SourceKind, ThreadEventBody, TurnId};
use vitrine_testkit::{Postgres, TestDatabase, eventually};

use crate::support::{Config, Shop, attempt, delivery};

fn end(answer: Answer) -> ThreadEventBody {
    ThreadEventBody::End { attempt: attempt(), dispatch: 1, answer }
}

#[tokio::test]
async fn an_answer_is_stored_with_its_sources_and_announced() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "Wat kost een band?").await.unwrap().turn;
    let source = Source {
        number: 1,
        title: "Prijslijst".to_owned(),
        url: Some("https://zadelhoek.example/prijzen".to_owned()),
        kind: SourceKind::Document,
    };
    let answer = Answer { text: "25 euro [1].".to_owned(), sources: vec![source], ..Answer::default() };

    assert_eq!(replica.handle(&shop, turn, end(answer.clone())).await, Outcome::Done);

    let said = replica.said(&shop, thread).await;
    assert_eq!((said[1].message, said[1].sequence, &said[1].text), (turn.into(), 2, &answer.text));
    assert_eq!(said[1].sources, answer.sources);
    assert!(!said[1].refused && !said[1].failed && !said[1].is_closing);
    assert_eq!(shop.number("SELECT count(*) FROM outbox WHERE kind = 'stored'").await, 1);
    assert_eq!(shop.number("SELECT count(*) FROM turns WHERE state = 'done' AND stored_attempt IS NOT NULL").await, 1);
    assert!(metric(&replica.registry, "vitrine_turn_duration_seconds") == 1);
}

#[tokio::test]
async fn an_end_that_comes_again_changes_nothing() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;
    let next = replica.ask(&shop, thread, "next").await.unwrap().turn;
    let record = delivery(shop.merchant, turn, end(Answer { text: "first".to_owned(), ..Answer::default() }));
    for _ in 0..3 {
        assert_eq!(replica.recorder.handle(&record).await, Outcome::Done);
    }
    replica.end(&shop, turn, attempt(), "of another attempt").await;

    let texts: Vec<String> = replica.said(&shop, thread).await.into_iter().map(|message| message.text).collect();
    assert_eq!(texts, ["question", "first", "next"].map(str::to_owned));
    assert_eq!(shop.number("SELECT count(*) FROM outbox WHERE kind = 'stored'").await, 1);
    let requests = format!("SELECT count(*) FROM outbox WHERE kind = 'chat_requested' AND turn_id = '{next}'");
    assert_eq!(shop.number(&requests).await, 1);
}

#[tokio::test]
async fn an_attempt_counts_once_however_often_it_is_announced() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;
    let (first, second) = (attempt(), attempt());
    for announced in [first, first, second, first, second] {
        replica.start(&shop, turn, announced).await;
    }
    assert_eq!(shop.number("SELECT attempts::bigint FROM turns").await, 2);

    replica.end(&shop, turn, first, "answer").await;
    replica.start(&shop, turn, attempt()).await;
    assert_eq!(shop.number("SELECT attempts::bigint FROM turns").await, 2, "a closed turn counts no more");
}

#[tokio::test]
async fn refusals_and_failures_are_told_apart() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let first = replica.ask(&shop, thread, "one").await.unwrap().turn;
    let second = replica.ask(&shop, thread, "two").await.unwrap().turn;
    replica.handle(&shop, first, end(Answer { text: "no".to_owned(), refused: true, ..Answer::default() })).await;
    replica.handle(&shop, second, end(Answer { text: "sorry".to_owned(), failed: true, ..Answer::default() })).await;

    let said = replica.said(&shop, thread).await;
    let flags: Vec<_> = said.iter().map(|message| (message.text.as_str(), message.refused, message.failed)).collect();
    assert_eq!(flags, [("one", false, false), ("no", true, false), ("two", false, false), ("sorry", false, true)]);
    assert_eq!(shop.number("SELECT count(*) FROM turns WHERE state = 'failed'").await, 1);
}

#[tokio::test]
async fn a_longer_answer_is_cut_and_readers_are_sent_to_what_is_stored() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;
    replica.end(&shop, turn, attempt(), &"a".repeat(ANSWER_BYTES_MAX + 1)).await;
    assert_eq!(replica.said(&shop, thread).await[1].text.len(), ANSWER_BYTES_MAX);
    let without_attempt = "SELECT count(*) FROM outbox WHERE kind = 'stored' AND body ->> 'attempt' IS NULL";
    assert_eq!(shop.number(without_attempt).await, 1);
}

#[tokio::test]
async fn an_unknown_turn_and_one_of_another_merchant_are_done_without_effect() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;

    let unknown = TurnId::new(Uuid::new_v4());
    assert_eq!(replica.handle(&shop, unknown, end(Answer::default())).await, Outcome::Done);
    let foreign = delivery(Uuid::new_v4().into(), turn, end(Answer::default()));
    assert_eq!(replica.recorder.handle(&foreign).await, Outcome::Done);
    assert_eq!(shop.number("SELECT count(*) FROM turns WHERE state = 'dispatched'").await, 1);
    assert_eq!(shop.number("SELECT count(*) FROM messages").await, 1);
}

#[tokio::test]
async fn a_record_that_is_none_is_poison() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let mut broken = delivery(shop.merchant, TurnId::new(Uuid::new_v4()), end(Answer::default()));
    broken.record.payload = Bytes::from_static(b"{\"version\": 1}");
    assert!(matches!(replica.recorder.handle(&broken).await, Outcome::Poison { .. }));
}

#[tokio::test]
async fn an_answer_waits_for_a_database_that_was_killed() {
    let mut server = Postgres::start().await.unwrap();
    let database = TestDatabase::create_on(&server.superuser_url()).await.unwrap();
    let config = Config { concurrent_answers: 5.into(), messages_per_minute: 100 };
    let shop = Shop::open_on(database, config).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;
    let record = delivery(shop.merchant, turn, end(Answer { text: "answer".to_owned(), ..Answer::default() }));

    server.server.kill().unwrap();
    assert!(matches!(replica.recorder.handle(&record).await, Outcome::Retry { .. }));

    server.server.restart().await.unwrap();
    let recorded = || async { replica.recorder.handle(&record).await == Outcome::Done };
    eventually(Duration::from_mins(1), "the answer is stored", recorded).await;
    let texts: Vec<String> = replica.said(&shop, thread).await.into_iter().map(|message| message.text).collect();
    assert_eq!(texts, ["question", "answer"]);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn a_write_that_can_never_succeed_is_poison() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;
    shop.sql("UPDATE messages SET sequence = 2").await;

    let Outcome::Poison { reason } = replica.handle(&shop, turn, end(Answer::default())).await else {
        panic!("the answer's sequence is taken");
    };
    assert_eq!(reason, "failed to add an answer: PostgreSQL says 23505");
}

fn metric(registry: &prometheus::Registry, name: &str) -> u64 {
    let families = registry.gather();
    let family = families.iter().find(|family| family.name() == name).expect("the metric");
    family.get_metric().iter().map(|metric| metric.get_histogram().get_sample_count()).sum()
}
