//! Which query is next, and when there is none any more. Workers ask for themselves: nothing waits in a queue, so that a query
//! begins when it is asked for and what stops the run stops it at once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gristmill_base::Error;
use gristmill_base::env::Env;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Why no query is begun any more.
#[derive(Clone, Debug)]
pub enum Stop {
    TimeLimit,
    Interrupted,
    Failed(Error),
}

/// What a run is to do.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub queries: usize,
    /// `None`: without end.
    pub iterations: Option<u64>,
    pub randomize: bool,
    pub time_limit: Option<Duration>,
    /// Errors one after another that end the run; `None`: any number is taken.
    pub errors_to_stop: Option<u64>,
}

#[derive(Debug, Default)]
struct State {
    begun: u64,
    errors_in_a_row: u64,
    stop: Option<Stop>,
}

#[derive(Debug)]
pub struct Feed {
    plan: Plan,
    env: Arc<dyn Env>,
    start: Instant,
    state: Mutex<State>,
    /// Set with the first reason to stop.
    pub stopped: CancellationToken,
}

impl Feed {
    /// The time begins to run.
    pub fn new(plan: Plan, env: Arc<dyn Env>) -> Feed {
        Feed { start: env.instant(), plan, env, state: Mutex::default(), stopped: CancellationToken::new() }
    }

    /// The number of the next query; `None`: no more.
    pub fn next(&self) -> Option<usize> {
        if let Some(limit) = self.plan.time_limit
            && self.env.instant().saturating_duration_since(self.start) >= limit
        {
            self.stop(Stop::TimeLimit);
        }
        let mut state = self.state.lock();
        if state.stop.is_some() || self.plan.iterations.is_some_and(|most| state.begun >= most) {
            return None;
        }
        let turn = if self.plan.randomize { self.env.random_u64() } else { state.begun };
        state.begun += 1;
        Some((turn % self.plan.queries.max(1) as u64) as usize)
    }

    /// A query ended well.
    pub fn succeeded(&self) {
        self.state.lock().errors_in_a_row = 0;
    }

    /// A query failed; too many of them end the run.
    pub fn failed(&self, error: &Error) {
        let in_a_row = {
            let mut state = self.state.lock();
            state.errors_in_a_row += 1;
            state.errors_in_a_row
        };
        if self.plan.errors_to_stop.is_some_and(|most| in_a_row >= most) {
            self.stop(Stop::Failed(error.clone()));
        }
    }

    /// No query is begun any more. The first reason stays.
    pub fn stop(&self, why: Stop) {
        self.state.lock().stop.get_or_insert(why);
        self.stopped.cancel();
    }

    pub fn why_stopped(&self) -> Option<Stop> {
        self.state.lock().stop.clone()
    }
}

#[cfg(test)]
mod tests {
    use gristmill_base::ErrorCode;
    use gristmill_base::env::system_env;

    use super::*;

    const PLAN: Plan = Plan { queries: 3, iterations: Some(5), randomize: false, time_limit: None, errors_to_stop: Some(2) };

    fn feed(plan: Plan) -> Feed {
        Feed::new(plan, system_env())
    }

    #[test]
    fn queries_come_in_turn_as_often_as_asked() {
        let feed = feed(PLAN);
        assert_eq!(std::iter::from_fn(|| feed.next()).collect::<Vec<_>>(), [0, 1, 2, 0, 1]);
        assert!(feed.why_stopped().is_none());
    }

    #[test]
    fn by_chance_every_query_comes() {
        let feed = feed(Plan { iterations: Some(1000), randomize: true, ..PLAN });
        let seen: std::collections::BTreeSet<usize> = std::iter::from_fn(|| feed.next()).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2]);
    }

    #[test]
    fn errors_in_a_row_end_it_and_time_does() {
        let error = Error::new(ErrorCode::NETWORK_ERROR, "gone");
        let broken = feed(PLAN);
        broken.failed(&error);
        broken.succeeded();
        broken.failed(&error);
        assert!(broken.next().is_some());
        broken.failed(&error);
        assert!(broken.next().is_none() && broken.stopped.is_cancelled());
        assert!(matches!(broken.why_stopped(), Some(Stop::Failed(_))));
        let patient = feed(Plan { errors_to_stop: None, ..PLAN });
        (0..100).for_each(|_| patient.failed(&error));
        assert!(patient.next().is_some());
        let late = feed(Plan { time_limit: Some(Duration::ZERO), ..PLAN });
        assert!(late.next().is_none());
        assert!(matches!(late.why_stopped(), Some(Stop::TimeLimit)));
    }
}
