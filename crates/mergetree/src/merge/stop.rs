//! SYSTEM STOP MERGES: no merge and no background mutation begins, and merges under way end. SYSTEM STOP TTL MERGES: merges
//! leave rows that expired alone. Neither outlasts the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::BackgroundWork;

use crate::table::Core;

#[derive(Debug, Default)]
pub struct Stopped {
    merges: AtomicBool,
    ttl: AtomicBool,
}

impl Stopped {
    pub fn ttl(&self) -> bool {
        self.ttl.load(Ordering::Relaxed)
    }

    pub fn merges(&self) -> bool {
        self.merges.load(Ordering::Relaxed)
    }

    /// Errors: ABORTED where merges are stopped.
    pub fn check(&self) -> Result<()> {
        if self.merges() { Err(Error::new(ErrorCode::ABORTED, "Cancelled merging parts")) } else { Ok(()) }
    }
}

/// `runs`: START; else STOP.
pub fn set(core: &Arc<Core>, work: BackgroundWork, runs: bool) {
    let switch = match work {
        BackgroundWork::Merges => &core.stopped.merges,
        BackgroundWork::TtlMerges => &core.stopped.ttl,
    };
    switch.store(!runs, Ordering::Relaxed);
    if runs {
        core.wake_merger();
    }
}
