//! Which type holds the values of several, and which type arithmetic gives.
//!
//! The least supertype holds every value of each type unharmed, save that integers beyond 2^53 beside floats go into
//! Float64. Where no such type exists (a number and a string, say) there is NO_COMMON_TYPE; nothing is guessed.
//! Arithmetic widens so that one operation cannot overflow small types: UInt8 + UInt8 is UInt16.

use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};

use crate::sql_type::{IntervalKind, SqlType};
use SqlType as T;

/// The type that the values of all these have in common. Errors: NO_COMMON_TYPE, and BAD_ARGUMENTS for none at all.
pub fn least_supertype(types: &[SqlType]) -> Result<SqlType> {
    let Some((first, rest)) = types.split_first() else { return Ok(T::Nothing) };
    if rest.iter().all(|kind| kind == first) {
        return Ok(first.clone());
    }
    let none = || {
        let names = types.iter().map(T::to_string).collect::<Vec<_>>().join(", ");
        Error::new(
            ErrorCode::NO_COMMON_TYPE,
            format!("There is no supertype for types {names}: cast them to one type, for example with toString()"),
        )
    };
    let nullable = types.iter().any(T::is_nullable);
    let every_low_cardinality = types.iter().all(T::is_low_cardinality);
    // `Nothing` (NULL, elements of []) is held by every type.
    let plain: Vec<&SqlType> = types.iter().map(T::plain).filter(|kind| **kind != T::Nothing).collect();
    let Some((first, rest)) = plain.split_first() else {
        return Ok(if nullable { T::null() } else { T::Nothing });
    };
    let mut common = (*first).clone();
    for kind in rest {
        common = of_two(&common, kind).map_err(|_| none())?;
    }
    let common = if nullable { common.nullable() } else { common };
    if nullable && !common.is_nullable() {
        // Arrays and maps have no NULL to hold.
        return Err(none());
    }
    Ok(if every_low_cardinality { T::LowCardinality(Box::new(common)) } else { common })
}

struct NoCommon;

fn of_two(left: &SqlType, right: &SqlType) -> std::result::Result<SqlType, NoCommon> {
    if left == right {
        return Ok(left.clone());
    }
    let inner = |left: &SqlType, right: &SqlType| least_supertype(&[left.clone(), right.clone()]).map_err(|_| NoCommon);
    Ok(match (left, right) {
        (T::Array(left), T::Array(right)) => T::array(inner(left, right)?),
        (T::Map(lk, lv), T::Map(rk, rv)) => T::Map(Box::new(inner(lk, rk)?), Box::new(inner(lv, rv)?)),
        (T::Tuple(left), T::Tuple(right)) if left.len() == right.len() => {
            // Names stay where both have the same.
            let same_names = left.iter().zip(right).all(|((left, _), (right, _))| left == right);
            let fields = left
                .iter()
                .zip(right)
                .map(|((name, left), (_, right))| Ok((if same_names { name.clone() } else { None }, inner(left, right)?)));
            T::Tuple(fields.collect::<std::result::Result<_, NoCommon>>()?)
        }
        _ if is_stringy(left) && is_stringy(right) => match (left.is_enum(), right.is_enum()) {
            // ClickHouse takes the values of two enums for integers; a string keeps what was written.
            (true, true) if merged(left, right).is_some() => merged(left, right).ok_or(NoCommon)?,
            _ => T::String,
        },
        // Beside a number an enum is the numbers that its names stand for.
        (T::Enum8(_), other) | (other, T::Enum8(_)) if other.is_number() => of_two(&T::Int8, other)?,
        (T::Enum16(_), other) | (other, T::Enum16(_)) if other.is_number() => of_two(&T::Int16, other)?,
        // A Bool is a UInt8 of another name: of the two the first stays.
        (T::Bool, T::UInt8) | (T::UInt8, T::Bool) => left.clone(),
        (T::Bool, other) | (other, T::Bool) if other.is_number() => of_two(&T::UInt8, other)?,
        (T::Interval(left), T::Interval(right)) if left.ratio(*right).is_some() => T::Interval(*left.min(right)),
        (T::IPv4, T::IPv6) | (T::IPv6, T::IPv4) => T::IPv6,
        _ if left.is_date_or_time() && right.is_date_or_time() => of_dates(left, right),
        (T::Time | T::Time64(_), T::Time | T::Time64(_)) => T::Time64(time_scale(left).max(time_scale(right))),
        _ if left.is_decimal() || right.is_decimal() => of_decimals(left, right).ok_or(NoCommon)?,
        _ if left.is_number() && right.is_number() => of_numbers(left, right).ok_or(NoCommon)?,
        _ => return Err(NoCommon),
    })
}

