//! Rounding to decimal digits (negative: before the point), of floats, integers and decimals alike.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::datatypes::{ArrowPrimitiveType, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int64Type, i256};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::{SqlType, bfloat};

use crate::arithmetic::kinds::match_integer;
use crate::columns::{Numbers, at, numbers, retype, unary};
use crate::define::{arity, expect_array, expect_integer, expect_number, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Half away from zero, of floats half to even.
    Round,
    /// Half to even.
    Bankers,
    Floor,
    Ceil,
    Trunc,
}

pub fn register(registry: &mut Registry) {
    for (name, mode) in [
        ("round", Mode::Round),
        ("roundBankers", Mode::Bankers),
        ("floor", Mode::Floor),
        ("ceil", Mode::Ceil),
        ("trunc", Mode::Trunc),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| round(name, arguments, mode)));
        if mode != Mode::Bankers {
            registry.any_case(name);
        }
    }
    for (alias, name) in [("ceiling", "ceil"), ("truncate", "trunc")] {
        registry.alias(alias, name);
        registry.any_case(alias);
    }
    registry.scalar("roundDown", plain(|name, arguments, _| round_down(name, arguments)));
    registry.scalar("roundToExp2", plain(|name, arguments, _| to_exp2(name, arguments)));
    registry.scalar(
        "roundAge",
        plain(|name, arguments, _| steps(name, arguments, &[(1, 17), (18, 18), (25, 25), (35, 35), (45, 45), (55, 55)])),
    );
    registry.scalar(
        "roundDuration",
        plain(|name, arguments, _| {
            const BOUNDS: [(i64, u16); 15] = [
                (1, 1),
                (10, 10),
                (30, 30),
                (60, 60),
                (120, 120),
                (180, 180),
                (240, 240),
                (300, 300),
                (600, 600),
                (1200, 1200),
                (1800, 1800),
                (3600, 3600),
                (7200, 7200),
                (18000, 18000),
                (36000, 36000),
            ];
            steps(name, arguments, &BOUNDS)
        }),
    );
}

/// One float. With digits the value is scaled, rounded and scaled back, as ClickHouse does.
fn float(value: f64, digits: i64, mode: Mode) -> f64 {
    let whole = |x: f64| match mode {
        Mode::Round | Mode::Bankers => x.round_ties_even(),
        Mode::Floor => x.floor(),
        Mode::Ceil => x.ceil(),
        Mode::Trunc => x.trunc(),
    };
    if digits == 0 {
        return whole(value);
    }
    let digits = digits.clamp(-400, 400) as i32;
    if digits > 0 {
        let scale = 10f64.powi(digits);
        let scaled = value * scale;
        if scaled.is_finite() { whole(scaled) / scale } else { value }
    } else {
        let scale = 10f64.powi(-digits);
        let rounded = whole(value / scale) * scale;
        // Of a scale that no float holds.
        if rounded.is_nan() { nothing_left(value) } else { rounded }
    }
}

/// A float rounded to more digits before the point than it has.
fn nothing_left(value: f64) -> f64 {
    if value.is_finite() { 0f64.copysign(value) } else { value }
}

/// One integer to a multiple of `unit`, a power of ten.
fn integer(value: i128, unit: i128, mode: Mode) -> i128 {
    let low = value.div_euclid(unit) * unit;
    let rest = value - low;
    let (down, up) = (low, if rest == 0 { low } else { low + unit });
    match mode {
        Mode::Floor => down,
        Mode::Ceil => up,
        Mode::Trunc => {
            if value < 0 {
                up
            } else {
                down
            }
        }
        Mode::Round => match (rest * 2).cmp(&unit) {
            std::cmp::Ordering::Less => down,
            std::cmp::Ordering::Greater => up,
            std::cmp::Ordering::Equal => {
                if value < 0 {
                    down
                } else {
                    up
                }
            }
        },
        Mode::Bankers => match (rest * 2).cmp(&unit) {
            std::cmp::Ordering::Less => down,
            std::cmp::Ordering::Greater => up,
            std::cmp::Ordering::Equal => {
                if (low / unit) % 2 == 0 {
                    down
                } else {
                    up
                }
            }
        },
    }
}

