//! `system.blob_storage_log`: an entry for each request that changed something in object storage, or was meant to, and, where
//! the query asks for them, for each that reads an object. A read's entry is made when its body has come, or was given up: an
//! entry only goes into the log's queue, which nobody waits for.

use gristmill_base::env::system_env;
use gristmill_base::machine;
use gristmill_introspect::logs::blob_log::{BlobEntry, BlobEvent, blob_log};
use object_store::client::HttpRequest;
use percent_encoding::percent_decode_str;

use crate::account::Class;
use crate::failure::Failure;
use crate::location::Provider;
use crate::wire::Call;

/// What of a query's requests is told: `enable_blob_storage_log`, and with it `enable_blob_storage_log_for_read_operations`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Told {
    #[default]
    Nothing,
    Changes,
    ChangesAndReads,
}

/// What is told of a request when it was answered, and of a read when its body came.
pub(crate) struct Logged(Option<Request>);

struct Request {
    event: BlobEvent,
    query_id: String,
    bucket: String,
    /// A request may be about several.
    paths: Vec<String>,
    data_size: u64,
}

fn event(class: Class, provider: Provider, told: Told) -> Option<BlobEvent> {
    if told == Told::Nothing {
        return None;
    }
    Some(match class {
        // Plain servers have no objects.
        Class::Get if told == Told::ChangesAndReads && provider != Provider::Http => BlobEvent::Read,
        Class::Put | Class::Copy => BlobEvent::Upload,
        Class::Delete => BlobEvent::Delete,
        Class::BeginUpload => BlobEvent::MultiPartUploadCreate,
        Class::UploadPart => BlobEvent::MultiPartUploadWrite,
        Class::FinishUpload => BlobEvent::MultiPartUploadComplete,
        Class::AbortUpload => BlobEvent::MultiPartUploadAbort,
        Class::Get | Class::Head | Class::List | Class::Other => return None,
    })
}

impl Logged {
    /// `host`: the store's own; a bucket may be named before it, else it is the path's first word.
    pub fn of(class: Class, request: &HttpRequest, (provider, host): (Provider, &str), call: &Call) -> Logged {
        let event = event(class, provider, call.limits.told).filter(|_| blob_log().is_on());
        let Some(event) = event else { return Logged(None) };
        let uri = request.uri();
        let before = uri.host().and_then(|own| own.strip_suffix(host)).and_then(|bucket| bucket.strip_suffix('.'));
        let path = percent_decode_str(uri.path().trim_start_matches('/')).decode_utf8_lossy().into_owned();
        let (bucket, path) = match before {
            Some(bucket) => (bucket.to_string(), path),
            None => match path.split_once('/') {
                Some((bucket, path)) => (bucket.to_string(), path.to_string()),
                None => (path, String::new()),
            },
        };
        let listed = if path.is_empty() { request.body().as_bytes().map(|body| keys(body)) } else { None };
        let paths = listed.filter(|keys| !keys.is_empty()).unwrap_or_else(|| vec![path]);
        let data_size = match event {
            BlobEvent::Upload | BlobEvent::MultiPartUploadWrite => request.body().content_length() as u64,
            _ => 0,
        };
        Logged(Some(Request { event, query_id: call.query_id.clone(), bucket, paths, data_size }))
    }

    /// Whether there is more to tell when the body of the answer has come.
    pub fn is_read(&self) -> bool {
        self.0.as_ref().is_some_and(|request| request.event == BlobEvent::Read)
    }

    /// So many bytes of the object came, until the end or until `failed`.
    pub fn came(mut self, bytes: u64, elapsed_micros: u64, failed: Option<&Failure>) {
        if let Some(request) = &mut self.0 {
            request.data_size = bytes;
        }
        self.answered(elapsed_micros, failed.map(|failure| (0, failure)));
    }

    /// `failed`: the answer's status, 0 where there was none, and what was wrong.
    pub fn answered(self, elapsed_micros: u64, failed: Option<(u16, &Failure)>) {
        let Some(request) = self.0 else { return };
        let event_time_micros = system_env().now_micros();
        let (error_code, error) = failed.map_or((0, String::new()), |(status, failure)| {
            (i32::from(status), format!("{} {}", failure.code, failure.message).trim().to_string())
        });
        let thread_name = std::thread::current().name().unwrap_or_default().to_string();
        for remote_path in request.paths {
            blob_log().add(|| BlobEntry {
                event: request.event,
                event_time_micros,
                elapsed_micros,
                query_id: request.query_id.clone(),
                thread_id: machine::thread_id(),
                thread_name: thread_name.clone(),
                bucket: request.bucket.clone(),
                remote_path: remote_path.clone(),
                data_size: request.data_size,
                error_code,
                error: error.clone(),
            });
        }
    }
}

/// The keys in the body of a request to delete several objects.
fn keys(body: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(body);
    let key = |piece: &str| {
        let key = piece.split_once("</Key>")?.0;
        let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
        Some(entities.into_iter().fold(key.to_string(), |text, (entity, letter)| text.replace(entity, letter)))
    };
    text.split("<Key>").skip(1).filter_map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_may_delete_several_objects() {
        let body = b"<Delete><Object><Key>a/b.parquet</Key></Object><Object><Key>x &amp;lt; y</Key></Object></Delete>";
        assert_eq!(keys(body), ["a/b.parquet", "x &lt; y"]);
        assert!(keys(b"<Delete/>").is_empty());
    }
}
