//! What the statement around a table function knows that the function's arguments do not say.

use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use gristmill_base::Result;
use gristmill_formats::Format;
use gristmill_formats::compression::Compression;
use gristmill_types::Columns;
use parking_lot::Mutex;

use crate::caches::SourceCaches;

#[derive(Clone, Debug, Default)]
pub struct SourceHints {
    /// The structure of the INSERT's target that the function's rows go into.
    pub insert_target: Option<Columns>,
    /// `INSERT INTO FUNCTION`: columns of the data to write, used where the function names no structure.
    pub writing: Option<Columns>,
    /// Data that came with the statement: for `input()` and for `file('-')`.
    pub input: Option<SharedInput>,
    pub caches: Arc<SourceCaches>,
    /// Where relative paths of `file()` lie, and the only folder that it may read and write. `None`: the working directory,
    /// and any file.
    pub user_files_path: Option<PathBuf>,
}

/// A stream of data that one reader takes.
#[derive(Clone)]
pub struct SharedInput(Arc<Mutex<InputState>>);

struct InputState {
    stream: Option<BoxStream<'static, Result<Bytes>>>,
    format: Option<Format>,
    compression: Compression,
}

impl std::fmt::Debug for SharedInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SharedInput")
    }
}

impl SharedInput {
    /// `format`: of the statement's FORMAT clause, where it has one.
    pub fn new(stream: BoxStream<'static, Result<Bytes>>, format: Option<Format>, compression: Compression) -> Self {
        SharedInput(Arc::new(Mutex::new(InputState { stream: Some(stream), format, compression })))
    }

    pub fn format(&self) -> Option<Format> {
        self.0.lock().format
    }

    pub fn compression(&self) -> Compression {
        self.0.lock().compression
    }

    /// The stream, for the first who asks.
    pub fn take(&self) -> Option<BoxStream<'static, Result<Bytes>>> {
        self.0.lock().stream.take()
    }

    /// Puts a stream in again, decompressed: what was looked at for the structure, then the rest.
    pub fn put_back_decoded(&self, stream: BoxStream<'static, Result<Bytes>>) {
        let mut state = self.0.lock();
        state.stream = Some(stream);
        state.compression = Compression::None;
    }
}
