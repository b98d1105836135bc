//! What conversions refuse where values must come out equal (`accurateCast`, `toXOrDefault`), as far as types alone say it.

use SqlType as T;
use arrow::array::{Array, ArrayRef, new_null_array};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};

/// Whether values of a type must come out equal at all. Days, times, intervals and decimals are converted as `toX` does it,
/// also where that wraps around or cuts something off.
pub fn must_come_out_equal(from: &SqlType) -> bool {
    let from = from.plain();
    !(from.is_date_or_time() || from.is_decimal() || matches!(from, T::Time | T::Time64(_) | T::Interval(_)))
}

/// Whether no value is ever converted, and every one is NULL or the default.
pub fn is_always_refused(from: &SqlType, to: &SqlType) -> bool {
    let from = from.plain();
    let unlike = matches!(from, T::Array(_) | T::Map(..) | T::Tuple(_) | T::Uuid | T::IPv6);
    match to.plain() {
        T::IPv4 | T::IPv6 | T::Uuid => from.is_number() && !from.is_decimal(),
        T::Decimal { .. } => unlike,
        T::DateTime64(..) => unlike || matches!(from, T::IPv4 | T::Interval(_)),
        _ => false,
    }
}

/// As `cast`, with NULL for what is always refused.
pub fn cast_unless_refused(array: &ArrayRef, from: &SqlType, to: &SqlType, options: &CastOptions) -> Result<ArrayRef> {
    match is_always_refused(from, to) {
        true => Ok(new_null_array(&to.arrow(), array.len())),
        false => cast(array, from, &to.clone().nullable(), options),
    }
}
