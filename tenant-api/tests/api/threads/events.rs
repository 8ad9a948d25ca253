//! `GET /api/threads/{uuid}/events`

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::sse::Shown;
use crate::support::{Answer, Shopper, Stack, shops};

#[tokio::test]
async fn an_answer_is_told_while_it_is_written_and_the_stream_ends_with_it() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    shopper.ask(&thread, "Wanneer?").await.data(202);
    let asked = stack.runtime.asked().await;
    let stream = shopper.events(&thread, None).await;
    asked.answer("Op vrijdag. [1]").await;

    let events = stream.rest().await;
    let names: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["log", "message", "message", "message", "message", "command"]);
    assert_eq!(events[0].data, json!({"level": "info", "text": "searching"}));
    assert_eq!(events[0].id, None);
    let mut shown = Shown::default();
    for event in &events {
        shown.take(event);
    }
    assert_eq!(shown, Shown { text: "Op vrijdag. [1]".to_owned(), is_stored: true });
    let stored = &events[4];
    assert_eq!(stored.id.as_deref(), Some("2.stored.0"));
    assert_eq!((&stored.data["replace"], &stored.data["sources"][0]["number"]), (&json!(true), &json!(1)));
    let end = json!({"name": "END", "uuid": asked.turn.to_string(), "is_closing": false, "state": "bot"});
    assert_eq!((&events[5].data, events[5].id.as_deref()), (&end, Some("2.stored.0")));
}

#[tokio::test]
async fn a_reader_goes_on_exactly_where_it_was() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    shopper.ask(&thread, "Wanneer?").await.data(202);
    let asked = stack.runtime.asked().await;
    let attempt = asked.start().await;
    let mut stream = shopper.events(&thread, Some("1.stored.0")).await;
    asked.piece(attempt, 0, "Op vrij").await;
    let first = stream.until("message").await.pop().unwrap();
    drop(stream);
    asked.piece(attempt, 7, "dag ✓").await;

    let mut shown = Shown::default();
    shown.take(&first);
    let mut stream = shopper.events(&thread, first.id.as_deref()).await;
    let next = stream.until("message").await.pop().unwrap();
    shown.take(&next);
    while shown.text != "Op vrijdag ✓" {
        shown.take(&stream.next().await.unwrap());
    }
    assert_eq!(next.data["replace"], false, "a continuation");

    // Somebody who comes now is told everything.
    let mut newcomer = shopper.events(&thread, None).await;
    assert_eq!(newcomer.next().await.unwrap().text(), "Op vrijdag ✓");

    asked.end(attempt, "Op vrijdag ✓ om tien uur.").await;
    for event in stream.rest().await {
        shown.take(&event);
    }
    assert_eq!(shown, Shown { text: "Op vrijdag ✓ om tien uur.".to_owned(), is_stored: true });
}

#[tokio::test]
async fn a_new_attempt_voids_the_old_one() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    shopper.ask(&thread, "Wanneer?").await.data(202);
    let asked = stack.runtime.asked().await;
    let mut stream = shopper.events(&thread, Some("1.stored.0")).await;
    let killed = asked.start().await;
    asked.piece(killed, 0, "Ik denk").await;
    let seen = stream.until("message").await.pop().unwrap();
    let second = asked.start().await;
    asked.piece(killed, 7, " dat").await;
    asked.piece(second, 0, "Vrijdag").await;

    let mut shown = Shown::default();
    shown.take(&seen);
    let void = stream.next().await.unwrap();
    assert_eq!((void.text(), &void.data["replace"]), ("", &json!(true)));
    shown.take(&void);
    assert_eq!(stream.next().await.unwrap().data["text"], "retrying");
    shown.take(&stream.next().await.unwrap());
    assert_eq!(shown.text, "Vrijdag");

    // Whoever was away meanwhile gets the whole new text instead.
    let mut late = shopper.events(&thread, seen.id.as_deref()).await;
    let whole = late.next().await.unwrap();
    assert_eq!((whole.text(), &whole.data["replace"]), ("Vrijdag", &json!(true)));
}

