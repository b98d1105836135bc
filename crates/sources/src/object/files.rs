//! The files of a source: those found so far, and the listing that goes on where there are very many.
//!
//! Up to some thousand files are listed before anything is read: then their bytes, and so the share done, are known, and
//! they come in the order of their names. Of a longer listing only the beginning is waited for (the structure is taken
//! from it); the scan draws the rest while it reads, a page at a time, so that ten million keys take no more memory than
//! ten thousand. Such a scan can be run again: the listing begins anew then.

use std::fmt;
use std::sync::Arc;

use futures::stream::BoxStream;
use futures::{StreamExt, TryStreamExt, stream};
use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use gristmill_objstore::{Glob, Location, ObjectInfo, Store, find};
use parking_lot::Mutex;

use super::file::SourceFile;
use super::opening::Opening;

/// Files of a listing that are waited for, in a store far away and on a disk.
pub const REMOTE_FILES_KNOWN_MAX: usize = 5_000;
pub const LOCAL_FILES_KNOWN_MAX: usize = 100_000;

type FileStream = BoxStream<'static, Result<Arc<SourceFile>>>;
type Keep = Arc<dyn Fn(&Arc<SourceFile>) -> Result<bool> + Send + Sync>;

#[derive(Clone)]
pub struct Files {
    known: Arc<Vec<Arc<SourceFile>>>,
    /// `None`: these are all.
    rest: Option<Arc<Rest>>,
    /// Which files of the rest are wanted.
    keep: Option<Keep>,
    /// Files that are being opened, or are open, before the scan asks for them.
    opening: Arc<Opening>,
}

/// A listing that was begun.
struct Rest {
    query: ListQuery,
    /// What was not drawn yet of the listing that the known files came from; the first reader takes it.
    running: Mutex<Option<FileStream>>,
}

/// What is listed.
#[derive(Clone)]
pub struct ListQuery {
    pub store: Store,
    pub location: Arc<Location>,
    pub glob: Arc<Glob>,
    /// Whether files without bytes are left out.
    pub skips_empty: bool,
    /// Files that are waited for.
    pub known_max: usize,
}

impl ListQuery {
    /// The files that the pattern matches.
    pub async fn run(&self, context: &Arc<QueryContext>) -> Result<Files> {
        let mut running = self.stream(context);
        let mut known = Vec::new();
        let complete = loop {
            let next = context.cancellable(async { running.try_next().await }).await?;
            match next {
                None => break true,
                Some(_) if known.len() >= self.known_max => {
                    // One file more was drawn to know that there are more: it is known too.
                    known.extend(next);
                    break false;
                }
                Some(file) => known.push(file),
            }
        };
        known.sort_by(|a, b| a.key.cmp(&b.key));
        let rest = (!complete).then(|| Arc::new(Rest { query: self.clone(), running: Mutex::new(Some(running)) }));
        Ok(Files { known: Arc::new(known), rest, keep: None, opening: Arc::default() })
    }

    fn stream(&self, context: &Arc<QueryContext>) -> FileStream {
        let (location, skips_empty) = (self.location.clone(), self.skips_empty);
        // Folders of object stores that were made by hand are empty objects whose keys end in a slash.
        let counts = move |info: &ObjectInfo| info.size != Some(0) || !(skips_empty || info.key.ends_with('/'));
        find(&self.store, context, &self.glob)
            .try_filter(move |info| std::future::ready(counts(info)))
            .map_ok(move |info| Arc::new(SourceFile::of(&location, &info)))
            .boxed()
    }
}

impl Files {
    pub fn all(files: Vec<Arc<SourceFile>>) -> Files {
        Files { known: Arc::new(files), rest: None, keep: None, opening: Arc::default() }
    }

    /// Some of these files, with what was read of them.
    pub fn only(&self, files: Vec<Arc<SourceFile>>) -> Files {
        Files { known: Arc::new(files), rest: None, keep: None, opening: self.opening.clone() }
    }

    /// The same files for another query, which opens them itself.
    pub fn unopened(&self) -> Files {
        Files { opening: Arc::default(), ..self.clone() }
    }

    pub fn opening(&self) -> &Arc<Opening> {
        &self.opening
    }

    /// Files that are known; all of them where the listing is `complete`.
    pub fn known(&self) -> &[Arc<SourceFile>] {
        &self.known
    }

    pub fn is_complete(&self) -> bool {
        self.rest.is_none()
    }

    /// Bytes of all files, where that is known.
    pub fn bytes(&self) -> Option<u64> {
        if !self.is_complete() {
            return None;
        }
        self.known.iter().map(|file| file.size).sum()
    }

