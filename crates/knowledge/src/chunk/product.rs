//! A product as text.

use vitrine_domain::Language;

use crate::item::Product;

/// Description, attributes and price of a product, in its language.
pub fn render(product: &Product, language: Language) -> String {
    let mut lines = Vec::new();
    if !product.description.trim().is_empty() {
        lines.push(product.description.trim().to_owned());
    }
    if !product.category.trim().is_empty() {
        lines.push(format!("{}: {}", category_word(language), product.category.trim()));
    }
    lines.extend(product.attributes.iter().map(|(name, value)| format!("{name}: {value}")));
    if let Some(price) = &product.price {
        let price = render_price(price, product.currency.as_deref().unwrap_or_default(), language);
        lines.push(format!("{}: {price}", price_word(language)));
    }
    lines.join("\n")
}

const fn category_word(language: Language) -> &'static str {
    match language {
        Language::En => "Category",
        Language::Nl => "Categorie",
        Language::Fr => "Catégorie",
        Language::De => "Kategorie",
        Language::It => "Categoria",
        Language::Es => "Categoría",
        Language::Be => "Катэгорыя",
        Language::Ar => "الفئة",
        Language::Fa => "دسته",
    }
}

const fn price_word(language: Language) -> &'static str {
    match language {
        Language::En => "Price",
        Language::Nl => "Prijs",
        Language::Fr => "Prix",
        Language::De => "Preis",
        Language::It => "Prezzo",
        Language::Es => "Precio",
        Language::Be => "Цана",
        Language::Ar => "السعر",
        Language::Fa => "قیمت",
    }
}

/// A price as it is written in `language`: `€749.00`, `€ 749,00`, `۶٬۸۵۰٬۰۰۰ تومان`.
fn render_price(price: &str, currency: &str, language: Language) -> String {
    let (whole, fraction) = price.split_once('.').unwrap_or((price, ""));
    let (thousands, decimal) = match language {
        Language::En => (',', '.'),
        Language::Nl | Language::De | Language::It | Language::Es => ('.', ','),
        Language::Fr | Language::Be => ('\u{a0}', ','),
        Language::Ar | Language::Fa => ('٬', '٫'),
    };
    let mut number = grouped(whole, thousands);
    if !fraction.is_empty() {
        number.push(decimal);
        number.push_str(fraction);
    }
    if language == Language::Fa {
        number = number.chars().map(persian_digit).collect();
    }
    let sign = match (currency, language) {
        ("EUR", _) => "€",
        ("USD", _) => "$",
        ("GBP", _) => "£",
        ("IRT", Language::Fa) => "تومان",
        ("IRT", Language::Ar) => "تومان إيراني",
        ("IRT", _) => "toman",
        ("IRR", Language::Fa) => "ریال",
        (other, _) => other,
    };
    match language {
        Language::En if matches!(sign, "€" | "$" | "£") => format!("{sign}{number}"),
        Language::Nl if matches!(sign, "€" | "$" | "£") => format!("{sign} {number}"),
        _ => format!("{number} {sign}").trim_end().to_owned(),
    }
}

fn grouped(digits: &str, separator: char) -> String {
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            grouped.push(separator);
        }
        grouped.push(digit);
    }
    grouped
}

fn persian_digit(character: char) -> char {
    character.to_digit(10).and_then(|digit| char::from_u32(u32::from('۰') + digit)).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_written_as_its_readers_write_it() {
        assert_eq!(render_price("1049.00", "EUR", Language::Nl), "€ 1.049,00");
        assert_eq!(render_price("749.00", "EUR", Language::En), "€749.00");
        assert_eq!(render_price("749.00", "EUR", Language::De), "749,00 €");
        assert_eq!(render_price("6850000", "IRT", Language::Fa), "۶٬۸۵۰٬۰۰۰ تومان");
        assert_eq!(render_price("6850000", "IRT", Language::En), "6,850,000 toman");
        assert_eq!(render_price("5", "", Language::En), "5");
    }
}
