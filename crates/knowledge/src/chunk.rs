//! Items as passages: what is indexed, found and quoted as one piece.

pub mod markdown;
pub mod product;

use text_splitter::TextSplitter;
use vitrine_domain::Language;

use crate::item::{Document, Faq, KnowledgeItem};

/// Longer sections of a document are split at paragraphs, lines or sentences.
const PASSAGE_CHARACTERS_MAX: usize = 1_200;

/// One piece of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Headings above the piece in its document, outermost first, joined by ` › `.
    pub heading: Option<String>,
    /// Plain text; what an answer quotes.
    pub text: String,
}

/// The passages of an item: one for a question or a product, one per section for a document.
pub fn passages(item: &KnowledgeItem, language: Language) -> Vec<Passage> {
    match item {
        KnowledgeItem::Faq(Faq { answer, .. }) => vec![Passage { heading: None, text: answer.trim().to_owned() }],
        KnowledgeItem::Document(document) => document_passages(document),
        KnowledgeItem::Product(product) => {
            vec![Passage { heading: None, text: product::render(product, language) }]
        }
    }
}

fn document_passages(document: &Document) -> Vec<Passage> {
    let splitter = TextSplitter::new(PASSAGE_CHARACTERS_MAX);
    let sections = markdown::sections(&document.text);
    let passages = sections.iter().flat_map(|section| {
        // The title stands with the item already.
        let headings: Vec<_> =
            section.headings.iter().filter(|heading| **heading != document.title).map(String::as_str).collect();
        let heading = (!headings.is_empty()).then(|| headings.join(" › "));
        splitter.chunks(&section.text).map(move |text| Passage { heading: heading.clone(), text: text.to_owned() })
    });
    passages.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_split_by_its_headings() {
        let document = KnowledgeItem::Document(Document {
            id: "care".to_owned(),
            title: "Care".to_owned(),
            text: "# Care\n\nBe gentle.\n\n## Chain\n\nOil it.\n\n### Winter\n\nOil it more.\n".to_owned(),
            language: None,
            url: None,
        });
        let passages = passages(&document, Language::En);
        let headings: Vec<_> = passages.iter().map(|passage| passage.heading.as_deref()).collect();
        assert_eq!(headings, [None, Some("Chain"), Some("Chain › Winter")]);
        assert_eq!(passages[2].text, "Oil it more.");
    }

    #[test]
    fn a_long_section_becomes_several_passages() {
        let document = KnowledgeItem::Document(Document {
            id: "long".to_owned(),
            title: "Long".to_owned(),
            text: "A sentence that goes on.\n\n".repeat(200),
            language: None,
            url: None,
        });
        let passages = passages(&document, Language::En);
        assert!(passages.len() > 3);
        assert!(passages.iter().all(|passage| passage.text.chars().count() <= PASSAGE_CHARACTERS_MAX));
    }
}
