//! Values of vectors: numbers as the bits that a vector has of them, and back.
//!
//! A number is multiplied by two to the power of the bits behind the point, cut to an integer, and of that only as many bits
//! are kept as the vector has: what is too large for them wraps around. Only what does not fit into 64 bits is refused.

use arrow::array::{ArrayRef, AsArray, Float32Array, Float64Array, Int64Array, UInt64Array};
use arrow::datatypes::{DataType, Float64Type, Int64Type, UInt64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::states::vectors::Bits;

use crate::columns::at;

/// A value as SQL has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

fn incorrect(text: String) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, text)
}

impl Number {
    pub fn is_zero(self) -> bool {
        self.float() == 0.0
    }

    pub fn float(self) -> f64 {
        match self {
            Number::Unsigned(value) => value as f64,
            Number::Signed(value) => value as f64,
            Number::Float(value) => value,
        }
    }

    /// Error: INCORRECT_DATA for NaN, infinities, and integers beyond Int64.
    pub fn check(self) -> Result<()> {
        match self {
            Number::Float(value) if value.is_nan() => Err(incorrect("NumericIndexedVector does not support NaN".into())),
            Number::Float(value) if value.is_infinite() => {
                Err(incorrect("NumericIndexedVector does not support Inf".into()))
            }
            Number::Unsigned(value) if i64::try_from(value).is_err() => {
                Err(incorrect(format!("Value {value} does not fit in Int64. It should, even when using UInt64")))
            }
            _ => Ok(()),
        }
    }

    /// The number before it is cut to the bits. `None`: it is larger than 64 bits.
    pub fn scaled_if_any(self, bits: Bits) -> Option<i64> {
        match self {
            Number::Unsigned(value) => i64::try_from(value).ok(),
            Number::Signed(value) => Some(value),
            Number::Float(value) => {
                let scale = (1u64 << bits.fraction) as f64;
                (value.abs() <= i64::MAX as f64 / scale).then_some((value * scale) as i64)
            }
        }
    }

    /// As `scaled_if_any`. Errors: INCORRECT_DATA, those of `check` among them.
    pub fn scaled(self, bits: Bits) -> Result<i64> {
        self.check()?;
        self.scaled_if_any(bits).ok_or_else(|| {
            incorrect(format!(
                "Value {} is out of range for BSI with integer_bit_num={} and fraction_bit_num={}",
                self.float(),
                bits.integer,
                bits.fraction
            ))
        })
    }
}

/// Numbers of a column of the values' type.
pub enum Numbers {
    Unsigned(UInt64Array),
    Signed(Int64Array),
    Float(Float64Array),
}

impl Numbers {
    /// The type that wide enough numbers of a type have.
    pub fn wide(value: &SqlType) -> SqlType {
        match (value, value.integer_bits()) {
            (SqlType::Float32 | SqlType::Float64, _) => SqlType::Float64,
            (_, Some((_, true))) => SqlType::Int64,
            _ => SqlType::UInt64,
        }
    }

    pub fn of(array: &ArrayRef, value: &SqlType) -> Result<Numbers> {
        let wide = Numbers::wide(value).arrow();
        let array = arrow::compute::cast(array, &wide)?;
        Ok(match wide {
            DataType::Float64 => Numbers::Float(array.as_primitive::<Float64Type>().clone()),
            DataType::Int64 => Numbers::Signed(array.as_primitive::<Int64Type>().clone()),
            _ => Numbers::Unsigned(array.as_primitive::<UInt64Type>().clone()),
        })
    }

    /// The number of `row`; of a constant, its only one.
    pub fn get(&self, row: usize) -> Number {
        match self {
            Numbers::Unsigned(array) => Number::Unsigned(array.value(at(array.len(), row))),
            Numbers::Signed(array) => Number::Signed(array.value(at(array.len(), row))),
            Numbers::Float(array) => Number::Float(array.value(at(array.len(), row))),
        }
    }
}

/// What bits stand for by the type of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ValueKind {
    /// Bits of the type.
    Unsigned(u32),
    Signed(u32),
    Float32,
    Float64,
}

impl ValueKind {
    /// `None`: values of the type cannot be in a vector.
    pub fn of(value: &SqlType) -> Option<ValueKind> {
        let bits = Bits::of(value)?.integer;
        Some(match (value, value.integer_bits()) {
            (SqlType::Float32, _) => ValueKind::Float32,
            (SqlType::Float64, _) => ValueKind::Float64,
            (_, Some((_, true))) => ValueKind::Signed(bits),
            _ => ValueKind::Unsigned(bits),
        })
    }

    pub fn is_signed(self) -> bool {
        !matches!(self, ValueKind::Unsigned(_))
    }

    /// The bits with the sign in front of them, or as they are.
    pub fn extended(self, raw: u64, bits: Bits) -> u64 {
        let total = bits.total();
        let is_negative = self.is_signed() && total > 0 && raw >> (total - 1) & 1 == 1;
        if is_negative { raw | !bits.mask() } else { raw }
    }

    /// Bits of one vector as those of another that has as many on either side of the point, or more.
    pub fn widened(self, raw: u64, from: Bits, to: Bits) -> u64 {
        (self.extended(raw, from) << (to.fraction - from.fraction)) & to.mask()
    }

    /// The number that products and quotients are computed with.
    pub fn float(self, raw: u64, bits: Bits) -> f64 {
        let scale = (1u64 << bits.fraction) as f64;
        let whole = self.extended(raw, bits);
        match self {
            ValueKind::Unsigned(width) => self.narrow(whole, width) as f64 / scale,
            ValueKind::Signed(width) => self.narrow(whole, width) as i64 as f64 / scale,
            ValueKind::Float32 => f64::from(whole as i64 as f32) / scale,
            ValueKind::Float64 => whole as i64 as f64 / scale,
        }
    }

