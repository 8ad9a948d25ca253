//! `messagesPerMinute` is exact, however many replicas a merchant's shoppers meet.

use std::time::Duration;

use futures::future::join_all;
use vitrine_tenant_api::turns::AcceptError;

use crate::support::{Config, Shop};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_accept_exactly_the_minutes_messages() {
    let shop = Shop::open_with(Config { concurrent_answers: 20.into(), messages_per_minute: 7 }).await;
    let replicas = [shop.replica().await, shop.replica().await];
    let mut clients = Vec::new();
    for number in 0..20 {
        let replica = &replicas[number % 2];
        let question = shop.question(replica.thread(&shop).await, "hello");
        let turns = replica.turns.clone();
        clients.push(tokio::spawn(async move {
            loop {
                match turns.accept(question.clone()).await {
                    Ok(_) => return None,
                    Err(AcceptError::RateLimited { retry_after }) => return Some(retry_after),
                    Err(AcceptError::TooManyWaiting { .. }) => tokio::task::yield_now().await,
                    Err(error) => panic!("{error:?}"),
                }
            }
        }));
    }
    let refused: Vec<Duration> = join_all(clients).await.into_iter().filter_map(Result::unwrap).collect();

    assert_eq!(refused.len(), 13);
    assert_eq!(shop.number("SELECT count(*) FROM messages").await, 7);
    let share = Duration::from_mins(1) / 7;
    assert!(refused.iter().all(|retry_after| !retry_after.is_zero() && *retry_after <= share), "{refused:?}");
}

#[tokio::test]
async fn one_share_of_the_minute_later_one_message_goes() {
    let shop = Shop::open_with(Config { concurrent_answers: 20.into(), messages_per_minute: 3 }).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    for _ in 0..3 {
        replica.ask(&shop, thread, "hello").await.unwrap();
    }
    assert!(matches!(replica.ask(&shop, thread, "hello").await, Err(AcceptError::RateLimited { .. })));

    shop.sql("UPDATE merchants SET messages_allowed_at = messages_allowed_at - interval '20 seconds'").await;
    replica.ask(&shop, thread, "hello").await.unwrap();
    assert!(matches!(replica.ask(&shop, thread, "hello").await, Err(AcceptError::RateLimited { .. })));

    shop.sql("UPDATE merchants SET messages_allowed_at = messages_allowed_at - interval '1 hour'").await;
    for _ in 0..3 {
        replica.ask(&shop, thread, "a long pause does not save up").await.unwrap();
    }
    assert!(matches!(replica.ask(&shop, thread, "hello").await, Err(AcceptError::RateLimited { .. })));
}
