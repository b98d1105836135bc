//! ARRAY JOIN in pieces of bounded size.
//!
//! DataFusion's operator makes all rows of an array at once, and copies the row's other columns for each: one row with a long
//! array beside another long array is copied into as many bytes as the product of both, or beyond what offsets can say, which is a
//! panic. Here a piece has about as many rows as a batch, and fewer where each row of it copies much. Elements that lie one
//! behind the other, as those of neighbouring rows nearly always do, are handed on as they lie; only the other columns are copied.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute::{concat, take};
use arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DataFusionError, NullHandling, Result};
use datafusion::config::ConfigOptions;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet, RecordOutput};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::{
    ChildrenPropertiesMode, DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};
use futures::TryStreamExt;

/// What a piece copies of other columns at most, unless one row alone does more.
const COPIED_BYTES: usize = 32 << 20;

#[derive(Debug)]
pub struct JoinArraysByPieces;

impl PhysicalOptimizerRule for JoinArraysByPieces {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let replaced = plan.transform_up(|plan| {
            let Some(unnest) = plan.downcast_ref::<UnnestExec>() else { return Ok(Transformed::no(plan)) };
            Ok(match ArrayJoinExec::instead_of(unnest) {
                Some(ours) => Transformed::yes(Arc::new(ours) as Arc<dyn ExecutionPlan>),
                None => Transformed::no(plan),
            })
        })?;
        Ok(replaced.data)
    }

    fn name(&self) -> &str {
        "JoinArraysByPieces"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct ArrayJoinExec {
    /// What it stands for: its input, properties and schema.
    unnest: UnnestExec,
    /// Columns of the input whose elements become rows.
    arrays: Arc<[usize]>,
    metrics: ExecutionPlanMetricsSet,
}

impl ArrayJoinExec {
    /// `None`: it does more than to make rows of the elements of plain lists.
    fn instead_of(unnest: &UnnestExec) -> Option<ArrayJoinExec> {
        let input = unnest.input().schema();
        let columns = unnest.list_column_indices();
        let plain = columns.iter().all(|column| {
            column.depth == 1 && matches!(input.field(column.index_in_input_schema).data_type(), DataType::List(_))
        });
        let drops = unnest.options().null_handling == NullHandling::Drop;
        let mut arrays: Vec<usize> = columns.iter().map(|column| column.index_in_input_schema).collect();
        arrays.sort_unstable();
        let once = arrays.windows(2).all(|pair| pair[0] < pair[1]);
        if arrays.is_empty() || !plain || !drops || !once || !unnest.struct_column_indices().is_empty() {
            return None;
        }
        Some(ArrayJoinExec { unnest: unnest.clone(), arrays: arrays.into(), metrics: ExecutionPlanMetricsSet::new() })
    }
}

impl DisplayAs for ArrayJoinExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input = self.unnest.input().schema();
        let names: Vec<&str> = self.arrays.iter().map(|array| input.field(*array).name().as_str()).collect();
        write!(f, "ArrayJoinExec: arrays=[{}]", names.join(", "))
    }
}

impl ExecutionPlan for ArrayJoinExec {
    fn name(&self) -> &str {
        "ArrayJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.unnest.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.unnest.children()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
        let unnest = Arc::new(self.unnest.clone()).replace_children(children, options)?;
        let ours = unnest.downcast_ref::<UnnestExec>().and_then(ArrayJoinExec::instead_of);
        Ok(match ours {
            Some(ours) => Arc::new(ours),
            None => unnest,
        })
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(&self, partition: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let metrics = BaselineMetrics::new(&self.metrics, partition);
        let piece_rows = task.session_config().batch_size().max(1);
        let (arrays, schema) = (self.arrays.clone(), self.schema());
        let input = self.unnest.input().execute(partition, task)?;
        let state = (input, None::<Pieces>);
        let of_schema = schema.clone();
        let pieces = futures::stream::try_unfold(state, move |(mut input, mut open)| {
            let (arrays, schema, metrics) = (arrays.clone(), of_schema.clone(), metrics.clone());
            async move {
                loop {
                    if let Some(pieces) = &mut open {
                        let timer = metrics.elapsed_compute().timer();
                        let piece = pieces.next(piece_rows)?;
                        timer.done();
                        if let Some(piece) = piece {
                            // One batch may be the source of any number of pieces, none of which waits.
                            tokio::task::consume_budget().await;
                            return Ok(Some((piece.record_output(&metrics), (input, open))));
                        }
                    }
                    open = match input.try_next().await? {
                        Some(batch) => Some(Pieces::of(batch, &arrays, schema.clone())),
                        None => return Ok(None),
                    };
                }
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, pieces)))
    }
}

/// A batch on its way to be rows of elements.
struct Pieces {
    batch: RecordBatch,
    arrays: Arc<[usize]>,
    schema: SchemaRef,
    /// The other columns whose values may be large.
    beside: Vec<ArrayRef>,
    /// The row that is next, and how many of its elements were given.
    row: usize,
    given: usize,
}

impl Pieces {
    fn of(batch: RecordBatch, arrays: &Arc<[usize]>, schema: SchemaRef) -> Pieces {
        let columns = batch.columns().iter().enumerate();
        let others = columns.filter(|(place, column)| !arrays.contains(place) && is_copied_whole(column.data_type()));
        let beside = others.map(|(_, column)| column.clone()).collect();
        Pieces { batch, arrays: arrays.clone(), schema, beside, row: 0, given: 0 }
    }

