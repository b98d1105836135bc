//! Events: counters that only grow, under ClickHouse's names. One declaration gives the enum, `system.events` and the
//! documentation. Each query has its own `Counters`, whose parent is the server's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

macro_rules! events {
    ($($name:ident, $doc:literal;)*) => {
        /// What is counted. The order is that of `system.events`.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Event { $(#[doc = $doc] $name),* }

        impl Event {
            pub const ALL: &[Event] = &[$(Event::$name),*];

            pub fn name(self) -> &'static str {
                match self { $(Event::$name => stringify!($name)),* }
            }

            /// The event of that name; `None`: there is none here.
            pub fn named(name: &str) -> Option<Event> {
                match name { $(stringify!($name) => Some(Event::$name),)* _ => None }
            }

            pub fn description(self) -> &'static str {
                match self { $(Event::$name => $doc),* }
            }
        }
    };
}

events! {
    Query, "Number of queries to be interpreted and potentially executed.";
    SelectQuery, "Same as Query, but only for SELECT queries.";
    InsertQuery, "Same as Query, but only for INSERT queries.";
    FailedQuery, "Number of failed queries.";
    FailedSelectQuery, "Same as FailedQuery, but only for SELECT queries.";
    FailedInsertQuery, "Same as FailedQuery, but only for INSERT queries.";
    QueryTimeMicroseconds, "Total time of all queries.";
    SelectedRows, "Number of rows SELECTed from all tables.";
    SelectedBytes, "Number of bytes (uncompressed) SELECTed from all tables.";
    InsertedRows, "Number of rows INSERTed to all tables.";
    InsertedBytes, "Number of bytes (uncompressed) INSERTed to all tables.";
    InputFieldsLeftOut, "Number of values of input data that were left out, as no column takes them: keys of JSON, named columns.";
    InputRowsLeftOut, "Number of rows of input data that were left out because of mistakes, as input_format_allow_errors_num and _ratio allow.";
    S3ReadRequestsCount, "Number of GET, HEAD and LIST requests to S3 storage.";
    S3ReadMicroseconds, "Time of GET, HEAD and LIST requests to S3 storage.";
    S3ReadRequestsErrors, "Number of non-throttling errors in GET, HEAD and LIST requests to S3 storage.";
    S3ReadRequestsThrottling, "Number of 429 and 503 errors in GET, HEAD and LIST requests to S3 storage.";
    S3WriteRequestsCount, "Number of POST, DELETE, PUT and PATCH requests to S3 storage.";
    S3WriteMicroseconds, "Time of POST, DELETE, PUT and PATCH requests to S3 storage.";
    S3WriteRequestsErrors, "Number of non-throttling errors in POST, DELETE, PUT and PATCH requests to S3 storage.";
    S3WriteRequestsThrottling, "Number of 429 and 503 errors in POST, DELETE, PUT and PATCH requests to S3 storage.";
    S3GetObject, "Number of S3 API GetObject calls.";
    S3HeadObject, "Number of S3 API HeadObject calls.";
    S3ListObjects, "Number of S3 API ListObjects calls.";
    S3PutObject, "Number of S3 API PutObject calls.";
    S3DeleteObjects, "Number of S3 API DeleteObject(s) calls.";
    S3CopyObject, "Number of S3 API CopyObject calls.";
    S3CreateMultipartUpload, "Number of S3 API CreateMultipartUpload calls.";
    S3UploadPart, "Number of S3 API UploadPart calls.";
    S3CompleteMultipartUpload, "Number of S3 API CompleteMultipartUpload calls.";
    S3AbortMultipartUpload, "Number of S3 API AbortMultipartUpload calls.";
    AzureGetObject, "Number of Azure API GetObject calls.";
    AzureListObjects, "Number of Azure API ListObjects calls.";
    AzurePutObject, "Number of Azure API PutObject calls.";
    GCSGetObject, "Number of GCS API GetObject calls.";
    GCSListObjects, "Number of GCS API ListObjects calls.";
    GCSPutObject, "Number of GCS API PutObject calls.";
    S3ReadRequestAttempts, "Number of GET, HEAD and LIST requests to object storage, repeated ones included.";
    S3ReadRequestRetryableErrors, "Number of failed reads of object storage that were tried again.";
    S3WriteRequestAttempts, "Number of writes to object storage, repeated ones included.";
    S3WriteRequestRetryableErrors, "Number of failed writes to object storage that were tried again.";
    RemoteReadThrottlerSleepMicroseconds, "Time that reads of object storage waited for s3_max_get_rps, summed over requests.";
    RemoteWriteThrottlerSleepMicroseconds, "Time that writes to object storage waited for s3_max_put_rps, summed over requests.";
    ObjectStorageHedgedRequests, "Reads that took so long that they were sent a second time. (Gristmill's own.)";
    ObjectStorageHedgesWon, "Reads whose second request was answered first. (Gristmill's own.)";
    ObjectStorageCostNanodollars, "Price of the requests and bytes by object_storage_prices, in nanodollars. (Gristmill's own.)";
    ReadBufferFromS3Bytes, "Bytes read from object storage.";
    ReadBufferFromS3Microseconds, "Time spent on reading from object storage, summed over requests in flight.";
    WriteBufferFromS3Bytes, "Bytes written to object storage.";
    WriteBufferFromS3Microseconds, "Time spent on writing to object storage, summed over requests in flight.";
    ReadWriteBufferFromHTTPRequestsSent, "Number of HTTP requests sent to plain HTTP servers.";
    ReadWriteBufferFromHTTPBytes, "Bytes of bodies received from and sent to plain HTTP servers.";
    ReadBufferFromFileDescriptorReadBytes, "Bytes read from local files.";
    WriteBufferFromFileDescriptorWriteBytes, "Bytes written to local files.";
    FileOpen, "Number of files opened.";
    IOWaitMicroseconds, "Time that the streams of a query waited for bytes, summed over streams.";
    EngineFileLikeReadFiles, "Number of files read by the file-like sources.";
    ParquetReadRowGroups, "Number of row groups read from Parquet files.";
    ParquetPrunedRowGroups, "Number of row groups that were not read from Parquet files, by their statistics.";
    ParquetMetadataCacheHits, "Footers of Parquet files found in memory.";
    ParquetMetadataCacheMisses, "Footers of Parquet files that had to be fetched.";
    SchemaInferenceCacheHits, "Number of times a schema was found in the schema cache.";
    SchemaInferenceCacheMisses, "Number of times a schema had to be inferred.";
    ObjectListingCacheHits, "Listings of object storage that were known from a moment ago. (Gristmill's own.)";
    ObjectListingCacheMisses, "Listings of object storage that were read. (Gristmill's own.)";
    SelectedParts, "Number of data parts selected to read from a MergeTree table.";
    SelectedPartsTotal, "Number of total data parts before selecting which ones to read from a MergeTree table.";
    SelectedRanges, "Number of (non-adjacent) ranges in all data parts selected to read from a MergeTree table.";
    SelectedMarks, "Number of marks (index granules) selected to read from a MergeTree table.";
    SelectedMarksTotal, "Number of total marks (index granules) before selecting which ones to read from a MergeTree table.";
    RowsReadByPrewhereReaders, "Number of rows read from MergeTree tables (in total) by prewhere readers.";
    RowsReadByMainReader, "Number of rows read from MergeTree tables by the main reader (after PREWHERE step).";
    UncompressedCacheHits, "Number of columns of granules that were found decoded in memory.";
    UncompressedCacheMisses, "Number of columns of granules that had to be decoded, where they are looked for in memory.";
    QueryConditionCacheHits, "Number of parts of which it was known in which granules no row fulfils a condition, with use_query_condition_cache.";
    QueryConditionCacheMisses, "Number of parts of which nothing of that kind was known, with use_query_condition_cache.";
    FilteringMarksWithSecondaryKeysMicroseconds, "Time spent filtering parts by skip indexes.";
    SkippingIndexCacheHits, "Number of times a chunk of a skip index was found in memory.";
    SkippingIndexCacheMisses, "Number of times a chunk of a skip index had to be read.";
    MergeTreeDataWriterBlocks, "Number of blocks INSERTed to MergeTree tables. Each block forms a data part of level zero.";
    MergeTreeDataWriterBlocksAlreadySorted, "Number of blocks INSERTed to MergeTree tables that were already sorted.";
    MergeTreeDataWriterRows, "Number of rows INSERTed to MergeTree tables.";
    MergeTreeDataWriterUncompressedBytes, "Uncompressed bytes (for columns as they are stored in memory) INSERTed to MergeTree tables.";
    MergeTreeDataWriterCompressedBytes, "Bytes written to filesystem for data INSERTed to MergeTree tables.";
    MergeTreeDataWriterSortingBlocksMicroseconds, "Time spent sorting blocks.";
    MergeTreeDataWriterProjectionsCalculationMicroseconds, "Time spent calculating projections, of merges and mutations too.";
    LoadCommits, "Number of commits of loads that have a load_id. (Gristmill's own.)";
    LoadFilesFailed, "Number of files that loads with a load_id left out because they could not be read. (Gristmill's own.)";
    LoadFilesKnown, "Number of files that loads with a load_id left out because an earlier run had loaded them. (Gristmill's own.)";
    InsertRowsWaitedForLanesMicroseconds, "Time that rows of INSERTs waited for a lane to take them, over all streams. (Gristmill's own.)";
    InsertLanesWaitedForRowsMicroseconds, "Time that lanes of INSERTs waited for rows. (Gristmill's own.)";
    DelayedInserts, "Number of times the INSERT of a block to a MergeTree table was throttled due to a high number of active data parts.";
    DelayedInsertsMilliseconds, "Total time an INSERT was throttled due to a high number of active data parts.";
    RejectedInserts, "Number of times the INSERT of a block to a MergeTree table was rejected with the Too many parts exception.";
    Merge, "Number of launched background merges.";
    MergeSourceParts, "Number of source parts scheduled for merges.";
    MergeWrittenRows, "Number of rows written during the merge.";
    MergeRowsNotCompared, "Rows of merges whose keys were not compared, because others of their part enclosed them. (Gristmill's own.)";
    GatheredColumns, "Number of columns gathered during the vertical stage of merges.";
    MergeHorizontalStageTotalMilliseconds, "Total time spent for horizontal stage of background merges.";
    MergeVerticalStageTotalMilliseconds, "Total time spent for vertical stage of background merges.";
    MergedRows, "Rows read for background merges: the number of rows before merge.";
    MergedUncompressedBytes, "Uncompressed bytes (for columns as they are stored in memory) that was read for background merges.";
    MutatedRows, "Rows read for mutations: the number of rows before mutation.";
    MutatedUncompressedBytes, "Uncompressed bytes (for columns as they are stored in memory) that was read for mutations.";
    MergeTotalMilliseconds, "Total time spent for background merges.";
    OpenTelemetrySpansSent, "Spans that a collector took. (Gristmill's own.)";
    OpenTelemetrySpansDropped, "Spans that were not sent, because the collector was away or refused them. (Gristmill's own.)";
    ExternalSortWritePart, "Number of times a sort wrote a run to disk.";
    ExternalAggregationWritePart, "Number of times an aggregation wrote its groups to disk.";
    ExternalProcessingFilesTotal, "Number of temporary files that operators wrote for want of memory.";
    SystemLogErrorOnFlush, "Number of times entries of a log could not be written into its table.";
    SystemLogDroppedRows, "Entries of logs that were dropped because their queue was full. (Gristmill's own.)";
    QueryProfilerRuns, "Number of times that a stack was sampled.";
    QueryProfilerSignalOverruns, "Samples that were left out because the thread had not answered to the last signal.";
    QueryProfilerConcurrencyOverruns, "Samples that were left out because too many others waited to be walked.";
    QueryProfilerErrors, "Stacks that could not be read, and signals that the system refused.";
    RealTimeMicroseconds, "Time that threads spent on queries, summed over threads.";
    UserTimeMicroseconds, "Time that threads computed for queries in user mode, summed over threads.";
    SystemTimeMicroseconds, "Time that threads computed for queries in the kernel, summed over threads.";
    OSCPUVirtualTimeMicroseconds, "CPU time that threads spent on queries, as the kernel counted it.";
    OSCPUWaitMicroseconds, "Time that threads were ready to work on queries and no processor was free, as the kernel counted it.";
    OSIOWaitMicroseconds, "Time that threads of queries were blocked by a disk: not what came from the page cache.";
    LockWaitMicroseconds, "Time that threads of queries were blocked by a lock that another held. (Gristmill's own.)";
    SoftPageFaults, "Page faults of threads of queries that needed no disk.";
    HardPageFaults, "Page faults of threads of queries that needed a disk.";
    VoluntaryContextSwitches, "Times that a thread of a query gave its processor up, to wait for something. (Gristmill's own.)";
    InvoluntaryContextSwitches, "Times that a thread of a query had to give its processor to another. (Gristmill's own.)";
    OSReadChars, "Bytes that system calls of threads of queries read, from the page cache too.";
    OSWriteChars, "Bytes that system calls of threads of queries wrote, to the page cache too.";
    OSReadBytes, "Bytes that threads of queries had read from disks: not what came from the page cache.";
    OSWriteBytes, "Bytes that threads of queries had written to disks; they may be on their way.";
    WallUserMicroseconds, "Of the time by the clock, what a query computed in user mode. The Wall… events add up to that time. (Gristmill's own.)";
    WallSystemMicroseconds, "Of the time by the clock, what a query computed in the kernel. (Gristmill's own.)";
    WallRunnableMicroseconds, "Of the time by the clock, what a query was ready and no processor was free. (Gristmill's own.)";
    WallDiskMicroseconds, "Of the time by the clock, what a query waited for disks. (Gristmill's own.)";
    WallNetworkMicroseconds, "Of the time by the clock, what a query waited for object storage and other servers. (Gristmill's own.)";
    WallLockMicroseconds, "Of the time by the clock, what a query waited for something that another held. (Gristmill's own.)";
    WallClientMicroseconds, "Of the time by the clock, what a query waited for its client to send or to take rows. (Gristmill's own.)";
    WallUnattributedMicroseconds, "Of the time by the clock, what nothing of the above explains. (Gristmill's own.)";
}

