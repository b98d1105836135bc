//! Division: `divide` is always in floating point (decimals aside); `intDiv` and `modulo` divide integers in 64 bits, or in
//! 256 where an argument is wider, truncating toward zero. `intDiv` of floats divides them as such, then cuts the quotient.

use SqlType as T;
use arrow::array::ArrayRef;
use arrow::datatypes::{ArrowPrimitiveType, Decimal256Type, Float64Type, Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::kinds::{self, match_integer};
use super::plus::no_operation;
use super::{decimal, elements, wide};
use crate::columns::{Numbers, binary, numbers, try_binary, unary};
use crate::define::{arity, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::tuple_arithmetic;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Quotient,
    Remainder,
    /// The remainder as mathematics has it: never negative.
    PositiveRemainder,
}

/// What division by zero gives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByZero {
    Fails,
    Gives0,
    GivesNull,
}

pub fn register(registry: &mut Registry) {
    registry.scalar("divide", plain(divide));
    for (name, part, zero) in [
        ("intDiv", Part::Quotient, ByZero::Fails),
        ("intDivOrZero", Part::Quotient, ByZero::Gives0),
        ("intDivOrNull", Part::Quotient, ByZero::GivesNull),
        ("modulo", Part::Remainder, ByZero::Fails),
        ("moduloOrZero", Part::Remainder, ByZero::Gives0),
        ("moduloOrNull", Part::Remainder, ByZero::GivesNull),
        ("positiveModulo", Part::PositiveRemainder, ByZero::Fails),
        ("positiveModuloOrNull", Part::PositiveRemainder, ByZero::GivesNull),
    ] {
        registry.scalar(name, plain(move |name, arguments, env| bind(name, part, zero, arguments, env)));
    }
    registry.scalar("moduloLegacy", plain(modulo_legacy));
    registry.alias("mod", "modulo");
    registry.any_case("mod");
    registry.alias("modOrNull", "moduloOrNull");
    registry.alias("positive_modulo", "positiveModulo");
    registry.alias("pmod", "positiveModulo");
    for name in ["modOrNull", "pmod", "positive_modulo", "positiveModulo", "positiveModuloOrNull"] {
        registry.any_case(name);
    }
    for alias in ["positive_modulo_or_null", "pmodOrNull"] {
        registry.alias(alias, "positiveModuloOrNull");
        registry.any_case(alias);
    }
    registry.scalar("divideOrNull", plain(|name, arguments, _| divide_or_null(name, arguments)));
}

fn divide(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if elements::are_array_and_number(arguments) {
        return elements::by_number(name, "divide", arguments, env);
    }
    if is_tuple_by_number(arguments) {
        return tuple_arithmetic::by_number(name, arguments, "divide", env);
    }
    let addressed = kinds::with_numbers(arguments);
    let arguments = addressed.as_deref().unwrap_or(arguments);
    let (a, b) = (&arguments[0].kind, &arguments[1].kind);
    if a.is_decimal() || b.is_decimal() {
        return decimal::bind_divide(name, arguments, env);
    }
    if kinds::sum(a, b, false).is_none() {
        return Err(no_operation(name, arguments));
    }
    Ok(Bound::cast(vec![T::Float64; 2], T::Float64, |args, rows| {
        binary::<Float64Type, Float64Type, Float64Type>(&args[0], &args[1], rows, |a, b| a / b)
    }))
}

/// In floating point; NULL where the divisor is zero.
fn divide_or_null(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if kinds::sum(&arguments[0].kind, &arguments[1].kind, false).is_none() {
        return Err(no_operation(name, arguments));
    }
    Ok(Bound::cast(vec![T::Float64; 2], T::Float64.nullable(), |args, rows| {
        let quotients = binary::<Float64Type, Float64Type, Float64Type>(&args[0], &args[1], rows, |a, b| a / b)?;
        null_where_zero::<Float64Type>(&quotients, &args[1], |b| b == 0.0)
    }))
}

fn result_kind(part: Part, a: &SqlType, b: &SqlType) -> Option<SqlType> {
    match part {
        Part::Quotient => kinds::quotient(a, b),
        Part::Remainder => kinds::remainder(a, b),
        Part::PositiveRemainder if a.is_float() || b.is_float() => kinds::remainder(a, b),
        Part::PositiveRemainder => {
            kinds::integer(a)?;
            kinds::integer(b).map(|(bits, _)| SqlType::integer(bits, false))
        }
    }
}

