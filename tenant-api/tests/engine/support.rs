//! A shop with a database of its own, and replicas that serve it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use futures::future::BoxFuture;
use prometheus::Registry;
use secrecy::ExposeSecret;
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use vitrine_bus::{
    Bus, BusMetrics, ConsumeError, ConsumerSettings, Delivery, Handler, LocalBus, LocalSettings, Outcome, PublishError,
    Record, Tail, TailError, Topic, TopicError,
};
use vitrine_database::{Database, Role};
use vitrine_domain::event::ENVELOPE_VERSION;
use vitrine_domain::{
    Answer, AttemptId, Envelope, Language, MerchantId, MessageId, ThreadEvent, ThreadEventBody, ThreadId, TurnId,
    TurnState, VisitorId,
};
use vitrine_tenant_api::outbox::{Outbox, OutboxMetrics, OutboxSettings, Publisher};
use vitrine_tenant_api::recorder::Recorder;
use vitrine_tenant_api::store::messages::StoredMessage;
use vitrine_tenant_api::store::threads::NewThread;
use vitrine_tenant_api::store::{messages, threads};
use vitrine_tenant_api::sweeper::Sweeper;
use vitrine_tenant_api::turns::{
    Accept, AcceptError, Accepted, Limits, MerchantSettings, Merchants, TurnMetrics, Turns,
};
use vitrine_testkit::TestDatabase;

/// A merchant with a database of its own.
pub(crate) struct Shop {
    pub(crate) database: TestDatabase,
    pub(crate) merchant: MerchantId,
    pub(crate) visitor: VisitorId,
    pub(crate) bus: Arc<TestBus>,
    pub(crate) config: Arc<Config>,
    owner: Mutex<PgConnection>,
}

/// A turn's row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct StoredTurn {
    pub(crate) state: TurnState,
    pub(crate) dispatches: i32,
    pub(crate) attempts: i32,
    pub(crate) answer_sequence: Option<i64>,
}

/// The merchant's config, as far as the engine asks for it.
pub(crate) struct Config {
    pub(crate) concurrent_answers: AtomicU32,
    pub(crate) messages_per_minute: u32,
}

impl Merchants for Config {
    fn settings(&self, _: MerchantId) -> Option<MerchantSettings> {
        let concurrent_answers = self.concurrent_answers.load(Ordering::Relaxed);
        (concurrent_answers > 0).then_some(MerchantSettings { concurrent_answers, config_sequence: 7 })
    }

    fn language(&self, _: MerchantId, chatbot: &str) -> Option<Language> {
        (chatbot == "zadelhoek-nl").then_some(Language::Nl)
    }
}

/// One replica: pools, caches and limits of its own.
pub(crate) struct Replica {
    pub(crate) api: Database,
    pub(crate) worker: Database,
    pub(crate) outbox: Outbox,
    pub(crate) publisher: Option<Publisher>,
    pub(crate) turns: Turns,
    pub(crate) recorder: Recorder,
    pub(crate) sweeper: Sweeper,
    pub(crate) registry: Registry,
}

impl Shop {
    /// A shop that may have `concurrent_answers` at a time and as many messages as a test can send.
    pub(crate) async fn open(concurrent_answers: u32) -> Self {
        Self::open_with(Config { concurrent_answers: concurrent_answers.into(), messages_per_minute: 1_000_000 }).await
    }

    pub(crate) async fn open_with(config: Config) -> Self {
        Self::open_on(TestDatabase::create().await.expect("a database"), config).await
    }

    pub(crate) async fn open_on(database: TestDatabase, config: Config) -> Self {
        let merchant = MerchantId::new(Uuid::new_v4());
        let owner = connect_as_owner(&database, merchant).await;
        Self {
            database,
            merchant,
            visitor: VisitorId::new(Uuid::new_v4()),
            bus: Arc::new(TestBus::new()),
            config: Arc::new(config),
            owner: Mutex::new(owner),
        }
    }

    pub(crate) async fn replica(&self) -> Replica {
        self.replica_with(OutboxSettings::default()).await
    }

    pub(crate) async fn replica_with(&self, settings: OutboxSettings) -> Replica {
        let api = Database::connect(&self.database.api(), Role::Api, 8).await.expect("the api's connections");
        let worker =
            Database::connect(&self.database.worker(), Role::Worker, 8).await.expect("the worker's connections");
        let registry = Registry::new();
        let metrics = TurnMetrics::new(&registry).expect("the metrics of turns");
        let outbox_metrics = OutboxMetrics::new(&registry).expect("the metrics of the outbox");
        let bus: Arc<dyn Bus> = self.bus.clone();
        let known: Arc<dyn Merchants> = self.config.clone();
        let (outbox, publisher) = Outbox::new(worker.clone(), bus, outbox_metrics, settings);
        Replica {
            turns: Turns::new(api.clone(), outbox.clone(), metrics.clone()),
            recorder: Recorder::new(worker.clone(), outbox.clone(), known.clone(), metrics.clone()),
            sweeper: Sweeper::new(worker.clone(), outbox.clone(), known, metrics),
            publisher: Some(publisher),
            api,
            worker,
            outbox,
            registry,
        }
    }

