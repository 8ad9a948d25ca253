//! No role of the product sees or touches another merchant's rows, and none works without naming a merchant.

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use uuid::Uuid;
use vitrine_database::{Database, Role, StoreError, TenantTransaction};
use vitrine_domain::MerchantId;
use vitrine_testkit::TestDatabase;

const INSUFFICIENT_PRIVILEGE: &str = "42501";
const UNDEFINED_OBJECT: &str = "42704";
const INVALID_TEXT: &str = "22P02";

/// A database with one row of each table of the chat for two merchants.
struct Fixture {
    database: TestDatabase,
    ours: MerchantId,
    theirs: MerchantId,
}

impl Fixture {
    async fn new() -> Self {
        let database = TestDatabase::create().await.unwrap();
        let fixture = Self { database, ours: Uuid::new_v4().into(), theirs: Uuid::new_v4().into() };
        let api = fixture.connect(Role::Api).await;
        for merchant in [fixture.ours, fixture.theirs] {
            let mut transaction = api.tenant(merchant).await.unwrap();
            for statement in [
                "INSERT INTO merchants (merchant_id) VALUES ($1)",
                "INSERT INTO leads (merchant_id, lead_id, visitor_id, chatbot, agent_namespace)
                 VALUES ($1, $1, $1, 'bot', 'agent')",
                "INSERT INTO threads (merchant_id, thread_id, visitor_id, chatbot, agent_namespace, lead_id)
                 VALUES ($1, $1, $1, 'bot', 'agent', $1)",
                "INSERT INTO turns (merchant_id, turn_id, thread_id, state, config_sequence)
                 VALUES ($1, $1, $1, 'queued', 1)",
                "INSERT INTO messages (merchant_id, message_id, thread_id, turn_id, sequence, role, content)
                 VALUES ($1, $1, $1, $1, 1, 'human', '[]')",
                "INSERT INTO idempotency_keys (merchant_id, visitor_id, route, key, body_hash, message_id, turn_id)
                 VALUES ($1, $1, 'route', 'key', '', $1, $1)",
                "INSERT INTO outbox (merchant_id, kind, turn_id, thread_id, body) VALUES ($1, 'stored', $1, $1, '{}')",
            ] {
                let row = sqlx::query(statement).bind(merchant.as_uuid());
                row.execute(transaction.connection()).await.unwrap();
            }
            transaction.commit().await.unwrap();
        }
        fixture
    }

    async fn connect(&self, role: Role) -> Database {
        let url = match role {
            Role::Api => self.database.api(),
            Role::Worker => self.database.worker(),
            Role::Runtime => self.database.runtime(),
        };
        Database::connect(&url, role, 2).await.unwrap()
    }
}

/// Tables with what each role may read in them.
const READABLE: [(Role, &[&str]); 3] = [
    (Role::Api, &["merchants", "leads", "threads", "turns", "messages", "idempotency_keys", "outbox"]),
    (Role::Worker, &["merchants", "threads", "turns", "messages", "idempotency_keys"]),
    (Role::Runtime, &["merchants", "threads", "turns", "messages"]),
];

async fn count(transaction: &mut TenantTransaction, table: &str) -> i64 {
    sqlx::query_scalar(AssertSqlSafe(format!("SELECT count(*) FROM {table}")))
        .fetch_one(transaction.connection())
        .await
        .unwrap()
}

fn code(error: &sqlx::Error) -> String {
    error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .map(|code| code.to_string())
        .unwrap_or_default()
}

#[tokio::test]
async fn every_role_sees_the_rows_of_the_named_merchant_only() {
    let fixture = Fixture::new().await;
    for (role, tables) in READABLE {
        let database = fixture.connect(role).await;
        for merchant in [fixture.ours, fixture.theirs] {
            let mut transaction = database.tenant(merchant).await.unwrap();
            for table in tables {
                assert_eq!(count(&mut transaction, table).await, 1, "{} in {table}", role.name());
                let statement = format!("SELECT count(*) FROM {table} WHERE merchant_id <> $1");
                let foreign: i64 = sqlx::query_scalar(AssertSqlSafe(statement))
                    .bind(merchant.as_uuid())
                    .fetch_one(transaction.connection())
                    .await
                    .unwrap();
                assert_eq!(foreign, 0, "{} in {table}", role.name());
            }
        }
        let mut transaction = database.tenant(Uuid::new_v4().into()).await.unwrap();
        for table in tables {
            assert_eq!(count(&mut transaction, table).await, 0, "{} in {table}", role.name());
        }
    }
}