fn division_by_zero() -> Error {
    Error::new(ErrorCode::ILLEGAL_DIVISION, "Division by zero")
}

fn by_zero(zero: ByZero) -> Result<Option<i64>> {
    match zero {
        ByZero::Fails => Err(division_by_zero()),
        ByZero::Gives0 => Ok(Some(0)),
        ByZero::GivesNull => Ok(None),
    }
}

/// A tuple is divided element by element; it divides nothing.
fn is_tuple_by_number(arguments: &[Argument]) -> bool {
    matches!(arguments[0].kind, T::Tuple(_)) && arguments[1].kind.is_number()
}

/// As `integers`; those that ClickHouse has it of also of an array or a tuple and a number, and the remainder of a day or a
/// moment.
fn bind(name: &str, part: Part, zero: ByZero, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let operation = match (part, zero) {
        (Part::Quotient, ByZero::Fails) => Some("intDiv"),
        (Part::Quotient, ByZero::Gives0) => Some("intDivOrZero"),
        (Part::Remainder, ByZero::Fails) => Some("modulo"),
        (Part::PositiveRemainder, ByZero::Fails) => Some("positiveModulo"),
        _ => None,
    };
    if let Some(operation) = operation {
        if elements::are_array_and_number(arguments) {
            return elements::by_number(name, operation, arguments, env);
        }
        if is_tuple_by_number(arguments) {
            return tuple_arithmetic::by_number(name, arguments, operation, env);
        }
    }
    if part != Part::Quotient
        && zero == ByZero::Fails
        && let Some(bound) = of_moment(name, part, arguments)?
    {
        return Ok(bound);
    }
    integers(name, part, zero, arguments)
}

/// The remainder of a Date, which counts as its days, or of a DateTime, as its seconds. It has the divisor's own type.
fn of_moment(name: &str, part: Part, arguments: &[Argument]) -> Result<Option<Bound>> {
    let count = match &arguments[0].kind {
        T::Date => T::UInt16,
        T::DateTime(_) => T::UInt32,
        _ => return Ok(None),
    };
    let result = match (&arguments[1].kind, kinds::integer(&arguments[1].kind)) {
        (_, Some((bits @ ..=64, signed))) => SqlType::integer(bits, signed),
        (kind, _) if kind.is_float() => T::Float64,
        _ => return Ok(None),
    };
    let counted = [Argument { kind: count, constant: None }, arguments[1].clone()];
    Ok(Some(narrowed(integers(name, part, ByZero::Fails, &counted)?, result)))
}

/// What a kernel computes in another type.
fn narrowed(bound: Bound, to: SqlType) -> Bound {
    let (kernel, from, kind) = (bound.kernel, bound.result, to.clone());
    Bound::cast(bound.arguments, to, move |args, rows| {
        gristmill_types::cast::cast(&kernel(args, rows)?, &from, &kind, &Default::default())
    })
}

