//! Which of the nine languages a text is in, when that is certain.

use vitrine_domain::Language;
use whatlang::{Detector, Lang, Script};

use super::lexicon::Lexicon;
use super::stop_words::is_stop_word;
use super::{Token, tokenize};

/// What one word of a language's everyday shop language counts, against 1 for a stop word.
const LEXICON_VOTE: f32 = 0.6;
/// What the letters alone count when they are unmistakable, and otherwise at most.
const RELIABLE_LETTERS_VOTE: f32 = 1.5;
const LETTERS_VOTE_MAX: f32 = 0.4;
/// How much the expected language is ahead of the others.
const EXPECTED_LEAD: f32 = 0.7;
/// A language that is not this much ahead of the expected one is not certain.
const LEAD_MIN: f32 = 0.3;

/// The language of `text`; `expected` whenever a short text leaves room for doubt.
pub fn detect(text: &str, expected: Language) -> Language {
    detect_tokens(text, &tokenize(text), expected)
}

pub(crate) fn detect_tokens(text: &str, tokens: &[Token], expected: Language) -> Language {
    match whatlang::detect_script(text) {
        // Of the nine only Belarusian is written so.
        Some(Script::Cyrillic) => Language::Be,
        Some(Script::Arabic) => persian_or_arabic(text, tokens),
        Some(Script::Latin) => detect_latin(text, tokens, expected),
        _ => expected,
    }
}

fn detect_latin(text: &str, tokens: &[Token], expected: Language) -> Language {
    let guess = Detector::with_allowlist(LATIN.iter().map(|(_, lang)| *lang).collect()).detect(text);
    let letters_vote = |lang: Lang| match &guess {
        Some(guess) if guess.lang() == lang && guess.is_reliable() => RELIABLE_LETTERS_VOTE,
        #[expect(clippy::cast_possible_truncation, reason = "a share between 0 and 1")]
        Some(guess) if guess.lang() == lang => LETTERS_VOTE_MAX * guess.confidence() as f32,
        _ => 0.0,
    };
    // Persian and Arabic in Latin letters are known by their words alone.
    let expected_vote = words_vote(tokens, expected)
        + EXPECTED_LEAD
        + LATIN.iter().find(|(language, _)| *language == expected).map_or(0.0, |(_, lang)| letters_vote(*lang));
    let votes = LATIN.iter().map(|(language, lang)| (words_vote(tokens, *language) + letters_vote(*lang), *language));
    match votes.max_by(|(left, _), (right, _)| left.total_cmp(right)) {
        Some((vote, language)) if vote >= expected_vote + LEAD_MIN => language,
        _ => expected,
    }
}

fn words_vote(tokens: &[Token], language: Language) -> f32 {
    let vote = |(at, token): (usize, &Token)| {
        if is_stop_word(&token.text, language) {
            1.0
        } else if Lexicon::of_shops().find(&tokens[at..=at], language).next().is_some() {
            LEXICON_VOTE
        } else {
            0.0
        }
    };
    tokens.iter().enumerate().map(vote).sum()
}

const LATIN: [(Language, Lang); 6] = [
    (Language::En, Lang::Eng),
    (Language::Nl, Lang::Nld),
    (Language::Fr, Lang::Fra),
    (Language::De, Lang::Deu),
    (Language::It, Lang::Ita),
    (Language::Es, Lang::Spa),
];

/// Letters that only one of the two has settle it; then stop words; then Arabic's article.
fn persian_or_arabic(text: &str, tokens: &[Token]) -> Language {
    if text.contains(['پ', 'چ', 'ژ', 'گ']) {
        return Language::Fa;
    }
    let persian = tokens.iter().filter(|token| is_stop_word(&token.text, Language::Fa)).count();
    let arabic =
        tokens.iter().filter(|token| is_stop_word(&token.text, Language::Ar) || token.text.starts_with("ال")).count();
    let persian_letters = text.contains(['ی', 'ک']);
    let arabic_letters = text.contains(['ي', 'ك', 'ة', 'أ', 'إ', 'ى']);
    let looks_arabic = arabic_letters && !persian_letters;
    if arabic > persian || (arabic == persian && looks_arabic) { Language::Ar } else { Language::Fa }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_of_a_shop_are_recognised() {
        for (text, language) in [
            ("Hoe lang duurt het voordat mijn fiets bezorgd wordt?", Language::Nl),
            ("How long does delivery take?", Language::En),
            ("Wie lange dauert die Lieferung?", Language::De),
            ("Combien coûte la livraison ?", Language::Fr),
            ("¿Cuánto cuesta el envío?", Language::Es),
            ("Quanto costa la spedizione?", Language::It),
            ("Колькі каштуе дастаўка?", Language::Be),
            ("كم تكلفة التوصيل؟", Language::Ar),
            ("هزینه ارسال چقدر است؟", Language::Fa),
        ] {
            for expected in [Language::Nl, Language::Fa, Language::En] {
                assert_eq!(detect(text, expected), language, "{text}");
            }
        }
    }

    #[test]
    fn a_name_or_nothing_is_in_the_expected_language() {
        for text in ["Hoek 7", "12345", "", "?!"] {
            assert_eq!(detect(text, Language::Fa), Language::Fa, "{text}");
        }
    }

    #[test]
    fn persian_in_latin_letters_stays_persian() {
        assert_eq!(detect("hazine ersal chande", Language::Fa), Language::Fa);
    }
}
