//! Saying on the bus what happens in an attempt.

use std::sync::Arc;

use vitrine_bus::{Bus, PublishError, Record, Topic};
use vitrine_domain::event::ENVELOPE_VERSION;
use vitrine_domain::{Answer, AttemptId, Envelope, LogLevel, MerchantId, ThreadEvent, ThreadEventBody};
use vitrine_service::clock;

use crate::deltas::Delta;
use crate::turn::Turn;

#[derive(Debug, thiserror::Error)]
pub(crate) enum AnnounceError {
    #[error("failed to encode an event of the attempt")]
    Encode(#[from] vitrine_bus::EncodeError),
    #[error("failed to publish an event of the attempt")]
    Publish(#[source] PublishError),
}

/// The voice of one attempt at one turn. Every call waits until the bus has the event.
pub(crate) struct Announcer {
    bus: Arc<dyn Bus>,
    merchant: MerchantId,
    turn: Turn,
    answer_sequence: i64,
    dispatch: i32,
    attempt: AttemptId,
    traceparent: Option<String>,
}

impl Announcer {
    /// A new attempt at `turn`, with an identity of its own.
    pub(crate) fn new(
        bus: Arc<dyn Bus>,
        merchant: MerchantId,
        turn: Turn,
        answer_sequence: i64,
        dispatch: i32,
        traceparent: Option<String>,
    ) -> Self {
        let attempt = clock::new_uuid_v7().into();
        Self { bus, merchant, turn, answer_sequence, dispatch, attempt, traceparent }
    }

    pub(crate) const fn attempt(&self) -> AttemptId {
        self.attempt
    }

    pub(crate) async fn started(&self) -> Result<(), AnnounceError> {
        self.publish(ThreadEventBody::Started { attempt: self.attempt, dispatch: self.dispatch }).await
    }

    /// Says what is being done; `code` is translated by the reader.
    pub(crate) async fn log(&self, code: &'static str) -> Result<(), AnnounceError> {
        let level = LogLevel::Info;
        self.publish(ThreadEventBody::Log { attempt: self.attempt, level, text: code.to_owned() }).await
    }

    pub(crate) async fn delta(&self, Delta { at, text }: Delta) -> Result<(), AnnounceError> {
        self.publish(ThreadEventBody::Message { attempt: self.attempt, at, text }).await
    }

    pub(crate) async fn ended(&self, answer: Answer) -> Result<(), AnnounceError> {
        self.publish(ThreadEventBody::End { attempt: self.attempt, dispatch: self.dispatch, answer }).await
    }

    async fn publish(&self, body: ThreadEventBody) -> Result<(), AnnounceError> {
        let envelope = Envelope {
            version: ENVELOPE_VERSION,
            id: clock::new_uuid_v7(),
            occurred_at: clock::now(),
            merchant: self.merchant,
            traceparent: self.traceparent.clone(),
            body: ThreadEvent {
                thread: self.turn.thread,
                turn: self.turn.id,
                answer_sequence: self.answer_sequence,
                body,
            },
        };
        let record = Record::encode(Topic::ThreadEvents, &self.turn.thread, &envelope)?;
        let mut results = self.bus.publish(vec![record]).await;
        results.pop().unwrap_or(Ok(())).map_err(AnnounceError::Publish)
    }
}
