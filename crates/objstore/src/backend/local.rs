//! Files under a root folder. A key is a path relative to the root.
//!
//! Writing is atomic and lasts (I-1): bytes go to a temporary file beside the target, are synced, and get their name in
//! one step, by `rename`, or by `link` where the name must not exist yet; then the folder is synced too, and the folders
//! that had to be made. Exceptions: `append`, and a store that syncs when told, whose files are synced by `sync` only (but
//! not those that may only be created: they are commits). Reading uses positioned reads, so that parts of one file are read beside each other.
//!
//! An ETag is made of inode, time of change and size: a file that was replaced or rewritten has another one.
//! A walk gives keys in the order of a bucket's listing (a folder sorts as `name/`), one page a folder.

mod append;
mod durable;
mod page_cache;
mod published;
mod syscalls;

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, stream};
use gristmill_base::allocations;
use gristmill_base::env::{Env, SystemEnv};
use gristmill_base::spending::{self, Blocked, Spending, Wait};
use object_store::PutPayload;
use tokio::sync::mpsc;

use self::append::append;
use self::durable::{begin_writing, sync_files};
use self::page_cache::read_cached;
use self::published::published;
pub(crate) use self::syscalls::counted;
use self::syscalls::{OpenFile, sync_folder};
use super::{Backend, Fetched, Page, PageRequest, Span};
use crate::failure::{Failure, FailureKind};
use crate::store::ObjectInfo;

const CHUNK_BYTES: u64 = 1 << 20;
/// Temporary files; no listing shows them.
const TEMPORARY: &str = ".gristmill-tmp-";
/// Folders deeper than this are not walked.
const DEPTH_MAX: usize = 100;

#[derive(Debug)]
pub(crate) struct LocalBackend {
    root: PathBuf,
    syncs: Syncs,
}

/// When files that were written are made to outlast a loss of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syncs {
    AtOnce,
    WhenTold,
}

impl LocalBackend {
    pub fn new(root: PathBuf, syncs: Syncs) -> Self {
        LocalBackend { root, syncs }
    }

    fn path(&self, key: &str) -> Result<PathBuf, Failure> {
        let relative = Path::new(key.trim_start_matches('/'));
        if relative.components().any(|part| !matches!(part, Component::Normal(_) | Component::CurDir)) || key.contains('\0')
        {
            return Err(Failure::new(FailureKind::Refused, "the path leads out of its folder"));
        }
        Ok(self.root.join(relative))
    }
}

/// Runs file I/O where it may block.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> Result<T, Failure> {
    let (tally, counters) = (allocations::current(), syscalls::current());
    let waiting = tally.as_ref().map(|tally| Spending::waiting(tally, Wait::Thread));
    let counted = move || {
        let _entered = tally.as_ref().map(allocations::enter);
        drop(waiting);
        syscalls::on_behalf_of(counters, || spending::blocked(Blocked::Disk, work))
    };
    match tokio::task::spawn_blocking(counted).await {
        Ok(result) => result.map_err(|error| Failure::of_io(&error)),
        Err(error) => Err(Failure::new(FailureKind::Refused, format!("the task that reads files ended: {error}"))),
    }
}

fn etag_of(metadata: &Metadata) -> String {
    let nanos = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    format!("\"{:x}-{:x}-{:x}\"", metadata.ino(), nanos, metadata.len())
}

fn info_of(key: String, metadata: &Metadata) -> ObjectInfo {
    ObjectInfo {
        key,
        // Pipes and devices have no size.
        size: metadata.is_file().then_some(metadata.len()),
        last_modified: u64::try_from(metadata.mtime()).ok(),
        etag: metadata.is_file().then(|| etag_of(metadata)),
    }
}

/// Fills the buffer, or as much of it as the file has.
fn read_at(file: &File, start: u64, mut buffer: Vec<u8>) -> io::Result<Bytes> {
    let mut filled = 0;
    while filled < buffer.len() {
        match syscalls::read(|| file.read_at(&mut buffer[filled..], start + filled as u64)) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    buffer.truncate(filled);
    Ok(buffer.into())
}

/// Makes the folders above `path`, so that they outlast a power loss.
fn make_parents(path: &Path) -> io::Result<()> {
    let Some(parent) = path.parent() else { return Ok(()) };
    if parent.as_os_str().is_empty() || parent.is_dir() {
        return Ok(());
    }
    make_parents(parent)?;
    match fs::create_dir(parent) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        other => other?,
    }
    parent.parent().map_or(Ok(()), sync_folder)
}

