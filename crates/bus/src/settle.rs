//! One record, from its first attempt to its final outcome.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use crate::backoff::wait_after;
use crate::dead_letter::{self, DeadLetterSink};
use crate::{BusMetrics, ConsumerSettings, Delivery, Handler, Outcome, Topic};

/// A handler that panics this often on one record will do so again.
const PANICS_MAX: u32 = 3;

/// What the records of one consumer have in common.
pub(crate) struct Settling {
    pub(crate) topic: Topic,
    pub(crate) group: String,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) dead_letters: Arc<dyn DeadLetterSink>,
    pub(crate) metrics: BusMetrics,
    pub(crate) settings: ConsumerSettings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Final,
    GivenUp,
}

impl Settling {
    /// Hands the record to the handler until its outcome is final. Once `draining` is cancelled nothing is waited for
    /// any more: a record that would have to be tried again is given up.
    pub(crate) async fn settle(&self, mut delivery: Delivery, draining: &CancellationToken) -> End {
        let mut panics = 0;
        loop {
            let handled = AssertUnwindSafe(async { self.handler.handle(&delivery).await }).catch_unwind().await;
            let after = match handled {
                Ok(Outcome::Done) => return End::Final,
                Ok(Outcome::Poison { reason }) => return self.bury(delivery, &reason, draining).await,
                Ok(Outcome::Retry { reason, after }) => {
                    warn!(
                        bus.topic = %self.topic, bus.group = self.group, bus.partition = delivery.partition,
                        bus.offset = delivery.offset, bus.attempt = delivery.attempt, reason,
                        "could not handle a record yet",
                    );
                    after
                }
                Err(_) => {
                    panics += 1;
                    error!(
                        bus.topic = %self.topic, bus.group = self.group, bus.partition = delivery.partition,
                        bus.offset = delivery.offset, bus.attempt = delivery.attempt, "a handler panicked",
                    );
                    if panics >= PANICS_MAX {
                        return self.bury(delivery, "the handler panicked", draining).await;
                    }
                    Duration::ZERO
                }
            };
            if !self.may_try_again(delivery.attempt, after, draining).await {
                return End::GivenUp;
            }
            delivery.attempt = delivery.attempt.saturating_add(1);
        }
    }

    /// Publishes the dead letter, however long that takes: a record is not final before its letter is safe.
    async fn bury(&self, delivery: Delivery, reason: &str, draining: &CancellationToken) -> End {
        error!(
            bus.topic = %self.topic, bus.group = self.group, bus.partition = delivery.partition,
            bus.offset = delivery.offset, bus.attempt = delivery.attempt, reason, "a record goes to the dead letters",
        );
        let letter = dead_letter::write(self.dead_letters.as_ref(), &delivery, &self.group, reason);
        let mut attempt = 1;
        while let Err(error) = self.dead_letters.bury(letter.clone()).await {
            warn!(%error, bus.partition = delivery.partition, bus.offset = delivery.offset, "could not publish a dead letter yet");
            if !self.may_try_again(attempt, Duration::ZERO, draining).await {
                return End::GivenUp;
            }
            attempt += 1;
        }
        self.metrics.count_dead_letter(self.topic, &self.group);
        End::Final
    }

    /// Waits as long as is due after the attempt; `false` as soon as nothing is to be waited for any more.
    async fn may_try_again(&self, attempt: u32, after: Duration, draining: &CancellationToken) -> bool {
        let wait = wait_after(attempt, after, self.settings.retry_wait_min, self.settings.retry_wait_max);
        tokio::select! {
            () = draining.cancelled() => false,
            () = sleep(wait) => true,
        }
    }
}
