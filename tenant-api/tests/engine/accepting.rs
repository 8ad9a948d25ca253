//! A shopper's message is stored with its turn, or refused with a reason.

use sqlx::Connection;
use uuid::Uuid;
use vitrine_domain::limits::{MERCHANT_WAITERS_MAX, MESSAGES_PER_TURN_MAX};
use vitrine_domain::{Role, ThreadId, ThreadState, VisitorId};
use vitrine_tenant_api::outbox::OutboxSettings;
use vitrine_tenant_api::store::turns;
use vitrine_tenant_api::turns::AcceptError;
use vitrine_testkit::eventually;

use crate::support::{Shop, attempt, connect_as_owner};

const SOON: std::time::Duration = std::time::Duration::from_mins(1);

#[tokio::test]
async fn a_message_is_stored_and_its_turn_goes_at_once() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;

    let accepted = replica.ask(&shop, thread, "Zijn jullie maandag open?").await.unwrap();

    assert_eq!((accepted.question_sequence, accepted.thread_state), (1, ThreadState::Bot));
    let said = replica.said(&shop, thread).await;
    assert_eq!(said.len(), 1);
    assert_eq!((said[0].message, said[0].turn, said[0].role), (accepted.question, Some(accepted.turn), Role::Human));
    assert_eq!(said[0].text, "Zijn jullie maandag open?");
    let mut transaction = replica.api.tenant(shop.merchant).await.unwrap();
    let open = turns::open(&mut transaction, thread).await.unwrap();
    let dispatched = open.dispatched.unwrap();
    assert_eq!((dispatched.turn, dispatched.answer_sequence), (accepted.turn, Some(2)));
    assert!(open.queued.is_none());
    assert_eq!(shop.number("SELECT count(*) FROM outbox WHERE kind = 'chat_requested' AND dispatch = 1").await, 1);
}

#[tokio::test]
async fn messages_sent_meanwhile_join_one_queued_turn_and_its_answer_stands_behind_them_all() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    let first = replica.ask(&shop, thread, "Hallo").await.unwrap();
    let second = replica.ask(&shop, thread, "Hebben jullie kinderzitjes?").await.unwrap();
    let third = replica.ask(&shop, thread, "Voor achterop").await.unwrap();
    assert_ne!(second.turn, first.turn);
    assert_eq!(third.turn, second.turn);

    replica.end(&shop, first.turn, attempt(), "Hallo!").await;
    replica.end(&shop, second.turn, attempt(), "Ja.").await;

    let said: Vec<(i64, String)> =
        replica.said(&shop, thread).await.into_iter().map(|message| (message.sequence, message.text)).collect();
    let expected = [(1, "Hallo"), (2, "Hallo!"), (3, "Hebben jullie kinderzitjes?"), (4, "Voor achterop"), (5, "Ja.")];
    assert_eq!(said, expected.map(|(sequence, text)| (sequence, text.to_owned())));
}

#[tokio::test]
async fn a_queued_turn_takes_in_only_so_many_messages() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    replica.ask(&shop, thread, "first").await.unwrap();
    for _ in 0..MESSAGES_PER_TURN_MAX {
        replica.ask(&shop, thread, "more").await.unwrap();
    }

    assert!(matches!(replica.ask(&shop, thread, "too much").await, Err(AcceptError::TurnFull)));
    assert_eq!(replica.said(&shop, thread).await.len(), 11);
    assert_eq!(shop.number("SELECT last_sequence FROM threads").await, 12, "a refused message takes no sequence");
}

#[tokio::test]
async fn a_thread_of_another_visitor_or_merchant_is_absent() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;

    let mut other_visitor = shop.question(thread, "hello");
    other_visitor.visitor = VisitorId::new(Uuid::new_v4());
    let mut other_merchant = shop.question(thread, "hello");
    other_merchant.merchant = Uuid::new_v4().into();
    let unknown = shop.question(ThreadId::new(Uuid::new_v4()), "hello");
    for question in [other_visitor, other_merchant, unknown] {
        assert!(matches!(replica.turns.accept(question).await, Err(AcceptError::ThreadNotFound)));
    }
    assert_eq!(shop.number("SELECT count(*) FROM messages").await, 0);
}

#[tokio::test]
async fn a_thread_that_is_not_the_bots_says_so() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    shop.sql("UPDATE threads SET state = 'closed'").await;
    let refused = replica.ask(&shop, thread, "hello").await;
    assert!(matches!(refused, Err(AcceptError::ThreadNotOpen(ThreadState::Closed))));
}

#[tokio::test]
async fn every_character_is_stored_but_nul() {
    let shop = Shop::open(5).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    replica.ask(&shop, thread, "a\0b \u{1F6B2} \u{200C}سلام \u{FFFF} '\"\\").await.unwrap();
    assert_eq!(replica.said(&shop, thread).await[0].text, "ab \u{1F6B2} \u{200C}سلام \u{FFFF} '\"\\");
}

#[tokio::test]
async fn a_full_outbox_refuses_messages_until_it_has_drained() {
    let shop = Shop::open(50).await;
    shop.bus.go_away(true);
    let settings = OutboxSettings { rows_max: 2, ..OutboxSettings::default() };
    let mut replica = shop.replica_with(settings).await;
    let (first, second) = (replica.thread(&shop).await, replica.thread(&shop).await);
    replica.ask(&shop, first, "one").await.unwrap();
    replica.ask(&shop, second, "two").await.unwrap();

    let running = replica.publish();
    eventually(SOON, "the backlog is seen", || async { replica.outbox.is_full() }).await;
    assert!(matches!(replica.ask(&shop, first, "three").await, Err(AcceptError::Backlog)));

    shop.bus.go_away(false);
    eventually(SOON, "the backlog is gone", || async { !replica.outbox.is_full() }).await;
    replica.ask(&shop, first, "three").await.unwrap();
    drop(running);
}

#[tokio::test]
async fn only_a_few_transactions_of_a_merchant_wait_for_its_row() {
    let shop = Shop::open(50).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    replica.ask(&shop, thread, "first").await.unwrap();
    let waiting = "SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
                    WHERE NOT granted AND datname = current_database()";

    let mut holder = connect_as_owner(&shop.database, shop.merchant).await;
    let mut held = holder.begin().await.unwrap();
    sqlx::query("SELECT FROM merchants FOR UPDATE").execute(&mut *held).await.unwrap();
    let waiters: Vec<_> = (0..MERCHANT_WAITERS_MAX)
        .map(|number| {
            let (turns, question) = (replica.turns.clone(), shop.question(thread, &format!("waiting {number}")));
            tokio::spawn(async move { turns.accept(question).await })
        })
        .collect();
    eventually(SOON, "all that may are waiting", || async {
        shop.number(waiting).await == i64::try_from(MERCHANT_WAITERS_MAX).unwrap()
    })
    .await;

    assert!(matches!(replica.ask(&shop, thread, "one too many").await, Err(AcceptError::TooManyWaiting { .. })));
    let other_merchant = Uuid::new_v4().into();
    let other_thread = replica.thread_of(other_merchant, shop.visitor).await;
    let mut of_another = shop.question(other_thread, "not concerned");
    of_another.merchant = other_merchant;
    replica.turns.accept(of_another).await.unwrap();

    held.commit().await.unwrap();
    for waiter in waiters {
        waiter.await.unwrap().unwrap();
    }
    replica.ask(&shop, thread, "now there is room").await.unwrap();
}