fn is_stringy(kind: &SqlType) -> bool {
    kind.is_string() || kind.is_enum()
}

/// One enum that has the names of both, where one of them already does.
fn merged(left: &SqlType, right: &SqlType) -> Option<SqlType> {
    let (a, b) = (left.enum_values()?, right.enum_values()?);
    let within = |small: &crate::EnumValues, large: &crate::EnumValues| {
        small.0.iter().all(|(name, value)| large.value_of(name.as_bytes()) == Some(*value))
    };
    match (within(a, b), within(b, a)) {
        (true, _) => Some(right.clone()),
        (_, true) => Some(left.clone()),
        _ => None,
    }
}

fn time_scale(kind: &SqlType) -> u8 {
    match kind {
        T::DateTime64(scale, _) | T::Time64(scale) => *scale,
        _ => 0,
    }
}

/// Instants win over dates, finer ones over coarser ones; the zone is that of the finer instant, of two alike the first's, be it
/// the session's. A DateTime that is to hold days beyond its range becomes another type, and that has no zone.
fn of_dates(left: &SqlType, right: &SqlType) -> SqlType {
    let digits = |kind: &SqlType| matches!(kind, T::DateTime64(..)).then(|| time_scale(kind));
    let zone = match (digits(left), digits(right)) {
        (Some(a), Some(b)) if a != b => if a > b { left } else { right }.timezone(),
        (Some(_), None) => left.timezone(),
        (None, Some(_)) => right.timezone(),
        (None, None) if *left == T::Date32 || *right == T::Date32 => None,
        _ if matches!(left, T::Date | T::Date32) => right.timezone(),
        _ => left.timezone(),
    };
    let zone = zone.cloned();
    let has = |test: fn(&SqlType) -> bool| test(left) || test(right);
    let wide = has(|kind| matches!(kind, T::DateTime64(..)));
    let instant = wide || has(|kind| matches!(kind, T::DateTime(_)));
    match (instant, wide || has(|kind| *kind == T::Date32)) {
        (true, true) => T::DateTime64(time_scale(left).max(time_scale(right)), zone),
        (true, false) => T::DateTime(zone),
        (false, _) => T::Date32,
    }
}

/// A BFloat16, or an integer that is added to one in Float32.
fn is_short(kind: &SqlType) -> bool {
    matches!(kind, T::BFloat16 | T::Bool) || kind.integer_bits().is_some_and(|(bits, _)| bits <= 16)
}

/// The type of a sum or product of floats, or of one and an integer.
pub fn sum_of_floats(left: &SqlType, right: &SqlType) -> SqlType {
    if is_short(left.plain()) && is_short(right.plain()) { T::Float32 } else { T::Float64 }
}