/// One counter an event, in a tree: adding here adds to every ancestor.
#[derive(Debug)]
pub struct Counters {
    values: Box<[AtomicU64]>,
    parent: Option<Arc<Counters>>,
}

static SERVER: LazyLock<Arc<Counters>> = LazyLock::new(|| Arc::new(Counters::with_parent(None)));

impl Counters {
    pub fn with_parent(parent: Option<Arc<Counters>>) -> Self {
        Counters { values: Event::ALL.iter().map(|_| AtomicU64::new(0)).collect(), parent }
    }

    /// The counters of the whole process, which `system.events` shows.
    pub fn server() -> Arc<Counters> {
        SERVER.clone()
    }

    pub fn add(&self, event: Event, value: u64) {
        self.values[event as usize].fetch_add(value, Ordering::Relaxed);
        if let Some(parent) = &self.parent {
            parent.add(event, value);
        }
    }

    /// Adds unless the sum would pass `most`; whether it was added.
    pub fn add_up_to(&self, event: Event, value: u64, most: u64) -> bool {
        let within = |sum: u64| sum.checked_add(value).filter(|sum| *sum <= most);
        let added = self.values[event as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, within).is_ok();
        if let Some(parent) = self.parent.as_ref().filter(|_| added) {
            parent.add(event, value);
        }
        added
    }

    pub fn get(&self, event: Event) -> u64 {
        self.values[event as usize].load(Ordering::Relaxed)
    }

    /// The events that happened, in the order of their declaration.
    pub fn nonzero(&self) -> Vec<(Event, u64)> {
        Event::ALL.iter().map(|&event| (event, self.get(event))).filter(|(_, value)| *value > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_query_counts_the_server_counts_too() {
        let server = Arc::new(Counters::with_parent(None));
        let query = Counters::with_parent(Some(server.clone()));
        query.add(Event::SelectedRows, 5);
        assert_eq!(query.nonzero(), vec![(Event::SelectedRows, 5)]);
        assert_eq!(server.get(Event::SelectedRows), 5);
        assert!(!query.add_up_to(Event::SelectedRows, 3, 7), "8 are too many");
        assert!(query.add_up_to(Event::SelectedRows, 2, 7));
        assert_eq!((query.get(Event::SelectedRows), server.get(Event::SelectedRows)), (7, 7));
    }
}
