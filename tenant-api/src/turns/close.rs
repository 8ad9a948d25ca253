//! Closing a turn: its answer is stored, announced, and the merchant's next turns go.

use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::limits::ANSWER_BYTES_MAX;
use vitrine_domain::{Answer, AttemptId, TurnId, TurnState};

use super::MerchantSettings;
use super::metrics::{TurnMetrics, TurnOutcome};
use crate::store::outbox::{OutboxRow, StoredBody};
use crate::store::{messages, outbox, turns};

/// What a turn is closed with.
pub(crate) struct Closing {
    pub turn: TurnId,
    /// The attempt that gave the answer; none when the sweeper gives up.
    pub attempt: Option<AttemptId>,
    pub answer: Answer,
}

/// A turn that was closed, and what is to be published once the transaction is committed.
pub(crate) struct Closed {
    pub rows: Vec<OutboxRow>,
    outcome: TurnOutcome,
    duration_seconds: f64,
}

impl Closed {
    pub(crate) fn observe(&self, metrics: &TurnMetrics) {
        metrics.observe_closed(self.outcome, self.duration_seconds);
    }
}

/// Closes a dispatched turn, stores its answer and dispatches what may go; `None` when the turn is not dispatched
/// (any more), and nothing was changed. To be called under the merchant's lock.
pub(crate) async fn close(
    transaction: &mut TenantTransaction,
    closing: Closing,
    settings: MerchantSettings,
) -> Result<Option<Closed>, StoreError> {
    let Closing { turn, attempt, answer } = closing;
    let (state, outcome) = match &answer {
        Answer { failed: true, .. } => (TurnState::Failed, TurnOutcome::Failed),
        Answer { refused: true, .. } => (TurnState::Done, TurnOutcome::Refused),
        _ => (TurnState::Done, TurnOutcome::Answered),
    };
    let Some(closed) = turns::close(transaction, turn, state, attempt).await? else { return Ok(None) };

    let (answer, is_verbatim) = within_limits(answer);
    messages::add_answer(transaction, turn, closed.thread, closed.answer_sequence, &answer).await?;
    let body = StoredBody {
        answer_sequence: closed.answer_sequence,
        // Readers of the attempt's own words must not take them for what is stored.
        attempt: attempt.filter(|_| is_verbatim),
        is_closing: false,
        state: closed.thread_state,
    };
    let mut rows = vec![outbox::add_stored(transaction, turn, closed.thread, body).await?];
    rows.extend(turns::dispatch(transaction, settings.concurrent_answers, settings.config_sequence).await?);
    Ok(Some(Closed { rows, outcome, duration_seconds: closed.duration_seconds }))
}

/// The answer as it can be stored, and whether that is what the attempt said.
fn within_limits(mut answer: Answer) -> (Answer, bool) {
    let said = answer.text.len();
    let parts =
        answer.sources.iter_mut().flat_map(|source| std::iter::once(&mut source.title).chain(source.url.as_mut()));
    let mut is_verbatim = true;
    for part in parts.chain(std::iter::once(&mut answer.text)) {
        if part.contains('\0') {
            *part = part.replace('\0', "");
            is_verbatim = false;
        }
    }
    answer.text.truncate(answer.text.floor_char_boundary(ANSWER_BYTES_MAX));
    is_verbatim &= answer.text.len() == said;
    (answer, is_verbatim)
}

#[cfg(test)]
mod tests {
    use vitrine_domain::{Source, SourceKind};

    use super::*;

    fn answer(text: &str) -> Answer {
        Answer { text: text.to_owned(), ..Answer::default() }
    }

    #[test]
    fn an_answer_within_the_limits_stays_as_it_was_said() {
        let (kept, is_verbatim) = within_limits(answer("Ja, op maandag [1]."));
        assert_eq!(kept, answer("Ja, op maandag [1]."));
        assert!(is_verbatim);
    }

    #[test]
    fn a_longer_answer_ends_at_a_whole_character() {
        let (kept, is_verbatim) = within_limits(answer(&"سلام".repeat(ANSWER_BYTES_MAX)));
        assert_eq!(kept.text.len(), ANSWER_BYTES_MAX);
        assert!(kept.text.ends_with('م'));
        assert!(!is_verbatim);

        let (kept, _) = within_limits(answer(&"€".repeat(ANSWER_BYTES_MAX)));
        assert_eq!(kept.text.len(), ANSWER_BYTES_MAX / 3 * 3);
    }

    #[test]
    fn what_postgresql_cannot_store_is_left_out() {
        let source = Source { number: 1, title: "Open\0ing".to_owned(), url: None, kind: SourceKind::Faq };
        let (kept, is_verbatim) = within_limits(Answer { sources: vec![source], ..answer("Hel\0lo") });
        assert_eq!((kept.text.as_str(), kept.sources[0].title.as_str()), ("Hello", "Opening"));
        assert!(!is_verbatim);
    }
}