fn temporary_beside(target: &Path) -> PathBuf {
    let env = SystemEnv;
    target.with_file_name(format!("{TEMPORARY}{:016x}{:016x}", env.random_u64(), env.random_u64()))
}

/// One piece behind the other, from `offset` on.
fn write_pieces(file: &File, payload: &PutPayload, mut offset: u64) -> io::Result<()> {
    for piece in payload {
        syscalls::write(|| file.write_all_at(piece, offset))?;
        offset += piece.len() as u64;
    }
    Ok(())
}

fn create_temporary(target: &Path) -> io::Result<(PathBuf, File)> {
    make_parents(target)?;
    let path = temporary_beside(target);
    let file = File::create_new(&path)?;
    Ok((path, file))
}

/// A temporary file that goes unless its path is taken out.
struct Begun(Option<PathBuf>);

impl Drop for Begun {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            let _ = fs::remove_file(path);
        }
    }
}

/// Gives a finished temporary file its name.
fn publish(temporary: &Path, file: &File, target: &Path, if_absent: bool, syncs: Syncs) -> io::Result<Metadata> {
    let published = (|| {
        if syncs == Syncs::AtOnce {
            syscalls::sync(|| file.sync_all())?;
        }
        if if_absent {
            fs::hard_link(temporary, target)?;
            fs::remove_file(temporary)?;
        } else {
            fs::rename(temporary, target)?;
        }
        if syncs == Syncs::AtOnce {
            target.parent().map_or(Ok(()), sync_folder)?;
        }
        file.metadata()
    })();
    if published.is_err() {
        let _ = fs::remove_file(temporary);
    }
    published
}

#[async_trait]
impl Backend for LocalBackend {
    async fn get(&self, key: &str, span: Span, etag: Option<&str>) -> Result<Fetched, Failure> {
        let (path, key) = (self.path(key)?, key.to_string());
        let (file, metadata) = blocking(move || {
            let file = OpenFile::of(File::open(path)?);
            let metadata = file.file.metadata()?;
            Ok((file, metadata))
        })
        .await?;
        if metadata.is_dir() {
            return Err(Failure::new(FailureKind::Refused, "it is a folder"));
        }
        let info = info_of(key, &metadata);
        if etag.is_some() && etag != info.etag.as_deref() {
            return Err(Failure::new(FailureKind::Precondition, "the file is another one now"));
        }
        let file = Arc::new(file);
        let Some(size) = info.size else {
            return Ok(Fetched { info, start: 0, bytes: read_through(file) });
        };
        let range = span.of(size);
        let whole = matches!(span, Span::From(_));
        let chunk = if whole { CHUNK_BYTES } else { u64::MAX };
        let bytes = stream::try_unfold((file, range.clone()), move |(file, left)| async move {
            if left.start >= left.end {
                return Ok(None);
            }
            let length = (left.end - left.start).min(chunk);
            let reader = file.clone();
            // Made here and not by the thread that reads: there are hundreds of those, and what each of them allocated and
            // others freed stays with it until it allocates again (1.5 GB in a load of a thousand columns).
            let buffer = vec![0; length as usize];
            let bytes = blocking(move || read_at(&reader.file, left.start, buffer)).await?;
            if bytes.is_empty() {
                return Err(Failure::new(FailureKind::Precondition, "the file became shorter"));
            }
            let next = left.start + bytes.len() as u64..left.end;
            Ok(Some((bytes, (file, next))))
        });
        Ok(Fetched { info, start: range.start, bytes: bytes.boxed() })
    }

    fn get_now(&self, key: &str, ranges: &[Range<u64>]) -> Option<Vec<Bytes>> {
        read_cached(&self.path(key).ok()?, ranges)
    }

    async fn head(&self, key: &str) -> Result<ObjectInfo, Failure> {
        let (path, key) = (self.path(key)?, key.to_string());
        let info = blocking(move || fs::metadata(path).map(|metadata| (metadata.is_dir(), info_of(key, &metadata)))).await?;
        if info.0 { Err(Failure::new(FailureKind::NotFound, "it is a folder")) } else { Ok(info.1) }
    }

    async fn list_page(&self, _request: &PageRequest) -> Result<Page, Failure> {
        Err(Failure::new(FailureKind::Unsupported, "files are walked, not paged"))
    }

