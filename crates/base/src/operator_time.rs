//! Whose operator a thread computes for: the time of each operator of a plan, without that of the operators below it.
//!
//! The streams of a plan poll each other, so that a thread is inside of several operators at a time. Whoever polls a stream
//! opens a frame for it (`enter`). What a frame took, less what the frames within it took, is its operator's own time. A task
//! that an operator spawns is polled in frames of the operator too (`allocations::counted`), so that what it has computed
//! beside its streams is its own as well.
//!
//! For how long at least one frame of an operator was open is counted only where somebody wants to know how many ran at once:
//! all threads would write that word in turns. It says how many frames there are (the upper bits), and when the first of them
//! opened (the lower), so whoever opens or closes one needs no lock. The time of all frames over that time is how many ran at
//! once.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// Bits of the moment: nanoseconds of three days, and nobody computes for that long without a pause.
const MOMENT_BITS: u32 = 48;
const MOMENT_MASK: u64 = (1 << MOMENT_BITS) - 1;

static BEGINNING: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Nanoseconds since some moment of the process.
pub fn now_nanos() -> u64 {
    BEGINNING.elapsed().as_nanos() as u64
}

/// For how long an operator ran, whichever of its streams, and how many of them at once: of streams that are counted.
#[derive(Debug, Default)]
pub struct OperatorTime {
    /// Frames that are open, and since when there is one.
    open: AtomicU64,
    busy_nanos: AtomicU64,
    open_max: AtomicU32,
}

impl OperatorTime {
    /// How long at least one frame was open.
    pub fn busy(&self) -> Duration {
        Duration::from_nanos(self.busy_nanos.load(Relaxed))
    }

    /// The most that were open at once.
    pub fn open_max(&self) -> u32 {
        self.open_max.load(Relaxed)
    }

    fn begin(&self, now: u64) {
        let opened = |open: u64| match open >> MOMENT_BITS {
            0 => Some(1 << MOMENT_BITS | (now & MOMENT_MASK)),
            _ => Some(open + (1 << MOMENT_BITS)),
        };
        let before = self.open.fetch_update(Relaxed, Relaxed, opened).unwrap_or_else(|open| open);
        let count = (before >> MOMENT_BITS) as u32 + 1;
        if count > self.open_max.load(Relaxed) {
            self.open_max.fetch_max(count, Relaxed);
        }
    }

    fn end(&self, now: u64) {
        let closed = |open: u64| match open >> MOMENT_BITS {
            0 | 1 => Some(0),
            _ => Some(open - (1 << MOMENT_BITS)),
        };
        let before = self.open.fetch_update(Relaxed, Relaxed, closed).unwrap_or_else(|open| open);
        if before >> MOMENT_BITS == 1 {
            let took = now.wrapping_sub(before) & MOMENT_MASK;
            // Another thread may have opened the frame a moment later than this one looked at the clock.
            if took < MOMENT_MASK / 2 {
                self.busy_nanos.fetch_add(took, Relaxed);
            }
        }
    }
}

/// The time of one stream of an operator, with that of the tasks which it spawned. Alone in its line of the cache: other streams
/// are other cores'.
#[derive(Debug)]
#[repr(align(64))]
pub struct StreamTime {
    operator: Arc<OperatorTime>,
    /// Its frames count for how many run at once.
    is_counted: bool,
    own_nanos: AtomicU64,
    whole_nanos: AtomicU64,
}

impl StreamTime {
    /// `is_counted`: for how many of the operator's frames are open at once.
    pub fn of(operator: Arc<OperatorTime>, is_counted: bool) -> Arc<Self> {
        Arc::new(StreamTime { operator, is_counted, own_nanos: AtomicU64::new(0), whole_nanos: AtomicU64::new(0) })
    }

    pub fn operator(&self) -> &OperatorTime {
        &self.operator
    }

    /// Computed for this operator, on whatever thread.
    pub fn own(&self) -> Duration {
        Duration::from_nanos(self.own_nanos.load(Relaxed))
    }

    /// As `own`, with the time of the operators below within its frames.
    pub fn whole(&self) -> Duration {
        Duration::from_nanos(self.whole_nanos.load(Relaxed))
    }
}

thread_local! {
    /// Whose frame is the innermost.
    static CURRENT: Cell<Option<Arc<StreamTime>>> = const { Cell::new(None) };
    /// What the frames took that were opened within it and are closed.
    static WITHIN_NANOS: Cell<u64> = const { Cell::new(0) };
}

/// Whose frame the thread is in.
pub fn current() -> Option<Arc<StreamTime>> {
    CURRENT
        .try_with(|current| {
            let there = current.take();
            current.set(there.clone());
            there
        })
        .ok()
        .flatten()
}

