//! The sparse index as rows, for the table function `mergeTreeIndex`: a row for each mark, which is the beginning of a granule or
//! the end of the part, with the primary key there.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, RecordBatch, StructArray, UInt64Array};
use arrow::datatypes::DataType;
use gristmill_base::{Error, Result};
use gristmill_catalog::IndexRowsRequest;
use gristmill_introspect::QueryContext;
use gristmill_types::default::default_array;
use gristmill_types::{Column, Columns, SqlType};

use crate::layout::Layout;
use crate::manifest::PartEntry;
use crate::manifest::v1::value::from_json;
use crate::part::OpenPart;
use crate::table::Core;

fn pair(first: (&str, SqlType), second: (&str, SqlType)) -> SqlType {
    let field = |(name, kind): (&str, SqlType)| (Some(name.to_string()).filter(|name| !name.is_empty()), kind.nullable());
    SqlType::Tuple(vec![field(first), field(second)])
}

fn mark_type() -> SqlType {
    pair(("offset_in_compressed_file", SqlType::UInt64), ("offset_in_decompressed_block", SqlType::UInt64))
}

/// The columns of which the manifest keeps the least and greatest value of each part.
fn ranged(layout: &Layout) -> Vec<&Column> {
    layout.partition_columns.iter().map(|at| &layout.columns.0[*at]).collect()
}

pub fn columns(layout: &Layout, request: IndexRowsRequest) -> Columns {
    let mut columns = vec![
        Column::new("part_name", SqlType::String),
        Column::new("mark_number", SqlType::UInt64),
        Column::new("rows_in_granule", SqlType::UInt64),
    ];
    if request.with_minmax {
        let minmax = |column: &Column| {
            let kind = &column.kind;
            Column::new(format!("minmax_{}", column.name), pair(("", kind.clone()), ("", kind.clone())))
        };
        columns.extend(ranged(layout).into_iter().map(minmax));
    }
    columns.extend(layout.primary().iter().map(|key| Column::new(&key.text, key.kind.clone())));
    if request.with_marks {
        columns.extend(layout.columns.iter().map(|column| Column::new(format!("{}.mark", column.name), mark_type())));
    }
    Columns::new(columns)
}

/// The rows of all parts, in their order.
pub async fn rows(core: &Core, context: &Arc<QueryContext>, request: IndexRowsRequest) -> Result<Vec<RecordBatch>> {
    let state = core.pin(context).await?;
    let schema = columns(&core.layout, request).arrow();
    let mut batches = Vec::with_capacity(state.parts.len());
    for part in state.parts.values() {
        let open = context.cancellable(core.open_part(context, part)).await?;
        let arrays = of_part(&core.layout, part, &open, request)?;
        batches.push(RecordBatch::try_new(schema.clone(), arrays)?);
    }
    Ok(batches)
}

fn of_part(layout: &Arc<Layout>, part: &PartEntry, open: &OpenPart, request: IndexRowsRequest) -> Result<Vec<ArrayRef>> {
    let granules = open.granules();
    let marks = granules + 1;
    let rows = |mark: usize| {
        let rows = open.stored_rows_of(mark..(mark + 1).min(granules).max(mark));
        rows.end - rows.start
    };
    let mut arrays: Vec<ArrayRef> = vec![
        Arc::new(BinaryViewArray::from_iter_values(std::iter::repeat_n(part.name.as_bytes(), marks))),
        Arc::new(UInt64Array::from_iter_values(0..marks as u64)),
        Arc::new(UInt64Array::from_iter_values((0..marks).map(rows))),
    ];
    if request.with_minmax {
        let ranged = ranged(layout);
        // Behind them are the values of the partition key; those of a type that has no range are left out by whoever wrote them.
        let known = part.ranges.len() == ranged.len() + layout.partition.len();
        for (at, column) in ranged.iter().enumerate() {
            let kind = pair(("", column.kind.clone()), ("", column.kind.clone()));
            arrays.push(match part.ranges.get(at).filter(|_| known) {
                Some((least, greatest)) => {
                    let data_type = column.kind.clone().nullable().arrow();
                    let least = from_json(&data_type, std::iter::repeat_n(least, marks))?;
                    tuple(&kind, vec![least, from_json(&data_type, std::iter::repeat_n(greatest, marks))?])?
                }
                None => default_array(&kind, marks),
            });
        }
    }
    for (at, key) in layout.primary().iter().enumerate() {
        arrays.push(match open.index.keys.get(at) {
            Some(values) => values.clone(),
            None => default_array(&key.kind, marks),
        });
    }
    if request.with_marks {
        let found = open.find_columns(layout);
        for place in 0..layout.columns.len() {
            let offsets = found.columns.get(place).and_then(|column| column.place()).map(|column| offsets(open, column));
            let offsets = offsets.unwrap_or_default();
            let block = UInt64Array::from_iter((0..marks).map(|mark| offsets.get(mark).map(|_| 0)));
            let file = UInt64Array::from_iter((0..marks).map(|mark| offsets.get(mark).copied()));
            arrays.push(tuple(&mark_type(), vec![Arc::new(file), Arc::new(block)])?);
        }
    }
    Ok(arrays)
}

/// Where the pages of the granules begin in the object: of a column of several, those of the first.
fn offsets(open: &OpenPart, column: usize) -> Vec<u64> {
    let metadata = open.metadata.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let leaf = (0..schema.num_columns()).find(|leaf| schema.get_column_root_idx(*leaf) == column);
    let (Some(leaf), Some(index)) = (leaf, metadata.offset_index()) else { return Vec::new() };
    let pages = index.iter().filter_map(|group| group.get(leaf)).flat_map(|chunk| chunk.page_locations());
    pages.map(|page| page.offset.max(0) as u64).collect()
}

fn tuple(kind: &SqlType, values: Vec<ArrayRef>) -> Result<ArrayRef> {
    let DataType::Struct(fields) = kind.arrow() else { return Err(Error::logical("A tuple is carried as a struct")) };
    Ok(Arc::new(StructArray::try_new(fields, values, None)?))
}
