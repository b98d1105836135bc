//! Where the time by the clock went: parts that add up to it.

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::spending::Wall;
use gristmill_introspect::QueryContext;

/// In seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Times {
    pub total: f64,
    /// Computed, or ready to.
    pub computing: f64,
    /// Of that: ready, and no processor was free.
    pub runnable: f64,
    pub disk: f64,
    pub network: f64,
    pub lock: f64,
    pub client: f64,
    pub other: f64,
}

impl Times {
    /// Of a query until now, without `aside`, in which nobody worked for it.
    pub fn of(context: &Arc<QueryContext>, aside: Duration) -> Times {
        context.settle();
        let wall = context.memory.tally().map(|tally| tally.spending().wall()).unwrap_or_default();
        Times::of_wall(&wall, context.elapsed(), aside)
    }

    fn of_wall(wall: &Wall, elapsed: Duration, aside: Duration) -> Times {
        let seconds = |micros: u64| micros as f64 / 1e6;
        let total = elapsed.saturating_sub(aside).as_secs_f64();
        let computing = seconds(wall.user + wall.system + wall.runnable);
        let known = Times {
            total,
            computing,
            runnable: seconds(wall.runnable),
            disk: seconds(wall.disk),
            network: seconds(wall.network),
            lock: seconds(wall.lock),
            client: seconds(wall.client),
            other: 0.0,
        };
        let named = computing + known.disk + known.network + known.lock + known.client;
        Times { other: (total - named).max(0.0), ..known }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_did_for_the_query_is_not_its_time() {
        let wall = Wall { user: 300_000, runnable: 100_000, disk: 200_000, unattributed: 1_400_000, ..Wall::default() };
        let times = Times::of_wall(&wall, Duration::from_secs(2), Duration::from_secs(1));
        let near = |value: f64, wanted: f64| assert!((value - wanted).abs() < 1e-9, "{times:?}");
        near(times.total, 1.0);
        near(times.computing, 0.4);
        near(times.other, 0.4);
    }
}
