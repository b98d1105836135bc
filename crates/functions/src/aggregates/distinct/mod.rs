//! How many different values, estimated as ClickHouse does: `uniq`, `uniqHLL12`, `uniqCombined` and `uniqCombined64`.
//!
//! Values become keys of 64 bits (`keys.rs`), of which a sketch is kept for each group: `thinned.rs` for `uniq`, `counter.rs` and
//! `registers.rs` for the others. States are held in the bytes that ClickHouse writes, so they go there and come from there.

mod counter;
mod keys;
mod registers;
mod table;
#[cfg(test)]
mod tests;
mod thinned;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, UInt64Array};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::SqlType as T;
use gristmill_types::states::sketches;

use super::groups::Groups;
use super::{Call, NullRule, Plan, family};
use crate::hash::{int_hash_32, int_hash_64};
use crate::registry::Registry;
use counter::{Counter, Shape};
use keys::Source;
pub use keys::numbers;
use registers::Form;
use thinned::Thinned;

pub fn register(registry: &mut Registry) {
    registry.aggregate("uniq", family(NullRule::Default, uniq));
    registry.aggregate("uniqHLL12", family(NullRule::Default, hyperloglog));
    registry.aggregate("uniqCombined", family(NullRule::Nullable, |call| combined(call, false)));
    registry.aggregate("uniqCombined64", family(NullRule::Nullable, |call| combined(call, true)));
}

fn incorrect(what: &str) -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, format!("Bytes are no state of {what}"))
}

/// What is kept of the values of a group. Keys are 64 bits of a value.
pub trait Sketch: Send + Sync + Sized + 'static {
    type Shape: Copy + Send + Sync + 'static;

    fn new(shape: &Self::Shape) -> Self;
    fn insert(&mut self, key: u64, shape: &Self::Shape);
    fn estimate(&self, shape: &Self::Shape) -> u64;
    /// Memory held apart from the sketch itself, in bytes.
    fn bytes(&self) -> usize;
    fn merge(&mut self, other: &Self, shape: &Self::Shape);
    /// Appends ClickHouse's bytes.
    fn write(&self, shape: &Self::Shape, out: &mut Vec<u8>);
    /// Error: INCORRECT_DATA.
    fn read(bytes: &[u8], shape: &Self::Shape) -> Result<Self>;
}

/// Makes the key that is kept of 64 bits of a value.
type Mix = fn(u64) -> u64;

fn plan<S: Sketch>(call: &Call<'_>, shape: S::Shape, source: Source, mix: Mix, sips: bool) -> Plan {
    let kinds = call.kinds.clone();
    Plan::new(T::UInt64, kinds.clone(), vec![DataType::Binary], move || Estimates::<S> {
        sketches: Vec::new(),
        shape,
        kinds: kinds.clone(),
        source,
        mix,
        sips,
        held: 0,
    })
}

fn no_parameters(call: &Call<'_>) -> Result<()> {
    call.arity(1..=usize::MAX)?;
    if call.parameters.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::AGGREGATE_FUNCTION_DOESNT_ALLOW_PARAMETERS,
        format!("Aggregate function {} cannot have parameters", call.name),
    ))
}

fn same(key: u64) -> u64 {
    key
}

fn low_half(key: u64) -> u64 {
    key & 0xffff_ffff
}

fn uniq(call: &Call<'_>) -> Result<Plan> {
    no_parameters(call)?;
    let source = Source::of(&call.kinds);
    let mix: Mix = if matches!(source, Source::Bytes | Source::Spelled) { same } else { int_hash_64 };
    Ok(plan::<Thinned>(call, (), source, mix, false))
}

fn combined(call: &Call<'_>, wide: bool) -> Result<Plan> {
    call.arity(1..=usize::MAX)?;
    if call.parameters.len() > 1 {
        return Err(Error::new(
            ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!("Aggregate function {} requires one parameter or less", call.name),
        ));
    }
    let precision = call.size(0)?.unwrap_or(usize::from(sketches::PRECISION));
    let precision = u8::try_from(precision).ok().filter(|precision| (12..=20).contains(precision)).ok_or_else(|| {
        let text = format!("Parameter of aggregate function {} is out of range: it must be from 12 to 20", call.name);
        Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text)
    })?;
    let source = Source::of(&call.kinds);
    let key_bytes = sketches::combined_key_bytes(wide, &call.kinds);
    let shape = Shape {
        key_bytes,
        set_max: Some(1 << (precision - if key_bytes == 4 { 4 } else { 5 })),
        form: Form { precision, hash_bits: key_bytes as u8 * 8 },
        hash: same,
    };
    let mix: Mix = match (source, key_bytes) {
        (Source::Number | Source::Float32 | Source::Float64, 4) => |key| low_half(int_hash_64(key)),
        (Source::Number | Source::Float32 | Source::Float64, _) => int_hash_64,
        (_, 4) => low_half,
        _ => same,
    };
    Ok(plan::<Counter>(call, shape, source, mix, true))
}

