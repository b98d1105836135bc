//! Temporary files of a query, for operators that run out of memory: their folder is made when the first of them is. Nearly no
//! query has one, and to remove a folder again took a twentieth of the time of a small query.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::disk_manager::{DiskManager, DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::{SpillFile, TempFileFactory};
use gristmill_introspect::{Event, QueryContext, tell};
use parking_lot::Mutex;

pub struct SpillFiles {
    /// Where the query's folder is to lie.
    under: PathBuf,
    context: Arc<QueryContext>,
    manager: Mutex<Option<Arc<DiskManager>>>,
}

impl SpillFiles {
    pub fn under(folder: PathBuf, context: Arc<QueryContext>) -> SpillFiles {
        SpillFiles { under: folder, context, manager: Mutex::new(None) }
    }

    /// `what`: as the operator that asks for the file calls it.
    fn count(&self, what: &str) {
        let counters = &self.context.counters;
        counters.add(Event::ExternalProcessingFilesTotal, 1);
        if what == "Sorting" {
            counters.add(Event::ExternalSortWritePart, 1);
        } else if what.contains("Agg") {
            counters.add(Event::ExternalAggregationWritePart, 1);
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
        let file = self.manager()?.create_tmp_file(description)?;
        self.count(description);
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let of_query = || std::fs::read_dir(&folder).expect("there").count();
        assert!(file.path().expect("local").starts_with(&folder));
        assert_eq!(of_query(), 1);
        drop((file, files));
        assert_eq!(of_query(), 0);
    }
}
