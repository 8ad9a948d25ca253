//! What happened to all shoppers of a test together.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Counts. `lost` to `different` are faults: each must be 0 whatever was killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Questions the server said it stored.
    pub accepted: usize,
    /// Questions with a stored answer, failures and refusals included.
    pub answered: usize,
    /// Answers that say that something went wrong.
    pub failed: usize,
    pub refused: usize,
    /// Pieces after which text was missing.
    pub lost: usize,
    /// Pieces that repeated text or an event that the reader had said it has.
    pub doubled: usize,
    /// Texts that were not what is stored, and threads that were not what was asked and answered, in order.
    pub different: usize,
    /// Whole texts instead of a continuation: another attempt is shown.
    pub replaced: usize,
    /// Streams that broke off and were opened again.
    pub resumed: usize,
    /// Calls that failed and were made again.
    pub retried: usize,
    /// Pieces of text that came in.
    pub pieces: usize,
    /// Answers of which at least one piece came in.
    pub begun: usize,
}

impl fmt::Display for Figures {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            accepted,
            answered,
            failed,
            refused,
            lost,
            doubled,
            different,
            replaced,
            resumed,
            retried,
            pieces,
            begun: _,
        } = self;
        write!(
            formatter,
            "{accepted} accepted, {answered} answered, {failed} failed, {refused} refused; {lost} lost, {doubled} doubled, \
             {different} different; {pieces} pieces, {replaced} replaced, {resumed} streams resumed, {retried} calls retried"
        )
    }
}

/// Shared by the shoppers of a test.
#[derive(Clone, Debug, Default)]
pub struct Tally(Arc<Mutex<Figures>>);

impl Tally {
    pub fn count(&self, change: impl FnOnce(&mut Figures)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub fn figures(&self) -> Figures {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fails the test unless every accepted question was answered, and nothing was lost, doubled or different.
    #[track_caller]
    pub fn assert_whole(&self) {
        let figures = self.figures();
        assert_eq!(figures.accepted, figures.answered, "{figures}");
        self.assert_faultless();
    }

    /// Fails the test if anything was lost, doubled or different so far.
    #[track_caller]
    pub fn assert_faultless(&self) {
        let figures = self.figures();
        assert_eq!((figures.lost, figures.doubled, figures.different), (0, 0, 0), "{figures}");
    }
}
