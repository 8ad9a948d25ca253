//! Topics at the start of a program.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tracing::warn;

use crate::Bus;

/// Between two tries while the bus is away.
const RETRY_WAIT: Duration = Duration::from_secs(2);

/// Makes sure that the topics are there before anything is published: a broker may create a topic by itself on the
/// first record, with too few partitions. Waits while the bus is away; `false` when `shutdown` came first.
pub async fn provide_topics(bus: &dyn Bus, shutdown: &CancellationToken) -> bool {
    loop {
        let made = tokio::select! {
            () = shutdown.cancelled() => return false,
            made = bus.ensure_topics() => made,
        };
        let Err(error) = made else { return true };
        warn!(error = &error as &dyn std::error::Error, "the topics are not there yet; trying again");
        tokio::select! {
            () = shutdown.cancelled() => return false,
            () = tokio::time::sleep(RETRY_WAIT) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures::future::BoxFuture;

    use super::*;
    use crate::{ConsumeError, ConsumerSettings, Handler, PublishError, Record, Tail, TailError, Topic, TopicError};

    /// A bus that is away for so many tries.
    struct Away(AtomicU32);

    impl Bus for Away {
        fn publish(&self, _: Vec<Record>) -> BoxFuture<'_, Vec<Result<(), PublishError>>> {
            unreachable!("nothing is published here")
        }

        fn consume(
            &self,
            _: Topic,
            _: &str,
            _: Arc<dyn Handler>,
            _: CancellationToken,
            _: ConsumerSettings,
        ) -> BoxFuture<'static, Result<(), ConsumeError>> {
            unreachable!("nothing is consumed here")
        }

        fn tail(&self, _: Topic, _: Duration) -> Result<Tail, TailError> {
            unreachable!("nothing is followed here")
        }

        fn ensure_topics(&self) -> BoxFuture<'_, Result<(), TopicError>> {
            Box::pin(async {
                match self.0.fetch_sub(1, Ordering::Relaxed) {
                    0 => Ok(()),
                    _ => Err(TopicError::NotReady { topic: "t".to_owned() }),
                }
            })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_bus_that_is_away_is_waited_for() {
        assert!(provide_topics(&Away(AtomicU32::new(3)), &CancellationToken::new()).await);
    }

    #[tokio::test(start_paused = true)]
    async fn a_shutdown_ends_the_wait() {
        let shutdown = CancellationToken::new();
        shutdown.cancel();
        assert!(!provide_topics(&Away(AtomicU32::new(u32::MAX)), &shutdown).await);
    }
}