    /// Bytes that each copy of a row takes beside its elements.
    fn bytes_beside(&self, row: usize) -> usize {
        self.beside.iter().map(|column| copied_bytes(column, row..row + 1)).fold(0, usize::saturating_add)
    }

    /// Elements of a row, which are as many in each of its arrays; none of NULL.
    fn length(&self, row: usize) -> usize {
        let length = |array: &usize| {
            let list = self.batch.column(*array).as_list::<i32>();
            if list.is_null(row) { 0 } else { list.value_length(row).max(0) as usize }
        };
        self.arrays.iter().map(length).max().unwrap_or(0)
    }

    /// `None`: there is nothing more of the batch.
    fn next(&mut self, piece_rows: usize) -> Result<Option<RecordBatch>> {
        let mut rows: Vec<u32> = Vec::new();
        let mut taken: Vec<(usize, Range<usize>)> = Vec::new();
        let mut copied = 0_usize;
        while self.row < self.batch.num_rows() && rows.len() < piece_rows && copied < COPIED_BYTES {
            let left = self.length(self.row) - self.given;
            let bytes = self.bytes_beside(self.row);
            let fitting = (COPIED_BYTES - copied)
                .checked_div(bytes)
                .map_or(left, |rows_left| rows_left.max(usize::from(rows.is_empty())));
            let count = left.min(piece_rows - rows.len()).min(fitting);
            if count > 0 {
                rows.resize(rows.len() + count, self.row as u32);
                taken.push((self.row, self.given..self.given + count));
                copied = copied.saturating_add(bytes.saturating_mul(count));
            }
            if count < left {
                self.given += count;
                break;
            }
            (self.row, self.given) = (self.row + 1, 0);
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let count = rows.len();
        let rows = UInt32Array::from(rows);
        let columns = self.batch.columns().iter().enumerate().map(|(place, column)| match self.arrays.contains(&place) {
            true => elements(column, &taken),
            false => Ok(take(column, &rows, None)?),
        });
        let columns = columns.collect::<Result<Vec<ArrayRef>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        Ok(Some(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?))
    }
}

/// Whether a copy of a value is more than some bytes. Texts are views, whose bytes are shared.
fn is_copied_whole(kind: &DataType) -> bool {
    kind.is_nested() || matches!(kind, DataType::FixedSizeBinary(_) | DataType::Binary)
}

/// Bytes that a copy of some neighbouring values takes, at least one each.
fn copied_bytes(values: &dyn Array, range: Range<usize>) -> usize {
    let count = range.len();
    let inside = |offsets: &[i32], values: &dyn Array| {
        copied_bytes(values, offsets[range.start] as usize..offsets[range.end] as usize).saturating_add(count)
    };
    match values.data_type() {
        DataType::List(_) => {
            let list = values.as_list::<i32>();
            inside(list.value_offsets(), list.values())
        }
        DataType::Map(..) => {
            let map = values.as_map();
            inside(map.value_offsets(), map.entries())
        }
        DataType::Struct(_) => {
            let fields = values.as_struct().columns().iter();
            fields.map(|field| copied_bytes(field, range.clone())).fold(count, usize::saturating_add)
        }
        DataType::Binary => {
            let offsets = values.as_binary::<i32>().value_offsets();
            ((offsets[range.end] - offsets[range.start]) as usize).saturating_add(count)
        }
        DataType::FixedSizeBinary(width) => count.saturating_mul((*width).max(1) as usize),
        // A view has sixteen bytes.
        other => count.saturating_mul(other.primitive_width().unwrap_or(16)),
    }
}

/// Elements of rows of a list, one behind the other. Error: a row has fewer, which whoever made the lists should have refused.
fn elements(list: &ArrayRef, taken: &[(usize, Range<usize>)]) -> Result<ArrayRef> {
    let list = list.as_list::<i32>();
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (row, of_row) in taken {
        if list.is_null(*row) || (list.value_length(*row) as usize) < of_row.end {
            return Err(DataFusionError::Internal("Arrays of ARRAY JOIN are of different sizes".to_string()));
        }
        let first = list.value_offsets()[*row] as usize;
        let run = first + of_row.start..first + of_row.end;
        match runs.last_mut() {
            Some(last) if last.end == run.start => last.end = run.end,
            _ => runs.push(run),
        }
    }
    let values = list.values();
    let slice = |run: &Range<usize>| values.slice(run.start, run.len());
    if let [run] = &runs[..] {
        return Ok(slice(run));
    }
    let slices: Vec<ArrayRef> = runs.iter().map(slice).collect();
    let slices: Vec<&dyn Array> = slices.iter().map(|slice| slice.as_ref()).collect();
    Ok(concat(&slices)?)
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int32Array, ListArray, StructArray};
    use arrow::datatypes::{Field, Int32Type, Schema};

