//! A repeated request never acts twice.

use futures::future::join_all;
use uuid::Uuid;
use vitrine_domain::{MessageId, ThreadId, TurnId, VisitorId};
use vitrine_tenant_api::turns::{Accept, AcceptError, Accepted, Idempotency, Turns};

use crate::support::{Shop, attempt};

fn keyed(shop: &Shop, thread: ThreadId, key: &str, body: u8) -> Accept {
    let idempotency =
        Idempotency { key: key.to_owned(), route: "POST /api/messages".to_owned(), body_hash: [body; 32] };
    Accept { idempotency: Some(idempotency), ..shop.question(thread, "Wat kost een band?") }
}

async fn patiently(turns: Turns, accept: Accept) -> Accepted {
    loop {
        match turns.accept(accept.clone()).await {
            Ok(accepted) => return accepted,
            Err(AcceptError::TooManyWaiting { .. }) => tokio::task::yield_now().await,
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_requests_with_one_key_at_once_store_one_message() {
    let shop = Shop::open(5).await;
    let replicas = [shop.replica().await, shop.replica().await];
    let thread = replicas[0].thread(&shop).await;

    let clients = (0..8)
        .map(|number| tokio::spawn(patiently(replicas[number % 2].turns.clone(), keyed(&shop, thread, "same", 1))));
    let accepted: Vec<Accepted> = join_all(clients).await.into_iter().map(Result::unwrap).collect();

    assert_eq!(accepted.iter().filter(|accepted| !accepted.replayed).count(), 1);
    for one in &accepted {
        assert_eq!((one.turn, one.question, one.question_sequence), (accepted[0].turn, accepted[0].question, 1));
    }
    assert_eq!(shop.number("SELECT count(*) FROM messages").await, 1);
    assert_eq!(shop.number("SELECT count(*) FROM outbox").await, 1);
}

#[tokio::test]
async fn another_body_with_the_same_key_is_refused() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    replica.turns.accept(keyed(&shop, thread, "key", 1)).await.unwrap();

    let refused = replica.turns.accept(keyed(&shop, thread, "key", 2)).await;
    assert!(matches!(refused, Err(AcceptError::IdempotencyMismatch)));
    assert_eq!(shop.number("SELECT count(*) FROM messages").await, 1);
}

#[tokio::test]
async fn keys_of_other_visitors_and_routes_are_other_keys() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let first = replica.turns.accept(keyed(&shop, thread, "key", 1)).await.unwrap();

    let mut other_route = keyed(&shop, thread, "key", 2);
    other_route.idempotency.as_mut().unwrap().route = "POST /api/other".to_owned();
    assert!(!replica.turns.accept(other_route).await.unwrap().replayed);

    let visitor = VisitorId::new(Uuid::new_v4());
    let their_thread = replica.thread_of(shop.merchant, visitor).await;
    let theirs = Accept { visitor, ..keyed(&shop, their_thread, "key", 3) };
    let theirs = replica.turns.accept(theirs).await.unwrap();
    assert!(!theirs.replayed);
    assert_ne!(theirs.question, first.question);
}

#[tokio::test]
async fn a_retry_meets_the_closed_turn_again() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let first = replica.turns.accept(keyed(&shop, thread, "key", 1)).await.unwrap();
    replica.end(&shop, first.turn, attempt(), "25 euro.").await;

    let again = replica.turns.accept(keyed(&shop, thread, "key", 1)).await.unwrap();
    assert_eq!(again, Accepted { replayed: true, ..first });
}

#[tokio::test]
async fn an_expired_key_is_a_new_one_and_is_deleted_in_time() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    for key in ["old", "older", "young"] {
        replica.turns.accept(keyed(&shop, thread, key, 1)).await.unwrap();
    }
    shop.sql("UPDATE idempotency_keys SET created_at = now() - interval '25 hours' WHERE key <> 'young'").await;

    let renewed = replica.turns.accept(keyed(&shop, thread, "old", 9)).await.unwrap();
    assert!(!renewed.replayed);
    replica.sweeper.delete_expired_keys().await.unwrap();
    assert_eq!(shop.number("SELECT count(*) FROM idempotency_keys WHERE key IN ('old', 'young')").await, 2);
    assert_eq!(shop.number("SELECT count(*) FROM idempotency_keys").await, 2);
}

#[tokio::test]
async fn a_refused_request_leaves_its_key_unused() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let unknown = keyed(&shop, ThreadId::new(Uuid::new_v4()), "key", 1);
    assert!(matches!(replica.turns.accept(unknown).await, Err(AcceptError::ThreadNotFound)));

    let accept = Accept {
        message: MessageId::new(Uuid::now_v7()),
        turn: TurnId::new(Uuid::now_v7()),
        ..keyed(&shop, thread, "key", 2)
    };
    assert!(!replica.turns.accept(accept).await.unwrap().replayed);
}
