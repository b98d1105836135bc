//! Opening a Parquet file for a scan: its footer, then everything that can be left out before data is read, in the order of
//! what it costs to know. Statistics of row groups come with the footer; bloom filters and the page index cost a round trip,
//! and are asked for only where they may save more than that.

use std::ops::Range;
use std::sync::Arc;

use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{BinaryExpr, InListExpr, LikeExpr};
use datafusion::physical_expr_common::physical_expr::snapshot_physical_expr;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Result, ResultExt};
use gristmill_introspect::{Event, Settings};
use parquet::arrow::arrow_reader::{RowSelection, RowSelector};

use super::column_groups::rows_wait;
use super::columns::{FileColumns, Place};
use super::footer::{Footer, guarded};
use super::unit::{OpenFile, PlannedUnit, Wanted, chunk_ranges, decoded_bytes, group_bytes};
use super::{bloom, pages, prune};
use crate::object::fetch::Opened;
use crate::object::file::SourceFile;
use crate::object::scan::ScanRequest;

/// From this many bytes on a page index is worth a round trip.
const PAGES_WORTH_A_ROUND_TRIP_BYTES: u64 = 1 << 20;
/// Row groups larger than this are read in several runs of rows.
const UNIT_BYTES_MAX: u64 = 32 << 20;
/// Where memory is limited, the share of it that the decoded rows of a unit may take: several are on their way at a time, and
/// so are blocks of those who take them.
const DECODED_SHARE: u64 = 10;
/// And the least, because each unit decodes the dictionaries of its columns again.
const DECODED_BYTES_MIN: u64 = 16 << 20;

/// What there is to do for a file.
pub enum FileWork {
    Units(Vec<PlannedUnit>),
    /// Nothing of the file is read but its number of rows.
    Rows(Arc<OpenFile>, u64),
}

pub async fn open(request: Arc<ScanRequest>, file: Arc<SourceFile>) -> Result<FileWork> {
    let path = file.path.clone();
    open_file(request, file).await.context(|| format!("(in file '{path}')"))
}

async fn open_file(request: Arc<ScanRequest>, file: Arc<SourceFile>) -> Result<FileWork> {
    let context = request.fetcher.context.clone();
    let mut opened = request.files.opening().footer(&request.fetcher, &file).await?;
    context.counters.add(Event::EngineFileLikeReadFiles, 1);
    if request.fetcher.store.is_remote() {
        context.counters.add(Event::ObjectStorageReadObjects, 1);
    }

    let mut needed = request.wanted.filter.columns();
    needed.extend(&request.wanted.output);
    needed.sort_unstable();
    needed.dedup();
    let columns = FileColumns::new(&request.layout, &needed, opened.footer.schema(), &opened.file, &context.settings)?;
    let roots = columns.file_columns(&needed);
    if roots.is_empty() && request.wanted.filter.is_empty() {
        let groups = opened.footer.metadata().row_groups().iter().enumerate();
        let read = groups.filter(|(group, _)| is_wanted(&request, &opened.file, *group));
        let rows = read.map(|(_, group)| group.num_rows() as u64).sum();
        let file = Arc::new(OpenFile { file: opened.file, footer: opened.footer, columns, tail: None });
        return Ok(FileWork::Rows(file, rows));
    }

    let groups = surviving_groups(&request, &opened, &columns).await?;
    let read = (0..opened.footer.metadata().num_row_groups()).filter(|group| is_wanted(&request, &opened.file, *group));
    let pruned = read.count().saturating_sub(groups.len());
    context.counters.add(Event::ParquetPrunedRowGroups, pruned as u64);
    context.counters.add(Event::ParquetReadRowGroups, groups.len() as u64);

    let bytes = |group: &usize| group_bytes(&opened.footer, &columns, &request.wanted, *group);
    let prunes_pages = context.settings.input_format_parquet_page_filter_push_down
        && groups.iter().map(bytes).sum::<u64>() >= PAGES_WORTH_A_ROUND_TRIP_BYTES
        && narrows_pages(&opened.footer, &columns, &request.wanted);
    let splits =
        groups.iter().any(|group| bytes(group) > UNIT_BYTES_MAX && has_offset_index(&opened.footer, *group, &roots));
    if prunes_pages || splits {
        opened.footer = request.fetcher.page_index(&opened).await?;
    }

    let wanted: Vec<Range<u64>> = groups.iter().flat_map(|&group| chunk_ranges(&opened.footer, group, &roots)).collect();
    let tail = opened.tail.take().and_then(|tail| tail.narrowed(&wanted));
    let file = Arc::new(OpenFile { file: opened.file, footer: opened.footer, columns, tail });
    let units = on_cpu({
        let (file, request) = (file.clone(), request.clone());
        let decoded_max = decoded_max(&context.settings);
        move || Ok(plan_units(&file, &request.wanted, &groups, prunes_pages, &roots, decoded_max))
    })
    .await?;
    Ok(FileWork::Units(units))
}

