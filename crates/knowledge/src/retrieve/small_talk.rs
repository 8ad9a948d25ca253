//! Greetings and thanks.

use super::question::Question;
use crate::text::lexicon::Lexicon;

/// Longer messages have something to ask.
const WORDS_MAX: usize = 6;
const GREETING: &str = "human_greeting";

/// Whether a message only greets or thanks: every word that is not a stop word belongs to a greeting.
pub(super) fn is_small_talk(question: &Question) -> bool {
    if question.tokens.len() > WORDS_MAX {
        return false;
    }
    let lexicon = Lexicon::of_shops();
    let greeting = lexicon.concept(GREETING);
    let greets =
        |at: &usize| question.concepts.iter().any(|said| Some(said.concept) == greeting && said.tokens.contains(at));
    let asks = question.concepts.iter().any(|said| Some(said.concept) != greeting);
    (0..question.tokens.len()).any(|at| greets(&at)) && !asks && question.content().all(|at| greets(&at))
}

#[cfg(test)]
mod tests {
    use vitrine_domain::Language;

    use super::*;

    #[test]
    fn greetings_and_thanks_are_told_from_questions() {
        for (text, language) in [
            ("hallo", Language::Nl),
            ("Bedankt!", Language::Nl),
            ("Hello, good morning", Language::En),
            ("سلام", Language::Fa),
            ("شكرا", Language::Ar),
            ("Прывітанне", Language::Be),
            ("merci beaucoup", Language::Fr),
        ] {
            assert!(is_small_talk(&Question::new(text, language)), "{text}");
        }
        for (text, language) in [
            ("hallo, wat kost de bezorging?", Language::Nl),
            ("hello where is my order", Language::En),
            ("سلام ساعت کاری شما؟", Language::Fa),
            ("fiets", Language::Nl),
            ("", Language::En),
        ] {
            assert!(!is_small_talk(&Question::new(text, language)), "{text}");
        }
    }
}
