//! How many requests one endpoint is sent at once: additive increase, multiplicative decrease.
//!
//! The limit starts at 64 and doubles with each round of answers that come well (one more for each) until the first
//! sign of overload; from then on it grows by one a round. On overload (429, 503, a time limit passed) it is halved,
//! once for all requests that were under way together: a request that was sent before the last decrease says nothing
//! about the limit after it. Requests only raise the limit while it is what holds them back, so an idle endpoint's limit
//! does not drift upwards.
//!
//! One limiter an endpoint, shared by all queries of the process. Waiters are served in order.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use tokio::sync::oneshot;

const START: f64 = 64.0;
const LEAST: f64 = 4.0;

/// The limit of one endpoint.
#[derive(Debug)]
pub struct Limiter {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    limit: f64,
    most: f64,
    in_flight: usize,
    /// Number of requests admitted so far: a clock of the limiter's own.
    admitted: u64,
    /// What `admitted` was when the limit was last lowered; `None` before the first time.
    lowered_at: Option<u64>,
    waiting: VecDeque<oneshot::Sender<Permit>>,
}

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// An answer, good or bad, that says nothing of overload.
    Well,
    /// Throttled or timed out.
    Overloaded,
}

/// A place among the requests in flight. Dropped without `done`: the request counts for nothing.
#[derive(Debug)]
pub struct Permit {
    /// `None` once the place is given back.
    limiter: Option<Arc<Limiter>>,
    number: u64,
}

static LIMITERS: LazyLock<Mutex<HashMap<String, Arc<Limiter>>>> = LazyLock::new(Mutex::default);

impl Limiter {
    pub fn new(most: usize) -> Arc<Limiter> {
        let most = (most as f64).max(1.0);
        Arc::new(Limiter {
            state: Mutex::new(State {
                limit: START.min(most),
                most,
                in_flight: 0,
                admitted: 0,
                lowered_at: None,
                waiting: VecDeque::new(),
            }),
        })
    }

    /// The limiter of an endpoint. `most` is the cap that the latest caller set.
    pub fn of(endpoint: &str, most: usize) -> Arc<Limiter> {
        let limiter = LIMITERS.lock().entry(endpoint.to_string()).or_insert_with(|| Limiter::new(most)).clone();
        let mut state = limiter.state.lock();
        state.most = (most as f64).max(1.0);
        state.limit = state.limit.min(state.most);
        drop(state);
        limiter
    }

    /// Waits for a place.
    pub async fn acquire(self: &Arc<Self>) -> Permit {
        let wait = {
            let mut state = self.state.lock();
            if state.waiting.is_empty() && (state.in_flight as f64) < state.limit.floor() {
                return state.admit(self);
            }
            let (sender, receiver) = oneshot::channel();
            state.waiting.push_back(sender);
            receiver
        };
        match wait.await {
            Ok(permit) => permit,
            // Senders are only dropped by `release`, and only after their receiver is gone.
            Err(_) => self.state.lock().admit(self),
        }
    }

    /// Requests allowed at once, at this moment.
    pub fn limit(&self) -> usize {
        self.state.lock().limit as usize
    }

    pub fn in_flight(&self) -> usize {
        self.state.lock().in_flight
    }

    fn release(self: &Arc<Self>, number: u64, outcome: Option<Outcome>) {
        let mut state = self.state.lock();
        match outcome {
            Some(Outcome::Well) if (state.in_flight as f64) * 2.0 > state.limit => {
                let step = if state.lowered_at.is_none() { 1.0 } else { 1.0 / state.limit };
                state.limit = (state.limit + step).min(state.most);
            }
            Some(Outcome::Overloaded) if state.lowered_at.is_none_or(|at| number >= at) => {
                state.limit = (state.limit / 2.0).max(LEAST.min(state.most));
                state.lowered_at = Some(state.admitted);
            }
            _ => {}
        }
        state.in_flight -= 1;
        while (state.in_flight as f64) < state.limit.floor() {
            let Some(waiter) = state.waiting.pop_front() else { break };
            let permit = state.admit(self);
            if let Err(mut permit) = waiter.send(permit) {
                // The waiter gave up. The permit is disarmed: dropping it would take the lock that is held here.
                state.in_flight -= 1;
                permit.limiter = None;
            }
        }
    }
}

