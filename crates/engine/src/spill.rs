//! Temporary files of a query, for operators that run out of memory: their folder is made when the first of them is. Nearly no
//! query has one, and to remove a folder again took a twentieth of the time of a small query.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::disk_manager::{DiskManager, DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::{SpillFile, TempFileFactory};
use parking_lot::Mutex;

pub struct SpillFiles {
    /// Where the query's folder is to lie.
    under: PathBuf,
    manager: Mutex<Option<Arc<DiskManager>>>,
}

impl SpillFiles {
    pub fn under(folder: PathBuf) -> SpillFiles {
        SpillFiles { under: folder, manager: Mutex::new(None) }
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
        self.manager()?.create_tmp_file(description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_there_while_a_file_in_it_is() {
        let data = tempfile::tempdir().expect("a folder");
        let folder = data.path().join("tmp");
        let files = SpillFiles::under(folder.clone());
        assert!(!folder.exists());
        let file = files.create_temp_file("a sort").expect("made");
        let of_query = || std::fs::read_dir(&folder).expect("there").count();
        assert!(file.path().expect("local").starts_with(&folder));
        assert_eq!(of_query(), 1);
        drop((file, files));
        assert_eq!(of_query(), 0);
    }
}
