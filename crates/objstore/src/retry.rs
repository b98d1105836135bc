//! Trying again: how often, how long to wait, and when not to.
//!
//! Waits double from 25 ms to 5 s, and each is a random length between its half and its whole, so that requests that
//! failed together do not come back together. A server's `Retry-After` is honoured. Hosts that cannot be resolved or
//! reached get four attempts: a wrong name should be told at once, while a server that restarts is caught by the others'
//! longer series.

use std::time::Duration;

use gristmill_base::env::Env;

use crate::failure::{Failure, FailureKind};

const FIRST_MS: u64 = 25;
const LONGEST_MS: u64 = 5_000;
const CONNECT_ATTEMPTS: u32 = 4;
const RETRY_AFTER_MAX: Duration = Duration::from_secs(30);

/// How long to wait before attempt `attempt + 1`, or `None` where trying again is of no use.
pub(crate) fn wait_after(failure: &Failure, attempt: u32, retries: u64, env: &dyn Env) -> Option<Duration> {
    let attempts = u32::try_from(retries.saturating_add(1)).unwrap_or(u32::MAX);
    let most = match failure.kind {
        FailureKind::Connect | FailureKind::Dns => attempts.min(CONNECT_ATTEMPTS),
        _ => attempts,
    };
    if !failure.retryable() || attempt >= most {
        return None;
    }
    let whole = FIRST_MS.saturating_mul(1 << (attempt - 1).min(16)).min(LONGEST_MS) * 1000;
    let jittered = Duration::from_micros(whole / 2 + env.random_u64() % (whole / 2 + 1));
    Some(failure.retry_after.map_or(jittered, |asked| asked.min(RETRY_AFTER_MAX).max(jittered)))
}

#[cfg(test)]
mod tests {
    use gristmill_base::env::SystemEnv;

    use super::*;

    fn wait(kind: FailureKind, attempt: u32) -> Option<Duration> {
        wait_after(&Failure::new(kind, ""), attempt, 10, &SystemEnv)
    }

    #[test]
    fn waits_double_with_jitter_up_to_five_seconds() {
        for (attempt, whole_ms) in [(1, 25), (2, 50), (3, 100), (10, 5000)] {
            let wait = wait(FailureKind::Server, attempt).expect("again");
            let whole = Duration::from_millis(whole_ms);
            assert!(wait >= whole / 2 && wait <= whole, "{attempt}: {wait:?}");
        }
        assert_eq!(wait(FailureKind::Server, 11), None);
    }

    #[test]
    fn what_will_not_change_is_not_tried_again() {
        for kind in [FailureKind::Denied, FailureKind::NotFound, FailureKind::Precondition, FailureKind::Refused] {
            assert_eq!(wait(kind, 1), None, "{kind:?}");
        }
        assert!(wait(FailureKind::Connect, 3).is_some());
        assert_eq!(wait(FailureKind::Connect, 4), None, "a wrong host is told soon");
    }

    #[test]
    fn the_server_may_ask_for_a_longer_wait() {
        let mut failure = Failure::new(FailureKind::Throttled, "");
        failure.retry_after = Some(Duration::from_secs(2));
        assert_eq!(wait_after(&failure, 1, 10, &SystemEnv), Some(Duration::from_secs(2)));
        failure.retry_after = Some(Duration::from_secs(3600));
        assert_eq!(wait_after(&failure, 1, 10, &SystemEnv), Some(Duration::from_secs(30)));
    }
}
