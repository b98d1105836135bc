//! What a log of the server declares of itself: its columns, and how its entries become rows of them.

use std::fmt::Debug;
use std::time::Duration;

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_introspect::logs::LogQueue;
use gristmill_types::Columns;

/// A log: a table of the database `system` whose rows the server itself writes.
pub trait LogSource: Debug + Send + Sync {
    /// Where its entries wait for their table.
    fn queue(&self) -> &'static dyn LogQueue;

    /// With their comments.
    fn columns(&self) -> &Columns;

    /// Columns of its table that no row has: they are computed of the others.
    fn aliases(&self) -> &Columns;

    /// The column of the day that an entry is of: partitions and TTL go by it.
    fn day(&self) -> &'static str {
        "event_date"
    }

    /// Expressions of its sorting key.
    fn order_by(&self) -> &'static str {
        "event_date, event_time"
    }

    /// How often `collect` is to be called unless the configuration says otherwise; `None`: entries come by themselves.
    fn collects_every(&self) -> Option<Duration> {
        None
    }

    /// Looks how things stand, and makes entries of that.
    fn collect(&self) {}

    /// Whether entries tell what happened since the last look, so that a flush has to look first.
    fn collects_before_flush(&self) -> bool {
        false
    }

    /// Up to so many entries leave the queue, as rows of `columns`. `None`: there are none.
    fn take(&self, rows_max: usize) -> Result<Option<RecordBatch>>;

    /// The entries that are kept in memory, as rows.
    fn kept(&self) -> Result<RecordBatch>;
}
