//! Finding the passages for a question, and deciding whether they answer it.

mod budget;
mod evidence;
mod query;
mod question;
mod score;
mod similar;
mod small_talk;
mod store;

use serde::{Deserialize, Serialize};
use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::{Language, SourceKind};

use evidence::Evidence;
use query::Query;
use question::Question;

/// Passages that are scored exactly, best by the index first.
const CANDIDATES: i32 = 60;

/// What was found for a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Retrieval {
    /// The question's language when that is certain, else the one asked for.
    pub language: Language,
    /// Best first, one passage per item.
    pub passages: Vec<Hit>,
    pub verdict: Verdict,
}

/// Whether there is evidence to answer from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The passages cover what is asked.
    Answerable,
    /// They do not: an answer would be a guess.
    Refuse,
    /// A greeting or thanks, not a question.
    SmallTalk,
}

/// A passage that was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The item's id in the import.
    pub item_id: String,
    pub kind: SourceKind,
    /// The question of an FAQ item, else the title of the document or product.
    pub title: String,
    /// As imported: a path on the shop's site or a whole address.
    pub url: Option<String>,
    /// Headings above the passage in its document.
    pub heading: Option<String>,
    /// Plain text: an FAQ's answer, a document's section, a product's description, attributes and price.
    pub text: String,
    pub language: Language,
    /// For comparing passages of one retrieval.
    pub score: f32,
    /// Share of the question's weighted terms that the passage covers, from 0 to 1.
    pub coverage: f32,
}

/// Finds at most `limit` items for `question`. `language` is the chatbot's; it holds wherever the question's own is
/// not certain. Fails only when the database does.
pub async fn retrieve(
    transaction: &mut TenantTransaction,
    question: &str,
    language: Language,
    limit: usize,
) -> Result<Retrieval, StoreError> {
    let question = Question::new(question, language);
    let nothing = |verdict| Retrieval { language: question.language, passages: Vec::new(), verdict };
    if small_talk::is_small_talk(&question) {
        return Ok(nothing(Verdict::SmallTalk));
    }
    let Some(summary) = store::summary(transaction).await? else { return Ok(nothing(Verdict::Refuse)) };
    let query = Query::new(&question, &store::look_up(transaction, &question, summary).await?);
    if query.units.is_empty() {
        return Ok(nothing(Verdict::Refuse));
    }
    let candidates = store::search(transaction, &query, CANDIDATES).await?;
    let scored = score::rank(&query, candidates);
    let evidence = Evidence::new(&query, &scored);
    let mut passages: Vec<_> = scored.into_iter().map(|scored| scored.hit).collect();
    passages.truncate(limit);
    let verdict = if evidence.suffices() { Verdict::Answerable } else { Verdict::Refuse };
    Ok(Retrieval { language: question.language, passages, verdict })
}
