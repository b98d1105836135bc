//! `generateRandom('structure'[, seed[, max_string_length[, max_array_length]]])`: rows without end, the same for the same
//! seed. Every block draws from a generator seeded by the seed and the block's position, so blocks need not be made in order.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryViewBuilder, BooleanArray, Date32Array, Decimal128Array, Decimal256Array, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int8Array, Int16Array, Int32Array, Int64Array, ListArray, MapArray, NullArray, RecordBatch,
    RecordBatchOptions, StructArray, UInt8Array, UInt16Array, UInt32Array, UInt64Array, make_array,
};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::datatypes::{DataType, i256};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::QueryContext;
use gristmill_types::{Columns, SqlType};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::Sequence;
use crate::arguments::declared_plainly;
use crate::call::{CallArgument, TableFunctionCall};
use crate::function_table::{unsigned, wrong_count};
use SqlType as T;

#[derive(Debug, Clone)]
pub struct Random {
    pub columns: Columns,
    pub seed: u64,
    pub max_string_length: u64,
    pub max_array_length: u64,
}

impl Random {
    /// `target` is the structure of the INSERT that takes the rows, for a call that gives none.
    pub fn parse(call: &TableFunctionCall, target: Option<&Columns>, context: &QueryContext) -> Result<Random> {
        let name = call.name.as_str();
        let (columns, rest) = match (&call.positional[..], target) {
            ([CallArgument::Text(structure), rest @ ..], _) => (declared_plainly(structure, &context.settings)?, rest),
            (rest, Some(target)) => (target.clone(), rest),
            (rest, None) => {
                return Err(wrong_count(name, rest.len(), "'structure'[, seed[, max_string_length[, max_array_length]]]"));
            }
        };
        if rest.len() > 3 {
            return Err(wrong_count(
                name,
                call.positional.len(),
                "'structure'[, seed[, max_string_length[, max_array_length]]]",
            ));
        }
        let number = |i: usize, what: &str| -> Result<Option<u64>> {
            match rest.get(i).map(CallArgument::word) {
                None => Ok(None),
                Some(word) if word.eq_ignore_ascii_case("null") => Ok(None),
                Some(word) => unsigned(name, what, word).map(Some),
            }
        };
        let random = Random {
            columns,
            seed: number(0, "random seed")?.unwrap_or_else(|| context.env.random_u64()),
            max_string_length: number(1, "max string length")?.unwrap_or(10),
            max_array_length: number(2, "max array length")?.unwrap_or(10),
        };
        if random.max_string_length > 1 << 24 || random.max_array_length > 1 << 20 {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "Table function '{name}' makes strings of at most {} bytes and arrays of at most {}",
                    1 << 24,
                    1 << 20
                ),
            ));
        }
        for column in &random.columns {
            // Says which types cannot be made up before the first row is asked for.
            random.array(&column.kind, 0, &mut StdRng::seed_from_u64(0))?;
        }
        Ok(random)
    }

    fn array(&self, kind: &SqlType, rows: usize, rng: &mut StdRng) -> Result<ArrayRef> {
        macro_rules! draw {
            ($array:ty, $value:expr) => {
                Arc::new((0..rows).map(|_| Some($value)).collect::<$array>())
            };
        }
        Ok(match kind {
            T::Nothing => Arc::new(NullArray::new(rows)),
            T::Bool => draw!(BooleanArray, rng.random::<bool>()),
            T::UInt8 => draw!(UInt8Array, rng.random()),
            T::UInt16 => draw!(UInt16Array, rng.random()),
            T::UInt32 | T::IPv4 => draw!(UInt32Array, rng.random()),
            T::UInt64 => draw!(UInt64Array, rng.random()),
            T::Int8 => draw!(Int8Array, rng.random()),
            T::Int16 => draw!(Int16Array, rng.random()),
            T::Int32 => draw!(Int32Array, rng.random()),
            T::Int64 | T::Interval(_) => draw!(Int64Array, rng.random()),
            T::Time => draw!(Int32Array, rng.random_range(0..86_400)),
            T::Time64(scale) => {
                let ticks = 86_400 * 10i64.pow(u32::from(*scale));
                draw!(Int64Array, rng.random_range(0..ticks))
            }
            T::BFloat16 => {
                draw!(Float32Array, gristmill_types::bfloat::cut(rng.random::<f32>() * f32::from(rng.random::<i16>())))
            }
            T::Float32 => draw!(Float32Array, rng.random::<f32>() * f32::from(rng.random::<i16>())),
            T::Float64 => draw!(Float64Array, rng.random::<f64>() * f64::from(rng.random::<i32>())),
            T::UInt128 => wide(rows, || i256::from_parts(rng.random(), 0)),
            T::Int128 => wide(rows, || i256::from_i128(rng.random())),
            T::UInt256 | T::Int256 => wide(rows, || i256::from_parts(rng.random(), rng.random())),
            T::Decimal { precision, scale } if *precision <= 38 => {
                let bound = 10i128.pow(u32::from(*precision));
                let values: Decimal128Array = (0..rows).map(|_| Some(rng.random_range(-bound + 1..bound))).collect();
                Arc::new(values.with_precision_and_scale(*precision, *scale as i8)?)
            }
            T::Decimal { precision, scale } => {
                // 38 digits are enough of a range to look random.
                let bound = 10i128.pow(38);
                let values: Decimal256Array =
                    (0..rows).map(|_| Some(i256::from_i128(rng.random_range(-bound + 1..bound)))).collect();
                Arc::new(values.with_precision_and_scale(*precision, *scale as i8)?)
            }
            T::String => {
                let mut builder = BinaryViewBuilder::with_capacity(rows);
                let mut text = Vec::new();
                for _ in 0..rows {
                    let length = rng.random_range(0..=self.max_string_length);
                    text.clear();
                    text.extend((0..length).map(|_| rng.random_range(b' '..=b'~')));
                    builder.append_value(&text);
                }
                Arc::new(builder.finish())
            }
            T::FixedString(_) | T::Uuid | T::IPv6 => {
                let DataType::FixedSizeBinary(width) = kind.arrow() else {
                    return Err(Error::logical(format!("{kind} is not carried as fixed-size bytes")));
                };
                let mut bytes = vec![0u8; rows * width as usize];
                rng.fill(&mut bytes[..]);
                if *kind == T::Uuid {
                    for value in bytes.chunks_exact_mut(16) {
                        value[6] = value[6] & 0x0f | 0x40;
                        value[8] = value[8] & 0x3f | 0x80;
                    }
                }
                Arc::new(FixedSizeBinaryArray::try_new(width, bytes.into(), None)?)
            }
            T::Date => draw!(Date32Array, i32::from(rng.random::<u16>())),
            // 1900-01-01 to 2299-12-31
            T::Date32 => draw!(Date32Array, rng.random_range(-25_567..=120_529)),
            T::DateTime(_) => retyped(draw!(Int64Array, i64::from(rng.random::<u32>())), kind)?,
            T::DateTime64(scale, _) => {
                // 1970 to 2106 fits every scale.
                let ticks = 10i64.pow(u32::from(*scale));
                retyped(draw!(Int64Array, i64::from(rng.random::<u32>()) * ticks + rng.random_range(0..ticks)), kind)?
            }
            T::Enum8(names) => draw!(Int8Array, names.0[rng.random_range(0..names.0.len())].1 as i8),
            T::Enum16(names) => draw!(Int16Array, names.0[rng.random_range(0..names.0.len())].1),
            T::Nullable(inner) => {
                let values = self.array(inner, rows, rng)?;
                if values.data_type() == &DataType::Null {
                    return Ok(values);
                }
                let nulls: NullBuffer = (0..rows).map(|_| rng.random_range(0..16) != 0).collect();
                make_array(values.to_data().into_builder().nulls(Some(nulls)).build()?)
            }
            T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
                self.array(inner, rows, rng)?
            }
            T::Array(inner) => {
                let offsets = self.offsets(rows, rng);
                let values = self.array(inner, offsets.last().copied().unwrap_or(0) as usize, rng)?;
                Arc::new(ListArray::try_new(inner.field("item"), offsets, values, None)?)
            }
            T::Tuple(fields) => {
                let DataType::Struct(arrow_fields) = kind.arrow() else {
                    return Err(Error::logical("A tuple is not carried as a struct"));
                };
                let arrays = fields.iter().map(|(_, field)| self.array(field, rows, rng)).collect::<Result<Vec<_>>>()?;
                Arc::new(StructArray::try_new_with_length(arrow_fields, arrays, None, rows)?)
            }
            T::Map(key, value) => {
                let DataType::Map(entries, _) = kind.arrow() else {
                    return Err(Error::logical("A map is not carried as a map"));
                };
                let DataType::Struct(pair) = entries.data_type() else {
                    return Err(Error::logical("A map's entries are not a struct"));
                };
                let offsets = self.offsets(rows, rng);
                let count = offsets.last().copied().unwrap_or(0) as usize;
                let arrays = vec![self.array(key, count, rng)?, self.array(value, count, rng)?];
                let pairs = StructArray::try_new(pair.clone(), arrays, None)?;
                Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, None, false)?)
            }
            T::AggregateFunction(..) => {
                return Err(Error::not_implemented(format!(
                    "The 'generateRandom' table function cannot make up values of {kind}"
                )));
            }
        })
    }

    fn offsets(&self, rows: usize, rng: &mut StdRng) -> OffsetBuffer<i32> {
        OffsetBuffer::from_lengths((0..rows).map(|_| rng.random_range(0..=self.max_array_length) as usize))
    }
}

