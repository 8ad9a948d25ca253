//! One thread as the hub knows it: its unfinished answers, and the frames its readers have still to take.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::Notify;
use vitrine_domain::{
    AttemptId, Change, Fold, LogLevel, MerchantId, ThreadEvent, ThreadEventBody, ThreadState, TurnId,
};

use super::frame::{self, Frame, Piece};
use super::log::{Lagged, Log};
use crate::store::messages::StoredMessage;

/// Unfinished answers of one thread that are followed. One is written at a time; more are leftovers.
const TURNS_MAX: usize = 4;
/// Events of one thread that wait while a stored answer is read from the database.
const HELD_MAX: usize = 4_096;

/// A thread's state, and the bell for its readers.
#[derive(Debug)]
pub struct Channel {
    pub merchant: MerchantId,
    state: Mutex<State>,
    bell: Notify,
}

#[derive(Debug)]
pub struct State {
    turns: Vec<Turn>,
    /// The highest sequence known to be stored; events of answers up to it are late repetitions.
    through: i64,
    /// Events that wait, while an answer is being read from the database.
    held: Option<VecDeque<ThreadEvent>>,
    log: Log,
    is_cut_off: bool,
    touched: Instant,
}

#[derive(Debug)]
struct Turn {
    id: TurnId,
    sequence: i64,
    fold: Fold,
}

/// An unfinished answer, as a reader is told it at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    pub turn: TurnId,
    pub sequence: i64,
    pub attempt: AttemptId,
    pub text: String,
    /// Length of `text` in Unicode scalar values.
    pub characters: usize,
}

/// What has to be done outside the thread's lock after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Nothing,
    /// The stored answer is not the one the events told: read it, then call [`State::resume`].
    ReadAnswer(Stored),
    /// An answer was stored: see whether another is to be expected.
    LookForMore,
}

/// What `Stored` said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stored {
    pub turn: TurnId,
    pub sequence: i64,
    pub is_closing: bool,
    pub state: ThreadState,
}

impl Channel {
    pub fn new(merchant: MerchantId) -> Self {
        let state = State {
            turns: Vec::new(),
            through: 0,
            held: None,
            log: Log::default(),
            is_cut_off: false,
            touched: Instant::now(),
        };
        Self { merchant, state: Mutex::new(state), bell: Notify::new() }
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes every reader.
    pub fn ring(&self) {
        self.bell.notify_waiters();
    }

    /// Rings once something may have changed. Made before looking, it misses nothing.
    pub fn bell(&self) -> tokio::sync::futures::Notified<'_> {
        self.bell.notified()
    }
}

impl State {
    /// Takes an event and writes what it changes for the readers.
    pub fn apply(&mut self, event: ThreadEvent) -> Next {
        self.touched = Instant::now();
        if let Some(held) = &mut self.held {
            if held.len() < HELD_MAX {
                held.push_back(event);
            } else {
                self.cut_off();
            }
            return Next::Nothing;
        }
        if event.answer_sequence <= self.through {
            return Next::Nothing;
        }
        let ThreadEvent { turn, answer_sequence: sequence, body, .. } = event;
        let position = self.position(turn, sequence);
        let followed = &mut self.turns[position];
        let had_attempt = followed.fold.shown().is_some();
        let change = followed.fold.apply(&body);
        match (change, body) {
            (Change::Restarted, ThreadEventBody::Started { attempt, .. }) => {
                self.push_start(turn, sequence, attempt, had_attempt);
            }
            (Change::Appended(text), ThreadEventBody::Message { attempt, .. }) => {
                self.push_piece(position, attempt, &text);
            }
            (Change::None, ThreadEventBody::Log { attempt, level, text }) => {
                let is_of_shown = self.turns[position].fold.shown().is_some_and(|shown| shown.attempt == attempt);
                if is_of_shown && self.log.readers() > 0 {
                    self.log.push(Frame::Log { sequence, bytes: frame::log(level, &text).into() });
                }
            }
            (Change::Stored, ThreadEventBody::Stored { is_closing, state, .. }) => {
                return self.stored(position, Stored { turn, sequence, is_closing, state });
            }
            _ => {}
        }
        Next::Nothing
    }

    /// Goes on after [`Next::ReadAnswer`]; without the answer every reader is cut off and resumes by itself.
    pub fn resume(&mut self, stored: Stored, answer: Option<&StoredMessage>) -> Vec<Next> {
        let held = self.held.take().unwrap_or_default();
        match answer {
            Some(answer) => self.push_stored(stored, frame::stored_message(answer)),
            None => self.cut_off(),
        }
        let mut next = vec![Next::LookForMore];
        let mut held = held.into_iter();
        while let Some(event) = held.next() {
            next.push(self.apply(event));
            // Another answer has to be read: what is left waits for that one.
            if let Some(waiting) = &mut self.held {
                waiting.extend(held);
                break;
            }
        }
        next
    }

