//! When the machine is measured: by SYSTEM CALIBRATE, by the first query whose limit is asked for, and by a server that has
//! nothing else to do.
//!
//! The job of a server waits until no query ran for a while, and measures then. A query that comes ends the measurement at
//! once, and the job waits again. Afterwards it keeps what traffic tells of object stores, now and again.

use std::sync::Arc;
use std::time::Duration;

use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result, allocations};
use gristmill_calibration::{Calibration, Calibrations, Form};
use gristmill_introspect::{QueryContext, processes, server_settings};

use crate::engine::Engine;

/// Between two looks at whether a query runs.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Between two looks at what is new of object stores.
const KEEP_NEWS_EVERY: Duration = Duration::from_secs(60);

/// The job of a server. Dropped, it ends, and so does a measurement that is under way.
pub(crate) struct CalibratingJob {
    context: Arc<QueryContext>,
    _task: Task<()>,
}

impl Drop for CalibratingJob {
    fn drop(&mut self) {
        self.context.cancel.cancel();
    }
}

impl Engine {
    /// Measures this machine for a query, which ends it when it is cancelled. Errors: those of the query's `check`.
    pub(crate) async fn calibrate(&self, form: Form, context: &Arc<QueryContext>) -> Result<Calibration> {
        let context = context.clone();
        computed(Whose::Query, &self.calibrations, move |calibrations| {
            calibrations.measure(form, context.env.now_micros(), &|| context.check())
        })
        .await
    }

    /// What is known of the machine; measured in the quick form where nothing is.
    pub(crate) async fn calibration(&self, context: &Arc<QueryContext>) -> Result<Calibration> {
        if let Some(known) = self.calibrations.known() {
            return Ok(known);
        }
        let context = context.clone();
        computed(Whose::Nobody, &self.calibrations, move |calibrations| {
            calibrations.known_or_measured(context.env.now_micros(), &|| context.check())
        })
        .await
    }

    /// Begins the job of a server. `idle`: without a query, before the machine is measured; nothing: never.
    pub fn calibrate_when_idle(self: &Arc<Self>, idle: Duration) {
        server_settings::set("calibrate_when_idle_seconds", idle.as_secs());
        let _nobody = allocations::enter_none();
        let context = self.mergetree.job("calibration", "calibration");
        let task = Task::on(&runtime::cpu(), calibrating(self.calibrations.clone(), context.clone(), idle));
        *self.calibrating.lock() = Some(CalibratingJob { context, _task: task });
    }

    pub(crate) fn stop_calibrating(&self) {
        drop(self.calibrating.lock().take());
        self.calibrations.keep_news();
    }
}

/// Whose time and memory a measurement is.
enum Whose {
    /// Of the query that is SYSTEM CALIBRATE.
    Query,
    /// A query that only wants to know is not to be told that all this was its own work.
    Nobody,
}

/// Runs what computes for long on the CPU runtime, where other tasks of the thread go on elsewhere.
async fn computed(
    whose: Whose,
    calibrations: &Arc<Calibrations>,
    work: impl FnOnce(&Calibrations) -> Result<Calibration> + Send + 'static,
) -> Result<Calibration> {
    let calibrations = calibrations.clone();
    let task = {
        let _nobody = matches!(whose, Whose::Nobody).then(allocations::enter_none);
        Task::on(&runtime::cpu(), async move { runtime::aside(|| work(&calibrations)) })
    };
    task.join().await?
}

async fn calibrating(calibrations: Arc<Calibrations>, context: Arc<QueryContext>, idle: Duration) {
    let mut idle_since = context.env.instant();
    while !calibrations.is_known() && !idle.is_zero() {
        context.env.sleep(LOOK_EVERY.min(idle)).await;
        let now = context.env.instant();
        if !processes::none() {
            idle_since = now;
        }
        if now.saturating_duration_since(idle_since) < idle {
            continue;
        }
        let wanted = {
            let context = context.clone();
            move || match processes::none() {
                true => context.check(),
                false => Err(Error::new(ErrorCode::QUERY_WAS_CANCELLED, "A query comes first")),
            }
        };
        let now_micros = context.env.now_micros();
        let measure = move |calibrations: &Calibrations| calibrations.measure(Form::Full, now_micros, &wanted);
        let measured = computed(Whose::Nobody, &calibrations, measure).await;
        match measured {
            Ok(measured) => tracing::info!("The machine was measured, in {} ms", measured.took_ms),
            Err(error) if error.code() == ErrorCode::QUERY_WAS_CANCELLED => idle_since = context.env.instant(),
            Err(error) => {
                tracing::warn!("The machine was not measured: {error}");
                idle_since = context.env.instant();
            }
        }
    }
    loop {
        context.env.sleep(KEEP_NEWS_EVERY).await;
        calibrations.keep_news();
    }
}
