//! Tables whose rows are made up rather than read: `numbers`, `zeros`, `one`, `generateRandom`, `values`, `null`.
//!
//! A `Sequence` tells the rows by their position: how many there are, and how the block of rows `start..end` looks. From
//! that follow streaming in blocks, sharing out between partitions (each gets a run of neighbouring rows, so the order
//! within a partition is that of the whole), LIMIT, and exact row counts for the planner.

pub mod exec;
pub mod format;
pub mod numbers;
pub mod one;
pub mod random;
pub mod sink;
pub mod table;
pub mod values;
pub mod zeros;

use std::fmt::Debug;
use std::ops::Range;

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_types::Columns;

/// Rows that are told by their position.
pub trait Sequence: Debug + Send + Sync {
    /// What EXPLAIN shows, such as `numbers(0, 10, 1)`.
    fn describe(&self) -> String;

    fn columns(&self) -> Columns;

    /// `None`: no end.
    fn rows(&self) -> Option<u64>;

    /// The rows at these positions, only the columns asked for (by index, in that order).
    fn block(&self, rows: Range<u64>, projection: &[usize]) -> Result<RecordBatch>;

    /// Whether several partitions may share the rows even where they are few enough for one.
    fn eager_partitions(&self) -> bool {
        false
    }

    /// The column whose values grow with the position, where there is one.
    fn ascending(&self) -> Option<usize> {
        None
    }

    /// The part of the positions that a conjunct over the columns leaves, for those it understands. Rows outside are known
    /// not to pass.
    fn narrow(&self, _filter: &datafusion::logical_expr::Expr) -> Option<Range<u64>> {
        None
    }

    /// The same of conjuncts that not all rows inside fulfil.
    fn bounds(&self, _filter: &datafusion::logical_expr::Expr) -> Option<Range<u64>> {
        None
    }
}
