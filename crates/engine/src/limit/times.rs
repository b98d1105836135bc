//! Where the time by the clock went: parts that add up to it.

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::Result;
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

/// A time in which nobody worked for the query, and what its clock says of that: measuring the machine takes every processor, so
/// that whoever waits meanwhile waits for one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Aside {
    pub elapsed: Duration,
    wall: Wall,
}

impl Aside {
    /// Waits for work that is none of the query's. Errors: those of the work.
    pub async fn of<T>(context: &Arc<QueryContext>, work: impl Future<Output = Result<T>>) -> Result<Aside> {
        let (begun, before) = (context.elapsed(), wall(context));
        work.await?;
        Ok(Aside { elapsed: context.elapsed().saturating_sub(begun), wall: since(wall(context), before) })
    }
}

fn wall(context: &QueryContext) -> Wall {
    context.settle();
    context.memory.tally().map(|tally| tally.spending().wall()).unwrap_or_default()
}

/// What was added since it was `before`.
fn since(now: Wall, before: Wall) -> Wall {
    Wall {
        user: now.user.saturating_sub(before.user),
        system: now.system.saturating_sub(before.system),
        runnable: now.runnable.saturating_sub(before.runnable),
        disk: now.disk.saturating_sub(before.disk),
        network: now.network.saturating_sub(before.network),
        lock: now.lock.saturating_sub(before.lock),
        client: now.client.saturating_sub(before.client),
        sleep: now.sleep.saturating_sub(before.sleep),
        unattributed: now.unattributed.saturating_sub(before.unattributed),
    }
}

impl Times {
    /// Of a query until now, without `aside`.
    pub fn of(context: &Arc<QueryContext>, aside: &Aside) -> Times {
        Times::of_wall(&since(wall(context), aside.wall), context.elapsed(), aside.elapsed)
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

    #[test]
    fn waiting_for_a_processor_while_the_machine_is_measured_is_not_the_querys() {
        let meanwhile = Wall { user: 1_000, runnable: 900_000, unattributed: 99_000, ..Wall::default() };
        let wall = Wall { user: 61_000, runnable: 940_000, unattributed: 99_000, ..Wall::default() };
        let times = Times::of_wall(&since(wall, meanwhile), Duration::from_millis(1_100), Duration::from_secs(1));
        assert!((times.total - 0.1).abs() < 1e-9 && (times.computing - 0.1).abs() < 1e-9, "{times:?}");
        assert!((times.runnable - 0.04).abs() < 1e-9 && times.other.abs() < 1e-9, "{times:?}");
    }
}
