//! Limits on what a query reads and gives: `max_rows_to_read`, `max_bytes_to_read`, `max_result_rows`, `max_result_bytes`.
//!
//! They are looked at with every batch of the result, not with every row that is read: a query may go over a limit by what
//! it reads before its next batch.

use std::sync::atomic::Ordering::Relaxed;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;

/// False: the query is to end here with the rows it has (overflow mode `break`). Errors: TOO_MANY_ROWS, TOO_MANY_BYTES,
/// TOO_MANY_ROWS_OR_BYTES.
pub(crate) fn check(context: &QueryContext) -> Result<bool> {
    let settings = &context.settings;
    let progress = &context.progress;
    let limits = [
        (
            progress.read_rows.load(Relaxed),
            settings.max_rows_to_read,
            "rows to read",
            ErrorCode::TOO_MANY_ROWS,
            &settings.read_overflow_mode,
        ),
        (
            progress.read_bytes.load(Relaxed),
            settings.max_bytes_to_read,
            "bytes to read",
            ErrorCode::TOO_MANY_BYTES,
            &settings.read_overflow_mode,
        ),
        (
            progress.result_rows.load(Relaxed),
            settings.max_result_rows,
            "rows of the result",
            ErrorCode::TOO_MANY_ROWS_OR_BYTES,
            &settings.result_overflow_mode,
        ),
        (
            progress.result_bytes.load(Relaxed),
            settings.max_result_bytes,
            "bytes of the result",
            ErrorCode::TOO_MANY_ROWS_OR_BYTES,
            &settings.result_overflow_mode,
        ),
    ];
    for (current, limit, what, code, mode) in limits {
        if limit > 0 && current > limit {
            if mode.eq_ignore_ascii_case("break") {
                return Ok(false);
            }
            return Err(Error::new(code, format!("Limit for {what} exceeded: {current}, maximum: {limit}")));
        }
    }
    Ok(true)
}