/// An integer type, in which rounding wraps where ClickHouse's does.
#[derive(Clone, Copy)]
struct Machine {
    bits: u16,
    signed: bool,
}

impl Machine {
    fn of(kind: &SqlType) -> Machine {
        let (bits, signed) = kind.integer_bits().unwrap_or((64, true));
        Machine { bits, signed }
    }

    fn wrap(self, value: i128) -> i128 {
        let low = value & ((1 << self.bits) - 1);
        if self.signed && low >> (self.bits - 1) == 1 { low - (1 << self.bits) } else { low }
    }

    /// As C computes: integers of less than 32 bits in 32.
    fn promoted(self, value: i128) -> i128 {
        if self.bits < 32 { value } else { self.wrap(value) }
    }

    /// To a multiple of `unit`, a power of ten. A unit that the type does not hold leaves nothing.
    fn rounded(self, value: i128, unit: i128, mode: Mode) -> i128 {
        if self.wrap(unit) != unit {
            return 0;
        }
        let negative = value < 0;
        let rounded = match mode {
            Mode::Trunc => value / unit * unit,
            Mode::Floor => self.wrap(if negative { value - (unit - 1) } else { value }) / unit * unit,
            Mode::Ceil => self.wrap(if negative { value } else { value + (unit - 1) }) / unit * unit,
            Mode::Round | Mode::Bankers => {
                let value = if negative { self.wrap(value - unit) } else { value };
                let raised = self.promoted(value + unit / 2);
                let quotient = raised / unit;
                let is_half = mode == Mode::Bankers && quotient * unit == self.wrap(raised);
                if is_half { ((quotient + i128::from(value < 0)) & !1) * unit } else { quotient * unit }
            }
        };
        self.wrap(rounded)
    }
}

fn round(name: &str, arguments: &[Argument], mode: Mode) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_number(name, arguments, 0)?;
    let of_bool = *arguments[0].kind.plain() == T::Bool;
    let kind = if of_bool { T::UInt8 } else { arguments[0].kind.plain().clone() };
    let mut casts = vec![kind.clone()];
    if arguments.len() == 2 {
        expect_integer(name, arguments, 1)?;
        casts.push(T::Int64);
    }
    let result = if of_bool { T::Bool } else { kind.clone() };
    let name = name.to_string();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let digits = args.get(1).map(Numbers::of::<Int64Type>).transpose()?;
        let digits = |row: usize| digits.as_ref().map_or(0, |digits| digits.get(row));
        match &kind {
            T::Float64 => {
                let values = Numbers::of::<Float64Type>(&args[0])?;
                numbers::<Float64Type>(rows, |row| Ok(float(values.get(row), digits(row), mode)))
            }
            T::Float32 => {
                let values = Numbers::of::<Float32Type>(&args[0])?;
                numbers::<Float32Type>(rows, |row| Ok(float32(values.get(row), digits(row), mode)))
            }
            T::BFloat16 => {
                let values = Numbers::of::<Float32Type>(&args[0])?;
                numbers::<Float32Type>(rows, |row| Ok(bfloat::cut(float32(values.get(row), digits(row), mode))))
            }
            T::Decimal { precision, scale } => decimal(&args[0], rows, *precision, *scale, mode, &digits),
            kind if crate::arithmetic::is_wide(kind) => decimal(&args[0], rows, 76, 0, mode, &digits),
            kind => match_integer!(kind, I => {
                let values = Numbers::of::<I>(&args[0])?;
                let machine = Machine::of(kind);
                let rounded = numbers::<I>(rows, |row| {
                    let (value, digits) = (values.get(row), digits(row));
                    Ok(match digits {
                        0.. => value,
                        -20..0 => machine.rounded(i128::from(value), 10i128.pow(-digits as u32), mode) as <I as ArrowPrimitiveType>::Native,
                        _ => 0,
                    })
                })?;
                Ok(if of_bool { as_bools(&rounded) } else { rounded })
            }, else Err(Error::logical(format!("{name} of {kind}")))),
        }
    }))
}