    /// Runs a statement as the owner of the schema, inside the merchant, and gives the number of its rows.
    pub(crate) async fn sql(&self, statement: &str) -> u64 {
        let mut owner = self.owner.lock().await;
        let done = sqlx::query(AssertSqlSafe(statement.to_owned())).execute(&mut *owner).await;
        done.expect("the owner's statement").rows_affected()
    }

    /// The one number a query of the owner gives.
    pub(crate) async fn number(&self, query: &str) -> i64 {
        let mut owner = self.owner.lock().await;
        let number = sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_one(&mut *owner).await;
        number.expect("the owner's number")
    }

    /// The ids a query of the owner gives.
    pub(crate) async fn ids(&self, query: &str) -> Vec<Uuid> {
        let mut owner = self.owner.lock().await;
        let ids = sqlx::query_scalar(AssertSqlSafe(query.to_owned())).fetch_all(&mut *owner).await;
        ids.expect("the owner's ids")
    }

    /// The merchant's turns as they stand.
    pub(crate) async fn turns(&self) -> BTreeMap<TurnId, StoredTurn> {
        let mut owner = self.owner.lock().await;
        let query = "SELECT turn_id, state, dispatches, attempts, answer_sequence FROM turns
                      WHERE merchant_id = current_merchant()";
        let rows: Vec<(Uuid, String, i32, i32, Option<i64>)> =
            sqlx::query_as(query).fetch_all(&mut *owner).await.expect("the turns");
        let turns = rows.into_iter().map(|(turn, state, dispatches, attempts, answer_sequence)| {
            let state = state.parse().expect("a state");
            (TurnId::new(turn), StoredTurn { state, dispatches, attempts, answer_sequence })
        });
        turns.collect()
    }

    /// Goes on as another merchant in the same database.
    pub(crate) async fn become_another(&mut self, merchant: MerchantId) {
        self.merchant = merchant;
        self.sql(&format!("SET vitrine.merchant_id = '{merchant}'")).await;
    }

    /// A message as the HTTP side gives it in.
    pub(crate) fn question(&self, thread: ThreadId, text: &str) -> Accept {
        Accept {
            merchant: self.merchant,
            config_sequence: 7,
            limits: Limits {
                messages_per_minute: self.config.messages_per_minute,
                concurrent_answers: self.config.concurrent_answers.load(Ordering::Relaxed),
            },
            thread,
            visitor: self.visitor,
            message: MessageId::new(Uuid::now_v7()),
            turn: TurnId::new(Uuid::now_v7()),
            text: text.to_owned(),
            idempotency: None,
        }
    }

    /// Makes the deadline of every turn whose request was published pass.
    pub(crate) async fn let_deadlines_pass(&self) -> u64 {
        let pass = "UPDATE turns SET deadline_at = '-infinity'
                     WHERE merchant_id = current_merchant() AND state = 'dispatched' AND deadline_at IS NOT NULL";
        self.sql(pass).await
    }
}

impl Replica {
    pub(crate) async fn thread(&self, shop: &Shop) -> ThreadId {
        self.thread_of(shop.merchant, shop.visitor).await
    }

    pub(crate) async fn thread_of(&self, merchant: MerchantId, visitor: VisitorId) -> ThreadId {
        let thread = ThreadId::new(Uuid::new_v4());
        let new = NewThread {
            thread,
            visitor,
            chatbot: "zadelhoek-nl".to_owned(),
            agent_namespace: "customer_support".to_owned(),
            lead: None,
        };
        let mut transaction = self.api.tenant(merchant).await.expect("a transaction");
        threads::create(&mut transaction, new).await.expect("a thread");
        transaction.commit().await.expect("a commit");
        thread
    }

    pub(crate) async fn ask(&self, shop: &Shop, thread: ThreadId, text: &str) -> Result<Accepted, AcceptError> {
        self.turns.accept(shop.question(thread, text)).await
    }

    /// Everything said in the thread, oldest first.
    pub(crate) async fn said(&self, shop: &Shop, thread: ThreadId) -> Vec<StoredMessage> {
        let mut transaction = self.api.tenant(shop.merchant).await.expect("a transaction");
        let mut said = Vec::new();
        loop {
            let last = said.last().map_or(0, |message: &StoredMessage| message.sequence);
            let page = messages::after(&mut transaction, thread, last).await.expect("messages");
            if page.is_empty() {
                return said;
            }
            said.extend(page);
        }
    }

