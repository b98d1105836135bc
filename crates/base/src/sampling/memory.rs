//! Samples where memory is allocated, taken by the allocating thread itself, which may hold no lock and not allocate here.

use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;

use super::profiled::{Profile, Wishes};
use super::registers::Registers;
use super::slots::{self, Head};
use super::{COUNTS, Kind, signal};
use crate::allocations::GATHERED_BYTES;
use crate::spending;

/// Bytes that a thread may allocate before it tells: never more than without a profile, and no more than a step.
pub(super) fn granularity(wishes: &Wishes) -> i64 {
    let most = if wishes.memory_step_bytes > 0 { wishes.memory_step_bytes } else { u64::MAX };
    let samples = wishes.memory_probability > 0.0 || wishes.memory_step_bytes > 0;
    let wanted = if samples { wishes.untracked_bytes.min(most) } else { u64::MAX };
    i64::try_from(wanted).unwrap_or(i64::MAX).min(GATHERED_BYTES)
}

/// The calling thread allocated so many bytes for a query, or freed them where that is negative, which holds `held` now. The last
/// of them are at `address`; 0: nobody knows where.
pub(crate) fn changed(profile: &Profile, size: i64, held: i64, address: u64) {
    let wishes = &profile.wishes;
    let next = profile.next_step.load(Relaxed);
    if size > 0 && held > next {
        let step = wishes.memory_step_bytes.max(1) as i64;
        let raised = (held / step + 1).saturating_mul(step);
        // Of several threads at a time one has it.
        if profile.next_step.compare_exchange(next, raised, Relaxed, Relaxed).is_ok() {
            sample(profile, Kind::Memory, size, held, address);
        }
    }
    if wishes.memory_probability > 0.0 {
        let (bytes, (least, most)) = (size.unsigned_abs(), wishes.memory_sample_bytes);
        let is_wanted = bytes >= least && (most == 0 || bytes <= most);
        if is_wanted && (random() as f64) < wishes.memory_probability * u64::MAX as f64 {
            sample(profile, Kind::MemorySample, size, held, address);
        }
    }
}

#[inline(never)]
fn sample(profile: &Profile, kind: Kind, size: i64, held: i64, address: u64) {
    profile.is_sampled.store(true, Relaxed);
    COUNTS.runs.fetch_add(1, Relaxed);
    slots::fill(Head { kind, number: profile.number, size, held, address }, Registers::here(), signal::own_bounds());
}

/// Numbers that have no pattern which a program could have as well; no secret depends on them.
pub(super) fn random() -> u64 {
    thread_local! {
        static LAST: Cell<u64> = const { Cell::new(0) };
    }
    LAST.try_with(|last| {
        let mut number = last.get();
        if number == 0 {
            number = (spending::now_ns() ^ std::ptr::from_ref(last).addr() as u64) | 1;
        }
        // Marsaglia's xorshift64.
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        last.set(number);
        number
    })
    .unwrap_or(0)
}
