//! Import and retrieval on a real PostgreSQL, as the roles the programs work as.

use anyhow::Context;
use secrecy::ExposeSecret;
use sqlx::{Connection, PgConnection};
use uuid::Uuid;
use vitrine_database::{Database, Role, TenantTransaction};
use vitrine_domain::{Language, MerchantId};
use vitrine_knowledge::item::{Document, Faq, Product};
use vitrine_knowledge::{ImportReport, KnowledgeImport, KnowledgeItem, Verdict, import, retrieve};
use vitrine_testkit::TestDatabase;

const LIMIT: usize = 5;

fn merchant() -> MerchantId {
    MerchantId::new(Uuid::new_v4())
}

fn faq(id: &str, question: &str, answer: &str) -> KnowledgeItem {
    KnowledgeItem::Faq(Faq {
        id: id.to_owned(),
        question: question.to_owned(),
        answer: answer.to_owned(),
        language: None,
        url: Some(format!("/faq#{id}")),
    })
}

/// A small shop; `name` stands in each of its texts.
fn shop(name: &str) -> KnowledgeImport {
    KnowledgeImport {
        items: vec![
            faq("delivery", "How long does delivery take?", &format!("{name} delivers within 3 working days.")),
            faq("returns", "Can I return an item?", &format!("Yes, {name} takes it back within 30 days.")),
            KnowledgeItem::Document(Document {
                id: "care".to_owned(),
                title: "Care".to_owned(),
                text: format!("# Care\n\n{name} says: be gentle.\n\n## Chain\n\nOil the chain every month.\n"),
                language: None,
                url: None,
            }),
            KnowledgeItem::Product(Product {
                id: "bell".to_owned(),
                title: "Brass bell".to_owned(),
                description: format!("A loud bell by {name}."),
                price: Some("12.50".to_owned()),
                currency: Some("EUR".to_owned()),
                url: None,
                category: "Bells".to_owned(),
                language: None,
                attributes: [("Colour".to_owned(), "brass".to_owned())].into(),
            }),
        ],
    }
}

async fn import_as(
    database: &TestDatabase,
    merchant: MerchantId,
    knowledge: &KnowledgeImport,
) -> anyhow::Result<ImportReport> {
    let api = Database::connect(&database.api(), Role::Api, 1).await?;
    let mut transaction = api.tenant(merchant).await?;
    let report = import(&mut transaction, knowledge, Language::En).await?;
    transaction.commit().await?;
    Ok(report)
}

async fn runtime(database: &TestDatabase, merchant: MerchantId) -> anyhow::Result<TenantTransaction> {
    let runtime = Database::connect(&database.runtime(), Role::Runtime, 1).await?;
    Ok(runtime.tenant(merchant).await?)
}

#[tokio::test]
async fn a_question_is_answered_from_what_was_imported() -> anyhow::Result<()> {
    let database = TestDatabase::create().await?;
    let merchant = merchant();
    import_as(&database, merchant, &shop("Ours")).await?;
    let mut transaction = runtime(&database, merchant).await?;

    let retrieval = retrieve(&mut transaction, "how long does delivery take", Language::En, LIMIT).await?;
    assert_eq!(retrieval.verdict, Verdict::Answerable);
    let best = &retrieval.passages[0];
    assert_eq!((best.item_id.as_str(), best.url.as_deref()), ("delivery", Some("/faq#delivery")));
    assert_eq!(best.text, "Ours delivers within 3 working days.");
    assert!(best.coverage > 0.9, "{best:?}");

    let other_language = retrieve(&mut transaction, "Kann ich einen Artikel zurückgeben?", Language::En, LIMIT).await?;
    assert_eq!((other_language.language, other_language.passages[0].item_id.as_str()), (Language::De, "returns"));

    let mistyped = retrieve(&mut transaction, "oil the chian", Language::En, LIMIT).await?;
    assert_eq!(mistyped.passages[0].heading.as_deref(), Some("Chain"));

    let unknown = retrieve(&mut transaction, "Do you sell submarines for penguins?", Language::En, LIMIT).await?;
    assert_eq!(unknown.verdict, Verdict::Refuse);
    let thanks = retrieve(&mut transaction, "thank you!", Language::En, LIMIT).await?;
    assert_eq!((thanks.verdict, thanks.passages.len()), (Verdict::SmallTalk, 0));
    Ok(())
}

