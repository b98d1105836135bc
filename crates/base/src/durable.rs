//! Small files that are on the disk when they are said to be written.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::{Error, Result};

/// A file in the place of another, for its owner alone: after a crash the one or the other is there. Its folder is made.
pub fn replace(file: &Path, bytes: &[u8]) -> Result<()> {
    let Some(folder) = file.parent() else { return Err(Error::logical("A file without a folder")) };
    fs::create_dir_all(folder)?;
    let temporary = file.with_extension("tmp");
    let mut written = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
    written.write_all(bytes)?;
    written.sync_all()?;
    fs::rename(&temporary, file)?;
    File::open(folder)?.sync_all()?;
    Ok(())
}
