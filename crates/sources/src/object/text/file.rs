//! A file of the scan: what all its rows share, its header, and how many rows each of its parts had.

use std::convert::Infallible;
use std::sync::{Arc, OnceLock};

use arrow::array::ArrayRef;
use gristmill_base::{Error, Result};
use gristmill_formats::Format;
use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use super::Shared;
use crate::object::file::SourceFile;
use crate::object::parquet::columns::repeat;

pub(super) struct TextFile {
    pub source: Arc<SourceFile>,
    /// Values that all rows have: the column's index in the layout, and an array of one row.
    constants: Vec<(usize, ArrayRef)>,
    /// The format of its rows, and what stands before them; nothing where the file is parsed as a whole.
    header: OnceLock<(Format, Arc<[u8]>)>,
    parts: Mutex<Parts>,
    changed: Notify,
    /// Ends with the file, which its waiting parts hold.
    _all_parsed: oneshot::Sender<Infallible>,
}

#[derive(Default)]
struct Parts {
    /// Rows of each part, where it was parsed.
    rows: Vec<Option<u64>>,
    /// The first part that has a mistake.
    wrong: Option<usize>,
}

impl TextFile {
    pub fn new(shared: &Shared, source: Arc<SourceFile>, all_parsed: oneshot::Sender<Infallible>) -> Result<TextFile> {
        let mut constants = Vec::new();
        for (index, _) in &shared.needed {
            if let Some(value) = shared.plan.layout.constant(*index, &source)? {
                constants.push((*index, value));
            }
        }
        Ok(TextFile {
            source,
            constants,
            header: OnceLock::new(),
            parts: Mutex::default(),
            changed: Notify::new(),
            _all_parsed: all_parsed,
        })
    }

    pub fn set_header(&self, rows: Format, header: &[u8]) {
        let _ = self.header.set((rows, header.into()));
    }

    pub fn header(&self) -> Arc<[u8]> {
        self.header.get().map_or_else(|| Arc::from(Vec::<u8>::new()), |(_, header)| header.clone())
    }

    pub fn rows_format(&self) -> Option<Format> {
        self.header.get().map(|(rows, _)| *rows)
    }

    /// The value of a column that is not in the data, for so many rows.
    pub fn repeated(&self, index: usize, rows: usize) -> Result<ArrayRef> {
        let (_, value) = self
            .constants
            .iter()
            .find(|(known, _)| *known == index)
            .ok_or_else(|| Error::logical("A column is neither in the data nor the same for the file"))?;
        repeat(value, rows)
    }

    /// A part was parsed.
    pub fn parsed(&self, number: usize, rows: u64) {
        let mut parts = self.parts.lock();
        if parts.rows.len() <= number {
            parts.rows.resize(number + 1, None);
        }
        parts.rows[number] = Some(rows);
        drop(parts);
        self.changed.notify_waiters();
    }

    /// The rows before a part that has a mistake, when all parts before it are parsed; `None` where one of them has a mistake
    /// as well.
    pub async fn rows_before(&self, number: usize) -> Option<u64> {
        {
            let mut parts = self.parts.lock();
            parts.wrong = Some(parts.wrong.map_or(number, |known| known.min(number)));
        }
        self.changed.notify_waiters();
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            // Whatever is told between the look and the wait is not missed.
            changed.as_mut().enable();
            {
                let parts = self.parts.lock();
                if parts.wrong.is_some_and(|wrong| wrong < number) {
                    return None;
                }
                let known = parts.rows.iter().take(number).copied().collect::<Option<Vec<u64>>>();
                if let Some(rows) = known.filter(|rows| rows.len() == number) {
                    return Some(rows.iter().sum());
                }
            }
            changed.await;
        }
    }

    /// The rows of the first `number` parts, when they are parsed.
    pub async fn rows_of(&self, number: usize) -> u64 {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            {
                let parts = self.parts.lock();
                let known = parts.rows.iter().take(number).copied().collect::<Option<Vec<u64>>>();
                if let Some(rows) = known.filter(|rows| rows.len() == number) {
                    return rows.iter().sum();
                }
            }
            changed.await;
        }
    }
}
