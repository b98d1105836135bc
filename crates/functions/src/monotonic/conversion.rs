//! Conversions from one type to another: where the target holds what the source has, they keep its order; beyond they wrap.

use SqlType as T;
use gristmill_types::SqlType;
use gristmill_types::calendar::{LAST_DAY, LAST_DAY_OF_DATE, LAST_DAY_OF_DATETIME, SECONDS_A_DAY};
use gristmill_types::zone::Zone;

use super::arithmetic::{ends, is_narrow_decimal};
use super::moments::{of_days_or_times, zone_of};
use super::{Holds, Monotonicity, is_number};

/// Texts of days and times have as many digits each; those of numbers have not. Of texts of one width zeros at the end are
/// cut off, which changes nothing in their order. Clocks that are turned back show a time twice.
pub(super) fn text_of(kind: &SqlType, session: &Zone) -> Option<Monotonicity> {
    match kind {
        T::DateTime(_) | T::DateTime64(..) => zone_of(kind, session).is_fixed().then(|| Monotonicity::rising(Holds::Always)),
        T::String | T::FixedString(_) | T::Date | T::Date32 => Some(Monotonicity::rising(Holds::Always)),
        kind if kind.integer_bits().is_some_and(|(bits, _)| bits <= 64) => Some(Monotonicity::rising(Holds::WithinDigits)),
        _ => None,
    }
}

/// The type that a conversion function of this name gives.
pub(super) fn converted(name: &str) -> Option<SqlType> {
    Some(match name {
        "toDate" => T::Date,
        "toDate32" => T::Date32,
        "toDateTime" | "toDateTime32" => T::DateTime(None),
        "toDateTime64" => T::DateTime64(3, None),
        "toUnixTimestamp" => T::UInt32,
        _ => name.strip_prefix("to")?.parse::<SqlType>().ok().filter(|kind| kind.is_integer() || kind.is_float())?,
    })
}

