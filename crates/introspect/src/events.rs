//! Events: counters that only grow, under ClickHouse's names. One declaration gives the enum, `system.events` and the
//! documentation. Each query has its own `Counters`, whose parent is the server's.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};

use crate::profiler::events::Traced;

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
    InitialQuery, "Same as Query, but only for queries that a client sent: all, as no server sends others on.";
    InitialSelectQuery, "Same as InitialQuery, but only for SELECT queries.";
    AsyncInsertQuery, "Same as InsertQuery, but only for asynchronous INSERT queries.";
    AsyncInsertBytes, "Data size in bytes of asynchronous INSERT queries.";
    AsyncInsertRows, "Number of rows inserted by asynchronous INSERT queries.";
    FailedQuery, "Number of failed queries.";
    FailedSelectQuery, "Same as FailedQuery, but only for SELECT queries.";
    FailedInsertQuery, "Same as FailedQuery, but only for INSERT queries.";
    FailedAsyncInsertQuery, "Number of failed asynchronous INSERT queries: of those that were waited for, and of those that were not.";
    FailedInitialQuery, "Same as FailedQuery, but only for queries that a client sent.";
    FailedInitialSelectQuery, "Same as FailedInitialQuery, but only for SELECT queries.";
    QueryMemoryLimitExceeded, "Number of queries that ended because memory ran out for them.";
    QueryMaskingRulesMatch, "Number of times that a rule of query_masking_rules matched what was to be logged.";
    QueryTimeMicroseconds, "Total time of all queries.";
    SelectQueryTimeMicroseconds, "Total time of SELECT queries.";
    InsertQueryTimeMicroseconds, "Total time of INSERT queries.";
    OtherQueryTimeMicroseconds, "Total time of queries that are not SELECT or INSERT.";
    QueryParseMicroseconds, "Time that it took to read the text of queries.";
    TableFunctionExecute, "Number of table function calls.";
    SetsBuiltFromSubquery, "Number of sets that were built from the results of subqueries in IN.";
    SelectedRows, "Number of rows SELECTed from all tables.";
    SelectedBytes, "Number of bytes (uncompressed) SELECTed from all tables.";
    InsertedRows, "Number of rows INSERTed to all tables.";
    InsertedBytes, "Number of bytes (uncompressed) INSERTed to all tables.";
    InsertedWideParts, "Number of parts that INSERTs wrote: each column of theirs can be read by itself.";
    DuplicatedInsertedBlocks, "Number of parts of INSERTs that were left out, as the same rows had been inserted before.";
    InputFieldsLeftOut, "Number of values of input data that were left out, as no column takes them: keys of JSON, named columns.";
    InputRowsLeftOut, "Number of rows of input data that were left out because of mistakes, as input_format_allow_errors_num and _ratio allow.";
    S3ReadRequestsCount, "Number of GET, HEAD and LIST requests to S3 storage.";
    S3ReadMicroseconds, "Time of GET, HEAD and LIST requests to S3 storage.";
    S3ReadRequestsErrors, "Number of non-throttling errors in GET, HEAD and LIST requests to S3 storage.";
    S3ReadRequestsThrottling, "Number of 429 and 503 errors in GET, HEAD and LIST requests to S3 storage.";
    S3ReadRequestsRedirects, "Number of times that a store sent GET, HEAD and LIST requests on to another place.";
    S3WriteRequestsCount, "Number of POST, DELETE, PUT and PATCH requests to S3 storage.";
    S3WriteMicroseconds, "Time of POST, DELETE, PUT and PATCH requests to S3 storage.";
    S3WriteRequestsErrors, "Number of non-throttling errors in POST, DELETE, PUT and PATCH requests to S3 storage.";
    S3WriteRequestsThrottling, "Number of 429 and 503 errors in POST, DELETE, PUT and PATCH requests to S3 storage.";
    S3WriteRequestsRedirects, "Number of times that a store sent POST, DELETE, PUT and PATCH requests on to another place.";
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
    AzureGetProperties, "Number of Azure API GetProperties calls.";
    AzureUpload, "Number of Azure API Upload calls: blobs that were written at once.";
    AzureStageBlock, "Number of Azure API StageBlock calls.";
    AzureCommitBlockList, "Number of Azure API CommitBlockList calls.";
    AzureDeleteObjects, "Number of Azure API calls that delete blobs.";
    AzureCopyObject, "Number of Azure API CopyObject calls.";
    AzureReadRequestsCount, "Number of Azure read requests.";
    AzureReadMicroseconds, "Total time of Azure read requests, until the answer begins.";
    AzureReadRequestsErrors, "Number of non-throttling errors in Azure read requests.";
    AzureReadRequestsThrottling, "Number of 429 and 503 errors in Azure read requests.";
    AzureWriteRequestsCount, "Number of Azure write requests.";
    AzureWriteMicroseconds, "Total time of Azure write requests.";
    AzureWriteRequestsErrors, "Number of non-throttling errors in Azure write requests.";
    AzureWriteRequestsThrottling, "Number of 429 and 503 errors in Azure write requests.";
    GCSGetObject, "Number of GCS API GetObject calls.";
    GCSListObjects, "Number of GCS API ListObjects calls.";
    GCSPutObject, "Number of GCS API PutObject calls.";
    S3ReadRequestAttempts, "Number of GET, HEAD and LIST requests to object storage, repeated ones included.";
    S3ReadRequestRetryableErrors, "Number of failed reads of object storage that were tried again.";
    S3WriteRequestAttempts, "Number of writes to object storage, repeated ones included.";
    S3WriteRequestRetryableErrors, "Number of failed writes to object storage that were tried again.";
    S3GetRequestThrottlerCount, "Number of reads of S3 and GCS that s3_max_get_rps was asked about.";
    S3GetRequestThrottlerBlocked, "Number of those that had to wait.";
    S3GetRequestThrottlerSleepMicroseconds, "Time that they waited, summed over requests.";
    S3PutRequestThrottlerCount, "Number of writes to S3 and GCS that s3_max_put_rps was asked about.";
    S3PutRequestThrottlerBlocked, "Number of those that had to wait.";
    S3PutRequestThrottlerSleepMicroseconds, "Time that they waited, summed over requests.";
    AzureGetRequestThrottlerCount, "Number of reads of Azure that azure_max_get_rps was asked about.";
    AzureGetRequestThrottlerBlocked, "Number of those that had to wait.";
    AzureGetRequestThrottlerSleepMicroseconds, "Time that they waited, summed over requests.";
    AzurePutRequestThrottlerCount, "Number of writes to Azure that azure_max_put_rps was asked about.";
    AzurePutRequestThrottlerBlocked, "Number of those that had to wait.";
    AzurePutRequestThrottlerSleepMicroseconds, "Time that they waited, summed over requests.";
    DNSError, "Number of requests that failed as the name of their host could not be resolved.";
    ObjectStorageListedObjects, "Number of objects that listings of object storage gave, before the pattern was held against them.";
    ObjectStorageGlobFilteredObjects, "Number of listed objects that the pattern did not match.";
    ObjectStoragePredicateFilteredObjects, "Number of objects that were not read because conditions on virtual columns left them out.";
    ObjectStorageReadObjects, "Number of objects of object storage that were read.";
    ObjectStorageHedgedRequests, "Reads that took so long that they were sent a second time. (Gristmill's own.)";
    ObjectStorageHedgesWon, "Reads whose second request was answered first. (Gristmill's own.)";
    ObjectStorageCostNanodollars, "Price of the requests and bytes by object_storage_prices, in nanodollars. (Gristmill's own.)";
    ReadBufferFromS3Bytes, "Bytes read from object storage.";
    ReadBufferFromS3Microseconds, "Time spent on reading from object storage, summed over requests in flight.";
    ReadBufferFromS3InitMicroseconds, "Time until the first byte of reads of object storage came, summed over requests.";
    ReadBufferFromS3RequestsErrors, "Number of reads of object storage that failed, or whose answer broke.";
    ReadBufferFromAzureBytes, "Bytes read from Azure.";
    ReadBufferFromAzureMicroseconds, "Time spent on reading from Azure, summed over requests in flight.";
    ReadBufferFromAzureInitMicroseconds, "Time until the first byte of reads of Azure came, summed over requests.";
    ReadBufferFromAzureRequestsErrors, "Number of reads of Azure that failed, or whose answer broke.";
    WriteBufferFromS3Bytes, "Bytes written to object storage.";
    WriteBufferFromS3Microseconds, "Time spent on writing to object storage, summed over requests in flight.";
    WriteBufferFromS3RequestsErrors, "Number of writes to object storage that failed.";
    WriteBufferFromS3WaitInflightLimitMicroseconds, "Time that uploads waited because s3_max_inflight_parts_for_one_file parts were under way.";
    ReadWriteBufferFromHTTPRequestsSent, "Number of HTTP requests sent to plain HTTP servers.";
    ReadWriteBufferFromHTTPBytes, "Bytes of bodies received from and sent to plain HTTP servers.";
    ReadBufferFromFileDescriptorReadBytes, "Bytes read from local files.";
    ReadBufferFromFileDescriptorRead, "Number of reads of local files that may wait for a disk.";
    ReadBufferFromFileDescriptorReadFailed, "Number of reads of local files that failed.";
    WriteBufferFromFileDescriptorWriteBytes, "Bytes written to local files.";
    WriteBufferFromFileDescriptorWrite, "Number of writes to local files.";
    WriteBufferFromFileDescriptorWriteFailed, "Number of writes to local files that failed.";
    DiskReadElapsedMicroseconds, "Time that reads of local files took, of the page cache too, where they may wait for a disk.";
    DiskWriteElapsedMicroseconds, "Time that writes to local files took, to the page cache too.";
    FileSync, "Number of times that a file was made to outlast a loss of power.";
    FileSyncElapsedMicroseconds, "Time that this took.";
    DirectorySync, "Number of times that the names in a folder were made to outlast a loss of power.";
    DirectorySyncElapsedMicroseconds, "Time that this took.";
    ThreadPoolReaderPageCacheHit, "Number of reads of local files that the page cache could serve: no thread had to wait for them.";
    ThreadPoolReaderPageCacheHitBytes, "Bytes of these.";
    ThreadPoolReaderPageCacheMiss, "Number of reads of local files that were given to a thread that may wait for the disk.";
    ThreadPoolReaderPageCacheMissBytes, "Bytes of these.";
    FileOpen, "Number of files opened.";
    IOWaitMicroseconds, "Time that the streams of a query waited for bytes, summed over streams.";
    EngineFileLikeReadFiles, "Number of files read by the file-like sources.";
    ParquetReadRowGroups, "Number of row groups read from Parquet files.";
    ParquetPrunedRowGroups, "Number of row groups that were not read from Parquet files, by their statistics.";
    ParquetFetchWaitTimeMicroseconds, "Time that streams waited for bytes of Parquet files, summed over streams.";
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
    FilteringMarksWithPrimaryKeyMicroseconds, "Time spent on choosing granules of parts by the primary key and the bounds of columns.";
    FilteringMarksWithPrimaryKeyProcessedMarks, "Number of granules that the primary key was asked about.";
    MarkCacheHits, "Number of times that the header, sparse index and footer of a part were found in memory.";
    MarkCacheMisses, "Number of times that they had to be read.";
    LoadedPrimaryIndexFiles, "Number of parts whose sparse index was read.";
    LoadedPrimaryIndexRows, "Number of granules of these sparse indexes.";
    LoadedPrimaryIndexBytes, "Bytes of memory that these parts' headers, indexes and footers take.";
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
    MergeTreeDataWriterMergingBlocksMicroseconds, "Time spent merging the rows of blocks by the rules of their engine, as with optimize_on_insert.";
    MergeTreeDataWriterSkipIndicesCalculationMicroseconds, "Time spent calculating skip indexes, of merges and mutations too.";
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
    MergedIntoWideParts, "Number of parts that merges made: each column of theirs can be read by itself.";
    MergedColumns, "Number of columns that merges brought together row by row: those that decide the order, or all.";
    MergeRowsNotCompared, "Rows of merges whose keys were not compared, because others of their part enclosed them. (Gristmill's own.)";
    GatheredColumns, "Number of columns gathered during the vertical stage of merges.";
    MergeHorizontalStageTotalMilliseconds, "Total time spent for horizontal stage of background merges.";
    MergeHorizontalStageExecuteMilliseconds, "Time that threads were busy with the horizontal stage of background merges, summed over threads.";
    MergeVerticalStageTotalMilliseconds, "Total time spent for vertical stage of background merges.";
    MergeVerticalStageExecuteMilliseconds, "Time that threads were busy with the vertical stage of background merges, summed over threads.";
    MergeProjectionStageTotalMilliseconds, "Total time spent for projection stage of background merges.";
    MergeProjectionStageExecuteMilliseconds, "Time that threads were busy with the projection stage of background merges, summed over threads.";
    MergedRows, "Rows read for background merges: the number of rows before merge.";
    MergedUncompressedBytes, "Uncompressed bytes (for columns as they are stored in memory) that was read for background merges.";
    MutatedRows, "Rows read for mutations: the number of rows before mutation.";
    MutatedUncompressedBytes, "Uncompressed bytes (for columns as they are stored in memory) that was read for mutations.";
    DeleteReadRows, "Rows of which DELETE FROM computed the condition, to note in place of writing parts anew which are deleted. (Gristmill's own.)";
    DeleteReadUncompressedBytes, "Bytes of the columns that it is computed of, as they are in memory. (Gristmill's own.)";
    DeleteNotedRows, "Rows that DELETE FROM noted as deleted. (Gristmill's own.)";
    MutationTotalParts, "Number of parts that were led through mutations.";
    MutationUntouchedParts, "Number of these in which no row was to be changed: nothing was written.";
    MutationTotalMilliseconds, "Total time spent for mutations of parts.";
    MergeTotalMilliseconds, "Total time spent for background merges.";
    MergeExecuteMilliseconds, "Time that threads were busy with background merges, summed over threads.";
    MergerMutatorSelectPartsForMergeElapsedMicroseconds, "Time that it took to choose parts for merges.";
    MergerMutatorSelectRangePartsCount, "Number of parts that were chosen for merges.";
    MergerMutatorRangesForMergeCount, "Number of runs of parts that merges were chosen from.";
    MergerMutatorPartsInRangesForMergeCount, "Number of parts in these runs.";
    OpenTelemetrySpansSent, "Spans that a collector took. (Gristmill's own.)";
    OpenTelemetrySpansDropped, "Spans that were not sent, because the collector was away or refused them. (Gristmill's own.)";
    NetworkReceiveElapsedMicroseconds, "Time that queries waited for clients to send the rows of an INSERT, or the body of a request.";
    NetworkSendElapsedMicroseconds, "Time that it took to write to the sockets of clients, waiting for those that read slowly included.";
    NetworkReceiveBytes, "Bytes that came from clients.";
    NetworkSendBytes, "Bytes that were sent to clients.";
    InterfaceHTTPReceiveBytes, "Bytes that came from clients over HTTP.";
    InterfaceHTTPSendBytes, "Bytes that were sent to clients over HTTP.";
    InterfaceNativeReceiveBytes, "Bytes that came from clients with the native protocol.";
    InterfaceNativeSendBytes, "Bytes that were sent to clients with the native protocol.";
    HTTPServerConnectionsCreated, "Number of connections to the HTTP server that were taken.";
    HTTPServerConnectionsClosed, "Number of connections to the HTTP server that ended.";
    ServerStartupMilliseconds, "Time from the start of the process until the server took connections.";
    ExternalSortWritePart, "Number of times a sort wrote a run to disk.";
    ExternalSortCompressedBytes, "Bytes that sorts wrote to temporary files.";
    ExternalAggregationWritePart, "Number of times an aggregation wrote its groups to disk.";
    ExternalAggregationCompressedBytes, "Bytes that aggregations wrote to temporary files.";
    ExternalJoinWritePart, "Number of times a join wrote rows to disk.";
    ExternalJoinCompressedBytes, "Bytes that joins wrote to temporary files.";
    ExternalProcessingFilesTotal, "Number of temporary files that operators wrote for want of memory.";
    ExternalProcessingCompressedBytesTotal, "Bytes that operators wrote to temporary files for want of memory.";
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
    SleepFunctionElapsedMicroseconds, "Time that threads of queries slept in the functions sleep and sleepEachRow.";
    NetworkWaitMicroseconds, "Time that queries waited for object storage and other servers while no thread worked for them; told of the thread that had left last. (Gristmill's own.)";
    ClientWaitMicroseconds, "The same of waiting for the client to send or to take rows. (Gristmill's own.)";
    SoftPageFaults, "Page faults of threads of queries that needed no disk.";
    HardPageFaults, "Page faults of threads of queries that needed a disk.";
    VoluntaryContextSwitches, "Times that a thread of a query gave its processor up, to wait for something. (Gristmill's own.)";
    InvoluntaryContextSwitches, "Times that a thread of a query had to give its processor to another. (Gristmill's own.)";
    OSReadChars, "Bytes that system calls of threads of queries read, from the page cache too.";
    OSWriteChars, "Bytes that system calls of threads of queries wrote, to the page cache too.";
    OSReadBytes, "Bytes that threads of queries had read from disks: not what came from the page cache.";
    OSWriteBytes, "Bytes that threads of queries had written to disks; they may be on their way.";
    UnattributedTimeMicroseconds, "Of RealTimeMicroseconds, what threads neither computed nor waited for anything that another event names. (Gristmill's own.)";
    PerfCPUCycles, "Total cycles of the processor. With metrics_perf_events_enabled, as the other Perf… events.";
    PerfInstructions, "Instructions that the processor carried out.";
    PerfCacheReferences, "Accesses of a cache, mostly of the last one.";
    PerfCacheMisses, "Accesses of that cache that did not find what they looked for.";
    PerfBranchInstructions, "Branches that the processor carried out.";
    PerfBranchMisses, "Branches that the processor had predicted wrongly.";
    PerfBusCycles, "Cycles of the bus, which may differ from those of the processor.";
    PerfStalledCyclesFrontend, "Cycles in which no instruction could be issued.";
    PerfStalledCyclesBackend, "Cycles in which no instruction could be ended.";
    PerfRefCPUCycles, "Cycles as if the processor's frequency never changed.";
    PerfCPUClock, "Nanoseconds by the clock of the processors.";
    PerfTaskClock, "Nanoseconds by the clock of the threads.";
    PerfContextSwitches, "Times that a processor turned to another thread.";
    PerfCPUMigrations, "Times that a thread went to another processor.";
    PerfAlignmentFaults, "Accesses of memory at odd places that the kernel had to help with; never on x86.";
    PerfEmulationFaults, "Instructions that the kernel carried out in the processor's place.";
    PerfMinEnabledTime, "Nanoseconds that all Perf… counters were wanted for.";
    PerfMinEnabledRunningTime, "Nanoseconds of these in which the counter that was wanted for the least time counted: where it is less, counters took turns.";
    PerfDataTLBReferences, "Look-ups of the addresses of data.";
    PerfDataTLBMisses, "Look-ups of the addresses of data that the processor's table did not have.";
    PerfInstructionTLBReferences, "Look-ups of the addresses of instructions.";
    PerfInstructionTLBMisses, "Look-ups of the addresses of instructions that the processor's table did not have.";
    PerfLocalMemoryReferences, "Reads of the memory beside the processor.";
    PerfLocalMemoryMisses, "Reads that the memory beside the processor could not serve.";
    WallUserMicroseconds, "Of the time by the clock, what a query computed in user mode. The Wall… events add up to that time. (Gristmill's own.)";
    WallSystemMicroseconds, "Of the time by the clock, what a query computed in the kernel. (Gristmill's own.)";
    WallRunnableMicroseconds, "Of the time by the clock, what a query was ready and no processor or no thread was free. (Gristmill's own.)";
    WallDiskMicroseconds, "Of the time by the clock, what a query waited for disks. (Gristmill's own.)";
    WallNetworkMicroseconds, "Of the time by the clock, what a query waited for object storage and other servers. (Gristmill's own.)";
    WallLockMicroseconds, "Of the time by the clock, what a query waited for something that another held. (Gristmill's own.)";
    WallClientMicroseconds, "Of the time by the clock, what a query waited for its client to send or to take rows. (Gristmill's own.)";
    WallSleepMicroseconds, "Of the time by the clock, what a query slept: in the functions sleep and sleepEachRow, or since max_execution_speed held it back. (Gristmill's own.)";
    WallUnattributedMicroseconds, "Of the time by the clock, what nothing of the above explains. (Gristmill's own.)";
}

