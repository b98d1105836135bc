//! Two vectors, or a vector and a number, index by index.
//!
//! Both vectors are walked in the order of their indexes. An index that only one of them has counts as zero in the other for
//! sums and differences; a product with it is zero; and comparisons tell apart what is zero from what is not there, as
//! ClickHouse's sets of bits do: nothing is less than a number that is not there, but what is not there is less than one
//! that is above zero. Comparisons give a vector of ones where they hold.
//!
//! A vector all of whose values are one picks from the other: its values stay to the bit, where products of others are
//! computed in floats.

use std::cmp::Ordering;

use gristmill_base::Result;
use gristmill_types::states::vectors::{Bits, IndexedVector};

use super::numbers::{Number, ValueKind};

/// What a comparison has of either side: bits, and `None` where the index is not there.
type Side = Option<u64>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// With the names that functions end in.
pub const OPERATIONS: [(&str, Operation); 10] = [
    ("Add", Operation::Add),
    ("Subtract", Operation::Subtract),
    ("Multiply", Operation::Multiply),
    ("Divide", Operation::Divide),
    ("Equal", Operation::Equal),
    ("NotEqual", Operation::NotEqual),
    ("Less", Operation::Less),
    ("LessEqual", Operation::LessEqual),
    ("Greater", Operation::Greater),
    ("GreaterEqual", Operation::GreaterEqual),
];

/// What comparisons give has two bits: a one is no sign.
const TRUTHS: Bits = Bits { integer: 2, fraction: 0 };

fn sorted(vector: &IndexedVector) -> Vec<(u32, u64)> {
    let mut entries = vector.entries.clone();
    entries.sort_unstable();
    entries
}

/// Values of both vectors, by ascending index.
fn pairs(one: &IndexedVector, other: &IndexedVector) -> Vec<(u32, Side, Side)> {
    let (one, other) = (sorted(one), sorted(other));
    let (mut out, mut i, mut j) = (Vec::with_capacity(one.len().max(other.len())), 0, 0);
    while i < one.len() || j < other.len() {
        let order = match (one.get(i), other.get(j)) {
            (Some(a), Some(b)) => a.0.cmp(&b.0),
            (Some(_), None) => Ordering::Less,
            _ => Ordering::Greater,
        };
        match order {
            Ordering::Less => out.push((one[i].0, Some(one[i].1), None)),
            Ordering::Equal => out.push((one[i].0, Some(one[i].1), Some(other[j].1))),
            Ordering::Greater => out.push((other[j].0, None, Some(other[j].1))),
        }
        i += usize::from(order.is_le());
        j += usize::from(order.is_ge());
    }
    out
}

/// Bits that have room for the values of both. Error: BAD_ARGUMENTS.
fn common(one: Bits, other: Bits) -> Result<Bits> {
    Bits::new(one.integer.max(other.integer), one.fraction.max(other.fraction))
}

fn are_ones(vector: &IndexedVector) -> bool {
    !vector.is_empty() && vector.entries.iter().all(|(_, value)| *value == 1 << vector.bits.fraction)
}

/// Values of both vectors with as many bits, and how many.
fn aligned(kind: ValueKind, one: &IndexedVector, other: &IndexedVector) -> Result<(Vec<(u32, Side, Side)>, Bits)> {
    let bits = common(one.bits, other.bits)?;
    let mut pairs = pairs(one, other);
    for (_, a, b) in &mut pairs {
        *a = a.map(|raw| kind.widened(raw, one.bits, bits));
        *b = b.map(|raw| kind.widened(raw, other.bits, bits));
    }
    Ok((pairs, bits))
}

pub fn sum(kind: ValueKind, one: &IndexedVector, other: &IndexedVector) -> Result<IndexedVector> {
    if one.is_empty() || other.is_empty() {
        return Ok(if one.is_empty() { other.clone() } else { one.clone() });
    }
    let (pairs, bits) = aligned(kind, one, other)?;
    let sum = |a: Side, b: Side| a.unwrap_or(0).wrapping_add(b.unwrap_or(0)) & bits.mask();
    let entries = pairs.into_iter().map(|(index, a, b)| (index, sum(a, b))).collect();
    Ok(IndexedVector { bits, entries, packed: true })
}

fn difference(kind: ValueKind, one: &IndexedVector, other: &IndexedVector) -> Result<IndexedVector> {
    let (pairs, bits) = aligned(kind, one, other)?;
    let difference = |a: Side, b: Side| a.unwrap_or(0).wrapping_sub(b.unwrap_or(0)) & bits.mask();
    let entries = pairs.into_iter().map(|(index, a, b)| (index, difference(a, b))).collect();
    Ok(IndexedVector { bits, entries, packed: true })
}

/// Values that both have, as `value` makes them of the two; zero where one of them is zero or not there.
fn product(
    one: &IndexedVector,
    other: &IndexedVector,
    bits: Bits,
    packed: bool,
    value: impl Fn(u64, u64) -> u64,
) -> IndexedVector {
    let entries = pairs(one, other).into_iter().map(|(index, a, b)| match (a, b) {
        (Some(a), Some(b)) if a != 0 && b != 0 => (index, value(a, b)),
        _ => (index, 0),
    });
    IndexedVector { bits, entries: entries.collect(), packed }
}