fn integers(name: &str, part: Part, zero: ByZero, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let addressed = kinds::with_numbers(arguments);
    let arguments = addressed.as_deref().unwrap_or(arguments);
    let (a, b) = (arguments[0].kind.clone(), arguments[1].kind.clone());
    if part == Part::Quotient && (a.is_decimal() || b.is_decimal()) && !a.is_float() && !b.is_float() {
        return decimals(name, zero, arguments);
    }
    if part == Part::Quotient && (a.is_float() || b.is_float()) {
        return float_quotient(name, zero, arguments);
    }
    // Decimals are divided as the floats they are, but to the last digit.
    let of_decimals = a.is_decimal() || b.is_decimal();
    let as_float = |kind: SqlType| if kind.is_decimal() { T::Float64 } else { kind };
    let (a, b) = (as_float(a), as_float(b));
    let plain_result = result_kind(part, &a, &b).ok_or_else(|| no_operation(name, arguments))?;
    let result = if zero == ByZero::GivesNull { plain_result.clone().nullable() } else { plain_result.clone() };
    if plain_result == T::Float64 {
        return Ok(Bound::cast(vec![T::Float64; 2], result, move |args, rows| {
            let remainder = binary::<Float64Type, Float64Type, Float64Type>(&args[0], &args[1], rows, |a, b| {
                // By the formula that ClickHouse computes it with, whose last digits are its own. Nought has no sign.
                let remainder = if of_decimals { a % b + 0.0 } else { a - (a / b).trunc() * b };
                if part == Part::PositiveRemainder && remainder < 0.0 { remainder + b.abs() } else { remainder }
            })?;
            if zero == ByZero::GivesNull {
                null_where_zero::<Float64Type>(&remainder, &args[1], |b| b == 0.0)
            } else {
                Ok(remainder)
            }
        }));
    }
    if part != Part::Quotient
        && let Some(signed) = mixed_signs(&a, &b)
    {
        return Ok(mixed_remainder(part, zero, signed, plain_result, result));
    }
    // The least number of the dividend's type, which has no counterpart above zero.
    let least = kinds::integer(&a).filter(|(bits, signed)| *signed && *bits <= 64).map(|(bits, _)| i64::MIN >> (64 - bits));
    let common = kinds::division(&a, &b).ok_or_else(|| no_operation(name, arguments))?;
    let casts = vec![common.clone(); 2];
    let kernel = move |args: &[ArrayRef], rows: usize| {
        let quiet = if zero == ByZero::GivesNull { ByZero::Gives0 } else { zero };
        let values = match common {
            T::UInt64 => in_64::<UInt64Type>(part, quiet, &plain_result, args, rows, None),
            T::Int64 => in_64::<Int64Type>(part, quiet, &plain_result, args, rows, least),
            ref kind => in_256(part, quiet, kind, &plain_result, args, rows),
        }?;
        match (zero, &common) {
            (ByZero::GivesNull, T::UInt64) => null_where_zero::<UInt64Type>(&values, &args[1], |b| b == 0),
            (ByZero::GivesNull, T::Int64) => {
                let dividends = Numbers::of::<Int64Type>(&args[0])?;
                null_where::<Int64Type>(&values, &args[1], |row, b| b == 0 || b == -1 && Some(dividends.get(row)) == least)
            }
            (ByZero::GivesNull, _) => {
                null_where_zero::<Decimal256Type>(&values, &args[1], |b| b == arrow::datatypes::i256::ZERO)
            }
            _ => Ok(values),
        }
    };
    Ok(Bound::cast(casts, result, kernel))
}

/// Which of the two has a sign, where the other is UInt64: no type of 64 bits holds the numbers of both.
fn mixed_signs(a: &SqlType, b: &SqlType) -> Option<[bool; 2]> {
    match (kinds::integer(a)?, kinds::integer(b)?) {
        ((64, false), (..=64, true)) => Some([false, true]),
        ((..=64, true), (64, false)) => Some([true, false]),
        _ => None,
    }
}

/// The remainder of such numbers. It is in 64 bits again, as it is smaller than the divisor and no larger than the dividend.
fn mixed_remainder(part: Part, zero: ByZero, signed: [bool; 2], plain_result: SqlType, result: SqlType) -> Bound {
    let carriers = signed.map(|signed| if signed { T::Int64 } else { T::UInt64 });
    let rest = move |a: i128, b: i128| -> Result<i64> {
        match (b, part) {
            (0, _) => Ok(by_zero(zero)?.unwrap_or(0)),
            (_, Part::PositiveRemainder) => Ok(a.rem_euclid(b) as i64),
            _ => Ok((a % b) as i64),
        }
    };
    Bound::cast(carriers.to_vec(), result, move |args, rows| {
        let (a, b) = (&args[0], &args[1]);
        let remainders = if signed[0] {
            try_binary::<Int64Type, UInt64Type, Int64Type>(a, b, rows, |a, b| rest(a.into(), b.into()))
        } else {
            try_binary::<UInt64Type, Int64Type, Int64Type>(a, b, rows, |a, b| rest(a.into(), b.into()))
        }?;
        let remainders = gristmill_types::cast::cast(&remainders, &T::Int64, &plain_result, &Default::default())?;
        match (zero, signed[1]) {
            (ByZero::GivesNull, true) => null_where_zero::<Int64Type>(&remainders, b, |b| b == 0),
            (ByZero::GivesNull, false) => null_where_zero::<UInt64Type>(&remainders, b, |b| b == 0),
            _ => Ok(remainders),
        }
    })
}