    pub(crate) async fn handle(&self, shop: &Shop, turn: TurnId, body: ThreadEventBody) -> Outcome {
        self.recorder.handle(&delivery(shop.merchant, turn, body)).await
    }

    pub(crate) async fn start(&self, shop: &Shop, turn: TurnId, attempt: AttemptId) {
        let outcome = self.handle(shop, turn, ThreadEventBody::Started { attempt, dispatch: 1 }).await;
        assert_eq!(outcome, Outcome::Done);
    }

    pub(crate) async fn end(&self, shop: &Shop, turn: TurnId, attempt: AttemptId, text: &str) {
        let answer = Answer { text: text.to_owned(), ..Answer::default() };
        let outcome = self.handle(shop, turn, ThreadEventBody::End { attempt, dispatch: 1, answer }).await;
        assert_eq!(outcome, Outcome::Done);
    }

    /// Runs the outbox's background half until the guard is dropped.
    pub(crate) fn publish(&mut self) -> tokio_util::sync::DropGuard {
        let shutdown = CancellationToken::new();
        let publisher = self.publisher.take().expect("the publisher to run once");
        tokio::spawn(publisher.run(shutdown.clone()));
        shutdown.drop_guard()
    }
}

/// A connection of the owner inside the merchant. The owner is a member of the roles that see every merchant, so a
/// statement that must not touch others names its merchant.
pub(crate) async fn connect_as_owner(database: &TestDatabase, merchant: MerchantId) -> PgConnection {
    let mut owner = PgConnection::connect(database.owner().expose_secret()).await.expect("the owner's connection");
    sqlx::query(AssertSqlSafe(format!("SET vitrine.merchant_id = '{merchant}'")))
        .execute(&mut owner)
        .await
        .expect("the merchant to be set");
    owner
}

/// A new attempt.
pub(crate) fn attempt() -> AttemptId {
    AttemptId::new(Uuid::now_v7())
}

/// A record as the recorder gets it.
pub(crate) fn delivery(merchant: MerchantId, turn: TurnId, body: ThreadEventBody) -> Delivery {
    let thread = ThreadId::new(Uuid::nil());
    let envelope = Envelope {
        version: ENVELOPE_VERSION,
        id: Uuid::now_v7(),
        occurred_at: "2026-01-02T03:04:05Z".parse().expect("a time"),
        merchant,
        traceparent: None,
        body: ThreadEvent { thread, turn, answer_sequence: 0, body },
    };
    let record = Record::encode(Topic::ThreadEvents, &thread, &envelope).expect("a record");
    Delivery { record, partition: 0, offset: 0, attempt: 1 }
}

/// A bus that keeps what is published and can be away.
pub(crate) struct TestBus {
    local: LocalBus,
    is_away: AtomicBool,
    published: std::sync::Mutex<Vec<Record>>,
}

impl TestBus {
    fn new() -> Self {
        let metrics = BusMetrics::new(&Registry::new()).expect("the metrics of the bus");
        Self {
            local: LocalBus::new(metrics, LocalSettings::default()),
            is_away: AtomicBool::new(false),
            published: std::sync::Mutex::default(),
        }
    }

    pub(crate) fn go_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }

    pub(crate) fn published(&self, topic: Topic) -> Vec<Record> {
        let published = self.published.lock().expect("the records");
        published.iter().filter(|record| record.topic == topic).cloned().collect()
    }
}

impl Bus for TestBus {
    fn publish(&self, records: Vec<Record>) -> BoxFuture<'_, Vec<Result<(), PublishError>>> {
        Box::pin(async move {
            if self.is_away.load(Ordering::SeqCst) {
                let away = || Err(PublishError::Unacknowledged { reason: "away".to_owned() });
                return records.iter().map(|_| away()).collect();
            }
            self.published.lock().expect("the records").extend(records.clone());
            self.local.publish(records).await
        })
    }

    fn consume(
        &self,
        topic: Topic,
        group: &str,
        handler: Arc<dyn Handler>,
        shutdown: CancellationToken,
        settings: ConsumerSettings,
    ) -> BoxFuture<'static, Result<(), ConsumeError>> {
        self.local.consume(topic, group, handler, shutdown, settings)
    }

    fn tail(&self, topic: Topic, since: std::time::Duration) -> Result<Tail, TailError> {
        self.local.tail(topic, since)
    }

    fn ensure_topics(&self) -> BoxFuture<'_, Result<(), TopicError>> {
        self.local.ensure_topics()
    }
}