/// Runs a computation where it delays no socket.
async fn on_cpu<T: Send + 'static>(compute: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    Task::on(&runtime::cpu(), async move { guarded(compute) }).join().await?
}

/// Whether the step of a load, where this is one, takes the row group.
fn is_wanted(request: &ScanRequest, file: &SourceFile, group: usize) -> bool {
    request.wanted.step.as_ref().is_none_or(|step| step.takes(&file.key, group))
}

async fn surviving_groups(request: &Arc<ScanRequest>, opened: &Opened, columns: &FileColumns) -> Result<Vec<usize>> {
    let settings = &request.fetcher.context.settings;
    let footer = opened.footer.clone();
    let all: Vec<usize> = (0..footer.metadata().num_row_groups())
        .filter(|&group| footer.metadata().row_group(group).num_rows() > 0 && is_wanted(request, &opened.file, group))
        .collect();
    if request.wanted.filter.is_empty() || all.is_empty() {
        return Ok(all);
    }
    let mut groups = all;
    if settings.input_format_parquet_filter_push_down {
        let (request, footer, columns) = (request.clone(), footer.clone(), columns.clone());
        groups = on_cpu(move || Ok(prune::surviving_groups(&footer, &columns, &request.wanted.filter, groups))).await?;
    }
    if settings.input_format_parquet_bloom_filter_push_down && !groups.is_empty() {
        let places = bloom::wanted(&footer, columns, &request.wanted.filter, &groups, |group| {
            group_bytes(&footer, columns, &request.wanted, group)
        });
        if !places.is_empty() {
            let ranges: Vec<Range<u64>> = places.iter().map(|place| place.range.clone()).collect();
            let filters = request.fetcher.ranges(&opened.file, opened.tail.as_ref(), &ranges).await?;
            let fetched: Vec<_> = places.into_iter().zip(filters).collect();
            let (request, columns) = (request.clone(), columns.clone());
            groups =
                on_cpu(move || Ok(bloom::surviving_groups(&footer, &columns, &request.wanted.filter, groups, &fetched)))
                    .await?;
        }
    }
    Ok(groups)
}

/// Whether some conjunct over one column could leave out pages, and the file has what it takes.
fn narrows_pages(footer: &Footer, columns: &FileColumns, wanted: &Wanted) -> bool {
    wanted.filter.conjuncts.iter().any(|conjunct| {
        let [index] = conjunct.columns[..] else {
            return false;
        };
        let Some(Place::File(root)) = columns.place(index) else {
            return false;
        };
        let expression = snapshot_physical_expr(conjunct.expression.clone()).unwrap_or_else(|_| conjunct.expression.clone());
        let indexed = footer.metadata().row_groups().first().is_some_and(|group| {
            (0..group.num_columns()).any(|leaf| {
                footer.reader.parquet_schema().get_column_root_idx(leaf) == *root
                    && group.column(leaf).column_index_offset().is_some()
            })
        });
        indexed && narrows(&expression)
    })
}

/// Whether an expression picks a range or a few values; `!=` and its like leave out next to nothing.
fn narrows(expression: &Arc<dyn PhysicalExpr>) -> bool {
    if let Some(binary) = expression.downcast_ref::<BinaryExpr>() {
        return match binary.op() {
            Operator::Eq | Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => true,
            Operator::And => narrows(binary.left()) || narrows(binary.right()),
            Operator::Or => narrows(binary.left()) && narrows(binary.right()),
            _ => false,
        };
    }
    if let Some(list) = expression.downcast_ref::<InListExpr>() {
        return !list.negated();
    }
    expression.downcast_ref::<LikeExpr>().is_some_and(|like| !like.negated())
}

fn has_offset_index(footer: &Footer, group: usize, roots: &[usize]) -> bool {
    let metadata = footer.metadata().row_group(group);
    (0..metadata.num_columns())
        .filter(|&leaf| roots.binary_search(&footer.reader.parquet_schema().get_column_root_idx(leaf)).is_ok())
        .all(|leaf| metadata.column(leaf).offset_index_offset().is_some())
}

fn plan_units(
    file: &Arc<OpenFile>,
    wanted: &Wanted,
    groups: &[usize],
    prunes_pages: bool,
    roots: &[usize],
    decoded_max: u64,
) -> Vec<PlannedUnit> {
    let mut units = Vec::new();
    for &group in groups {
        let selection =
            if prunes_pages { pages::selection(&file.footer, &file.columns, &wanted.filter, group) } else { None };
        if selection.as_ref().is_some_and(|selection| !selection.selects_any()) {
            continue;
        }
        let unit = PlannedUnit { file: file.clone(), group, selection };
        units.extend(split(unit, wanted, roots, decoded_max));
    }
    units
}

/// Bytes that the decoded rows of a unit may take.
fn decoded_max(settings: &Settings) -> u64 {
    match settings.max_memory_usage {
        0 => u64::MAX,
        limit => (limit / DECODED_SHARE).max(DECODED_BYTES_MIN),
    }
}