    use super::*;

    fn pieces(lists: Vec<Option<Vec<Option<i32>>>>, beside: Option<ArrayRef>, piece_rows: usize) -> Vec<RecordBatch> {
        let keys = Int32Array::from_iter_values(0..lists.len() as i32);
        let list = ListArray::from_iter_primitive::<Int32Type, _, _>(lists);
        let mut fields = vec![Field::new("k", DataType::Int32, false), Field::new("e", list.data_type().clone(), true)];
        let mut columns: Vec<ArrayRef> = vec![Arc::new(keys), Arc::new(list)];
        if let Some(beside) = beside {
            fields.push(Field::new("b", beside.data_type().clone(), true));
            columns.push(beside);
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields.clone())), columns).expect("a batch");
        fields[1] = Field::new("e", DataType::Int32, true);
        let mut pieces = Pieces::of(batch, &Arc::from([1]), Arc::new(Schema::new(fields)));
        std::iter::from_fn(|| pieces.next(piece_rows).expect("a piece")).collect()
    }

    fn numbers(pieces: &[RecordBatch], column: usize) -> Vec<Option<i32>> {
        pieces.iter().flat_map(|piece| piece.column(column).as_primitive::<Int32Type>().iter().collect::<Vec<_>>()).collect()
    }

    #[test]
    fn rows_without_elements_leave_and_long_ones_are_cut() {
        let lists =
            vec![Some(vec![Some(1), None, Some(3)]), None, Some(Vec::new()), Some(vec![Some(4)]), Some(vec![Some(5); 7])];
        for piece_rows in 1..14 {
            let made = pieces(lists.clone(), None, piece_rows);
            assert!(made.iter().all(|piece| (1..=piece_rows).contains(&piece.num_rows())), "{piece_rows}");
            let keys: Vec<_> = [0, 0, 0, 3, 4, 4, 4, 4, 4, 4, 4].map(Some).into();
            assert_eq!(numbers(&made, 0), keys, "{piece_rows}");
            let mut expected = vec![Some(1), None, Some(3), Some(4)];
            expected.extend([Some(5); 7]);
            assert_eq!(numbers(&made, 1), expected, "{piece_rows}");
        }
    }

    #[test]
    fn a_long_array_beside_is_not_copied_all_at_once() {
        let long: ArrayRef = Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1); 4 << 20])]));
        let field = Field::new("long", long.data_type().clone(), true);
        let within = StructArray::from(vec![(Arc::new(field), long.clone())]);
        for beside in [long, Arc::new(within) as ArrayRef] {
            let mut made = 0;
            for piece in pieces(vec![Some(vec![Some(1); 10])], Some(beside), 8192) {
                assert!(piece.column(2).get_array_memory_size() <= 2 * COPIED_BYTES);
                made += piece.num_rows();
            }
            assert_eq!(made, 10);
        }
    }

    #[test]
    fn what_is_copied_is_counted_by_rows() {
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1); 3]), None, Some(vec![Some(1)])]);
        assert_eq!([0..1, 1..2, 2..3, 0..3].map(|rows| copied_bytes(&lists, rows)), [13, 1, 5, 19]);
        assert_eq!(copied_bytes(&lists.slice(2, 1), 0..1), 5);
    }
}