impl State {
    fn admit(&mut self, limiter: &Arc<Limiter>) -> Permit {
        self.in_flight += 1;
        self.admitted += 1;
        Permit { limiter: Some(limiter.clone()), number: self.admitted }
    }
}

impl Permit {
    /// Gives the place back and tells how it went.
    pub fn done(mut self, outcome: Outcome) {
        if let Some(limiter) = self.limiter.take() {
            limiter.release(self.number, Some(outcome));
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        if let Some(limiter) = self.limiter.take() {
            limiter.release(self.number, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    /// Takes places until one has to wait for the next.
    fn fill(limiter: &Arc<Limiter>) -> Vec<Permit> {
        std::iter::from_fn(|| limiter.acquire().now_or_never()).collect()
    }

    #[test]
    fn the_limit_doubles_a_round_until_the_first_overload_then_grows_by_one() {
        let limiter = Limiter::new(1024);
        let round = fill(&limiter);
        assert_eq!(round.len(), 64);
        // Half of the round raises the limit: the rest is under way when fewer than half the limit are.
        round.into_iter().for_each(|permit| permit.done(Outcome::Well));
        let grown = limiter.limit();
        assert!(grown > 80, "{grown}");

        let mut round = fill(&limiter);
        assert_eq!(round.len(), grown);
        round.pop().expect("one").done(Outcome::Overloaded);
        assert_eq!(limiter.limit(), grown / 2);
        let before = limiter.limit();
        round.into_iter().for_each(|permit| permit.done(Outcome::Well));
        assert!((before..=before + 2).contains(&limiter.limit()), "{}", limiter.limit());
    }

    #[test]
    fn requests_that_were_under_way_together_lower_the_limit_once() {
        let limiter = Limiter::new(1024);
        fill(&limiter).into_iter().for_each(|permit| permit.done(Outcome::Overloaded));
        assert_eq!(limiter.limit(), 32);
        fill(&limiter).into_iter().for_each(|permit| permit.done(Outcome::Overloaded));
        assert_eq!(limiter.limit(), 16);
        for _ in 0..10 {
            fill(&limiter).into_iter().for_each(|permit| permit.done(Outcome::Overloaded));
        }
        assert_eq!(limiter.limit(), 4, "never below what makes progress");
    }

    #[test]
    fn an_idle_endpoint_does_not_gain_and_the_cap_holds() {
        let limiter = Limiter::new(1024);
        for _ in 0..1000 {
            limiter.acquire().now_or_never().expect("free").done(Outcome::Well);
        }
        assert_eq!(limiter.limit(), 64);
        let small = Limiter::new(2);
        assert_eq!(fill(&small).len(), 2);
        assert_eq!(small.in_flight(), 0);
    }

    #[test]
    fn waiters_are_served_in_order_and_those_that_gave_up_are_passed_over() {
        let limiter = Limiter::new(1);
        let held = limiter.acquire().now_or_never().expect("free");
        let mut first = Box::pin(limiter.acquire());
        let mut second = Box::pin(limiter.acquire());
        let mut third = Box::pin(limiter.acquire());
        assert!(first.as_mut().now_or_never().is_none());
        assert!(second.as_mut().now_or_never().is_none());
        assert!(third.as_mut().now_or_never().is_none());
        drop(first);
        drop(held);
        assert!(third.as_mut().now_or_never().is_none(), "second is before third");
        let served = second.as_mut().now_or_never().expect("served");
        drop(served);
        assert!(third.as_mut().now_or_never().is_some());
        assert_eq!(limiter.in_flight(), 0);
    }

    #[test]
    fn a_waiter_that_goes_after_it_was_served_gives_its_place_on() {
        let limiter = Limiter::new(1);
        let held = limiter.acquire().now_or_never().expect("free");
        let mut waiter = Box::pin(limiter.acquire());
        assert!(waiter.as_mut().now_or_never().is_none());
        drop(held);
        drop(waiter);
        assert!(limiter.acquire().now_or_never().is_some());
    }
}