/// One counter an event, in a tree: adding here adds to every ancestor.
#[derive(Debug)]
pub struct Counters {
    values: Box<[AtomicU64]>,
    parent: Option<Arc<Counters>>,
    /// Where somebody wants to know who counts.
    traced: OnceLock<Traced>,
}

static SERVER: LazyLock<Arc<Counters>> = LazyLock::new(|| Arc::new(Counters::with_parent(None)));

impl Counters {
    pub fn with_parent(parent: Option<Arc<Counters>>) -> Self {
        Counters { values: Event::ALL.iter().map(|_| AtomicU64::new(0)).collect(), parent, traced: OnceLock::new() }
    }

    /// Stacks are taken of those that count these events from here on.
    pub(crate) fn trace(&self, traced: Traced) {
        // An error says that they were before.
        let _ = self.traced.set(traced);
    }

    fn note(&self, event: Event, value: u64) {
        if let Some(traced) = self.traced.get() {
            traced.note(event, value);
        }
    }

    /// The counters of the whole process, which `system.events` shows.
    pub fn server() -> Arc<Counters> {
        SERVER.clone()
    }

    pub fn add(&self, event: Event, value: u64) {
        self.values[event as usize].fetch_add(value, Ordering::Relaxed);
        self.note(event, value);
        if let Some(parent) = &self.parent {
            parent.add(event, value);
        }
    }

    /// Adds here alone: whoever counts for the server as a whole does that elsewhere.
    pub fn add_here(&self, event: Event, value: u64) {
        self.values[event as usize].fetch_add(value, Ordering::Relaxed);
        self.note(event, value);
    }

    /// Adds unless the sum would pass `most`; whether it was added.
    pub fn add_up_to(&self, event: Event, value: u64, most: u64) -> bool {
        let within = |sum: u64| sum.checked_add(value).filter(|sum| *sum <= most);
        let added = self.values[event as usize].fetch_update(Ordering::Relaxed, Ordering::Relaxed, within).is_ok();
        if added {
            self.note(event, value);
            if let Some(parent) = &self.parent {
                parent.add(event, value);
            }
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
