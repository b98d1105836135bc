//! The columns that a scan gives: those that are stored, and those that tell where a row lies.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, BinaryViewArray, RecordBatch, RecordBatchOptions, StructArray, UInt8Array, UInt32Array, UInt64Array,
};
use arrow::datatypes::{DataType, UInt64Type};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use gristmill_types::default::default_array;

use super::evolve::Projection;
use super::stream::ScanShared;
use super::unit::Unit;
use super::{BLOCK_NUMBER, BLOCK_OFFSET, DISK_NAME, ONLY_DISK, PART, PART_DATA_VERSION, PART_INDEX, PART_OFFSET};
use super::{PART_STARTING_OFFSET, PART_UUID, PARTITION_ID, PARTITION_VALUE, ROW_EXISTS};
use crate::layout::Layout;
use crate::manifest::PartEntry;
use crate::manifest::v1::value::from_json;
use crate::part::v1::deleted_rows::DeletedRows;

/// A column of the scan's output.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Its place among the stored columns.
    Stored(usize),
    Part,
    PartitionId,
    PartOffset,
    PartitionValue,
    /// The part's place among those that the scan reads.
    PartPlace,
    /// The same as `_part_index`.
    PartIndex,
    /// The rows of those parts that stand before it.
    PartStartingOffset,
    PartDataVersion,
    PartUuid,
    DiskName,
    RowExists,
    BlockNumber,
}

impl Output {
    /// `place` counts the stored columns, then the virtual ones.
    pub fn of(place: usize, layout: &Layout) -> Result<Output> {
        let (names, stored) = (super::virtual_columns(layout), layout.columns.len());
        if place < stored {
            return Ok(Output::Stored(place));
        }
        match names.0.get(place - stored).map(|column| column.name.as_str()) {
            Some(PART) => Ok(Output::Part),
            Some(PARTITION_ID) => Ok(Output::PartitionId),
            Some(PART_OFFSET) => Ok(Output::PartOffset),
            Some(PARTITION_VALUE) => Ok(Output::PartitionValue),
            Some(PART_INDEX) => Ok(Output::PartIndex),
            Some(PART_STARTING_OFFSET) => Ok(Output::PartStartingOffset),
            Some(PART_DATA_VERSION) => Ok(Output::PartDataVersion),
            Some(PART_UUID) => Ok(Output::PartUuid),
            Some(DISK_NAME) => Ok(Output::DiskName),
            Some(ROW_EXISTS) => Ok(Output::RowExists),
            Some(BLOCK_NUMBER) => Ok(Output::BlockNumber),
            // A part's rows are not told apart by where they came from: their place in it is all that is known.
            Some(BLOCK_OFFSET) => Ok(Output::PartOffset),
            _ => Err(Error::logical(format!("A scan is asked for column {place}, which the table does not have"))),
        }
    }
}

/// The places in the table of the stored columns among the outputs, in their order.
pub(super) fn stored_places(outputs: &[Output]) -> Vec<usize> {
    let place = |output: &Output| match output {
        Output::Stored(place) => Some(*place),
        _ => None,
    };
    outputs.iter().filter_map(place).collect()
}

/// The values of the partition key, which stand last among the ranges that the manifest keeps of a part.
fn partition_value(layout: &Layout, unit: &Unit, rows: usize) -> Result<ArrayRef> {
    let ranges = &unit.entry.ranges;
    let first = ranges.len().checked_sub(layout.partition.len());
    let first = first.ok_or_else(|| Error::logical("A part's partition has fewer values than the key"))?;
    let kinds: Vec<_> = layout.partition.iter().map(|key| (None, key.kind.clone())).collect();
    let DataType::Struct(fields) = SqlType::Tuple(kinds).arrow() else {
        return Err(Error::logical("A tuple is carried as a struct"));
    };
    let columns = layout
        .partition
        .iter()
        .zip(&ranges[first..])
        .map(|(key, (value, _))| from_json(&key.kind.arrow(), std::iter::repeat_n(value, rows)))
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(StructArray::try_new_with_length(fields, columns, None, rows)?))
}

/// The last mutation that the part's rows went through, else the block that they came with.
fn data_version(entry: &PartEntry) -> u64 {
    let block = if entry.mutation > 0 { entry.mutation } else { entry.min_block };
    block.try_into().unwrap_or_default()
}

/// For each of the rows, as the part counts them, whether it is not deleted.
fn existence(offsets: &ArrayRef, deleted: &DeletedRows) -> Result<ArrayRef> {
    let offsets = offsets.as_primitive_opt::<UInt64Type>();
    let offsets = offsets.ok_or_else(|| Error::logical("Row numbers are of another type"))?;
    let exists = offsets.values().iter().map(|row| u8::from(!deleted.has(*row)));
    Ok(Arc::new(UInt8Array::from_iter_values(exists)))
}

/// From what was decoded to the scan's schema.
pub(super) fn output(
    shared: &ScanShared,
    unit: &Unit,
    projection: &Projection,
    stored: &RecordBatch,
) -> Result<RecordBatch> {
    let rows = stored.num_rows();
    let mut built = projection.build(stored)?.into_iter();
    let part_place = || {
        let place = shared.parts.iter().position(|part| part.entry.key == unit.entry.key);
        place.ok_or_else(|| Error::logical(format!("Part {} is read by a scan that does not have it", unit.entry.key)))
    };
    let number = |number: u64| -> ArrayRef { Arc::new(UInt64Array::from_value(number, rows)) };
    let offsets = || {
        let offsets = stored.column_by_name(PART_OFFSET).cloned();
        offsets.ok_or_else(|| Error::logical("Row numbers were not decoded"))
    };
    let constant = |text: &str| -> ArrayRef { Arc::new(BinaryViewArray::from_iter_values(std::iter::repeat_n(text, rows))) };
    let columns = shared
        .outputs
        .iter()
        .map(|output| {
            Ok(match output {
                Output::Stored(_) => built.next().ok_or_else(|| Error::logical("A column was not decoded"))?,
                Output::Part => constant(&unit.entry.name),
                Output::PartitionId => constant(&unit.entry.partition_id),
                Output::PartitionValue => partition_value(&shared.layout, unit, rows)?,
                Output::PartIndex => number(shared.parts[part_place()?].among.place),
                Output::PartStartingOffset => number(shared.parts[part_place()?].among.rows_before),
                Output::PartDataVersion => number(data_version(&unit.entry)),
                // Parts are known by their objects and get no UUID, as in ClickHouse unless it is told to give them one.
                Output::PartUuid => default_array(&SqlType::Uuid, rows),
                Output::DiskName => constant(ONLY_DISK),
                Output::RowExists => match shared.deleted_of(&unit.entry) {
                    Some(deleted) => existence(&offsets()?, deleted)?,
                    // What is deleted does not come here.
                    None => Arc::new(UInt8Array::from_value(1, rows)),
                },
                Output::BlockNumber => number(unit.entry.min_block.try_into().unwrap_or_default()),
                Output::PartPlace => Arc::new(UInt32Array::from_value(part_place()? as u32, rows)),
                Output::PartOffset => offsets()?,
            })
        })
        .collect::<Result<Vec<ArrayRef>>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(shared.schema.clone(), columns, &options)?)
}
