//! One merchant with one chatbot and one thing it knows, and a runtime that answers for it.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use jiff::{SignedDuration, Timestamp};
use prometheus::Registry;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use vitrine_bus::{Bus, BusMetrics, ConsumeError, LocalBus, LocalSettings, Record, Tail, TailItem, Topic};
use vitrine_chat_runtime::{ChatRuntime, Metrics, Model};
use vitrine_database::{Database, Role};
use vitrine_domain::event::ENVELOPE_VERSION;
use vitrine_domain::{
    Answer, ChatRequested, Envelope, Language, MerchantId, ThreadEvent, ThreadEventBody, ThreadId, TurnId,
};
use vitrine_knowledge::{KnowledgeImport, import};
use vitrine_service::clock;
use vitrine_tenant_config::{ManifestDirectory, ManifestDirectorySettings, Plans, Sources};
use vitrine_testkit::TestDatabase;

const MANIFESTS: &str = "
apiVersion: vitrine.dev/v1alpha1
kind: Merchant
metadata: {name: shop, annotations: {vitrine.dev/merchant-id: 5b0c8f5e-2a64-4d0f-9c53-7e1f0a4b6d21}}
spec: {displayName: Shop, ownerEmail: owner@shop.example, plan: p-pro, language: en, shopDomain: shop.example}
---
apiVersion: vitrine.dev/v1alpha1
kind: Chatbot
metadata: {name: support}
spec: {merchantRef: {name: shop}, title: Support, language: en}
";

/// A question as tenant-api leaves it: dispatched, its answer's place reserved.
pub struct Asked {
    pub turn: TurnId,
    thread: ThreadId,
}

impl Asked {
    /// A turn that is in no database.
    pub fn nowhere() -> Self {
        Self { turn: clock::new_uuid_v7().into(), thread: clock::new_uuid_v7().into() }
    }
}

pub struct Shop {
    merchant: MerchantId,
    sequence: u64,
    api: Database,
    bus: Arc<dyn Bus>,
    tail: Tail,
    stop: CancellationToken,
    running: JoinHandle<Result<(), ConsumeError>>,
    _database: TestDatabase,
    _folder: TempDir,
}

