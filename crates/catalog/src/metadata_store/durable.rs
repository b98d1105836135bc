//! Puts and deletes that survive power loss when they return.
//!
//! Remote stores promise that themselves. `LocalFileSystem` does not sync: after a power cut a renamed file may be
//! there and empty, which for a replaced object loses the old content too. So on local disks an object is first put
//! under a name of its own and synced, then moved to its name (hard link where it must not exist, rename where it may),
//! then every folder on the way up to the data path is synced, because a new folder lasts only by its parent's entry.

use std::fs::{DirBuilder, File, Permissions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions};

use super::failed;

/// For the server's account alone.
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

/// Makes a folder that is not there for the server's account alone. One that is there keeps its mode.
pub fn make_private(folder: &FsPath) -> std::io::Result<()> {
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent)?;
    }
    match DirBuilder::new().mode(PRIVATE_FOLDER).create(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        made => made,
    }
}

#[derive(Debug)]
pub(super) struct Durable {
    store: Arc<dyn ObjectStore>,
    local: Option<Local>,
}

#[derive(Debug, Clone)]
struct Local {
    root: PathBuf,
    files: Arc<LocalFileSystem>,
    /// Two processes with catalogs of their own would undo each other's DDL. The kernel lets go of it when we die.
    _lock: Arc<File>,
}

impl Durable {
    pub(super) fn remote(store: Arc<dyn ObjectStore>) -> Self {
        Durable { store, local: None }
    }

    pub(super) fn local(root: &FsPath) -> Result<Self> {
        let what = || format!("while opening the data path {}", root.display());
        make_private(root).context(what)?;
        let root = root.canonicalize().context(what)?;
        let lock =
            File::options().create(true).truncate(false).write(true).open(root.join("metadata.lock")).context(what)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(
                    ErrorCode::CANNOT_OPEN_FILE,
                    format!(
                        "The data path {} is in use by another process: stop that one, or give another path",
                        root.display()
                    ),
                ));
            }
            Err(TryLockError::Error(error)) => return Err(Error::from(error).with_context(what())),
        }
        let files = LocalFileSystem::new_with_prefix(&root)
            .map_err(|error| Error::new(ErrorCode::CANNOT_OPEN_FILE, error.to_string()).with_context(what()))?;
        let files = Arc::new(files.with_automatic_cleanup(false));
        Ok(Durable { store: files.clone(), local: Some(Local { root, files, _lock: Arc::new(lock) }) })
    }

    pub(super) fn store(&self) -> &Arc<dyn ObjectStore> {
        &self.store
    }

    pub(super) async fn put(&self, path: &Path, bytes: Vec<u8>, mode: PutMode) -> Result<()> {
        let Some(local) = &self.local else {
            let options = PutOptions::from(mode);
            return match self.store.put_opts(path, bytes.into(), options).await {
                Ok(_) => Ok(()),
                Err(error) => Err(failed("write", path, error)),
            };
        };
        // Not `.json`: what a crash leaves of it is never read, and the next put of this object writes over it. Puts of
        // one catalog come one after the other, so the name is free.
        let staged = Path::from(format!("{path}.staged"));
        let result = async {
            local.write_synced(&staged, bytes).await?;
            match mode {
                PutMode::Create => {
                    self.store.copy_if_not_exists(&staged, path).await?;
                    self.store.delete(&staged).await?;
                }
                _ => self.store.rename(&staged, path).await?,
            }
            local.sync_folders(path).await
        }
        .await;
        if let Err(error) = result {
            // Best effort: an abandoned staged file takes space and harms nothing.
            let _ = self.store.delete(&staged).await;
            return Err(failed("write", path, error));
        }
        Ok(())
    }

    /// Removing what is not there is no error: an intent may be carried out twice.
    pub(super) async fn delete(&self, path: &Path) -> Result<()> {
        match self.store.delete(path).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(failed("remove", path, error)),
        }
        match &self.local {
            Some(local) => local.sync_folders(path).await.map_err(|error| failed("remove", path, error)),
            None => Ok(()),
        }
    }
}

impl Local {
    /// A file that is whole on the disk, readable for the server's account alone: definitions have credentials in them.
    async fn write_synced(&self, path: &Path, bytes: Vec<u8>) -> object_store::Result<()> {
        let file = self.files.path_to_filesystem(path)?;
        blocking(move || {
            if let Some(folder) = file.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let mut written = File::options().create(true).truncate(true).write(true).mode(PRIVATE_FILE).open(&file)?;
            // One that a crash left keeps the mode it has.
            written.set_permissions(Permissions::from_mode(PRIVATE_FILE))?;
            written.write_all(&bytes)?;
            written.sync_all()
        })
        .await
    }

    async fn sync_folders(&self, path: &Path) -> object_store::Result<()> {
        let file = self.files.path_to_filesystem(path)?;
        let root = self.root.clone();
        blocking(move || {
            for folder in file.ancestors().skip(1).take_while(|folder| folder.starts_with(&root)) {
                match File::open(folder) {
                    Ok(folder) => folder.sync_all()?,
                    // A delete of what never was may name a folder that never was.
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })
        .await
    }
}

async fn blocking(work: impl FnOnce() -> std::io::Result<()> + Send + 'static) -> object_store::Result<()> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(std::io::Error::other(error)))
        .map_err(|error| object_store::Error::Generic { store: "LocalFileSystem", source: Box::new(error) })
}