/// A large row group as several runs of rows, cut where pages of its widest column begin, or anywhere, where there are fewer
/// pages than runs.
fn split(unit: PlannedUnit, wanted: &Wanted, roots: &[usize], decoded_max: u64) -> Vec<PlannedUnit> {
    let footer = &unit.file.footer;
    let bytes = group_bytes(footer, &unit.file.columns, wanted, unit.group);
    let Some(offset_index) = footer.metadata().offset_index().and_then(|index| index.get(unit.group)) else {
        return vec![unit];
    };
    let metadata = footer.metadata().row_group(unit.group);
    let widest = (0..metadata.num_columns())
        .filter(|&leaf| roots.binary_search(&footer.reader.parquet_schema().get_column_root_idx(leaf)).is_ok())
        .max_by_key(|&leaf| metadata.column(leaf).compressed_size());
    let Some(pages) = widest.and_then(|leaf| offset_index.get(leaf)).map(|leaf| leaf.page_locations()) else {
        return vec![unit];
    };
    let rows = metadata.num_rows() as usize;
    let first_rows: Vec<usize> = pages.iter().map(|page| page.first_row_index.max(0) as usize).collect();
    let decoded = match rows_wait(footer, unit.group, roots) {
        true => decoded_bytes(footer, unit.group, roots, rows as u64),
        false => 0,
    };
    let Some(borders) = borders(&first_rows, rows, bytes, decoded.div_ceil(decoded_max)) else {
        return vec![unit];
    };
    borders
        .windows(2)
        .filter_map(|pair| {
            let run: RowSelection =
                vec![RowSelector::skip(pair[0]), RowSelector::select(pair[1] - pair[0]), RowSelector::skip(rows - pair[1])]
                    .into();
            let selection = unit.selection.as_ref().map_or_else(|| run.clone(), |selection| selection.intersection(&run));
            selection.selects_any().then(|| PlannedUnit {
                file: unit.file.clone(),
                group: unit.group,
                selection: Some(selection),
            })
        })
        .collect()
}

/// The first row of each run that a row group of so many bytes is read in, and the end of the last; `None`: it is one run.
/// `first_rows`: of the pages of its widest column. `by_memory`: runs that its decoded rows ask for.
fn borders(first_rows: &[usize], rows: usize, bytes: u64, by_memory: u64) -> Option<Vec<usize>> {
    let pages = first_rows.len();
    let by_size = bytes.div_ceil(UNIT_BYTES_MAX).min(pages as u64);
    let runs = by_size.max(by_memory.min(rows as u64)) as usize;
    if runs < 2 {
        return None;
    }
    let border = |run: usize| match runs <= pages {
        true => first_rows[run * pages / runs],
        false => (run as u128 * rows as u128 / runs as u128) as usize,
    };
    let mut borders: Vec<usize> = (0..runs).map(border).collect();
    borders.push(rows);
    let ascend = borders[0] == 0 && borders.windows(2).all(|pair| pair[0] <= pair[1]);
    ascend.then_some(borders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_row_group_is_cut_where_pages_begin() {
        let pages = [0, 100, 250, 600, 700];
        assert_eq!(borders(&pages, 1000, 2 * UNIT_BYTES_MAX, 1), Some(vec![0, 250, 1000]));
        // No more runs than pages.
        assert_eq!(borders(&pages, 1000, 100 * UNIT_BYTES_MAX, 1), Some(vec![0, 100, 250, 600, 700, 1000]));
        assert_eq!(borders(&pages, 1000, UNIT_BYTES_MAX, 1), None);
    }

    #[test]
    fn where_memory_asks_for_more_runs_than_there_are_pages_pages_are_cut() {
        assert_eq!(borders(&[0, 600], 1000, UNIT_BYTES_MAX, 4), Some(vec![0, 250, 500, 750, 1000]));
        // A row is not cut.
        assert_eq!(borders(&[0], 3, UNIT_BYTES_MAX, 1 << 40), Some(vec![0, 1, 2, 3]));
    }

    #[test]
    fn pages_that_do_not_begin_at_the_first_row_or_do_not_ascend_cut_nothing() {
        assert_eq!(borders(&[5, 600], 1000, 2 * UNIT_BYTES_MAX, 1), None);
        assert_eq!(borders(&[0, 2000], 1000, 2 * UNIT_BYTES_MAX, 1), None);
    }

    #[test]
    fn memory_that_is_not_limited_asks_for_one_run() {
        let mut settings = Settings::default();
        settings.max_memory_usage = 0;
        assert_eq!(u64::MAX.div_ceil(decoded_max(&settings)), 1);
        settings.max_memory_usage = 1_000_000_000;
        assert!((DECODED_BYTES_MIN..500_000_000).contains(&decoded_max(&settings)));
        settings.max_memory_usage = 1;
        assert_eq!(decoded_max(&settings), DECODED_BYTES_MIN);
    }
}