    /// The low bits of an integer, with its sign in front.
    fn narrow(self, whole: u64, width: u32) -> u64 {
        let unused = 64 - width;
        if self.is_signed() { ((whole << unused) as i64 >> unused) as u64 } else { whole << unused >> unused }
    }

    /// Bits of a product or a quotient.
    pub fn bits_of(number: f64, bits: Bits) -> u64 {
        let scaled = number * (1u64 << bits.fraction) as f64;
        let whole = if scaled >= u64::MAX as f64 {
            u64::MAX
        } else if scaled <= i64::MIN as f64 {
            0
        } else if scaled >= 0.0 {
            scaled as u64
        } else {
            scaled as i64 as u64
        };
        whole & bits.mask()
    }

    /// A column of values, as `numericIndexedVectorToMap` shows them; each comes with the bits that its vector has.
    pub fn shown(self, values: &[(u64, Bits)], kind: &SqlType) -> Result<ArrayRef> {
        self.column(values, kind, |raw, bits| self.extended(raw, bits), |whole| whole as i64 as f64)
    }

    /// As `shown`, of `numericIndexedVectorGetValue`, which takes no bit for a sign.
    pub fn told(self, values: &[(u64, Bits)], kind: &SqlType) -> Result<ArrayRef> {
        self.column(values, kind, |raw, _| raw, |whole| whole as f64)
    }

    fn column(
        self,
        values: &[(u64, Bits)],
        kind: &SqlType,
        whole: impl Fn(u64, Bits) -> u64,
        float: impl Fn(u64) -> f64,
    ) -> Result<ArrayRef> {
        let wholes = values.iter().map(|(raw, bits)| (whole(*raw, *bits), (1u64 << bits.fraction) as f64));
        let array: ArrayRef = match self {
            ValueKind::Unsigned(width) => {
                std::sync::Arc::new(UInt64Array::from_iter_values(wholes.map(|(whole, _)| self.narrow(whole, width))))
            }
            ValueKind::Signed(width) => {
                std::sync::Arc::new(Int64Array::from_iter_values(wholes.map(|(whole, _)| self.narrow(whole, width) as i64)))
            }
            ValueKind::Float32 => std::sync::Arc::new(Float32Array::from_iter_values(
                wholes.map(|(whole, scale)| (float(whole) / scale) as f32),
            )),
            ValueKind::Float64 => {
                std::sync::Arc::new(Float64Array::from_iter_values(wholes.map(|(whole, scale)| float(whole) / scale)))
            }
        };
        Ok(arrow::compute::cast(&array, &kind.arrow())?)
    }

    /// The sum of values, bit by bit as ClickHouse adds it up. The least number of the bits adds nothing, as there.
    pub fn sum(self, entries: &[(u32, u64)], bits: Bits) -> f64 {
        let total = bits.total();
        if total == 0 {
            return 0.0;
        }
        let worth = |bit: u32| 2f64.powi(bit as i32 - bits.fraction as i32);
        let count = |values: &[u64], bit: u32| values.iter().filter(|value| *value >> bit & 1 == 1).count() as f64;
        if !self.is_signed() {
            let values: Vec<u64> = entries.iter().map(|(_, value)| *value).collect();
            return (0..total).fold(0.0, |sum, bit| sum + count(&values, bit) * worth(bit));
        }
        let is_negative = |value: u64| value >> (total - 1) & 1 == 1;
        let positive: Vec<u64> = entries.iter().map(|(_, value)| *value).filter(|value| !is_negative(*value)).collect();
        let negative: Vec<u64> =
            entries.iter().map(|(_, value)| *value).filter(|value| is_negative(*value)).map(u64::wrapping_neg).collect();
        let sum = (0..total - 1).fold(0.0, |sum, bit| sum + count(&positive, bit) * worth(bit));
        (0..total - 1).fold(sum, |sum, bit| sum - count(&negative, bit) * worth(bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_cut_to_the_bits_of_its_vector() {
        let bits = Bits::new(4, 2).expect("few bits");
        for (number, raw, shown) in [(1.3, 0b0101, 1.25), (-1.3, 0b11_1011, -1.25), (100.0, 0b01_0000, 4.0)] {
            let cut = Number::Float(number).scaled(bits).expect("fits") as u64 & bits.mask();
            assert_eq!((cut, ValueKind::Float64.float(cut, bits)), (raw, shown), "{number}");
        }
        let wide = Bits::new(40, 24).expect("all bits");
        assert!(Number::Float(1e13).scaled(wide).is_err() && Number::Float(f64::NAN).scaled(wide).is_err());
        assert!(Number::Unsigned(u64::MAX).scaled(wide).is_err());
    }

    #[test]
    fn a_sum_adds_what_both_signs_have() {
        let bits = Bits::new(8, 0).expect("few bits");
        let entries: Vec<(u32, u64)> = [5i8, -3, 0, 7, -127].iter().map(|value| (0, *value as u8 as u64)).collect();
        assert_eq!(ValueKind::Signed(8).sum(&entries, bits), -118.0);
        assert_eq!(ValueKind::Unsigned(8).sum(&[(1, 200), (2, 100)], bits), 300.0);
        assert_eq!(ValueKind::Signed(8).sum(&[(1, 128)], bits), 0.0);
    }
}
