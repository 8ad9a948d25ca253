//! What answers: one small trait, so that a hosted model and the built-in answerer are the same to a turn.

use futures::stream::BoxStream;
use vitrine_domain::{Language, Source, SourceKind};

/// What a model is asked: the shopper's question and the only things it may answer from.
#[derive(Clone, Debug)]
pub struct ModelQuestion {
    pub text: String,
    pub language: Language,
    /// Numbered from 1 in this order; the answer cites them as `[1]`, `[2]` …
    pub evidence: Vec<Evidence>,
}

/// One passage of the merchant's knowledge.
#[derive(Clone, Debug)]
pub struct Evidence {
    pub kind: SourceKind,
    pub title: String,
    pub url: Option<String>,
    /// What the passage says: a FAQ item's answer, a part of a document, a description of a product.
    pub text: String,
    /// How well it fits the question, comparable within one retrieval.
    pub score: f32,
}

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("failed to read from the model: {0}")]
    Stream(String),
}

/// Streams an answer in pieces.
pub trait Model: Send + Sync {
    fn answer(&self, question: ModelQuestion) -> BoxStream<'static, Result<String, ModelError>>;
}

/// The sources that `text` cites by `[n]`. A number without evidence is no source: links are never made by a model.
pub(crate) fn cited_sources(text: &str, evidence: &[Evidence]) -> Vec<Source> {
    evidence
        .iter()
        .zip(1_u32..)
        .filter(|(_, number)| text.contains(&format!("[{number}]")))
        .map(|(evidence, number)| Source {
            number,
            title: evidence.title.clone(),
            url: evidence.url.clone(),
            kind: evidence.kind,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(title: &str) -> Evidence {
        Evidence { kind: SourceKind::Faq, title: title.to_owned(), url: None, text: String::new(), score: 1.0 }
    }

    #[test]
    fn only_cited_evidence_becomes_a_source() {
        let sources = cited_sources("Two weeks [2]. See [7] and [x].", &[evidence("one"), evidence("two")]);
        assert_eq!(sources.len(), 1);
        assert_eq!((sources[0].number, sources[0].title.as_str()), (2, "two"));
    }
}