/// The whole quotient of decimals, or of one and an integer: of their digits, brought to one scale.
fn decimals(name: &str, zero: ByZero, arguments: &[Argument]) -> Result<Bound> {
    use arrow::datatypes::i256;
    let scale = |argument: &Argument| match argument.kind.plain() {
        T::Decimal { scale, .. } => *scale,
        _ => 0,
    };
    let scales = [scale(&arguments[0]), scale(&arguments[1])];
    let bits = |argument: &Argument| kinds::integer(&as_integer(&argument.kind)).map(|(bits, _)| bits);
    let (bits, _) = bits(&arguments[0]).zip(bits(&arguments[1])).ok_or_else(|| no_operation(name, arguments))?;
    let result = SqlType::integer(bits, true);
    let casts = scales.map(|scale| T::Decimal { precision: 76, scale }).to_vec();
    let raised = |value: i256, by: u8| {
        let factor = i256::from_i128(10).wrapping_pow(u32::from(by));
        value.checked_mul(factor).ok_or_else(|| {
            let text = "Decimal math overflow: a side of intDiv needs more than 256 bits in the scale of the other";
            Error::new(ErrorCode::DECIMAL_OVERFLOW, text)
        })
    };
    let kind = result.clone();
    let bound = if zero == ByZero::GivesNull { result.nullable() } else { result };
    Ok(Bound::cast(casts, bound, move |args, rows| {
        let (a, b) = (Numbers::of::<Decimal256Type>(&args[0])?, Numbers::of::<Decimal256Type>(&args[1])?);
        let common = scales[0].max(scales[1]);
        let compute = |row: usize| -> Result<i256> {
            if b.get(row) == i256::ZERO {
                return Ok(i256::from_i128(by_zero(zero)?.unwrap_or(0).into()));
            }
            let (a, b) = (raised(a.get(row), common - scales[0])?, raised(b.get(row), common - scales[1])?);
            let quotient = a.wrapping_div(b);
            if bits < 64 && !gristmill_types::wide::fits(quotient, false, bits, true) {
                let text = format!("Convert overflow: a quotient does not fit {kind}");
                return Err(Error::new(ErrorCode::DECIMAL_OVERFLOW, text));
            }
            Ok(quotient)
        };
        let quotients = if wide::is_wide(&kind) {
            numbers::<Decimal256Type>(rows, |row| Ok(wide::wrap(&kind, compute(row)?)))?
        } else {
            match_integer!(&kind, R => numbers::<R>(rows, |row| Ok(compute(row)?.to_parts().0 as <R as ArrowPrimitiveType>::Native)),
                else Err(Error::logical(format!("A division of decimals into {kind}"))))?
        };
        match zero {
            ByZero::GivesNull => null_where_zero::<Decimal256Type>(&quotients, &args[1], |b| b == i256::ZERO),
            _ => Ok(quotients),
        }
    }))
}

fn null_where_zero<T: ArrowPrimitiveType>(
    values: &ArrayRef,
    divisors: &ArrayRef,
    is_zero: impl Fn(T::Native) -> bool,
) -> Result<ArrayRef> {
    null_where::<T>(values, divisors, |_, divisor| is_zero(divisor))
}

/// NULL in the rows whose divisor cannot divide.
fn null_where<T: ArrowPrimitiveType>(
    values: &ArrayRef,
    divisors: &ArrayRef,
    is_null: impl Fn(usize, T::Native) -> bool,
) -> Result<ArrayRef> {
    use arrow::array::Array;
    let divisors = Numbers::of::<T>(divisors)?;
    let valid = (0..values.len()).map(|row| !is_null(row, divisors.get(row))).collect::<arrow::buffer::BooleanBuffer>();
    let nulls = Some(arrow::buffer::NullBuffer::new(valid));
    Ok(arrow::array::make_array(values.to_data().into_builder().nulls(nulls).build()?))
}