    /// Those that `keep` wants, now and of what the listing still brings.
    pub fn filtered(&self, keep: impl Fn(&Arc<SourceFile>) -> Result<bool> + Send + Sync + 'static) -> Result<Files> {
        let mut known = Vec::new();
        for file in self.known.iter() {
            if keep(file)? {
                known.push(file.clone());
            }
        }
        let before = self.keep.clone();
        let both = move |file: &Arc<SourceFile>| Ok(before.as_ref().map_or(Ok(true), |before| before(file))? && keep(file)?);
        let keep = self.rest.is_some().then(|| Arc::new(both) as Keep);
        Ok(Files { known: Arc::new(known), rest: self.rest.clone(), keep, opening: self.opening.clone() })
    }

    /// Every file. The second reader of a listing that goes on has it done anew.
    pub fn stream(&self, context: &Arc<QueryContext>) -> FileStream {
        let known = self.known.clone();
        let first = stream::iter(0..known.len()).map(move |at| Ok(known[at].clone()));
        let Some(rest) = &self.rest else { return first.boxed() };
        let keep = self.keep.clone();
        let wanted = move |file: &Arc<SourceFile>| std::future::ready(keep.as_ref().map_or(Ok(true), |keep| keep(file)));
        let running = rest.running.lock().take();
        let files = match running {
            Some(running) => first.chain(filtered(running, wanted)).boxed(),
            None => filtered(rest.query.stream(context), wanted).boxed(),
        };
        let progress = context.progress.clone();
        let already = self.known.len();
        files
            .enumerate()
            .inspect(move |(at, file)| {
                if let Ok(file) = file
                    && *at >= already
                {
                    let bytes = file.size.unwrap_or(0);
                    progress.total_bytes_to_read.fetch_add(bytes, std::sync::atomic::Ordering::Relaxed);
                }
            })
            .map(|(_, file)| file)
            .boxed()
    }
}

fn filtered<F>(
    files: FileStream,
    wanted: impl Fn(&Arc<SourceFile>) -> F + Send + 'static,
) -> impl futures::Stream<Item = Result<Arc<SourceFile>>> + Send + 'static
where
    F: Future<Output = Result<bool>> + Send + 'static,
{
    files.try_filter_map(move |file| {
        let wanted = wanted(&file);
        async move { Ok(wanted.await?.then_some(file)) }
    })
}

/// How many, as plans show it.
impl fmt::Display for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.known.len(), if self.is_complete() { "" } else { "+" })
    }
}

impl fmt::Debug for Files {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Files({self})")
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    async fn listing(files: usize, known_max: usize) -> (ListQuery, Arc<QueryContext>) {
        let (store, context) = (Store::memory(), QueryContext::background("test"));
        for number in 0..files {
            store.put(&context, &format!("d/{number:03}.csv"), Bytes::from_static(b"1\n")).await.expect("put");
        }
        let location = Arc::new(Location::parse_s3("https://host/bucket/d/*.csv").expect("a location"));
        let glob = Arc::new(Glob::parse("d/*.csv").expect("a pattern"));
        (ListQuery { store, location, glob, skips_empty: true, known_max }, context)
    }

    async fn names(files: &Files, context: &Arc<QueryContext>) -> Vec<String> {
        let mut names: Vec<String> =
            files.stream(context).map_ok(|file| file.key.clone()).try_collect().await.expect("files");
        names.sort();
        names
    }

    #[tokio::test]
    async fn of_a_long_listing_only_the_beginning_is_waited_for_and_every_reader_gets_all() {
        let (query, context) = listing(50, 10).await;
        let files = query.run(&context).await.expect("listed");
        assert!(!files.is_complete() && files.known().len() <= 11, "{files}");
        let all: Vec<String> = (0..50).map(|number| format!("d/{number:03}.csv")).collect();
        assert_eq!(names(&files, &context).await, all, "the listing goes on");
        assert_eq!(names(&files, &context).await, all, "the second reader lists anew");
        assert_eq!(files.bytes(), None);
    }

    #[tokio::test]
    async fn a_filter_holds_for_what_the_listing_still_brings() {
        let (query, context) = listing(50, 10).await;
        let files = query.run(&context).await.expect("listed");
        let odd = files.filtered(|file| Ok(file.key.ends_with("1.csv"))).expect("filtered");
        assert_eq!(names(&odd, &context).await, ["d/001.csv", "d/011.csv", "d/021.csv", "d/031.csv", "d/041.csv"]);
    }

    #[tokio::test]
    async fn a_second_filter_leaves_the_first_in_force() {
        let (query, context) = listing(50, 10).await;
        let files = query.run(&context).await.expect("listed");
        let odd = files.filtered(|file| Ok(file.key.ends_with("1.csv"))).expect("filtered");
        let late = odd.filtered(|file| Ok(file.key.as_str() > "d/03")).expect("filtered again");
        assert_eq!(names(&late, &context).await, ["d/031.csv", "d/041.csv"]);
    }

    #[tokio::test]
    async fn a_short_listing_is_known_whole() {
        let (query, context) = listing(10, 10).await;
        let files = query.run(&context).await.expect("listed");
        assert!(files.is_complete());
        assert_eq!((files.known().len(), files.bytes()), (10, Some(20)));
    }
}
