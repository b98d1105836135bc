//! The process's allocator: mimalloc, counted, with huge pages for what is large.

use std::alloc::{GlobalAlloc, Layout};
use std::ptr;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;

use gristmill_base::allocations::{self, CountingAllocator};
use libmimalloc_sys::{mi_collect, mi_option_get, mi_option_set, mi_option_t};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: CountingAllocator<HugePages<MiMalloc>> = CountingAllocator(HugePages(MiMalloc));

/// From so many bytes on, memory is asked for in huge pages.
const LARGE_BYTES: usize = 8 << 20;
#[cfg(target_os = "linux")]
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Large memory comes in huge pages, where the system has these for who asks (`madvise`): a hash table of many groups is
/// touched all over, and each page of 4 KiB would be a fault and a miss of its address. Small memory does not: huge pages
/// for all made a query that holds 132 MB take 200.
struct HugePages<A>(A);

impl<A> HugePages<A> {
    /// `memory` has so many bytes.
    #[cfg(target_os = "linux")]
    fn advise(memory: *mut u8, bytes: usize) {
        let start = memory.addr().next_multiple_of(HUGE_PAGE_BYTES);
        let end = (memory.addr() + bytes) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
        if memory.is_null() || end <= start {
            return;
        }
        let from = memory.wrapping_add(start - memory.addr()).cast();
        // SAFETY: the range lies within what was just allocated; the advice changes no byte of it. Without huge pages it is
        // refused, which is as well.
        let _ = unsafe { libc::madvise(from, end - start, libc::MADV_HUGEPAGE) };
    }

    #[cfg(not(target_os = "linux"))]
    fn advise(_memory: *mut u8, _bytes: usize) {}
}

// SAFETY: all memory is the inner allocator's; what moves is copied up to the smaller of both lengths.
unsafe impl<A: GlobalAlloc> GlobalAlloc for HugePages<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let memory = unsafe { self.0.alloc(layout) };
        if layout.size() >= LARGE_BYTES {
            Self::advise(memory, layout.size());
        }
        memory
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let memory = unsafe { self.0.alloc_zeroed(layout) };
        if layout.size() >= LARGE_BYTES {
            Self::advise(memory, layout.size());
        }
        memory
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        unsafe { self.0.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size < LARGE_BYTES || size <= layout.size() {
            return unsafe { self.0.realloc(memory, layout, size) };
        }
        // The inner allocator would copy into pages that nobody has advised on yet.
        let moved = unsafe { self.alloc(Layout::from_size_align_unchecked(size, layout.align())) };
        if !moved.is_null() {
            unsafe {
                ptr::copy_nonoverlapping(memory, moved, layout.size());
                self.0.dealloc(memory, layout);
            }
        }
        moved
    }
}

/// `mi_option_purge_delay`, which the bindings do not name: milliseconds that freed pages are kept.
const PURGE_DELAY: mi_option_t = 15;
/// Blocks of a load, and the groups of one query after the other, want again what was freed seconds ago. With the second that
/// is usual, a load of ten million rows of 105 columns touched 1,171 thousand pages for the first time, and 639 thousand
/// where all were kept: 13.5 and 12.1 s.
const KEPT_MS: i64 = 10_000;
/// What holds while the system need not have it at once: that, or what the environment says.
static KEPT: AtomicI64 = AtomicI64::new(KEPT_MS);

/// Lets memory accounts have the allocator give back what it keeps, and threads what they are done with.
///
/// Not at once for always: of a load of 1,700 columns 6 to 7 s went to the kernel then in place of 5, for pages that were
/// wanted again.
pub fn set_up() {
    let is_given = std::env::var_os("MIMALLOC_PURGE_DELAY").is_some();
    // SAFETY: the calls take and give integers; options may be changed by any thread at any time.
    unsafe {
        let usual = mi_option_get(PURGE_DELAY);
        debug_assert!(usual == 1000 || is_given, "the option has another number");
        let kept = if is_given { usual } else { KEPT_MS };
        KEPT.store(kept, Relaxed);
        mi_option_set(PURGE_DELAY, kept);
    }
    // SAFETY: a collection frees nothing that is in use.
    allocations::collects_by(|| unsafe { mi_collect(false) });
    allocations::gives_back_by(|at_once| {
        // SAFETY: as above; a collection frees nothing that is in use.
        unsafe {
            mi_option_set(PURGE_DELAY, if at_once { 0 } else { KEPT.load(Relaxed) });
            if at_once {
                mi_collect(true);
            }
        }
    });
}
