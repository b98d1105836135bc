//! Work that gives a file its name, and nobody waits for any more.
//!
//! File I/O runs on threads that cannot be stopped: when the query that wrote a file fails or is cancelled, the thread goes on
//! and may give the file its name after the query has removed everything it knew of. So whichever of the two is last,
//! the thread or the end of the wait, removes the file. A file that replaced another is left: what it replaced is gone.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use gristmill_base::runtime::Unfinished;
use parking_lot::Mutex;

use super::blocking;
use crate::failure::Failure;

enum Stage {
    Working,
    /// Done, and the file that is to go if nobody takes the result.
    Done(Option<PathBuf>),
    Abandoned,
}

/// Dropped while the work is still waited for: its file is not wanted.
struct Waiter(Arc<Mutex<Stage>>);

impl Drop for Waiter {
    fn drop(&mut self) {
        let before = std::mem::replace(&mut *self.0.lock(), Stage::Abandoned);
        if let Stage::Done(Some(file)) = before {
            let _ = fs::remove_file(file);
        }
    }
}

/// Runs `publish`, which makes the file `target`. Dropped before it gives its result, the file does not stay, unless one of
/// that name was there before.
pub(super) async fn published<T: Send + 'static>(
    target: PathBuf,
    publish: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let stage = Arc::new(Mutex::new(Stage::Working));
    let waiter = Waiter(stage.clone());
    // The process does not end while a file may still have to go.
    let unfinished = Unfinished::begin();
    let result = blocking(move || {
        let _unfinished = unfinished;
        let replaces = target.exists();
        let made = publish()?;
        let file = (!replaces).then_some(target);
        let mut stage = stage.lock();
        match &*stage {
            Stage::Abandoned => drop(file.map(fs::remove_file)),
            _ => *stage = Stage::Done(file),
        }
        Ok(made)
    })
    .await;
    *waiter.0.lock() = Stage::Done(None);
    result
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    /// Drops the wait while the work is at one of its two ends, and tells whether the file stays.
    async fn stays(there_before: bool, dropped_before_work: bool) -> bool {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("part");
        if there_before {
            fs::write(&target, "old").expect("written");
        }
        let (go, wait) = channel::<()>();
        let (told, done) = channel::<()>();
        let file = target.clone();
        let mut work = Box::pin(published(target.clone(), move || {
            let _ = wait.recv();
            fs::write(&file, "new")?;
            let _ = told.send(());
            Ok(())
        }));
        assert!(futures::FutureExt::now_or_never(&mut work).is_none());
        if dropped_before_work {
            drop(work);
            go.send(()).expect("waits");
        } else {
            go.send(()).expect("waits");
            tokio::task::spawn_blocking(move || done.recv()).await.expect("task").expect("done");
            drop(work);
        }
        for _ in 0..200 {
            if !target.exists() {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        true
    }

    #[tokio::test]
    async fn a_file_that_nobody_waits_for_does_not_stay() {
        assert!(!stays(false, true).await);
        assert!(!stays(false, false).await);
    }

    #[tokio::test]
    async fn a_file_that_replaced_another_stays() {
        assert!(stays(true, true).await);
    }
}
