//! Which turns go, and that no interleaving of many clients on several replicas breaks the cap, loses a turn or answers
//! before the question.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::join_all;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use vitrine_domain::{AttemptId, Role, ThreadId, TurnId};
use vitrine_tenant_api::store::messages::StoredMessage;
use vitrine_tenant_api::turns::AcceptError;

use crate::support::{Replica, Shop, attempt};

/// Only a failure takes this long.
const ALL_WITHIN: Duration = Duration::from_mins(1);

#[tokio::test]
async fn the_oldest_turn_goes_first_and_never_two_of_a_thread() {
    let shop = Shop::open(2).await;
    let replica = shop.replica().await;
    let threads = [replica.thread(&shop).await, replica.thread(&shop).await, replica.thread(&shop).await];
    let first = replica.ask(&shop, threads[0], "first").await.unwrap();
    let second = replica.ask(&shop, threads[0], "second").await.unwrap();
    let third = replica.ask(&shop, threads[1], "third").await.unwrap();
    let fourth = replica.ask(&shop, threads[2], "fourth").await.unwrap();
    assert_eq!(dispatched(&shop, &[&first, &second, &third, &fourth].map(|one| one.turn)).await, [1, 0, 1, 0]);

    replica.end(&shop, third.turn, attempt(), "answer").await;
    assert_eq!(dispatched(&shop, &[second.turn, fourth.turn]).await, [0, 1], "the second's thread is taken");
    replica.end(&shop, first.turn, attempt(), "answer").await;
    assert_eq!(dispatched(&shop, &[second.turn, fourth.turn]).await, [1, 1]);
}

#[tokio::test]
async fn a_merchant_that_is_not_known_now_goes_on_one_by_one() {
    let shop = Shop::open(2).await;
    let replica = shop.replica().await;
    let mut turns = Vec::new();
    for _ in 0..4 {
        let thread = replica.thread(&shop).await;
        turns.push(replica.ask(&shop, thread, "question").await.unwrap().turn);
    }
    shop.config.concurrent_answers.store(0, Ordering::Relaxed);
    replica.end(&shop, turns[0], attempt(), "answer").await;
    assert_eq!(dispatched(&shop, &turns).await, [0, 1, 0, 0]);
    replica.end(&shop, turns[1], attempt(), "answer").await;
    assert_eq!(dispatched(&shop, &turns).await, [0, 0, 1, 0]);
    assert_eq!(shop.number("SELECT min(config_sequence) FROM turns").await, 7, "the config of acceptance is kept");
}

#[tokio::test]
async fn a_raised_cap_is_used_by_the_sweeper() {
    let shop = Shop::open(1).await;
    let replica = shop.replica().await;
    let mut turns = Vec::new();
    for _ in 0..4 {
        let thread = replica.thread(&shop).await;
        turns.push(replica.ask(&shop, thread, "question").await.unwrap().turn);
    }
    shop.config.concurrent_answers.store(3, Ordering::Relaxed);
    replica.sweeper.dispatch_queued().await.unwrap();
    assert_eq!(dispatched(&shop, &turns).await, [1, 0, 0, 0], "young queues are left alone");

    shop.sql("UPDATE turns SET created_at = created_at - interval '10 seconds'").await;
    replica.sweeper.dispatch_queued().await.unwrap();
    assert_eq!(dispatched(&shop, &turns).await, [1, 1, 1, 0]);
}

