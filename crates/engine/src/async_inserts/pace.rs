//! How long the first rows wait for others: longer while INSERTs come often, so that more of them share a write, shorter
//! while they come seldom, so that a lone one does not wait for nobody.
//!
//! The rule is ClickHouse's (`async_insert_use_adaptive_busy_timeout`): an INSERT that comes within the least wait after the
//! one before it lengthens the wait by the rate of increase; one that comes after more than the shortened wait, when the
//! last two writes were as far apart, shortens it by the rate of decrease; the wait stays between its bounds.
//!
//! What differs from ClickHouse: where INSERTs wait until their rows are written, the wait counts from the last write and not
//! from the first row. A lone INSERT is written at once, as without the queue, and writes are as far apart as before.

use std::time::{Duration, Instant};

use gristmill_introspect::Settings;

const STEP: Duration = Duration::from_millis(1);

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    pub adaptive: bool,
    pub least: Duration,
    pub most: Duration,
    pub increase_rate: f64,
    pub decrease_rate: f64,
    /// Somebody waits for the rows.
    pub is_waited_for: bool,
}

impl Bounds {
    pub fn of(settings: &Settings) -> Bounds {
        let most_ms = match settings.async_insert_busy_timeout_ms {
            0 => settings.async_insert_busy_timeout_max_ms,
            ms => ms,
        };
        let most = Duration::from_millis(most_ms);
        Bounds {
            adaptive: settings.async_insert_use_adaptive_busy_timeout,
            least: Duration::from_millis(settings.async_insert_busy_timeout_min_ms).min(most),
            most,
            increase_rate: settings.async_insert_busy_timeout_increase_rate.max(0.0),
            decrease_rate: settings.async_insert_busy_timeout_decrease_rate.max(0.0),
            is_waited_for: settings.wait_for_async_insert,
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Pace {
    wait: Duration,
    last_insert: Option<Instant>,
    /// The last write and the one before it.
    writes: (Option<Instant>, Option<Instant>),
}

impl Pace {
    /// An INSERT came; gives how long the first rows of a new block wait.
    pub fn insert(&mut self, bounds: &Bounds, now: Instant) -> Duration {
        let last = self.last_insert.replace(now);
        if !bounds.adaptive {
            return bounds.most;
        }
        let shorter = self.wait.div_f64(1.0 + bounds.decrease_rate).min(self.wait.saturating_sub(STEP));
        let since = |then: Instant| now.saturating_duration_since(then);
        let between_writes = match self.writes {
            (Some(last), Some(before)) => last.saturating_duration_since(before),
            _ => Duration::MAX,
        };
        self.wait = match last {
            None => bounds.least,
            Some(last) if since(last) < bounds.least => self.wait.mul_f64(1.0 + bounds.increase_rate).max(self.wait + STEP),
            Some(last) if since(last) > shorter && between_writes > shorter => shorter,
            Some(_) => self.wait,
        }
        .clamp(bounds.least, bounds.most);
        match (bounds.is_waited_for, self.writes.0) {
            (false, _) => self.wait,
            (true, None) => Duration::ZERO,
            (true, Some(written)) => self.wait.saturating_sub(since(written)),
        }
    }

    pub fn write(&mut self, now: Instant) {
        self.writes = (Some(now), self.writes.0);
    }

    pub fn last_insert(&self) -> Option<Instant> {
        self.last_insert
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds {
            adaptive: true,
            least: Duration::from_millis(50),
            most: Duration::from_millis(200),
            increase_rate: 0.2,
            decrease_rate: 0.2,
            is_waited_for: false,
        }
    }

    fn after(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn a_lone_insert_that_is_waited_for_does_not_wait_for_others() {
        let (start, bounds) = (Instant::now(), Bounds { is_waited_for: true, ..bounds() });
        let mut pace = Pace::default();
        assert_eq!(pace.insert(&bounds, start), Duration::ZERO);
        pace.write(start);
        // Writes stay as far apart as the wait says, which is longer for the second of two that come soon.
        assert_eq!(pace.insert(&bounds, after(start, 10)), Duration::from_millis(50));
        pace.write(after(start, 60));
        assert_eq!(pace.insert(&bounds, after(start, 2000)), Duration::ZERO);
    }

    #[test]
    fn the_wait_grows_to_its_bound_while_inserts_come_often_and_shrinks_again() {
        let (start, bounds) = (Instant::now(), bounds());
        let mut pace = Pace::default();
        assert_eq!(pace.insert(&bounds, start), bounds.least);
        assert_eq!(pace.insert(&bounds, after(start, 10)), Duration::from_millis(60));
        for n in 2..20 {
            pace.insert(&bounds, after(start, n * 10));
        }
        assert_eq!(pace.insert(&bounds, after(start, 201)), bounds.most);
        pace.write(after(start, 300));
        // Seldom: one a second.
        let mut last = bounds.most;
        for n in 1..20 {
            let now = after(start, 300 + n * 1000);
            let wait = pace.insert(&bounds, now);
            pace.write(now);
            assert!(wait < last || wait == bounds.least);
            last = wait;
        }
        assert_eq!(last, bounds.least);
    }

    #[test]
    fn between_often_and_seldom_it_stays() {
        let (start, bounds) = (Instant::now(), bounds());
        let mut pace = Pace::default();
        pace.insert(&bounds, start);
        let wait = pace.insert(&bounds, after(start, 10));
        assert_eq!(pace.insert(&bounds, after(start, 60)), wait, "not within the least wait, nor after the shortened one");
        // Writes in quick succession keep it too.
        (0..2).for_each(|n| pace.write(after(start, 100 + n)));
        assert_eq!(pace.insert(&bounds, after(start, 1000)), wait);
    }

    #[test]
    fn a_fixed_wait_is_the_greatest_and_bounds_that_cross_meet() {
        let fixed = Bounds { adaptive: false, ..bounds() };
        assert_eq!(Pace::default().insert(&fixed, Instant::now()), fixed.most);
        let mut settings = Settings::default();
        settings.async_insert_busy_timeout_max_ms = 20;
        settings.wait_for_async_insert = false;
        let bounds = Bounds::of(&settings);
        assert_eq!((bounds.least, bounds.most), (Duration::from_millis(20), Duration::from_millis(20)));
        assert_eq!(Pace::default().insert(&bounds, Instant::now()), bounds.most);
    }
}
