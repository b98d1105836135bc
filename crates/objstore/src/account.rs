//! What a request counts as: the events of ClickHouse's names, by provider, method and query.

use std::time::Duration;

use gristmill_introspect::{Counters, Event, Gauge};

use crate::location::Provider;

/// A request by what it does, read off its method and URL as providers bill it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    Get,
    Head,
    List,
    Put,
    Delete,
    Copy,
    BeginUpload,
    UploadPart,
    FinishUpload,
    AbortUpload,
    /// Credentials, bucket metadata, anything else.
    Other,
}

impl Class {
    pub const ALL: [Class; 11] = [
        Class::Get,
        Class::Head,
        Class::List,
        Class::Put,
        Class::Delete,
        Class::Copy,
        Class::BeginUpload,
        Class::UploadPart,
        Class::FinishUpload,
        Class::AbortUpload,
        Class::Other,
    ];

    /// As S3 names the call.
    pub fn name(self) -> &'static str {
        match self {
            Class::Get => "GetObject",
            Class::Head => "HeadObject",
            Class::List => "ListObjects",
            Class::Put => "PutObject",
            Class::Delete => "DeleteObjects",
            Class::Copy => "CopyObject",
            Class::BeginUpload => "CreateMultipartUpload",
            Class::UploadPart => "UploadPart",
            Class::FinishUpload => "CompleteMultipartUpload",
            Class::AbortUpload => "AbortMultipartUpload",
            Class::Other => "Other",
        }
    }

    pub(crate) fn of(provider: Provider, method: &http::Method, query: &str, copies: bool) -> Class {
        let has = |name: &str| query.split('&').any(|pair| pair == name || pair.split('=').next() == Some(name));
        let azure = provider == Provider::Azure;
        match method.as_str() {
            "GET" if azure && has("comp") => Class::List,
            "GET" if provider != Provider::Http && (has("list-type") || has("prefix")) => Class::List,
            "GET" => Class::Get,
            "HEAD" => Class::Head,
            "PUT" if azure && query.contains("comp=blocklist") => Class::FinishUpload,
            "PUT" if azure && query.contains("comp=block") => Class::UploadPart,
            "PUT" if has("partNumber") || has("upload_id") => Class::UploadPart,
            "PUT" if copies => Class::Copy,
            "PUT" => Class::Put,
            "POST" if has("delete") || query.contains("comp=batch") => Class::Delete,
            "POST" if has("uploads") || query.contains("uploadType=resumable") => Class::BeginUpload,
            "POST" if has("uploadId") => Class::FinishUpload,
            "POST" if provider == Provider::Http || query.contains("uploadType=media") => Class::Put,
            "DELETE" if has("uploadId") || has("upload_id") => Class::AbortUpload,
            "DELETE" => Class::Delete,
            _ => Class::Other,
        }
    }

    pub fn reads(self) -> bool {
        matches!(self, Class::Get | Class::Head | Class::List)
    }

    fn events(self, provider: Provider) -> &'static [Event] {
        use Event::*;
        match (provider, self) {
            (Provider::File, _) => &[],
            (Provider::Http, _) => &[ReadWriteBufferFromHTTPRequestsSent],
            (Provider::Azure, Class::Get) => &[AzureGetObject],
            (Provider::Azure, Class::List) => &[AzureListObjects],
            (Provider::Azure, Class::Head) => &[AzureGetProperties],
            (Provider::Azure, Class::Put) => &[AzurePutObject, AzureUpload],
            (Provider::Azure, Class::UploadPart) => &[AzurePutObject, AzureStageBlock],
            (Provider::Azure, Class::FinishUpload) => &[AzurePutObject, AzureCommitBlockList],
            (Provider::Azure, Class::Delete) => &[AzureDeleteObjects],
            (Provider::Azure, Class::Copy) => &[AzureCopyObject],
            (Provider::Azure, _) => &[],
            (Provider::Gcs, Class::Get) => &[GCSGetObject, S3GetObject],
            (Provider::Gcs, Class::List) => &[GCSListObjects, S3ListObjects],
            (Provider::Gcs, Class::Put) => &[GCSPutObject, S3PutObject],
            (_, Class::Get) => &[S3GetObject],
            (_, Class::Head) => &[S3HeadObject],
            (_, Class::List) => &[S3ListObjects],
            (_, Class::Put) => &[S3PutObject],
            (_, Class::Delete) => &[S3DeleteObjects],
            (_, Class::Copy) => &[S3CopyObject],
            (_, Class::BeginUpload) => &[S3CreateMultipartUpload],
            (_, Class::UploadPart) => &[S3UploadPart],
            (_, Class::FinishUpload) => &[S3CompleteMultipartUpload],
            (_, Class::AbortUpload) => &[S3AbortMultipartUpload],
            (_, Class::Other) => &[],
        }
    }
}

