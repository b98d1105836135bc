//! Limits on what a query gives: `max_result_rows`, `max_result_bytes`. Those on what it reads are looked at by its sources,
//! before each block (`QueryContext::may_read`).

use std::sync::atomic::Ordering::Relaxed;

use gristmill_base::{Error, ErrorCode, Result, units};
use gristmill_introspect::QueryContext;

/// False: the query is to end here with the rows it has (overflow mode `break`). Errors: TOO_MANY_ROWS_OR_BYTES.
pub(crate) fn check(context: &QueryContext) -> Result<bool> {
    let settings = &context.settings;
    let progress = &context.progress;
    let (as_rows, as_bytes): (fn(f64) -> String, fn(f64) -> String) = (units::rows_with_decimals, units::bytes_binary);
    let limits = [
        ("rows", progress.result_rows.load(Relaxed), settings.max_result_rows, as_rows),
        ("bytes", progress.result_bytes.load(Relaxed), settings.max_result_bytes, as_bytes),
    ];
    let breaks = settings.result_overflow_mode.eq_ignore_ascii_case("break");
    for (what, current, limit, readable) in limits.into_iter().filter(|(_, _, limit, _)| *limit > 0) {
        // What is as long as it may be ends there: the next block would be too much.
        if breaks && current >= limit {
            return Ok(false);
        }
        if current > limit {
            let (limit, current) = (readable(limit as f64), readable(current as f64));
            return Err(Error::new(
                ErrorCode::TOO_MANY_ROWS_OR_BYTES,
                format!("Limit for result exceeded, max {what}: {limit}, current {what}: {current}"),
            ));
        }
    }
    Ok(true)
}