#[tokio::test]
async fn any_question_gets_a_verdict() -> anyhow::Result<()> {
    let database = TestDatabase::create().await?;
    let merchant = merchant();
    import_as(&database, merchant, &shop("Ours")).await?;
    let mut transaction = runtime(&database, merchant).await?;
    for question in ["", "?!", "\0\u{200c}\u{200c}", "%_%' OR 1=1 --", "😀😀", "the of and"] {
        let retrieval = retrieve(&mut transaction, question, Language::En, LIMIT).await?;
        assert_eq!(retrieval.verdict, Verdict::Refuse, "{question:?}");
    }
    let huge = "delivery bicycle ".repeat(100_000);
    let retrieval = retrieve(&mut transaction, &huge, Language::En, LIMIT).await?;
    assert!(retrieval.passages.len() <= LIMIT);
    Ok(())
}

#[tokio::test]
async fn a_second_import_changes_only_what_changed() -> anyhow::Result<()> {
    let database = TestDatabase::create().await?;
    let merchant = merchant();
    let mut knowledge = shop("Ours");
    let first = import_as(&database, merchant, &knowledge).await?;
    assert_eq!(first, ImportReport { added: 4, changed: 0, unchanged: 0, removed: 0, passages: 5 });
    let rows_before = row_versions(&database).await?;
    let second = import_as(&database, merchant, &knowledge).await?;
    assert_eq!(second, ImportReport { added: 0, changed: 0, unchanged: 4, removed: 0, passages: 5 });
    assert_eq!(row_versions(&database).await?, rows_before);

    knowledge.items[0] = faq("delivery", "How long does delivery take?", "Within 9 working days.");
    knowledge.items.remove(1);
    knowledge.items.push(faq("hours", "When are you open?", "From Monday to Friday."));
    let third = import_as(&database, merchant, &knowledge).await?;
    assert_eq!(third, ImportReport { added: 1, changed: 1, unchanged: 2, removed: 1, passages: 5 });

    let mut transaction = runtime(&database, merchant).await?;
    let changed = retrieve(&mut transaction, "How long does delivery take?", Language::En, LIMIT).await?;
    assert_eq!(changed.passages[0].text, "Within 9 working days.");
    let removed = retrieve(&mut transaction, "Can I return an item?", Language::En, LIMIT).await?;
    assert_eq!(removed.verdict, Verdict::Refuse);
    assert!(removed.passages.iter().all(|hit| hit.item_id != "returns"), "{removed:?}");
    Ok(())
}

/// Which version of each row there is: a row that was written again has another.
async fn row_versions(database: &TestDatabase) -> anyhow::Result<Vec<String>> {
    let mut superuser = superuser(database).await?;
    Ok(sqlx::query_scalar(
        "SELECT 'item ' || external_id || ctid || xmin FROM knowledge_items
         UNION ALL SELECT 'passage ' || external_id || ctid || xmin FROM passages
         UNION ALL SELECT 'word ' || word || ctid || xmin FROM vocabulary ORDER BY 1",
    )
    .fetch_all(&mut superuser)
    .await?)
}

async fn superuser(database: &TestDatabase) -> anyhow::Result<PgConnection> {
    let server = vitrine_testkit::postgres().await?;
    let mut url: url::Url = server.expose_secret().parse()?;
    url.set_path(database.name());
    PgConnection::connect(url.as_str()).await.context("failed to connect as superuser")
}

#[tokio::test]
async fn no_merchant_sees_another() -> anyhow::Result<()> {
    let database = TestDatabase::create().await?;
    let (ours, theirs) = (merchant(), merchant());
    import_as(&database, ours, &shop("Ours")).await?;
    import_as(&database, theirs, &shop("Theirs")).await?;
    let mut transaction = runtime(&database, ours).await?;
    for question in ["How long does delivery take?", "Theirs", "Can I return an item?", "oil the chain", "brass bell"] {
        let retrieval = retrieve(&mut transaction, question, Language::En, LIMIT).await?;
        assert!(retrieval.passages.iter().all(|hit| !hit.text.contains("Theirs")), "{retrieval:?}");
    }
    let words: i64 =
        sqlx::query_scalar("SELECT count(*) FROM similar_words(ARRAY['theirs'], 100) WHERE word = 'theirs'")
            .fetch_one(transaction.connection())
            .await?;
    assert_eq!(words, 0);

    // Removing everything of one merchant leaves the other alone.
    import_as(&database, ours, &KnowledgeImport::default()).await?;
    let mut transaction = runtime(&database, theirs).await?;
    let retrieval = retrieve(&mut transaction, "How long does delivery take?", Language::En, LIMIT).await?;
    assert_eq!(retrieval.verdict, Verdict::Answerable);
    Ok(())
}

