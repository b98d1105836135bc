//! Intervals as Kusto's timespans: `1.02:03:04.5000000`, with days and a fraction only where there are any.

use arrow::array::Int64Array;
use arrow::buffer::ScalarBuffer;
use gristmill_base::{Error, ErrorCode, Result};

use crate::sql_type::IntervalKind;

/// A timespan counts in these.
const TICK_NS: i64 = 100;
const TICKS_A_SECOND: u128 = 10_000_000;
const SECONDS_A_DAY: u128 = 86_400;

pub(super) struct Timespans {
    values: ScalarBuffer<i64>,
    unit_ns: i64,
}

impl Timespans {
    /// Errors: BAD_ARGUMENTS where a value has no certain length, or is no whole number of ticks.
    pub(super) fn new(array: &Int64Array, kind: IntervalKind) -> Result<Timespans> {
        let unit_ns = kind.ratio(IntervalKind::Nanosecond).map(|(unit, _)| unit);
        let mut given = array.iter().flatten();
        match unit_ns {
            None if given.next().is_some() => Err(refused("a calendar interval")),
            Some(1) if given.any(|value| value % TICK_NS != 0) => {
                Err(refused("an IntervalNanosecond that is not a multiple of 100"))
            }
            _ => Ok(Timespans { values: array.values().clone(), unit_ns: unit_ns.unwrap_or(0) }),
        }
    }

    pub(super) fn write(&self, row: usize, out: &mut Vec<u8>) {
        let ticks = i128::from(self.values[row]) * i128::from(self.unit_ns) / i128::from(TICK_NS);
        if ticks < 0 {
            out.push(b'-');
        }
        let ticks = ticks.unsigned_abs();
        let (seconds, fraction) = (ticks / TICKS_A_SECOND, ticks % TICKS_A_SECOND);
        let days = seconds / SECONDS_A_DAY;
        if days > 0 {
            out.extend_from_slice(format!("{days}.").as_bytes());
        }
        let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
        out.extend_from_slice(format!("{hour:02}:{minute:02}:{second:02}").as_bytes());
        if fraction > 0 {
            out.extend_from_slice(format!(".{fraction:07}").as_bytes());
        }
    }
}

fn refused(what: &str) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("Cannot format {what} in Kusto timespan format"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: i64, kind: IntervalKind) -> String {
        let spans = Timespans::new(&Int64Array::from(vec![value]), kind).expect("it has a length");
        let mut out = Vec::new();
        spans.write(0, &mut out);
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn days_and_fractions_are_told_where_there_are_any() {
        assert_eq!(shown(1, IntervalKind::Hour), "01:00:00");
        assert_eq!(shown(1, IntervalKind::Week), "7.00:00:00");
        assert_eq!(shown(-90_061, IntervalKind::Second), "-1.01:01:01");
        assert_eq!(shown(1500, IntervalKind::Millisecond), "00:00:01.5000000");
        assert_eq!(shown(-100, IntervalKind::Nanosecond), "-00:00:00.0000001");
    }

    #[test]
    fn what_is_no_timespan_is_refused() {
        let code = |value: Option<i64>, kind| {
            let spans = Timespans::new(&Int64Array::from(vec![value]), kind);
            spans.err().map(|error| error.code())
        };
        assert_eq!(code(Some(1), IntervalKind::Month), Some(ErrorCode::BAD_ARGUMENTS));
        assert_eq!(code(None, IntervalKind::Month), None);
        assert_eq!(code(Some(150), IntervalKind::Nanosecond), Some(ErrorCode::BAD_ARGUMENTS));
    }
}
