//! Brings memory into the cache before it is needed, so that many misses are waited for together and not one by one.

/// Has the processor fetch the cache line at which one of the values begins; a place that is not there is left alone.
#[inline(always)]
pub fn at<T>(values: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(value) = values.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program sees, and the address is a value's.
        unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *value).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (values, at);
}