/// How a request ended, as far as it is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    Answered,
    Failed,
    Throttled,
}

/// What is counted of the requests of a family: those that read, or those that write.
struct Totals {
    requests: Event,
    micros: Event,
    errors: Event,
    throttling: Event,
}

/// The totals that a request belongs to. Those of the S3 family stand for every bucket store, so that one number tells a query's
/// requests; Azure's have a family of their own beside it, as in ClickHouse.
fn totals(provider: Provider, class: Class) -> &'static [Totals] {
    use Event::*;
    const S3_READS: Totals = Totals {
        requests: S3ReadRequestsCount,
        micros: S3ReadMicroseconds,
        errors: S3ReadRequestsErrors,
        throttling: S3ReadRequestsThrottling,
    };
    const S3_WRITES: Totals = Totals {
        requests: S3WriteRequestsCount,
        micros: S3WriteMicroseconds,
        errors: S3WriteRequestsErrors,
        throttling: S3WriteRequestsThrottling,
    };
    const AZURE_READS: Totals = Totals {
        requests: AzureReadRequestsCount,
        micros: AzureReadMicroseconds,
        errors: AzureReadRequestsErrors,
        throttling: AzureReadRequestsThrottling,
    };
    const AZURE_WRITES: Totals = Totals {
        requests: AzureWriteRequestsCount,
        micros: AzureWriteMicroseconds,
        errors: AzureWriteRequestsErrors,
        throttling: AzureWriteRequestsThrottling,
    };
    match (provider, class.reads()) {
        (Provider::S3 | Provider::Gcs, true) => &[S3_READS],
        (Provider::S3 | Provider::Gcs, false) => &[S3_WRITES],
        (Provider::Azure, true) => &[S3_READS, AZURE_READS],
        (Provider::Azure, false) => &[S3_WRITES, AZURE_WRITES],
        (Provider::File | Provider::Http, _) => &[],
    }
}

/// The gauge of requests that are under way.
pub(crate) fn in_flight(provider: Provider) -> Option<Gauge> {
    match provider {
        Provider::S3 | Provider::Gcs => Some(Gauge::S3Requests),
        Provider::Azure => Some(Gauge::AzureRequests),
        Provider::Http => Some(Gauge::HTTPRequests),
        Provider::File => None,
    }
}

/// One request as it is sent.
pub(crate) fn sent(counters: &Counters, provider: Provider, class: Class) {
    for event in class.events(provider) {
        counters.add(*event, 1);
    }
    for totals in totals(provider, class) {
        counters.add(totals.requests, 1);
    }
    if matches!(provider, Provider::S3 | Provider::Gcs | Provider::Azure) {
        let (reads, writes) = (Event::S3ReadRequestAttempts, Event::S3WriteRequestAttempts);
        counters.add(if class.reads() { reads } else { writes }, 1);
    }
}

/// A request that a rate limit of the user's had wait for so long, perhaps not at all.
pub(crate) fn throttled(counters: &Counters, provider: Provider, class: Class, wait: Duration) {
    use Event::*;
    let [passed, blocked, slept] = match (provider, class.reads()) {
        (Provider::Azure, true) => {
            [AzureGetRequestThrottlerCount, AzureGetRequestThrottlerBlocked, AzureGetRequestThrottlerSleepMicroseconds]
        }
        (Provider::Azure, false) => {
            [AzurePutRequestThrottlerCount, AzurePutRequestThrottlerBlocked, AzurePutRequestThrottlerSleepMicroseconds]
        }
        (_, true) => [S3GetRequestThrottlerCount, S3GetRequestThrottlerBlocked, S3GetRequestThrottlerSleepMicroseconds],
        (_, false) => [S3PutRequestThrottlerCount, S3PutRequestThrottlerBlocked, S3PutRequestThrottlerSleepMicroseconds],
    };
    counters.add(passed, 1);
    if !wait.is_zero() {
        counters.add(blocked, 1);
        counters.add(slept, wait.as_micros() as u64);
    }
}

/// A request that a store sent on to another place.
pub(crate) fn redirected(counters: &Counters, class: Class) {
    let (reads, writes) = (Event::S3ReadRequestsRedirects, Event::S3WriteRequestsRedirects);
    counters.add(if class.reads() { reads } else { writes }, 1);
}

/// A failed request that is sent again.
pub(crate) fn retried(counters: &Counters, provider: Provider, class: Class) {
    if matches!(provider, Provider::S3 | Provider::Gcs | Provider::Azure) {
        let (reads, writes) = (Event::S3ReadRequestRetryableErrors, Event::S3WriteRequestRetryableErrors);
        counters.add(if class.reads() { reads } else { writes }, 1);
    }
}