fn of_numbers(left: &SqlType, right: &SqlType) -> Option<SqlType> {
    if left.is_float() || right.is_float() {
        // Float32 holds integers of up to 16 bits.
        if is_short(left)
            && is_short(right)
            && (left.integer_bits().or(right.integer_bits())).is_none_or(|(bits, _)| bits == 8)
        {
            return Some(T::BFloat16);
        }
        let small = |kind: &SqlType| {
            matches!(kind, T::BFloat16 | T::Float32) || kind.integer_bits().is_some_and(|(bits, _)| bits <= 16)
        };
        return Some(if small(left) && small(right) { T::Float32 } else { T::Float64 });
    }
    let (left_bits, left_signed) = left.integer_bits()?;
    let (right_bits, right_signed) = right.integer_bits()?;
    if left_signed == right_signed {
        return Some(T::integer(left_bits.max(right_bits), left_signed));
    }
    // The unsigned one needs a bit more to be signed.
    let (signed, unsigned) = if left_signed { (left_bits, right_bits) } else { (right_bits, left_bits) };
    let bits = if unsigned < signed { signed } else { unsigned * 2 };
    (bits <= 256).then(|| T::integer(bits, true))
}

/// The type with UInt8 in the place of Bool, within arrays and tuples too.
pub fn bools_as_numbers(kind: &SqlType) -> SqlType {
    match kind {
        T::Bool => T::UInt8,
        T::Nullable(inner) => T::Nullable(Box::new(bools_as_numbers(inner))),
        T::LowCardinality(inner) => T::LowCardinality(Box::new(bools_as_numbers(inner))),
        T::Array(element) => T::array(bools_as_numbers(element)),
        T::Nested(array) => bools_as_numbers(array),
        T::Tuple(fields) => T::Tuple(fields.iter().map(|(name, kind)| (name.clone(), bools_as_numbers(kind))).collect()),
        other => other.clone(),
    }
}

/// Digits before the point that an integer type may have.
fn integer_digits(kind: &SqlType) -> Option<u8> {
    Some(match kind.integer_bits()? {
        (8, _) => 3,
        (16, _) => 5,
        (32, _) => 10,
        (64, true) => 19,
        (64, false) => 20,
        (128, _) => 39,
        _ => 77,
    })
}

fn of_decimals(left: &SqlType, right: &SqlType) -> Option<SqlType> {
    if left.is_float() || right.is_float() {
        return Some(T::Float64);
    }
    let scale_of = |kind: &SqlType| match kind {
        T::Decimal { scale, .. } => *scale,
        _ => 0,
    };
    let scale = scale_of(left).max(scale_of(right));
    // Decimals bring their native width, integers what their digits need beside the scale.
    let width = |kind: &SqlType| match kind {
        T::Decimal { precision, .. } => Some(width_of(*precision)),
        _ => Some(width_of(integer_digits(kind)? + scale)),
    };
    let precision = width(left)?.max(width(right)?);
    (scale <= precision).then_some(T::Decimal { precision, scale })
}

fn decimal_width(kind: &SqlType) -> Option<u8> {
    match kind {
        T::Decimal { precision, .. } => Some(width_of(*precision)),
        _ => None,
    }
}