fn wide(rows: usize, mut value: impl FnMut() -> i256) -> ArrayRef {
    let values: Decimal256Array = (0..rows).map(|_| Some(value())).collect();
    Arc::new(values.with_data_type(DataType::Decimal256(76, 0)))
}

/// The same 64-bit values under the type that carries `kind`.
fn retyped(values: ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    Ok(make_array(values.to_data().into_builder().data_type(kind.arrow()).build()?))
}

impl Sequence for Random {
    fn describe(&self) -> String {
        format!("generateRandom, seed {}", self.seed)
    }

    fn columns(&self) -> Columns {
        self.columns.clone()
    }

    fn rows(&self) -> Option<u64> {
        None
    }

    fn block(&self, rows: Range<u64>, projection: &[usize]) -> Result<RecordBatch> {
        let count = (rows.end - rows.start) as usize;
        let arrays = projection
            .iter()
            .map(|&i| {
                // A generator a column: what a column holds does not depend on which others are read.
                let seed = self.seed ^ (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ rows.start.rotate_left(32);
                self.array(&self.columns.0[i].kind, count, &mut StdRng::seed_from_u64(seed))
            })
            .collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(self.columns.arrow().project(projection)?);
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(RecordBatch::try_new_with_options(schema, arrays, &options)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_can_be_made_up_and_a_seed_gives_the_same_rows() {
        let structure = "a UInt8, b Nullable(Int256), c String, d FixedString(5), e UUID, f DateTime64(6), g DateTime('UTC'), \
                         h Array(Nullable(String)), i Tuple(x Int8, y Decimal(10, 2)), j Map(String, UInt64), k Enum8('p' = 1), \
                         l LowCardinality(Nullable(String)), m Date, n Bool, o IPv6, p Decimal(60, 3), q DateTime64(2)";
        let call = TableFunctionCall {
            name: "generateRandom".to_string(),
            positional: vec![CallArgument::Text(structure.to_string()), CallArgument::Number("7".to_string())],
            named: Vec::new(),
        };
        let context = QueryContext::background("test");
        let random = Random::parse(&call, None, &context).expect("arguments");
        let all: Vec<usize> = (0..random.columns.len()).collect();
        let block = random.block(0..100, &all).expect("a block");
        assert_eq!(block.num_rows(), 100);
        assert_eq!(block, random.block(0..100, &all).expect("again"));
        assert_eq!(block.column(2), random.block(0..100, &[2]).expect("one column").column(0));
        assert_ne!(block.column(0), random.block(100..200, &all).expect("the next").column(0));
    }
}
