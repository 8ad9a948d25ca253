//! Publishing to Kafka.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::producer::future_producer::DeliveryFuture;
use rdkafka::producer::{FutureProducer, FutureRecord, Producer};
use tokio::time::{Instant, sleep};
use tracing::error;

use crate::kafka::clients::Clients;
use crate::{PublishError, RECORD_BYTES_MAX, Record};

/// How long publishing waits for room in the producer.
const QUEUE_WAIT_MAX: Duration = Duration::from_secs(1);
/// How often it looks whether there is room.
const QUEUE_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// An idempotent producer: retries of its own neither double nor reorder.
pub(crate) struct Publisher {
    clients: Clients,
    producer: RwLock<FutureProducer>,
}

impl Publisher {
    pub(crate) fn new(clients: Clients) -> KafkaResult<Self> {
        let producer = RwLock::new(clients.producer().create()?);
        Ok(Self { clients, producer })
    }

    pub(crate) fn clients(&self) -> &Clients {
        &self.clients
    }

    pub(crate) async fn publish(&self, records: Vec<Record>) -> Vec<Result<(), PublishError>> {
        let producer = self.producer.read().unwrap_or_else(PoisonError::into_inner).clone();
        let deadline = Instant::now() + QUEUE_WAIT_MAX;
        let mut waiting = Vec::with_capacity(records.len());
        let mut full = false;
        for record in &records {
            // What comes after a record without room must not overtake it.
            let enqueued = if full { Err(PublishError::Full) } else { self.enqueue(&producer, record, deadline).await };
            full |= matches!(enqueued, Err(PublishError::Full));
            waiting.push(enqueued);
        }
        let mut results = Vec::with_capacity(waiting.len());
        for enqueued in waiting {
            results.push(match enqueued {
                Ok(delivery) => acknowledged(delivery).await,
                Err(error) => Err(error),
            });
        }
        if results.iter().any(Result::is_err) {
            self.replace_if_broken(&producer);
        }
        results
    }

    async fn enqueue(
        &self,
        producer: &FutureProducer,
        record: &Record,
        deadline: Instant,
    ) -> Result<DeliveryFuture, PublishError> {
        let bytes = record.payload.len();
        if bytes > RECORD_BYTES_MAX {
            return Err(PublishError::TooLarge { bytes });
        }
        let topic = self.clients.topic_name(record.topic);
        let mut message = FutureRecord::to(&topic).key(&record.key).payload(record.payload.as_ref());
        loop {
            match producer.send_result(message) {
                Ok(delivery) => return Ok(delivery),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), refused)) => {
                    if Instant::now() >= deadline {
                        return Err(PublishError::Full);
                    }
                    message = refused;
                    sleep(QUEUE_CHECK_INTERVAL).await;
                }
                Err((error, _)) => return Err(PublishError::Unacknowledged { reason: error.to_string() }),
            }
        }
    }

    /// After a fatal error a producer refuses everything for ever; only a new one helps.
    fn replace_if_broken(&self, broken: &FutureProducer) {
        let Some((code, reason)) = broken.client().fatal_error() else { return };
        let mut current = self.producer.write().unwrap_or_else(PoisonError::into_inner);
        if current.client().fatal_error().is_none() {
            return;
        }
        error!(%code, reason, "replacing a broken producer");
        match self.clients.producer().create() {
            Ok(producer) => *current = producer,
            Err(error) => error!(%error, "failed to replace a broken producer"),
        }
    }
}

/// Takes as long as the delivery timeout at most.
async fn acknowledged(delivery: DeliveryFuture) -> Result<(), PublishError> {
    match delivery.await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err((error, _))) => Err(PublishError::Unacknowledged { reason: error.to_string() }),
        Err(_) => Err(PublishError::Unacknowledged { reason: "the producer was closed".to_owned() }),
    }
}