#[tokio::test]
async fn searching_without_a_merchant_or_as_another_role_fails() -> anyhow::Result<()> {
    const SEARCHES: [&str; 2] = [
        "SELECT count(*) FROM search_passages(ARRAY['c:delivery'], ARRAY[1]::real[], 5)",
        "SELECT count(*) FROM similar_words(ARRAY['delivery'], 5)",
    ];
    let database = TestDatabase::create().await?;
    let merchant = merchant();
    import_as(&database, merchant, &shop("Ours")).await?;

    let mut connection = PgConnection::connect(database.runtime().expose_secret()).await?;
    for search in SEARCHES {
        assert!(sqlx::query_scalar::<_, i64>(search).fetch_one(&mut connection).await.is_err(), "never set: {search}");
    }
    // After a transaction that named one, PostgreSQL leaves an empty setting behind.
    let mut transaction = connection.begin().await?;
    sqlx::query("SELECT set_config('vitrine.merchant_id', $1, true)")
        .bind(merchant.to_string())
        .execute(&mut *transaction)
        .await?;
    for search in SEARCHES {
        assert!(sqlx::query_scalar::<_, i64>(search).fetch_one(&mut *transaction).await? > 0, "{search}");
    }
    transaction.commit().await?;
    for search in SEARCHES {
        assert!(sqlx::query_scalar::<_, i64>(search).fetch_one(&mut connection).await.is_err(), "empty: {search}");
    }

    let worker = Database::connect(&database.worker(), Role::Worker, 1).await?;
    for search in SEARCHES {
        let mut transaction = worker.tenant(merchant).await?;
        assert!(sqlx::query_scalar::<_, i64>(search).fetch_one(transaction.connection()).await.is_err(), "{search}");
    }
    Ok(())
}

/// Merchants, and passages of each, in the test of the plan.
const MERCHANTS: usize = 6;
const PASSAGES_EACH: i32 = 4_000;

#[tokio::test]
async fn a_search_among_many_passages_uses_the_indexes() -> anyhow::Result<()> {
    let database = TestDatabase::create().await?;
    let merchants: Vec<_> = std::iter::repeat_with(merchant).take(MERCHANTS).collect();
    let api = Database::connect(&database.api(), Role::Api, 1).await?;
    for merchant in &merchants {
        let mut transaction = api.tenant(*merchant).await?;
        fill(&mut transaction).await?;
        transaction.commit().await?;
    }
    let mut owner = PgConnection::connect(database.owner().expose_secret()).await?;
    sqlx::raw_sql("ANALYZE passages; ANALYZE vocabulary").execute(&mut owner).await?;

    let mut transaction = runtime(&database, merchants[0]).await?;
    let retrieval = retrieve(&mut transaction, "word17 common 3999 wrod18", Language::En, LIMIT).await?;
    assert_eq!(retrieval.passages.len(), LIMIT);
    // What this transaction did, whatever a plan may have promised.
    for table in ["passages", "vocabulary"] {
        let (sequential, indexed): (i64, i64) =
            sqlx::query_as("SELECT seq_scan, idx_scan FROM pg_stat_xact_user_tables WHERE relname = $1")
                .bind(table)
                .fetch_one(transaction.connection())
                .await?;
        assert_eq!(sequential, 0, "{table} was read from end to end");
        assert!(indexed > 0, "{table} was not read by an index");
    }

    let foreign: i64 =
        sqlx::query_scalar("SELECT count(*) FROM search_passages(ARRAY['common'], ARRAY[1]::real[], 100000)")
            .fetch_one(transaction.connection())
            .await?;
    assert_eq!(foreign, i64::from(PASSAGES_EACH), "foreign rows among those found");
    Ok(())
}

/// Passages made by the database: the import would spend the test's time on analysis.
async fn fill(transaction: &mut TenantTransaction) -> anyhow::Result<()> {
    for statement in [
        "INSERT INTO knowledge_items (merchant_id, kind, external_id, title, language, content, content_hash)
         SELECT current_merchant(), 'faq', n, 'word' || n % 200, 'en', '{}', ''
           FROM generate_series(1, $1) AS n",
        "INSERT INTO passages (merchant_id, kind, external_id, position, language, title, text, terms)
         SELECT current_merchant(), 'faq', n, 0, 'en', 'word' || n % 200, 'text',
                ARRAY['common', 'word', (n % 200)::text, n::text]
           FROM generate_series(1, $1) AS n",
        "INSERT INTO vocabulary (merchant_id, language, word, term, passages)
         SELECT current_merchant(), 'en', n::text, n::text, 1 FROM generate_series(1, $1) AS n
          UNION ALL SELECT current_merchant(), 'en', 'common', 'common', $1
          UNION ALL SELECT current_merchant(), 'en', 'word', 'word', $1",
        "INSERT INTO knowledge_summaries (merchant_id, items, passages, languages)
         VALUES (current_merchant(), $1, $1, '{en}')",
    ] {
        sqlx::query(statement).bind(PASSAGES_EACH).execute(transaction.connection()).await?;
    }
    Ok(())
}
