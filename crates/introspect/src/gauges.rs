//! Gauges: how many of something there are at this moment, under ClickHouse's names: counted where it begins and where it
//! ends, by a guard. One declaration gives the enum and what `system.metrics` and `/metrics` say. (What can be looked up when
//! somebody asks has no gauge: `system.metrics` computes it.)

use std::sync::atomic::{AtomicI64, Ordering};

macro_rules! gauges {
    ($($name:ident, $doc:literal;)*) => {
        /// What there is a number of.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Gauge { $(#[doc = $doc] $name),* }

        impl Gauge {
            pub const ALL: &[Gauge] = &[$(Gauge::$name),*];

            pub fn name(self) -> &'static str {
                match self { $(Gauge::$name => stringify!($name)),* }
            }

            pub fn description(self) -> &'static str {
                match self { $(Gauge::$name => $doc),* }
            }
        }
    };
}

gauges! {
    TCPConnection, "Number of connections of clients with the native protocol.";
    HTTPConnection, "Number of connections to the HTTP server.";
    DelayedInserts, "Number of INSERTs that are throttled at this moment because a partition of their table has many parts.";
    S3Requests, "Number of requests to S3 and GCS that are in flight.";
    AzureRequests, "Number of requests to Azure Blob Storage that are in flight.";
    HTTPRequests, "Number of requests to plain HTTP servers that are in flight. (Gristmill's own.)";
    RemoteRead, "Number of reads of objects in flight: those of the requests whose answers bring their bytes.";
    ObjectStorageWaiting, "Number of requests that wait for a place among those in flight, or for a rate limit. (Gristmill's own.)";
    Read, "Number of reads of local files under way.";
    Write, "Number of writes of local files under way.";
    OpenFileForRead, "Number of local files that are open to be read.";
    TemporaryFilesForSort, "Number of temporary files of sorts that ran out of memory.";
    TemporaryFilesForAggregation, "Number of temporary files of aggregations that ran out of memory.";
    TemporaryFilesForJoin, "Number of temporary files of joins that ran out of memory.";
    TemporaryFilesUnknown, "Number of temporary files of other operators that ran out of memory.";
    TotalTemporaryFiles, "Number of temporary files of operators that ran out of memory.";
    PartsTemporary, "Number of parts that INSERTs, merges and mutations write now: no version of their table names them yet.";
    FilteringMarksWithSecondaryKeys, "Number of parts that are filtered by a skip index at this moment.";
}

static VALUES: [AtomicI64; Gauge::ALL.len()] = [const { AtomicI64::new(0) }; Gauge::ALL.len()];

impl Gauge {
    /// Counts one more, until what this gives is dropped.
    pub fn hold(self) -> Held {
        VALUES[self as usize].fetch_add(1, Ordering::Relaxed);
        Held(self)
    }

    pub fn get(self) -> i64 {
        VALUES[self as usize].load(Ordering::Relaxed)
    }
}

/// One of a number of things.
#[derive(Debug)]
#[must_use = "it counts until it is dropped"]
pub struct Held(Gauge);

impl Drop for Held {
    fn drop(&mut self) {
        VALUES[self.0 as usize].fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_counts_until_it_is_dropped() {
        let held = [Gauge::HTTPRequests.hold(), Gauge::HTTPRequests.hold()];
        assert_eq!(Gauge::HTTPRequests.get(), 2);
        drop(held);
        assert_eq!(Gauge::HTTPRequests.get(), 0);
    }

    #[test]
    fn each_has_a_name_of_its_own() {
        let mut names: Vec<_> = Gauge::ALL.iter().map(|gauge| gauge.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Gauge::ALL.len());
    }
}