fn as_bools(numbers: &ArrayRef) -> ArrayRef {
    Arc::new(BooleanArray::new(crate::logic::truth(numbers), None))
}

/// Float32 is scaled in its own precision.
fn float32(value: f32, digits: i64, mode: Mode) -> f32 {
    let whole = |x: f32| match mode {
        Mode::Round | Mode::Bankers => x.round_ties_even(),
        Mode::Floor => x.floor(),
        Mode::Ceil => x.ceil(),
        Mode::Trunc => x.trunc(),
    };
    let digits = digits.clamp(-60, 60) as i32;
    match digits {
        0 => whole(value),
        1.. => {
            let scale = 10f32.powi(digits);
            let scaled = value * scale;
            if scaled.is_finite() { whole(scaled) / scale } else { value }
        }
        _ => {
            let scale = 10f32.powi(-digits);
            let rounded = whole(value / scale) * scale;
            if rounded.is_nan() { nothing_left(value.into()) as f32 } else { rounded }
        }
    }
}

fn decimal(
    array: &ArrayRef,
    rows: usize,
    precision: u8,
    scale: u8,
    mode: Mode,
    digits: &dyn Fn(usize) -> i64,
) -> Result<ArrayRef> {
    let drop = |row: usize| i64::from(scale) - digits(row).min(i64::from(scale));
    let rounded: ArrayRef = if precision <= 38 {
        let values = array.as_primitive::<Decimal128Type>().values();
        numbers::<Decimal128Type>(rows, |row| {
            let value = values[at(values.len(), row)];
            Ok(match drop(row) {
                0 => value,
                drop @ 1..=37 => integer(value, 10i128.pow(drop as u32), mode),
                _ => 0,
            })
        })?
    } else {
        let values = array.as_primitive::<Decimal256Type>().values();
        numbers::<Decimal256Type>(rows, |row| {
            let value = values[at(values.len(), row)];
            Ok(match drop(row) {
                0 => value,
                drop @ 1..=75 => wide(value, i256::from_i128(10).wrapping_pow(drop as u32), mode),
                _ => i256::ZERO,
            })
        })?
    };
    retype(&rounded, array.data_type())
}

fn wide(value: i256, unit: i256, mode: Mode) -> i256 {
    let truncated = value.wrapping_div(unit).wrapping_mul(unit);
    let rest = value.wrapping_sub(truncated);
    if rest == i256::ZERO {
        return value;
    }
    let negative = value.is_negative();
    let outward = if negative { truncated.wrapping_sub(unit) } else { truncated.wrapping_add(unit) };
    let double = rest.wrapping_abs().wrapping_mul(i256::from_i128(2));
    match mode {
        Mode::Trunc => truncated,
        Mode::Floor => {
            if negative {
                outward
            } else {
                truncated
            }
        }
        Mode::Ceil => {
            if negative {
                truncated
            } else {
                outward
            }
        }
        Mode::Round => {
            if double < unit {
                truncated
            } else {
                outward
            }
        }
        Mode::Bankers if double == unit => {
            let even = truncated.wrapping_div(unit).wrapping_rem(i256::from_i128(2)) == i256::ZERO;
            if even { truncated } else { outward }
        }
        Mode::Bankers => {
            if double < unit {
                truncated
            } else {
                outward
            }
        }
    }
}

