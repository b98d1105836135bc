//! What is known of the machine now: read from the file at the start, measured when somebody asks or has time, and kept.
//!
//! Figures of another machine are not used: the file's fingerprint has to be this one's. What it says of endpoints stays,
//! until traffic says it better. One measurement runs at a time; who wants another meanwhile takes what comes out of that.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::Result;
use gristmill_base::spending::{self, Blocked};
use parking_lot::{Mutex, RwLock};

use crate::endpoints::{self, EndpointSeen};
use crate::figures::{Calibration, Form};
use crate::file;
use crate::fingerprint::Fingerprint;
use crate::measure::{Wanted, measure};

/// The folder in a data folder, or in a user's cache.
pub const FOLDER: &str = "calibration";
/// Between two looks at whether a measurement of another has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct Calibrations {
    /// Where the file is.
    folder: PathBuf,
    /// Whose disk is measured.
    data_path: PathBuf,
    state: RwLock<State>,
    measuring: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    known: Option<Arc<Calibration>>,
    /// As the file has them.
    endpoints: Vec<EndpointSeen>,
    /// Grows with each measurement.
    measured: u64,
}

impl Calibrations {
    /// `folder`: of the file. `data_path`: whose disk queries read.
    pub fn open(folder: PathBuf, data_path: &Path) -> Arc<Calibrations> {
        let state = match file::read(&folder) {
            Some(read) if read.fingerprint == Fingerprint::of_machine() => {
                State { endpoints: read.endpoints.clone(), known: Some(Arc::new(read)), measured: 0 }
            }
            Some(read) => {
                tracing::info!("The calibration is of another machine, and will be measured again");
                State { endpoints: read.endpoints, ..State::default() }
            }
            None => State::default(),
        };
        let (state, measuring) = (RwLock::new(state), Mutex::new(()));
        Arc::new(Calibrations { folder, data_path: data_path.to_path_buf(), state, measuring })
    }

    /// What was measured, with what is known of endpoints by now. `None`: nothing was.
    pub fn known(&self) -> Option<Calibration> {
        let known = self.state.read().known.clone()?;
        Some(Calibration { endpoints: self.endpoints(), ..Arc::unwrap_or_clone(known) })
    }

    pub fn is_known(&self) -> bool {
        self.state.read().known.is_some()
    }

    /// What traffic told of object stores, to this process and to those before it.
    pub fn endpoints(&self) -> Vec<EndpointSeen> {
        endpoints::merged(&self.state.read().endpoints, endpoints::seen())
    }

    /// Measures, and keeps what came out. Computes on the calling thread for as long as the form says. Errors: those of
    /// `wanted`; that the file cannot be written is told in the log only.
    pub fn measure(&self, form: Form, now_micros: i64, wanted: Wanted<'_>) -> Result<Calibration> {
        let before = self.state.read().measured;
        let _measuring = loop {
            match spending::blocked(Blocked::Lock, || self.measuring.try_lock_for(LOOK_EVERY)) {
                Some(locked) => break locked,
                None => wanted()?,
            }
        };
        let (came, known) = (self.state.read().measured > before, self.known());
        if let Some(known) = known.filter(|known| came && (known.form == form || known.form == Form::Full)) {
            return Ok(known);
        }
        let measured = measure(form, &self.data_path, now_micros, wanted)?;
        {
            let mut state = self.state.write();
            state.known = Some(Arc::new(measured.clone()));
            state.measured += 1;
        }
        self.keep_endpoints();
        Ok(Calibration { endpoints: self.endpoints(), ..measured })
    }

    /// What is known; where nothing is, it is measured in the quick form.
    pub fn known_or_measured(&self, now_micros: i64, wanted: Wanted<'_>) -> Result<Calibration> {
        match self.known() {
            Some(known) => Ok(known),
            None => self.measure(Form::Quick, now_micros, wanted),
        }
    }

    /// Writes the file anew, with what was learned of endpoints.
    pub fn keep_endpoints(&self) {
        let Some(known) = self.known() else { return };
        self.state.write().endpoints.clone_from(&known.endpoints);
        if let Err(error) = spending::blocked(Blocked::Disk, || file::write(&self.folder, &known)) {
            tracing::warn!("The calibration is not kept: {error}");
        }
    }

    /// As `keep_endpoints`, where there is anything new.
    pub fn keep_news(&self) {
        if self.is_known() && self.endpoints() != self.state.read().endpoints {
            self.keep_endpoints();
        }
    }
}

#[cfg(test)]
mod tests {
    use gristmill_base::{Error, ErrorCode};

    use super::*;

    #[test]
    fn what_was_measured_is_known_to_the_next_process() {
        let folder = tempfile::tempdir().expect("a folder");
        let open = || Calibrations::open(folder.path().join(FOLDER), folder.path());
        let first = open();
        assert!(first.known().is_none());
        let measured = first.known_or_measured(7, &|| Ok(())).expect("measured");
        assert_eq!(measured.form, Form::Quick);
        let again = open().known().expect("kept");
        assert_eq!((again.measured_at_micros, again.figures.len()), (7, measured.figures.len()));
        let kept = open().known_or_measured(8, &|| panic!("it is known")).expect("known");
        assert_eq!(kept.measured_at_micros, 7);
    }

    #[test]
    fn figures_of_another_machine_are_not_used_and_endpoints_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = folder.path().join(FOLDER);
        let mut other = Calibration::of_text(include_str!("../tests/golden/v1.json")).expect("reads");
        file::write(&at, &other).expect("writes");
        let opened = Calibrations::open(at.clone(), folder.path());
        assert!(opened.known().is_none());
        assert_eq!(opened.endpoints().len(), 1);
        other.fingerprint = Fingerprint::of_machine();
        file::write(&at, &other).expect("writes");
        assert_eq!(Calibrations::open(at, folder.path()).known().expect("its own").figures.len(), 5);
    }

    #[test]
    fn a_measurement_that_is_not_wanted_leaves_what_was_known() {
        let folder = tempfile::tempdir().expect("a folder");
        let known = Calibrations::open(folder.path().join(FOLDER), folder.path());
        let cancelled = || Err(Error::new(ErrorCode::QUERY_WAS_CANCELLED, "enough"));
        assert!(known.measure(Form::Full, 0, &cancelled).is_err());
        assert!(!known.is_known());
    }
}