pub(super) fn conversion(from: &SqlType, to: &SqlType, session: &Zone) -> Option<Monotonicity> {
    let always = Some(Monotonicity::rising(Holds::Always));
    if from == to {
        return always;
    }
    match (from, to) {
        (T::Bool, to) if is_number(to) => always,
        (from, T::String) if !matches!(from, T::FixedString(_)) => text_of(from, session),
        // Numbers beyond the last day are read as seconds.
        (from, T::Date) if from.is_integer() => {
            Some(Monotonicity::rising(Holds::Between(i128::MIN, LAST_DAY_OF_DATE.into())))
        }
        (from, T::Date32) if from.is_integer() => Some(Monotonicity::rising(Holds::Between(i128::MIN, LAST_DAY.into()))),
        // What is beyond them is at their end.
        (from, T::DateTime(_) | T::DateTime64(..)) if from.is_integer() => always,
        // Beyond the narrower type's ends days and times wrap around.
        (T::Date32, T::Date) => Some(Monotonicity::rising(Holds::Between(0, LAST_DAY_OF_DATE.into()))),
        (T::Date | T::Date32, T::DateTime(_)) => Some(Monotonicity::rising(Holds::Between(1, LAST_DAY_OF_DATETIME.into()))),
        (T::Date | T::Date32, T::Date | T::Date32) => always,
        (T::Date, T::DateTime64(scale, _)) | (T::DateTime(_), T::DateTime64(scale, _)) if *scale <= 8 => always,
        (T::DateTime64(scale, _), T::Date) => of_days_or_times(from, session).map(|_| {
            let day = i128::from(SECONDS_A_DAY) * 10i128.pow(u32::from(*scale));
            Monotonicity::rising(Holds::Between(day, i128::from(LAST_DAY_OF_DATE) * day))
        }),
        (T::DateTime(_) | T::DateTime64(..), T::Date | T::Date32) => of_days_or_times(from, session),
        (T::DateTime64(scale, _), T::DateTime(_)) => {
            let end = (i128::from(u32::MAX) + 1) * 10i128.pow(u32::from(*scale));
            Some(Monotonicity::rising(Holds::Between(0, end - 1)))
        }
        // Seconds, of which no more are told apart than the integer has.
        (T::DateTime64(scale, _), to) if to.integer_bits().is_some_and(|(bits, _)| bits >= 32) => {
            let (low, high) = ends(to)?;
            let ticks = |seconds: i128| seconds.saturating_mul(10i128.pow(u32::from(*scale)));
            Some(Monotonicity::rising(Holds::Between(ticks(low), ticks(high))))
        }
        (T::DateTime(_), T::DateTime(_)) => always,
        (T::DateTime64(a, _), T::DateTime64(b, _)) if a >= b => always,
        (T::Date | T::Date32 | T::DateTime(_), to) if to.is_integer() => narrowing(carried(from)?, to),
        // The ends of wide ones are beyond what can be said here.
        (from, to) if is_wide(from) && is_wide(to) => match holds_all(to, from) {
            true => always,
            false => {
                let ((low, high), (first, last)) = (ends(from)?, ends(to)?);
                Some(Monotonicity::rising(Holds::Between(first.max(low), last.min(high))))
            }
        },
        (from, to) if from.is_integer() && to.is_integer() => narrowing(ends(from)?, to),
        (from, to) if (from.is_integer() || is_narrow_decimal(from)) && to.is_float() => always,
        (T::FixedString(_), T::String) => always,
        (T::Float32, T::Float64) | (T::Float64, T::Float32) => always,
        (T::Enum8(_) | T::Enum16(_), to) if to.is_integer() => {
            let values = if matches!(from, T::Enum8(_)) {
                (i8::MIN.into(), i8::MAX.into())
            } else {
                (i16::MIN.into(), i16::MAX.into())
            };
            narrowing(values, to)
        }
        (from, to) if is_number(from) && to.is_integer() && !from.is_integer() => {
            let (low, high) = ends(to)?;
            // Digits after the point are cut off towards zero, which keeps the order; scaled carriers are left alone.
            let is_narrow = to.integer_bits().is_some_and(|(bits, _)| bits <= 64);
            (from.is_float() && is_narrow).then(|| Monotonicity::rising(Holds::Between(low, high)))
        }
        _ => None,
    }
}

fn is_wide(kind: &SqlType) -> bool {
    kind.integer_bits().is_some_and(|(bits, _)| bits > 64)
}

/// Whether an integer type has all values of the other.
fn holds_all(kind: &SqlType, other: &SqlType) -> bool {
    let (Some((bits, signed)), Some((of_other, other_signed))) = (kind.integer_bits(), other.integer_bits()) else {
        return false;
    };
    match (signed, other_signed) {
        (true, false) => bits > of_other,
        (false, true) => false,
        _ => bits >= of_other,
    }
}

fn carried(kind: &SqlType) -> Option<(i128, i128)> {
    Some(match kind {
        T::Date => (0, LAST_DAY_OF_DATE.into()),
        T::Date32 => (i32::MIN.into(), i32::MAX.into()),
        T::DateTime(_) => (0, u32::MAX.into()),
        _ => return None,
    })
}

/// Integers keep their low bits: the order stays within a page of as many values as the target has, cut in half where
/// its upper half is negative.
fn narrowing((low, high): (i128, i128), to: &SqlType) -> Option<Monotonicity> {
    let (first, last) = ends(to)?;
    let (bits, signed) = to.integer_bits()?;
    if first <= low && high <= last {
        return Some(Monotonicity::rising(Holds::Always));
    }
    if bits >= 64 {
        return Some(Monotonicity::rising(Holds::Between(first.max(low), last.min(high))));
    }
    Some(Monotonicity::rising(Holds::WithinPage(1 << (if signed { bits - 1 } else { bits }))))
}
