//! Reads one file: takes off its header, cuts the rest at row borders, and hands the parts to the streams.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use gristmill_base::{Result, ResultExt};
use gristmill_formats::{Format, Part, RowParser, bare_rows, header_length, is_splittable, split_rows};
use gristmill_introspect::Event;
use gristmill_introspect::memory::MemoryGuard;
use tokio::sync::mpsc::Sender;
use tokio::sync::oneshot;

use super::file::TextFile;
use super::{Ready, Shared, TextInput, fetch};

/// Bytes of a part: enough to be worth handing over, few enough to share a file out evenly.
const PART_BYTES_MIN: usize = 256 << 10;
const PART_BYTES_MAX: usize = 4 << 20;
const PART_BYTES_DEFAULT: usize = 1 << 20;
/// A row that is longer is parsed where it is read.
const ROW_BYTES_MAX: usize = 64 << 20;
/// Bytes in which a header must have ended.
const HEADER_BYTES_MAX: usize = 16 << 20;

/// Reads an input to its end. `held_bytes`: what it may hold in flight. `all_parsed` is dropped when the streams have taken
/// the last of its rows.
pub(super) async fn read(
    shared: Arc<Shared>,
    input: TextInput,
    held_bytes: u64,
    sender: Sender<Result<Ready>>,
    all_parsed: oneshot::Sender<Infallible>,
) -> Result<()> {
    let path = match &input {
        TextInput::Object(_, file, ..) | TextInput::Stream(file, _) => file.path.clone(),
    };
    let in_file = || format!("(in file/uri {path})");
    let has_limit = shared.plan.limit.is_some();
    let (file, chunks) = match input {
        TextInput::Object(fetcher, file, compression, head) => {
            if fetcher.store.is_remote() {
                shared.context.counters.add(Event::ObjectStorageReadObjects, 1);
            }
            let (file, chunks) = fetch::open(&fetcher, &file, head, held_bytes, has_limit).await.context(in_file)?;
            (file, compression.decoder(chunks))
        }
        TextInput::Stream(file, chunks) => (file, chunks),
    };
    shared.context.counters.add(Event::EngineFileLikeReadFiles, 1);
    let part_bytes = match file.size {
        _ if has_limit => PART_BYTES_MIN,
        Some(size) => (size as usize / (4 * shared.context.threads())).clamp(PART_BYTES_MIN, PART_BYTES_MAX),
        None => PART_BYTES_DEFAULT,
    };
    let guard = MemoryGuard::empty(&shared.context.memory);
    let file = Arc::new(TextFile::new(&shared, file, all_parsed)?);
    let mut cutter = Cutter { shared, file, chunks, buffer: Vec::new(), guard, sender, ended: false, parts: 0, part_bytes };
    cutter.run(in_file).await
}

/// What became of the buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    /// It is empty.
    All,
    Some,
    /// It holds no border within the bytes looked at.
    None,
}

struct Cutter {
    shared: Arc<Shared>,
    file: Arc<TextFile>,
    chunks: BoxStream<'static, Result<Bytes>>,
    /// Bytes that were read and not handed on; they begin at a row border.
    buffer: Vec<u8>,
    guard: MemoryGuard,
    sender: Sender<Result<Ready>>,
    ended: bool,
    parts: usize,
    part_bytes: usize,
}

impl Cutter {
    async fn run(&mut self, in_file: impl Fn() -> String) -> Result<()> {
        let format = match self.rows_format(&in_file).await? {
            Some(format) => format,
            None => return self.whole(&in_file).await,
        };
        loop {
            self.fill(self.buffer.len() + 1).await.context(&in_file)?;
            let context = self.shared.context.clone();
            if let Some(length) = header_length(format, &self.shared.columns, &context.settings, &self.buffer)? {
                if !is_splittable(format, &self.buffer[length..]) {
                    return self.whole(&in_file).await;
                }
                self.file.set_header(format, &self.buffer[..length]);
                self.buffer.drain(..length);
                break;
            }
            if self.ended || self.buffer.len() > HEADER_BYTES_MAX {
                return self.whole(&in_file).await;
            }
        }
        // From this many bytes on it is worth looking for a border again.
        let mut wanted = self.part_bytes;
        loop {
            self.fill(wanted).await.context(&in_file)?;
            let cut = self.send_parts(format, wanted).await?;
            if self.ended && cut == Cut::All {
                return Ok(());
            }
            match cut {
                Cut::All | Cut::Some => wanted = self.part_bytes,
                Cut::None if self.ended => {
                    let rest = std::mem::take(&mut self.buffer);
                    return self.send_part(rest).await;
                }
                Cut::None if self.buffer.len() >= ROW_BYTES_MAX => {
                    let first_row = self.file.rows_of(self.parts).await;
                    let parser = self
                        .shared
                        .parser(&self.file, Some(Part { header: &self.file.header(), first_row: Some(first_row) }))?;
                    return self.parse_rest(parser, &in_file).await;
                }
                Cut::None => wanted = self.buffer.len() * 2,
            }
        }
    }

