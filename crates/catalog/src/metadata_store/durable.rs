//! Puts and deletes that survive power loss when they return.
//!
//! Remote stores promise that themselves. `LocalFileSystem` does not sync: after a power cut a renamed file may be
//! there and empty, which for a replaced object loses the old content too. So on local disks an object is first put
//! under a name of its own and synced, then moved to its name (hard link where it must not exist, rename where it may),
//! then every folder on the way up to the data path is synced, because a new folder lasts only by its parent's entry.

use std::fs::{File, TryLockError};
use std::path::{Path as FsPath, PathBuf};
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions};

use super::failed;

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
        std::fs::create_dir_all(root).context(what)?;
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
            self.store.put(&staged, bytes.into()).await?;
            local.sync_file(&staged).await?;
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
    async fn sync_file(&self, path: &Path) -> object_store::Result<()> {
        let file = self.files.path_to_filesystem(path)?;
        blocking(move || File::open(&file)?.sync_all()).await
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