#[tokio::test]
async fn a_foreign_row_can_be_neither_changed_nor_made() {
    let fixture = Fixture::new().await;
    for role in [Role::Api, Role::Worker] {
        let database = fixture.connect(role).await;
        let mut transaction = database.tenant(fixture.ours).await.unwrap();
        for statement in [
            "UPDATE threads SET state = 'closed' WHERE merchant_id = $1",
            "UPDATE turns SET state = 'done' WHERE merchant_id = $1",
            "UPDATE messages SET content = '[]' WHERE merchant_id = $1",
            "UPDATE merchants SET messages_allowed_at = now() WHERE merchant_id = $1",
        ] {
            let touched = sqlx::query(statement).bind(fixture.theirs.as_uuid()).execute(transaction.connection()).await;
            assert_eq!(touched.unwrap().rows_affected(), 0, "{} by {statement}", role.name());
        }
        let made = sqlx::query(
            "INSERT INTO outbox (merchant_id, kind, turn_id, thread_id, body) VALUES ($1, 'stored', $1, $1, '{}')",
        )
        .bind(fixture.theirs.as_uuid())
        .execute(transaction.connection())
        .await;
        assert_eq!(code(&made.unwrap_err()), INSUFFICIENT_PRIVILEGE, "{}", role.name());
    }
}

#[tokio::test]
async fn a_row_cannot_be_moved_to_another_merchant() {
    let fixture = Fixture::new().await;
    let api = fixture.connect(Role::Api).await;
    let mut transaction = api.tenant(fixture.ours).await.unwrap();
    let moved = sqlx::query("UPDATE leads SET merchant_id = $1")
        .bind(fixture.theirs.as_uuid())
        .execute(transaction.connection())
        .await;
    assert_eq!(code(&moved.unwrap_err()), INSUFFICIENT_PRIVILEGE);
}

#[tokio::test]
async fn a_transaction_that_names_no_merchant_fails() {
    let fixture = Fixture::new().await;
    for (role, tables) in READABLE {
        let database = fixture.connect(role).await;
        for table in tables {
            let mut transaction = database.worker().await.unwrap();
            let statement = format!("SELECT count(*) FROM {table}");
            let read = sqlx::query(AssertSqlSafe(statement)).execute(transaction.connection()).await;
            let code = code(&read.unwrap_err());
            assert!([UNDEFINED_OBJECT, INVALID_TEXT].contains(&code.as_str()), "{} in {table}: {code}", role.name());
        }
    }
}

#[tokio::test]
async fn a_merchant_does_not_outlive_its_transaction_on_the_connection() {
    let fixture = Fixture::new().await;
    let api = Database::connect(&fixture.database.api(), Role::Api, 1).await.unwrap();
    for is_committed in [true, false] {
        let mut transaction = api.tenant(fixture.ours).await.unwrap();
        assert_eq!(count(&mut transaction, "turns").await, 1);
        if is_committed {
            transaction.commit().await.unwrap();
        } else {
            drop(transaction);
        }
        let mut next = api.worker().await.unwrap();
        let read = sqlx::query("SELECT count(*) FROM turns").execute(next.connection()).await;
        assert_eq!(code(&read.unwrap_err()), INVALID_TEXT);
    }
}

#[tokio::test]
async fn the_worker_sees_every_merchants_outbox_and_due_work_and_nothing_else() {
    let fixture = Fixture::new().await;
    let worker = fixture.connect(Role::Worker).await;
    let mut transaction = worker.worker().await.unwrap();
    let waiting: i64 =
        sqlx::query_scalar("SELECT count(*) FROM outbox").fetch_one(transaction.connection()).await.unwrap();
    assert_eq!(waiting, 2);
    let queued: Vec<Uuid> =
        sqlx::query_scalar("SELECT merchant_id FROM merchants_with_queued_turns($1, interval '-1 minute', 10)")
            .bind(Uuid::nil())
            .fetch_all(transaction.connection())
            .await
            .unwrap();
    assert_eq!(queued.len(), 2);
    drop(transaction);

    let mut transaction = worker.tenant(fixture.ours).await.unwrap();
    let deleted = sqlx::query("DELETE FROM outbox").execute(transaction.connection()).await;
    assert_eq!(code(&deleted.unwrap_err()), INSUFFICIENT_PRIVILEGE, "rows go by acknowledge_published only");
}

