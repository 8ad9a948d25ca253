//! Bringing a merchant's rows in line with an import: only what changed is written.

mod plan;

use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use vitrine_database::{StoreError, TenantTransaction};
use vitrine_domain::Language;

use crate::item::{ItemError, KnowledgeImport};
use plan::{IndexedItem, Plan, VocabularyRow};

/// Rows in one statement.
const BATCH_ROWS: usize = 500;

/// What an import did, in items, and what the merchant has since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    pub added: usize,
    pub changed: usize,
    pub unchanged: usize,
    pub removed: usize,
    /// Passages the merchant has now.
    pub passages: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("failed to accept the import")]
    Item(#[from] ItemError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes `import` what the transaction's merchant knows. Items without a language are in `default_language`. Items
/// that are absent are removed; those that did not change are not touched. Needs the role that serves HTTP; takes
/// effect when the caller commits.
pub async fn import(
    transaction: &mut TenantTransaction,
    import: &KnowledgeImport,
    default_language: Language,
) -> Result<ImportReport, ImportError> {
    let plan = Plan::new(import, default_language)?;
    lock(transaction).await?;
    let stored = stored_hashes(transaction).await?;
    let difference = plan.difference(&stored);
    remove(transaction, &difference.removed).await?;
    for batch in difference.written.chunks(BATCH_ROWS) {
        write_items(transaction, batch).await?;
    }
    if difference.is_change() {
        write_vocabulary(transaction, &plan.vocabulary).await?;
    }
    write_summary(transaction, &plan).await?;
    let report = ImportReport {
        added: difference.added,
        changed: difference.written.len() - difference.added,
        unchanged: plan.items.len() - difference.written.len(),
        removed: difference.removed.len(),
        passages: plan.passages(),
    };
    tracing::info!(
        merchant.id = %transaction.merchant(),
        items.added = report.added,
        items.changed = report.changed,
        items.removed = report.removed,
        passages = report.passages,
        "knowledge was imported"
    );
    Ok(report)
}

/// Two imports of one merchant at once would each remove what the other adds.
async fn lock(transaction: &mut TenantTransaction) -> Result<(), StoreError> {
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('knowledge ' || current_merchant(), 0))")
        .execute(transaction.connection())
        .await
        .map_err(StoreError::during("lock a merchant's knowledge"))
        .map(|_| ())
}

async fn stored_hashes(transaction: &mut TenantTransaction) -> Result<Vec<(String, String, Vec<u8>)>, StoreError> {
    sqlx::query_as("SELECT kind, external_id, content_hash FROM knowledge_items WHERE merchant_id = current_merchant()")
        .fetch_all(transaction.connection())
        .await
        .map_err(StoreError::during("read the stored knowledge"))
}

async fn remove(transaction: &mut TenantTransaction, removed: &[(String, String)]) -> Result<(), StoreError> {
    if removed.is_empty() {
        return Ok(());
    }
    let (kinds, ids): (Vec<_>, Vec<_>) = removed.iter().cloned().unzip();
    sqlx::query(
        "DELETE FROM knowledge_items
          USING unnest($1::text[], $2::text[]) AS gone (kind, external_id)
          WHERE knowledge_items.merchant_id = current_merchant()
            AND knowledge_items.kind = gone.kind AND knowledge_items.external_id = gone.external_id",
    )
    .bind(kinds)
    .bind(ids)
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("remove knowledge"))
    .map(|_| ())
}

/// Rows travel as one JSON document per statement: arrays of arrays have no form as parameters.
async fn write_items(transaction: &mut TenantTransaction, items: &[&IndexedItem]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO knowledge_items
                (merchant_id, kind, external_id, title, language, url, content, content_hash)
         SELECT current_merchant(), kind, external_id, title, language, url, content, decode(content_hash, 'hex')
           FROM jsonb_to_recordset($1) AS item
                (kind text, external_id text, title text, language text, url text, content jsonb, content_hash text)
             ON CONFLICT (merchant_id, kind, external_id) DO UPDATE
            SET title = excluded.title, language = excluded.language, url = excluded.url, content = excluded.content,
                content_hash = excluded.content_hash, updated_at = now()",
    )
    .bind(Json(items))
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("write knowledge"))?;
    sqlx::query(
        "DELETE FROM passages
          USING jsonb_to_recordset($1) AS item (kind text, external_id text)
          WHERE passages.merchant_id = current_merchant()
            AND passages.kind = item.kind AND passages.external_id = item.external_id",
    )
    .bind(Json(items))
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("replace passages"))?;
    let passages: Vec<_> = items.iter().flat_map(|item| &item.passages).collect();
    sqlx::query(
        "INSERT INTO passages
                (merchant_id, kind, external_id, position, language, title, heading, url, text, terms)
         SELECT current_merchant(), kind, external_id, position, language, title, heading, url, text, terms
           FROM jsonb_to_recordset($1) AS passage
                (kind text, external_id text, position integer, language text, title text, heading text, url text,
                 text text, terms text[])",
    )
    .bind(Json(passages))
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("write passages"))
    .map(|_| ())
}

/// The vocabulary follows from all passages, so it is compared as a whole; only rows that differ are written.
async fn write_vocabulary(transaction: &mut TenantTransaction, rows: &[VocabularyRow]) -> Result<(), StoreError> {
    sqlx::query(
        "WITH wanted AS MATERIALIZED (
             SELECT language, word, term, passages
               FROM jsonb_to_recordset($1) AS wanted (language text, word text, term text, passages integer)
         ), gone AS (
             DELETE FROM vocabulary
              WHERE merchant_id = current_merchant()
                AND NOT EXISTS (SELECT FROM wanted
                                 WHERE wanted.language = vocabulary.language AND wanted.word = vocabulary.word)
         )
         INSERT INTO vocabulary (merchant_id, language, word, term, passages)
         SELECT current_merchant(), language, word, term, passages FROM wanted
             ON CONFLICT (merchant_id, language, word) DO UPDATE
            SET term = excluded.term, passages = excluded.passages
          WHERE (vocabulary.term, vocabulary.passages) IS DISTINCT FROM (excluded.term, excluded.passages)",
    )
    .bind(Json(rows))
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("write the vocabulary"))
    .map(|_| ())
}

async fn write_summary(transaction: &mut TenantTransaction, plan: &Plan) -> Result<(), StoreError> {
    let count = |number: usize| i32::try_from(number).unwrap_or(i32::MAX);
    let languages: Vec<_> = plan.languages().iter().map(|language| language.code()).collect();
    sqlx::query(
        "INSERT INTO knowledge_summaries (merchant_id, items, passages, languages)
         VALUES (current_merchant(), $1, $2, $3)
             ON CONFLICT (merchant_id) DO UPDATE
            SET items = excluded.items, passages = excluded.passages, languages = excluded.languages,
                imported_at = now()",
    )
    .bind(count(plan.items.len()))
    .bind(count(plan.passages()))
    .bind(languages)
    .execute(transaction.connection())
    .await
    .map_err(StoreError::during("write the summary of the knowledge"))
    .map(|_| ())
}
