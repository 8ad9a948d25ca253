//! The one fold from an answer's events to what a reader sees.
//!
//! `Idle → Shown(attempt, text) → Ended(attempt, answer) → Stored`. The last attempt that started is shown; the first
//! END wins; what is stored is the truth. Events may come twice, be lost, or belong to an attempt that was given up:
//! the text shown is at every moment a beginning of what one attempt said.

use crate::answer::Answer;
use crate::event::ThreadEventBody;
use crate::ids::AttemptId;
use crate::limits::ANSWER_BYTES_MAX;

/// How many attempts of one turn are remembered, so that a repeated `Started` does not show an old one again.
const ATTEMPTS_REMEMBERED: usize = 16;

/// The answer of one turn, as far as its events tell.
#[derive(Clone, Debug, Default)]
pub struct Fold {
    phase: Phase,
    seen: Vec<AttemptId>,
}

#[derive(Clone, Debug, Default)]
enum Phase {
    #[default]
    Idle,
    Shown(Shown),
    Ended {
        attempt: AttemptId,
        answer: Answer,
    },
    Stored {
        attempt: Option<AttemptId>,
        /// Present when the END of the stored attempt was seen.
        answer: Option<Answer>,
    },
}

/// The text of the attempt in progress.
#[derive(Clone, Debug)]
pub struct Shown {
    pub attempt: AttemptId,
    pub text: String,
    /// Length of `text` in Unicode scalar values.
    pub characters: usize,
}

/// What an event changed for a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing: a repetition, a piece of another attempt, or a piece that does not join on.
    None,
    /// A new attempt is shown; what was shown before is void.
    Restarted,
    /// The shown text grew at its end by this.
    Appended(String),
    /// The attempt is complete but not yet stored.
    Ended,
    /// The answer is stored.
    Stored,
}

impl Fold {
    /// Takes one event of the turn and says what it changed.
    pub fn apply(&mut self, event: &ThreadEventBody) -> Change {
        match event {
            ThreadEventBody::Started { attempt, .. } => self.start(*attempt),
            ThreadEventBody::Log { .. } => Change::None,
            ThreadEventBody::Message { attempt, at, text } => self.append(*attempt, *at, text),
            ThreadEventBody::End { attempt, answer, .. } => self.end(*attempt, answer),
            ThreadEventBody::Stored { attempt, .. } => self.store(*attempt),
        }
    }

    /// The attempt in progress and its text, if there is one.
    pub fn shown(&self) -> Option<&Shown> {
        match &self.phase {
            Phase::Shown(shown) => Some(shown),
            _ => None,
        }
    }

    /// The attempt whose END came first, while it waits to be stored.
    pub fn ended(&self) -> Option<(AttemptId, &Answer)> {
        match &self.phase {
            Phase::Ended { attempt, answer } => Some((*attempt, answer)),
            _ => None,
        }
    }

    pub fn is_stored(&self) -> bool {
        matches!(self.phase, Phase::Stored { .. })
    }

    /// The stored answer, if its END was seen; otherwise a reader must take it from the database.
    pub fn stored_answer(&self) -> Option<&Answer> {
        match &self.phase {
            Phase::Stored { answer, .. } => answer.as_ref(),
            _ => None,
        }
    }

    fn start(&mut self, attempt: AttemptId) -> Change {
        if self.seen.contains(&attempt) || !matches!(self.phase, Phase::Idle | Phase::Shown(_)) {
            return Change::None;
        }
        if self.seen.len() == ATTEMPTS_REMEMBERED {
            self.seen.remove(0);
        }
        self.seen.push(attempt);
        self.phase = Phase::Shown(Shown { attempt, text: String::new(), characters: 0 });
        Change::Restarted
    }

    fn append(&mut self, from: AttemptId, at: usize, piece: &str) -> Change {
        let Phase::Shown(shown) = &mut self.phase else { return Change::None };
        // A piece beyond the end means one before it was lost: END brings the whole text.
        if shown.attempt != from || at > shown.characters {
            return Change::None;
        }
        let added: String = piece.chars().skip(shown.characters - at).collect();
        if added.is_empty() || shown.text.len() + added.len() > ANSWER_BYTES_MAX {
            return Change::None;
        }
        shown.characters += added.chars().count();
        shown.text.push_str(&added);
        Change::Appended(added)
    }

    fn end(&mut self, attempt: AttemptId, answer: &Answer) -> Change {
        match &mut self.phase {
            Phase::Idle | Phase::Shown(_) => {
                self.phase = Phase::Ended { attempt, answer: answer.clone() };
                Change::Ended
            }
            // `Stored` overtook END (they are written by different programs): keep the text for later readers.
            Phase::Stored { attempt: Some(stored), answer: kept @ None } if *stored == attempt => {
                *kept = Some(answer.clone());
                Change::None
            }
            _ => Change::None,
        }
    }

    fn store(&mut self, attempt: Option<AttemptId>) -> Change {
        let answer = match std::mem::take(&mut self.phase) {
            stored @ Phase::Stored { .. } => {
                self.phase = stored;
                return Change::None;
            }
            Phase::Ended { attempt: ended, answer } if Some(ended) == attempt => Some(answer),
            _ => None,
        };
        self.phase = Phase::Stored { attempt, answer };
        Change::Stored
    }
}

#[cfg(test)]
mod tests;
