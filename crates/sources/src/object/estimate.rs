//! What a scan would read, told before it reads: the listing and the footers are asked for, nothing else.
//!
//! Files are opened as the scan itself would open them, with pruning by paths and by the statistics in footers; bloom
//! filters and page indexes, which cost requests of their own, are left out. So the scan reads this much or less. Of
//! text formats the first quarter of a megabyte of one file is read: how many rows lie in a byte is taken to be the same
//! everywhere.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use futures::{StreamExt, TryStreamExt};
use gristmill_base::{Error, Result};
use gristmill_formats::{parser, split_rows};
use gristmill_introspect::{Event, QueryContext};
use gristmill_objstore::ranges::{self, RangePolicy};
use gristmill_types::Columns;

use super::convert::session_timezone;
use super::exec::ObjectScanExec;
use super::file::SourceFile;
use super::layout::Origin;
use super::load::text_memory_bytes;
use super::parquet::open::{FileWork, open};
use super::parquet::unit::PlannedUnit;
use super::scan::ScanRequest;
use super::source::ObjectSource;

/// Footers that are asked for at a time.
const FILES_AT_ONCE: usize = 256;
/// Of a text file, to tell rows by.
const SAMPLE_BYTES: u64 = 256 << 10;

/// What a scan of files would take.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The function, such as `s3`, and the pattern it reads.
    pub function: String,
    pub place: String,
    pub files: u64,
    pub row_groups: u64,
    /// Of text formats about so many; `None` where the beginning of a file does not tell.
    pub rows: Option<u64>,
    /// Compressed bytes that are read of the files, footers included.
    pub bytes: u64,
    /// Bytes of what is read as they lie in memory, about.
    pub memory_bytes: u64,
    /// Listing, footers and ranges, where nothing is in memory yet.
    pub requests: u64,
    pub cost_usd: f64,
    /// Paths and errors of files that are left out, as they cannot be read.
    pub failed: Vec<(String, String)>,
}

/// The estimates of all scans of files in a plan. `leaves_out`: of which errors a file is left out; others end it.
pub async fn estimates(
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<QueryContext>,
    leaves_out: fn(&Error) -> bool,
) -> Result<Vec<Estimate>> {
    let mut all = Vec::new();
    let mut nodes = vec![plan];
    while let Some(node) = nodes.pop() {
        if let Some(scan) = node.downcast_ref::<ObjectScanExec>() {
            all.push(estimate(scan, context, leaves_out).await?);
        }
        nodes.extend(node.children());
    }
    Ok(all)
}

