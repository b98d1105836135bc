//! `digits(n, offset[, length])`, some of a number's decimal digits, and `isProbablePrime`, by Miller and Rabin's test.

use SqlType as T;
use arrow::datatypes::{Decimal256Type, Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use num_bigint::BigUint;

use crate::columns::{Numbers, numbers, truths};
use crate::define::{arity, bad_argument, constant_integer, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("digits", plain(|name, arguments, _| digits(name, arguments)));
    registry.scalar("isProbablePrime", plain(|name, arguments, _| probable_prime(name, arguments)));
}

fn expect_native(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    match arguments[i].kind.integer_bits() {
        Some((..=64, _)) => Ok(()),
        _ => Err(illegal(name, arguments, i, "an integer of up to 64 bits")),
    }
}

/// As `substring` takes characters: from 1, a negative offset from the end, a negative length leaves so many out at the end.
fn digits(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    (0..arguments.len()).try_for_each(|i| expect_native(name, arguments, i))?;
    let unsigned = arguments[0].kind == T::UInt64;
    let mut casts = vec![if unsigned { T::UInt64 } else { T::Int64 }];
    casts.extend(vec![T::Int64; arguments.len() - 1]);
    let name = name.to_string();
    Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
        let offsets = Numbers::of::<Int64Type>(&args[1])?;
        let lengths = args.get(2).map(Numbers::of::<Int64Type>).transpose()?;
        numbers::<UInt64Type>(rows, |row| {
            let number = if unsigned {
                Numbers::of::<UInt64Type>(&args[0])?.get(row)
            } else {
                Numbers::of::<Int64Type>(&args[0])?.get(row).unsigned_abs()
            };
            let offset = offsets.get(row);
            if offset == 0 {
                let text = format!("Function {name}: digits are counted from 1, not from 0");
                return Err(Error::new(ErrorCode::ZERO_ARRAY_OR_TUPLE_INDEX, text));
            }
            let text = number.to_string();
            let size = text.len() as i64;
            // Both ends, the first of which may lie before the number.
            let start = if offset > 0 { offset - 1 } else { size.saturating_add(offset) };
            let end = match lengths.map(|lengths| lengths.get(row)) {
                None => size,
                Some(length) if length >= 0 => start.saturating_add(length),
                Some(length) => size.saturating_add(length),
            };
            let (start, end) = (start.clamp(0, size) as usize, end.clamp(0, size) as usize);
            Ok(text.get(start..end).and_then(|part| part.parse().ok()).unwrap_or(0))
        })
    }))
}

/// More rounds bring nothing.
const ROUNDS_MAX: i64 = 256;

fn probable_prime(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    let kind = arguments[0].kind.clone();
    let Some((bits, false)) = super::kinds::integer(&kind) else {
        return Err(illegal(name, arguments, 0, "an unsigned integer"));
    };
    let mut casts = vec![if bits <= 64 { T::UInt64 } else { kind }];
    let mut rounds = 25;
    if let Some(given) = arguments.get(1) {
        if !matches!(given.kind.integer_bits(), Some((..=64, false))) {
            return Err(illegal(name, arguments, 1, "a constant unsigned integer"));
        }
        rounds = constant_integer(given).ok_or_else(|| not_constant(name, 1))?;
        if !(1..=ROUNDS_MAX).contains(&rounds) {
            return Err(bad_argument(name, format!("the number of rounds must be from 1 to {ROUNDS_MAX}, not {rounds}")));
        }
        casts.push(given.kind.clone());
    }
    Ok(Bound::cast(casts, T::UInt8, move |args, rows| {
        if bits <= 64 {
            let values = Numbers::of::<UInt64Type>(&args[0])?;
            return truths(rows, |row| super::special::is_prime(values.get(row)));
        }
        let values = Numbers::of::<Decimal256Type>(&args[0])?;
        truths(rows, |row| is_probable_prime(&BigUint::from_bytes_le(&values.get(row).to_le_bytes()), rounds as usize))
    }))
}

/// By Miller and Rabin's test with the first primes as witnesses: as many as there are rounds, and never so few that a number of 64
/// bits could pass wrongly.
fn is_probable_prime(value: &BigUint, rounds: usize) -> bool {
    let (zero, one) = (BigUint::ZERO, BigUint::from(1u8));
    if let Ok(small) = u64::try_from(value) {
        return super::special::is_prime(small);
    }
    let below = value - &one;
    let shift = below.trailing_zeros().unwrap_or(0);
    if shift == 0 {
        return false;
    }
    let odd = &below >> shift;
    (2u64..).filter(|witness| super::special::is_prime(*witness)).take(rounds.max(12)).all(|witness| {
        let witness = BigUint::from(witness);
        if value % &witness == zero {
            return false;
        }
        let mut x = witness.modpow(&odd, value);
        if x == one || x == below {
            return true;
        }
        (1..shift).any(|_| {
            x = &x * &x % value;
            x == below
        })
    })
}
