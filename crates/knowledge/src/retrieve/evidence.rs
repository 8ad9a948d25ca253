//! Whether what was found answers the question.

use super::query::{Origin, Query};
use super::score::{self, Scored};

/// What speaks for and against an answer.
pub(super) fn dump(query: &Query, found: &[Scored]) {
    let total: f32 = score::strong(query).map(|unit| unit.weight).sum();
    let share_of = |origin| {
        score::strong(query).filter(|unit| unit.origin == origin).map(|unit| unit.weight).sum::<f32>() / total.max(0.01)
    };
    let heaviest_of = |origin| {
        score::strong(query).filter(|unit| unit.origin == origin).map(|unit| unit.weight).fold(0.0, f32::max)
    };
    let first = found.first();
    let uncovered_by_all = (0..score::strong(query).count())
        .map(|at| found.iter().take(5).map(|scored| scored.uncovered[at]).fold(9.0, f32::min))
        .fold(0.0, f32::max);
    let max_coverage = found.iter().take(5).map(|s| s.hit.coverage).fold(0.0, f32::max);
    let second = found.get(1).map_or(0.0, |s| s.hit.score);
    let b = |is: bool| f32::from(u8::from(is));
    let values = [
        ("score", first.map_or(0.0, |s| s.hit.score)),
        ("coverage", first.map_or(0.0, |s| s.hit.coverage)),
        ("max_coverage", max_coverage),
        ("heaviest_uncovered", first.map_or(0.0, |s| s.uncovered.iter().copied().fold(0.0, f32::max))),
        ("uncovered_by_all", uncovered_by_all),
        ("uncovered_sum", first.map_or(0.0, |s| s.uncovered.iter().sum())),
        ("unknown", share_of(Origin::Unknown)),
        ("similar", share_of(Origin::Similar)),
        ("concept", share_of(Origin::Concept)),
        ("unknown_max", heaviest_of(Origin::Unknown)),
        ("absent", f32::from(u16::try_from(query.absent_concepts).unwrap_or(9)).min(2.0)),
        ("total", total),
        ("units", f32::from(u16::try_from(score::strong(query).count()).unwrap_or(99))),
        ("margin", first.map_or(0.0, |s| s.hit.score) - second),
        ("native", b(query.is_native)),
        ("stock", b(query.asks_for_stock)),
        ("advice", b(query.asks_for_advice)),
        ("product", first.map_or(0.0, |s| s.signals.product)),
        ("title", first.map_or(0.0, |s| s.signals.title_words + s.signals.title_concepts)),
        ("title_words", first.map_or(0.0, |s| s.signals.title_words)),
        ("text_words", first.map_or(0.0, |s| s.signals.text_words)),
        ("sentence", first.map_or(0.0, |s| s.signals.sentence)),
        ("precision", first.map_or(0.0, |s| s.signals.title_precision)),
        ("letters", first.map_or(0.0, |s| s.signals.title_letters)),
        ("manner", first.map_or(0.0, |s| s.signals.title_manner)),
    ];
    if std::env::var("DUMP").is_ok() {
        println!("EVID {values:?}");
        for unit in score::strong(query) {
            println!("UNIT {unit:?}");
        }
    }
}
