use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::*;
use crate::allocations;
use crate::spending::{Spending, Wait};

const MARK: u64 = 0x6772_6973_746d_696c;

/// Has numbers on its stack that nobody else has.
#[inline(never)]
fn computes_marked() {
    let mark = black_box([MARK; 4]);
    let mut sum = 0_u64;
    for i in 0..100_000_u64 {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(i));
    }
    black_box((sum, &mark));
}

fn is_marked(stack: &[u8]) -> bool {
    stack.chunks_exact(8).any(|bytes| bytes == MARK.to_ne_bytes())
}

/// Waits until there is a sample of the query that is wanted.
fn until(query: &str, wanted: impl Fn(&Sample<'_>) -> bool) -> bool {
    let begun = Instant::now();
    let mut found = false;
    while !found && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
        take(|sample| found |= *sample.query_id == *query && wanted(&sample));
    }
    found
}

fn working<T>(tally: &Arc<Tally>, meanwhile: impl FnOnce() -> T) -> T {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let _entered = allocations::enter(tally);
            while !stop.load(Relaxed) {
                computes_marked();
            }
        });
        let result = meanwhile();
        stop.store(true, Relaxed);
        result
    })
}

#[test]
fn a_thread_that_works_copies_its_stack() {
    let (tally, other) = (Arc::new(Tally::new()), Arc::new(Tally::new()));
    let wishes = Wishes { real_period_ns: 1_000_000, cpu_period_ns: 1_000_000, ..Wishes::default() };
    let profiling = begin(&tally, "q", wishes).expect("profiled");
    assert!(begin(&tally, "again", wishes).is_none(), "it is profiled already");
    working(&other, || {
        working(&tally, || {
            for kind in [Kind::Cpu, Kind::Real] {
                let is_it = |sample: &Sample<'_>| sample.kind == kind && is_marked(sample.stack) && sample.thread > 0;
                assert!(until("q", is_it), "{kind:?}");
            }
        });
        drop(profiling);
        // Those who work for nobody that is profiled have none taken. A signal may still be on its way.
        let begun = Instant::now();
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let mut late = 0;
            take(|_| late += 1);
            if late == 0 {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "samples go on");
        }
    });
}

#[test]
fn nobody_works_and_the_query_tells_what_it_waits_for() {
    let tally = Arc::new(Tally::new());
    let _profiling = begin(&tally, "w", Wishes { real_period_ns: 1_000_000, ..Wishes::default() });
    drop(allocations::enter(&tally));
    assert!(until("w", |sample| sample.waits == Some(None) && sample.stack.is_empty()));
    let _waiting = Spending::waiting(&tally, Wait::Lock);
    assert!(until("w", |sample| sample.waits == Some(Some(Wait::Lock))));
}

#[test]
fn memory_is_sampled_at_each_step_of_the_peak() {
    let tally = Arc::new(Tally::new());
    let _profiling = begin(&tally, "m", Wishes { memory_step_bytes: 100, untracked_bytes: 10, ..Wishes::default() });
    let profile = tally.profile().expect("profiled").clone();
    // 90 is below the first step, 110 above it, 150 below the next.
    for (size, held) in [(90, 90), (20, 110), (40, 150), (-60, 90), (30, 120), (100, 220), (500, 720)] {
        allocated(&profile, size, held, 0x1000 + held as u64);
    }
    let mut told = Vec::new();
    take(|sample| {
        assert!(sample.kind == Kind::Memory && !sample.stack.is_empty());
        told.push((sample.size, sample.held, sample.address - 0x1000));
    });
    assert_eq!(told, [(20, 110, 110), (100, 220, 220), (500, 720, 720)]);
}

#[test]
fn chance_takes_what_is_as_large_as_wanted() {
    let tally = Arc::new(Tally::new());
    let wishes = Wishes { memory_probability: 1.0, memory_sample_bytes: (10, 20), ..Wishes::default() };
    let _profiling = begin(&tally, "s", wishes);
    let profile = tally.profile().expect("profiled").clone();
    [9, 10, -15, 20, 21].into_iter().for_each(|size| allocated(&profile, size, 0, 0));
    let mut told = Vec::new();
    take(|sample| told.push(sample.size));
    assert_eq!(told, [10, -15, 20]);
}

#[test]
fn what_finds_no_slot_is_counted() {
    let tally = Arc::new(Tally::new());
    let _profiling = begin(&tally, "o", Wishes { memory_probability: 1.0, ..Wishes::default() });
    let profile = tally.profile().expect("profiled").clone();
    take(|_| {});
    COUNTS.take();
    (0..100).for_each(|_| allocated(&profile, 1, 1, 0));
    let [runs, _, without_slot, errors] = COUNTS.take();
    let mut told = 0;
    take(|_| told += 1);
    assert_eq!((runs, without_slot + told, errors), (100, 100, 0));
    assert!(told > 0);
}

#[test]
fn each_thread_that_is_asked_tells_where_it_is() {
    let (begins, begun) = std::sync::mpsc::channel();
    let (goes_on, ends) = std::sync::mpsc::channel::<()>();
    let own = crate::machine::thread_id() as u32;
    let nobody = i32::MAX as u32;
    let mut answers = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mark = black_box([MARK; 4]);
            begins.send(crate::machine::thread_id() as u32).expect("heard");
            let _ = ends.recv();
            black_box(&mark);
        });
        let other = begun.recv().expect("it runs");
        stacks(&[own, other, nobody], Duration::from_secs(20), |thread, stack| {
            answers.push((thread == other, stack.map(|stack| is_marked(stack.stack))));
        });
        drop(goes_on);
    });
    assert!(answers[0].1.is_some(), "{answers:?}");
    assert_eq!(answers[1..], [(true, Some(true)), (false, None)]);
}