#[tokio::test]
async fn what_is_over_is_told_at_once() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    let nothing = shopper.events(&thread, None).await.rest().await;
    assert_eq!(nothing.len(), 1, "{nothing:?}");
    assert_eq!(nothing[0].data, json!({"name": "END", "uuid": null, "is_closing": false, "state": "bot"}));

    stack.runtime.answer_always("Ja.");
    shopper.post("/api/messages", Shopper::message(&thread, "Een?")).await.data(200);
    shopper.post("/api/messages", Shopper::message(&thread, "Twee?")).await.data(200);

    let newcomer = shopper.events(&thread, None).await.rest().await;
    assert_eq!(newcomer.len(), 1, "no history without an id: {newcomer:?}");
    assert_eq!(newcomer[0].id.as_deref(), Some("4.stored.0"));

    let resumed = shopper.events(&thread, Some("1.stored.0")).await.rest().await;
    let ids: Vec<_> = resumed.iter().map(|event| (event.name.as_str(), event.id.as_deref().unwrap())).collect();
    let expected = [
        ("message", "2.stored.0"),
        ("command", "2.stored.0"),
        ("message", "3.stored.0"),
        ("message", "4.stored.0"),
        ("command", "4.stored.0"),
    ];
    assert_eq!(ids, expected);
    let far = shopper.events(&thread, Some("900.stored.0")).await.rest().await;
    assert_eq!(far.len(), 1, "{far:?}");
}

#[tokio::test]
async fn the_stream_stays_for_the_question_that_waits() {
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    shopper.ask(&thread, "Een?").await.data(202);
    let first = stack.runtime.asked().await;
    let stream = shopper.events(&thread, Some("1.stored.0")).await;
    shopper.ask(&thread, "Twee?").await.data(202);
    first.answer("Ja.").await;
    stack.runtime.answer("Nee.").await;
    let told: Vec<(String, String)> = stream
        .rest()
        .await
        .into_iter()
        .filter_map(|event| event.id.clone().filter(|id| id.ends_with(".stored.0")).map(|id| (event.name, id)))
        .collect();
    let expected = [("message", 2), ("command", 2), ("message", 3), ("message", 4), ("command", 4)];
    let expected: Vec<(String, String)> =
        expected.into_iter().map(|(name, sequence)| (name.to_owned(), format!("{sequence}.stored.0"))).collect();
    assert_eq!(told, expected);
}

#[tokio::test]
async fn readers_that_break_off_anywhere_lose_and_double_nothing() {
    const TEXT: &str = "Uw fiets staat vrijdag om tien uur klaar in de werkplaats. [1]";
    let stack = Stack::start().await;
    let mut shopper = stack.shopper(shops::DUTCH).await;
    let thread = shopper.begin().await;
    shopper.ask(&thread, "Wanneer?").await.data(202);
    let asked = stack.runtime.asked().await;
    let writer = tokio::spawn(async move {
        let attempt = asked.start().await;
        for (at, character) in TEXT.chars().enumerate() {
            asked.piece(attempt, at, &character.to_string()).await;
            tokio::task::yield_now().await;
        }
        asked.end(attempt, TEXT).await;
    });
    let mut shown = Shown::default();
    let mut last = "1.stored.0".to_owned();
    let mut streams = 0;
    while !shown.is_stored {
        streams += 1;
        let mut stream = shopper.events(&thread, Some(&last)).await;
        for _ in 0..=streams % 4 {
            let Some(event) = stream.next().await else { break };
            shown.take(&event);
            assert!(TEXT.starts_with(&shown.text), "{:?}", shown.text);
            last = event.id.unwrap_or(last);
        }
    }
    writer.await.unwrap();
    assert_eq!(shown.text, TEXT);
}

#[tokio::test]
async fn a_conversation_of_somebody_else_is_not_there() {
    let stack = Stack::start().await;
    let mut owner = stack.shopper(shops::DUTCH).await;
    let thread = owner.begin().await;
    owner.ask(&thread, "Wanneer?").await.data(202);
    let path = |thread: &str| format!("/api/threads/{thread}/events");
    for stranger in [shops::DUTCH, shops::ENGLISH, shops::PERSIAN] {
        stack.shopper(stranger).await.get(&path(&thread)).await.problem(404, "thread_not_found");
    }
    for wrong in [&Uuid::now_v7().to_string(), "1", "..%2F..%2Fetc%2Fpasswd", "%00", "'%20OR%201=1"] {
        owner.get(&path(wrong)).await.problem(404, "thread_not_found");
    }
    for last in ["x", "1", "1.2.3", "-1.stored.0", "1.stored.x", "9223372036854775808.stored.0"] {
        let refused = Answer::read(owner.call(Method::GET, &path(&thread)).header("last-event-id", last)).await;
        assert!(refused.problem(422, "invalid")["Last-Event-ID"].is_array(), "{last}");
    }
    let mut own = owner.events(&thread, None).await;
    stack.runtime.answer("Vrijdag.").await;
    assert_eq!(own.until("command").await.pop().unwrap().data["state"], Value::from("bot"));
}
