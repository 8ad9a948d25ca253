//! The three reads of a retrieval: summary, vocabulary, passages.

use std::collections::{BTreeSet, HashMap};

use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::{Language, SourceKind};

use super::query::{Query, Vocabulary};
use super::question::Question;
use super::score::Candidate;
use super::similar::{self, Word};

/// Similar words that are looked at per asked word.
const SIMILAR_ROWS_PER_WORD: i32 = 24;

/// What the merchant's last import left.
pub(super) struct Summary {
    pub(super) passages: usize,
    pub(super) languages: Vec<Language>,
}

/// `None` for a merchant without knowledge.
pub(super) async fn summary(transaction: &mut TenantTransaction) -> Result<Option<Summary>, StoreError> {
    let row: Option<(i32, Vec<String>)> = sqlx::query_as(
        "SELECT passages, languages FROM knowledge_summaries WHERE merchant_id = current_merchant() AND passages > 0",
    )
    .fetch_optional(transaction.connection())
    .await
    .map_err(StoreError::during("read the summary of the knowledge"))?;
    Ok(row.map(|(passages, languages)| Summary {
        passages: usize::try_from(passages).unwrap_or_default(),
        languages: languages.iter().filter_map(|language| language.parse().ok()).collect(),
    }))
}

/// Looks the question's words up in the merchant's vocabulary, and words like them.
pub(super) async fn look_up(
    transaction: &mut TenantTransaction,
    question: &Question,
    summary: Summary,
) -> Result<Vocabulary, StoreError> {
    let mut words = BTreeSet::new();
    for at in question.content() {
        for form in question.tokens[at].forms() {
            words.insert(form.to_owned());
            words.extend(similar::compound_parts(form).flat_map(|(head, tail)| [head, tail]).map(str::to_owned));
        }
    }
    let terms = Query::exact_terms(question, &summary.languages);
    let known = known_words(transaction, words.into_iter().collect(), terms.into_iter().collect()).await?;
    let asked: Vec<_> = question.content().map(|at| question.tokens[at].text.clone()).collect();
    let similar = similar_words(transaction, asked).await?;
    Ok(Vocabulary::new(summary, known, similar))
}

async fn known_words(
    transaction: &mut TenantTransaction,
    words: Vec<String>,
    terms: Vec<String>,
) -> Result<Vec<Word>, StoreError> {
    let rows: Vec<(String, String, i32)> = sqlx::query_as(
        "SELECT word, term, passages FROM vocabulary WHERE merchant_id = current_merchant() AND word = ANY ($1)
         UNION
         SELECT word, term, passages FROM vocabulary WHERE merchant_id = current_merchant() AND term = ANY ($2)",
    )
    .bind(words)
    .bind(terms)
    .fetch_all(transaction.connection())
    .await
    .map_err(StoreError::during("look words up in the vocabulary"))?;
    Ok(rows.into_iter().map(|(word, term, passages)| Word::new(word, term, passages)).collect())
}

async fn similar_words(
    transaction: &mut TenantTransaction,
    asked: Vec<String>,
) -> Result<HashMap<String, Vec<Word>>, StoreError> {
    let rows: Vec<(String, String, String, i32)> =
        sqlx::query_as("SELECT asked, word, term, passages FROM similar_words($1, $2)")
            .bind(asked)
            .bind(SIMILAR_ROWS_PER_WORD)
            .fetch_all(transaction.connection())
            .await
            .map_err(StoreError::during("look for similar words"))?;
    let mut similar: HashMap<String, Vec<Word>> = HashMap::new();
    for (asked, word, term, passages) in rows {
        similar.entry(asked).or_default().push(Word::new(word, term, passages));
    }
    Ok(similar)
}

#[derive(sqlx::FromRow)]
struct PassageRow {
    kind: String,
    external_id: String,
    language: String,
    title: String,
    heading: Option<String>,
    url: Option<String>,
    text: String,
    terms: Vec<String>,
}

/// The passages that hold the most of the query's weight.
pub(super) async fn search(
    transaction: &mut TenantTransaction,
    query: &Query,
    limit: i32,
) -> Result<Vec<Candidate>, StoreError> {
    let (terms, weights): (Vec<_>, Vec<_>) = query.search_terms().into_iter().unzip();
    let rows: Vec<PassageRow> = sqlx::query_as(
        "SELECT kind, external_id, language, title, heading, url, text, terms FROM search_passages($1, $2, $3)",
    )
    .bind(terms)
    .bind(weights)
    .bind(limit)
    .fetch_all(transaction.connection())
    .await
    .map_err(StoreError::during("search passages"))?;
    Ok(rows.into_iter().map(Candidate::from).collect())
}

impl From<PassageRow> for Candidate {
    fn from(row: PassageRow) -> Self {
        Self {
            kind: match row.kind.as_str() {
                "faq" => SourceKind::Faq,
                "product" => SourceKind::Product,
                _ => SourceKind::Document,
            },
            item_id: row.external_id,
            // The column is written from a language only.
            language: row.language.parse().unwrap_or_default(),
            title: row.title,
            heading: row.heading,
            url: row.url,
            text: row.text,
            terms: row.terms.into_iter().collect(),
        }
    }
}
