//! Waiting for something that takes an unknown, bounded time.

use std::panic::Location;
use std::time::{Duration, Instant};

/// Between two looks at the condition.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Waits until `condition` says true, and fails the test with `description` if that takes longer than `deadline`.
///
/// ```no_run
/// # use std::time::Duration;
/// # async fn answered() -> bool { true }
/// # async fn test() {
/// vitrine_testkit::eventually(Duration::from_secs(5), "the turn is answered", || async { answered().await }).await;
/// # }
/// ```
#[track_caller]
pub fn eventually<Condition, Check>(
    deadline: Duration,
    description: &str,
    mut condition: Condition,
) -> impl Future<Output = ()>
where
    Condition: FnMut() -> Check,
    Check: Future<Output = bool>,
{
    eventually_some(deadline, description, move || {
        let check = condition();
        async move { check.await.then_some(()) }
    })
}

/// Waits until `find` gives a value, and gives that.
#[track_caller]
pub fn eventually_some<Find, Found, Value>(
    deadline: Duration,
    description: &str,
    mut find: Find,
) -> impl Future<Output = Value>
where
    Find: FnMut() -> Found,
    Found: Future<Output = Option<Value>>,
{
    let caller = Location::caller();
    async move {
        let end = Instant::now() + deadline;
        loop {
            // A look that hangs must not outlast the deadline; a slow machine always gets one whole look.
            let look = tokio::time::timeout(end.saturating_duration_since(Instant::now()).max(POLL_INTERVAL), find());
            if let Ok(Some(value)) = look.await {
                return value;
            }
            assert!(Instant::now() < end, "not within {deadline:?}: {description} (waited for at {caller})");
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[tokio::test]
    async fn a_condition_is_asked_again_until_it_holds() {
        let looks = Cell::new(0);
        let count = || async {
            looks.set(looks.get() + 1);
            (looks.get() == 3).then_some("found")
        };
        assert_eq!(eventually_some(Duration::from_secs(5), "the third look", count).await, "found");
        assert_eq!(looks.get(), 3);
    }

    #[tokio::test]
    #[should_panic(expected = "not within 30ms: pigs fly (waited for at")]
    async fn what_never_holds_fails_by_name() {
        eventually(Duration::from_millis(30), "pigs fly", || async { false }).await;
    }

    #[tokio::test]
    #[should_panic(expected = "not within 30ms: an answer")]
    async fn a_look_that_hangs_does_not_outlast_the_deadline() {
        eventually(Duration::from_millis(30), "an answer", std::future::pending).await;
    }
}
