//! Leaving out pages by the page index: for every conjunct over one column, the pages whose statistics exclude it. What is
//! left is a selection of rows, the intersection over all conjuncts; the reader fetches only pages that overlap it.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, UInt64Array};
use datafusion::common::ScalarValue;
use datafusion::common::pruning::PruningStatistics;
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};

use super::columns::{FileColumns, Place};
use super::footer::{Footer, guarded};
use super::prune::{Bounds, pruning_predicate};
use crate::object::filter::ScanFilter;

/// The rows of a row group that may pass; `None`: all of them. The footer has its page index.
pub fn selection(footer: &Footer, columns: &FileColumns, filter: &ScanFilter, group: usize) -> Option<RowSelection> {
    let mut selection: Option<RowSelection> = None;
    for conjunct in &filter.conjuncts {
        let [index] = conjunct.columns[..] else {
            continue;
        };
        let Some(Place::File(at)) = columns.place(index) else {
            continue;
        };
        let Some(bounds) = Bounds::of(footer, *at, columns.layout().kind(index)) else {
            continue;
        };
        let Some(predicate) = pruning_predicate(conjunct, columns) else {
            continue;
        };
        let Ok(Some(statistics)) = guarded(|| Ok::<_, gristmill_base::Error>(PageStatistics::of(footer, bounds, group))) else {
            continue;
        };
        let Ok(keep) = predicate.prune(&statistics) else {
            continue;
        };
        let selectors = statistics.rows.iter().zip(keep).map(|(&rows, keep)| {
            if keep { RowSelector::select(rows as usize) } else { RowSelector::skip(rows as usize) }
        });
        let these: RowSelection = selectors.collect::<Vec<_>>().into();
        selection = Some(match selection {
            None => these,
            Some(before) => before.intersection(&these),
        });
    }
    let rows = footer.metadata().row_group(group).num_rows() as usize;
    selection.filter(|selection| selection.row_count() < rows)
}

struct PageStatistics {
    minima: Option<ArrayRef>,
    maxima: Option<ArrayRef>,
    nulls: UInt64Array,
    rows: Vec<u64>,
}

impl PageStatistics {
    fn of(footer: &Footer, bounds: Bounds, group: usize) -> Option<PageStatistics> {
        let metadata = footer.metadata();
        let (column_index, offset_index) = (metadata.column_index()?, metadata.offset_index()?);
        let pages = offset_index.get(group)?.get(bounds.leaf)?.page_locations();
        if pages.len() < 2 {
            return None;
        }
        let group_rows = metadata.row_group(group).num_rows();
        let starts = pages.iter().map(|page| page.first_row_index).chain([group_rows]).collect::<Vec<_>>();
        // Damaged indexes are no reason to read less than there is.
        if starts[0] != 0 || starts.windows(2).any(|pair| pair[0] > pair[1]) {
            return None;
        }
        let rows: Vec<u64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as u64).collect();
        let converter = bounds.converter(footer)?;
        let minima = converter.data_page_mins(column_index, offset_index, [&group]).ok()?;
        let maxima = converter.data_page_maxes(column_index, offset_index, [&group]).ok()?;
        let nulls = converter.data_page_null_counts(column_index, offset_index, [&group]).ok()?;
        if minima.len() != rows.len() || maxima.len() != rows.len() || nulls.len() != rows.len() {
            return None;
        }
        let unsure: BooleanArray =
            nulls.iter().map(|count| Some(bounds.nulls_become_defaults && count != Some(0))).collect();
        let nulls = if bounds.nulls_become_defaults { UInt64Array::from(vec![0; rows.len()]) } else { nulls };
        Some(PageStatistics {
            minima: bounds.finish(minima.clone(), maxima.clone(), &unsure),
            maxima: bounds.finish(maxima, minima, &unsure),
            nulls,
            rows,
        })
    }
}

impl PruningStatistics for PageStatistics {
    fn min_values(&self, _: &datafusion::common::Column) -> Option<ArrayRef> {
        self.minima.clone()
    }

    fn max_values(&self, _: &datafusion::common::Column) -> Option<ArrayRef> {
        self.maxima.clone()
    }

    fn num_containers(&self) -> usize {
        self.rows.len()
    }

    fn null_counts(&self, _: &datafusion::common::Column) -> Option<ArrayRef> {
        Some(Arc::new(self.nulls.clone()))
    }

    fn row_counts(&self) -> Option<ArrayRef> {
        Some(Arc::new(UInt64Array::from(self.rows.clone())))
    }

    fn contained(&self, _: &datafusion::common::Column, _: &HashSet<ScalarValue>) -> Option<BooleanArray> {
        None
    }
}
