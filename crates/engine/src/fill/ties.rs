//! The operator of LIMIT WITH TIES behind WITH FILL: rows in their order go through until enough are given and one sorts otherwise
//! than the last of them. What is below ends then, however long it would have gone on.

use std::fmt;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::row::{OwnedRow, RowConverter, SortField};
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::EquivalenceProperties;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, Distribution, ExecutionPlan, Partitioning, PhysicalExpr, PlanProperties,
};
use futures::StreamExt;

#[derive(Clone, Debug)]
pub struct TiesExec {
    input: Arc<dyn ExecutionPlan>,
    keys: Vec<usize>,
    skip: usize,
    rows: usize,
    properties: Arc<PlanProperties>,
}

impl TiesExec {
    pub fn new(input: Arc<dyn ExecutionPlan>, keys: Vec<usize>, skip: usize, rows: usize) -> TiesExec {
        let properties = Arc::new(PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            Partitioning::UnknownPartitioning(1),
            EmissionType::Incremental,
            Boundedness::Bounded,
        ));
        TiesExec { input, keys, skip, rows, properties }
    }
}

impl DisplayAs for TiesExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.schema();
        let names: Vec<&str> = self.keys.iter().map(|key| schema.field(*key).name().as_str()).collect();
        write!(f, "LimitWithTiesExec: skip={}, fetch={}, keys=[{}]", self.skip, self.rows, names.join(", "))
    }
}

impl ExecutionPlan for TiesExec {
    fn name(&self) -> &str {
        "LimitWithTiesExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition]
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        let input = children.pop().unwrap_or_else(|| self.input.clone());
        Ok(Arc::new(TiesExec::new(input, self.keys.clone(), self.skip, self.rows)))
    }

    fn execute(&self, _: usize, task: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let schema = self.schema();
        let fields = self.keys.iter().map(|key| SortField::new(schema.field(*key).data_type().clone()));
        let ties = Ties {
            converter: RowConverter::new(fields.collect())?,
            keys: self.keys.clone(),
            skip: self.skip,
            rows: self.rows,
            last: None,
            is_done: self.rows == 0,
        };
        let input = self.input.execute(0, task)?;
        let stream = futures::stream::try_unfold((input, ties), |(mut input, mut ties)| async move {
            while !ties.is_done {
                let Some(batch) = input.next().await else { break };
                let given = ties.cut(&batch?)?;
                if given.num_rows() > 0 {
                    return Ok(Some((given, (input, ties))));
                }
            }
            Ok(None)
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream)))
    }
}

struct Ties {
    converter: RowConverter,
    keys: Vec<usize>,
    /// Rows that are still to be skipped and given.
    skip: usize,
    rows: usize,
    /// The keys of the last row, once it is given.
    last: Option<OwnedRow>,
    is_done: bool,
}

impl Ties {
    /// The rows of a batch that are given.
    fn cut(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let start = self.skip.min(batch.num_rows());
        self.skip -= start;
        let taken = self.rows.min(batch.num_rows() - start);
        self.rows -= taken;
        let mut end = start + taken;
        if self.rows == 0 {
            let columns: Vec<ArrayRef> = self.keys.iter().map(|key| batch.column(*key).clone()).collect();
            let keys = self.converter.convert_columns(&columns)?;
            if taken > 0 {
                self.last = Some(keys.row(end - 1).owned());
            }
            let is_tie = |row: usize| self.last.as_ref().is_some_and(|last| keys.row(row) == last.row());
            while end < batch.num_rows() && is_tie(end) {
                end += 1;
            }
            self.is_done = end < batch.num_rows();
        }
        Ok(batch.slice(start, end - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{AsArray, Int64Array};
    use arrow::datatypes::{DataType, Int64Type};

    fn given(skip: usize, rows: usize, batches: &[&[i64]]) -> (Vec<i64>, bool) {
        let converter = RowConverter::new(vec![SortField::new(DataType::Int64)]).expect("a type that sorts");
        let mut ties = Ties { converter, keys: vec![0], skip, rows, last: None, is_done: rows == 0 };
        let mut out = Vec::new();
        for batch in batches {
            if ties.is_done {
                break;
            }
            let column: ArrayRef = Arc::new(Int64Array::from(batch.to_vec()));
            let batch = RecordBatch::try_from_iter([("k", column)]).expect("a batch");
            let batch = ties.cut(&batch).expect("rows");
            out.extend_from_slice(batch.column(0).as_primitive::<Int64Type>().values());
        }
        (out, ties.is_done)
    }

    #[test]
    fn ties_go_on_into_the_next_batch() {
        assert_eq!(given(0, 2, &[&[1, 2], &[2, 2, 3], &[3]]), (vec![1, 2, 2, 2], true));
        assert_eq!(given(1, 1, &[&[1, 2], &[2]]), (vec![2, 2], false));
        assert_eq!(given(3, 1, &[&[1, 2], &[2, 5, 5, 6]]), (vec![5, 5], true));
        assert_eq!(given(0, 0, &[&[1]]), (vec![], true));
        assert_eq!(given(0, 9, &[&[1], &[]]), (vec![1], false));
    }
}
