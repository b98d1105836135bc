//! Writes the monthly Parquet files, on all cores.
//!
//! Threads take months off a shared list, the largest first, so that no thread is left with a large one at the end. A
//! file is written a batch at a time under a temporary name and renamed when it is whole; a file that is already there is
//! kept, so an interrupted run goes on where it stopped. The name of the folder's recipe (`seed`, rows, files) is written
//! beside the files, and a folder of another recipe is refused rather than mixed.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::ColumnPath;

use crate::demo::calendar::{Month, months};
use crate::demo::posts::Posts;

const BATCH_ROWS: u64 = 4096;
const ROW_GROUP_ROWS: usize = 122_880;
const RECIPE_FILE: &str = "RECIPE";

/// What to make. The same recipe gives the same bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    pub rows: u64,
    pub files: usize,
    pub seed: u64,
}

/// How far the generator is; read while it runs.
#[derive(Debug, Default)]
pub struct Generated {
    pub rows: AtomicU64,
    /// Size of the columns before encoding.
    pub memory_bytes: AtomicU64,
    pub file_bytes: AtomicU64,
    /// Set to end it early.
    pub stop: AtomicBool,
}

/// Makes the files of `recipe` in `folder`.
///
/// Errors: BAD_ARGUMENTS for a recipe that cannot be or a folder that holds another one's files; what the disk says.
pub fn generate(recipe: &Recipe, folder: &Path, threads: usize, done: &Generated) -> Result<()> {
    let mut months = months(recipe.rows, recipe.files)?;
    fs::create_dir_all(folder).context(|| format!("while making the folder {}", folder.display()))?;
    claim(recipe, folder)?;
    months.sort_by_key(|month| std::cmp::Reverse(month.rows));
    let posts = Posts::new(recipe.seed);
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        while let Some(month) = months.get(next.fetch_add(1, Ordering::Relaxed)) {
            write_month(&posts, month, folder, done)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads.clamp(1, recipe.files)).map(|_| scope.spawn(work)).collect();
        // Every worker is joined before the first error is given back.
        let results: Vec<Result<()>> = workers
            .into_iter()
            .map(|worker| worker.join().unwrap_or_else(|_| Err(Error::logical("A thread of the generator panicked"))))
            .collect();
        results.into_iter().collect()
    })
}

fn claim(recipe: &Recipe, folder: &Path) -> Result<()> {
    let path = folder.join(RECIPE_FILE);
    let text = format!("rows={} files={} seed={}\n", recipe.rows, recipe.files, recipe.seed);
    match fs::read_to_string(&path) {
        Ok(found) if found == text => Ok(()),
        Ok(found) => Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!(
                "The folder {} holds the files of another run ({}): name an empty folder with --dir, or ask for the same",
                folder.display(),
                found.trim()
            ),
        )),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(fs::write(&path, text)?),
        Err(error) => Err(error.into()),
    }
}

fn write_month(posts: &Posts, month: &Month, folder: &Path, done: &Generated) -> Result<()> {
    let path: PathBuf = folder.join(month.file_name());
    if let Ok(there) = fs::metadata(&path) {
        done.rows.fetch_add(month.rows, Ordering::Relaxed);
        done.file_bytes.fetch_add(there.len(), Ordering::Relaxed);
        return Ok(());
    }
    let unfinished = path.with_extension("parquet.unfinished");
    let file = File::create(&unfinished).context(|| format!("while making the file {}", unfinished.display()))?;
    let mut writer =
        ArrowWriter::try_new(BufWriter::with_capacity(1 << 20, file), posts.schema().clone(), Some(properties()))?;
    let mut from = 0;
    while from < month.rows {
        if done.stop.load(Ordering::Relaxed) {
            return Err(Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Generating was cancelled"));
        }
        let rows = BATCH_ROWS.min(month.rows - from);
        let batch = posts.batch(month, from, rows as usize)?;
        writer.write(&batch)?;
        from += rows;
        done.rows.fetch_add(rows, Ordering::Relaxed);
        done.memory_bytes.fetch_add(batch.get_array_memory_size() as u64, Ordering::Relaxed);
    }
    writer.close().context(|| format!("while writing the file {}", unfinished.display()))?;
    done.file_bytes.fetch_add(fs::metadata(&unfinished)?.len(), Ordering::Relaxed);
    fs::rename(&unfinished, &path)?;
    Ok(())
}

/// zstd throughout; dictionaries only where values repeat.
fn properties() -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).unwrap_or_default()))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_created_by("gristmill demo".to_string());
    for column in ["Id", "CreationDate", "Body", "Title", "LastActivityDate", "ParentId"] {
        builder = builder.set_column_dictionary_enabled(ColumnPath::from(column), false);
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(recipe: &Recipe, threads: usize) -> Vec<(String, Vec<u8>)> {
        let folder = tempfile::tempdir().expect("a folder");
        generate(recipe, folder.path(), threads, &Generated::default()).expect("generates");
        let mut files: Vec<_> = fs::read_dir(folder.path())
            .expect("reads")
            .map(|entry| entry.expect("reads"))
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).expect("reads")))
            .collect();
        files.sort();
        files
    }

    #[test]
    fn the_same_recipe_gives_the_same_bytes_on_any_number_of_threads() {
        let recipe = Recipe { rows: 9_000, files: 3, seed: 42 };
        let one = made(&recipe, 1);
        assert_eq!(one.len(), 4, "three months and the recipe");
        assert!(one == made(&recipe, 3));
        assert!(one != made(&Recipe { seed: 43, ..recipe }, 1));
    }

    #[test]
    fn a_folder_of_another_recipe_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let recipe = Recipe { rows: 10, files: 1, seed: 1 };
        generate(&recipe, folder.path(), 1, &Generated::default()).expect("generates");
        generate(&recipe, folder.path(), 1, &Generated::default()).expect("finds its own files");
        let other = generate(&Recipe { rows: 11, ..recipe }, folder.path(), 1, &Generated::default());
        assert_eq!(other.expect_err("refused").code(), ErrorCode::BAD_ARGUMENTS);
    }
}
