//! Words of the vocabulary that stand in for a word of the question: what was mistyped, and parts of compounds.

use std::collections::HashSet;

use crate::text::tokenize;

/// A word of the merchant's vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) term: String,
    /// Passages in which the term stands.
    pub(super) passages: usize,
}

impl Word {
    pub(super) fn new(text: String, term: String, passages: i32) -> Self {
        Self { text, term, passages: usize::try_from(passages).unwrap_or_default() }
    }
}

/// Shorter words have too many neighbours.
const CORRECTED_LETTERS_MIN: usize = 3;
/// Shorter words stand in too many others.
const PART_LETTERS_MIN: usize = 4;
/// Edits of neighbouring keys and doubled letters cost less than others.
const SMALL_EDIT: f32 = 0.7;

/// How well `word` stands in for `asked`, which is not it: from 0 (not at all) to 1.
pub(super) fn likeness(asked: &str, word: &str, asked_is_known: bool) -> f32 {
    let contained = containment(asked, word);
    if asked_is_known {
        return contained;
    }
    contained.max(correction(asked, word))
}

/// A compound that begins or ends with the asked word, or that the asked word begins or ends with.
fn containment(asked: &str, word: &str) -> f32 {
    let (short, long) = if asked.len() < word.len() { (asked, word) } else { (word, asked) };
    let (short_letters, long_letters) = (short.chars().count(), long.chars().count());
    if short_letters < PART_LETTERS_MIN || short_letters == long_letters {
        return 0.0;
    }
    if long.starts_with(short) || long.ends_with(short) { 0.45 + 0.4 * ratio(short_letters, long_letters) } else { 0.0 }
}

/// A word that a slip or two of the fingers turn into the asked one.
fn correction(asked: &str, word: &str) -> f32 {
    let asked: Vec<char> = asked.chars().collect();
    let word: Vec<char> = word.chars().collect();
    let letters = asked.len().max(word.len());
    if asked.len() < CORRECTED_LETTERS_MIN || asked.iter().any(|letter| letter.is_numeric()) {
        return 0.0;
    }
    let allowed = if letters <= 5 {
        1.0
    } else if letters <= 8 {
        2.0
    } else {
        3.0
    };
    let distance = edit_distance(&asked, &word);
    if distance > allowed {
        return 0.0;
    }
    // The first letter is seldom wrong.
    let beginning = if asked.first() == word.first() { 1.0 } else { 0.85 };
    beginning * (1.0 - distance / f32_of(letters)).powi(2)
}

/// Damerau's distance (neighbouring letters swapped count once), small edits cheaper.
fn edit_distance(left: &[char], right: &[char]) -> f32 {
    let mut rows = vec![vec![0.0_f32; right.len() + 1]; left.len() + 1];
    for (at, row) in rows.iter_mut().enumerate() {
        row[0] = f32_of(at);
    }
    for (at, cell) in rows[0].iter_mut().enumerate() {
        *cell = f32_of(at);
    }
    for i in 1..=left.len() {
        for j in 1..=right.len() {
            let (a, b) = (left[i - 1], right[j - 1]);
            let replace = if a == b {
                0.0
            } else if are_neighbours(a, b) {
                SMALL_EDIT
            } else {
                1.0
            };
            let delete = if i > 1 && left[i - 2] == a { SMALL_EDIT } else { 1.0 };
            let insert = if j > 1 && right[j - 2] == b { SMALL_EDIT } else { 1.0 };
            let mut cost = (rows[i - 1][j - 1] + replace).min(rows[i - 1][j] + delete).min(rows[i][j - 1] + insert);
            if i > 1 && j > 1 && a == right[j - 2] && left[i - 2] == b {
                cost = cost.min(rows[i - 2][j - 2] + SMALL_EDIT);
            }
            rows[i][j] = cost;
        }
    }
    rows[left.len()][right.len()]
}

/// Neighbours on the keyboard, and letters that sound alike.
fn are_neighbours(a: char, b: char) -> bool {
    const ROWS: [&str; 9] = [
        "qwertyuiop",
        "asdfghjkl",
        "zxcvbnm",
        "ضصثقفغعهخحج",
        "شسيبلاتنمك",
        "ظطزرذدو",
        "йцукенгшз",
        "фывапролджэ",
        "ячсмітьбю",
    ];
    const SOUNDS: [(char, char); 12] = [
        ('c', 'k'),
        ('s', 'z'),
        ('f', 'v'),
        ('d', 't'),
        ('i', 'y'),
        ('ز', 'ذ'),
        ('ز', 'ض'),
        ('ز', 'ظ'),
        ('س', 'ص'),
        ('س', 'ث'),
        ('ت', 'ط'),
        ('ه', 'ح'),
    ];
    let beside = ROWS.iter().any(|row| {
        let place = |letter| row.chars().position(|other| other == letter);
        matches!((place(a), place(b)), (Some(a), Some(b)) if a.abs_diff(b) == 1)
    });
    beside || SOUNDS.contains(&(a, b)) || SOUNDS.contains(&(b, a))
}

/// Ways to cut a word into a beginning and an end that may both be words.
pub(super) fn compound_parts(word: &str) -> impl Iterator<Item = (&str, &str)> {
    let letters = word.chars().count();
    let cuts = word.char_indices().map(|(at, _)| at).enumerate();
    cuts.filter(move |(before, _)| *before >= PART_LETTERS_MIN && letters - before >= PART_LETTERS_MIN)
        .map(|(_, at)| word.split_at(at))
}

/// Runs of letters that are compared between whole texts.
const RUN_LETTERS: usize = 4;

/// How much two texts have in common letter by letter, from 0 to 1.
pub(super) fn letters(left: &str, right: &str) -> f32 {
    let (left, right) = (runs(left), runs(right));
    if left.is_empty() || right.is_empty() {
        return 0.0;
    }
    f32_of(left.intersection(&right).count()) / (f32_of(left.len()) * f32_of(right.len())).sqrt()
}

fn runs(text: &str) -> HashSet<Vec<char>> {
    let mut letters = vec![' '];
    for token in tokenize(text) {
        letters.extend(token.text.chars().chain([' ']));
    }
    letters.windows(RUN_LETTERS).map(<[char]>::to_vec).collect()
}

fn ratio(part: usize, whole: usize) -> f32 {
    f32_of(part) / f32_of(whole)
}

/// Lengths of words are small.
fn f32_of(number: usize) -> f32 {
    f32::from(u16::try_from(number).unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_nearer_than_another_word() {
        assert!(correction("bezroging", "bezorging") > correction("bezroging", "bewaring"));
        assert!(correction("retuor", "retour") > 0.6);
        assert!(correction("fietd", "fiets") > correction("fietq", "fiets"));
        assert!(correction("maat", "mat") < 1.0);
        assert!(correction("motor", "fiets") <= 0.0);
    }

    #[test]
    fn parts_of_compounds_stand_in_for_each_other() {
        assert!(likeness("verzekering", "fietsverzekering", true) > 0.5);
        assert!(likeness("fiets", "fiets", true) <= 0.0);
        assert!(likeness("rem", "remmen", true) <= 0.0);
        let parts: Vec<_> = compound_parts("bandenpech").collect();
        assert!(parts.contains(&("banden", "pech")));
    }
}
