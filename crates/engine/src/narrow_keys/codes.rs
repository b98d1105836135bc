//! The code of a row's keys: the bits of each key, and one more where it can be NULL, side by side.
//!
//! Of wide integers 16 bits are taken: numbers of kinds, of states, of regions are small whatever type carries them. A
//! value beyond has no code.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    ArrowNativeType, ArrowPrimitiveType, DataType, Date32Type, Int8Type, Int16Type, Int32Type, Int64Type, Schema, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use datafusion::common::{Result, internal_err};
use datafusion::physical_expr::PhysicalExpr;

/// More would make an array of groups that leaves the caches.
const BITS_MAX: u32 = 17;

#[derive(Clone, Debug)]
pub struct KeyCodes {
    /// By key.
    layout: Vec<KeyBits>,
    bits: u32,
}

#[derive(Clone, Debug)]
struct KeyBits {
    kind: DataType,
    /// Of the values.
    bits: u32,
    nullable: bool,
}

impl KeyCodes {
    /// `None`: the keys are too wide.
    pub fn new(keys: &[Arc<dyn PhysicalExpr>], schema: &Schema) -> Result<Option<KeyCodes>> {
        let mut layout = Vec::with_capacity(keys.len());
        for key in keys {
            let kind = key.data_type(schema)?;
            let bits = match kind {
                DataType::Boolean => 1,
                DataType::Int8 | DataType::UInt8 => 8,
                DataType::Int16 | DataType::UInt16 => 16,
                ref kind if is_wide(kind) => 16,
                _ => return Ok(None),
            };
            layout.push(KeyBits { kind, bits, nullable: key.nullable(schema)? });
        }
        let bits = layout.iter().map(|key| key.bits + u32::from(key.nullable)).sum();
        Ok((bits <= BITS_MAX).then_some(KeyCodes { layout, bits }))
    }

    /// Whether there may be rows without a code.
    pub fn are_partial(&self) -> bool {
        self.layout.iter().any(|key| is_wide(&key.kind))
    }

    /// How many codes there are.
    pub fn count(&self) -> usize {
        1 << self.bits
    }

    /// The code of each row; false where a row has none. `keys`: by key, its values.
    pub fn of(&self, keys: &[ArrayRef], codes: &mut Vec<u32>) -> Result<bool> {
        codes.clear();
        let Some(first) = keys.first() else { return internal_err!("GROUP BY without keys is grouped by an array") };
        codes.resize(first.len(), 0);
        for (key, values) in self.layout.iter().zip(keys) {
            let values = values.as_ref();
            let shift = key.bits;
            match key.kind {
                DataType::Boolean => {
                    let values = values.as_boolean().values();
                    append(codes, shift, values.iter().map(u32::from));
                }
                DataType::Int8 => {
                    append(codes, shift, values.as_primitive::<Int8Type>().values().iter().map(|v| u32::from(*v as u8)));
                }
                DataType::UInt8 => {
                    append(codes, shift, values.as_primitive::<UInt8Type>().values().iter().map(|v| u32::from(*v)));
                }
                DataType::Int16 => {
                    append(codes, shift, values.as_primitive::<Int16Type>().values().iter().map(|v| u32::from(*v as u16)));
                }
                DataType::UInt16 => {
                    append(codes, shift, values.as_primitive::<UInt16Type>().values().iter().map(|v| u32::from(*v)));
                }
                ref kind if is_wide(kind) => {
                    let coded = match kind {
                        DataType::Int32 => append_wide::<Int32Type>(codes, values),
                        DataType::UInt32 => append_wide::<UInt32Type>(codes, values),
                        DataType::Int64 => append_wide::<Int64Type>(codes, values),
                        DataType::UInt64 => append_wide::<UInt64Type>(codes, values),
                        _ => append_wide::<Date32Type>(codes, values),
                    };
                    if !coded {
                        return Ok(false);
                    }
                }
                ref kind => return internal_err!("A key of type {kind} is grouped by an array"),
            }
            if !key.nullable {
                continue;
            }
            match values.nulls().filter(|nulls| nulls.null_count() > 0) {
                None => codes.iter_mut().for_each(|code| *code <<= 1),
                Some(nulls) => {
                    // Under a NULL lies any value: NULLs are one group.
                    let value = (1 << (shift + 1)) - 1;
                    for (code, valid) in codes.iter_mut().zip(nulls) {
                        *code = if valid { *code << 1 } else { (*code << 1) & !value | 1 };
                    }
                }
            }
        }
        Ok(true)
    }
}

