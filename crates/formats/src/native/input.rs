//! The format Native out of bytes that are pushed.
//!
//! The reader of blocks waits for bytes; here nobody waits: its stream is polled by hand after each chunk, and where it is
//! pending it has used up what was there.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use chrono_tz::Tz;
use futures::StreamExt;
use futures::stream::{BoxStream, Stream};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::Settings;
use gristmill_types::Columns;
use gristmill_types::cast::CastOptions;
use parking_lot::Mutex;

use super::block::{Block, Revision, TypesAs, read_block_as};
use super::bytes::ByteReader;
use crate::input::RowParser;

/// Rows of a batch, as of the other formats.
const BATCH_ROWS: usize = 65_409;

#[derive(Default)]
struct Queue {
    chunks: VecDeque<Bytes>,
    ended: bool,
}

/// The reader's end of the queue. Whoever pushes polls afterwards, so nobody has to be woken.
#[derive(Clone, Default)]
struct Pushed(Arc<Mutex<Queue>>);

impl Stream for Pushed {
    type Item = Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, _task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut queue = self.0.lock();
        match queue.chunks.pop_front() {
            Some(chunk) => Poll::Ready(Some(Ok(chunk))),
            None if queue.ended => Poll::Ready(None),
            None => Poll::Pending,
        }
    }
}

fn blocks(source: Pushed, settings: &Settings) -> BoxStream<'static, Result<Block>> {
    let types = TypesAs::of(settings.input_format_native_decode_types_in_binary_format);
    futures::stream::try_unfold(ByteReader::new(source), move |mut reader| async move {
        Ok(read_block_as(&mut reader, Revision::FILE, types).await?.map(|block| (block, reader)))
    })
    .boxed()
}

pub(crate) struct NativeInput {
    queue: Pushed,
    blocks: BoxStream<'static, Result<Block>>,
    columns: Columns,
    schema: SchemaRef,
    options: CastOptions,
    skip_unknown: bool,
    object: String,
    rows: u64,
    unknown: u64,
}

impl NativeInput {
    pub fn new(columns: &Columns, settings: &Settings, timezone: Tz, object: &str) -> Self {
        let queue = Pushed::default();
        let options = CastOptions {
            timezone,
            null_as_default: settings.input_format_null_as_default,
            saturates: true,
            ..CastOptions::default()
        };
        NativeInput {
            blocks: blocks(queue.clone(), settings),
            queue,
            columns: columns.clone(),
            schema: columns.arrow(),
            options,
            skip_unknown: settings.input_format_skip_unknown_fields,
            object: object.to_string(),
            rows: 0,
            unknown: 0,
        }
    }

    fn ready(&mut self) -> Result<Vec<RecordBatch>> {
        let mut out = Vec::new();
        let mut task = Context::from_waker(Waker::noop());
        while let Poll::Ready(Some(block)) = self.blocks.poll_next_unpin(&mut task) {
            let object = &self.object;
            let batch = block
                .and_then(|block| {
                    let known = self.columns.iter().filter(|column| block.columns.get(&column.name).is_some()).count();
                    self.unknown += (block.columns.len().saturating_sub(known) * block.rows) as u64;
                    block.adopt(&self.columns, &self.schema, self.skip_unknown, &self.options)
                })
                .context(|| format!("(in file/uri {object}, format Native, behind row {})", self.rows))?;
            self.rows += batch.num_rows() as u64;
            for from in (0..batch.num_rows()).step_by(BATCH_ROWS) {
                out.push(batch.slice(from, BATCH_ROWS.min(batch.num_rows() - from)));
            }
        }
        Ok(out)
    }
}

impl RowParser for NativeInput {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<RecordBatch>> {
        self.queue.0.lock().chunks.push_back(Bytes::copy_from_slice(bytes));
        self.ready()
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        self.queue.0.lock().ended = true;
        self.ready()
    }

    fn skipped_rows(&self) -> u64 {
        0
    }

    fn unknown_fields(&self) -> u64 {
        self.unknown
    }
}

/// The columns of data that begins so: those of its first block. Error: CANNOT_EXTRACT_TABLE_STRUCTURE where that is not
/// there as a whole.
pub(crate) fn columns_of_sample(sample: &[u8], settings: &Settings) -> Result<Columns> {
    let queue = Pushed::default();
    queue.0.lock().chunks.push_back(Bytes::copy_from_slice(sample));
    let mut task = Context::from_waker(Waker::noop());
    match blocks(queue, settings).poll_next_unpin(&mut task) {
        Poll::Ready(Some(block)) => Ok(block?.columns),
        Poll::Ready(None) | Poll::Pending => Err(Error::new(
            ErrorCode::CANNOT_EXTRACT_TABLE_STRUCTURE,
            "the first block does not end within what is looked at",
        )),
    }
}