/// The digits of the native type (32, 64, 128, 256 bits) that holds so many.
fn width_of(digits: u8) -> u8 {
    match digits {
        ..=9 => 9,
        10..=18 => 18,
        19..=38 => 38,
        _ => 76,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Arithmetic {
    Plus,
    Minus,
    Multiply,
    Divide,
    IntDiv,
    Modulo,
}

impl Arithmetic {
    pub fn name(self) -> &'static str {
        match self {
            Arithmetic::Plus => "plus",
            Arithmetic::Minus => "minus",
            Arithmetic::Multiply => "multiply",
            Arithmetic::Divide => "divide",
            Arithmetic::IntDiv => "intDiv",
            Arithmetic::Modulo => "modulo",
        }
    }
}

/// The type of an operation's result; Nullable where an operand is. Errors: ILLEGAL_TYPE_OF_ARGUMENT.
pub fn arithmetic_result(op: Arithmetic, left: &SqlType, right: &SqlType) -> Result<SqlType> {
    if left.is_null_literal() || right.is_null_literal() {
        return Ok(T::null());
    }
    let result = of_operands(op, left.plain(), right.plain()).ok_or_else(|| {
        Error::new(
            ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
            format!("Illegal types {left} and {right} of arguments of function {}", op.name()),
        )
    })?;
    Ok(if left.is_nullable() || right.is_nullable() { result.nullable() } else { result })
}

fn of_operands(op: Arithmetic, left: &SqlType, right: &SqlType) -> Option<SqlType> {
    use Arithmetic as A;
    match (left, right) {
        (T::Interval(a), T::Interval(b)) => {
            return (matches!(op, A::Plus | A::Minus) && a == b).then(|| left.clone());
        }
        (date, T::Interval(kind)) if date.is_date_or_time() => {
            return matches!(op, A::Plus | A::Minus).then(|| with_interval(date, *kind)).flatten();
        }
        (T::Interval(kind), date) if date.is_date_or_time() => {
            return (op == A::Plus).then(|| with_interval(date, *kind)).flatten();
        }
        (T::Interval(_), number) if number.is_integer() => {
            return matches!(op, A::Multiply | A::IntDiv).then(|| left.clone());
        }
        (number, T::Interval(_)) if number.is_integer() => return (op == A::Multiply).then(|| right.clone()),
        (date, number) if date.is_date_or_time() && number.is_number() => {
            return matches!(op, A::Plus | A::Minus).then(|| date.clone());
        }
        (number, date) if date.is_date_or_time() && number.is_number() => return (op == A::Plus).then(|| date.clone()),
        (a, b) if a.is_date_or_time() && b.is_date_or_time() => {
            return (op == A::Minus).then(|| difference(a, b)).flatten();
        }
        _ => {}
    }
    let left = as_number(left)?;
    let right = as_number(right)?;
    if left.is_decimal() || right.is_decimal() {
        return decimal_result(op, left, right);
    }
    let float = left.is_float() || right.is_float();
    match op {
        A::Divide => Some(T::Float64),
        A::Plus | A::Minus | A::Multiply if float => Some(sum_of_floats(left, right)),
        A::Plus | A::Minus | A::Multiply => {
            let (left_bits, left_signed) = left.integer_bits()?;
            let (right_bits, right_signed) = right.integer_bits()?;
            let bits = left_bits.max(right_bits);
            // One step wider, but not beyond 64 bits by widening alone: from there on results wrap.
            let bits = if bits < 64 { bits * 2 } else { bits };
            let signed = left_signed || right_signed || op == A::Minus;
            Some(T::integer(bits, signed))
        }
        A::IntDiv => {
            // The quotient is no larger than the dividend.
            let (bits, left_signed) = match left {
                T::BFloat16 => (16, true),
                T::Float32 => (32, true),
                T::Float64 => (64, true),
                integer => integer.integer_bits()?,
            };
            let signed = left_signed || right.is_float() || right.integer_bits().is_some_and(|(_, signed)| signed);
            Some(T::integer(bits, signed))
        }
        A::Modulo if float => Some(T::Float64),
        A::Modulo => {
            // The remainder is smaller than the divisor and has the dividend's sign, which may take a bit more.
            let (_, left_signed) = left.integer_bits()?;
            let (bits, _) = right.integer_bits()?;
            Some(T::integer(if left_signed && bits < 64 { bits * 2 } else { bits }, left_signed))
        }
    }
}

/// Bool counts as UInt8, an IPv4 as UInt32.
fn as_number(kind: &SqlType) -> Option<&SqlType> {
    match kind {
        T::Bool => Some(&T::UInt8),
        T::IPv4 => Some(&T::UInt32),
        kind if kind.is_number() => Some(kind),
        _ => None,
    }
}

fn decimal_result(op: Arithmetic, left: &SqlType, right: &SqlType) -> Option<SqlType> {
    use Arithmetic as A;
    if left.is_float() || right.is_float() {
        return Some(if op == A::IntDiv { T::Int64 } else { T::Float64 });
    }
    let scale = |kind: &SqlType| match kind {
        T::Decimal { scale, .. } => *scale,
        _ => 0,
    };
    // Integers do not widen a decimal.
    let width = decimal_width(left).max(decimal_width(right))?;
    let (a, b) = (scale(left), scale(right));
    let scale = match op {
        A::Plus | A::Minus | A::Modulo => a.max(b),
        A::Multiply => a + b,
        A::Divide if left.is_decimal() => a,
        A::Divide => b,
        A::IntDiv => {
            let bits = match width {
                9 => 32,
                18 => 64,
                38 => 128,
                _ => 256,
            };
            return Some(T::integer(bits, true));
        }
    };
    (scale <= width).then_some(T::Decimal { precision: width, scale })
}

/// A date moved by an interval: by less than a day it becomes an instant, by less than its unit a finer one.
fn with_interval(date: &SqlType, kind: IntervalKind) -> Option<SqlType> {
    let fine = match kind {
        IntervalKind::Nanosecond => 9,
        IntervalKind::Microsecond => 6,
        IntervalKind::Millisecond => 3,
        _ => 0,
    };
    let small = kind < IntervalKind::Day;
    Some(match date {
        T::Date | T::Date32 if fine > 0 => return None,
        T::Date if small => T::DateTime(None),
        T::Date32 if small => T::DateTime64(3, None),
        T::DateTime(zone) if fine > 0 => T::DateTime64(fine, zone.clone()),
        T::DateTime64(scale, zone) => T::DateTime64(fine.max(*scale), zone.clone()),
        date => date.clone(),
    })
}

/// Days between dates, seconds between instants.
fn difference(left: &SqlType, right: &SqlType) -> Option<SqlType> {
    Some(match (left, right) {
        (T::Date | T::Date32, T::Date | T::Date32) | (T::DateTime(_), T::DateTime(_)) => T::Int32,
        (T::DateTime64(..) | T::DateTime(_), T::DateTime64(..) | T::DateTime(_)) => {
            T::Decimal { precision: 18, scale: time_scale(left).max(time_scale(right)) }
        }
        _ => return None,
    })
}

/// The smallest type that holds a literal: 1 is UInt8, -1 Int8, 300 UInt16. Beyond 64 bits it is Float64.
pub fn literal_integer_type(value: i128) -> SqlType {
    match value {
        0..=0xFF => T::UInt8,
        0x100..=0xFFFF => T::UInt16,
        0x1_0000..=0xFFFF_FFFF => T::UInt32,
        0x1_0000_0000..=0xFFFF_FFFF_FFFF_FFFF => T::UInt64,
        -0x80..=-1 => T::Int8,
        -0x8000..=-1 => T::Int16,
        -0x8000_0000..=-1 => T::Int32,
        -0x8000_0000_0000_0000..=-1 => T::Int64,
        _ => T::Float64,
    }
}

/// A number as a constant of an integer type of up to 64 bits, which holds it. `None`: the type is another.
pub fn integer_constant(value: i128, kind: &SqlType) -> Option<ScalarValue> {
    Some(match kind {
        T::UInt8 => ScalarValue::UInt8(Some(value as u8)),
        T::UInt16 => ScalarValue::UInt16(Some(value as u16)),
        T::UInt32 => ScalarValue::UInt32(Some(value as u32)),
        T::UInt64 => ScalarValue::UInt64(Some(value as u64)),
        T::Int8 => ScalarValue::Int8(Some(value as i8)),
        T::Int16 => ScalarValue::Int16(Some(value as i16)),
        T::Int32 => ScalarValue::Int32(Some(value as i32)),
        T::Int64 => ScalarValue::Int64(Some(value as i64)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn common(types: &str) -> String {
        let types: Vec<SqlType> = types.split(" | ").map(|name| name.parse().unwrap()).collect();
        least_supertype(&types).map_or_else(|error| error.code().name().to_string(), |kind| kind.to_string())
    }

    /// What ClickHouse 26.9 says of arrays of two such values.
    #[test]
    fn supertypes() {
        for (types, expected) in [
            ("UInt8 | Int8", "Int16"),
            ("UInt8 | UInt16", "UInt16"),
            ("UInt8 | Int16", "Int16"),
            ("UInt32 | Int8", "Int64"),
            ("UInt128 | Int8", "Int256"),
            ("UInt64 | Int128", "Int128"),
            ("UInt8 | Nullable(Nothing)", "Nullable(UInt8)"),
            ("UInt8 | Float32", "Float32"),
            ("UInt16 | Float32", "Float32"),
            ("UInt32 | Float32", "Float64"),
            ("UInt8 | Float64", "Float64"),
            ("Date | DateTime", "DateTime"),
            ("Date | DateTime64(3)", "DateTime64(3)"),
            ("Date | Date32", "Date32"),
            ("Date32 | DateTime", "DateTime64(0)"),
            ("DateTime | DateTime64(6)", "DateTime64(6)"),
            ("DateTime('UTC') | DateTime('Asia/Tokyo')", "DateTime('UTC')"),
            ("DateTime('Asia/Tokyo') | DateTime", "DateTime('Asia/Tokyo')"),
            ("DateTime | DateTime('Asia/Tokyo')", "DateTime"),
            ("Date | DateTime('Asia/Tokyo')", "DateTime('Asia/Tokyo')"),
            ("Decimal(9, 2) | Decimal(9, 4)", "Decimal(9, 4)"),
            ("Decimal(9, 2) | UInt8", "Decimal(9, 2)"),
            ("Decimal(9, 2) | UInt32", "Decimal(18, 2)"),
            ("Decimal(9, 2) | UInt64", "Decimal(38, 2)"),
            ("Decimal(9, 8) | UInt8", "Decimal(18, 8)"),
            ("Decimal(9, 2) | Decimal(18, 4)", "Decimal(18, 4)"),
            ("Bool | Bool", "Bool"),
            ("Bool | UInt8", "Bool"),
            ("UInt8 | Bool", "UInt8"),
            ("Array(UInt8) | Array(Bool)", "Array(UInt8)"),
            ("Bool | UInt8 | UInt16", "UInt16"),
            ("Nullable(UInt8) | Bool", "Nullable(UInt8)"),
            ("Bool | UInt16", "UInt16"),
            ("String | FixedString(3)", "String"),
            ("FixedString(3) | FixedString(4)", "String"),
            ("Enum8('a' = 1) | String", "String"),
            ("LowCardinality(String) | String", "String"),
            ("LowCardinality(String) | LowCardinality(String)", "LowCardinality(String)"),
            ("LowCardinality(String) | Nullable(Nothing)", "Nullable(String)"),
            ("Map(String, UInt8) | Map(String, UInt16)", "Map(String, UInt16)"),
            ("Array(Nothing) | Array(UInt8)", "Array(UInt8)"),
            ("Array(Nothing) | Array(Nullable(Nothing))", "Array(Nullable(Nothing))"),
            ("Tuple(UInt8, String) | Tuple(UInt16, String)", "Tuple(UInt16, String)"),
            ("Tuple(a UInt8, b UInt8) | Tuple(a UInt8, b UInt16)", "Tuple(a UInt8, b UInt16)"),
            ("Tuple(a UInt8, b UInt8) | Tuple(c UInt8, b UInt16)", "Tuple(UInt8, UInt16)"),
            ("String | UInt8", "NO_COMMON_TYPE"),
            ("Date | UInt8", "NO_COMMON_TYPE"),
            ("UUID | String", "NO_COMMON_TYPE"),
            ("Array(UInt8) | UInt8", "NO_COMMON_TYPE"),
        ] {
            assert_eq!(common(types), expected, "{types}");
        }
    }

    #[test]
    fn arithmetic() {
        use Arithmetic::*;
        for (op, left, right, expected) in [
            (Plus, "UInt8", "UInt8", "UInt16"),
            (Minus, "UInt8", "UInt8", "Int16"),
            (Plus, "UInt32", "Int8", "Int64"),
            (Minus, "UInt64", "UInt64", "Int64"),
            (Multiply, "UInt32", "UInt8", "UInt64"),
            (Plus, "Float32", "Float32", "Float64"),
            (Divide, "UInt8", "UInt8", "Float64"),
            (Plus, "UInt128", "UInt8", "UInt128"),
            (Minus, "UInt128", "UInt8", "Int128"),
            (Plus, "UInt256", "Int8", "Int256"),
            (IntDiv, "UInt8", "UInt16", "UInt8"),
            (IntDiv, "UInt64", "Int8", "Int64"),
            (IntDiv, "UInt8", "Float64", "Int8"),
            (IntDiv, "Float64", "UInt8", "Int64"),
            (IntDiv, "Float32", "Int32", "Int32"),
            (IntDiv, "Decimal(9, 2)", "UInt8", "Int32"),
            (Modulo, "UInt8", "UInt16", "UInt16"),
            (Modulo, "Int8", "UInt16", "Int32"),
            (Modulo, "UInt64", "Int8", "UInt8"),
            (Modulo, "Int64", "UInt8", "Int16"),
            (Modulo, "Int128", "Int8", "Int16"),
            (Modulo, "UInt64", "Int256", "UInt256"),
            (Modulo, "Float64", "UInt8", "Float64"),
            (Plus, "Decimal(9, 2)", "Decimal(9, 3)", "Decimal(9, 3)"),
            (Multiply, "Decimal(9, 2)", "Decimal(9, 3)", "Decimal(9, 5)"),
            (Divide, "Decimal(9, 4)", "Decimal(9, 3)", "Decimal(9, 4)"),
            (Multiply, "Decimal(18, 2)", "Decimal(9, 3)", "Decimal(18, 5)"),
            (Plus, "Decimal(9, 2)", "UInt64", "Decimal(9, 2)"),
            (Plus, "Decimal(9, 2)", "Float64", "Float64"),
            (Plus, "Date", "UInt8", "Date"),
            (Minus, "Date", "Date", "Int32"),
            (Minus, "DateTime", "DateTime", "Int32"),
            (Minus, "DateTime64(3)", "DateTime64(6)", "Decimal(18, 6)"),
            (Plus, "Date", "IntervalSecond", "DateTime"),
            (Plus, "Date", "IntervalMonth", "Date"),
            (Plus, "DateTime", "IntervalMillisecond", "DateTime64(3)"),
            (Plus, "Date32", "IntervalHour", "DateTime64(3)"),
            (Plus, "IntervalDay", "DateTime", "DateTime"),
            (Plus, "Bool", "UInt32", "UInt64"),
            (Plus, "IPv4", "UInt8", "UInt64"),
            (Plus, "Nullable(UInt8)", "UInt8", "Nullable(UInt16)"),
            (Plus, "Nullable(Nothing)", "UInt8", "Nullable(Nothing)"),
            (Plus, "LowCardinality(UInt8)", "UInt8", "UInt16"),
        ] {
            let result = arithmetic_result(op, &left.parse().unwrap(), &right.parse().unwrap()).unwrap();
            assert_eq!(result.to_string(), expected, "{left} {} {right}", op.name());
        }
        for (left, right) in
            [("String", "UInt8"), ("Date", "Date"), ("Array(UInt8)", "UInt8"), ("IntervalDay", "IntervalHour")]
        {
            assert!(arithmetic_result(Plus, &left.parse().unwrap(), &right.parse().unwrap()).is_err(), "{left} + {right}");
        }
    }

    #[test]
    fn literals() {
        for (value, expected) in [
            (1, "UInt8"),
            (-1, "Int8"),
            (256, "UInt16"),
            (-129, "Int16"),
            (65_536, "UInt32"),
            (4_294_967_296, "UInt64"),
            (i128::from(u64::MAX), "UInt64"),
            (i128::from(u64::MAX) + 1, "Float64"),
            (i128::from(i64::MIN), "Int64"),
        ] {
            assert_eq!(literal_integer_type(value).to_string(), expected);
        }
    }
}
