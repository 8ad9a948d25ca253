//! A question in the merchant's terms: what is asked for, and every term that can stand for it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use vitrine_domain::Language;

use super::question::Question;
use super::similar::{self, Word};
use super::store::Summary;
use crate::text::lexicon::Lexicon;
use crate::text::stem;

/// Alternatives of one word of the question.
const ALTERNATIVES_MAX: usize = 8;
/// A form of a word that the merchant spells otherwise.
const INFLECTED_WEIGHT: f32 = 0.9;
/// A concept says less than the word itself.
const CONCEPT_WEIGHT: f32 = 0.8;
/// A word that was corrected, or a part of a compound, says less than the word itself.
const SIMILAR_WEIGHT: f32 = 0.9;
const SIMILAR_LIKENESS_MIN: f32 = 0.5;
/// Parts of a compound that the merchant's words make up; the last part says what kind of thing it is.
const COMPOUND_HEAD_WEIGHT: f32 = 0.6;
const COMPOUND_TAIL_WEIGHT: f32 = 0.7;
/// How a question is asked (how much, when) says less than what it asks about.
const WEAK_WEIGHT: f32 = 0.25;
/// What is left of the weight of an everyday word.
const COMMON_WEIGHT: f32 = 0.35;
/// A thing that shops are asked about, and this merchant says nothing of.
const ABSENT_CONCEPT_WEIGHT: f32 = 1.0;
/// A word that neither the merchant nor the lexicon knows.
const UNKNOWN_WEIGHT: f32 = 0.6;
/// The same in a language the merchant has no passages in: there it tells next to nothing.
const UNKNOWN_FOREIGN_WEIGHT: f32 = 0.3;

/// A question in the merchant's terms.
#[derive(Debug)]
pub(super) struct Query {
    pub(super) language: Language,
    pub(super) units: Vec<Unit>,
    /// Whether it is asked if the shop has or sells something.
    pub(super) asks_for_stock: bool,
    pub(super) asks_for_advice: bool,
    /// Whether a product is wished for, or asked after.
    pub(super) wants_product: bool,
    pub(super) doubts: Doubts,
    /// The most the shopper wants to pay.
    pub(super) limit: Option<f64>,
    /// The question's words, folded.
    pub(super) text: String,
}

/// What speaks against an answer, whatever the passages say.
#[derive(Debug)]
pub(super) struct Doubts {
    /// Things that shops are asked about, and that this merchant says nothing of.
    pub(super) absent_concepts: usize,
    /// Whether something the merchant does not know is written as a name.
    pub(super) names_unknown: bool,
    /// Whether an order is named by its number.
    pub(super) names_a_number: bool,
    /// Whether something is said that no shop answers.
    pub(super) is_outside: bool,
}

/// One thing that is asked for, and the terms that can stand for it.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) weight: f32,
    /// Only how it is asked: helps to rank, does not count as covered.
    pub(super) weak: bool,
    pub(super) origin: Origin,
    /// Terms with how well they stand for the unit, from 0 to 1.
    alternatives: Vec<(String, f32)>,
}

/// How a unit is known to the merchant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The merchant uses the word.
    Word,
    /// Only as a thing that shops are asked about.
    Concept,
    /// By words that resemble it.
    Similar,
    /// Not at all.
    Unknown,
}

/// What the merchant's vocabulary says about a question's words.
pub(super) struct Vocabulary {
    passages: usize,
    languages: Vec<Language>,
    passages_of_terms: HashMap<String, usize>,
    words: HashMap<String, Word>,
    similar: HashMap<String, Vec<Word>>,
}

impl Vocabulary {
    pub(super) fn new(summary: Summary, known: Vec<Word>, similar: HashMap<String, Vec<Word>>) -> Self {
        Self {
            passages: summary.passages,
            languages: summary.languages,
            passages_of_terms: known.iter().map(|word| (word.term.clone(), word.passages)).collect(),
            words: known.into_iter().map(|word| (word.text.clone(), word)).collect(),
            similar,
        }
    }

    /// From 0.1 (in every passage) to 1 (in one or none).
    #[expect(clippy::cast_precision_loss, reason = "counts of passages are small, and only their ratio matters")]
    fn rarity(&self, passages: usize) -> f32 {
        let all = self.passages as f32 + 1.0;
        ((all / (passages as f32 + 0.5)).ln() / (all / 1.5).ln()).clamp(0.1, 1.0)
    }
}

