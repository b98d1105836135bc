//! Where partitions and peers begin, and the stretches of rows that are computed at once.

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::compute::{concat, partition};
use datafusion::common::Result;

/// Rows of one batch with what windows need of them.
pub struct Piece {
    pub batch: RecordBatch,
    /// Of each function.
    pub arguments: Vec<Vec<ArrayRef>>,
    /// Rows that begin a partition.
    partitions: Vec<usize>,
    /// Rows that begin a partition or sort behind the row before them.
    peers: Vec<usize>,
}

impl Piece {
    pub fn new(batch: RecordBatch, arguments: Vec<Vec<ArrayRef>>, partitions: Vec<usize>, peers: Vec<usize>) -> Piece {
        Piece { batch, arguments, partitions, peers }
    }

    pub fn rows(&self) -> usize {
        self.batch.num_rows()
    }

    pub fn last_partition(&self) -> Option<usize> {
        self.partitions.last().copied()
    }

    pub fn last_peers(&self) -> Option<usize> {
        self.peers.last().copied()
    }

    /// The rows before `row`, and the others.
    pub fn split(self, row: usize) -> (Piece, Piece) {
        let rest = self.rows() - row;
        let arguments = |from, rows| {
            self.arguments.iter().map(|columns| columns.iter().map(|column| column.slice(from, rows)).collect()).collect()
        };
        let starts = |starts: &[usize]| {
            let (before, behind) = starts.split_at(starts.partition_point(|start| *start < row));
            (before.to_vec(), behind.iter().map(|start| start - row).collect())
        };
        let ((partitions, later_partitions), (peers, later_peers)) = (starts(&self.partitions), starts(&self.peers));
        let before = Piece::new(self.batch.slice(0, row), arguments(0, row), partitions, peers);
        let behind = Piece::new(self.batch.slice(row, rest), arguments(row, rest), later_partitions, later_peers);
        (before, behind)
    }
}

/// The rows that begin something new by these columns; `last` are those of the row before them, where there is one. Without
/// columns all rows are alike.
pub fn starts(columns: &[ArrayRef], last: Option<&[ArrayRef]>) -> Result<Vec<usize>> {
    if columns.is_empty() {
        return Ok(if last.is_some() { Vec::new() } else { vec![0] });
    }
    let mut starts: Vec<usize> = partition(columns)?.ranges().iter().map(|range| range.start).collect();
    if let Some(last) = last {
        let both = last.iter().zip(columns).map(|(last, column)| concat(&[last.as_ref(), column.slice(0, 1).as_ref()]));
        if partition(&both.collect::<arrow::error::Result<Vec<_>>>()?)?.len() == 1 {
            starts.remove(0);
        }
    }
    Ok(starts)
}

/// The last row of columns.
pub fn last_of(columns: &[ArrayRef]) -> Vec<ArrayRef> {
    columns.iter().map(|column| column.slice(column.len() - 1, 1)).collect()
}

/// A stretch of rows: what begins where, over all of its pieces.
pub struct Chunk {
    pub rows: usize,
    pub partitions: Vec<usize>,
    pub peers: Vec<usize>,
}

impl Chunk {
    pub fn of(pieces: &[Piece]) -> Chunk {
        let mut chunk = Chunk { rows: 0, partitions: Vec::new(), peers: Vec::new() };
        for piece in pieces {
            chunk.partitions.extend(piece.partitions.iter().map(|start| start + chunk.rows));
            chunk.peers.extend(piece.peers.iter().map(|start| start + chunk.rows));
            chunk.rows += piece.rows();
        }
        chunk
    }

    /// The bounds of each partition, in a chunk that begins with one.
    pub fn whole_partitions(&self) -> impl Iterator<Item = (usize, usize)> {
        let ends = self.partitions.iter().skip(1).copied().chain(std::iter::once(self.rows));
        self.partitions.iter().copied().zip(ends)
    }

    /// The number of the stretch that each row is in; the first is that of the rows before the first start, if any.
    pub fn numbers(&self, starts: &[usize]) -> Vec<usize> {
        let mut numbers = Vec::with_capacity(self.rows);
        let leads = starts.first() != Some(&0) && self.rows > 0;
        let first = leads.then_some(0);
        let starts: Vec<usize> = first.into_iter().chain(starts.iter().copied()).collect();
        let ends = starts.iter().skip(1).copied().chain(std::iter::once(self.rows));
        for (number, (start, end)) in starts.iter().zip(ends).enumerate() {
            numbers.extend(std::iter::repeat_n(number, end - start));
        }
        numbers
    }
}

/// One argument over all pieces.
pub fn joined(pieces: &[Piece], function: usize) -> Result<Vec<ArrayRef>> {
    let count = pieces.first().map_or(0, |piece| piece.arguments[function].len());
    let column = |at: usize| {
        let parts: Vec<&dyn Array> = pieces.iter().map(|piece| piece.arguments[function][at].as_ref()).collect();
        match &parts[..] {
            [_] => Ok(pieces[0].arguments[function][at].clone()),
            _ => Ok(concat(&parts)?),
        }
    };
    (0..count).map(column).collect()
}
