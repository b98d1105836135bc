//! Conversions: `toUInt8` … `toIPv6` with their `OrNull`, `OrZero` and `OrDefault` forms, `CAST` and `accurateCast`,
//! reinterpretation of bytes, reading of dates in any dress or by a pattern, Unix timestamps.
//!
//! The work is done by `gristmill_types::cast`; here is what each function accepts, and what it does with values that
//! cannot be converted.

mod accurate;
mod best_effort;
mod casts;
mod column_structure;
mod families;
mod kusto;
mod parse_pattern;
mod pattern_reader;
mod reinterpret;
mod type_names;
mod unix;

use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    families::register(registry);
    casts::register(registry);
    reinterpret::register(registry);
    best_effort::register(registry);
    parse_pattern::register(registry);
    unix::register(registry);
    type_names::register(registry);
    column_structure::register(registry);
    kusto::register(registry);
}