impl Query {
    /// The terms that the question's words and concepts have by themselves.
    pub(super) fn exact_terms(question: &Question, languages: &[Language]) -> BTreeSet<String> {
        let lexicon = Lexicon::of_shops();
        let words = question.content().flat_map(|at| stems(question, languages, at));
        words.chain(question.concepts.iter().map(|said| lexicon.term(said.concept))).collect()
    }

    pub(super) fn new(question: &Question, vocabulary: &Vocabulary) -> Self {
        let mut seen = HashSet::new();
        let mut units: Vec<_> = question
            .content()
            .filter(|at| seen.insert(stems(question, &vocabulary.languages, *at)))
            .map(|at| unit(question, vocabulary, at))
            .collect();
        units.extend(concept_units(question, vocabulary));
        Self {
            language: question.language,
            units,
            asks_for_stock: question.asks_for_stock(),
            asks_for_advice: question.asks_for_advice(),
            wants_product: question.asks_for_stock() || question.wishes(),
            doubts: Doubts {
                absent_concepts: absent_concepts(question, vocabulary),
                names_unknown: question.content().any(|at| names_unknown(question, vocabulary, at)),
                names_a_number: question.names_a_number(),
                is_outside: question.is_outside(),
            },
            limit: question.limit,
            text: question.tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" "),
        }
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
}

impl Unit {
    /// How well one of `terms` stands for the unit.
    pub(super) fn match_in(&self, terms: &HashSet<String>) -> Match {
        let mut found = Match::default();
        for (term, weight) in self.alternatives.iter().filter(|(term, _)| terms.contains(term)) {
            let kind = if Lexicon::is_term(term) { &mut found.concept } else { &mut found.word };
            *kind = kind.max(*weight);
        }
        found
    }
}

/// How well a text stands for a unit, from 0 to 1: by a word, and by a concept.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Match {
    pub(super) word: f32,
    pub(super) concept: f32,
}

impl Match {
    pub(super) fn best(self) -> f32 {
        self.word.max(self.concept)
    }
}

/// A word of the question with everything that can stand for it.
fn unit(question: &Question, vocabulary: &Vocabulary, at: usize) -> Unit {
    let mut alternatives = alternatives(question, vocabulary, at);
    alternatives.sort_by(|left, right| right.1.total_cmp(&left.1));
    alternatives.truncate(ALTERNATIVES_MAX);
    // The rarest of what stands best for the word says how much the question turns on it.
    let best = alternatives.first().map_or(0.0, |(_, weight, _)| *weight);
    let weights = alternatives
        .iter()
        .filter(|(_, weight, _)| *weight >= best)
        .map(|(_, weight, passages)| weight * vocabulary.rarity(*passages));
    let weight = weights.max_by(f32::total_cmp).unwrap_or(if question.says_concept(at) {
        ABSENT_CONCEPT_WEIGHT
    } else if vocabulary.languages.contains(&question.language) {
        UNKNOWN_WEIGHT
    } else {
        UNKNOWN_FOREIGN_WEIGHT
    });
    let has = |is_concept: bool| {
        alternatives.iter().any(|(term, weight, _)| Lexicon::is_term(term) == is_concept && *weight >= CONCEPT_WEIGHT)
    };
    let origin = match () {
        () if has(false) => Origin::Word,
        () if has(true) => Origin::Concept,
        () if alternatives.is_empty() => Origin::Unknown,
        () => Origin::Similar,
    };
    let says_little = question.is_common_word(at) || question.only_says_how(at);
    Unit {
        weight: if says_little { weight * COMMON_WEIGHT } else { weight },
        weak: false,
        origin,
        alternatives: alternatives.into_iter().map(|(term, weight, _)| (term, weight)).collect(),
    }
}

