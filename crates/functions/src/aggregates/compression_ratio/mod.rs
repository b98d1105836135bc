//! `estimateCompressionRatio(codec, block_size)(column)`: how much smaller a column is when it is compressed.
//!
//! Values are written as a part of a table has them, cut into blocks, and each block is compressed as it is full; only the
//! sizes are kept. A block costs its checksum and a header, as in a file. In GROUP BY values are written row by row, as
//! ClickHouse does there: an array is its size and its elements, not all sizes and then all elements.
//!
//! What is compressed by the same library in another version, and arrays and NULLs that come in other portions, may make a
//! few bytes' difference from ClickHouse.

mod bits;
mod codecs;
mod columns;
mod fpc;
mod numeric;
mod t64;

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array, UInt64Array};
use arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::binary::Cells;

use super::groups::Groups;
use super::{Call, NullRule, Plan, family, text_parameter};
use crate::registry::Registry;
use codecs::{Step, compressed_bytes, default_steps, steps};

/// Bytes of a block where none are asked for.
const BLOCK_BYTES: usize = 1 << 20;
/// No more are held: codecs count in 32 bits.
const BLOCK_BYTES_MAX: usize = 1 << 30;
const CHECKSUM_BYTES: u64 = 16;

pub fn register(registry: &mut Registry) {
    registry.aggregate("estimateCompressionRatio", family(NullRule::Own, plan));
}

/// The codec and the bytes of a block, which may come in either order.
fn parameters(call: &Call<'_>) -> Result<(Option<String>, Option<usize>)> {
    let bad = |text: String| Err(Error::new(ErrorCode::BAD_QUERY_PARAMETER, text));
    if call.parameters.len() > 2 {
        let text = format!("Aggregate function {} accepts at most two parameters", call.name);
        return Err(Error::new(ErrorCode::UNKNOWN_QUERY_PARAMETER, text));
    }
    let (mut codec, mut block) = (None, None);
    for parameter in call.parameters {
        if let Some(text) = text_parameter(parameter) {
            if codec.replace(String::from_utf8_lossy(&text).into_owned()).is_some() {
                return bad(format!("Function {} takes one codec, not two", call.name));
            }
        } else if let (true, Ok(ScalarValue::UInt64(Some(bytes)))) =
            (parameter.data_type().is_integer(), parameter.cast_to(&DataType::UInt64))
        {
            if bytes == 0 {
                return bad("block_size_bytes should be greater than 0".to_string());
            }
            if block.replace(usize::try_from(bytes).unwrap_or(usize::MAX)).is_some() {
                return bad(format!("Function {} takes one size of blocks, not two", call.name));
            }
        } else {
            let text = format!(
                "Invalid parameter type for {}. Expected String (codec) and/or UInt64 (block_size_bytes)",
                call.name
            );
            return Err(Error::new(ErrorCode::UNKNOWN_QUERY_PARAMETER, text));
        }
    }
    Ok((codec, block))
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    let (codec, block) = parameters(call)?;
    call.arity(1..=1)?;
    let kind = call.kinds[0].clone();
    let steps = match codec {
        Some(codec) => steps(&codec, &kind)?,
        None => default_steps(),
    };
    let block = block.unwrap_or(BLOCK_BYTES).min(BLOCK_BYTES_MAX);
    let state = vec![DataType::UInt64, DataType::UInt64];
    Ok(Plan::new(SqlType::Float64, vec![kind.clone()], state, move || Sizes {
        groups: Vec::new(),
        pending: 0,
        kind: kind.clone(),
        steps: steps.clone(),
        block,
    }))
}

#[derive(Clone, Default)]
struct Size {
    plain: u64,
    compressed: u64,
    /// What is in no block yet.
    pending: Vec<u8>,
}

impl Size {
    /// Compresses what is there, the last bytes too if `all`.
    fn compress(&mut self, steps: &[Step], block: usize, all: bool) -> Result<()> {
        let full = if all { self.pending.len() } else { self.pending.len() / block * block };
        for block in self.pending[..full].chunks(block) {
            self.plain += block.len() as u64;
            self.compressed += compressed_bytes(steps, block)? as u64 + CHECKSUM_BYTES;
        }
        self.pending.drain(..full);
        Ok(())
    }
}

struct Sizes {
    groups: Vec<Size>,
    /// Bytes of all groups that are in no block yet.
    pending: usize,
    kind: SqlType,
    steps: Vec<Step>,
    block: usize,
}

impl Sizes {
    fn written(&mut self, group: usize, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let size = &mut self.groups[group];
        let before = size.pending.len();
        write(&mut size.pending)?;
        if size.pending.len() >= self.block {
            size.compress(&self.steps, self.block, false)?;
        }
        self.pending = self.pending + size.pending.len() - before;
        Ok(())
    }

    /// The first groups, with nothing pending.
    fn finished(&mut self, groups: usize) -> Result<&[Size]> {
        for size in &mut self.groups[..groups] {
            self.pending -= size.pending.len();
            size.compress(&self.steps, self.block, true)?;
        }
        Ok(&self.groups[..groups])
    }
}

impl Groups for Sizes {
    fn resize(&mut self, groups: usize) {
        self.groups.resize(groups, Size::default());
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let kind = self.kind.clone();
        if self.groups.len() == 1 {
            return self.written(0, |out| columns::write(&kind, &args[0], out));
        }
        let cells = Cells::of(&kind, &args[0])?;
        for (row, group) in groups.iter().enumerate() {
            self.written(*group, |out| {
                cells.write(row, out);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let sizes = self.finished(groups)?;
        Ok(vec![
            Arc::new(UInt64Array::from_iter_values(sizes.iter().map(|size| size.plain))),
            Arc::new(UInt64Array::from_iter_values(sizes.iter().map(|size| size.compressed))),
        ])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (plain, compressed) = (states[0].as_primitive::<UInt64Type>(), states[1].as_primitive::<UInt64Type>());
        for (row, group) in groups.iter().enumerate() {
            let size = &mut self.groups[*group];
            size.plain = size.plain.wrapping_add(plain.value(row));
            size.compressed = size.compressed.wrapping_add(compressed.value(row));
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let ratio = |size: &Size| match size.compressed {
            0 => 0.0,
            compressed => size.plain as f64 / compressed as f64,
        };
        Ok(Arc::new(Float64Array::from_iter_values(self.finished(groups)?.iter().map(ratio))))
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).map(|size| size.pending.len()).sum();
        self.pending -= gone;
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Size>() + self.pending
    }
}