impl Shop {
    pub async fn open(model: Arc<dyn Model>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let manifests = folder.path().join("manifests");
        fs::create_dir(&manifests)?;
        fs::write(manifests.join("shop.yaml"), MANIFESTS)?;
        let settings = ManifestDirectorySettings {
            manifests,
            state: folder.path().join("state"),
            plans: Plans::default(),
            demo_host: None,
        };
        let tenants = ManifestDirectory::open(settings, Sources::system())?.subscribe();
        let tenant = tenants.borrow().find_by_name("shop").cloned().context("the manifest was refused")?;
        let merchant = tenant.merchant.id;

        let database = TestDatabase::create().await?;
        let api = Database::connect(&database.api(), Role::Api, 4).await?;
        let known: KnowledgeImport = serde_json::from_str(
            r#"{"items": [{"kind": "faq", "id": "returns", "question": "How many days do I have to return an order?",
                "answer": "You can return an order within 30 days after delivery.", "url": "/returns.html"}]}"#,
        )?;
        let mut transaction = api.tenant(merchant).await?;
        import(&mut transaction, &known, Language::En).await?;
        transaction.commit().await?;

        let registry = Registry::new();
        let bus: Arc<dyn Bus> = Arc::new(LocalBus::new(BusMetrics::new(&registry)?, LocalSettings::default()));
        let tail = bus.tail(Topic::ThreadEvents, Duration::ZERO)?;
        let stop = CancellationToken::new();
        let runtime = ChatRuntime {
            database: Database::connect(&database.runtime(), Role::Runtime, 4).await?,
            bus: Arc::clone(&bus),
            tenants,
            model,
            metrics: Metrics::register(&registry)?,
            session_timeout: Duration::from_secs(10),
        };
        let running = tokio::spawn(runtime.run(stop.clone()));
        Ok(Self {
            merchant,
            sequence: tenant.sequence,
            api,
            bus,
            tail,
            stop,
            running,
            _database: database,
            _folder: folder,
        })
    }

    pub async fn ask(&self, question: &str) -> Result<Asked> {
        let asked = Asked::nowhere();
        let mut transaction = self.api.tenant(self.merchant).await?;
        sqlx::query("INSERT INTO threads (merchant_id, thread_id, visitor_id, chatbot, agent_namespace, last_sequence) VALUES ($1, $2, $3, 'support', 'customer_support', 2)")
            .bind(self.merchant.as_uuid())
            .bind(asked.thread.as_uuid())
            .bind(Uuid::nil())
            .execute(transaction.connection())
            .await?;
        sqlx::query("INSERT INTO turns (merchant_id, turn_id, thread_id, state, answer_sequence, dispatches, config_sequence) VALUES ($1, $2, $3, 'dispatched', 2, 1, $4)")
            .bind(self.merchant.as_uuid())
            .bind(asked.turn.as_uuid())
            .bind(asked.thread.as_uuid())
            .bind(i64::try_from(self.sequence)?)
            .execute(transaction.connection())
            .await?;
        sqlx::query("INSERT INTO messages (merchant_id, message_id, thread_id, turn_id, sequence, role, content) VALUES ($1, $2, $3, $4, 1, 'human', $5)")
            .bind(self.merchant.as_uuid())
            .bind(clock::new_uuid_v7())
            .bind(asked.thread.as_uuid())
            .bind(asked.turn.as_uuid())
            .bind(serde_json::json!([{"type": "text", "text": {"value": question}}]))
            .execute(transaction.connection())
            .await?;
        transaction.commit().await?;
        Ok(asked)
    }

    pub async fn set_attempts(&self, asked: &Asked, attempts: i32) -> Result<()> {
        self.update("UPDATE turns SET attempts = $3 WHERE merchant_id = $1 AND turn_id = $2", asked, attempts).await
    }

    pub async fn set_dispatches(&self, asked: &Asked, dispatches: i32) -> Result<()> {
        self.update("UPDATE turns SET dispatches = $3 WHERE merchant_id = $1 AND turn_id = $2", asked, dispatches).await
    }

    pub async fn close_turn(&self, asked: &Asked) -> Result<()> {
        self.update("UPDATE turns SET state = 'done', attempts = $3 WHERE merchant_id = $1 AND turn_id = $2", asked, 1)
            .await
    }

    /// Puts the turn's request on the bus, as the outbox does.
    pub async fn request(&self, asked: &Asked, dispatch: i32) -> Result<()> {
        let envelope = Envelope {
            version: ENVELOPE_VERSION,
            id: clock::new_uuid_v7(),
            occurred_at: clock::now(),
            merchant: self.merchant,
            traceparent: None,
            body: ChatRequested::ChatRequested {
                turn: asked.turn,
                thread: asked.thread,
                dispatch,
                config_sequence: self.sequence,
                deadline_at: in_a_minute(),
            },
        };
        let record = Record::encode(Topic::ChatRequests, &asked.thread, &envelope)?;
        for result in self.bus.publish(vec![record]).await {
            result?;
        }
        Ok(())
    }

    /// What was said until the next END, which it ends with.
    pub async fn events_until_end(&mut self, within: Duration) -> Result<Vec<ThreadEventBody>> {
        Ok(self.heard_until_end(within).await?.into_iter().map(|event| event.body).collect())
    }

    pub async fn turns_heard_until_end(&mut self, within: Duration) -> Result<Vec<TurnId>> {
        let mut turns: Vec<TurnId> = self.heard_until_end(within).await?.into_iter().map(|event| event.turn).collect();
        turns.dedup();
        Ok(turns)
    }

    pub async fn answer(&mut self, within: Duration) -> Result<Answer> {
        match self.events_until_end(within).await?.pop() {
            Some(ThreadEventBody::End { answer, .. }) => Ok(answer),
            other => anyhow::bail!("expected an END, heard {other:?}"),
        }
    }

    /// Stops the runtime and fails if it failed.
    pub async fn close(self) -> Result<()> {
        self.stop.cancel();
        Ok(self.running.await??)
    }

    async fn heard_until_end(&mut self, within: Duration) -> Result<Vec<ThreadEvent>> {
        let mut events: Vec<ThreadEvent> = Vec::new();
        tokio::time::timeout(within, async {
            while !matches!(events.last().map(|event| &event.body), Some(ThreadEventBody::End { .. })) {
                if let TailItem::Record(delivery) = self.tail.next().await.context("the bus is gone")? {
                    events.push(delivery.record.decode::<ThreadEvent>()?.body);
                }
            }
            anyhow::Ok(())
        })
        .await
        .context("no END in time")??;
        Ok(events)
    }

    async fn update(&self, statement: &'static str, asked: &Asked, value: i32) -> Result<()> {
        let mut transaction = self.api.tenant(self.merchant).await?;
        sqlx::query(statement)
            .bind(self.merchant.as_uuid())
            .bind(asked.turn.as_uuid())
            .bind(value)
            .execute(transaction.connection())
            .await?;
        Ok(transaction.commit().await?)
    }
}

fn in_a_minute() -> Timestamp {
    clock::now() + SignedDuration::from_mins(1)
}
