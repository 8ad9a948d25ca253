//! How well a passage answers: signals between 0 and 1, weighed by fixed weights.

use std::collections::HashSet;

use vitrine_domain::{Language, SourceKind};

use super::query::{Match, Query, Unit};
use super::similar;
use super::{Hit, budget};
use crate::quote;
use crate::text::lexicon::Lexicon;
use crate::text::{self, tokenize};

/// That a text mentions a thing does not say that the shop has it.
const MENTION_WEIGHT: f32 = 0.6;
/// How it is asked, in a title.
const WEAK_TITLE_WEIGHT: f32 = 0.25;

/// What speaks for a passage. Shares are of the weight of what is asked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signals {
    /// Covered by words, and by concepts alone, of the title.
    pub(super) title_words: f32,
    pub(super) title_concepts: f32,
    /// The same for what the title does not cover.
    pub(super) text_words: f32,
    pub(super) text_concepts: f32,
    /// Covered by one sentence, with the title.
    pub(super) sentence: f32,
    /// How it is asked, in the title.
    pub(super) title_manner: f32,
    /// Share of the title that is asked for.
    pub(super) title_precision: f32,
    /// Likeness of the letters of question and title.
    pub(super) title_letters: f32,
    pub(super) same_language: f32,
    pub(super) document: f32,
    pub(super) product: f32,
    /// A product, when advice or a product is asked for.
    pub(super) product_advised: f32,
    pub(super) product_wanted: f32,
    /// A product that costs no more than the shopper wants to pay.
    pub(super) affordable: f32,
}

/// Fitted on the development questions: softmax over the candidates of a question, the right ones against the others; the
/// strength of the penalty was chosen by six-fold cross-validation. The scale makes the best passage's score about 1.
const WEIGHTS: Signals = Signals {
    title_words: 0.235,
    title_concepts: 0.265,
    text_words: 0.288,
    text_concepts: 0.0,
    sentence: 0.644,
    title_manner: 0.106,
    title_precision: 0.477,
    title_letters: 0.203,
    same_language: 0.043,
    document: 0.108,
    product: 0.009,
    product_advised: 0.164,
    product_wanted: 0.159,
    affordable: 0.148,
};

impl Signals {
    const fn values(&self) -> [f32; 14] {
        [
            self.title_words,
            self.title_concepts,
            self.text_words,
            self.text_concepts,
            self.sentence,
            self.title_manner,
            self.title_precision,
            self.title_letters,
            self.same_language,
            self.document,
            self.product,
            self.product_advised,
            self.product_wanted,
            self.affordable,
        ]
    }

    fn score(&self) -> f32 {
        self.values().iter().zip(WEIGHTS.values()).map(|(value, weight)| value * weight).sum()
    }
}

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
pub(super) fn rank(query: &Query, candidates: Vec<Candidate>) -> Vec<Scored> {
    let mut scored: Vec<_> = candidates.into_iter().map(|candidate| score(query, candidate)).collect();
    scored.sort_by(|left, right| right.hit.score.total_cmp(&left.hit.score));
    let mut seen = HashSet::new();
    scored.retain(|scored| seen.insert((scored.hit.kind, scored.hit.item_id.clone())));
    scored
}

/// A passage with what speaks for it.
pub(super) struct Scored {
    pub(super) hit: Hit,
    pub(super) signals: Signals,
    /// Weight of every unit of the question that the passage leaves uncovered.
    pub(super) uncovered: Vec<f32>,
}

fn score(query: &Query, candidate: Candidate) -> Scored {
    let heading = candidate.heading.as_deref().unwrap_or_default();
    let full_title = format!("{}\n{heading}", candidate.title);
    let title: HashSet<_> = text::terms(&full_title, candidate.language).into_iter().collect();
    let is_product = candidate.kind == SourceKind::Product;

    let total: f32 = strong(query).map(|unit| unit.weight).sum();
    let mut signals = Signals {
        title_precision: title_precision(query, &candidate),
        title_letters: similar::letters(&query.text, &full_title),
        same_language: f32::from(u8::from(candidate.language == query.language)),
        document: f32::from(u8::from(candidate.kind == SourceKind::Document)),
        product: f32::from(u8::from(is_product)),
        product_advised: f32::from(u8::from(is_product && query.asks_for_advice)),
        product_wanted: f32::from(u8::from(is_product && query.wants_product)),
        ..Signals::default()
    };
    let covered_by_text = if query.asks_for_stock && !is_product { MENTION_WEIGHT } else { 1.0 };
    let mut covered = 0.0;
    let mut uncovered = Vec::new();
    for unit in strong(query) {
        let (in_title, anywhere) = (unit.match_in(&title), unit.match_in(&candidate.terms));
        let weight = share(unit.weight, total);
        signals.title_words += weight * in_title.word;
        signals.title_concepts += weight * (in_title.best() - in_title.word);
        let gained = (anywhere.best() - in_title.best()).max(0.0);
        if anywhere.word >= anywhere.concept {
            signals.text_words += weight * gained;
        } else {
            signals.text_concepts += weight * gained;
        }
        let met = in_title.best().max(covered_by_text * anywhere.best());
        covered += weight * met;
        uncovered.push(unit.weight * (1.0 - met));
    }
    if let (true, Some(limit), Some(price)) = (is_product, query.limit, budget::price(&candidate.text)) {
        signals.affordable = f32::from(u8::from(price <= limit));
    }
    let in_sentence = |sentence: &str| {
        let terms: HashSet<_> = text::terms(sentence, candidate.language).into_iter().collect();
        let best = |unit: &Unit| unit.match_in(&terms).best().max(unit.match_in(&title).best());
        strong(query).map(|unit| share(unit.weight, total) * best(unit)).sum::<f32>()
    };
    signals.sentence = quote::sentences(&candidate.text).into_iter().map(in_sentence).fold(0.0, f32::max);
    let manner: f32 = query.units.iter().filter(|unit| unit.weak).map(|unit| unit.weight).sum();
    let manner_met = query.units.iter().filter(|unit| unit.weak);
    signals.title_manner = share(manner_met.map(|unit| unit.weight * unit.match_in(&title).best()).sum(), manner);
    let hit = Hit {
        item_id: candidate.item_id,
        kind: candidate.kind,
        title: candidate.title,
        url: candidate.url,
        heading: candidate.heading,
        text: candidate.text,
        language: candidate.language,
        score: signals.score(),
        coverage: covered,
    };
    Scored { hit, signals, uncovered }
}

pub(super) fn strong(query: &Query) -> impl Iterator<Item = &Unit> {
    query.units.iter().filter(|unit| !unit.weak)
}

/// Share of the title's words that the question asks for.
fn title_precision(query: &Query, candidate: &Candidate) -> f32 {
    let lexicon = Lexicon::of_shops();
    let tokens = tokenize(&candidate.title);
    let found: Vec<_> = lexicon.find(&tokens, candidate.language).collect();
    let (mut total, mut matched) = (0.0, 0.0);
    let mut count = |terms: &HashSet<String>, weight: f32| {
        total += weight;
        let best = query.units.iter().map(|unit| unit.match_in(terms)).map(Match::best);
        matched += weight * best.fold(0.0, f32::max);
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
