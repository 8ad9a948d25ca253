//! What the engine must do, said once more in memory and without a database.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use vitrine_domain::limits::{ATTEMPTS_MAX, DISPATCHES_MAX, MESSAGES_PER_TURN_MAX};
use vitrine_domain::{AttemptId, Language, MessageId, ThreadId, TurnId, TurnState, texts};

use crate::support::StoredTurn;

pub(crate) struct Model {
    cap: usize,
    last_sequence: BTreeMap<ThreadId, i64>,
    /// In the order in which they were queued.
    turns: Vec<Turn>,
}

struct Turn {
    id: TurnId,
    thread: ThreadId,
    state: TurnState,
    dispatches: i32,
    attempts: BTreeSet<AttemptId>,
    was_published: bool,
    answer_sequence: Option<i64>,
    questions: Vec<(i64, MessageId)>,
    answer: Option<String>,
}

impl Model {
    pub(crate) fn new(cap: usize, threads: &[ThreadId]) -> Self {
        Self { cap, last_sequence: threads.iter().map(|thread| (*thread, 0)).collect(), turns: Vec::new() }
    }

    /// The turn that takes the message and its sequence; `None` when the queued turn is full.
    pub(crate) fn ask(&mut self, thread: ThreadId, message: MessageId, turn: TurnId) -> Option<(TurnId, i64)> {
        let is_queued = |one: &&mut Turn| one.thread == thread && one.state == TurnState::Queued;
        let sequence = self.last_sequence[&thread] + 1;
        let turn = match self.turns.iter_mut().find(is_queued) {
            Some(queued) if queued.questions.len() >= usize::try_from(MESSAGES_PER_TURN_MAX).unwrap() => return None,
            Some(queued) => {
                queued.questions.push((sequence, message));
                queued.id
            }
            None => {
                self.turns.push(Turn {
                    id: turn,
                    thread,
                    state: TurnState::Queued,
                    dispatches: 0,
                    attempts: BTreeSet::new(),
                    was_published: false,
                    answer_sequence: None,
                    questions: vec![(sequence, message)],
                    answer: None,
                });
                turn
            }
        };
        self.last_sequence.insert(thread, sequence);
        self.dispatch();
        Some((turn, sequence))
    }

    /// Everything in the outbox is acknowledged.
    pub(crate) fn publish(&mut self) {
        for turn in self.turns.iter_mut().filter(|turn| turn.state == TurnState::Dispatched) {
            turn.was_published = true;
        }
    }

    pub(crate) fn start(&mut self, turn: TurnId, attempt: AttemptId) {
        if let Some(turn) = self.dispatched(turn) {
            turn.attempts.insert(attempt);
        }
    }

    pub(crate) fn end(&mut self, turn: TurnId, text: &str) {
        self.close(turn, TurnState::Done, text);
    }

    /// The turn is overdue.
    pub(crate) fn sweep(&mut self, turn: TurnId) {
        let Some(due) = self.dispatched(turn) else { return };
        if due.was_published && due.dispatches < DISPATCHES_MAX && due.attempts.len() < ATTEMPTS_MAX as usize {
            due.dispatches += 1;
            due.was_published = false;
        } else {
            self.close(turn, TurnState::Failed, texts::failure(Language::Nl));
        }
    }

    pub(crate) fn turns(&self) -> BTreeMap<TurnId, StoredTurn> {
        let stored = self.turns.iter().map(|turn| {
            let stored = StoredTurn {
                state: turn.state,
                dispatches: turn.dispatches,
                attempts: i32::try_from(turn.attempts.len()).unwrap(),
                answer_sequence: turn.answer_sequence,
            };
            (turn.id, stored)
        });
        stored.collect()
    }

    /// The thread's messages, oldest first.
    pub(crate) fn said(&self, thread: ThreadId) -> Vec<(i64, MessageId, String)> {
        let mut said = Vec::new();
        for turn in self.turns.iter().filter(|turn| turn.thread == thread) {
            said.extend(turn.questions.iter().map(|(sequence, message)| (*sequence, *message, "question".to_owned())));
            said.extend(turn.answer.iter().map(|text| (turn.answer_sequence.unwrap(), turn.id.into(), text.clone())));
        }
        said.sort();
        said
    }

    /// What must hold at every moment, whatever the rules above do.
    pub(crate) fn check(&self) -> Result<(), TestCaseError> {
        let dispatched: Vec<&Turn> = self.of(TurnState::Dispatched).collect();
        prop_assert!(dispatched.len() <= self.cap);
        for turn in self.of(TurnState::Queued) {
            let thread_is_taken = dispatched.iter().any(|other| other.thread == turn.thread);
            prop_assert!(thread_is_taken || dispatched.len() == self.cap, "a turn is stranded");
        }
        for (thread, last) in &self.last_sequence {
            let of_thread = || self.turns.iter().filter(|turn| turn.thread == *thread);
            let mut given: Vec<i64> =
                of_thread().flat_map(|turn| turn.questions.iter().map(|(sequence, _)| *sequence)).collect();
            given.extend(of_thread().filter_map(|turn| turn.answer_sequence));
            given.sort_unstable();
            prop_assert_eq!(given, (1..=*last).collect::<Vec<i64>>(), "sequences are dense");
        }
        for turn in &self.turns {
            let last_question = turn.questions.last().unwrap().0;
            prop_assert!(turn.answer_sequence.is_none_or(|sequence| sequence > last_question));
        }
        Ok(())
    }

    pub(crate) fn is_closed(&self) -> bool {
        !self.turns.iter().any(|turn| turn.state.is_open())
    }

    pub(crate) fn unanswered(&self) -> usize {
        self.turns.iter().filter(|turn| turn.answer.is_none()).count()
    }

    fn of(&self, state: TurnState) -> impl Iterator<Item = &Turn> {
        self.turns.iter().filter(move |turn| turn.state == state)
    }

    fn dispatched(&mut self, turn: TurnId) -> Option<&mut Turn> {
        self.turns.iter_mut().find(|one| one.id == turn && one.state == TurnState::Dispatched)
    }

    fn close(&mut self, turn: TurnId, state: TurnState, text: &str) {
        let Some(turn) = self.dispatched(turn) else { return };
        turn.state = state;
        turn.answer = Some(text.to_owned());
        self.dispatch();
    }

    fn dispatch(&mut self) {
        let mut running: BTreeSet<ThreadId> = self.of(TurnState::Dispatched).map(|turn| turn.thread).collect();
        for turn in self.turns.iter_mut().filter(|turn| turn.state == TurnState::Queued) {
            if running.len() < self.cap && running.insert(turn.thread) {
                let last = self.last_sequence.get_mut(&turn.thread).unwrap();
                *last += 1;
                turn.answer_sequence = Some(*last);
                turn.state = TurnState::Dispatched;
                turn.dispatches += 1;
            }
        }
    }
}