/// The same request when its answer begins, or when it failed.
pub(crate) fn answered(counters: &Counters, provider: Provider, class: Class, micros: u64, ending: Ending) {
    for totals in totals(provider, class) {
        counters.add(totals.micros, micros);
        match ending {
            Ending::Answered => {}
            Ending::Failed => counters.add(totals.errors, 1),
            Ending::Throttled => counters.add(totals.throttling, 1),
        }
    }
    match (class, ending) {
        (Class::Get, Ending::Answered) => of_reads(counters, provider, |of| of.begun_micros, micros),
        (Class::Get, _) => read_broke(counters, provider),
        (Class::Put | Class::UploadPart | Class::FinishUpload, Ending::Failed | Ending::Throttled)
            if matches!(provider, Provider::S3 | Provider::Gcs | Provider::Azure) =>
        {
            counters.add(Event::WriteBufferFromS3RequestsErrors, 1);
        }
        _ => {}
    }
}

/// What is counted of reads of objects, bytes and time.
struct Reads {
    bytes: Event,
    micros: Event,
    /// Until the first byte.
    begun_micros: Event,
    errors: Event,
}

/// As with the totals: the S3 family stands for every bucket store.
fn of_reads(counters: &Counters, provider: Provider, event: fn(&Reads) -> Event, value: u64) {
    use Event::*;
    const S3: Reads = Reads {
        bytes: ReadBufferFromS3Bytes,
        micros: ReadBufferFromS3Microseconds,
        begun_micros: ReadBufferFromS3InitMicroseconds,
        errors: ReadBufferFromS3RequestsErrors,
    };
    const AZURE: Reads = Reads {
        bytes: ReadBufferFromAzureBytes,
        micros: ReadBufferFromAzureMicroseconds,
        begun_micros: ReadBufferFromAzureInitMicroseconds,
        errors: ReadBufferFromAzureRequestsErrors,
    };
    if matches!(provider, Provider::S3 | Provider::Gcs | Provider::Azure) {
        counters.add(event(&S3), value);
    }
    if provider == Provider::Azure {
        counters.add(event(&AZURE), value);
    }
}

/// A read of an object failed, or its body broke.
pub(crate) fn read_broke(counters: &Counters, provider: Provider) {
    of_reads(counters, provider, |of| of.errors, 1);
}

/// A read of an object is over, well or not: it took so long since it was sent.
pub(crate) fn read_ended(counters: &Counters, provider: Provider, micros: u64) {
    of_reads(counters, provider, |of| of.micros, micros);
}

/// Bytes of an object that arrived.
pub(crate) fn received(counters: &Counters, provider: Provider, bytes: u64) {
    match provider {
        Provider::File => counters.add(Event::ReadBufferFromFileDescriptorReadBytes, bytes),
        Provider::Http => counters.add(Event::ReadWriteBufferFromHTTPBytes, bytes),
        _ => of_reads(counters, provider, |of| of.bytes, bytes),
    }
}

/// Bytes of an object that were sent.
pub(crate) fn written(counters: &Counters, provider: Provider, bytes: u64, micros: u64) {
    match provider {
        Provider::File => counters.add(Event::WriteBufferFromFileDescriptorWriteBytes, bytes),
        Provider::Http => counters.add(Event::ReadWriteBufferFromHTTPBytes, bytes),
        _ => {
            counters.add(Event::WriteBufferFromS3Bytes, bytes);
            counters.add(Event::WriteBufferFromS3Microseconds, micros);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_told_apart_as_they_are_billed() {
        let class = |method: &str, query: &str| {
            Class::of(Provider::S3, &http::Method::from_bytes(method.as_bytes()).expect("method"), query, false)
        };
        assert_eq!(class("GET", ""), Class::Get);
        assert_eq!(class("GET", "versionId=3"), Class::Get);
        assert_eq!(class("GET", "list-type=2&prefix=a%2F"), Class::List);
        assert_eq!(class("PUT", "partNumber=1&uploadId=x"), Class::UploadPart);
        assert_eq!(class("POST", "uploads="), Class::BeginUpload);
        assert_eq!(class("POST", "uploadId=x"), Class::FinishUpload);
        assert_eq!(class("DELETE", "uploadId=x"), Class::AbortUpload);
        assert_eq!(class("POST", "delete"), Class::Delete);
        let azure = |method: &http::Method, query: &str| Class::of(Provider::Azure, method, query, false);
        assert_eq!(azure(&http::Method::GET, "restype=container&comp=list"), Class::List);
        assert_eq!(azure(&http::Method::PUT, "comp=block&blockid=x"), Class::UploadPart);
        assert_eq!(azure(&http::Method::PUT, "comp=blocklist"), Class::FinishUpload);
    }
}
