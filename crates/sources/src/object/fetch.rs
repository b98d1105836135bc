//! Getting bytes of a source's files: footers through the cache, ranges out of what is already there.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::{Event, QueryContext};
use gristmill_objstore::{Location, ObjectInfo, Store};

use super::file::SourceFile;
use super::parquet::footer::{Footer, FooterDecoder, FooterStep};
use super::tail::{self, Tail};
use crate::caches::{FileKey, SourceCaches};

/// Where a query reads from, and on whose account.
#[derive(Clone, Debug)]
pub struct Fetcher {
    pub store: Store,
    pub location: Arc<Location>,
    pub context: Arc<QueryContext>,
    pub caches: Arc<SourceCaches>,
}

/// What one look at a Parquet file gave.
pub struct Opened {
    /// With size and ETag, whether or not the listing knew them.
    pub file: Arc<SourceFile>,
    pub footer: Arc<Footer>,
    /// The end of the file, as far as it was read.
    pub tail: Option<Tail>,
}

impl Fetcher {
    pub fn key(&self, file: &SourceFile) -> Option<FileKey> {
        let place = format!("{}\n{}\n{}", self.location.endpoint, self.location.bucket, file.key);
        Some(FileKey { place, version: file.version()? })
    }

    /// The footer of a Parquet file, from memory or by one read of the file's end (more only where that is too short).
    pub async fn footer(&self, file: &Arc<SourceFile>) -> Result<Opened> {
        let settings = &self.context.settings;
        let cached = |file: &SourceFile| {
            let key = self.key(file).filter(|_| settings.use_parquet_metadata_cache)?;
            self.caches.footer(&key)
        };
        if let Some(footer) = cached(file) {
            self.context.counters.add(Event::ParquetMetadataCacheHits, 1);
            let end = footer.file_bytes;
            let start = if footer.whole.is_some() { 0 } else { end.saturating_sub(settings.footer_fetch_bytes.max(8)) };
            self.store.log_read(&self.context, &file.key, start..end, true);
            let tail = footer.whole.clone().map(|bytes| Tail::new(0, bytes));
            return Ok(Opened { file: file.clone(), footer, tail });
        }
        let suffix_bytes = settings.footer_fetch_bytes.max(8);
        let (tail, info) = self.store.get_suffix(&self.context, &file.key, suffix_bytes, file.size).await?;
        let listed = file;
        let file = self.told(file, &info)?;
        if let Some(footer) = cached(&file) {
            self.context.counters.add(Event::ParquetMetadataCacheHits, 1);
            let start = start_of(&file, &tail)?;
            return Ok(Opened { file, footer, tail: Some(Tail::new(start, tail)) });
        }
        self.context.counters.add(Event::ParquetMetadataCacheMisses, 1);
        let start = start_of(&file, &tail)?;
        let size = start + tail.len() as u64;
        let read = async {
            let mut decoder = FooterDecoder::new(size)?;
            decoder.push(vec![start..size], vec![tail.clone()])?;
            self.decoded(&file, decoder).await
        };
        let mut footer = read.await.context(|| format!("while reading the footer of '{}'", file.path))?;
        if start == 0 && self.caches.keeps_whole(tail.len()) {
            let known = Arc::make_mut(&mut footer);
            known.memory_bytes += tail.len() as u64;
            known.whole = Some(tail.clone());
        }
        self.keep(&file, &footer);
        // Some servers list no ETags: then the next look at the listing finds it by size and time.
        if listed.etag.is_none() && listed.version().is_some() {
            self.keep(listed, &footer);
        }
        Ok(Opened { file, footer, tail: Some(Tail::new(start, tail)) })
    }

    /// The footer with its page index.
    pub async fn page_index(&self, opened: &Opened) -> Result<Arc<Footer>> {
        if opened.footer.has_page_index() {
            return Ok(opened.footer.clone());
        }
        let read = async {
            let mut decoder = FooterDecoder::page_index(&opened.footer)?;
            if let Some(tail) = &opened.tail {
                let (ranges, pieces) = tail.pieces().unzip();
                decoder.push(ranges, pieces)?;
            }
            self.decoded(&opened.file, decoder).await
        };
        let mut footer = read.await.context(|| format!("while reading the page index of '{}'", opened.file.path))?;
        if let Some(whole) = &opened.footer.whole {
            let known = Arc::make_mut(&mut footer);
            known.memory_bytes += whole.len() as u64;
            known.whole = Some(whole.clone());
        }
        self.keep(&opened.file, &footer);
        Ok(footer)
    }

    async fn decoded(&self, file: &SourceFile, mut decoder: FooterDecoder) -> Result<Arc<Footer>> {
        loop {
            match decoder.step()? {
                FooterStep::Done(footer) => return Ok(footer),
                FooterStep::Needs(ranges) => {
                    let pieces = self.store.get_ranges(&self.context, &file.key, &ranges, file.etag.as_deref()).await?;
                    decoder.push(ranges, pieces)?;
                }
            }
        }
    }

    fn keep(&self, file: &SourceFile, footer: &Arc<Footer>) {
        if let Some(key) = self.key(file).filter(|_| self.context.settings.use_parquet_metadata_cache) {
            self.caches.keep_footer(key, footer.clone());
        }
    }

    /// The file with what an answer told of it. An ETag other than the listing's: the file was replaced meanwhile.
    pub fn told(&self, file: &Arc<SourceFile>, info: &ObjectInfo) -> Result<Arc<SourceFile>> {
        if let (Some(listed), Some(read)) = (&file.etag, &info.etag)
            // Some servers quote the ETag in answers and not in listings.
            && listed.trim_matches('"') != read.trim_matches('"')
        {
            return Err(Error::new(
                ErrorCode::CANNOT_READ_ALL_DATA,
                format!(
                    "'{}' was replaced while it was read (its ETag was {listed} and now is {read}). Run the query again",
                    file.path
                ),
            ));
        }
        if file.size.is_some() && file.etag.is_some() && file.modified.is_some() {
            return Ok(file.clone());
        }
        let mut known = SourceFile::clone(file);
        known.size = known.size.or(info.size);
        known.etag = known.etag.or_else(|| info.etag.clone());
        known.modified = known.modified.or(info.last_modified.map(|seconds| seconds as i64));
        Ok(Arc::new(known))
    }

    /// Ranges of a file, out of its end where that is at hand.
    pub async fn ranges(&self, file: &SourceFile, tail: Option<&Tail>, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let missing = tail::missing(tail, ranges);
        let fetched = if missing.is_empty() {
            Vec::new()
        } else {
            self.store.get_ranges(&self.context, &file.key, &missing, file.etag.as_deref()).await?
        };
        let total: u64 = ranges.iter().map(|range| range.end - range.start).sum();
        self.context.progress.file_bytes_read.fetch_add(total, std::sync::atomic::Ordering::Relaxed);
        tail::joined(tail, ranges, fetched).ok_or_else(|| Error::logical("Fewer ranges came than were asked for"))
    }
}

/// Where the end of a file that was read begins.
fn start_of(file: &SourceFile, tail: &Bytes) -> Result<u64> {
    let size = file.size.unwrap_or(tail.len() as u64);
    size.checked_sub(tail.len() as u64).ok_or_else(|| {
        Error::new(ErrorCode::CANNOT_READ_ALL_DATA, format!("'{}' changed its size while it was read", file.path))
    })
}
