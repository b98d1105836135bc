//! What the system only counts up, as a second's worth: the counts now less those of a look before, by the seconds between.
//! Each look is kept for the next one; a look that is younger than `SHORTEST` says too little (the kernel counts time in
//! hundredths of a second), so the one before it serves meanwhile. The first is taken when the process starts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gristmill_base::host::{self, DiskCounts, KernelCounts, Traffic};
use parking_lot::Mutex;

const SHORTEST: Duration = Duration::from_secs(1);

/// All counts, at one moment.
pub(super) struct Look {
    at: Instant,
    pub kernel: KernelCounts,
    pub disks: BTreeMap<String, DiskCounts>,
    pub networks: BTreeMap<String, (Traffic, Traffic)>,
}

impl Look {
    fn now() -> Arc<Look> {
        Arc::new(Look {
            at: Instant::now(),
            kernel: host::kernel().unwrap_or_default(),
            disks: host::disks(),
            networks: host::networks(),
        })
    }
}

/// The last looks that may serve as the one before, the older one first.
static LOOKS: Mutex<Vec<Arc<Look>>> = Mutex::new(Vec::new());

/// Two looks.
pub(super) struct Between {
    pub before: Arc<Look>,
    pub now: Arc<Look>,
}

/// Takes the first look.
pub(super) fn begin() {
    let mut looks = LOOKS.lock();
    if looks.is_empty() {
        looks.push(Look::now());
    }
}

pub(super) fn look() -> Between {
    let now = Look::now();
    let mut looks = LOOKS.lock();
    let is_old = |look: &Arc<Look>| now.at.saturating_duration_since(look.at) >= SHORTEST;
    let before = looks.iter().rev().find(|look| is_old(look)).or(looks.first()).unwrap_or(&now).clone();
    if looks.last().is_none_or(is_old) {
        looks.push(now.clone());
        let surplus = looks.len().saturating_sub(2);
        looks.drain(..surplus);
    }
    Between { before, now }
}

impl Between {
    pub fn a_second(&self, now: f64, before: f64) -> f64 {
        let seconds = self.now.at.saturating_duration_since(self.before.at).as_secs_f64();
        if seconds > 0.0 { (now - before).max(0.0) / seconds } else { 0.0 }
    }

    pub fn count_a_second(&self, now: u64, before: u64) -> f64 {
        self.a_second(now.saturating_sub(before) as f64, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_the_time_between() {
        let (now, before) = (Look::now(), Look::now());
        let now = Arc::new(Look { at: before.at + Duration::from_secs(4), ..Arc::into_inner(now).expect("ours") });
        let between = Between { before, now };
        assert_eq!((between.a_second(10.0, 2.0), between.count_a_second(10, 2)), (2.0, 2.0));
        assert_eq!(between.count_a_second(2, 10), 0.0, "a device that came anew");
    }

    #[test]
    fn a_look_too_soon_goes_by_the_one_before() {
        begin();
        let (one, other) = (look(), look());
        assert!(Arc::ptr_eq(&one.before, &other.before), "both are within a second of the first");
    }
}
