//! Rows of a log between its queue and its table.
//!
//! What waits in the queue becomes rows of the table's columns (a batch each time), and a flush takes all of them as blocks.
//! Rows count against the queue's limits as its entries do: with so many, or so many bytes, a flush is due.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use gristmill_base::Result;
use gristmill_catalog::LogSource;
use gristmill_introspect::logs::QueueLimits;
use parking_lot::Mutex;

/// Rows that become one block, about.
const BLOCK_ROWS: usize = 1 << 17;

pub struct Gathered {
    source: Arc<dyn LogSource>,
    limits: QueueLimits,
    batches: Mutex<Batches>,
}

#[derive(Default)]
struct Batches {
    all: Vec<RecordBatch>,
    rows: usize,
    /// Of memory.
    bytes: usize,
}

impl Gathered {
    pub fn of(source: Arc<dyn LogSource>, limits: QueueLimits) -> Gathered {
        Gathered { source, limits, batches: Mutex::default() }
    }

    /// Whether there is nothing to write, here or in the queue.
    pub fn is_empty(&self) -> bool {
        self.batches.lock().all.is_empty() && self.source.queue().is_empty()
    }

    /// Whether rows and entries are so many that they are to be written now.
    pub fn is_due(&self) -> bool {
        let batches = self.batches.lock();
        !batches.all.is_empty()
            && (batches.rows + self.source.queue().len() >= self.limits.rows_due
                || batches.bytes >= self.limits.bytes_max / 2)
    }

    /// Makes rows of what the queue has now. Errors: entries that do not become rows; they are lost.
    pub fn gather(&self) -> Result<()> {
        let mut left = self.source.queue().len();
        while left > 0 {
            let entries = left.min(BLOCK_ROWS);
            left -= entries;
            let Some(batch) = self.source.take(entries)? else { return Ok(()) };
            let mut batches = self.batches.lock();
            batches.rows += batch.num_rows();
            batches.bytes += batch.get_array_memory_size();
            batches.all.push(batch);
        }
        Ok(())
    }

    /// Takes the rows, as blocks.
    pub fn take(&self) -> Vec<Result<RecordBatch>> {
        let taken = std::mem::take(&mut *self.batches.lock());
        let mut blocks: Vec<Vec<RecordBatch>> = Vec::new();
        let mut rows = 0;
        for batch in taken.all {
            if blocks.is_empty() || rows + batch.num_rows() > BLOCK_ROWS {
                blocks.push(Vec::new());
                rows = 0;
            }
            rows += batch.num_rows();
            blocks.last_mut().expect("one was pushed").push(batch);
        }
        let joined = |batches: Vec<RecordBatch>| match batches.as_slice() {
            [one] => Ok(one.clone()),
            [first, ..] => Ok(concat_batches(&first.schema(), &batches)?),
            [] => unreachable!("a block has a batch"),
        };
        blocks.into_iter().map(joined).collect()
    }
}

#[cfg(test)]
mod tests {
    use arrow::array::{AsArray, UInt64Array};
    use arrow::datatypes::UInt64Type;
    use gristmill_introspect::logs::{Log, LogEntry, LogQueue, Mode};
    use gristmill_types::{Column, Columns, SqlType};

    use super::*;

    #[derive(Debug)]
    struct Number(u64);

    impl LogEntry for Number {
        fn heap_bytes(&self) -> usize {
            0
        }
    }

    #[derive(Debug)]
    struct Numbers {
        log: &'static Log<Number>,
        columns: Columns,
    }

    impl LogSource for Numbers {
        fn queue(&self) -> &'static dyn LogQueue {
            self.log
        }

        fn columns(&self) -> &Columns {
            &self.columns
        }

        fn take(&self, rows_max: usize) -> Result<Option<RecordBatch>> {
            let entries = self.log.take(rows_max);
            let numbers: UInt64Array = entries.iter().map(|entry| Some(entry.0)).collect();
            Ok(Some(RecordBatch::try_from_iter([("n", Arc::new(numbers) as _)])?))
        }

        fn kept(&self) -> Result<RecordBatch> {
            unreachable!("the log has a table")
        }
    }

    fn gathered(limits: QueueLimits) -> (&'static Log<Number>, Gathered) {
        let log: &'static Log<Number> = Box::leak(Box::new(Log::new("numbers", 1)));
        log.configure(Mode::Queue(limits));
        let columns = Columns::new(vec![Column::new("n".to_string(), SqlType::UInt64)]);
        (log, Gathered::of(Arc::new(Numbers { log, columns }), limits))
    }

    #[test]
    fn entries_become_rows_of_one_block_in_their_order() {
        let (log, gathered) = gathered(QueueLimits::default());
        assert!(gathered.is_empty());
        for numbers in [0..3, 3..4] {
            numbers.for_each(|number| log.push(Number(number)));
            assert!(!gathered.is_empty(), "what waits in the queue is to be written too");
            gathered.gather().expect("rows");
            assert!(log.is_empty() && !gathered.is_empty());
        }
        let [Ok(block)] = &gathered.take()[..] else { panic!("one block") };
        assert_eq!(block.column(0).as_primitive::<UInt64Type>().values(), &[0, 1, 2, 3]);
        assert!(gathered.is_empty() && gathered.take().is_empty());
    }

    #[test]
    fn rows_count_for_what_makes_a_flush_due() {
        let (log, gathered) = gathered(QueueLimits { rows_due: 3, ..QueueLimits::default() });
        (0..2).for_each(|number| log.push(Number(number)));
        gathered.gather().expect("rows");
        assert!(!gathered.is_due());
        log.push(Number(2));
        assert!(gathered.is_due());
        drop(gathered.take());
        assert!(!gathered.is_due());
    }
}