    fn walk(&self, request: &PageRequest) -> Option<BoxStream<'static, Result<Page, Failure>>> {
        let folder = request.prefix.rfind('/').map_or("", |at| &request.prefix[..at]);
        let start = match self.path(folder) {
            Ok(start) => start,
            Err(failure) => return Some(stream::iter([Err(failure)]).boxed()),
        };
        let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let (sender, receiver) = mpsc::channel(4);
        let request = request.clone();
        tokio::task::spawn_blocking(move || {
            if let Err(error) = walk_folder(&start, &folder, &request, 0, &sender) {
                let _ = sender.blocking_send(Err(Failure::of_io(&error)));
            }
        });
        Some(stream::unfold(receiver, |mut receiver| async { receiver.recv().await.map(|page| (page, receiver)) }).boxed())
    }

    async fn put(&self, key: &str, payload: PutPayload, if_absent: bool) -> Result<ObjectInfo, Failure> {
        let (path, key) = (self.path(key)?, key.to_string());
        let target = path.clone();
        let syncs = if if_absent { Syncs::AtOnce } else { self.syncs };
        let write = move || {
            let (temporary, file) = create_temporary(&path)?;
            if let Err(error) = write_pieces(&file, &payload, 0) {
                let _ = fs::remove_file(&temporary);
                return Err(error);
            }
            publish(&temporary, &file, &path, if_absent, syncs).map(|metadata| info_of(key, &metadata))
        };
        // What may only create is a commit: others may have seen it by now.
        if if_absent { blocking(write).await } else { published(target, write).await }
    }

    async fn append(&self, key: &str, bytes: Bytes) -> Result<ObjectInfo, Failure> {
        let (path, key) = (self.path(key)?, key.to_string());
        blocking(move || append(&path, &bytes[..]).map(|metadata| info_of(key, &metadata))).await
    }

    /// A second name for the file.
    async fn copy(&self, from: &str, to: &str, _bytes: u64) -> Result<(), Failure> {
        let (from, to, syncs) = (self.path(from)?, self.path(to)?, self.syncs);
        blocking(move || {
            make_parents(&to)?;
            match fs::hard_link(&from, &to) {
                // An earlier try made it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_same_file(&from, &to)? => {}
                other => other?,
            }
            if syncs == Syncs::AtOnce { to.parent().map_or(Ok(()), sync_folder) } else { Ok(()) }
        })
        .await
        // File systems without links, and folders on other ones: the bytes have to be moved.
        .map_err(|failure| match failure.kind {
            FailureKind::NotFound | FailureKind::NoSpace => failure,
            _ => Failure { kind: FailureKind::Unsupported, ..failure },
        })
    }

    async fn delete(&self, key: &str) -> Result<(), Failure> {
        let path = self.path(key)?;
        blocking(move || match fs::remove_file(&path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
            Err(error) => Err(error),
            Ok(()) => path.parent().map_or(Ok(()), sync_folder),
        })
        .await
    }

    async fn delete_many(&self, keys: &[String]) -> Result<(), Failure> {
        let paths = keys.iter().map(|key| self.path(key)).collect::<Result<Vec<_>, _>>()?;
        blocking(move || {
            let mut folders: Vec<PathBuf> = Vec::new();
            for path in paths {
                match fs::remove_file(&path) {
                    Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => continue,
                    other => other?,
                }
                folders.extend(path.parent().map(Path::to_path_buf));
            }
            folders.sort_unstable();
            folders.dedup();
            folders.iter().try_for_each(|folder| sync_folder(folder))
        })
        .await
    }

    async fn upload_begin(&self, key: &str) -> Result<String, Failure> {
        let path = self.path(key)?;
        // Whoever asked may be gone when the file is there: nobody would know of it then.
        let mut begun = blocking(move || create_temporary(&path).map(|(temporary, _)| Begun(Some(temporary)))).await?;
        Ok(begun.0.take().unwrap_or_default().to_string_lossy().into_owned())
    }

    async fn upload_part(
        &self,
        _key: &str,
        id: &str,
        index: usize,
        offset: u64,
        payload: PutPayload,
    ) -> Result<String, Failure> {
        let temporary = PathBuf::from(id);
        blocking(move || {
            let file = File::options().write(true).open(temporary)?;
            write_pieces(&file, &payload, offset)?;
            begin_writing(&file, offset, payload.content_length() as u64);
            Ok(())
        })
        .await?;
        Ok(index.to_string())
    }

    async fn upload_finish(&self, key: &str, id: &str, _parts: Vec<String>) -> Result<ObjectInfo, Failure> {
        let (path, key, temporary) = (self.path(key)?, key.to_string(), PathBuf::from(id));
        let syncs = self.syncs;
        published(path.clone(), move || {
            let file = File::options().write(true).open(&temporary)?;
            publish(&temporary, &file, &path, false, syncs).map(|metadata| info_of(key, &metadata))
        })
        .await
    }

    async fn upload_append(&self, key: &str, id: &str) -> Result<ObjectInfo, Failure> {
        let (path, key, temporary) = (self.path(key)?, key.to_string(), PathBuf::from(id));
        blocking(move || {
            let metadata = append(&path, File::open(&temporary)?)?;
            fs::remove_file(&temporary)?;
            Ok(info_of(key, &metadata))
        })
        .await
    }

    async fn upload_abort(&self, _key: &str, id: &str) -> Result<(), Failure> {
        let temporary = PathBuf::from(id);
        blocking(move || fs::remove_file(temporary)).await
    }

    async fn sync(&self, keys: &[String]) -> Result<(), Failure> {
        if self.syncs == Syncs::AtOnce {
            return Ok(());
        }
        let paths = keys.iter().map(|key| self.path(key)).collect::<Result<Vec<_>, _>>()?;
        blocking(move || sync_files(&paths)).await
    }

    fn is_remote(&self) -> bool {
        false
    }

    fn deletes_at_once(&self) -> usize {
        1000
    }
}

