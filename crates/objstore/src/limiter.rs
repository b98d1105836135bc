//! How many requests one endpoint is sent at once: additive increase, multiplicative decrease.
//!
//! The limit starts at 256 and doubles with each round of answers that come well (one more for each) until the first
//! sign of overload; from then on it grows by one a round. On overload (429, 503, a time limit passed) it is halved,
//! once for all requests that were under way together: a request that was sent before the last decrease says nothing
//! about the limit after it. Requests only raise the limit while it is what holds them back, so an idle endpoint's limit
//! does not drift upwards.
//!
//! More in flight is of use only while it brings more. A round is as many answers as the limit allows at once; one with
//! neither a tenth more answers nor a tenth more bytes a second than the best before is flat. After two flat rounds
//! the limit goes back to where the best was seen and stays: the line, the server or this machine is full, and further
//! requests would only wait there and hold memory. After a while it tries again.
//!
//! One limiter an endpoint (`endpoint`), shared by all queries of the process. Waiters are served in order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use tokio::sync::oneshot;

/// A query over some hundred files asks for all their footers in one round trip.
const START: f64 = 256.0;
const LEAST: f64 = 4.0;
/// Rates that are higher by less than this factor are no gain.
const GAIN: f64 = 1.1;
/// Flat rounds after which the limit no longer grows, and after which it tries to grow again.
const FLAT_ROUNDS: u32 = 2;
const FLAT_ROUNDS_UNTIL_NEXT_TRY: u32 = 32;

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
    round: Round,
    best: Best,
    flat_rounds: u32,
    waiting: VecDeque<oneshot::Sender<Permit>>,
}

/// The answers of the round under way.
#[derive(Debug)]
struct Round {
    since: Instant,
    /// Answers that make it whole.
    size: f64,
    answers: f64,
    bytes: f64,
}

