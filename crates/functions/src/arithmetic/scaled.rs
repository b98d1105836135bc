//! `multiplyDecimal`, `divideDecimal`: decimals of any width, computed without overflow in between and cut to the scale that is asked
//! for, or to the greater of the two.

use SqlType as T;
use arrow::array::{ArrayRef, PrimitiveArray};
use arrow::datatypes::{Decimal256Type, i256};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use num_bigint::BigInt;
use std::sync::Arc;

use crate::columns::Numbers;
use crate::define::{constant_integer, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

const DIGITS: u8 = 76;

pub fn register(registry: &mut Registry) {
    for (name, divides) in [("multiplyDecimal", false), ("divideDecimal", true)] {
        registry.scalar(name, plain(move |name, arguments, _| bind(name, arguments, divides)));
    }
}

fn scale_of(name: &str, arguments: &[Argument], i: usize) -> Result<u8> {
    match arguments[i].kind {
        T::Decimal { scale, .. } => Ok(scale),
        _ => Err(illegal(name, arguments, i, "Decimal")),
    }
}

fn bind(name: &str, arguments: &[Argument], divides: bool) -> Result<Bound> {
    if !(2..=3).contains(&arguments.len()) {
        let text = format!("Function {name} takes 2 or 3 arguments, not {}", arguments.len());
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let (a, b) = (scale_of(name, arguments, 0)?, scale_of(name, arguments, 1)?);
    let mut scale = a.max(b);
    let mut casts = vec![T::Decimal { precision: DIGITS, scale: a }, T::Decimal { precision: DIGITS, scale: b }];
    if let Some(given) = arguments.get(2) {
        let expected = "a constant UInt8 from 0 to 76";
        if !matches!(given.kind.integer_bits(), Some((..=64, false))) {
            return Err(illegal(name, arguments, 2, expected));
        }
        if given.constant.is_none() {
            let text = format!("Illegal column of argument 3 of function {name}: expected {expected}");
            return Err(Error::new(ErrorCode::ILLEGAL_COLUMN, text));
        }
        let wanted = constant_integer(given).and_then(|scale| u8::try_from(scale).ok()).filter(|scale| *scale <= DIGITS);
        scale = wanted.ok_or_else(|| illegal(name, arguments, 2, expected))?;
        casts.push(given.kind.clone());
    }
    let result = T::Decimal { precision: DIGITS, scale };
    let arrow = result.arrow();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let (left, right) = (Numbers::of::<Decimal256Type>(&args[0])?, Numbers::of::<Decimal256Type>(&args[1])?);
        // The digits that the result has more than what is computed, or fewer.
        let shift = if divides {
            i32::from(scale) + i32::from(b) - i32::from(a)
        } else {
            i32::from(scale) - i32::from(a) - i32::from(b)
        };
        let power = BigInt::from(10).pow(shift.unsigned_abs());
        let mut values = Vec::with_capacity(rows);
        for row in 0..rows {
            let (left, right) = (big(left.get(row)), big(right.get(row)));
            let zero = BigInt::ZERO;
            if divides && right == zero {
                // Below a mask of NULL that is nobody's mistake: the caller asks again without those rows.
                return Err(Error::new(ErrorCode::ILLEGAL_DIVISION, "Division by zero"));
            }
            let made = match (divides, shift >= 0) {
                (false, true) => left * right * &power,
                (false, false) => left * right / &power,
                (true, true) => left * &power / right,
                (true, false) => left / (right * &power),
            };
            values.push(small(&made)?);
        }
        let array = PrimitiveArray::<Decimal256Type>::new(values.into(), None).with_data_type(arrow.clone());
        Ok(Arc::new(array) as ArrayRef)
    }))
}

fn big(value: i256) -> BigInt {
    BigInt::from_signed_bytes_le(&value.to_le_bytes())
}

/// Errors: DECIMAL_OVERFLOW, where it has more than 76 digits.
fn small(value: &BigInt) -> Result<i256> {
    let bytes = value.to_signed_bytes_le();
    let fill = if value.sign() == num_bigint::Sign::Minus { 0xFF } else { 0 };
    let mut whole = [fill; 32];
    if bytes.len() > whole.len() || value.magnitude() >= &num_bigint::BigUint::from(10u8).pow(u32::from(DIGITS)) {
        let text = "Numeric overflow: the result has more than the 76 digits of a Decimal256";
        return Err(Error::new(ErrorCode::DECIMAL_OVERFLOW, text));
    }
    whole[..bytes.len()].copy_from_slice(&bytes);
    Ok(i256::from_le_bytes(whole))
}
