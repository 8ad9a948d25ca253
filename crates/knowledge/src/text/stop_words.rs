//! Words that say nothing, or little, about what is asked.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use vitrine_domain::Language;

use super::tokenize;

/// One line per language: its code, a colon, the words.
pub(super) const STOP_WORDS_FILE: &str = include_str!("../../data/stop-words.txt");
const COMMON_WORDS_FILE: &str = include_str!("../../data/common-words.txt");

type WordLists = HashMap<Language, HashSet<String>>;

static STOP_WORDS: LazyLock<WordLists> = LazyLock::new(|| read(STOP_WORDS_FILE));
static COMMON_WORDS: LazyLock<WordLists> = LazyLock::new(|| read(COMMON_WORDS_FILE));

/// Whether a folded word says nothing in `language`; such words are not indexed.
pub fn is_stop_word(word: &str, language: Language) -> bool {
    STOP_WORDS.get(&language).is_some_and(|words| words.contains(word))
}

/// Whether a folded word is so common in `language` that a question seldom turns on it.
pub fn is_common_word(word: &str, language: Language) -> bool {
    COMMON_WORDS.get(&language).is_some_and(|words| words.contains(word))
}

fn read(file: &str) -> WordLists {
    let mut words = WordLists::new();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        if let Some((language, list)) = line.split_once(':')
            && let Ok(language) = language.parse()
        {
            words.entry(language).or_default().extend(tokenize(list).into_iter().map(|token| token.text));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_its_lists() {
        for language in Language::ALL {
            for lists in [&STOP_WORDS, &COMMON_WORDS] {
                assert!(lists.get(&language).is_some_and(|words| words.len() > 60), "{language}");
            }
        }
        assert!(is_stop_word("een", Language::Nl) && is_common_word("dorp", Language::Nl));
        assert!(!is_stop_word("fiets", Language::Nl) && !is_common_word("fiets", Language::Nl));
    }
}