/// A frame that is open. Frames of a thread are closed in the order in which threads leave blocks.
#[derive(Debug)]
pub struct Frame {
    /// Whose frame this one lies in, and what that one's closed frames took.
    outer: Option<Arc<StreamTime>>,
    outer_within_nanos: u64,
    begun: u64,
    is_open: bool,
    /// It belongs to its thread.
    _here: std::marker::PhantomData<*const ()>,
}

/// What a frame was.
#[derive(Clone, Copy, Debug)]
pub struct Closed {
    /// When it was closed, as by `now_nanos`.
    pub at: u64,
    /// The time of frames within it: those of other operators.
    pub within: Duration,
}

/// Opens a frame.
pub fn enter(stream: &Arc<StreamTime>) -> Frame {
    let begun = now_nanos();
    if stream.is_counted {
        stream.operator.begin(begun);
    }
    let outer = CURRENT.try_with(|current| current.replace(Some(stream.clone()))).ok().flatten();
    let outer_within_nanos = WITHIN_NANOS.try_with(|within| within.replace(0)).unwrap_or(0);
    Frame { outer, outer_within_nanos, begun, is_open: true, _here: std::marker::PhantomData }
}

impl Frame {
    /// When it was opened.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    pub fn close(mut self) -> Closed {
        self.closed()
    }

    fn closed(&mut self) -> Closed {
        self.is_open = false;
        let at = now_nanos();
        let took = at.saturating_sub(self.begun);
        let within = WITHIN_NANOS.try_with(|within| within.replace(self.outer_within_nanos + took)).unwrap_or(0);
        if let Ok(Some(stream)) = CURRENT.try_with(|current| current.replace(self.outer.take())) {
            if stream.is_counted {
                stream.operator.end(at);
            }
            stream.own_nanos.fetch_add(took.saturating_sub(within), Relaxed);
            stream.whole_nanos.fetch_add(took, Relaxed);
        }
        Closed { at, within: Duration::from_nanos(within) }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if self.is_open {
            self.closed();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    /// Computes for so long by the clock of this file.
    fn compute(at_least: Duration) {
        let until = now_nanos() + at_least.as_nanos() as u64;
        while now_nanos() < until {
            std::hint::spin_loop();
        }
    }

    const WHILE: Duration = Duration::from_millis(3);

    #[test]
    fn the_time_of_an_operator_is_without_that_of_those_within_it() {
        let (above, below) = (StreamTime::of(Arc::default(), true), StreamTime::of(Arc::default(), true));
        let frame = enter(&above);
        compute(WHILE);
        {
            let _below = enter(&below);
            assert!(Arc::ptr_eq(&current().expect("a frame"), &below));
            compute(WHILE * 4);
        }
        assert!(Arc::ptr_eq(&current().expect("a frame"), &above));
        let closed = frame.close();
        assert!(current().is_none());
        assert_eq!(closed.within, below.own());
        assert_eq!(above.own() + below.own(), above.whole());
        assert!(above.own() >= WHILE && below.own() >= WHILE * 4);
        assert_eq!(above.operator().busy(), above.whole());
        assert_eq!(above.operator().open_max(), 1);
    }

    #[test]
    fn streams_that_run_at_once_are_counted_and_their_time_is_no_longer_than_the_clocks() {
        let operator = Arc::new(OperatorTime::default());
        let streams: Vec<_> = (0..4).map(|_| StreamTime::of(operator.clone(), true)).collect();
        let (together, begun) = (Barrier::new(4), now_nanos());
        std::thread::scope(|scope| {
            for stream in &streams {
                scope.spawn(|| {
                    let _frame = enter(stream);
                    together.wait();
                    compute(WHILE);
                    together.wait();
                });
            }
        });
        let took = Duration::from_nanos(now_nanos() - begun);
        assert_eq!(operator.open_max(), 4);
        assert!(operator.busy() >= WHILE && operator.busy() <= took, "{operator:?}");
        assert!(streams.iter().map(|stream| stream.whole()).sum::<Duration>() >= WHILE * 4);
    }

    #[test]
    fn frames_opened_and_closed_by_many_threads_lose_no_count() {
        let operator = Arc::new(OperatorTime::default());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                let operator = operator.clone();
                scope.spawn(move || {
                    let stream = StreamTime::of(operator, true);
                    for _ in 0..20_000 {
                        drop(enter(&stream));
                    }
                });
            }
        });
        assert_eq!(operator.open.load(Relaxed), 0);
        assert!(operator.open_max() <= 4);
    }
}
