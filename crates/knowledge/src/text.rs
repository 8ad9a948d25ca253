//! The analysis of text: the same pure steps for passages and questions, whatever the version of the database.
//!
//! Text becomes [`Token`]s (folded words), tokens become stems of their language, and phrases of everyday shop language
//! become concepts that mean the same in every language. Stems and concepts are the terms of the index.

pub mod fold;
pub mod language;
pub mod lexicon;
pub mod stem;
pub mod stop_words;
pub mod token;

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};
use vitrine_domain::Language;

pub use token::{Token, tokenize};

/// Version of the rules below: a change of it makes the next import index everything anew. A change of the data files
/// does so by itself.
pub const ANALYSIS_VERSION: u32 = 1;

/// The index terms of a text in `language`: stems without stop words, and concepts.
pub fn terms(text: &str, language: Language) -> BTreeSet<String> {
    let tokens = tokenize(text);
    let mut terms: BTreeSet<String> = tokens.iter().flat_map(|token| stems(token, language)).collect();
    let lexicon = lexicon::Lexicon::of_shops();
    terms.extend(lexicon.find(&tokens, language).map(|found| lexicon.term(found.concept)));
    terms
}

/// The stems a word is found by: its own and those of its parts, without stop words.
pub fn stems(token: &Token, language: Language) -> impl Iterator<Item = String> {
    token
        .forms()
        .filter(move |form| !stop_words::is_stop_word(form, language))
        .map(move |form| stem::stem(form, language))
}

/// A digest of the data files the rules use.
pub fn data_digest() -> Vec<u8> {
    let mut digest = Sha256::new();
    digest.update(lexicon::LEXICON_FILE);
    digest.update(stop_words::STOP_WORDS_FILE);
    digest.finalize().to_vec()
}