/// To the nearest smaller element of a constant array, or its smallest.
fn round_down(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_number(name, arguments, 0)?;
    let element = expect_array(name, arguments, 1)?.clone();
    if !element.is_number() {
        return Err(illegal(name, arguments, 1, "an array of numbers"));
    }
    for kind in [arguments[0].kind.plain(), &element] {
        if crate::arithmetic::is_wide(kind) {
            return Err(Error::new(
                ErrorCode::ILLEGAL_COLUMN,
                format!("Function {name} rounds no {kind}: cast it to Int64"),
            ));
        }
    }
    let result = crate::supertype::least(name, &[arguments[0].kind.plain().clone(), element])?;
    let casts = vec![T::Float64, SqlType::array(T::Float64)];
    let kind = result.clone();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let values = Numbers::of::<Float64Type>(&args[0])?;
        let list = args[1].as_list::<i32>();
        let bounds = list.values().as_primitive::<Float64Type>().values();
        let mut sorted: Vec<f64> = Vec::new();
        let rounded = numbers::<Float64Type>(rows, |row| {
            let index = at(list.len(), row);
            if row == 0 || list.len() > 1 {
                let range = list.value_offsets()[index] as usize..list.value_offsets()[index + 1] as usize;
                sorted = bounds[range].to_vec();
                sorted.sort_by(f64::total_cmp);
            }
            if sorted.is_empty() {
                return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "Function roundDown: the array of bounds is empty"));
            }
            let value = values.get(row);
            if value.is_nan() {
                return Ok(value);
            }
            let above = sorted.partition_point(|bound| *bound <= value);
            Ok(sorted[above.max(1) - 1])
        })?;
        gristmill_types::cast::cast(&rounded, &T::Float64, &kind, &Default::default())
    }))
}

/// The power of two below. Of integers less than one it is zero; floats lose their mantissa and keep their sign.
fn to_exp2(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = match arguments[0].kind.plain() {
        T::Bool => T::UInt8,
        other => other.clone(),
    };
    let result = kind.clone();
    match &kind {
        T::Float64 => Ok(Bound::new(result, |args, _| {
            unary::<Float64Type, Float64Type>(&args[0], |x| f64::from_bits(x.to_bits() & 0xFFF0_0000_0000_0000))
        })),
        T::Float32 => Ok(Bound::new(result, |args, _| {
            unary::<Float32Type, Float32Type>(&args[0], |x| f32::from_bits(x.to_bits() & 0xFF80_0000))
        })),
        other if other.integer_bits().is_some_and(|(bits, _)| bits <= 64) => {
            Ok(Bound::cast(vec![kind.clone()], result, move |args, _| {
                match_integer!(kind, I => unary::<I, I>(&args[0], |value| match i128::from(value) {
                    ..=0 => 0,
                    value => (1i128 << value.ilog2()) as <I as ArrowPrimitiveType>::Native,
                }), else Ok(args[0].clone()))
            }))
        }
        _ => Err(illegal(name, arguments, 0, "an integer of up to 64 bits or a float")),
    }
}

fn steps(name: &str, arguments: &[Argument], bounds: &'static [(i64, u16)]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    expect_number(name, arguments, 0)?;
    let small = bounds.iter().all(|(_, value)| *value < 256);
    Ok(Bound::cast(vec![T::Float64], if small { T::UInt8 } else { T::UInt16 }, move |args, _| {
        // What is no number is below none of the bounds.
        let is_within = |x: f64, from: i64| x.is_nan() || x >= from as f64;
        let step = |x: f64| bounds.iter().rev().find(|(from, _)| is_within(x, *from)).map_or(0, |(_, value)| *value);
        let result: ArrayRef = if small {
            unary::<Float64Type, arrow::datatypes::UInt8Type>(&args[0], |x| step(x) as u8)?
        } else {
            unary::<Float64Type, arrow::datatypes::UInt16Type>(&args[0], step)?
        };
        Ok(Arc::clone(&result))
    }))
}