async fn estimate(scan: &ObjectScanExec, context: &Arc<QueryContext>, leaves_out: fn(&Error) -> bool) -> Result<Estimate> {
    let listings = context.counters.get(Event::S3ListObjects).max(context.counters.get(Event::AzureListObjects));
    let description = scan.description();
    let mut estimate = Estimate {
        function: description.source.function.clone(),
        place: description.source.location.display(&description.source.location.key),
        rows: description.source.is_parquet().then_some(0),
        ..Estimate::default()
    };
    let quiet = quiet(context);
    let request = scan.request(&quiet)?;
    let store = request.fetcher.store.clone();
    if description.source.is_parquet() {
        let request = Arc::new(request);
        let mut works = request
            .files
            .stream(&quiet)
            .map(|file| async {
                let file = file?;
                let opened = open(request.clone(), file.clone()).await;
                Ok::<_, Error>((file, opened))
            })
            .buffer_unordered(FILES_AT_ONCE)
            .boxed();
        while let Some((file, opened)) = works.try_next().await? {
            match opened {
                Ok(work) => estimate.add(&work, &request),
                Err(error) if leaves_out(&error) => estimate.leave_out(&file, &error),
                Err(error) => return Err(error),
            }
        }
    } else {
        let (mut files, mut sample) = (request.files.stream(&quiet), None);
        while let Some(file) = files.try_next().await? {
            // Of a file that is named nobody has told the size yet.
            let size = match file.size {
                Some(size) => size,
                None => store.head(&quiet, &file.key).await.ok().and_then(|info| info.size).unwrap_or(0),
            };
            if sample.is_none() && size > 0 {
                match Sample::of(&request, &description.source, &file, size).await {
                    Ok(of_file) => sample = Some(of_file),
                    Err(error) if leaves_out(&error) => {
                        estimate.leave_out(&file, &error);
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            }
            estimate.files += 1;
            estimate.bytes += size;
            estimate.memory_bytes += text_memory_bytes(description, &file.key, size);
            estimate.requests += size.div_ceil(RangePolicy::REMOTE.split_bytes).max(1);
        }
        let of_all = |bytes: u64, of: fn(&Sample) -> u64| {
            let sample = sample.as_ref().filter(|sample| sample.bytes > 0)?;
            Some((u128::from(bytes) * u128::from(of(sample)) / u128::from(sample.bytes)) as u64)
        };
        estimate.rows = match estimate.bytes {
            0 => Some(0),
            bytes => of_all(bytes, |sample| sample.rows),
        };
        estimate.memory_bytes = of_all(estimate.bytes, |sample| sample.plain_bytes).unwrap_or(estimate.memory_bytes);
    }
    let prices = store.prices(&context.settings);
    let nanodollars = estimate.requests * prices.read + listings * prices.write + prices.bytes_read(estimate.bytes);
    estimate.requests += listings;
    estimate.cost_usd = nanodollars as f64 / 1e9;
    Ok(estimate)
}

/// The beginning of a text file.
struct Sample {
    /// Of the file.
    bytes: u64,
    /// What they are, decompressed.
    plain_bytes: u64,
    rows: u64,
}

impl Sample {
    async fn of(request: &ScanRequest, source: &ObjectSource, file: &SourceFile, size: u64) -> Result<Sample> {
        let fetcher = &request.fetcher;
        let range = 0..size.min(SAMPLE_BYTES);
        let head = fetcher.store.get_range(&fetcher.context, &file.key, range.clone(), file.etag.as_deref()).await?;
        let raw = futures::stream::once(async move { Ok(head) }).boxed();
        let mut chunks = source.compression_of(&file.key).decoder(raw);
        let mut plain = Vec::new();
        // A compressed file of which only the beginning was read ends in the middle.
        while let Some(Ok(chunk)) = chunks.next().await {
            plain.extend_from_slice(&chunk);
        }
        let is_whole = range.end == size;
        let rows_end = split_rows(source.format, &plain).filter(|_| !is_whole);
        let (bytes, plain_bytes) = (range.end, plain.len() as u64);
        let Some(end) = rows_end.or(is_whole.then_some(plain.len())) else {
            return Ok(Sample { bytes: 0, plain_bytes, rows: 0 });
        };
        let rows = count_rows(&plain[..end], source, request, file)?;
        // The last row, which is not whole, counts by its share.
        let rows = u128::from(rows) * u128::from(plain_bytes) / (end as u128).max(1);
        Ok(Sample { bytes, plain_bytes, rows: rows as u64 })
    }
}

/// The rows of whole rows of text.
fn count_rows(text: &[u8], source: &ObjectSource, request: &ScanRequest, file: &SourceFile) -> Result<u64> {
    let settings = &request.fetcher.context.settings;
    let declared = (0..request.layout.columns.len()).filter(|&at| matches!(request.layout.origins[at], Origin::Data));
    let columns = Columns::new(declared.map(|at| request.layout.columns.0[at].clone()).collect());
    let mut parser = parser(source.format, &columns, settings, session_timezone(settings), &file.path)?;
    let mut batches = parser.push(text)?;
    batches.extend(parser.finish()?);
    Ok(batches.iter().map(|batch| batch.num_rows() as u64).sum())
}

impl Estimate {
    fn leave_out(&mut self, file: &SourceFile, error: &Error) {
        self.failed.push((file.path.clone(), error.to_string()));
    }

    fn add(&mut self, work: &FileWork, request: &ScanRequest) {
        self.files += 1;
        // One read of the file's end, whatever else is read of it.
        self.requests += 1;
        let settings = &request.fetcher.context.settings;
        match work {
            FileWork::Rows(file, rows) => {
                self.bytes += settings.footer_fetch_bytes.min(file.footer.file_bytes);
                self.rows = self.rows.map(|sum| sum + rows);
            }
            FileWork::Units(units) => {
                let mut groups: Vec<usize> = units.iter().map(|unit| unit.group).collect();
                groups.dedup();
                self.row_groups += groups.len() as u64;
                self.rows = self.rows.map(|sum| sum + units.iter().map(PlannedUnit::rows).sum::<u64>());
                let Some(first) = units.first() else { return };
                self.memory_bytes +=
                    groups.iter().map(|group| first.file.memory_bytes(&request.wanted, *group)).sum::<u64>();
                let tail_from = first.file.footer.file_bytes.saturating_sub(settings.footer_fetch_bytes);
                let policy = RangePolicy::of(settings, request.fetcher.store.is_remote());
                // Each group is fetched for itself: what is near in two of them is two requests.
                for group in groups {
                    let chunks = first.file.chunks(&request.wanted, group).into_iter();
                    let wanted: Vec<_> = chunks.filter(|range| range.start < tail_from).collect();
                    self.requests += ranges::plan(&wanted, policy).len() as u64;
                    self.bytes += wanted.iter().map(|range| range.end - range.start).sum::<u64>();
                }
                self.bytes += settings.footer_fetch_bytes.min(first.file.footer.file_bytes);
            }
        }
    }
}

/// The same query without what costs requests beside footers.
fn quiet(context: &Arc<QueryContext>) -> Arc<QueryContext> {
    let mut settings = context.settings.as_ref().clone();
    settings.input_format_parquet_bloom_filter_push_down = false;
    settings.input_format_parquet_page_filter_push_down = false;
    context.with_settings(settings)
}
