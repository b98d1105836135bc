//! Drives a `RowReader` over chunks that are cut anywhere.
//!
//! Rows are read straight from the caller's chunk. Where it ends within a row, that piece is kept and the next chunk
//! appended to it. A piece that did not hold its row is read again only when it has doubled (or is still small), so a
//! huge row costs a constant number of passes over it and not one a chunk.

use arrow::array::RecordBatch;
use gristmill_base::allocations::{self, ASKED_FOR_BYTES, check_room};
use gristmill_base::{Error, Result};

use super::{RowParser, Rows};

/// What reading at the start of a slice came to.
pub(crate) enum Step {
    /// The slice ends within a row, or may.
    More,
    /// A row was appended; it took that many bytes.
    Row(usize),
    /// That many bytes were no row: space, a header.
    Skip(usize),
    /// A row with a mistake, and how many bytes to leave out with it.
    Bad(usize, Error),
    /// The rest of the data holds no rows.
    End,
}

pub(crate) trait RowReader: Send {
    /// Reads from the start of `input`, which begins where the last step ended. `last`: nothing comes after `input`. An
    /// `Err` ends the parse; a mistake in one row is `Step::Bad`.
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step>;

    /// The data is over; an error where something must still have come.
    fn end(&mut self, _rows: &mut Rows) -> Result<()> {
        Ok(())
    }
}

/// A piece shorter than this is read again with every chunk.
const SMALL_PIECE: usize = 64 << 10;

pub(crate) struct Chunked<R> {
    reader: R,
    rows: Rows,
    /// The piece of a row that the last chunk ended with.
    piece: Vec<u8>,
    /// How long the piece must be before it is read again.
    wanted: usize,
    ended: bool,
}

impl<R: RowReader> Chunked<R> {
    pub fn new(reader: R, rows: Rows) -> Self {
        Chunked { reader, rows, piece: Vec::new(), wanted: 0, ended: false }
    }

    /// Reads rows from the slice; gives the bytes that were used.
    fn run(&mut self, input: &[u8], last: bool) -> Result<usize> {
        let mut at = 0;
        while at < input.len() && !self.ended {
            match self.reader.step(&input[at..], last, &mut self.rows)? {
                Step::More => {
                    self.rows.roll_back();
                    break;
                }
                Step::Row(bytes) => {
                    at += bytes;
                    self.rows.end_row(bytes)?;
                }
                Step::Skip(bytes) => at += bytes,
                Step::Bad(bytes, error) => {
                    self.rows.bad_row(error)?;
                    at += bytes;
                }
                Step::End => self.ended = true,
            }
        }
        Ok(if self.ended { input.len() } else { at })
    }
}

impl<R: RowReader> RowParser for Chunked<R> {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<RecordBatch>> {
        if self.piece.is_empty() {
            let used = self.run(bytes, false)?;
            allocations::extend(&mut self.piece, &bytes[used..])?;
        } else {
            allocations::extend(&mut self.piece, bytes)?;
            if self.piece.len() < self.wanted {
                return Ok(Vec::new());
            }
            // A row that is so long is copied into its columns.
            if self.piece.len() >= ASKED_FOR_BYTES {
                check_room(self.piece.len())?;
            }
            let mut piece = std::mem::take(&mut self.piece);
            let used = self.run(&piece, false)?;
            piece.drain(..used);
            self.piece = piece;
        }
        self.wanted = if self.piece.len() < SMALL_PIECE { 0 } else { self.piece.len() * 2 };
        Ok(self.rows.take_batches())
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        let piece = std::mem::take(&mut self.piece);
        let used = self.run(&piece, true)?;
        if used < piece.len() {
            return Err(Error::logical("A reader of rows asked for more after the end of the data"));
        }
        if !self.ended {
            self.reader.end(&mut self.rows)?;
        }
        self.rows.flush()?;
        Ok(self.rows.take_batches())
    }

    fn skipped_rows(&self) -> u64 {
        self.rows.skipped()
    }

    fn unknown_fields(&self) -> u64 {
        self.rows.unknown()
    }
}

/// Whether the slice has nothing but ends of lines.
pub(crate) fn is_empty_lines(input: &[u8]) -> bool {
    input.iter().all(|c| matches!(c, b'\n' | b'\r'))
}

/// The end of the line that starts the slice, after its line feed; the whole slice where there is none.
pub(crate) fn line_end(input: &[u8]) -> usize {
    memchr::memchr(b'\n', input).map_or(input.len(), |at| at + 1)
}
