//! How well a passage answers: the share of the question's weight it covers, in its title and in its text.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use vitrine_domain::{Language, SourceKind};

use super::Hit;
use super::question::Question;
use super::similar::{self, Word};
use super::store::Summary;
use crate::text::lexicon::Lexicon;
use crate::text::{self, stem, tokenize};

/// Alternatives of one word of the question.
const ALTERNATIVES_MAX: usize = 8;
/// A concept says less than the word itself.
/// How a question is asked (how much, when) says less than what it asks about.
/// A word that neither the merchant nor the lexicon knows.
/// The same in a language the merchant has no passages in: there it tells next to nothing.
/// What is left of the weight of an everyday word.
/// What a term that stands in every passage is worth beside a rare one for the same word.
/// A word in the text counts less than one in the title.
/// In a product's text stands what it is: its kind, its uses, its sizes.
/// Somebody who asks for advice wants a product.
/// Somebody who wants or asks for something may want a product.
/// How much it counts that the title asks for nothing else.

/// A question in the merchant's terms.
pub(super) struct Query {
    pub(super) language: Language,
    pub(super) units: Vec<Unit>,
    product_bonus: f32,
}

/// One thing that is asked for, and the terms that can stand for it.
#[derive(Debug)]
pub(super) struct Unit {
    weight: f32,
    /// Only how it is asked: helps to rank, does not count as covered.
    weak: bool,
    /// Terms with how well they stand for the unit, from 0 to 1.
    alternatives: Vec<(String, f32)>,
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

impl Query {
    /// Terms the question's words and concepts have by themselves.
    pub(super) fn exact_terms(question: &Question, summary: &Summary) -> BTreeSet<String> {
        let lexicon = Lexicon::of_shops();
        let words = question.content().flat_map(|at| stems(question, summary, at));
        words.chain(question.concepts.iter().map(|said| lexicon.term(said.concept))).collect()
    }

    pub(super) fn new(
        question: &Question,
        summary: &Summary,
        known: &[Word],
        similar: &HashMap<String, Vec<Word>>,
    ) -> Self {
        let lexicon = Lexicon::of_shops();
        let passages_of: HashMap<&str, usize> = known.iter().map(|word| (word.term.as_str(), word.passages)).collect();
        let term_of: HashMap<&str, &Word> = known.iter().map(|word| (word.text.as_str(), word)).collect();
        let rarity = |passages: usize| rarity(passages, summary.passages);

        let mut units = Vec::new();
        let mut in_unit = HashSet::new();
        for at in question.content() {
            let token = &question.tokens[at];
            let mut found: BTreeMap<String, (f32, usize)> = BTreeMap::new();
            let mut add = |term: &str, weight: f32, passages: usize| {
                let entry = found.entry(term.to_owned()).or_insert((0.0, passages));
                entry.0 = entry.0.max(weight);
            };
            let exact = stems(question, summary, at);
            let mut is_known = false;
            for term in &exact {
                if let Some(passages) = passages_of.get(term.as_str()) {
                    is_known = true;
                    add(term, 1.0, *passages);
                }
            }
            for said in
                question.concepts.iter().filter(|said| said.tokens.contains(&at) && !lexicon.is_weak(said.concept))
            {
                let term = lexicon.term(said.concept);
                if let Some(passages) = passages_of.get(term.as_str()) {
                    add(&term, k("CONCEPT_WEIGHT", 0.8), *passages);
                }
            }
            for word in similar.get(&token.text).into_iter().flatten() {
                let likeness = similar::likeness(&token.text, &word.text, is_known);
                if likeness >= k("SIMILAR_LIKENESS_MIN", 0.5) && !exact.contains(&word.term) {
                    add(&word.term, likeness * 0.9, word.passages);
                }
            }
            if !is_known {
                for (head, tail) in similar::compound_parts(&token.text) {
                    if let (Some(head), Some(tail)) = (term_of.get(head), term_of.get(tail)) {
                        add(&head.term, 0.6, head.passages);
                        add(&tail.term, 0.7, tail.passages);
                    }
                }
            }
            let mut alternatives: Vec<_> = found.into_iter().collect();
            alternatives.sort_by(|(_, (left, _)), (_, (right, _))| right.total_cmp(left));
            alternatives.truncate(ALTERNATIVES_MAX);
            // The rarest of what stands well for the word says how much the question turns on it.
            let weight = alternatives
                .iter()
                .map(|(_, (weight, passages))| weight * rarity(*passages))
                .max_by(f32::total_cmp)
                .unwrap_or(if summary.languages.contains(&question.language) {
                    k("UNKNOWN_WEIGHT", 0.6)
                } else {
                    k("UNKNOWN_FOREIGN_WEIGHT", 0.3)
                });
            let says_little = question.is_common_word(at) || question.only_says_how(at);
            let weight = if says_little { weight * k("COMMON_WEIGHT", 0.35) } else { weight };
            let rarest = alternatives.iter().map(|(_, (_, passages))| rarity(*passages)).fold(0.0, f32::max);
            let alternatives: Vec<_> = alternatives
                .into_iter()
                .map(|(term, (weight, passages))| (term, weight * (k("BROAD_SHARE", 0.6) + (1.0 - k("BROAD_SHARE", 0.6)) * share(rarity(passages), rarest))))
                .collect();
            if in_unit.insert(exact.clone()) {
                units.push(Unit { weight, weak: false, alternatives });
            }
        }
        let mut concepts_seen = HashSet::new();
        for said in &question.concepts {
            let weak = lexicon.is_weak(said.concept);
            let by_content = said.tokens.clone().any(|at| !question.is_stop_word(at));
            let is_phrase = said.tokens.len() > 1;
            if (weak || (is_phrase && !by_content)) && concepts_seen.insert(said.concept) {
                let term = lexicon.term(said.concept);
                if let Some(passages) = passages_of.get(term.as_str()) {
                    let weight = rarity(*passages) * if weak { k("WEAK_WEIGHT", 0.25) } else { k("CONCEPT_WEIGHT", 0.8) };
                    units.push(Unit { weight, weak, alternatives: vec![(term, 1.0)] });
                }
            }
        }
        let product_bonus = if question.asks_for_advice() {
            k("ADVICE_BONUS", 0.25)
        } else if question.wishes() {
            k("WISH_BONUS", 0.1)
        } else {
            0.0
        };
        Self { language: question.language, units, product_bonus }
    }

