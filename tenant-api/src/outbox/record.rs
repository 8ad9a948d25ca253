//! From a row of the outbox to a record on the bus, and back to which rows are there.

use jiff::Timestamp;
use vitrine_bus::{Bus, EncodeError, Record, Topic};
use vitrine_domain::event::ENVELOPE_VERSION;
use vitrine_domain::limits::TURN_DEADLINE;
use vitrine_domain::{ChatRequested, Envelope, ThreadEvent, ThreadEventBody};
use vitrine_service::clock;

use super::metrics::OutboxMetrics;
use crate::store::outbox::{OutboxEvent, OutboxRow};

/// Publishes the rows and gives the ids of those the bus has acknowledged.
pub(super) async fn publish(bus: &dyn Bus, metrics: &OutboxMetrics, rows: &[OutboxRow]) -> Vec<i64> {
    let now = clock::now();
    let mut ids = Vec::with_capacity(rows.len());
    let mut records = Vec::with_capacity(rows.len());
    for row in rows {
        match record(row, now) {
            Ok(record) => {
                ids.push(row.outbox_id);
                records.push(record);
            }
            Err(error) => tracing::error!(
                error = &error as &dyn std::error::Error, merchant.id = %row.merchant, turn.id = %row.turn,
                "A row of the outbox could not be made a record.",
            ),
        }
    }

    let results = bus.publish(records).await;
    let failure = results.iter().find_map(|result| result.as_ref().err()).cloned();
    let acknowledged: Vec<i64> =
        ids.into_iter().zip(results).filter_map(|(id, result)| result.is_ok().then_some(id)).collect();
    metrics.count_published(acknowledged.len(), rows.len() - acknowledged.len());
    if let Some(error) = failure {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            rows.failed = rows.len() - acknowledged.len(),
            "The bus did not take rows of the outbox: the sweep will try again.",
        );
    }
    acknowledged
}

fn record(row: &OutboxRow, now: Timestamp) -> Result<Record, EncodeError> {
    match &row.event {
        OutboxEvent::ChatRequested(body) => {
            let body = ChatRequested::ChatRequested {
                turn: row.turn,
                thread: row.thread,
                dispatch: body.dispatch,
                config_sequence: body.config_sequence,
                deadline_at: now + TURN_DEADLINE,
            };
            Record::encode(Topic::ChatRequests, &row.thread, &envelope(row, now, body))
        }
        OutboxEvent::Stored(body) => {
            let event = ThreadEvent {
                thread: row.thread,
                turn: row.turn,
                answer_sequence: body.answer_sequence,
                body: ThreadEventBody::Stored { attempt: body.attempt, is_closing: body.is_closing, state: body.state },
            };
            Record::encode(Topic::ThreadEvents, &row.thread, &envelope(row, now, event))
        }
    }
}

fn envelope<T>(row: &OutboxRow, now: Timestamp, body: T) -> Envelope<T> {
    Envelope {
        version: ENVELOPE_VERSION,
        id: clock::new_uuid_v7(),
        occurred_at: now,
        merchant: row.merchant,
        traceparent: None,
        body,
    }
}
