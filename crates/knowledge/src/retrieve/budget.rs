//! The most a shopper wants to pay, and what a product costs.

use crate::text::fold::fold;

/// A number is a limit when one of these stands before it …
const LIMITS: [&str; 35] = [
    "under",
    "below",
    "max",
    "maximum",
    "budget",
    "than",
    "onder",
    "onder de",
    "tot",
    "maximaal",
    "hoogstens",
    "dan",
    "unter",
    "bis",
    "maximal",
    "hochstens",
    "als",
    "moins de",
    "sous",
    "jusqu'a",
    "menos de",
    "hasta",
    "meno di",
    "sotto",
    "fino a",
    "да",
    "менш за",
    "تحت",
    "اقل من",
    "حتي",
    "زير",
    "تا",
    "حداكثر",
    "كمتر از",
    "ta",
];
/// … and one of these after it, or a currency sign before it.
const CURRENCIES: [&str; 13] =
    ["euro", "eur", "€", "$", "dollar", "pound", "£", "еура", "يورو", "تومان", "تومن", "toman", "million"];
const MILLIONS: [&str; 5] = ["million", "miljoen", "ميليون", "مليون", "milion"];
const THOUSANDS: [&str; 4] = ["thousand", "duizend", "هزار", "الف"];

/// The limit that a question names, in the shop's currency.
pub(super) fn limit(question: &str) -> Option<f64> {
    let question = fold(question);
    let starts = question.char_indices().filter(|(at, character)| {
        character.is_ascii_digit() && !question[..*at].ends_with(|before: char| before.is_alphanumeric())
    });
    starts.map(|(at, _)| question.split_at(at)).find_map(|(before, number)| {
        let end = number.find(|c: char| !c.is_ascii_digit() && !"., ٬".contains(c)).unwrap_or(number.len());
        let (amount, after) = (amount(&number[..end])?, number[end..].trim_start());
        let before = before.trim_end();
        let is_money = before.ends_with(['€', '$', '£'])
            || CURRENCIES.iter().chain(&MILLIONS).chain(&THOUSANDS).any(|word| after.starts_with(word));
        let before = before.trim_end_matches(['€', '$', '£', ' ']);
        let is_limit = LIMITS
            .iter()
            .any(|word| before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric)));
        let factor = match () {
            () if MILLIONS.iter().any(|word| after.starts_with(word)) => 1e6,
            () if THOUSANDS.iter().any(|word| after.starts_with(word)) => 1e3,
            () => 1.0,
        };
        (is_money && is_limit).then_some(amount * factor)
    })
}

/// The price in the last line of a product's text.
pub(super) fn price(text: &str) -> Option<f64> {
    let line = fold(text.lines().last()?);
    let (_, price) = line.split_once(": ")?;
    amount(price)
}

/// A number as any of the languages writes it: what follows the last point or comma are cents when they are two.
fn amount(text: &str) -> Option<f64> {
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || ".,٫".contains(*c)).collect();
    let digits = digits.trim_matches(['.', ',', '٫']);
    let (whole, cents) = match digits.rsplit_once(['.', ',', '٫']) {
        Some((whole, cents)) if cents.len() == 2 => (whole, cents),
        _ => (digits, ""),
    };
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    format!("{whole}.{cents}0").parse().ok().filter(|_| !whole.is_empty())
}

#[cfg(test)]
mod tests {
    use vitrine_domain::Language;

    use super::*;
    use crate::chunk::product::render;
    use crate::item::Product;

    #[test]
    fn a_limit_is_an_amount_of_money_with_a_word_of_limits() {
        for (question, wanted) in [
            ("een fiets onder de 500 euro", Some(500.0)),
            ("een fiets onder 500 euro", Some(500.0)),
            ("a lamp under €49.95, please", Some(49.95)),
            ("یه چیز نقره تا ۵ میلیون می‌خوام", Some(5e6)),
            ("bis 1.000 Euro", Some(1000.0)),
            ("I rode 20 km", None),
            ("is delivery free from €75?", None),
        ] {
            assert_eq!(limit(question), wanted, "{question}");
        }
    }

    #[test]
    fn the_price_of_a_product_is_read_in_every_language() {
        for language in Language::ALL {
            let product = Product {
                id: "bell".to_owned(),
                title: "Bell".to_owned(),
                description: "Loud.".to_owned(),
                price: Some("1049.50".to_owned()),
                currency: Some("EUR".to_owned()),
                url: None,
                category: String::new(),
                language: None,
                attributes: std::collections::BTreeMap::new(),
            };
            assert_eq!(price(&render(&product, language)), Some(1049.5), "{language}");
        }
    }
}