fn is_same_file(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (fs::metadata(one)?, fs::metadata(other)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Pipes and devices: from where they stand to their end.
fn read_through(file: Arc<OpenFile>) -> BoxStream<'static, Result<Bytes, Failure>> {
    stream::try_unfold(file, |file| async move {
        let reader = file.clone();
        let bytes = blocking(move || {
            let mut buffer = vec![0; CHUNK_BYTES as usize];
            let read = syscalls::read(|| (&reader.file).read(&mut buffer))?;
            buffer.truncate(read);
            Ok(Bytes::from(buffer))
        })
        .await?;
        Ok((!bytes.is_empty()).then_some((bytes, file)))
    })
    .boxed()
}

/// Whether a link leads to a folder that it lies in: what is there was seen on the way.
fn leads_back(link: &Path) -> bool {
    let Ok(target) = fs::canonicalize(link) else { return true };
    link.ancestors().skip(1).any(|above| fs::canonicalize(above).is_ok_and(|above| above == target))
}

/// Sends the entries of one folder, then those of the folders in it. A reader that went away ends the walk.
fn walk_folder(
    path: &Path,
    folder: &str,
    request: &PageRequest,
    depth: usize,
    pages: &mpsc::Sender<Result<Page, Failure>>,
) -> io::Result<()> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(()),
        // A folder that may not be read hides what is in it, as a shell's glob does; the first one is an error.
        Err(error) if depth > 0 && error.kind() == io::ErrorKind::PermissionDenied => return Ok(()),
        Err(error) => return Err(error),
    };
    let wanted = |key: &str| key.starts_with(&request.prefix) || request.prefix.starts_with(key);
    let mut found: Vec<(String, Option<ObjectInfo>)> = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with(TEMPORARY) {
            continue;
        }
        let key = format!("{folder}{name}");
        if !wanted(&key) && !wanted(&format!("{key}/")) {
            continue;
        }
        // Through links; one that leads nowhere is no file.
        let Ok(metadata) = fs::metadata(entry.path()) else { continue };
        if metadata.is_dir() {
            if entry.file_type()?.is_symlink() && leads_back(&entry.path()) {
                continue;
            }
            found.push((format!("{key}/"), None));
        } else if key.starts_with(&request.prefix) {
            found.push((key.clone(), Some(info_of(key, &metadata))));
        }
    }
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let after = request.start_after.as_deref().unwrap_or("");
    let mut page = Page::default();
    for (key, info) in found {
        match info {
            Some(info) => {
                if info.key.as_str() > after {
                    page.objects.push(info);
                }
            }
            None if request.delimited && key.starts_with(&request.prefix) => {
                if key.as_str() > after {
                    page.prefixes.push(key);
                }
            }
            None if depth < DEPTH_MAX && wanted(&key) && (key.as_str() > after || after.starts_with(&key)) => {
                if !page.objects.is_empty() && pages.blocking_send(Ok(std::mem::take(&mut page))).is_err() {
                    return Ok(());
                }
                walk_folder(&path.join(key[folder.len()..].trim_end_matches('/')), &key, request, depth + 1, pages)?;
                if pages.is_closed() {
                    return Ok(());
                }
            }
            None => {}
        }
    }
    if !page.objects.is_empty() || !page.prefixes.is_empty() {
        let _ = pages.blocking_send(Ok(page));
    }
    Ok(())
}
