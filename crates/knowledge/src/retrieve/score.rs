//! How well a passage answers: the share of the question's weight it covers, in its title and in its text.

use std::collections::HashSet;

use vitrine_domain::{Language, SourceKind};

use super::Hit;
use super::query::{Query, Unit};
use crate::text::lexicon::Lexicon;
use crate::text::{self, tokenize};

/// A word in the text counts less than one in the title.
const TEXT_WEIGHT: f32 = 0.7;
/// In a product's text stands what it is: its kind, its uses, its sizes.
const PRODUCT_TEXT_WEIGHT: f32 = 0.85;
/// How much it counts that the title asks for nothing else.
const TITLE_PRECISION_WEIGHT: f32 = 0.35;
/// How it is asked, in a title.
const WEAK_TITLE_WEIGHT: f32 = 0.25;
/// That a text mentions a thing does not say that the shop has it.
const MENTION_WEIGHT: f32 = 0.6;
const SAME_LANGUAGE_BONUS: f32 = 0.08;

/// A passage that holds terms of the query.
pub(super) struct Candidate {
    pub(super) kind: SourceKind,
    pub(super) item_id: String,
    pub(super) language: Language,
    pub(super) title: String,
    pub(super) heading: Option<String>,
    pub(super) url: Option<String>,
    pub(super) text: String,
    pub(super) terms: HashSet<String>,
}

/// Scores the candidates; best first, the best passage of each item only.
pub(super) fn rank(query: &Query, candidates: Vec<Candidate>) -> Vec<Hit> {
    let mut hits: Vec<_> = candidates.into_iter().map(|candidate| score(query, candidate)).collect();
    hits.sort_by(|left, right| right.score.total_cmp(&left.score));
    let mut seen = HashSet::new();
    hits.retain(|hit| seen.insert((hit.kind, hit.item_id.clone())));
    hits
}

fn score(query: &Query, candidate: Candidate) -> Hit {
    let heading = candidate.heading.as_deref().unwrap_or_default();
    let title_terms: HashSet<_> =
        text::terms(&format!("{}\n{heading}", candidate.title), candidate.language).into_iter().collect();
    let is_product = candidate.kind == SourceKind::Product;
    let text_weight = if is_product { PRODUCT_TEXT_WEIGHT } else { TEXT_WEIGHT };
    let covered_by_text = if query.asks_for_stock && !is_product { MENTION_WEIGHT } else { 1.0 };

    let total = |units: &mut dyn Iterator<Item = &Unit>| units.map(|unit| unit.weight).sum::<f32>();
    let (mut covered, mut ranked) = (0.0, 0.0);
    for unit in &query.units {
        let (in_title, anywhere) = (unit.match_in(&title_terms), unit.match_in(&candidate.terms));
        if !unit.weak {
            covered += unit.weight * in_title.max(covered_by_text * anywhere);
        }
        ranked += unit.weight * in_title.max(text_weight * anywhere);
    }
    let mut score = share(ranked, total(&mut query.units.iter()));
    score += TITLE_PRECISION_WEIGHT * title_precision(query, &candidate);
    if candidate.language == query.language {
        score += SAME_LANGUAGE_BONUS;
    }
    if is_product {
        score += query.product_bonus;
    }
    Hit {
        item_id: candidate.item_id,
        kind: candidate.kind,
        title: candidate.title,
        url: candidate.url,
        heading: candidate.heading,
        text: candidate.text,
        language: candidate.language,
        score,
        coverage: share(covered, total(&mut query.units.iter().filter(|unit| !unit.weak))),
    }
}

/// Share of the title's words that the question asks for.
fn title_precision(query: &Query, candidate: &Candidate) -> f32 {
    let lexicon = Lexicon::of_shops();
    let tokens = tokenize(&candidate.title);
    let found: Vec<_> = lexicon.find(&tokens, candidate.language).collect();
    let (mut total, mut matched) = (0.0, 0.0);
    let mut count = |terms: &HashSet<String>, weight: f32| {
        total += weight;
        matched += weight * query.units.iter().map(|unit| unit.match_in(terms)).fold(0.0, f32::max);
    };
    for (at, token) in tokens.iter().enumerate() {
        let mut terms: HashSet<_> = text::stems(token, candidate.language).collect();
        if terms.is_empty() {
            continue;
        }
        let here = found.iter().filter(|found| found.tokens.contains(&at) && !lexicon.is_weak(found.concept));
        terms.extend(here.map(|found| lexicon.term(found.concept)));
        count(&terms, 1.0);
    }
    let weak: HashSet<_> =
        found.iter().filter(|found| lexicon.is_weak(found.concept)).map(|found| found.concept).collect();
    for concept in weak {
        count(&HashSet::from([lexicon.term(concept)]), WEAK_TITLE_WEIGHT);
    }
    share(matched, total)
}

fn share(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
