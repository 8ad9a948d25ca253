//! Whether what was found answers the question.

use super::query::Query;
use super::score::{self, Scored};

/// Passages that may cover a part of the question.
const PASSAGES: usize = 5;
/// Longer questions are as good as this.
const UNITS_MAX: usize = 10;
const ABSENT_CONCEPTS_MAX: usize = 2;

/// What speaks for and against an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence {
    /// Of the best passage.
    score: f32,
    /// Weight of the heaviest thing asked that none of the passages covers.
    uncovered: f32,
    /// Things that are asked.
    units: f32,
    /// Things shops are asked about and this merchant says nothing of.
    absent_concepts: f32,
    /// A name that the merchant does not know.
    unknown_name: f32,
    /// An order's number: the knowledge knows of no orders.
    number: f32,
    /// What no shop answers.
    outside: f32,
    /// Whether the shop has it is asked: the share that is not in the best title.
    untitled_stock: f32,
}

/// Fitted by logistic regression on the development questions; features and threshold were chosen by six-fold
/// cross-validation over them.
const WEIGHTS: Evidence = Evidence {
    score: 2.53,
    uncovered: -2.08,
    units: 0.41,
    absent_concepts: -0.81,
    unknown_name: -1.76,
    number: -1.17,
    outside: -2.33,
    untitled_stock: -1.17,
};
/// Refuses one in twenty answerable development questions.
const THRESHOLD: f32 = 1.98;

impl Evidence {
    pub(super) fn new(query: &Query, found: &[Scored]) -> Self {
        let first = found.first();
        let least_uncovered = |at: usize| {
            let passages = found.iter().take(PASSAGES);
            passages.map(|scored| scored.uncovered[at]).min_by(f32::total_cmp).unwrap_or_default()
        };
        let units = score::strong(query).count();
        Self {
            score: first.map_or(0.0, |first| first.hit.score),
            uncovered: (0..units).map(least_uncovered).fold(0.0, f32::max),
            units: count(units, UNITS_MAX),
            absent_concepts: count(query.doubts.absent_concepts, ABSENT_CONCEPTS_MAX),
            unknown_name: f32::from(u8::from(query.doubts.names_unknown)),
            number: f32::from(u8::from(query.doubts.names_a_number)),
            outside: f32::from(u8::from(query.doubts.is_outside)),
            untitled_stock: match first {
                Some(first) if query.asks_for_stock => 1.0 - first.signals.title_words - first.signals.title_concepts,
                _ => 0.0,
            },
        }
    }

    /// Whether there is enough to answer from.
    pub(super) fn suffices(&self) -> bool {
        let sum: f32 = self.values().iter().zip(WEIGHTS.values()).map(|(value, weight)| value * weight).sum();
        sum >= THRESHOLD
    }

    const fn values(&self) -> [f32; 8] {
        [
            self.score,
            self.uncovered,
            self.units,
            self.absent_concepts,
            self.unknown_name,
            self.number,
            self.outside,
            self.untitled_stock,
        ]
    }
}

fn count(number: usize, most: usize) -> f32 {
    f32::from(u16::try_from(number.min(most)).unwrap_or_default())
}
