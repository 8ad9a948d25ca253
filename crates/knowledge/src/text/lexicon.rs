//! Everyday words of shopping, grouped into concepts that mean the same in every language.
//!
//! A term of four letters or more is the beginning of a word, a shorter one or one that ends in a point a whole word,
//! several words a phrase.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;
use vitrine_domain::Language;

use super::stem::written_persian;
use super::{Token, tokenize};

pub(super) const LEXICON_FILE: &str = include_str!("../../data/commerce-lexicon.json");

/// Marks a concept among the terms of the index; no word holds a colon.
const TERM_PREFIX: &str = "c:";
const PREFIX_LETTERS_MIN: usize = 4;
/// In a compound word a term may begin after this many letters …
const COMPOUND_HEAD_LETTERS_MIN: usize = 3;
/// … and leave this many at the end for a plural or a diminutive.
const COMPOUND_TAIL_LETTERS_MAX: usize = 3;
/// Written together with a noun in Arabic, longest first.
const ARABIC_PREFIXES: [&str; 8] = ["وال", "بال", "لل", "ال", "و", "ب", "ل", "ف"];
/// Written together with a noun in Persian: plurals, possessives, "it is".
const PERSIAN_SUFFIXES: [&str; 12] = ["هاي", "ها", "اي", "ام", "اش", "ات", "م", "ش", "ت", "ه", "ي", "و"];

/// What remains of a word must be a word.
const VARIANT_LETTERS_MIN: usize = 3;

/// A concept's place in the lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Concept(usize);

/// A concept in a text, and the tokens that say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    pub concept: Concept,
    pub tokens: Range<usize>,
}

#[derive(Deserialize)]
struct Entry {
    id: String,
    /// Question words and greetings: they say how something is asked, not what.
    #[serde(default)]
    weak: bool,
    /// What no shop answers: small talk about the world, its own secrets, attempts to steer the assistant.
    #[serde(default)]
    outside: bool,
    #[serde(flatten)]
    terms: HashMap<Language, Vec<String>>,
}

struct Pattern {
    words: Vec<String>,
    /// Whether longer words than the terms count, too.
    is_beginning: bool,
    concept: Concept,
}

/// All concepts, ready to be found.
pub struct Lexicon {
    entries: Vec<Entry>,
    patterns: HashMap<Language, Vec<Pattern>>,
    /// Patterns by the first letters of their first word.
    by_beginning: HashMap<(Language, String), Vec<usize>>,
}

impl Lexicon {
    /// The lexicon that comes with the product.
    pub fn of_shops() -> &'static Self {
        static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
            Lexicon::new(serde_json::from_str(LEXICON_FILE).expect("the lexicon is tested to be valid"))
        });
        &LEXICON
    }

    fn new(entries: Vec<Entry>) -> Self {
        let mut patterns: HashMap<Language, Vec<Pattern>> = HashMap::new();
        let mut by_beginning: HashMap<(Language, String), Vec<usize>> = HashMap::new();
        for (position, entry) in entries.iter().enumerate() {
            for (language, terms) in &entry.terms {
                for term in terms {
                    let words: Vec<_> = tokenize(term).into_iter().map(|token| token.text).collect();
                    let Some(first) = words.first() else { continue };
                    let of_language = patterns.entry(*language).or_default();
                    by_beginning.entry((*language, beginning(first))).or_default().push(of_language.len());
                    of_language.push(Pattern { words, is_beginning: !term.ends_with('.'), concept: Concept(position) });
                }
            }
        }
        Self { entries, patterns, by_beginning }
    }

    /// The concept as a term of the index.
    pub fn term(&self, concept: Concept) -> String {
        format!("{TERM_PREFIX}{}", self.entries[concept.0].id)
    }

    /// Whether a term of the index is a concept.
    pub fn is_term(term: &str) -> bool {
        term.starts_with(TERM_PREFIX)
    }

    /// Whether a concept only says how something is asked.
    pub fn is_weak(&self, concept: Concept) -> bool {
        self.entries[concept.0].weak
    }

    /// Whether no shop answers what belongs to a concept.
    pub fn is_outside(&self, concept: Concept) -> bool {
        self.entries[concept.0].outside
    }

    /// The concept with this name.
    pub fn concept(&self, id: &str) -> Option<Concept> {
        self.entries.iter().position(|entry| entry.id == id).map(Concept)
    }

    /// Concepts said in `tokens` by terms of `language`.
    pub fn find(&self, tokens: &[Token], language: Language) -> impl Iterator<Item = Found> {
        (0..tokens.len()).flat_map(move |at| self.find_at(tokens, at, language))
    }

    fn find_at(&self, tokens: &[Token], at: usize, language: Language) -> Vec<Found> {
        let Some(patterns) = self.patterns.get(&language) else { return Vec::new() };
        let mut found = Vec::new();
        for variant in variants(&tokens[at].text, language) {
            let Some(candidates) = self.by_beginning.get(&(language, beginning(&variant))) else { continue };
            for pattern in candidates.iter().map(|candidate| &patterns[*candidate]) {
                let matches = pattern.is_said(&variant, 0)
                    && tokens.len() >= at + pattern.words.len()
                    && (1..pattern.words.len()).all(|place| {
                        let variants = variants(&tokens[at + place].text, language);
                        variants.iter().any(|variant| pattern.is_said(variant, place))
                    });
                if matches {
                    found.push(Found { concept: pattern.concept, tokens: at..at + pattern.words.len() });
                }
            }
        }
        if matches!(language, Language::Nl | Language::De) {
            found.extend(
                self.find_in_compound(&tokens[at].text, language).map(|concept| Found { concept, tokens: at..at + 1 }),
            );
        }
        found.sort_by_key(|found| (found.concept, found.tokens.end));
        found.dedup();
        found
    }

    /// Terms at the end of a compound word: `kettingslot` is a lock.
    fn find_in_compound(&self, word: &str, language: Language) -> impl Iterator<Item = Concept> {
        let starts = word.char_indices().map(|(at, _)| at).skip(COMPOUND_HEAD_LETTERS_MIN);
        starts.flat_map(move |at| {
            let end = &word[at..];
            let candidates = self.by_beginning.get(&(language, beginning(end))).into_iter().flatten();
            candidates.filter_map(move |candidate| {
                let pattern = &self.patterns[&language][*candidate];
                let [term] = pattern.words.as_slice() else { return None };
                let is_long = pattern.is_beginning && term.chars().count() >= PREFIX_LETTERS_MIN;
                let tail = end.strip_prefix(term.as_str())?;
                let fits = is_long && tail.chars().count() <= COMPOUND_TAIL_LETTERS_MAX;
                fits.then_some(pattern.concept)
            })
        })
    }
}

