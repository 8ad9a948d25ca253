//! A question as words and concepts, before the merchant's vocabulary is asked.

use std::collections::HashSet;
use std::ops::Range;

use vitrine_domain::Language;

use super::budget;
use crate::text::lexicon::{Concept, Lexicon};
use crate::text::{Token, language, stop_words, tokenize};

/// What is read of a question; a longer one repeats itself.
const QUESTION_CHARACTERS_MAX: usize = 2_000;
const TOKENS_MAX: usize = 64;
/// Digits of an order's number.
const NUMBER_DIGITS_MIN: usize = 5;
const ADVICE: &str = "recommendation";
const STOCK: &str = "q_do_you_have";
const WISH: &str = "q_need_want";

/// A question as far as it can be understood without the merchant's knowledge.
pub(super) struct Question {
    pub(super) language: Language,
    pub(super) tokens: Vec<Token>,
    pub(super) concepts: Vec<Said>,
    /// The most the shopper wants to pay.
    pub(super) limit: Option<f64>,
    /// Words written with a capital letter inside a sentence.
    pub(super) names: HashSet<String>,
}

/// A concept and the tokens that say it.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) concept: Concept,
    pub(super) tokens: Range<usize>,
}

impl Question {
    pub(super) fn new(text: &str, expected: Language) -> Self {
        let text: String = text.chars().take(QUESTION_CHARACTERS_MAX).collect();
        let mut tokens = tokenize(&text);
        tokens.truncate(TOKENS_MAX);
        let language = language::detect_tokens(&text, &tokens, expected);
        let found = Lexicon::of_shops().find(&tokens, language);
        let concepts = found.map(|found| Said { concept: found.concept, tokens: found.tokens }).collect();
        Self { language, tokens, concepts, limit: budget::limit(&text), names: names(&text, language) }
    }

    pub(super) fn is_stop_word(&self, at: usize) -> bool {
        stop_words::is_stop_word(&self.tokens[at].text, self.language)
    }

    /// Whether the word is so common that the question seldom turns on it.
    pub(super) fn is_common_word(&self, at: usize) -> bool {
        stop_words::is_common_word(&self.tokens[at].text, self.language)
    }

    /// Whether the word belongs to no concept but such as say how something is asked.
    pub(super) fn only_says_how(&self, at: usize) -> bool {
        let lexicon = Lexicon::of_shops();
        let mut here = self.concepts.iter().filter(|said| said.tokens.contains(&at)).peekable();
        here.peek().is_some() && here.all(|said| lexicon.is_weak(said.concept))
    }

    /// Whether the word belongs to a concept that says what is asked.
    pub(super) fn says_concept(&self, at: usize) -> bool {
        self.concept_terms(at).next().is_some()
    }

    /// The concepts a word belongs to that say what is asked, as terms of the index.
    pub(super) fn concept_terms(&self, at: usize) -> impl Iterator<Item = String> {
        let lexicon = Lexicon::of_shops();
        let here = self.concepts.iter().filter(move |said| said.tokens.contains(&at) && !lexicon.is_weak(said.concept));
        here.map(|said| lexicon.term(said.concept))
    }

    /// Whether the shopper asks what to buy.
    pub(super) fn asks_for_advice(&self) -> bool {
        self.says(ADVICE)
    }

    /// Whether the shopper asks if the shop has or sells something.
    pub(super) fn asks_for_stock(&self) -> bool {
        self.says(STOCK)
    }

    /// Whether the shopper wants something.
    pub(super) fn wishes(&self) -> bool {
        self.says(WISH)
    }

    fn says(&self, id: &str) -> bool {
        let concept = Lexicon::of_shops().concept(id);
        self.concepts.iter().any(|said| Some(said.concept) == concept)
    }

    /// Whether an order or another thing is named by its number.
    pub(super) fn names_a_number(&self) -> bool {
        let is_long = |token: &Token| {
            token.text.len() >= NUMBER_DIGITS_MIN && token.text.chars().all(|letter| letter.is_ascii_digit())
        };
        self.tokens.iter().any(is_long) && self.limit.is_none()
    }

    /// Whether something is said that no shop answers.
    pub(super) fn is_outside(&self) -> bool {
        let lexicon = Lexicon::of_shops();
        self.concepts.iter().any(|said| lexicon.is_outside(said.concept))
    }

    /// Places of the words that say what is asked.
    pub(super) fn content(&self) -> impl Iterator<Item = usize> {
        (0..self.tokens.len()).filter(|at| !self.is_stop_word(*at))
    }
}

/// Words with a capital letter that no sentence begins with. German has them everywhere.
fn names(text: &str, language: Language) -> HashSet<String> {
    if language == Language::De {
        return HashSet::new();
    }
    let sentences = text.split(['.', '!', '?', ':', '\n']);
    let words = sentences.flat_map(|sentence| sentence.split_whitespace().skip(1));
    words
        .filter(|word| word.starts_with(char::is_uppercase) && word.chars().count() > 2)
        .flat_map(tokenize)
        .map(|token| token.text)
        .collect()
}
