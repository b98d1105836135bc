//! System calls on local files, counted: reads, writes and syncs, with the time that they took, for the query on whose behalf
//! they are made.
//!
//! Files are read and written on threads that may block and know of no query; so who begins work there says whose it is
//! (`on_behalf_of`), and the thread remembers while it works. Work of nobody counts for the server alone.

use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gristmill_introspect::gauges::Held;
use gristmill_introspect::{Counters, Event, Gauge};

use crate::wire::Call;

tokio::task_local! {
    static OF_QUERY: Arc<Counters>;
}

thread_local! {
    static WORKS_FOR: RefCell<Option<Arc<Counters>>> = const { RefCell::new(None) };
}

/// Runs an attempt whose system calls count for a query.
pub(crate) async fn counted<F: Future>(counters: Arc<Counters>, attempt: F) -> F::Output {
    OF_QUERY.scope(counters, attempt).await
}

/// Whose the running attempt is.
pub(super) fn current() -> Option<Arc<Counters>> {
    OF_QUERY.try_with(Arc::clone).ok().or_else(|| Call::current().map(|call| call.counters.clone()))
}

/// Puts back whom the thread worked for before, however the work ends.
struct Before(Option<Arc<Counters>>);

impl Drop for Before {
    fn drop(&mut self) {
        WORKS_FOR.set(self.0.take());
    }
}

/// Runs work on this thread whose system calls count there.
pub(super) fn on_behalf_of<T>(counters: Option<Arc<Counters>>, work: impl FnOnce() -> T) -> T {
    let _before = Before(WORKS_FOR.replace(counters));
    work()
}

fn count(events: &[(Event, u64)]) {
    WORKS_FOR.with_borrow(|counters| {
        let add = |counters: &Counters| events.iter().for_each(|(event, value)| counters.add(*event, *value));
        match counters {
            Some(counters) => add(counters),
            None => add(&Counters::server()),
        }
    });
}

struct Events {
    calls: Event,
    micros: Event,
    /// `None`: failures are not told apart.
    failed: Option<Event>,
}

fn called<T>(events: Events, call: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let begun = Instant::now();
    let result = call();
    let micros = begun.elapsed().as_micros() as u64;
    count(&[(events.calls, 1), (events.micros, micros)]);
    if let (Err(error), Some(failed)) = (&result, events.failed)
        && error.kind() != io::ErrorKind::Interrupted
    {
        count(&[(failed, 1)]);
    }
    result
}

/// One read.
pub(super) fn read(call: impl FnOnce() -> io::Result<usize>) -> io::Result<usize> {
    let _reading = Gauge::Read.hold();
    let events = Events {
        calls: Event::ReadBufferFromFileDescriptorRead,
        micros: Event::DiskReadElapsedMicroseconds,
        failed: Some(Event::ReadBufferFromFileDescriptorReadFailed),
    };
    called(events, call)
}

/// One write.
pub(super) fn write(call: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let _writing = Gauge::Write.hold();
    let events = Events {
        calls: Event::WriteBufferFromFileDescriptorWrite,
        micros: Event::DiskWriteElapsedMicroseconds,
        failed: Some(Event::WriteBufferFromFileDescriptorWriteFailed),
    };
    called(events, call)
}

/// A sync of a file.
pub(super) fn sync(call: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    called(Events { calls: Event::FileSync, micros: Event::FileSyncElapsedMicroseconds, failed: None }, call)
}

/// Syncs a folder.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let events = Events { calls: Event::DirectorySync, micros: Event::DirectorySyncElapsedMicroseconds, failed: None };
    called(events, || File::open(path)?.sync_all())
}

/// A file that is open to be read.
pub(super) struct OpenFile {
    pub file: File,
    _counts: Held,
}

impl OpenFile {
    pub fn of(file: File) -> OpenFile {
        OpenFile { file, _counts: Gauge::OpenFileForRead.hold() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn calls_count_for_whom_they_are_made() {
        let counters = Arc::new(Counters::with_parent(None));
        let seen = counted(counters.clone(), async { current() }).await;
        on_behalf_of(seen, || {
            read(|| Ok(3)).expect("read");
            read(|| Err(io::ErrorKind::PermissionDenied.into())).expect_err("refused");
            on_behalf_of(None, || write(|| Ok(())).expect("of nobody"));
            sync(|| Ok(())).expect("synced");
        });
        let counted = [
            Event::ReadBufferFromFileDescriptorRead,
            Event::ReadBufferFromFileDescriptorReadFailed,
            Event::WriteBufferFromFileDescriptorWrite,
            Event::FileSync,
        ];
        assert_eq!(counted.map(|event| counters.get(event)), [2, 1, 0, 1]);
        assert!(current().is_none());
    }
}
