use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::thread::ThreadState;

/// What attempt `number` says: every attempt says something else, in several scripts.
fn said(number: usize) -> String {
    ["De fiets staat klaar. ✓ Tot zo!", "فردا می‌رسد، ان‌شاءالله 🚚 تمام", "Ready on Friday — 24 h."][number].to_owned()
}

fn attempt(number: usize) -> AttemptId {
    Uuid::from_u128(number as u128 + 1).into()
}

fn answer(number: usize) -> Answer {
    Answer { text: said(number), ..Answer::default() }
}

/// The events of one attempt, its text cut into pieces of `size` scalar values.
fn events(number: usize, size: usize) -> Vec<ThreadEventBody> {
    let characters: Vec<char> = said(number).chars().collect();
    let mut events = vec![ThreadEventBody::Started { attempt: attempt(number), dispatch: 1 }];
    for (index, piece) in characters.chunks(size).enumerate() {
        events.push(ThreadEventBody::Message {
            attempt: attempt(number),
            at: index * size,
            text: piece.iter().collect(),
        });
    }
    events.push(ThreadEventBody::End { attempt: attempt(number), dispatch: 1, answer: answer(number) });
    events
}

/// Up to three attempts, each cut off anywhere (a kill), interleaved, with repetitions and losses.
fn histories() -> impl Strategy<Value = Vec<ThreadEventBody>> {
    let attempt_events = (1_usize..6, 0_usize..40);
    prop::collection::vec(attempt_events, 1..=3).prop_flat_map(|attempts| {
        let queues: Vec<Vec<ThreadEventBody>> = attempts
            .iter()
            .enumerate()
            .map(|(number, (size, cut))| events(number, *size).into_iter().take(*cut + 1).collect())
            .collect();
        let total: usize = queues.iter().map(Vec::len).sum();
        prop::collection::vec((any::<prop::sample::Index>(), 0_u8..10), total).prop_map(move |choices| {
            let mut queues: Vec<std::collections::VecDeque<_>> =
                queues.iter().map(|queue| queue.clone().into()).collect();
            let mut history = Vec::new();
            for (index, luck) in choices {
                let open: Vec<usize> = (0..queues.len()).filter(|number| !queues[*number].is_empty()).collect();
                let Some(event) = queues[open[index.index(open.len())]].pop_front() else { continue };
                match luck {
                    0 => {}
                    1 => history.extend([event.clone(), event]),
                    _ => history.push(event),
                }
            }
            history
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_shown_text_is_always_a_beginning_of_what_one_attempt_said(history in histories()) {
        let mut fold = Fold::default();
        for event in &history {
            fold.apply(event);
            if let Some(shown) = fold.shown() {
                let number = (0..3).find(|number| attempt(*number) == shown.attempt).unwrap();
                prop_assert!(said(number).starts_with(&shown.text), "{:?}", shown.text);
                prop_assert_eq!(shown.characters, shown.text.chars().count());
            }
        }
    }

    #[test]
    fn a_reader_who_applies_the_changes_sees_the_shown_text(history in histories()) {
        let mut fold = Fold::default();
        let mut reader = String::new();
        for event in &history {
            match fold.apply(event) {
                Change::Restarted => reader.clear(),
                Change::Appended(text) => reader.push_str(&text),
                Change::None | Change::Ended | Change::Stored => {}
            }
            if let Some(shown) = fold.shown() {
                prop_assert_eq!(&reader, &shown.text);
            }
        }
    }

    #[test]
    fn the_first_end_wins_and_nothing_changes_after_it(history in histories()) {
        let mut fold = Fold::default();
        let mut first = None;
        for event in &history {
            let change = fold.apply(event);
            match (&first, event) {
                (None, ThreadEventBody::End { attempt, .. }) => {
                    prop_assert_eq!(change, Change::Ended);
                    first = Some(*attempt);
                }
                (None, _) => {}
                (Some(_), _) => prop_assert_eq!(change, Change::None),
            }
        }
        prop_assert_eq!(fold.ended().map(|(attempt, _)| attempt), first);
    }

    #[test]
    fn applying_a_history_twice_changes_nothing(history in histories()) {
        let mut fold = Fold::default();
        for event in &history {
            fold.apply(event);
        }
        let before = fold.shown().map(|shown| shown.text.clone()).unwrap_or_default();
        for event in &history {
            let is_new_information = matches!(fold.apply(event), Change::Restarted | Change::Ended | Change::Stored);
            prop_assert!(!is_new_information);
        }
        // A repetition may fill a gap that a loss left, but never take anything away.
        let after = fold.shown().map(|shown| shown.text.clone()).unwrap_or_default();
        prop_assert!(after.starts_with(&before));
    }

    #[test]
    fn stored_is_the_truth(history in histories(), number in 0_usize..3) {
        let mut fold = Fold::default();
        for event in &history {
            fold.apply(event);
        }
        let ended = fold.ended().map(|(attempt, _)| attempt);
        let stored = ThreadEventBody::Stored { attempt: Some(attempt(number)), is_closing: false, state: ThreadState::Bot };
        prop_assert_eq!(fold.apply(&stored), Change::Stored);
        prop_assert_eq!(fold.apply(&stored), Change::None);
        prop_assert!(fold.is_stored());
        prop_assert_eq!(fold.stored_answer().cloned(), (ended == Some(attempt(number))).then(|| answer(number)));
    }
}

#[test]
fn a_piece_beyond_the_end_is_held_back_until_end() {
    let mut fold = Fold::default();
    fold.apply(&ThreadEventBody::Started { attempt: attempt(0), dispatch: 1 });
    let late = ThreadEventBody::Message { attempt: attempt(0), at: 3, text: "fiets".to_owned() };
    assert_eq!(fold.apply(&late), Change::None);
    assert_eq!(fold.shown().unwrap().text, "");
}

#[test]
fn an_end_after_stored_completes_the_stored_answer() {
    let mut fold = Fold::default();
    fold.apply(&ThreadEventBody::Stored { attempt: Some(attempt(1)), is_closing: false, state: ThreadState::Bot });
    assert_eq!(fold.stored_answer(), None);
    fold.apply(&ThreadEventBody::End { attempt: attempt(1), dispatch: 1, answer: answer(1) });
    assert_eq!(fold.stored_answer(), Some(&answer(1)));
}