    /// Every term with the weight it adds to a passage that holds it.
    pub(super) fn search_terms(&self) -> BTreeMap<String, f32> {
        let mut terms = BTreeMap::new();
        for unit in &self.units {
            for (term, weight) in &unit.alternatives {
                *terms.entry(term.clone()).or_default() += unit.weight * weight;
            }
        }
        terms
    }

    fn total(&self, weak: bool) -> f32 {
        self.units.iter().filter(|unit| weak || !unit.weak).map(|unit| unit.weight).sum()
    }
}

impl Unit {
    /// How well one of `terms` stands for the unit.
    fn match_in(&self, terms: &HashSet<String>) -> f32 {
        let held = self.alternatives.iter().filter(|(term, _)| terms.contains(term));
        held.map(|(_, weight)| *weight).fold(0.0, f32::max)
    }
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
    let text_weight = if is_product { k("PRODUCT_TEXT_WEIGHT", 0.85) } else { k("TEXT_WEIGHT", 0.7) };
    let (mut covered, mut ranked) = (0.0, 0.0);
    for unit in &query.units {
        let anywhere = unit.match_in(&candidate.terms);
        let in_title = unit.match_in(&title_terms);
        if !unit.weak {
            covered += unit.weight * anywhere;
        }
        ranked += unit.weight * in_title.max(text_weight * anywhere);
    }
    let coverage = share(covered, query.total(false));
    let score = share(ranked, query.total(true))
        + k("TITLE_PRECISION_WEIGHT", 0.35) * title_precision(query, &candidate)
        + if candidate.language == query.language { k("SAME_LANGUAGE_BONUS", 0.08) } else { 0.0 }
        + if is_product { query.product_bonus } else { 0.0 };
    Hit {
        item_id: candidate.item_id,
        kind: candidate.kind,
        title: candidate.title,
        url: candidate.url,
        heading: candidate.heading,
        text: candidate.text,
        language: candidate.language,
        score,
        coverage,
    }
}

/// Share of the title's words that the question asks for.
fn title_precision(query: &Query, candidate: &Candidate) -> f32 {
    let lexicon = Lexicon::of_shops();
    let tokens = tokenize(&candidate.title);
    let found: Vec<_> = lexicon.find(&tokens, candidate.language).collect();
    let (mut total, mut matched) = (0.0, 0.0);
    let mut count = |terms: HashSet<String>, weight: f32| {
        total += weight;
        matched += weight * query.units.iter().map(|unit| unit.match_in(&terms)).fold(0.0, f32::max);
    };
    for (at, token) in tokens.iter().enumerate() {
        let mut terms: HashSet<_> = text::stems(token, candidate.language).collect();
        if terms.is_empty() {
            continue;
        }
        let here = found.iter().filter(|found| found.tokens.contains(&at) && !lexicon.is_weak(found.concept));
        terms.extend(here.map(|found| lexicon.term(found.concept)));
        count(terms, 1.0);
    }
    let weak: HashSet<_> =
        found.iter().filter(|found| lexicon.is_weak(found.concept)).map(|found| found.concept).collect();
    for concept in weak {
        count(HashSet::from([lexicon.term(concept)]), k("WEAK_WEIGHT", 0.25));
    }
    share(matched, total)
}

/// The stems of a word in its language and in those of the merchant's passages.
fn stems(question: &Question, summary: &Summary, at: usize) -> BTreeSet<String> {
    let languages = std::iter::once(question.language).chain(summary.languages.iter().copied());
    let token = &question.tokens[at];
    languages.flat_map(|language| token.forms().map(move |form| stem::stem(form, language))).collect()
}

/// From 0 (in every passage) to 1 (in one or none).
#[expect(clippy::cast_precision_loss, reason = "counts of passages are small, and only their ratio matters")]
fn rarity(passages: usize, all: usize) -> f32 {
    let all = all as f32 + 1.0;
    ((all / (passages as f32 + 0.5)).ln() / (all / 1.5).ln()).clamp(0.1, 1.0)
}

fn share(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn k(name: &str, default: f32) -> f32 { std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default) }