/// The highest rates of a round, and the limit they were seen at.
#[derive(Debug, Default)]
struct Best {
    answers_per_second: f64,
    bytes_per_second: f64,
    limit: f64,
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
                round: Round::begin(START.min(most), Instant::now()),
                best: Best::default(),
                flat_rounds: 0,
                waiting: VecDeque::new(),
            }),
        })
    }

    /// Sets the cap. A limit that only a smaller cap held down begins anew; one that answers lowered stays.
    pub fn cap(&self, most: usize) {
        let most = (most as f64).max(1.0);
        let mut state = self.state.lock();
        if state.limit >= state.most && most > state.most {
            state.limit = state.limit.max(START);
        }
        state.most = most;
        state.limit = state.limit.min(most);
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

    fn release(self: &Arc<Self>, number: u64, outcome: Option<(Outcome, u64)>) {
        let mut state = self.state.lock();
        match outcome {
            Some((Outcome::Well, bytes)) if (state.in_flight as f64) * 2.0 > state.limit => {
                state.count(bytes, Instant::now());
                if state.flat_rounds < FLAT_ROUNDS {
                    let step = if state.lowered_at.is_none() { 1.0 } else { 1.0 / state.limit };
                    state.limit = (state.limit + step).min(state.most);
                }
            }
            // The limit is not what holds requests back: the rates say nothing about it.
            Some((Outcome::Well, _)) => state.round = Round::begin(state.limit, Instant::now()),
            Some((Outcome::Overloaded, _)) if state.lowered_at.is_none_or(|at| number > at) => {
                state.limit = (state.limit / 2.0).max(LEAST.min(state.most));
                state.lowered_at = Some(state.admitted);
                state.best = Best::default();
                state.flat_rounds = 0;
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

impl Round {
    fn begin(limit: f64, now: Instant) -> Self {
        Round { since: now, size: limit.floor(), answers: 0.0, bytes: 0.0 }
    }
}

impl State {
    /// One more good answer; at the end of a round its rates are compared with the best.
    fn count(&mut self, bytes: u64, now: Instant) {
        self.round.answers += 1.0;
        self.round.bytes += bytes as f64;
        if self.round.answers < self.round.size {
            return;
        }
        let seconds = now.saturating_duration_since(self.round.since).as_secs_f64().max(1e-6);
        let (answers, bytes) = (self.round.answers / seconds, self.round.bytes / seconds);
        let gained = answers > self.best.answers_per_second * GAIN || bytes > self.best.bytes_per_second * GAIN;
        if gained {
            self.best = Best { answers_per_second: answers, bytes_per_second: bytes, limit: self.limit };
            self.flat_rounds = 0;
        } else {
            self.flat_rounds += 1;
        }
        if self.flat_rounds == FLAT_ROUNDS {
            self.limit = self.best.limit.clamp(LEAST.min(self.most), self.most);
        } else if self.flat_rounds >= FLAT_ROUNDS_UNTIL_NEXT_TRY {
            self.flat_rounds = 0;
        }
        self.round = Round::begin(self.limit, now);
    }

    fn admit(&mut self, limiter: &Arc<Limiter>) -> Permit {
        self.in_flight += 1;
        self.admitted += 1;
        Permit { limiter: Some(limiter.clone()), number: self.admitted }
    }
}

impl Permit {
    /// Gives the place back and tells how it went.
    pub fn done(self, outcome: Outcome) {
        self.done_with(outcome, 0);
    }

    /// As `done`, with the bytes of the answer.
    pub fn done_with(mut self, outcome: Outcome, bytes: u64) {
        if let Some(limiter) = self.limiter.take() {
            limiter.release(self.number, Some((outcome, bytes)));
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
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;

    /// Takes places until one has to wait for the next.
    fn fill(limiter: &Arc<Limiter>) -> Vec<Permit> {
        std::iter::from_fn(|| limiter.acquire().now_or_never()).collect()
    }

    #[test]
    fn a_cap_that_is_taken_away_leaves_nothing_behind() {
        let limiter = Limiter::new(1024);
        limiter.cap(2);
        assert_eq!(fill(&limiter).len(), 2);
        limiter.cap(1024);
        assert_eq!(fill(&limiter).len(), 256, "as at first");
        let mut overloaded = fill(&limiter);
        overloaded.pop().expect("one").done(Outcome::Overloaded);
        let lowered = limiter.limit();
        drop(overloaded);
        limiter.cap(2048);
        assert_eq!(limiter.limit(), lowered, "the store cannot take more, whatever one asks for");
    }

    #[test]
    fn the_limit_doubles_a_round_until_the_first_overload_then_grows_by_one() {
        let limiter = Limiter::new(1024);
        let round = fill(&limiter);
        assert_eq!(round.len(), 256);
        // Half of the round raises the limit: the rest is under way when fewer than half the limit are.
        round.into_iter().for_each(|permit| permit.done(Outcome::Well));
        let grown = limiter.limit();
        assert!(grown > 320, "{grown}");

        let mut round = fill(&limiter);
        assert_eq!(round.len(), grown);
        round.pop().expect("one").done(Outcome::Overloaded);
        assert_eq!(limiter.limit(), grown / 2);
        let before = limiter.limit();
        round.into_iter().for_each(|permit| permit.done(Outcome::Well));
        assert!((before..=before + 2).contains(&limiter.limit()), "{}", limiter.limit());
    }

    /// Rounds of answers, each taking so long, while others wait.
    fn rounds(state: &mut State, now: &mut Instant, count: usize, took: impl Fn(f64) -> Duration) {
        for _ in 0..count {
            *now += took(state.limit);
            for _ in 0..state.limit as usize {
                state.count(1_000, *now);
                if state.flat_rounds < FLAT_ROUNDS {
                    state.limit = (state.limit + 1.0).min(state.most);
                }
            }
        }
    }

    #[test]
    fn the_limit_stays_where_more_in_flight_brings_no_more() {
        let limiter = Limiter::new(1_000_000);
        let mut state = limiter.state.lock();
        let mut now = state.round.since;
        // A server that answers 10,000 requests a second, whatever is asked of it.
        rounds(&mut state, &mut now, 5, |limit| Duration::from_secs_f64((limit / 10_000.0).max(0.04)));
        assert_eq!(state.flat_rounds, 5 - 2, "two rounds gained: {state:?}");
        assert!(state.limit < 2_000.0, "{}", state.limit);
        let held = state.limit;
        rounds(&mut state, &mut now, 10, |limit| Duration::from_secs_f64((limit / 10_000.0).max(0.04)));
        assert_eq!(state.limit, held);
    }

    #[test]
    fn requests_that_were_under_way_together_lower_the_limit_once() {
        let limiter = Limiter::new(1024);
        fill(&limiter).into_iter().for_each(|permit| permit.done(Outcome::Overloaded));
        assert_eq!(limiter.limit(), 128);
        fill(&limiter).into_iter().for_each(|permit| permit.done(Outcome::Overloaded));
        assert_eq!(limiter.limit(), 64);
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
        assert_eq!(limiter.limit(), 256);
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
