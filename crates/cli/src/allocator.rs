//! The process's allocator: mimalloc, counted.

use gristmill_base::allocations::{self, CountingAllocator};
use libmimalloc_sys::{mi_collect, mi_option_get, mi_option_set, mi_option_t};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: CountingAllocator<MiMalloc> = CountingAllocator(MiMalloc);

/// `mi_option_purge_delay`, which the bindings do not name: milliseconds that freed pages are kept.
const PURGE_DELAY: mi_option_t = 15;

/// Lets memory accounts have the allocator give back what it keeps.
///
/// It keeps freed pages for a second. Not at once for always: of a load of 1,700 columns 6 to 7 s went to the kernel then in
/// place of 5, for pages that were wanted again.
pub fn set_up() {
    // SAFETY: the calls take and give integers; options may be changed by any thread at any time.
    let usual = unsafe { mi_option_get(PURGE_DELAY) };
    debug_assert!(usual == 1000 || std::env::var_os("MIMALLOC_PURGE_DELAY").is_some(), "the option has another number");
    allocations::gives_back_by(|at_once| {
        // SAFETY: as above; a collection frees nothing that is in use.
        unsafe {
            mi_option_set(PURGE_DELAY, if at_once { 0 } else { 1000 });
            if at_once {
                mi_collect(true);
            }
        }
    });
}
