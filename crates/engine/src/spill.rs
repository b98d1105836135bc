//! Temporary files of a query, for operators that run out of memory: their folder is made when the first of them is. Nearly no
//! query has one, and to remove a folder again took a twentieth of the time of a small query.
//!
//! A file counts as long as it is there, and so do the bytes that are written to it, by the kind of operator that asked for it. How
//! many there may be is a matter of `max_temporary_data_on_disk_size_for_query` and `_for_user` (`spilled_bytes`).

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::Result;
use datafusion::execution::disk_manager::{DiskManager, DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::{SpillFile, SpillWriter, TempFileFactory};
use futures::Stream;
use gristmill_introspect::gauges::Held;
use gristmill_introspect::{Event, Gauge, QueryContext, tell};
use parking_lot::Mutex;

use crate::spilled_bytes::{BytesOfFile, SpilledBytes};

pub struct SpillFiles {
    /// Where the query's folder is to lie.
    under: PathBuf,
    context: Arc<QueryContext>,
    bytes: SpilledBytes,
    manager: Mutex<Option<Arc<DiskManager>>>,
}

/// An operator that writes temporary files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sort,
    Aggregation,
    Join,
    /// Runs of either of the first two that are brought together, and others.
    Unknown,
}

impl Kind {
    /// `what`: as the operator that asks for the file calls it.
    fn of(what: &str) -> Kind {
        let lower = what.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if lower == "sorting" {
            Kind::Sort
        } else if has(&["agg"]) {
            Kind::Aggregation
        } else if has(&["join", "smj", "nlj"]) {
            Kind::Join
        } else {
            Kind::Unknown
        }
    }

    fn gauge(self) -> Gauge {
        match self {
            Kind::Sort => Gauge::TemporaryFilesForSort,
            Kind::Aggregation => Gauge::TemporaryFilesForAggregation,
            Kind::Join => Gauge::TemporaryFilesForJoin,
            Kind::Unknown => Gauge::TemporaryFilesUnknown,
        }
    }

    /// Files, and their bytes.
    fn events(self) -> Option<(Event, Event)> {
        match self {
            Kind::Sort => Some((Event::ExternalSortWritePart, Event::ExternalSortCompressedBytes)),
            Kind::Aggregation => Some((Event::ExternalAggregationWritePart, Event::ExternalAggregationCompressedBytes)),
            Kind::Join => Some((Event::ExternalJoinWritePart, Event::ExternalJoinCompressedBytes)),
            Kind::Unknown => None,
        }
    }
}

impl SpillFiles {
    pub fn under(folder: PathBuf, context: Arc<QueryContext>) -> SpillFiles {
        let bytes = SpilledBytes::of(&context);
        SpillFiles { under: folder, context, bytes, manager: Mutex::new(None) }
    }

    fn count(&self, what: &str, kind: Kind) {
        let counters = &self.context.counters;
        counters.add(Event::ExternalProcessingFilesTotal, 1);
        if let Some((files, _)) = kind.events() {
            counters.add(files, 1);
        }
        tell!(
            self.context,
            DEBUG,
            "TemporaryDataOnDisk",
            "Memory ends, or a limit says so: rows go into a temporary file ({what})"
        );
    }

    fn manager(&self) -> Result<Arc<DiskManager>> {
        let mut manager = self.manager.lock();
        if let Some(manager) = &*manager {
            return Ok(manager.clone());
        }
        std::fs::create_dir_all(&self.under)?;
        let mode = DiskManagerMode::Directories(vec![self.under.clone()]);
        Ok(manager.insert(Arc::new(DiskManagerBuilder::default().with_mode(mode).build()?)).clone())
    }
}

impl TempFileFactory for SpillFiles {
    fn create_temp_file(&self, description: &str) -> Result<Arc<dyn SpillFile>> {
        let inner = self.manager()?.create_tmp_file(description)?;
        let kind = Kind::of(description);
        self.count(description, kind);
        let counts = (Gauge::TotalTemporaryFiles.hold(), kind.gauge().hold());
        let held = self.bytes.hold();
        Ok(Arc::new(CountedFile { inner, kind, context: self.context.clone(), held, _counts: counts }))
    }
}

/// A temporary file whose bytes are counted.
struct CountedFile {
    inner: Arc<dyn SpillFile>,
    kind: Kind,
    context: Arc<QueryContext>,
    held: Arc<BytesOfFile>,
    _counts: (Held, Held),
}

impl SpillFile for CountedFile {
    fn path(&self) -> Option<&Path> {
        self.inner.path()
    }

    fn size(&self) -> Option<u64> {
        self.inner.size()
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        self.inner.read_stream()
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        let inner = self.inner.open_writer()?;
        Ok(Box::new(CountedWriter { inner, kind: self.kind, context: self.context.clone(), held: self.held.clone() }))
    }
}

struct CountedWriter {
    inner: Box<dyn SpillWriter>,
    kind: Kind,
    context: Arc<QueryContext>,
    held: Arc<BytesOfFile>,
}

impl io::Write for CountedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.may_grow(bytes.len()).map_err(io::Error::other)?;
        let written = self.inner.write(bytes)?;
        self.held.grew(written);
        let counters = &self.context.counters;
        counters.add(Event::ExternalProcessingCompressedBytesTotal, written as u64);
        if let Some((_, bytes)) = self.kind.events() {
            counters.add(bytes, written as u64);
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl SpillWriter for CountedWriter {
    fn finish(&mut self) -> Result<()> {
        self.inner.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn kinds_are_told_by_what_operators_say() {
        let of = ["Sorting", "HashAggSpill", "semi_anti_smj_inner_key_spill", "MultiLevelMergeBuilder intermediate spill"];
        assert_eq!(of.map(Kind::of), [Kind::Sort, Kind::Aggregation, Kind::Join, Kind::Unknown]);
    }

    #[test]
    fn a_folder_is_there_while_a_file_in_it_is() {
        let data = tempfile::tempdir().expect("a folder");
        let folder = data.path().join("tmp");
        let context = QueryContext::background("test");
        let files = SpillFiles::under(folder.clone(), context.clone());
        assert!(!folder.exists());
        let file = files.create_temp_file("Sorting").expect("made");
        let counted = |event| context.counters.get(event);
        assert_eq!((counted(Event::ExternalSortWritePart), counted(Event::ExternalProcessingFilesTotal)), (1, 1));
        let mut writer = file.open_writer().expect("a writer");
        writer.write_all(b"rows").expect("written");
        writer.finish().expect("finished");
        drop(writer);
        assert_eq!(counted(Event::ExternalSortCompressedBytes), 4);
        assert!(Gauge::TemporaryFilesForSort.get() > 0);
        let of_query = || std::fs::read_dir(&folder).expect("there").count();
        assert!(file.path().expect("local").starts_with(&folder));
        assert_eq!(of_query(), 1);
        drop((file, files));
        assert_eq!(of_query(), 0);
    }
}