/// 24 clients on three replicas that publish what they write, six threads, a cap of 3, workers that close turns as they
/// are dispatched and watch the cap, and sweepers that find everything overdue.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_clients_on_several_replicas_keep_cap_order_and_every_turn() {
    const CAP: u32 = 3;
    const CLIENTS: usize = 24;
    const QUESTIONS: usize = 5;
    let shop = Arc::new(Shop::open(CAP).await);
    let (mut replicas, mut publishing) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let mut replica = shop.replica().await;
        publishing.push(replica.publish());
        replicas.push(Arc::new(replica));
    }
    let mut threads = Vec::new();
    for _ in 0..6 {
        threads.push(replicas[0].thread(&shop).await);
    }

    let asked = CancellationToken::new();
    let answering: Vec<_> = (0..3)
        .map(|number| {
            let (shop, replica, asked) = (shop.clone(), replicas[number].clone(), asked.clone());
            tokio::spawn(async move {
                loop {
                    let all_asked = asked.is_cancelled();
                    let open = open_turns(&shop).await;
                    assert!(open.len() <= CAP as usize, "{} answers at a cap of {CAP}", open.len());
                    shop.let_deadlines_pass().await;
                    replica.sweeper.sweep_overdue().await.unwrap();
                    for turn in &open {
                        replica.end(&shop, *turn, AttemptId::new(turn.as_uuid()), "answer").await;
                    }
                    if all_asked && open.is_empty() {
                        return;
                    }
                }
            })
        })
        .collect();
    let clients = (0..CLIENTS).map(|number| {
        let (shop, replica, threads) = (shop.clone(), replicas[number % 3].clone(), threads.clone());
        tokio::spawn(async move {
            for question in 0..QUESTIONS {
                let thread = threads[(number + question) % threads.len()];
                ask_patiently(&replica, &shop, thread).await;
            }
        })
    });
    let asking = timeout(ALL_WITHIN, join_all(clients)).await.expect("every question to be accepted");
    asking.into_iter().for_each(Result::unwrap);
    asked.cancel();
    let answering = timeout(ALL_WITHIN, join_all(answering)).await.expect("every turn to close");
    answering.into_iter().for_each(Result::unwrap);

    let open = "SELECT count(*) FROM turns WHERE state NOT IN ('done', 'failed')";
    assert_eq!(shop.number(open).await, 0, "nothing is stranded");
    let deadlocks = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";
    assert_eq!(shop.number(deadlocks).await, 0);
    assert_eq!(
        shop.number("SELECT count(*) FROM messages WHERE role = 'human'").await,
        i64::try_from(CLIENTS * QUESTIONS).unwrap()
    );
    drop(publishing);
    for thread in threads {
        assert_in_order(&replicas[0].said(&shop, thread).await);
    }
}

/// Asks until there is room in the thread's queued turn, too.
async fn ask_patiently(replica: &Replica, shop: &Shop, thread: ThreadId) {
    loop {
        match replica.ask(shop, thread, "question").await {
            Ok(_) => return,
            Err(AcceptError::TooManyWaiting { .. } | AcceptError::TurnFull) => tokio::task::yield_now().await,
            Err(error) => panic!("{error:?}"),
        }
    }
}

/// Sequences without a gap; every answer once, behind all questions of its turn.
fn assert_in_order(said: &[StoredMessage]) {
    for (index, message) in said.iter().enumerate() {
        assert_eq!(message.sequence, i64::try_from(index + 1).unwrap());
        if message.role == Role::Human {
            let answers: Vec<i64> = said
                .iter()
                .filter(|other| other.role == Role::Ai && other.turn == message.turn)
                .map(|answer| answer.sequence)
                .collect();
            assert_eq!(answers.len(), 1, "one answer to each question");
            assert!(answers[0] > message.sequence, "no answer before its question");
        }
    }
}

/// For each turn 1 if it is dispatched, else 0.
async fn dispatched(shop: &Shop, turns: &[TurnId]) -> Vec<i64> {
    let mut states = Vec::new();
    for turn in turns {
        let query = format!("SELECT count(*) FROM turns WHERE turn_id = '{turn}' AND state = 'dispatched'");
        states.push(shop.number(&query).await);
    }
    states
}

async fn open_turns(shop: &Shop) -> Vec<TurnId> {
    shop.ids("SELECT turn_id FROM turns WHERE state = 'dispatched'").await.into_iter().map(TurnId::new).collect()
}