/// `uniqHLL12`: its list has the values themselves, cut to their width.
fn hyperloglog(call: &Call<'_>) -> Result<Plan> {
    no_parameters(call)?;
    let source = Source::of(&call.kinds);
    let key_bytes = sketches::hyperloglog_key_bytes(&call.kinds);
    let by_int_hash: Mix = |key| u64::from(int_hash_32(key));
    let (mix, hash): (Mix, Mix) = match (source, key_bytes) {
        (Source::Bytes | Source::Spelled, _) => (same, low_half),
        // ClickHouse takes the bits for a number, which it makes a value of the type of.
        (Source::Float64, _) => (
            |bits| (bits as f64).to_bits(),
            |key| {
                let number = f64::from_bits(key) as u64;
                u64::from(int_hash_32((number as f64).to_bits()))
            },
        ),
        (Source::Float32, 4) => (
            |bits| u64::from((bits as f32).to_bits()),
            |key| {
                let number = f32::from_bits(key as u32) as u64;
                u64::from(int_hash_32(u64::from((number as f32).to_bits())))
            },
        ),
        (Source::Number, 1) => (|key| key & 0xff, by_int_hash),
        (Source::Number, 2) => (|key| key & 0xffff, by_int_hash),
        (Source::Number, 4) => (low_half, by_int_hash),
        _ => (same, by_int_hash),
    };
    let shape = Shape { key_bytes, set_max: None, form: Form { precision: 12, hash_bits: 32 }, hash };
    Ok(plan::<Counter>(call, shape, source, mix, false))
}

struct Estimates<S: Sketch> {
    sketches: Vec<S>,
    shape: S::Shape,
    kinds: Vec<SqlType>,
    source: Source,
    mix: Mix,
    sips: bool,
    /// Bytes of all sketches.
    held: usize,
}

impl<S: Sketch> Groups for Estimates<S> {
    fn resize(&mut self, groups: usize) {
        let shape = self.shape;
        self.sketches.resize_with(groups, || S::new(&shape));
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let keys = keys::keys(args, &self.kinds, self.source, self.sips)?;
        if let [sketch] = self.sketches.as_mut_slice() {
            keys.into_iter().for_each(|key| sketch.insert((self.mix)(key), &self.shape));
            self.held = sketch.bytes();
            return Ok(());
        }
        for (key, group) in keys.into_iter().zip(groups) {
            let sketch = &mut self.sketches[*group];
            let before = sketch.bytes();
            sketch.insert((self.mix)(key), &self.shape);
            self.held = self.held + sketch.bytes() - before;
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let mut builder = BinaryBuilder::with_capacity(groups, 0);
        let mut bytes = Vec::new();
        for sketch in &self.sketches[..groups] {
            bytes.clear();
            sketch.write(&self.shape, &mut bytes);
            if builder.values_slice().len() + bytes.len() > i32::MAX as usize {
                return Err(crate::columns::too_large(builder.values_slice().len() + bytes.len()));
            }
            builder.append_value(&bytes);
        }
        Ok(vec![Arc::new(builder.finish())])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let states = states[0].as_binary::<i32>();
        for (row, group) in groups.iter().enumerate() {
            if states.is_null(row) {
                continue;
            }
            let other = S::read(states.value(row), &self.shape)?;
            let sketch = &mut self.sketches[*group];
            let before = sketch.bytes();
            sketch.merge(&other, &self.shape);
            self.held = self.held + sketch.bytes() - before;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let counts = self.sketches[..groups].iter().map(|sketch| sketch.estimate(&self.shape));
        Ok(Arc::new(UInt64Array::from_iter_values(counts)))
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.sketches.drain(..groups).map(|sketch| sketch.bytes()).sum();
        self.held -= gone;
    }

    fn bytes(&self) -> usize {
        self.sketches.capacity() * size_of::<S>() + self.held
    }
}
