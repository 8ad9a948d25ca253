//! Words of a folded text.

use super::fold::{HALF_SPACE, fold};

/// Longer words are cut: nobody searches for them, and the index has a limit of its own.
const WORD_CHARACTERS_MAX: usize = 40;

/// One word, folded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The whole word, without half-spaces.
    pub text: String,
    /// What the half-spaces of a Persian word separate; empty when there is none.
    pub parts: Vec<String>,
}

impl Token {
    /// The word and its parts.
    pub fn forms(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.text.as_str()).chain(self.parts.iter().map(String::as_str))
    }
}

/// The words of `text`, folded, in order.
///
/// Letters and digits stand apart (`500Wh` is `500`, `wh`), single letters before a hyphen belong to the word
/// (`e-bike` is `ebike`), and single letters at an apostrophe are dropped (`foto's`, `l'envoi`).
pub fn tokenize(text: &str) -> Vec<Token> {
    let folded: Vec<char> = fold(text).chars().collect();
    let mut tokens = Vec::new();
    let mut start = 0;
    while start < folded.len() {
        if !folded[start].is_alphanumeric() {
            start += 1;
            continue;
        }
        let end = word_end(&folded, start);
        let word = &folded[start..end];
        let at_apostrophe = (start > 0 && folded[start - 1] == '\'') || folded.get(end) == Some(&'\'');
        if !(word.len() == 1 && word[0].is_alphabetic() && at_apostrophe) {
            tokens.push(token(word));
        }
        start = end;
    }
    tokens
}

fn word_end(folded: &[char], start: usize) -> usize {
    let is_letter = |at: usize| folded.get(at).is_some_and(|character| character.is_alphabetic());
    if !is_letter(start) {
        return (start..folded.len()).find(|at| !folded[*at].is_numeric()).unwrap_or(folded.len());
    }
    let mut end = start;
    loop {
        while is_letter(end) {
            end += 1;
        }
        let joins = match folded.get(end) {
            Some(&HALF_SPACE) => true,
            Some('-') => end == start + 1,
            _ => false,
        };
        if !joins || !is_letter(end + 1) {
            return end;
        }
        end += 1;
    }
}

fn token(word: &[char]) -> Token {
    let text = word.iter().filter(|character| !matches!(**character, HALF_SPACE | '-'));
    let text = text.take(WORD_CHARACTERS_MAX).collect();
    let parts = if word.contains(&HALF_SPACE) {
        let parts = word.split(|character| *character == HALF_SPACE);
        parts.map(|part| part.iter().take(WORD_CHARACTERS_MAX).collect()).collect()
    } else {
        Vec::new()
    };
    Token { text, parts }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        tokenize(text).into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_are_what_a_shopper_means() {
        assert_eq!(words("Wat kost een E-bike? 500Wh!"), ["wat", "kost", "een", "ebike", "500", "wh"]);
        assert_eq!(words("foto's van l’envoi"), ["foto", "van", "envoi"]);
        assert_eq!(words("kant-en-klaar"), ["kant", "en", "klaar"]);
    }

    #[test]
    fn a_half_space_separates_parts_of_one_word() {
        let tokens = tokenize("بیمه‌شده");
        assert_eq!(tokens.len(), 1);
        assert_eq!(tokens[0].forms().count(), 3);
        assert_eq!(tokens[0].text, words("بیمهشده")[0]);
    }

    proptest! {
        #[test]
        fn any_text_gives_bounded_words(text in any::<String>()) {
            for token in tokenize(&text) {
                prop_assert!(!token.text.is_empty());
                prop_assert!(token.forms().all(|form| form.chars().count() <= WORD_CHARACTERS_MAX));
            }
        }
    }
}
