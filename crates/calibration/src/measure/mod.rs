//! Measuring: each kernel runs for its share of the time, over and over, and the fastest run counts.
//!
//! A run takes a few milliseconds, so that whoever wants it to end (`wanted`) is heard soon, and short ones are not
//! disturbed by another process each time. Nothing here depends on chance: data come from a fixed seed.

mod cores;
mod data;
mod disk;
mod encodings;
mod memory;
mod rows;

use std::path::Path;
use std::time::{Duration, Instant};

use gristmill_base::Result;

use self::cores::Run;
use crate::figures::{Calibration, Figure, Form, Resource};
use crate::file::rounded;
use crate::fingerprint::Fingerprint;

/// Asked between two runs: an error ends the measurement.
pub type Wanted<'a> = &'a (dyn Fn() -> Result<()> + Sync);

/// How long each kernel runs, and for whom.
#[derive(Clone, Copy)]
pub(crate) struct Bench<'a> {
    form: Form,
    wanted: Wanted<'a>,
}

/// Runs of a kernel, however slow they are.
const RUNS_MIN: usize = 2;

impl Bench<'_> {
    fn time(&self) -> Duration {
        match self.form {
            Form::Quick => Duration::from_millis(25),
            Form::Full => Duration::from_millis(250),
        }
    }

    /// One size for the quick form, another for the full one.
    fn sized<T>(&self, quick: T, full: T) -> T {
        match self.form {
            Form::Quick => quick,
            Form::Full => full,
        }
    }

    fn check(&self) -> Result<()> {
        (self.wanted)()
    }

    /// The most units a second that a run did. `work` gives the units of one run.
    fn rate(&self, mut work: impl FnMut() -> Result<u64>) -> Result<f64> {
        self.rate_of_runs(|| Run::of(&mut work))
    }

    /// The same of work that knows how long it took.
    fn rate_of_runs(&self, mut work: impl FnMut() -> Result<Run>) -> Result<f64> {
        let begun = Instant::now();
        let (mut best, mut runs) = (0.0f64, 0);
        while runs < RUNS_MIN || begun.elapsed() < self.time() {
            self.check()?;
            let run = work()?;
            let seconds = run.took.as_secs_f64();
            if seconds > 0.0 {
                best = best.max(run.units as f64 / seconds);
            }
            runs += 1;
        }
        Ok(best)
    }
}

/// The figures of a calibration, as they come.
#[derive(Default)]
pub(crate) struct Figures(Vec<Figure>);

impl Figures {
    fn add(&mut self, resource: Resource, level: &str, size: u64, value: f64) {
        tracing::debug!("{} {level} {size}: {value:.0} {}", resource.name(), resource.unit());
        // Three digits are more than any measurement is worth.
        self.0.push(Figure { resource, level: level.to_string(), size, value: rounded(value) });
    }
}

/// Measures this machine and the disk of a folder. Computes for long on the thread that calls it, and on others beside it
/// that end with it. `now_micros`: the time that it is said to be of. Errors: those of `wanted`, and MEMORY_LIMIT_EXCEEDED.
pub fn measure(form: Form, folder: &Path, now_micros: i64, wanted: Wanted<'_>) -> Result<Calibration> {
    let begun = Instant::now();
    let bench = Bench { form, wanted };
    let mut figures = Figures::default();
    memory::measure(&bench, &mut figures)?;
    rows::measure(&bench, &mut figures)?;
    encodings::measure(&bench, &mut figures)?;
    let disk_is_direct = match disk::measure(&bench, folder, &mut figures) {
        Ok(is_direct) => is_direct,
        // Without the disk's figures the others still say much.
        Err(error) => {
            bench.check()?;
            tracing::warn!("The disk of {} was not measured: {error}", folder.display());
            false
        }
    };
    Ok(Calibration {
        form,
        measured_at_micros: now_micros,
        took_ms: begun.elapsed().as_millis() as u64,
        fingerprint: Fingerprint::of_machine(),
        disk_is_direct,
        figures: figures.0,
        endpoints: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use gristmill_base::{Error, ErrorCode};

    use super::*;
    use crate::figures::{ALL_CORES, NUMBERS, ONE_CORE, TEXTS};

    #[test]
    fn every_resource_is_measured() {
        let folder = tempfile::tempdir().expect("a folder");
        let known = measure(Form::Quick, folder.path(), 5, &|| Ok(())).expect("measured");
        for resource in Resource::ALL {
            assert!(known.figures.iter().any(|figure| figure.resource == *resource), "{}", resource.name());
        }
        assert!(known.figures.iter().all(|figure| figure.value.is_finite() && figure.value > 0.0), "{known:?}");
        let read = |level| known.value(Resource::MemoryRead, level).expect("measured");
        assert!(read(ONE_CORE) > 1e8 && read(ALL_CORES) > 1e8);
        let of_cache = |level: &str| {
            known.figures.iter().find(|figure| figure.resource == Resource::CacheRead && figure.level == level)
        };
        for level in ["L1 one core", "L1 all cores", "memory one core", "memory all cores"] {
            assert!(of_cache(level).is_some_and(|figure| figure.size > 0), "{level}");
        }
        let near = known.read_rate(ONE_CORE, 1 << 10).expect("measured");
        assert!(near >= known.read_rate(ONE_CORE, u64::MAX).expect("measured"), "the caches are faster than memory");
        assert!(
            known.best(Resource::ParquetDecode, NUMBERS).is_some() && known.best(Resource::ParquetDecode, TEXTS).is_some()
        );
        let latency = |size| known.at_size(Resource::MemoryLatency, "", size).expect("measured");
        assert!(latency(16 << 10) < latency(64 << 20), "the caches are nearer than memory");
        assert_eq!((known.measured_at_micros, known.form), (5, Form::Quick));
        assert_eq!(std::fs::read_dir(folder.path()).expect("there").count(), 0, "nothing is left");
    }

    #[test]
    fn it_ends_when_nobody_wants_it() {
        let (asked, folder) = (AtomicUsize::new(0), tempfile::tempdir().expect("a folder"));
        let wanted = || match asked.fetch_add(1, Ordering::Relaxed) {
            0..4 => Ok(()),
            _ => Err(Error::new(ErrorCode::QUERY_WAS_CANCELLED, "enough")),
        };
        let error = measure(Form::Full, folder.path(), 0, &wanted).expect_err("cancelled");
        assert_eq!((error.code(), asked.into_inner()), (ErrorCode::QUERY_WAS_CANCELLED, 5));
    }
}