    /// The format of the rows, where the file can be cut: that of the scan, or JSONEachRow where `.json` files hold rows.
    async fn rows_format(&mut self, in_file: &impl Fn() -> String) -> Result<Option<Format>> {
        let format = self.shared.plan.format;
        if !self.shared.parallel {
            return Ok(None);
        }
        while bare_rows(format, &self.buffer).is_none() && !self.ended && self.buffer.len() < HEADER_BYTES_MAX {
            self.fill(self.buffer.len() + 1).await.context(in_file)?;
        }
        let format = bare_rows(format, &self.buffer).unwrap_or(format);
        Ok(is_splittable(format, &[]).then_some(format))
    }

    /// Reads until the buffer has that many bytes, or all are read.
    async fn fill(&mut self, bytes: usize) -> Result<()> {
        while self.buffer.len() < bytes && !self.ended {
            match self.chunks.next().await {
                Some(chunk) => {
                    let chunk = chunk?;
                    self.guard.resize((self.buffer.len() + chunk.len()) as u64)?;
                    self.buffer.extend_from_slice(&chunk);
                }
                None => self.ended = true,
            }
        }
        Ok(())
    }

    /// Cuts parts of about `bytes` off the buffer.
    async fn send_parts(&mut self, format: Format, bytes: usize) -> Result<Cut> {
        let buffer = std::mem::take(&mut self.buffer);
        let mut from = 0;
        loop {
            let left = buffer.len() - from;
            // A short end is not worth a part of its own.
            let takes_all = self.ended && left < bytes + bytes / 2;
            if takes_all && left > 0 {
                self.send_part(buffer[from..].to_vec()).await?;
            }
            if takes_all || left == 0 {
                self.guard.resize(0)?;
                return Ok(Cut::All);
            }
            let border = if left < bytes { None } else { split_rows(format, &buffer[from..from + bytes]) };
            let Some(border) = border else { break };
            self.send_part(buffer[from..from + border].to_vec()).await?;
            from += border;
        }
        self.buffer = if from == 0 { buffer } else { buffer[from..].to_vec() };
        self.guard.resize(self.buffer.len() as u64)?;
        Ok(if from == 0 { Cut::None } else { Cut::Some })
    }

    async fn send_part(&mut self, bytes: Vec<u8>) -> Result<()> {
        let guard = MemoryGuard::take(&self.shared.context.memory, bytes.len() as u64)?;
        let part = Ready::Part { file: self.file.clone(), number: self.parts, bytes, guard };
        self.parts += 1;
        // Nobody listens any more when the query has all it wants.
        let _ = self.sender.send(Ok(part)).await;
        Ok(())
    }

    /// Parses the whole file here.
    async fn whole(&mut self, in_file: &impl Fn() -> String) -> Result<()> {
        let parser = self.shared.parser(&self.file, None)?;
        self.parse_rest(parser, in_file).await
    }

    /// Parses what is in the buffer and all that follows.
    async fn parse_rest(&mut self, mut parser: Box<dyn RowParser>, in_file: &impl Fn() -> String) -> Result<()> {
        let holds_all = self.shared.plan.format.is_columnar_file();
        let buffer = std::mem::take(&mut self.buffer);
        let mut held = buffer.len() as u64;
        let batches = parser.push(&buffer)?;
        drop(buffer);
        self.send_rows(batches).await?;
        while !self.ended {
            self.shared.context.check()?;
            match self.chunks.next().await.transpose().context(in_file)? {
                Some(chunk) => {
                    if holds_all {
                        held += chunk.len() as u64;
                        self.guard.resize(held)?;
                    }
                    let batches = parser.push(&chunk)?;
                    if !self.send_rows(batches).await? {
                        return Ok(());
                    }
                }
                None => self.ended = true,
            }
        }
        let batches = parser.finish()?;
        self.shared.count_left_out(parser.as_ref());
        self.send_rows(batches).await?;
        Ok(())
    }

    /// `false`: nobody wants more.
    async fn send_rows(&mut self, batches: Vec<arrow::array::RecordBatch>) -> Result<bool> {
        for batch in batches {
            let guard = MemoryGuard::take(&self.shared.context.memory, batch.get_array_memory_size() as u64)?;
            let rows = Ready::Rows { file: self.file.clone(), batch, guard };
            if self.sender.send(Ok(rows)).await.is_err() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
