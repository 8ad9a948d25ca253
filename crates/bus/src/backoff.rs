//! How long to wait before something is tried again.

use std::time::Duration;

/// `min` after the first attempt, twice as long after each further one, at least `after` and never more than `max`.
pub(crate) fn wait_after(attempt: u32, after: Duration, min: Duration, max: Duration) -> Duration {
    let doublings = attempt.saturating_sub(1).min(16);
    min.saturating_mul(1 << doublings).max(after).min(max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_are_bounded() {
        let wait = |attempt, after_ms| {
            let after = Duration::from_millis(after_ms);
            wait_after(attempt, after, Duration::from_millis(100), Duration::from_secs(1)).as_millis()
        };
        assert_eq!([1, 2, 3, 4, 5, u32::MAX].map(|attempt| wait(attempt, 0)), [100, 200, 400, 800, 1000, 1000]);
        assert_eq!([wait(1, 300), wait(3, 300), wait(1, 5000)], [300, 400, 1000]);
    }
}