/// The integer that carries a decimal; other types as they are. 9, 18, 38 and 76 digits take 32, 64, 128 and 256 bits.
fn as_integer(kind: &SqlType) -> SqlType {
    match kind.plain() {
        T::Decimal { precision, .. } => {
            SqlType::integer(u16::from(decimal::width(*precision)).next_power_of_two() * 2, true)
        }
        other => other.clone(),
    }
}

/// The quotient of floats, or of one and another number, cut to an integer.
fn float_quotient(name: &str, zero: ByZero, arguments: &[Argument]) -> Result<Bound> {
    let (a, b) = (as_integer(&arguments[0].kind), as_integer(&arguments[1].kind));
    let result = kinds::quotient(&a, &b).ok_or_else(|| no_operation(name, arguments))?;
    let (bits, _) = result.integer_bits().ok_or_else(|| no_operation(name, arguments))?;
    let end = 2f64.powi(i32::from(bits) - 1);
    let bound = if zero == ByZero::GivesNull { result.clone().nullable() } else { result.clone() };
    Ok(Bound::cast(vec![T::Float64; 2], bound, move |args, rows| {
        let (a, b) = (Numbers::of::<Float64Type>(&args[0])?, Numbers::of::<Float64Type>(&args[1])?);
        let compute = |row: usize| -> Result<f64> {
            let (a, b) = (a.get(row), b.get(row));
            if b == 0.0 {
                return Ok(by_zero(zero)?.unwrap_or(0) as f64);
            }
            let quotient = (a / b).trunc();
            if (-end..end).contains(&quotient) {
                return Ok(quotient);
            }
            let text = format!("The integer quotient of {a} and {b} is not finite or too large for {result}");
            Err(Error::new(ErrorCode::ILLEGAL_DIVISION, text))
        };
        let quotients = if wide::is_wide(&result) {
            numbers::<Decimal256Type>(rows, |row| Ok(gristmill_types::wide::from_f64(compute(row)?).unwrap_or_default()))?
        } else {
            match_integer!(&result, R => numbers::<R>(rows, |row| Ok(compute(row)? as <R as ArrowPrimitiveType>::Native)),
                else Err(Error::logical(format!("A division of floats into {result}"))))?
        };
        match zero {
            ByZero::GivesNull => null_where_zero::<Float64Type>(&quotients, &args[1], |b| b == 0.0),
            _ => Ok(quotients),
        }
    }))
}

/// `modulo` as partition keys of old tables have it: computed as C does, and in the type of the divisor.
fn modulo_legacy(name: &str, arguments: &[Argument], _: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let Some((left, right)) = kinds::integer(&arguments[0].kind).zip(kinds::integer(&arguments[1].kind)) else {
        return integers(name, Part::Remainder, ByZero::Fails, arguments);
    };
    let bound = match unsigned_bits(left, right) {
        Some(bits) => unsigned_remainder(left.1, right.1, bits),
        None => integers(name, Part::Remainder, ByZero::Fails, arguments)?,
    };
    Ok(narrowed(bound, SqlType::integer(right.0, left.1 || right.1)))
}

/// How wide the numbers are whose signs C takes for bits, since one of them has none and is not the narrower. `None`: signs stay.
fn unsigned_bits(left: (u16, bool), right: (u16, bool)) -> Option<u16> {
    let (unsigned, signed) = match (left, right) {
        ((unsigned, false), (signed, true)) | ((signed, true), (unsigned, false)) => (unsigned, signed),
        _ => return None,
    };
    ((32..=64).contains(&unsigned) && unsigned >= signed).then_some(unsigned)
}

/// The remainder of numbers of up to 64 bits, of which the lower `bits` are read without a sign.
fn unsigned_remainder(left_signed: bool, right_signed: bool, bits: u16) -> Bound {
    let carrier = |signed: bool| if signed { T::Int64 } else { T::UInt64 };
    let mask = u64::MAX >> (64 - bits);
    let whole = |array: &ArrayRef, signed: bool| match signed {
        true => unary::<Int64Type, UInt64Type>(array, |value| value as u64),
        false => Ok(array.clone()),
    };
    Bound::cast(vec![carrier(left_signed), carrier(right_signed)], T::UInt64, move |args, rows| {
        let (a, b) = (whole(&args[0], left_signed)?, whole(&args[1], right_signed)?);
        try_binary::<UInt64Type, UInt64Type, UInt64Type>(&a, &b, rows, |a, b| {
            (a & mask).checked_rem(b & mask).ok_or_else(division_by_zero)
        })
    })
}

