//! What the built-in answerer says for a question, from its evidence.

use vitrine_domain::{SourceKind, texts};

use crate::model::{Evidence, ModelQuestion};

/// Products shown in one answer.
const PRODUCTS_MAX: usize = 3;
/// A further product is shown when it fits at least this well, relative to the best.
const PRODUCT_SCORE_SHARE_MIN: f32 = 0.7;

/// Quotes the best evidence; several products become a list. Empty evidence gives an empty text: refusing is decided
/// before a model is asked.
pub(super) fn compose(question: &ModelQuestion) -> String {
    let Some(best) = question.evidence.first() else { return String::new() };
    if best.kind != SourceKind::Product {
        return cite(best.text.trim(), 1);
    }
    let fitting = |evidence: &Evidence| {
        evidence.kind == SourceKind::Product && evidence.score >= best.score * PRODUCT_SCORE_SHARE_MIN
    };
    let products: Vec<(usize, &Evidence)> =
        (1..).zip(&question.evidence).filter(|(_, evidence)| fitting(evidence)).take(PRODUCTS_MAX).collect();
    if let [(number, only)] = products.as_slice() {
        return describe(only, only.text.trim(), *number);
    }
    let products: Vec<String> =
        products.into_iter().map(|(number, product)| describe(product, &gist(&product.text), number)).collect();
    format!("{}\n\n- {}", texts::products_found(question.language), products.join("\n- "))
}

fn describe(product: &Evidence, text: &str, number: usize) -> String {
    cite(&format!("**{}**: {text}", product.title), number)
}

/// What a product is and what it costs: a product's passage begins with its description and ends with its price.
fn gist(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    match (lines.next(), lines.next_back()) {
        (Some(first), Some(last)) => format!("{first} {last}"),
        (first, _) => first.unwrap_or_default().to_owned(),
    }
}

fn cite(text: &str, number: usize) -> String {
    format!("{text} [{number}]")
}

#[cfg(test)]
mod tests {
    use vitrine_domain::Language;

    use super::*;

    fn evidence(kind: SourceKind, title: &str, score: f32) -> Evidence {
        Evidence { kind, title: title.to_owned(), url: None, text: format!("About {title}."), score }
    }

    fn answer(evidence: Vec<Evidence>) -> String {
        compose(&ModelQuestion { text: String::new(), language: Language::En, evidence })
    }

    #[test]
    fn the_best_passage_is_quoted_with_its_number() {
        let found = vec![evidence(SourceKind::Faq, "returns", 0.9), evidence(SourceKind::Product, "bell", 0.9)];
        assert_eq!(answer(found), "About returns. [1]");
    }

    #[test]
    fn in_a_list_a_product_is_its_description_and_its_price() {
        assert_eq!(gist("A city bike.\nColour: red\nPrice: 749.00 EUR\n"), "A city bike. Price: 749.00 EUR");
        assert_eq!(gist("A city bike."), "A city bike.");
        assert_eq!(gist(""), "");
    }

    #[test]
    fn products_are_listed_while_they_fit() {
        let found = vec![
            evidence(SourceKind::Product, "city bike", 1.0),
            evidence(SourceKind::Faq, "sizes", 0.9),
            evidence(SourceKind::Product, "cargo bike", 0.8),
            evidence(SourceKind::Product, "bell", 0.3),
        ];
        let text = answer(found);
        assert!(text.contains("- **city bike**: About city bike. [1]"), "{text}");
        assert!(text.contains("- **cargo bike**: About cargo bike. [3]"), "{text}");
        assert!(!text.contains("bell") && !text.contains("[2]"), "{text}");
    }
}
