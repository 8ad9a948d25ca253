//! The pieces of knowledge a merchant gives, as they come in a file or a request body.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};
use vitrine_domain::{Language, SourceKind};

/// Items of one merchant.
pub const ITEMS_MAX: usize = 10_000;
/// Passages of one merchant.
pub const PASSAGES_MAX: usize = 50_000;
/// Text of one import: every title, question, answer, document and attribute together.
pub const IMPORT_BYTES_MAX: usize = 5 * 1024 * 1024;
/// Text of one item.
pub const ITEM_BYTES_MAX: usize = 512 * 1024;
/// Characters of an id, a title, a question or an address.
pub const FIELD_CHARACTERS_MAX: usize = 500;

/// Everything one merchant's chatbots know. Importing it replaces what was known before: items that are absent are
/// removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnowledgeImport {
    pub items: Vec<KnowledgeItem>,
}

/// One piece of knowledge. An item without a language is in the merchant's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum KnowledgeItem {
    Faq(Faq),
    Document(Document),
    Product(Product),
}

/// A question that shoppers ask, and its answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Faq {
    /// Names the item among the merchant's questions, from import to import.
    pub id: String,
    pub question: String,
    pub answer: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Path on the shop's site, or a whole address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// A page of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Names the item among the merchant's documents, from import to import.
    pub id: String,
    pub title: String,
    /// Markdown.
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// Something the shop sells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Product {
    /// Names the item among the merchant's products, from import to import.
    pub id: String,
    pub title: String,
    #[serde(default)]
    pub description: String,
    /// A decimal number with a point, in `currency`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<String>,
    /// ISO 4217, or `IRT` for toman.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default)]
    pub category: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    #[serde(default)]
    pub attributes: BTreeMap<String, String>,
}

/// What is wrong with an item, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ItemError {
    #[error("{item}: {field} must not be empty")]
    Empty { item: String, field: &'static str },
    #[error("{item}: {field} is longer than {FIELD_CHARACTERS_MAX} characters")]
    FieldTooLong { item: String, field: &'static str },
    #[error("{item}: its text is longer than {ITEM_BYTES_MAX} bytes")]
    ItemTooLarge { item: String },
    #[error("{item}: its text holds the character U+0000")]
    NullCharacter { item: String },
    #[error("{item}: price must be a decimal number such as 749.00")]
    Price { item: String },
    #[error("{item}: there are two with this id")]
    Duplicate { item: String },
    #[error("an import holds at most {ITEMS_MAX} items")]
    TooManyItems,
    #[error("an import holds at most {PASSAGES_MAX} passages")]
    TooManyPassages,
    #[error("an import holds at most {IMPORT_BYTES_MAX} bytes of text")]
    ImportTooLarge,
}

impl KnowledgeItem {
    pub const fn kind(&self) -> SourceKind {
        match self {
            Self::Faq(_) => SourceKind::Faq,
            Self::Document(_) => SourceKind::Document,
            Self::Product(_) => SourceKind::Product,
        }
    }

    pub fn id(&self) -> &str {
        match self {
            Self::Faq(faq) => &faq.id,
            Self::Document(document) => &document.id,
            Self::Product(product) => &product.id,
        }
    }

    /// What stands in a list of sources: the question of an FAQ item, else the title.
    pub fn title(&self) -> &str {
        match self {
            Self::Faq(faq) => &faq.question,
            Self::Document(document) => &document.title,
            Self::Product(product) => &product.title,
        }
    }

    pub fn url(&self) -> Option<&str> {
        match self {
            Self::Faq(faq) => faq.url.as_deref(),
            Self::Document(document) => document.url.as_deref(),
            Self::Product(product) => product.url.as_deref(),
        }
    }

    pub const fn language(&self) -> Option<Language> {
        match self {
            Self::Faq(faq) => faq.language,
            Self::Document(document) => document.language,
            Self::Product(product) => product.language,
        }
    }

    /// Every text of the item but its id and address.
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::Faq(faq) => vec![&faq.question, &faq.answer],
            Self::Document(document) => vec![&document.title, &document.text],
            Self::Product(product) => {
                let attributes = product.attributes.iter().flat_map(|(name, value)| [name.as_str(), value.as_str()]);
                let currency = product.currency.as_deref();
                [product.title.as_str(), &product.description, &product.category]
                    .into_iter()
                    .chain(currency)
                    .chain(attributes)
                    .collect()
            }
        }
    }

    fn bytes(&self) -> usize {
        self.texts().iter().map(|text| text.len()).sum()
    }

    fn check(&self) -> Result<(), ItemError> {
        let item = || format!("{} {:?}", self.kind().as_str(), self.id());
        let (title, body) = match self {
            Self::Faq(faq) => (("question", &faq.question), Some(("answer", &faq.answer))),
            Self::Document(document) => (("title", &document.title), Some(("text", &document.text))),
            Self::Product(product) => (("title", &product.title), None),
        };
        for (field, text) in
            [Some(("id", self.id())), Some((title.0, title.1.as_str())), self.url().map(|url| ("url", url))]
                .into_iter()
                .flatten()
        {
            if text.trim().is_empty() {
                return Err(ItemError::Empty { item: item(), field });
            }
            if text.chars().nth(FIELD_CHARACTERS_MAX).is_some() {
                return Err(ItemError::FieldTooLong { item: item(), field });
            }
        }
        if let Some((field, text)) = body
            && text.trim().is_empty()
        {
            return Err(ItemError::Empty { item: item(), field });
        }
        // PostgreSQL has no text with this character.
        if self.texts().into_iter().chain([self.id()]).chain(self.url()).any(|text| text.contains('\0')) {
            return Err(ItemError::NullCharacter { item: item() });
        }
        if self.bytes() > ITEM_BYTES_MAX {
            return Err(ItemError::ItemTooLarge { item: item() });
        }
        if let Self::Product(Product { price: Some(price), .. }) = self
            && !is_decimal(price)
        {
            return Err(ItemError::Price { item: item() });
        }
        Ok(())
    }
}

impl KnowledgeImport {
    /// Checks every item and the limits of an import.
    pub fn check(&self) -> Result<(), ItemError> {
        if self.items.len() > ITEMS_MAX {
            return Err(ItemError::TooManyItems);
        }
        if self.items.iter().map(KnowledgeItem::bytes).sum::<usize>() > IMPORT_BYTES_MAX {
            return Err(ItemError::ImportTooLarge);
        }
        let mut seen = HashSet::new();
        for item in &self.items {
            item.check()?;
            if !seen.insert((item.kind(), item.id())) {
                return Err(ItemError::Duplicate { item: format!("{} {:?}", item.kind().as_str(), item.id()) });
            }
        }
        Ok(())
    }
}

fn is_decimal(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.len() <= 15 && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(fraction)
}

#[cfg(test)]
mod tests;
