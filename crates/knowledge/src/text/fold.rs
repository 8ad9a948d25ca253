//! Characters that shoppers do not tell apart become one: case, accents, the two ways to write Arabic letters, digits.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Joins the parts of a Persian word without a visible space.
pub const HALF_SPACE: char = '\u{200c}';

/// Folds `text` character by character. Folding what is folded changes nothing.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.nfkd().flat_map(char::to_lowercase).nfkd() {
        if !is_combining_mark(character) && !is_invisible(character) {
            push_folded(&mut folded, character);
        }
    }
    folded
}

/// Marks of direction, joiners and the Arabic stretching stroke; the half-space stays, it separates parts of a word.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{640}' | '\u{200b}' | '\u{200d}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}

fn push_folded(folded: &mut String, character: char) {
    match character {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'ø' => folded.push('o'),
        'ł' => folded.push('l'),
        'ı' => folded.push('i'),
        '’' | '‘' | 'ʼ' | '`' | '´' | '′' => folded.push('\''),
        '‐' | '‑' | '‒' | '–' => folded.push('-'),
        // Persian letters as Arabic ones, and letters that are often confused.
        'ی' | 'ى' | 'ې' => folded.push('ي'),
        'ک' | 'ڪ' => folded.push('ك'),
        'ة' | 'ە' | 'ہ' | 'ھ' => folded.push('ه'),
        'ٱ' => folded.push('ا'),
        '٠'..='٩' => folded.push(ascii_digit(character, '٠')),
        '۰'..='۹' => folded.push(ascii_digit(character, '۰')),
        other => folded.push(other),
    }
}

fn ascii_digit(digit: char, zero: char) -> char {
    char::from_digit(u32::from(digit) - u32::from(zero), 10).unwrap_or(digit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn case_and_accents_do_not_matter() {
        assert_eq!(fold("België, Größe, ENVÍO, Œuvre"), "belgie, grosse, envio, oeuvre");
        assert_eq!(fold("Ўёй"), "уеи");
    }

    #[test]
    fn arabic_and_persian_letters_are_one() {
        assert_eq!(fold("كيف"), fold("کیف"));
        assert_eq!(fold("إرسال أرسل آخر"), "ارسال ارسل اخر");
        assert_eq!(fold("مدرسة"), fold("مدرسه"));
        assert_eq!(fold("هزینهٔ"), fold("هزینه"));
        assert_eq!(fold("مُدَرِّس"), "مدرس");
        assert_eq!(fold("۱۲٣"), "123");
    }

    proptest! {
        #[test]
        fn folding_is_idempotent(text in "\\PC{0,60}") {
            let once = fold(&text);
            prop_assert_eq!(fold(&once), once);
        }
    }
}