fn is_wide(kind: &DataType) -> bool {
    use DataType::{Date32, Int32, Int64, UInt32, UInt64};
    matches!(kind, Int32 | UInt32 | Int64 | UInt64 | Date32)
}

fn append(codes: &mut [u32], bits: u32, values: impl Iterator<Item = u32>) {
    codes.iter_mut().zip(values).for_each(|(code, value)| *code = *code << bits | value);
}

/// False where a value does not fit into 16 bits. (What lies under a NULL counts: it is 0 nearly always.)
fn append_wide<T: ArrowPrimitiveType>(codes: &mut [u32], values: &dyn Array) -> bool {
    let values = values.as_primitive::<T>().values();
    // Negative numbers have high bits, too.
    let all = values.iter().fold(0, |all, value| all | value.as_usize());
    if all >> 16 != 0 {
        return false;
    }
    append(codes, 16, values.iter().map(|value| value.as_usize() as u32));
    true
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use arrow::array::{BooleanArray, Int8Array, Int64Array, UInt8Array, UInt16Array};
    use arrow::datatypes::Field;
    use datafusion::physical_expr::expressions::Column;

    use super::*;

    fn codes(fields: Vec<Field>, keys: &[ArrayRef]) -> Option<Vec<u32>> {
        let exprs: Vec<Arc<dyn PhysicalExpr>> =
            fields.iter().enumerate().map(|(at, field)| Arc::new(Column::new(field.name(), at)) as _).collect();
        let of = KeyCodes::new(&exprs, &Schema::new(fields)).expect("typed")?;
        let mut codes = Vec::new();
        if !of.of(keys, &mut codes).expect("coded") {
            return None;
        }
        assert!(codes.iter().all(|code| (*code as usize) < of.count()));
        Some(codes)
    }

    #[test]
    fn rows_of_equal_keys_and_no_others_have_equal_codes() {
        let small: Vec<Option<i8>> = (0..600).map(|row| (row % 7 != 0).then_some((row % 256 - 128) as i8)).collect();
        let flag: Vec<Option<bool>> = (0..600).map(|row| (row % 5 != 0).then_some(row % 2 == 0)).collect();
        let keys: Vec<ArrayRef> = vec![Arc::new(Int8Array::from(small.clone())), Arc::new(BooleanArray::from(flag.clone()))];
        let fields = vec![Field::new("a", DataType::Int8, true), Field::new("b", DataType::Boolean, true)];
        let codes = codes(fields, &keys).expect("11 bits");
        let mut known = HashMap::new();
        for (row, code) in codes.into_iter().enumerate() {
            assert_eq!(*known.entry(code).or_insert((small[row], flag[row])), (small[row], flag[row]));
        }
        let distinct: std::collections::HashSet<_> = small.into_iter().zip(flag).collect();
        assert_eq!(known.len(), distinct.len());
    }

    #[test]
    fn keys_that_are_wide_together_have_none() {
        let byte: ArrayRef = Arc::new(UInt8Array::from(vec![1, 255]));
        let short: ArrayRef = Arc::new(UInt16Array::from(vec![1, 65535]));
        let field = |name: &str, kind| Field::new(name, kind, false);
        assert_eq!(codes(vec![field("a", DataType::UInt16)], std::slice::from_ref(&short)), Some(vec![1, 65535]));
        assert_eq!(
            codes(vec![field("a", DataType::UInt8), field("b", DataType::UInt8)], &[byte.clone(), byte.clone()]),
            Some(vec![0x101, 0xffff])
        );
        assert_eq!(codes(vec![field("a", DataType::UInt16), field("b", DataType::UInt8)], &[short, byte]), None);
        assert_eq!(codes(vec![field("a", DataType::Utf8)], &[]), None);
    }

    #[test]
    fn numbers_beyond_16_bits_have_none() {
        let field = Field::new("a", DataType::Int64, true);
        let of = |values: Vec<Option<i64>>| codes(vec![field.clone()], &[Arc::new(Int64Array::from(values))]);
        assert_eq!(of(vec![Some(0), None, Some(65535)]), Some(vec![0, 1, 131070]));
        assert_eq!(of(vec![Some(0), Some(65536)]), None);
        assert_eq!(of(vec![Some(-1)]), None);
    }
}
