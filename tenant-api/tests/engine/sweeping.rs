//! What a crash or an outage left is put right: dispatched again, or ended honestly.

use futures::future::join_all;
use vitrine_domain::limits::{ATTEMPTS_MAX, DISPATCHES_MAX};
use vitrine_domain::{Language, TurnId, texts};
use vitrine_tenant_api::sweeper::expire_published_turns;

use crate::support::{Replica, Shop, attempt};

/// Acknowledges everything in the outbox, as if the bus had taken it (and lost it).
async fn published(replica: &Replica) {
    let mut transaction = replica.worker.worker().await.unwrap();
    sqlx::query("SELECT acknowledge_published(array_agg(outbox_id), interval '1 minute') FROM outbox")
        .execute(transaction.connection())
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

async fn state(shop: &Shop, turn: TurnId) -> (i64, i64) {
    let dispatches = format!("SELECT dispatches::bigint FROM turns WHERE turn_id = '{turn}'");
    let open = format!("SELECT count(*) FROM turns WHERE turn_id = '{turn}' AND state = 'dispatched'");
    (shop.number(&dispatches).await, shop.number(&open).await)
}

#[tokio::test]
async fn an_overdue_turn_goes_again_and_then_ends_honestly() {
    let shop = Shop::open(1).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;
    let next = replica.ask(&shop, thread, "next").await.unwrap().turn;
    for dispatch in 1..=i64::from(DISPATCHES_MAX) {
        assert_eq!(state(&shop, turn).await, (dispatch, 1));
        published(&replica).await;
        assert_eq!(shop.let_deadlines_pass().await, 1);
        replica.sweeper.sweep_overdue().await.unwrap();
    }

    assert_eq!(state(&shop, turn).await, (i64::from(DISPATCHES_MAX), 0));
    let said = replica.said(&shop, thread).await;
    let answer = said.iter().find(|message| message.message == turn.into()).unwrap();
    assert_eq!((answer.text.as_str(), answer.failed), (texts::failure(Language::Nl), true));
    assert_eq!(state(&shop, next).await, (1, 1), "the next turn goes");
    replica.end(&shop, turn, attempt(), "too late").await;
    assert_eq!(replica.said(&shop, thread).await.len(), 3);
}

#[tokio::test]
async fn attempts_are_bounded_too() {
    let shop = Shop::open(1).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;
    for _ in 0..ATTEMPTS_MAX {
        replica.start(&shop, turn, attempt()).await;
    }
    published(&replica).await;
    shop.let_deadlines_pass().await;
    replica.sweeper.sweep_overdue().await.unwrap();
    assert_eq!(state(&shop, turn).await, (1, 0));
    assert!(replica.said(&shop, thread).await[1].failed);
}

#[tokio::test]
async fn a_turn_in_time_and_one_that_waits_to_be_published_are_left_alone() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let (first, second) = (replica.thread(&shop).await, replica.thread(&shop).await);
    let in_time = replica.ask(&shop, first, "question").await.unwrap().turn;
    published(&replica).await;
    let waiting = replica.ask(&shop, second, "question").await.unwrap().turn;
    shop.sql("UPDATE turns SET dispatched_at = now() - interval '9 minutes'").await;

    replica.sweeper.sweep_overdue().await.unwrap();
    assert_eq!(state(&shop, in_time).await, (1, 1));
    assert_eq!(state(&shop, waiting).await, (1, 1));

    shop.sql("UPDATE turns SET dispatched_at = now() - interval '11 minutes'").await;
    replica.sweeper.sweep_overdue().await.unwrap();
    assert_eq!(state(&shop, in_time).await, (1, 1));
    assert_eq!(state(&shop, waiting).await, (1, 0), "not published for too long: ended honestly");
    assert!(replica.said(&shop, second).await[1].failed);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sweepers_do_the_same_work_once() {
    let shop = Shop::open(5).await;
    let replicas = [shop.replica().await, shop.replica().await];
    let mut turns = Vec::new();
    for _ in 0..5 {
        let thread = replicas[0].thread(&shop).await;
        turns.push(replicas[0].ask(&shop, thread, "question").await.unwrap().turn);
    }
    published(&replicas[0]).await;
    assert_eq!(shop.let_deadlines_pass().await, 5);

    let sweeps = (0..6).map(|number| {
        let sweeper = replicas[number % 2].sweeper.clone();
        tokio::spawn(async move { sweeper.sweep_overdue().await })
    });
    for swept in join_all(sweeps).await {
        swept.unwrap().unwrap();
    }
    for turn in turns {
        assert_eq!(state(&shop, turn).await, (2, 1));
    }
    assert_eq!(shop.number("SELECT count(*) FROM outbox").await, 5);
}

#[tokio::test]
async fn a_late_acknowledgement_of_an_earlier_dispatch_starts_no_deadline() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let turn = replica.ask(&shop, thread, "question").await.unwrap().turn;
    // Published, but the acknowledgement is slow; the deadline of an earlier publication passes.
    shop.sql("UPDATE turns SET deadline_at = '-infinity'").await;
    replica.sweeper.sweep_overdue().await.unwrap();
    assert_eq!(state(&shop, turn).await, (2, 1));

    let mut transaction = replica.worker.worker().await.unwrap();
    sqlx::query(
        "SELECT acknowledge_published(array_agg(outbox_id), interval '1 minute') FROM outbox WHERE dispatch = 1",
    )
    .execute(transaction.connection())
    .await
    .unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(shop.number("SELECT count(*) FROM turns WHERE deadline_at IS NULL").await, 1);
    published(&replica).await;
    assert_eq!(shop.number("SELECT count(*) FROM turns WHERE deadline_at > now()").await, 1);
}

#[tokio::test]
async fn a_restart_of_a_forgetful_bus_makes_what_was_on_it_overdue() {
    let shop = Shop::open(5).await;
    let before = shop.replica().await;
    let (first, second) = (before.thread(&shop).await, before.thread(&shop).await);
    let lost = before.ask(&shop, first, "on the bus").await.unwrap().turn;
    published(&before).await;
    let kept = before.ask(&shop, second, "in the outbox").await.unwrap().turn;
    drop(before);

    let after = shop.replica().await;
    assert_eq!(expire_published_turns(&after.worker).await.unwrap(), 1);
    after.sweeper.sweep_overdue().await.unwrap();
    assert_eq!(state(&shop, lost).await, (2, 1));
    assert_eq!(state(&shop, kept).await, (1, 1));
    assert_eq!(shop.number("SELECT count(*) FROM outbox WHERE kind = 'chat_requested'").await, 2);
}