#[tokio::test]
async fn functions_over_all_merchants_are_the_workers_alone() {
    let fixture = Fixture::new().await;
    for role in [Role::Api, Role::Runtime] {
        let database = fixture.connect(role).await;
        for statement in [
            "SELECT * FROM due_turns(interval '0', 10)",
            "SELECT * FROM merchants_with_queued_turns(gen_random_uuid(), interval '0', 10)",
            "SELECT * FROM merchants_with_expired_keys(interval '0', 10)",
            "SELECT acknowledge_published(ARRAY[1]::bigint[], interval '0')",
            "SELECT expire_published_turns()",
        ] {
            let mut transaction = database.tenant(fixture.ours).await.unwrap();
            let called = sqlx::query(statement).execute(transaction.connection()).await;
            assert_eq!(code(&called.unwrap_err()), INSUFFICIENT_PRIVILEGE, "{} by {statement}", role.name());
        }
    }
}

#[tokio::test]
async fn the_runtime_writes_nothing() {
    let fixture = Fixture::new().await;
    let runtime = fixture.connect(Role::Runtime).await;
    let mut tables = catalog(
        &fixture,
        "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    )
    .await;
    assert!(tables.len() >= 7);
    tables.sort();
    for table in tables {
        for statement in
            [format!("INSERT INTO {table} DEFAULT VALUES"), format!("DELETE FROM {table}"), format!("TRUNCATE {table}")]
        {
            let mut transaction = runtime.tenant(fixture.ours).await.unwrap();
            let written = sqlx::query(AssertSqlSafe(statement.clone())).execute(transaction.connection()).await;
            assert_eq!(code(&written.unwrap_err()), INSUFFICIENT_PRIVILEGE, "{statement}");
        }
    }
    let updatable = "SELECT table_name::text FROM information_schema.column_privileges
                      WHERE grantee = 'vitrine_runtime' AND privilege_type IN ('INSERT', 'UPDATE')";
    assert_eq!(catalog(&fixture, updatable).await, Vec::<String>::new());
}

#[tokio::test]
async fn every_table_has_a_merchant_and_forced_row_level_security() {
    let fixture = Fixture::new().await;
    let unbound = "SELECT relname::text FROM pg_class
                    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
                      AND relname <> '_sqlx_migrations'
                      AND NOT (relrowsecurity AND relforcerowsecurity AND EXISTS (
                        SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'merchant_id' AND attnotnull))";
    assert_eq!(catalog(&fixture, unbound).await, Vec::<String>::new());
}

#[tokio::test]
async fn every_unique_index_and_foreign_key_starts_with_the_merchant() {
    let fixture = Fixture::new().await;
    let indexes = "SELECT indexrelid::regclass::text FROM pg_index
                     JOIN pg_class ON pg_class.oid = indrelid
                    WHERE indisunique AND relnamespace = 'public'::regnamespace AND relname <> '_sqlx_migrations'
                      AND NOT EXISTS (
                        SELECT FROM pg_attribute
                         WHERE attrelid = indrelid AND attnum = indkey[0] AND attname = 'merchant_id')";
    assert_eq!(catalog(&fixture, indexes).await, Vec::<String>::new());
    let keys = "SELECT conname::text FROM pg_constraint
                 WHERE contype = 'f' AND NOT EXISTS (
                    SELECT FROM pg_attribute
                     WHERE attrelid = conrelid AND attnum = conkey[1] AND attname = 'merchant_id')";
    assert_eq!(catalog(&fixture, keys).await, Vec::<String>::new());
}

#[tokio::test]
async fn definer_functions_have_a_fixed_path_and_an_owner_that_cannot_log_in() {
    let fixture = Fixture::new().await;
    let loose = "SELECT proname::text FROM pg_proc
                   JOIN pg_roles ON pg_roles.oid = proowner
                  WHERE pronamespace = 'public'::regnamespace AND prosecdef
                    AND (rolcanlogin OR NOT coalesce(proconfig::text LIKE '%search_path=%', false)
                         OR EXISTS (SELECT FROM aclexplode(proacl) WHERE grantee = 0))";
    assert_eq!(catalog(&fixture, loose).await, Vec::<String>::new());
    let all = "SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosecdef";
    assert!(catalog(&fixture, all).await.len() >= 5);
}

#[tokio::test]
async fn a_failed_statement_says_what_was_being_done() {
    let fixture = Fixture::new().await;
    let api = fixture.connect(Role::Api).await;
    api.close().await;
    let Err(error) = api.tenant(fixture.ours).await else { panic!("the connections are closed") };
    let StoreError { action, .. } = &error;
    assert_eq!(*action, "begin a merchant's transaction");
    assert!(error.is_transient());
}

/// What a query of the schema's owner gives, outside any merchant.
async fn catalog(fixture: &Fixture, query: &str) -> Vec<String> {
    use secrecy::ExposeSecret;
    let mut owner = PgConnection::connect(fixture.database.owner().expose_secret()).await.unwrap();
    sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_all(&mut owner).await.unwrap()
}
