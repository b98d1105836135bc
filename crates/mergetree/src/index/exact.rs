//! Least and greatest values that are exact: what `min` and `max` of a whole column are answered with.
//!
//! The bounds that the manifest keeps of partition columns are no such thing: a merge that drops rows does not narrow
//! them. Those in a part's own footer are, as they were taken from the rows of that part. Bounds of strings are cut off where
//! they are long; the footer says of each whether it was, so they are exact where all of them are short. Floats (NaN) and
//! columns that may be NULL are left out.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use datafusion::common::ScalarValue;
use gristmill_base::Result;
use gristmill_types::SqlType;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::file::metadata::RowGroupMetaData;

use super::statistics;
use crate::layout::Layout;
use crate::part::OpenPart;
use crate::part::v1::schema::reading_schema;
use crate::part::v1::storage_type::from_storage;
use crate::read::evolve::FoundColumn;

/// Whether bounds of columns of the type can be exact.
pub fn is_supported(kind: &SqlType) -> bool {
    let plain = match kind {
        SqlType::LowCardinality(inner) => inner.as_ref(),
        kind => kind,
    };
    (statistics::is_supported(plain) || matches!(plain, SqlType::FixedString(_)))
        && !matches!(plain, SqlType::Nullable(_) | SqlType::SimpleAggregateFunction(..))
}

/// Of a column of the table over all the parts, of which there is at least one. `None`: not known.
pub fn bounds(parts: &[&Arc<OpenPart>], layout: &Arc<Layout>, place: usize) -> Option<(ScalarValue, ScalarValue)> {
    let kind = &layout.columns.0[place].kind;
    if !is_supported(kind) {
        return None;
    }
    let mut all: Option<(ScalarValue, ScalarValue)> = None;
    for part in parts {
        // The row with the bound may be deleted.
        if part.deleted.is_some() {
            return None;
        }
        let (least, greatest) = of_part(part, layout, place).ok().flatten()?;
        for (low, high) in (0..least.len()).map(|at| (value(&least, at), value(&greatest, at))) {
            let (low, high) = (low?, high?);
            all = Some(match all {
                None => (low, high),
                Some((least, greatest)) => {
                    (if low < least { low } else { least }, if high > greatest { high } else { greatest })
                }
            });
        }
    }
    all.filter(|(least, _)| least.data_type() == kind.arrow())
}

fn value(values: &ArrayRef, at: usize) -> Option<ScalarValue> {
    ScalarValue::try_from_array(values, at).ok().filter(|value| !value.is_null())
}

/// By row group.
fn of_part(part: &OpenPart, layout: &Arc<Layout>, place: usize) -> Result<Option<(ArrayRef, ArrayRef)>> {
    let FoundColumn::Stored(place) = part.find_columns(layout).columns[place] else { return Ok(None) };
    let column = &part.columns.0[place];
    let groups = part.metadata.metadata().row_groups();
    if column.kind.is_string() && !groups.iter().all(|group| are_whole(group, &column.name)) {
        return Ok(None);
    }
    let parquet = reading_schema(&part.storage)?;
    let converter = StatisticsConverter::try_new(&column.name, &part.storage, &parquet)?;
    let least = from_storage(&column.kind, &converter.row_group_mins(groups)?)?;
    let greatest = from_storage(&column.kind, &converter.row_group_maxes(groups)?)?;
    Ok(Some((least, greatest)))
}

/// Whether the bounds of a column of strings were not cut off.
fn are_whole(group: &RowGroupMetaData, name: &str) -> bool {
    let column = group.columns().iter().find(|column| column.column_path().parts() == [name]);
    column.and_then(|column| column.statistics()).is_some_and(|bounds| bounds.min_is_exact() && bounds.max_is_exact())
}