fn beginning(word: &str) -> String {
    word.chars().take(PREFIX_LETTERS_MIN).collect()
}

impl Pattern {
    /// Whether `word` is the one at `place` of the phrase.
    fn is_said(&self, word: &str, place: usize) -> bool {
        let term = &self.words[place];
        let is_beginning = self.is_beginning && term.chars().count() >= PREFIX_LETTERS_MIN;
        word == term || (is_beginning && word.starts_with(term.as_str()))
    }
}

/// A word, and in Arabic and Persian also without what is written together with it.
fn variants(word: &str, language: Language) -> Vec<Cow<'_, str>> {
    let stripped: Vec<Cow<'_, str>> = match language {
        Language::Ar => ARABIC_PREFIXES.iter().filter_map(|prefix| word.strip_prefix(prefix)).map(Cow::from).collect(),
        Language::Fa => {
            let written = written_persian(word);
            let ends = PERSIAN_SUFFIXES.iter().filter_map(|suffix| written.strip_suffix(suffix)).map(str::to_owned);
            ends.map(Cow::from).chain((written != word).then(|| Cow::from(written.clone().into_owned()))).collect()
        }
        _ => Vec::new(),
    };
    let long_enough = stripped.into_iter().filter(|rest| rest.chars().count() >= VARIANT_LETTERS_MIN);
    std::iter::once(Cow::from(word)).chain(long_enough).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn concepts(text: &str, language: Language) -> HashSet<String> {
        let lexicon = Lexicon::of_shops();
        lexicon.find(&tokenize(text), language).map(|found| lexicon.term(found.concept)).collect()
    }

    #[test]
    fn every_concept_has_a_name_of_its_own_and_terms_in_every_language() {
        let lexicon = Lexicon::of_shops();
        let names: HashSet<_> = lexicon.entries.iter().map(|entry| &entry.id).collect();
        assert_eq!(names.len(), lexicon.entries.len());
        for entry in &lexicon.entries {
            for language in Language::ALL {
                assert!(
                    entry.terms.get(&language).is_some_and(|terms| !terms.is_empty()),
                    "{} in {language}",
                    entry.id
                );
            }
        }
    }

    #[test]
    fn a_concept_is_the_same_in_every_language() {
        for (text, language) in [
            ("How much is shipping?", Language::En),
            ("Wat kost de bezorging?", Language::Nl),
            ("Was kostet der Versand?", Language::De),
            ("هزینهٔ ارسال چقدر است؟", Language::Fa),
            ("كم رسوم التوصيل؟", Language::Ar),
            ("Колькі каштуе дастаўка?", Language::Be),
        ] {
            assert!(concepts(text, language).contains("c:delivery"), "{text}: {:?}", concepts(text, language));
        }
    }

    #[test]
    fn a_term_is_found_at_the_end_of_a_compound() {
        assert!(concepts("een kettingslot", Language::Nl).contains("c:lock"));
        assert!(concepts("Fahrradhelme", Language::De).contains("c:helmet"));
    }

    #[test]
    fn short_terms_are_whole_words_and_phrases_are_phrases() {
        assert!(concepts("a size xl", Language::En).contains("c:size"));
        assert!(concepts("send it back please", Language::En).contains("c:delivery"));
        assert!(!concepts("back to the gift, card games", Language::En).contains("c:refund"));
        assert!(concepts("mijn hond", Language::Nl).contains("c:pets"));
        assert!(!concepts("honderd meter", Language::Nl).contains("c:pets"));
    }
}
