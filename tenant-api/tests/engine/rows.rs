//! Threads, leads and messages as the HTTP side reads and writes them.

use uuid::Uuid;
use vitrine_domain::{LeadId, ThreadId, ThreadState, VisitorId};
use vitrine_tenant_api::store::leads::{self, NewLead};
use vitrine_tenant_api::store::messages::{self, MESSAGES_AFTER_MAX};
use vitrine_tenant_api::store::threads::{self, NewThread};

use crate::support::{Shop, attempt};

#[tokio::test]
async fn a_lead_and_its_thread_are_found_by_their_visitor_only() {
    let shop = Shop::open(1).await;
    let replica = shop.replica().await;
    let mut transaction = replica.api.tenant(shop.merchant).await.unwrap();
    let new_lead = NewLead {
        lead: LeadId::new(Uuid::new_v4()),
        visitor: shop.visitor,
        chatbot: "zadelhoek-nl".to_owned(),
        agent_namespace: "customer_support".to_owned(),
        name: Some("Sanne".to_owned()),
        email: None,
        phone: Some("06 12345678".to_owned()),
        leadable_id: Some("41".to_owned()),
        leadable_type: Some("customer".to_owned()),
        consent_version: Some("2026-11".to_owned()),
    };
    let lead = leads::add(&mut transaction, new_lead).await.unwrap();
    let new_thread = NewThread {
        thread: ThreadId::new(Uuid::new_v4()),
        visitor: shop.visitor,
        chatbot: "zadelhoek-nl".to_owned(),
        agent_namespace: "customer_support".to_owned(),
        lead: Some(lead.lead),
    };
    let thread = threads::create(&mut transaction, new_thread).await.unwrap();
    assert_eq!((thread.state, thread.last_sequence, thread.lead), (ThreadState::Bot, 0, Some(lead.lead)));

    let found = leads::find(&mut transaction, lead.lead, shop.visitor).await.unwrap().unwrap();
    assert_eq!((found.name.as_deref(), found.phone.as_deref()), (Some("Sanne"), Some("06 12345678")));
    let found = threads::find(&mut transaction, thread.thread, shop.visitor).await.unwrap().unwrap();
    assert_eq!(found.created_at, thread.created_at);
    let stranger = VisitorId::new(Uuid::new_v4());
    assert!(leads::find(&mut transaction, lead.lead, stranger).await.unwrap().is_none());
    assert!(threads::find(&mut transaction, thread.thread, stranger).await.unwrap().is_none());
    transaction.commit().await.unwrap();

    let mut other_merchant = replica.api.tenant(Uuid::new_v4().into()).await.unwrap();
    assert!(leads::find(&mut other_merchant, lead.lead, shop.visitor).await.unwrap().is_none());
    assert!(threads::find(&mut other_merchant, thread.thread, shop.visitor).await.unwrap().is_none());
}

#[tokio::test]
async fn messages_are_listed_from_both_ends_in_pages() {
    let shop = Shop::open(1).await;
    let replica = shop.replica().await;
    let thread = replica.thread(&shop).await;
    for number in 0..60 {
        let turn = replica.ask(&shop, thread, &format!("question {number}")).await.unwrap().turn;
        replica.end(&shop, turn, attempt(), &format!("answer {number}")).await;
    }
    let mut transaction = replica.api.tenant(shop.merchant).await.unwrap();
    let sequences = |page: &[messages::StoredMessage]| page.iter().map(|one| one.sequence).collect::<Vec<_>>();

    let newest = messages::list(&mut transaction, thread, None, 3).await.unwrap();
    assert_eq!(sequences(&newest), [120, 119, 118]);
    let before = messages::list(&mut transaction, thread, Some(118), 2).await.unwrap();
    assert_eq!(sequences(&before), [117, 116]);
    let after = messages::after(&mut transaction, thread, 0).await.unwrap();
    assert_eq!(after.len(), MESSAGES_AFTER_MAX);
    assert_eq!(after[0].sequence, 1);
    assert_eq!(sequences(&messages::after(&mut transaction, thread, 117).await.unwrap()), [118, 119, 120]);

    let answer = messages::answer(&mut transaction, newest[0].turn.unwrap()).await.unwrap().unwrap();
    assert_eq!((answer.sequence, answer.text.as_str()), (120, "answer 59"));
    let not_a_turn = newest[1].message.as_uuid().into();
    assert!(messages::answer(&mut transaction, not_a_turn).await.unwrap().is_none(), "a question is no answer");
}
