//! Stems: Snowball for six languages, light stripping of endings of our own for Arabic, Persian and Belarusian.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use vitrine_domain::Language;

/// Snowball is made for words; anything longer is a string of letters.
const STEM_CHARACTERS_MAX: usize = 40;

/// The stem of a folded word in `language`.
pub fn stem(word: &str, language: Language) -> String {
    if !word.chars().all(char::is_alphabetic) || word.chars().count() > STEM_CHARACTERS_MAX {
        return word.to_owned();
    }
    let algorithm = match language {
        Language::En => Algorithm::English,
        Language::Nl => return dutch(word),
        Language::Fr => Algorithm::French,
        Language::De => Algorithm::German,
        Language::It => Algorithm::Italian,
        Language::Es => Algorithm::Spanish,
        Language::Be => return strip(word, &[], &BELARUSIAN_SUFFIXES, 3),
        Language::Ar => return strip(word, &ARABIC_PREFIXES, &ARABIC_SUFFIXES, 3),
        Language::Fa => return strip(&written_persian(word), &PERSIAN_PREFIXES, &PERSIAN_SUFFIXES, 3),
    };
    Stemmer::create(algorithm).stem(word).into_owned()
}

/// Snowball takes one ending off Dutch words (`fietsen` is `fiets`, `fiets` is `fiet`): repeated, they meet.
fn dutch(word: &str) -> String {
    const STEPS_MAX: usize = 3;
    let stemmer = Stemmer::create(Algorithm::Dutch);
    let mut stem = word.to_owned();
    for _ in 0..STEPS_MAX {
        let shorter = stemmer.stem(&stem).into_owned();
        if shorter == stem {
            break;
        }
        stem = shorter;
    }
    stem
}

/// Spoken Persian says `مردونه` for `مردانه`; both are written in chats. Words that always had the spoken ending change
/// on both sides alike.
pub(super) fn written_persian(word: &str) -> Cow<'_, str> {
    const BEGINNING_LETTERS: usize = 2;
    match word.char_indices().nth(BEGINNING_LETTERS) {
        Some((at, _)) if word[at..].contains("ون") => {
            Cow::Owned(format!("{}{}", &word[..at], word[at..].replace("ون", "ان")))
        }
        _ => Cow::Borrowed(word),
    }
}

// Folded, longest first. What remains of a word must keep the given number of letters.
const ARABIC_PREFIXES: [&str; 9] = ["وال", "بال", "كال", "فال", "لل", "ال", "و", "ب", "ل"];
const ARABIC_SUFFIXES: [&str; 13] = ["كما", "هما", "ها", "ان", "ات", "ون", "ين", "يه", "كم", "هم", "نا", "ه", "ي"];
const PERSIAN_PREFIXES: [&str; 4] = ["نمي", "مي", "ب", "ن"];
const PERSIAN_SUFFIXES: [&str; 26] = [
    "هايشان",
    "هايتان",
    "هايمان",
    "هايي",
    "هاي",
    "ها",
    "يشان",
    "يتان",
    "يمان",
    "شان",
    "تان",
    "مان",
    "اند",
    "ايم",
    "ايد",
    "ام",
    "ات",
    "اش",
    "اي",
    "ند",
    "يم",
    "يد",
    "م",
    "ش",
    "ي",
    "ه",
];
const BELARUSIAN_SUFFIXES: [&str; 36] = [
    "ваннем",
    "вання",
    "ванне",
    "аванне",
    "ацца",
    "аецца",
    "аюць",
    "аеце",
    "ымі",
    "імі",
    "амі",
    "ямі",
    "ага",
    "яга",
    "аму",
    "яму",
    "ацыя",
    "аць",
    "яць",
    "іць",
    "ець",
    "оу",
    "ау",
    "ых",
    "іх",
    "ах",
    "ях",
    "ая",
    "яя",
    "ую",
    "юю",
    "ыя",
    "ы",
    "і",
    "а",
    "е",
];

fn strip(word: &str, prefixes: &[&str], suffixes: &[&str], letters_min: usize) -> String {
    let long_enough = |rest: &&str| rest.chars().count() >= letters_min;
    // A single letter is taken off long words only: in short ones it is more often a letter of the root.
    let rest_of = |affix: &str, rest: &str| affix.chars().count() > 1 || rest.chars().count() > letters_min;
    let mut rest = word;
    if let Some(stripped) = prefixes
        .iter()
        .filter_map(|prefix| rest.strip_prefix(prefix).filter(|stripped| rest_of(prefix, stripped)))
        .find(long_enough)
    {
        rest = stripped;
    }
    if let Some(stripped) = suffixes
        .iter()
        .filter_map(|suffix| rest.strip_suffix(suffix).filter(|stripped| rest_of(suffix, stripped)))
        .find(long_enough)
    {
        rest = stripped;
    }
    rest.to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::tokenize;

    fn same_stem(language: Language, words: &[&str]) {
        let stems: Vec<_> = words.iter().map(|word| stem(&tokenize(word)[0].text, language)).collect();
        assert!(stems.windows(2).all(|pair| pair[0] == pair[1]), "{words:?} became {stems:?}");
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        same_stem(Language::Nl, &["fiets", "fietsen"]);
        same_stem(Language::En, &["delivers", "delivered", "delivering"]);
        same_stem(Language::De, &["Räder", "Rädern"]);
        same_stem(Language::Ar, &["التوصيل", "توصيل", "والتوصيل"]);
        same_stem(Language::Fa, &["انگشتر", "انگشترها", "انگشترهای", "انگشترم"]);
        same_stem(Language::Be, &["дастаўка", "дастаўкі", "дастаўкамі"]);
    }

    proptest! {
        #[test]
        fn any_word_has_a_stem(word in "\\PC{1,50}") {
            for language in Language::ALL {
                for token in tokenize(&word) {
                    prop_assert!(!stem(&token.text, language).is_empty());
                }
            }
        }
    }
}