/// What the two 64-bit kernels share.
trait Divisible: Copy {
    fn is_zero(self) -> bool;
    /// `None`: the quotient does not fit.
    fn parts(self, by: Self) -> Option<(Self, Self)>;
    fn positive(remainder: Self, by: Self) -> Self;
    fn as_i64(self) -> i64;
}

impl Divisible for i64 {
    fn is_zero(self) -> bool {
        self == 0
    }
    fn parts(self, by: i64) -> Option<(i64, i64)> {
        Some((self.checked_div(by)?, self.wrapping_rem(by)))
    }
    fn positive(remainder: i64, by: i64) -> i64 {
        if remainder < 0 { remainder.wrapping_add(by.wrapping_abs()) } else { remainder }
    }
    fn as_i64(self) -> i64 {
        self
    }
}

impl Divisible for u64 {
    fn is_zero(self) -> bool {
        self == 0
    }
    fn parts(self, by: u64) -> Option<(u64, u64)> {
        Some((self.checked_div(by)?, self.wrapping_rem(by)))
    }
    fn positive(remainder: u64, _by: u64) -> u64 {
        remainder
    }
    fn as_i64(self) -> i64 {
        self as i64
    }
}

/// `least`: the dividend that minus one does not divide.
fn in_64<A>(
    part: Part,
    zero: ByZero,
    result: &SqlType,
    args: &[ArrayRef],
    rows: usize,
    least: Option<i64>,
) -> Result<ArrayRef>
where
    A: ArrowPrimitiveType,
    A::Native: Divisible,
{
    let (a, b) = (Numbers::of::<A>(&args[0])?, Numbers::of::<A>(&args[1])?);
    let compute = |row: usize| -> Result<i64> {
        let (a, b) = (a.get(row), b.get(row));
        if Divisible::is_zero(b) {
            return Ok(by_zero(zero)?.unwrap_or(0));
        }
        let fits = least != Some(a.as_i64()) || b.as_i64() != -1;
        match (a.parts(b).filter(|_| fits), part) {
            (Some((quotient, _)), Part::Quotient) => Ok(quotient.as_i64()),
            (Some((_, remainder)), Part::Remainder) => Ok(remainder.as_i64()),
            (Some((_, remainder)), Part::PositiveRemainder) => Ok(Divisible::positive(remainder, b).as_i64()),
            (None, Part::Quotient) if zero == ByZero::Fails => {
                Err(Error::new(ErrorCode::ILLEGAL_DIVISION, "Division of minimal signed number by minus one"))
            }
            (None, _) => Ok(0),
        }
    };
    match_integer!(result, R => numbers::<R>(rows, |row| Ok(compute(row)? as <R as ArrowPrimitiveType>::Native)),
        else Err(Error::logical(format!("A 64-bit division into {result}"))))
}

fn in_256(part: Part, zero: ByZero, common: &SqlType, result: &SqlType, args: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    use arrow::datatypes::i256;
    let (a, b) = (Numbers::of::<Decimal256Type>(&args[0])?, Numbers::of::<Decimal256Type>(&args[1])?);
    let compute = |row: usize| -> Result<i256> {
        let (a, b) = (a.get(row), b.get(row));
        let Some((quotient, remainder)) = wide::divide(common, a, b) else {
            return Ok(i256::from_i128(i128::from(by_zero(zero)?.unwrap_or(0))));
        };
        Ok(match part {
            Part::Quotient => quotient,
            Part::PositiveRemainder if remainder.is_negative() && *common != T::UInt256 => {
                remainder.wrapping_add(b.wrapping_abs())
            }
            _ => remainder,
        })
    };
    if wide::is_wide(result) {
        return numbers::<Decimal256Type>(rows, |row| Ok(wide::wrap(result, compute(row)?)));
    }
    match_integer!(result, R => numbers::<R>(rows, |row| Ok(compute(row)?.to_parts().0 as <R as ArrowPrimitiveType>::Native)),
        else Err(Error::logical(format!("A 256-bit division into {result}"))))
}
