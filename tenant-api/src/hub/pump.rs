//! Feeds the hub from the bus.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;
use vitrine_bus::{Bus, Tail, TailItem, Topic};
use vitrine_domain::ThreadEvent;
use vitrine_domain::limits::TURN_DEADLINE;

use super::Hub;

const FORGET_EVERY: Duration = Duration::from_mins(1);
const RESTART_PAUSE: Duration = Duration::from_secs(1);

impl Hub {
    /// Reads thread events, from a turn's deadline in the past on, until `shutdown`. Then every stream has ended.
    pub async fn run(self, bus: Arc<dyn Bus>, shutdown: CancellationToken) {
        while !shutdown.is_cancelled() {
            match bus.tail(Topic::ThreadEvents, TURN_DEADLINE) {
                Ok(tail) => self.follow(tail, &shutdown).await,
                Err(error) => tracing::warn!(error = %error, "failed to follow the thread events"),
            }
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(RESTART_PAUSE) => {}
            }
        }
        self.close();
    }

    async fn follow(&self, mut tail: Tail, shutdown: &CancellationToken) {
        let mut forget = tokio::time::interval(FORGET_EVERY);
        forget.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let item = tokio::select! {
                () = shutdown.cancelled() => return,
                _ = forget.tick() => {
                    self.threads().forget_silent();
                    continue;
                }
                item = tail.next() => item,
            };
            match item {
                Some(TailItem::Record(delivery)) => match delivery.record.decode::<ThreadEvent>() {
                    Ok(envelope) => self.take(envelope.merchant, envelope.body),
                    Err(error) => {
                        tracing::warn!(record.offset = delivery.offset, error = %error, "ignored a thread event");
                    }
                },
                Some(TailItem::CaughtUp) => self.caught_up(),
                None => return,
            }
        }
    }
}
