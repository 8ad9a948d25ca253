//! What an attempt says at its end, and what is stored of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A finished answer: the whole text and what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The whole text, with markers `[1]`, `[2]` … where a source is used.
    pub text: String,
    /// Evidence in the order of its markers.
    #[serde(default)]
    pub sources: Vec<Source>,
    /// Nothing was found to answer from, and the text says so.
    #[serde(default)]
    pub refused: bool,
    /// The turn could not be answered for a technical reason, and the text says so.
    #[serde(default)]
    pub failed: bool,
}

/// One piece of evidence. The link comes from the merchant's knowledge, never from a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// Position from 1, as in the text's markers.
    pub number: u32,
    pub title: String,
    /// Absolute link into the shop; absent when the item has no page.
    pub url: Option<String>,
    pub kind: SourceKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    Faq,
    Document,
    Product,
}

impl SourceKind {
    /// The word in the database and on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Faq => "faq",
            Self::Document => "document",
            Self::Product => "product",
        }
    }
}
