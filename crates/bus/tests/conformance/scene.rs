//! What the cases play with: a bus of their own, consumers that can be stopped and crashed, and a memory of what was
//! handled.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::BoxFuture;
use prometheus::Registry;
use prometheus::proto::MetricFamily;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tracing::Level;
use tracing::subscriber::DefaultGuard;
use vitrine_bus::{
    Bus, BusMetrics, ConsumeError, ConsumerSettings, Delivery, Handler, KafkaBus, KafkaSettings, LocalBus,
    LocalSettings, Outcome, Record, Topic,
};

/// A promise of the suite: whatever a case waits for happens within this time, also on a busy machine.
pub(crate) const SOON: Duration = Duration::from_secs(40);
pub(crate) const AN_HOUR: Duration = Duration::from_hours(1);
pub(crate) const TOPIC: Topic = Topic::ChatRequests;

pub(crate) struct Scene {
    pub(crate) bus: Arc<dyn Bus>,
    pub(crate) registry: Registry,
    pub(crate) topic_prefix: String,
    pub(crate) settings: ConsumerSettings,
}

pub(crate) async fn local() -> Scene {
    let registry = Registry::new();
    let bus = LocalBus::new(BusMetrics::new(&registry).unwrap(), LocalSettings::default());
    Scene { bus: Arc::new(bus), registry, topic_prefix: String::new(), settings: settings() }
}

pub(crate) async fn kafka() -> Scene {
    kafka_at(vitrine_testkit::kafka().await.expect("a Kafka can be started")).await
}

/// Topics of its own on the broker.
pub(crate) async fn kafka_at(bootstrap_servers: String) -> Scene {
    let topic_prefix = format!("{}.", vitrine_testkit::unique_name("bus"));
    let scene = kafka_with_prefix(bootstrap_servers, topic_prefix);
    scene.bus.ensure_topics().await.expect("the topics can be created");
    scene
}

pub(crate) fn kafka_with_prefix(bootstrap_servers: String, topic_prefix: String) -> Scene {
    let registry = Registry::new();
    let kafka = KafkaSettings { bootstrap_servers, topic_prefix: topic_prefix.clone() };
    let bus = KafkaBus::connect(kafka, BusMetrics::new(&registry).unwrap()).unwrap();
    Scene { bus: Arc::new(bus), registry, topic_prefix, settings: settings() }
}

/// As in the product, with less patience.
fn settings() -> ConsumerSettings {
    ConsumerSettings {
        retry_wait_min: Duration::from_millis(20),
        retry_wait_max: Duration::from_millis(200),
        revoke_grace: Duration::from_secs(20),
        shutdown_grace: Duration::from_secs(20),
        session_timeout: Duration::from_secs(6),
        commit_interval: Duration::from_millis(200),
        ..ConsumerSettings::default()
    }
}

impl Scene {
    /// Publishes records, each `(key, text)`, and insists on every acknowledgement.
    pub(crate) async fn publish(&self, records: impl IntoIterator<Item = (String, String)>) {
        let records = records.into_iter().map(|(key, text)| record(TOPIC, &key, &text)).collect();
        for result in self.bus.publish(records).await {
            result.expect("the record is acknowledged");
        }
    }

    pub(crate) fn consume(&self, group: &str, handler: impl Handler) -> Running {
        self.consume_as(group, handler, self.settings.clone())
    }

    pub(crate) fn consume_as(&self, group: &str, handler: impl Handler, settings: ConsumerSettings) -> Running {
        let shutdown = CancellationToken::new();
        let consumed = self.bus.consume(TOPIC, group, Arc::new(handler), shutdown.clone(), settings);
        Running { shutdown, task: tokio::spawn(consumed) }
    }

    /// The value of a metric summed over its labels.
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let families = self.registry.gather();
        let metrics = families.iter().filter(|family| family.name() == name).flat_map(MetricFamily::get_metric);
        metrics.map(|metric| metric.get_counter().get_value() + metric.get_gauge().get_value()).sum()
    }
}

pub(crate) fn record(topic: Topic, key: &str, text: &str) -> Record {
    Record { topic, key: key.to_owned(), payload: text.to_owned().into() }
}

