//! The part of a passage that answers a question.

use std::collections::HashSet;

use vitrine_domain::Language;

use crate::text::lexicon::Lexicon;
use crate::text::{self, language};

/// A passage up to this length is quoted whole.
const WHOLE_CHARACTERS_MAX: usize = 420;
/// What is quoted of a longer one.
const QUOTE_CHARACTERS_MAX: usize = 420;
const QUOTE_SENTENCES_MAX: usize = 4;

/// The sentences of `passage` (a hit's plain text, in `passage_language`) that have most to do with `question`, in
/// their order; the whole passage when it is short. Never empty for a passage with text.
pub fn best_sentences(question: &str, passage: &str, passage_language: Language) -> String {
    let passage = passage.trim();
    if passage.chars().count() <= WHOLE_CHARACTERS_MAX {
        return passage.to_owned();
    }
    let question_language = language::detect(question, passage_language);
    let asked: HashSet<_> = [question_language, passage_language]
        .into_iter()
        .flat_map(|language| text::terms(question, language))
        .collect();
    let sentences = sentences(passage);
    let mut ranked: Vec<_> = sentences
        .iter()
        .enumerate()
        .map(|(at, sentence)| {
            // What only announces a list or a table says nothing without it.
            let relevance = if sentence.ends_with(':') { 0 } else { relevance(sentence, passage_language, &asked) };
            (relevance, at)
        })
        .collect();
    ranked.sort_by(|(left, left_at), (right, right_at)| right.cmp(left).then(left_at.cmp(right_at)));

    let mut chosen = Vec::new();
    let mut characters = 0;
    for (relevance, at) in ranked {
        let length = sentences[at].chars().count();
        let fits = characters + length <= QUOTE_CHARACTERS_MAX && chosen.len() < QUOTE_SENTENCES_MAX;
        if chosen.is_empty() || (relevance > 0 && fits) {
            characters += length;
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    join(&chosen, &sentences)
}

/// A word counts once, a concept twice: sentences in another language than the question's share only concepts with it.
fn relevance(sentence: &str, language: Language, asked: &HashSet<String>) -> usize {
    let shared = text::terms(sentence, language).into_iter().filter(|term| asked.contains(term));
    shared.map(|term| if Lexicon::is_term(&term) { 2 } else { 3 }).sum()
}

/// Lines, and within them sentences; each keeps its end.
pub(crate) fn sentences(passage: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    for line in passage.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut start = 0;
        for (at, character) in line.char_indices() {
            let end = at + character.len_utf8();
            let ends = matches!(character, '.' | '!' | '?' | '؟' | '۔') && line[end..].starts_with(' ');
            if ends {
                sentences.push(&line[start..end]);
                start = end + 1;
            }
        }
        if start < line.len() {
            sentences.push(line[start..].trim_start());
        }
    }
    sentences
}

/// Neighbours stay on one line; a gap or a list item begins a new one.
fn join(chosen: &[usize], sentences: &[&str]) -> String {
    let mut text = String::new();
    let mut before: Option<usize> = None;
    for at in chosen {
        let sentence = sentences[*at];
        if let Some(before) = before {
            let goes_on =
                *at == before + 1 && !sentence.starts_with("- ") && sentences[before].ends_with(['.', '!', '?', '؟']);
            text.push(if goes_on { ' ' } else { '\n' });
        }
        text.push_str(sentence);
        before = Some(*at);
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_short_passage_is_quoted_whole() {
        assert_eq!(best_sentences("When?", " On Monday. \n", Language::En), "On Monday.");
    }

    #[test]
    fn of_a_long_passage_the_sentences_about_the_question_are_quoted() {
        let filler = "The workshop has been in the same street for many years and people like it there. ".repeat(6);
        let passage = format!("{filler}A puncture costs €17.50. {filler}");
        let quote = best_sentences("What does a puncture cost?", &passage, Language::En);
        assert!(quote.contains("€17.50"), "{quote}");
        assert!(quote.chars().count() <= QUOTE_CHARACTERS_MAX, "{quote}");
    }

    #[test]
    fn a_quote_is_a_few_sentences_without_what_announces_a_list() {
        let passage = format!("What a puncture costs:\n{}", "- A puncture costs €17.50 or more.\n".repeat(20));
        let quote = best_sentences("What does a puncture cost?", &passage, Language::En);
        assert!(!quote.contains("costs:"), "{quote}");
        assert_eq!(quote.lines().count(), QUOTE_SENTENCES_MAX);
    }

    proptest! {
        #[test]
        fn a_quote_is_taken_from_its_passage(question in "\\PC{0,80}", passage in "([a-z]{1,9}[ .\n]){0,200}") {
            let quote = best_sentences(&question, &passage, Language::En);
            for line in quote.lines() {
                prop_assert!(passage.contains(line.trim()), "{line:?}");
            }
            prop_assert_eq!(quote.is_empty(), passage.trim().is_empty());
        }
    }
}
