//! Where a demonstration keeps its files: `buckets/demo/posts/by_month/*.parquet`, which the S3 server serves, and
//! `tables`, which the engine keeps. What this run made is removed when the folder is dropped, unless it is to be kept.

use std::path::{Path, PathBuf};

use gristmill_base::env::{Env, SystemEnv};
use gristmill_base::{Result, ResultExt};

/// Bucket and prefix of the files.
pub const KEYS: &str = "demo/posts/by_month";
pub const TABLES: &str = "tables";
const BUCKETS: &str = "buckets";

pub struct DemoFolder {
    path: PathBuf,
    /// What is removed at the end, deepest last.
    made: Vec<PathBuf>,
}

impl DemoFolder {
    /// `dir`, or a new temporary folder. With `keep` nothing is removed.
    pub fn open(dir: Option<PathBuf>, keep: bool) -> Result<DemoFolder> {
        let path = dir.unwrap_or_else(|| temporary().join(format!("gristmill-demo-{:08x}", SystemEnv.random_u64() as u32)));
        let made = [path.clone(), path.join(BUCKETS), path.join(TABLES)];
        // The deepest folder that is new is enough: it takes what is below it along.
        let made = if keep { Vec::new() } else { made.into_iter().filter(|folder| !folder.exists()).collect() };
        std::fs::create_dir_all(path.join(BUCKETS).join(KEYS))
            .context(|| format!("while making the folder {}", path.display()))?;
        Ok(DemoFolder { path, made })
    }

    pub fn buckets(&self) -> PathBuf {
        self.path.join(BUCKETS)
    }

    pub fn files(&self) -> PathBuf {
        self.buckets().join(KEYS)
    }

    pub fn tables(&self) -> PathBuf {
        self.path.join(TABLES)
    }

    /// Removes what is to be removed; the folder, if it stays.
    pub fn close(&mut self) -> Option<PathBuf> {
        for folder in self.made.drain(..) {
            // A folder above may have taken this one along.
            let _ = std::fs::remove_dir_all(folder);
        }
        self.path.exists().then(|| self.path.clone())
    }
}

impl Drop for DemoFolder {
    fn drop(&mut self) {
        self.close();
    }
}

/// `/var/tmp` where there is one: `/tmp` is often memory, and this is gigabytes.
fn temporary() -> PathBuf {
    let large = Path::new("/var/tmp");
    if large.is_dir() { large.to_path_buf() } else { std::env::temp_dir() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_there_before_stays() {
        let outer = tempfile::tempdir().expect("a folder");
        let path = outer.path().join("demo");
        std::fs::create_dir(&path).expect("makes");
        std::fs::write(path.join("mine"), "").expect("writes");
        drop(DemoFolder::open(Some(path.clone()), false).expect("opens"));
        assert!(path.join("mine").exists() && !path.join(BUCKETS).exists());

        let mut kept = DemoFolder::open(Some(path.clone()), true).expect("opens");
        assert_eq!(kept.close(), Some(path.clone()));
        assert!(path.join(BUCKETS).join(KEYS).exists());
    }

    #[test]
    fn a_new_folder_goes_with_all_in_it() {
        let outer = tempfile::tempdir().expect("a folder");
        let path = outer.path().join("demo");
        let mut folder = DemoFolder::open(Some(path.clone()), false).expect("opens");
        assert_eq!(folder.close(), None);
        assert!(!path.exists());
    }
}