pub(crate) fn text(delivery: &Delivery) -> String {
    String::from_utf8(delivery.record.payload.to_vec()).unwrap()
}

/// A consumer at work.
pub(crate) struct Running {
    pub(crate) shutdown: CancellationToken,
    task: JoinHandle<Result<(), ConsumeError>>,
}

impl Running {
    /// Ends in good order.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        timeout(SOON, self.task).await.expect("the consumer ends").unwrap().expect("the consumer ends well");
    }

    /// Ends in the middle of whatever it does.
    pub(crate) async fn crash(self) {
        self.task.abort();
        self.task.await.expect_err("the consumer was at work");
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.task.is_finished()
    }
}

/// Remembers what was handled to its end, in order. Clones share the memory.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    handled: Arc<Mutex<Vec<Delivery>>>,
}

impl Memory {
    pub(crate) fn add(&self, delivery: &Delivery) {
        self.handled.lock().unwrap().push(delivery.clone());
    }

    pub(crate) fn all(&self) -> Vec<Delivery> {
        self.handled.lock().unwrap().clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.handled.lock().unwrap().len()
    }

    /// The texts of each key in the order they were handled.
    pub(crate) fn by_key(&self) -> HashMap<String, Vec<String>> {
        let mut by_key: HashMap<String, Vec<String>> = HashMap::new();
        for delivery in self.all() {
            by_key.entry(delivery.record.key.clone()).or_default().push(text(&delivery));
        }
        by_key
    }

    pub(crate) fn contains(&self, wanted: &str) -> bool {
        self.all().iter().any(|delivery| text(delivery) == wanted)
    }

    /// A handler that does nothing but remember.
    pub(crate) fn handler(&self) -> impl Handler + use<> {
        let memory = self.clone();
        move |delivery: Delivery| {
            let memory = memory.clone();
            async move {
                memory.add(&delivery);
                Outcome::Done
            }
        }
    }
}

/// Lets handlers through once it is open, and counts who waits. Clones are the same gate.
#[derive(Clone)]
pub(crate) struct Gate {
    open: Arc<watch::Sender<bool>>,
    waiting: Arc<Mutex<Vec<Delivery>>>,
}

impl Gate {
    pub(crate) fn closed() -> Self {
        Self { open: Arc::new(watch::Sender::new(false)), waiting: Arc::default() }
    }

    pub(crate) fn open(&self) {
        self.open.send_replace(true);
    }

    pub(crate) async fn pass(&self, delivery: &Delivery) {
        self.waiting.lock().unwrap().push(delivery.clone());
        self.open.subscribe().wait_for(|open| *open).await.expect("the gate lives as long as its handlers");
    }

    /// Everything that ever came to the gate.
    pub(crate) fn seen(&self) -> Vec<Delivery> {
        self.waiting.lock().unwrap().clone()
    }
}

/// A handler that passes the gate with records that `waits` picks, and then remembers.
pub(crate) struct Gated<Waits> {
    pub(crate) gate: Gate,
    pub(crate) memory: Memory,
    pub(crate) waits: Waits,
}

impl<Waits: Fn(&Delivery) -> bool + Send + Sync + 'static> Handler for Gated<Waits> {
    fn handle<'a>(&'a self, delivery: &'a Delivery) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            if (self.waits)(delivery) {
                self.gate.pass(delivery).await;
            }
            self.memory.add(delivery);
            Outcome::Done
        })
    }
}

/// What this thread logs. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    /// Logs until the guard is dropped.
    pub(crate) fn start() -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_max_level(Level::DEBUG);
        let guard = tracing::subscriber::set_default(subscriber.with_writer(move || writer.clone()).finish());
        (log, guard)
    }

    pub(crate) fn count(&self, part: &str) -> usize {
        String::from_utf8_lossy(&self.0.lock().unwrap()).matches(part).count()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Looks again and again until the condition holds.
pub(crate) async fn eventually(what: &str, condition: impl Fn() -> bool) {
    vitrine_testkit::eventually(SOON, what, || std::future::ready(condition())).await;
}