    /// The unfinished answer that readers see.
    pub fn unfinished(&self) -> Option<Unfinished> {
        self.turns.iter().rev().find_map(|Turn { id, sequence, fold }| {
            let (attempt, text, characters) = match (fold.shown(), fold.ended()) {
                (Some(shown), _) => (shown.attempt, shown.text.clone(), shown.characters),
                (None, Some((attempt, answer))) => (attempt, answer.text.clone(), answer.text.chars().count()),
                (None, None) => return None,
            };
            Some(Unfinished { turn: *id, sequence: *sequence, attempt, text, characters })
        })
    }

    pub fn attach(&mut self) -> u64 {
        self.touched = Instant::now();
        self.log.attach()
    }

    pub fn detach(&mut self, cursor: u64) {
        self.log.detach(cursor);
    }

    /// What came since the cursor. A reader that is cut off comes back and resumes from the database.
    pub fn read(&mut self, cursor: &mut u64) -> Result<Vec<Frame>, Lagged> {
        let frames = self.log.read(cursor)?;
        if frames.is_empty() && self.is_cut_off { Err(Lagged) } else { Ok(frames) }
    }

    /// Ends every reader, now and later.
    pub fn cut_off(&mut self) {
        self.is_cut_off = true;
        self.turns.clear();
        self.held = None;
    }

    /// Tells streams that nothing more is to be expected, unless an answer has begun meanwhile.
    pub fn close_if_idle(&mut self) {
        if self.turns.is_empty() && self.held.is_none() && self.log.readers() > 0 {
            self.log.push(Frame::Close);
        }
    }

    pub const fn readers(&self) -> u32 {
        self.log.readers()
    }

    /// Whether the hub can forget the thread.
    pub fn is_unused(&self) -> bool {
        self.log.readers() == 0 && self.held.is_none() && (self.turns.is_empty() || self.is_cut_off)
    }

    /// Forgets unfinished answers of which nothing was heard for so long.
    pub fn forget_silent(&mut self, silence_max: Duration) {
        if self.held.is_none() && self.touched.elapsed() > silence_max {
            self.turns.clear();
        }
    }

    /// What it costs to keep, in bytes.
    pub fn weight(&self) -> usize {
        let texts: usize = self.turns.iter().map(Turn::weight).sum();
        size_of::<Self>() + texts + self.log.bytes()
    }

    fn position(&mut self, turn: TurnId, sequence: i64) -> usize {
        if let Some(position) = self.turns.iter().position(|followed| followed.id == turn) {
            return position;
        }
        if self.turns.len() == TURNS_MAX {
            self.turns.remove(0);
        }
        self.turns.push(Turn { id: turn, sequence, fold: Fold::default() });
        self.turns.len() - 1
    }

    fn push_start(&mut self, turn: TurnId, sequence: i64, attempt: AttemptId, is_retry: bool) {
        if self.log.readers() == 0 {
            return;
        }
        let void = Piece { turn, sequence, attempt, text: "", end: 0, is_whole: true };
        self.log.push(Frame::Started { sequence, attempt, bytes: frame::piece(&void).into() });
        if is_retry {
            self.log.push(Frame::Log { sequence, bytes: frame::log(LogLevel::Warn, "retrying").into() });
        }
    }

    fn push_piece(&mut self, position: usize, attempt: AttemptId, text: &str) {
        if self.log.readers() == 0 {
            return;
        }
        let Turn { id, sequence, fold } = &self.turns[position];
        let (turn, sequence) = (*id, *sequence);
        let end = fold.shown().map_or(0, |shown| shown.characters);
        let piece = Piece { turn, sequence, attempt, text, end, is_whole: false };
        let bytes = Bytes::from(frame::piece(&piece));
        self.log.push(Frame::Delta { sequence, attempt, start: end - text.chars().count(), end, bytes });
    }

    fn stored(&mut self, position: usize, stored: Stored) -> Next {
        let Turn { fold, .. } = self.turns.remove(position);
        // Leftovers of answers before this one: what is stored is in order.
        self.turns.retain(|turn| turn.sequence > stored.sequence);
        self.through = stored.sequence;
        if self.log.readers() == 0 {
            return Next::Nothing;
        }
        let Some(answer) = fold.stored_answer() else {
            self.held = Some(VecDeque::new());
            return Next::ReadAnswer(stored);
        };
        self.push_stored(stored, frame::stored_answer(stored.turn, stored.sequence, answer));
        Next::LookForMore
    }

    fn push_stored(&mut self, stored: Stored, mut bytes: String) {
        let Stored { turn, sequence, is_closing, state } = stored;
        bytes.push_str(&frame::end(Some((turn.into(), sequence)), is_closing, state));
        self.log.push(Frame::Stored { sequence, turn, bytes: bytes.into() });
    }
}

impl Turn {
    fn weight(&self) -> usize {
        let shown = self.fold.shown().map_or(0, |shown| shown.text.len());
        let ended = self.fold.ended().map_or(0, |(_, answer)| answer.text.len());
        size_of::<Self>() + shown + ended
    }
}
