//! What a request counts as: the events of ClickHouse's names, by provider, method and query.

use gristmill_introspect::{Counters, Event};

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
            (Provider::Azure, Class::Put | Class::UploadPart | Class::FinishUpload) => &[AzurePutObject],
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

/// One request as it is sent.
pub(crate) fn sent(counters: &Counters, provider: Provider, class: Class) {
    for event in class.events(provider) {
        counters.add(*event, 1);
    }
    // The totals of the S3 family stand for every bucket store, so that one number tells a query's requests.
    if matches!(provider, Provider::S3 | Provider::Gcs | Provider::Azure) {
        let (requests, attempts) = if class.reads() {
            (Event::S3ReadRequestsCount, Event::S3ReadRequestAttempts)
        } else {
            (Event::S3WriteRequestsCount, Event::S3WriteRequestAttempts)
        };
        counters.add(requests, 1);
        counters.add(attempts, 1);
    }
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
    if !matches!(provider, Provider::S3 | Provider::Gcs | Provider::Azure) {
        return;
    }
    let (time, errors, throttling) = if class.reads() {
        (Event::S3ReadMicroseconds, Event::S3ReadRequestsErrors, Event::S3ReadRequestsThrottling)
    } else {
        (Event::S3WriteMicroseconds, Event::S3WriteRequestsErrors, Event::S3WriteRequestsThrottling)
    };
    counters.add(time, micros);
    match ending {
        Ending::Answered => {}
        Ending::Failed => counters.add(errors, 1),
        Ending::Throttled => counters.add(throttling, 1),
    }
}

/// Bytes of an object that arrived.
pub(crate) fn received(counters: &Counters, provider: Provider, bytes: u64) {
    match provider {
        Provider::File => counters.add(Event::ReadBufferFromFileDescriptorReadBytes, bytes),
        Provider::Http => counters.add(Event::ReadWriteBufferFromHTTPBytes, bytes),
        _ => counters.add(Event::ReadBufferFromS3Bytes, bytes),
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