/// Terms with how well they stand for a word and in how many passages they are.
fn alternatives(question: &Question, vocabulary: &Vocabulary, at: usize) -> Vec<(String, f32, usize)> {
    let mut found: BTreeMap<String, (f32, usize)> = BTreeMap::new();
    let mut add = |term: &str, weight: f32, passages: usize| {
        let entry = found.entry(term.to_owned()).or_insert((0.0, passages));
        entry.0 = entry.0.max(weight);
    };
    let passages_of = |term: &str| vocabulary.passages_of_terms.get(term).copied();

    let exact = stems(question, &vocabulary.languages, at);
    let asked = &question.tokens[at].text;
    // A slip can have the stem of another word: what nobody spelled so is compared with similar words, too.
    let is_spelled = vocabulary.words.contains_key(asked);
    let mut is_known = false;
    for term in &exact {
        if let Some(passages) = passages_of(term) {
            is_known = true;
            add(term, if is_spelled { 1.0 } else { INFLECTED_WEIGHT }, passages);
        }
    }
    let mut is_concept = false;
    for term in question.concept_terms(at) {
        if let Some(passages) = passages_of(&term) {
            is_concept = true;
            add(&term, CONCEPT_WEIGHT, passages);
        }
    }
    // What the lexicon knows and the merchant does not is another thing, not a slip.
    let is_another_thing = !is_concept && question.says_concept(at);
    for word in vocabulary.similar.get(asked).into_iter().flatten() {
        let likeness = similar::likeness(asked, &word.text, is_spelled || is_another_thing);
        if likeness >= SIMILAR_LIKENESS_MIN && !exact.contains(&word.term) {
            add(&word.term, likeness * SIMILAR_WEIGHT, word.passages);
        }
    }
    if !is_known {
        for (head, tail) in similar::compound_parts(asked) {
            if let (Some(head), Some(tail)) = (vocabulary.words.get(head), vocabulary.words.get(tail)) {
                add(&head.term, COMPOUND_HEAD_WEIGHT, head.passages);
                add(&tail.term, COMPOUND_TAIL_WEIGHT, tail.passages);
            }
        }
    }
    found.into_iter().map(|(term, (weight, passages))| (term, weight, passages)).collect()
}

/// Whether a word is written as a name that neither the merchant nor the lexicon knows.
fn names_unknown(question: &Question, vocabulary: &Vocabulary, at: usize) -> bool {
    let word = &question.tokens[at].text;
    let is_name = question.names.contains(word) && !question.is_common_word(at);
    is_name
        && !vocabulary.words.contains_key(word)
        && matches!(unit(question, vocabulary, at).origin, Origin::Similar | Origin::Unknown)
}

/// How many things shops are asked about are said that the merchant says nothing of.
fn absent_concepts(question: &Question, vocabulary: &Vocabulary) -> usize {
    let lexicon = Lexicon::of_shops();
    let said: BTreeSet<_> = question.concepts.iter().map(|said| said.concept).collect();
    let is_absent =
        |concept: &_| !lexicon.is_weak(*concept) && !vocabulary.passages_of_terms.contains_key(&lexicon.term(*concept));
    said.into_iter().filter(is_absent).count()
}

/// Concepts that no single word of the question stands for: how it is asked, and phrases of stop words.
fn concept_units(question: &Question, vocabulary: &Vocabulary) -> Vec<Unit> {
    let lexicon = Lexicon::of_shops();
    let mut seen = HashSet::new();
    let mut units = Vec::new();
    for said in &question.concepts {
        let weak = lexicon.is_weak(said.concept);
        let is_phrase_of_stop_words = said.tokens.len() > 1 && said.tokens.clone().all(|at| question.is_stop_word(at));
        if !(weak || is_phrase_of_stop_words) || !seen.insert(said.concept) {
            continue;
        }
        let term = lexicon.term(said.concept);
        if let Some(passages) = vocabulary.passages_of_terms.get(&term) {
            let weight = vocabulary.rarity(*passages) * if weak { WEAK_WEIGHT } else { CONCEPT_WEIGHT };
            units.push(Unit { weight, weak, origin: Origin::Concept, alternatives: vec![(term, 1.0)] });
        }
    }
    units
}

/// The stems of a word in its language and in those of the merchant's passages.
fn stems(question: &Question, languages: &[Language], at: usize) -> BTreeSet<String> {
    let languages = std::iter::once(question.language).chain(languages.iter().copied());
    let token = &question.tokens[at];
    languages.flat_map(|language| token.forms().map(move |form| stem::stem(form, language))).collect()
}
