//! Requests a second that a user allows: a token bucket for reads and one for writes, at each endpoint.
//!
//! `s3_max_get_rps`, `s3_max_put_rps`: how fast tokens come; `s3_max_get_burst`, `s3_max_put_burst`: how many may gather
//! (0: as many as come in a second). A request takes its token at once, below zero if there is none, and waits until the
//! debt is paid: so waiters are served in the order they came, with no queue. The rate is that of the request at hand;
//! queries with other settings share the tokens.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Requests a second, and how many may come at once. A rate of 0 is no limit.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rate {
    pub per_second: u64,
    pub burst: u64,
}

#[derive(Debug, Default)]
pub struct Throttle {
    state: Mutex<Option<Tokens>>,
}

#[derive(Debug)]
struct Tokens {
    /// Negative: requests that wait.
    count: f64,
    at: Instant,
}

impl Throttle {
    /// Takes a token; how long to wait before the request may be sent.
    pub fn take(&self, rate: Rate, now: Instant) -> Duration {
        if rate.per_second == 0 {
            return Duration::ZERO;
        }
        let (per_second, most) = (rate.per_second as f64, if rate.burst == 0 { rate.per_second } else { rate.burst } as f64);
        let mut state = self.state.lock();
        let tokens = state.get_or_insert(Tokens { count: most, at: now });
        let gained = now.saturating_duration_since(tokens.at).as_secs_f64() * per_second;
        tokens.count = (tokens.count + gained).min(most) - 1.0;
        tokens.at = now.max(tokens.at);
        Duration::from_secs_f64((-tokens.count).max(0.0) / per_second)
    }

    fn give_back(&self) {
        if let Some(tokens) = &mut *self.state.lock() {
            tokens.count += 1.0;
        }
    }
}

/// A token whose request waits. Dropped before that was sent, it goes back: those that wait behind it are no faster, but
/// requests to come do not pay for it.
pub struct Waiting<'a>(Option<&'a Throttle>);

impl<'a> Waiting<'a> {
    pub fn of(throttle: &'a Throttle) -> Self {
        Waiting(Some(throttle))
    }

    pub fn sent(mut self) {
        self.0 = None;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(throttle) = self.0 {
            throttle.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_goes_at_once_and_the_rest_at_the_rate() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        let rate = Rate { per_second: 10, burst: 3 };
        let waits: Vec<u64> = (0..6).map(|_| throttle.take(rate, start).as_millis() as u64).collect();
        assert_eq!(waits, vec![0, 0, 0, 100, 200, 300]);
        // A second later the debt is paid and the burst has gathered again, no more of it.
        let later = start + Duration::from_secs(1);
        let waits: Vec<u64> = (0..4).map(|_| throttle.take(rate, later).as_millis() as u64).collect();
        assert_eq!(waits, vec![0, 0, 0, 100]);
    }

    #[test]
    fn requests_that_are_given_up_leave_no_debt() {
        let (throttle, start) = (Throttle::default(), Instant::now());
        let rate = Rate { per_second: 10, burst: 1 };
        assert!(throttle.take(rate, start).is_zero());
        let waiting: Vec<Waiting<'_>> = (0..1000)
            .map(|_| {
                throttle.take(rate, start);
                Waiting::of(&throttle)
            })
            .collect();
        drop(waiting);
        assert_eq!(throttle.take(rate, start).as_millis(), 100);
        throttle.take(rate, start);
        Waiting::of(&throttle).sent();
        assert_eq!(throttle.take(rate, start).as_millis(), 300);
    }

    #[test]
    fn no_rate_is_no_limit() {
        let throttle = Throttle::default();
        assert!((0..1000).all(|_| throttle.take(Rate::default(), Instant::now()).is_zero()));
    }
}
