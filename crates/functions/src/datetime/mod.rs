//! Dates and times: their parts, their starts, sums and differences, texts, and the clock.
//!
//! Every kernel runs over a whole column: dates are read as days, instants as seconds or ticks moved into a zone by a
//! table of its offsets (`moments.rs`), and calendar arithmetic is done on plain integers. Results of type Date and
//! DateTime stay within their ranges as ClickHouse has it: truncations saturate, sums wrap around.

mod difference;
mod format;
mod format_joda;
mod format_pattern;
mod intervals;
mod iso_duration;
mod make;
pub(crate) mod moments;
mod names;
mod now;
mod numerals;
mod parts;
mod shift;
mod slots;
mod starts;
mod starts_of_interval;
pub(crate) mod weeks;
mod windows;
mod zones;

pub(crate) use format::{Compile, Letters, compile, format_bind, names_zones, text_in_zones};
pub(crate) use format_joda::compile as compile_joda;
pub(crate) use format_pattern::{MONTHS, Piece, WEEKDAYS};
pub(crate) use intervals::nanos as interval_nanos;
pub(crate) use shift::plus_minus;
pub(crate) use starts::in_range;
pub(crate) use starts_of_interval::day_start;

use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    parts::register(registry);
    weeks::register(registry);
    starts::register(registry);
    starts_of_interval::register(registry);
    intervals::register(registry);
    shift::register(registry);
    difference::register(registry);
    now::register(registry);
    zones::register(registry);
    make::register(registry);
    numerals::register(registry);
    names::register(registry);
    slots::register(registry);
    format::register(registry);
    iso_duration::register(registry);
    windows::register(registry);
}