/// Ones at the indexes where `holds`.
fn truths(pairs: Vec<(u32, Side, Side)>, packed: bool, holds: impl Fn(Side, Side) -> bool) -> IndexedVector {
    let entries = pairs.into_iter().filter(|(_, a, b)| holds(*a, *b)).map(|(index, ..)| (index, 1)).collect();
    IndexedVector { bits: TRUTHS, entries, packed }
}

/// `a < b`, of values with so many bits.
fn is_less(kind: ValueKind, bits: Bits) -> impl Fn(Side, Side) -> bool {
    let compare = move |a: u64, b: u64| match kind.is_signed() {
        true => (kind.extended(a, bits) as i64).cmp(&(kind.extended(b, bits) as i64)),
        false => a.cmp(&b),
    };
    move |a, b| match (a, b) {
        (Some(a), Some(b)) => compare(a, b).is_lt(),
        (None, Some(b)) => compare(0, b).is_lt(),
        _ => false,
    }
}

fn is_equal(a: Side, b: Side) -> bool {
    a.unwrap_or(0) == b.unwrap_or(0)
}

/// Two vectors of values of one type. Error: BAD_ARGUMENTS where no 64 bits have room for the values of both.
pub fn of_vectors(
    operation: Operation,
    kind: ValueKind,
    one: &IndexedVector,
    other: &IndexedVector,
) -> Result<IndexedVector> {
    let compared = |packed: bool, holds: &dyn Fn(&dyn Fn(Side, Side) -> bool, Side, Side) -> bool| {
        let (pairs, bits) = aligned(kind, one, other)?;
        let less = is_less(kind, bits);
        Ok(truths(pairs, packed, |a, b| holds(&less, a, b)))
    };
    match operation {
        Operation::Add => sum(kind, one, other),
        Operation::Subtract => difference(kind, one, other),
        Operation::Multiply => {
            let bits = common(one.bits, other.bits)?;
            if are_ones(one) {
                return Ok(product(one, other, bits, other.packed, |_, b| kind.widened(b, other.bits, bits)));
            }
            if are_ones(other) {
                return Ok(product(one, other, bits, one.packed, |a, _| kind.widened(a, one.bits, bits)));
            }
            let float = |a, b| kind.float(a, one.bits) * kind.float(b, other.bits);
            Ok(product(one, other, bits, true, |a, b| ValueKind::bits_of(float(a, b), bits)))
        }
        Operation::Divide => {
            let bits = common(one.bits, other.bits)?;
            if are_ones(other) {
                return Ok(product(one, other, bits, one.packed, |a, _| kind.widened(a, one.bits, bits)));
            }
            let float = |a, b| kind.float(a, one.bits) / kind.float(b, other.bits);
            Ok(product(one, other, bits, true, |a, b| ValueKind::bits_of(float(a, b), bits)))
        }
        Operation::Equal => compared(false, &|_, a, b| is_equal(a, b)),
        Operation::NotEqual => compared(true, &|_, a, b| !is_equal(a, b)),
        Operation::Less => compared(false, &|less, a, b| less(a, b)),
        Operation::LessEqual => compared(false, &|less, a, b| less(a, b) || is_equal(a, b)),
        Operation::Greater => compared(false, &|less, a, b| less(b, a)),
        Operation::GreaterEqual => compared(false, &|less, a, b| less(b, a) || is_equal(a, b)),
    }
}

/// A vector of the same indexes with one value. What the bits have nothing of is not there, where it is not zero.
fn filled(vector: &IndexedVector, number: Number) -> Result<IndexedVector> {
    let value = number.scaled(vector.bits)? as u64 & vector.bits.mask();
    let is_there = value != 0 || number.is_zero();
    let entries = vector.entries.iter().filter(|_| is_there).map(|(index, _)| (*index, value)).collect();
    Ok(IndexedVector { bits: vector.bits, entries, packed: vector.packed })
}

/// Which bits are equal to a number. `None`: none are.
fn equal_bits(kind: ValueKind, bits: Bits, number: Number) -> Result<Option<u64>> {
    number.check()?;
    let Some(scaled) = number.scaled_if_any(bits) else { return Ok(None) };
    let raw = scaled as u64 & bits.mask();
    // A number that is not zero is looked for among those that are not.
    let is_told = raw != 0 || number.is_zero();
    Ok((is_told && kind.extended(raw, bits) == scaled as u64).then_some(raw))
}

