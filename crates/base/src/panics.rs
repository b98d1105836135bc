//! Panics of libraries that read damaged input: they are caught and become errors, so they are no defect to be reported.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// How many `caught` this thread is within.
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// Leaves one level, whether the step returned or not.
struct Level;

impl Drop for Level {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Runs a step of a library that may panic on its input. Errors: what it said as it panicked.
pub fn caught<T>(step: impl FnOnce() -> T) -> Result<T, String> {
    DEPTH.set(DEPTH.get() + 1);
    let _level = Level;
    catch_unwind(AssertUnwindSafe(step)).map_err(|panic| message(panic.as_ref()))
}

/// Whether a panic of this thread is going to be caught: asked by the hook that reports panics.
pub fn is_expected() -> bool {
    DEPTH.get() > 0
}

/// What a panic says.
pub fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_within_is_an_expected_one_and_tells_what_it_says() {
        assert!(!is_expected());
        assert_eq!(caught(is_expected), Ok(true));
        let given_up = caught(|| -> u32 { panic!("no {}", "sense") });
        assert_eq!(given_up, Err("no sense".to_string()));
        assert!(!is_expected());
    }
}
