//! How fast a query must be, and may be: `min_execution_speed`, `max_execution_speed`, their likes in bytes, and
//! `max_estimated_execution_time`. Rows and bytes are those that sources handed to the query, over the time since it began.
//!
//! A source asks before each block. Too slow is an error; too fast is a pause, of a second at most, until the average is what
//! it may be: whoever is paced is still there to be cancelled. Nothing is asked in the first
//! `timeout_before_checking_execution_speed` seconds, when there is little to tell by.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result};

use crate::context::QueryContext;
use crate::settings::Settings;

/// The longest that a source is held back at a time.
const PAUSE_LONGEST: Duration = Duration::from_secs(1);

/// What a query has done so far.
#[derive(Clone, Copy, Debug)]
struct Done {
    rows: u64,
    bytes: u64,
    rows_of_all: u64,
    seconds: f64,
}

fn too_slow(speed: f64, what: &str, least: u64) -> Error {
    Error::new(ErrorCode::TOO_SLOW, format!("Query is executing too slow: {speed:.3} {what}/sec., minimum: {least}"))
}

impl Done {
    /// Error: TOO_SLOW.
    fn check(&self, settings: &Settings) -> Result<()> {
        for (what, done, least) in
            [("rows", self.rows, settings.min_execution_speed), ("bytes", self.bytes, settings.min_execution_speed_bytes)]
        {
            let speed = done as f64 / self.seconds;
            if least > 0 && speed < least as f64 {
                return Err(too_slow(speed, what, least));
            }
        }
        let most = settings.max_estimated_execution_time;
        if most > 0.0 && self.rows > 0 && self.rows_of_all > 0 && !settings.breaks_off_in_time() {
            let estimated = self.seconds * (self.rows_of_all as f64 / self.rows as f64);
            if estimated > most {
                let text = format!(
                    "Estimated query execution time ({estimated:.3} seconds) is too long. Maximum: {most}. Estimated rows to \
                     process: {} ({} read in {:.3} seconds)",
                    self.rows_of_all, self.rows, self.seconds
                );
                return Err(Error::new(ErrorCode::TOO_SLOW, text));
            }
        }
        Ok(())
    }

    /// How long to wait until this is not too fast.
    fn pause(&self, settings: &Settings) -> Option<Duration> {
        let limits = [(self.rows, settings.max_execution_speed), (self.bytes, settings.max_execution_speed_bytes)];
        let wanted = limits.into_iter().filter(|(_, most)| *most > 0).map(|(done, most)| done as f64 / most as f64);
        let left = wanted.fold(0.0, f64::max) - self.seconds;
        (left > 0.0).then(|| Duration::from_secs_f64(left.min(PAUSE_LONGEST.as_secs_f64())))
    }
}

impl QueryContext {
    /// `None`: it is too early to tell.
    fn done(&self) -> Option<Done> {
        let seconds = self.elapsed().as_secs_f64();
        let progress = &self.progress;
        let (is_asked, rows) =
            (seconds > self.settings.timeout_before_checking_execution_speed, progress.read_rows.load(Relaxed));
        // Before the first rows nothing is known.
        (seconds > 0.0 && is_asked && rows > 0).then(|| Done {
            rows,
            bytes: progress.read_bytes.load(Relaxed),
            rows_of_all: progress.total_rows_to_read.load(Relaxed),
            seconds,
        })
    }

    /// Error: TOO_SLOW.
    pub(crate) fn check_speed(&self) -> Result<()> {
        let settings = &self.settings;
        let is_asked = settings.min_execution_speed > 0
            || settings.min_execution_speed_bytes > 0
            || settings.max_estimated_execution_time > 0.0;
        match is_asked.then(|| self.done()).flatten() {
            Some(done) => done.check(settings),
            None => Ok(()),
        }
    }

    /// Waits where the query is faster than it may be; to be called by a source before each block.
    pub async fn pace(&self) {
        if self.settings.max_execution_speed == 0 && self.settings.max_execution_speed_bytes == 0 {
            return;
        }
        let Some(pause) = self.done().and_then(|done| done.pause(&self.settings)) else { return };
        let _waiting = self.waits_for(Wait::Sleep);
        tokio::select! {
            () = self.cancel.cancelled() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DONE: Done = Done { rows: 1000, bytes: 8000, rows_of_all: 10_000, seconds: 2.0 };

    #[test]
    fn too_slow_is_an_error() {
        let check = |name: &str, value: &str| {
            let mut settings = Settings::default();
            settings.set(name, value).expect("declared");
            DONE.check(&settings)
        };
        assert!(check("min_execution_speed", "500").is_ok());
        let error = check("min_execution_speed", "501").expect_err("slower");
        assert_eq!(error.code(), ErrorCode::TOO_SLOW);
        assert!(error.message().contains("500.000 rows/sec., minimum: 501"), "{error}");
        assert!(check("min_execution_speed_bytes", "4001").is_err());
        assert!(check("max_estimated_execution_time", "20").is_ok());
        assert!(check("max_estimated_execution_time", "19").is_err());
    }

    #[test]
    fn too_fast_is_a_pause_that_makes_up_for_it() {
        let pause = |name: &str, value: &str| {
            let mut settings = Settings::default();
            settings.set(name, value).expect("declared");
            DONE.pause(&settings)
        };
        assert_eq!(pause("max_execution_speed", "500"), None);
        assert_eq!(pause("max_execution_speed", "400"), Some(Duration::from_millis(500)));
        assert_eq!(pause("max_execution_speed_bytes", "1"), Some(PAUSE_LONGEST));
    }
}