/// A vector and a number of the values' type. Error: INCORRECT_DATA where the number cannot be in a vector.
pub fn with_number(operation: Operation, kind: ValueKind, vector: &IndexedVector, number: Number) -> Result<IndexedVector> {
    let bits = vector.bits;
    let all_zero = || {
        let entries = sorted(vector).into_iter().map(|(index, _)| (index, 0)).collect();
        IndexedVector { bits, entries, packed: false }
    };
    let each = |value: &dyn Fn(f64) -> f64| {
        let value = |raw: u64| if raw == 0 { 0 } else { ValueKind::bits_of(value(kind.float(raw, bits)), bits) };
        let entries = sorted(vector).into_iter().map(|(index, raw)| (index, value(raw))).collect();
        IndexedVector { bits, entries, packed: true }
    };
    let compared = |holds: &dyn Fn(&dyn Fn(Side, Side) -> bool, u64, Side) -> bool| {
        let value = filled(vector, number)?.entries.first().map(|(_, value)| *value);
        let less = is_less(kind, bits);
        let pairs = sorted(vector).into_iter().map(|(index, raw)| (index, Some(raw), value)).collect();
        Ok(truths(pairs, false, |a, b| a.is_some_and(|a| holds(&less, a, b))))
    };
    match operation {
        Operation::Add | Operation::Subtract if number.is_zero() => Ok(vector.clone()),
        Operation::Add => sum(kind, vector, &filled(vector, number)?),
        Operation::Subtract => difference(kind, vector, &filled(vector, number)?),
        Operation::Multiply if are_ones(vector) => filled(vector, number),
        Operation::Divide if number.float() == 1.0 => Ok(vector.clone()),
        Operation::Multiply | Operation::Divide if number.is_zero() => Ok(all_zero()),
        Operation::Multiply => number.check().map(|()| each(&|value| value * number.float())),
        Operation::Divide => number.check().map(|()| each(&|value| value / number.float())),
        Operation::Equal | Operation::NotEqual => {
            let wanted = equal_bits(kind, bits, number)?;
            let is_equal = operation == Operation::Equal;
            let pairs = sorted(vector).into_iter().map(|(index, raw)| (index, Some(raw), wanted)).collect();
            Ok(truths(pairs, false, |a, b| (b.is_some() && a == b) == is_equal))
        }
        Operation::Less => compared(&|less, a, b| less(Some(a), b)),
        Operation::Greater => compared(&|less, a, b| less(b, Some(a))),
        Operation::LessEqual => {
            let equal = equal_bits(kind, bits, number)?;
            compared(&|less, a, b| less(Some(a), b) || equal == Some(a))
        }
        Operation::GreaterEqual => {
            let equal = equal_bits(kind, bits, number)?;
            compared(&|less, a, b| less(b, Some(a)) || equal == Some(a))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIND: ValueKind = ValueKind::Signed(8);

    fn vector(entries: &[(u32, i8)]) -> IndexedVector {
        let entries = entries.iter().map(|(index, value)| (*index, u64::from(*value as u8))).collect();
        IndexedVector { bits: Bits { integer: 8, fraction: 0 }, entries, packed: false }
    }

    fn values(vector: &IndexedVector) -> Vec<(u32, i8)> {
        vector.entries.iter().map(|(index, value)| (*index, *value as i8)).collect()
    }

    #[test]
    fn indexes_of_either_vector_are_in_sums_and_products() {
        let (one, other) = (vector(&[(2, -3), (1, 5), (5, 7)]), vector(&[(2, -3), (5, -2), (7, 9)]));
        let of = |operation| values(&of_vectors(operation, KIND, &one, &other).expect("computes"));
        assert_eq!(of(Operation::Add), [(1, 5), (2, -6), (5, 5), (7, 9)]);
        assert_eq!(of(Operation::Subtract), [(1, 5), (2, 0), (5, 9), (7, -9)]);
        assert_eq!(of(Operation::Multiply), [(1, 0), (2, 9), (5, -14), (7, 0)]);
        assert_eq!(of(Operation::Divide), [(1, 0), (2, 1), (5, -3), (7, 0)]);
    }

    #[test]
    fn what_is_not_there_is_less_than_what_is_above_zero() {
        let (one, nothing) = (vector(&[(1, 5), (2, -3), (3, 0)]), vector(&[]));
        let of = |operation, one, other| values(&of_vectors(operation, KIND, one, other).expect("compares"));
        assert_eq!(of(Operation::Less, &one, &nothing), []);
        assert_eq!(of(Operation::Less, &nothing, &one), [(1, 1)]);
        assert_eq!(of(Operation::Equal, &one, &nothing), [(3, 1)]);
        assert_eq!(of(Operation::GreaterEqual, &one, &nothing), [(1, 1), (3, 1)]);
    }

    #[test]
    fn numbers_wrap_around_within_the_bits() {
        let one = vector(&[(1, 100), (2, -100)]);
        let of = |operation, number| values(&with_number(operation, KIND, &one, Number::Signed(number)).expect("computes"));
        assert_eq!(of(Operation::Add, 100), [(1, -56), (2, 0)]);
        assert_eq!(of(Operation::Multiply, 2), [(1, -56), (2, 56)]);
        assert_eq!(of(Operation::Divide, 0), [(1, 0), (2, 0)]);
        assert_eq!(of(Operation::LessEqual, -100), [(2, 1)]);
        assert!(with_number(Operation::Add, KIND, &one, Number::Float(f64::NAN)).is_err());
    }
}
