//! Why an attempt failed, whether another may help, and the error the user sees.
//!
//! A `Failure` is what one attempt ends with. The wire fills it from the server's real answer (status, the code and
//! message in its XML or JSON), because the `object_store` crate keeps these only as text. `retry` decides by `kind`;
//! `into_error` gives ClickHouse's code, names the object and says what to do. Nothing of a request's headers or signed
//! URL gets into a message.

use std::time::Duration;

use gristmill_base::{Error, ErrorCode, redact};

use crate::credentials::Credentials;
use crate::location::{Location, Provider};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailureKind {
    NotFound,
    NoSuchBucket,
    /// 401 and 403.
    Denied,
    /// The object is not the one that was asked for (ETag), or must not exist and does.
    Precondition,
    /// Two conditional writes met; one has to try again.
    Conflict,
    /// The range lies outside the object.
    Range,
    /// The bucket lives in another region.
    Redirect,
    Throttled,
    Server,
    Timeout,
    Connect,
    Dns,
    /// The connection ended in the middle, or the answer was not whole.
    Broken,
    NoSpace,
    Unsupported,
    /// The server, or the machine, refused for a reason that will not pass.
    Refused,
}

#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub kind: FailureKind,
    pub status: Option<u16>,
    /// The provider's own code, such as `NoSuchKey`.
    pub code: String,
    pub message: String,
    /// Where the bucket really is.
    pub region: Option<String>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// An error that was made further in and says it all.
    pub error: Option<Error>,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Failure {
            kind,
            status: None,
            code: String::new(),
            message: message.into(),
            region: None,
            retry_after: None,
            error: None,
        }
    }

    /// An error that is not to be tried again nor reworded.
    pub fn fatal(error: Error) -> Self {
        Failure { error: Some(error), ..Self::new(FailureKind::Refused, "") }
    }

    /// What an answer other than 2xx means.
    pub fn of_answer(status: u16, headers: &http::HeaderMap, body: &str) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_string);
        let code = xml_text(body, "Code")
            .or_else(|| header("x-ms-error-code"))
            .or_else(|| json_text(body, "code"))
            .unwrap_or_default();
        let message = xml_text(body, "Message").or_else(|| json_text(body, "message")).unwrap_or_default();
        let message: String = message.chars().take(500).collect();
        let region = header("x-amz-bucket-region").or_else(|| xml_text(body, "Region"));
        let kind = match (status, code.as_str()) {
            (_, "NoSuchBucket" | "ContainerNotFound") => FailureKind::NoSuchBucket,
            (
                _,
                "SlowDown"
                | "Throttling"
                | "ThrottlingException"
                | "RequestLimitExceeded"
                | "ServerBusy"
                | "TooManyRequests",
            ) => FailureKind::Throttled,
            (_, "RequestTimeout" | "InternalError") => FailureKind::Server,
            (404 | 410, _) => FailureKind::NotFound,
            (301 | 307 | 308, _) => FailureKind::Redirect,
            (400, "AuthorizationHeaderMalformed" | "IllegalLocationConstraintException") if region.is_some() => {
                FailureKind::Redirect
            }
            // A HEAD is answered without a body that could name the error.
            (400, "") if header("x-amz-bucket-region").is_some() => FailureKind::Redirect,
            // A signature is refused as too old when a clock is off or a retry came late: that does not pass by itself.
            (401 | 403, _) => FailureKind::Denied,
            (409, "BlobAlreadyExists") | (304 | 412, _) => FailureKind::Precondition,
            (409, _) => FailureKind::Conflict,
            (416, _) => FailureKind::Range,
            (429 | 503, _) => FailureKind::Throttled,
            (507, _) => FailureKind::NoSpace,
            (408 | 500..=599, _) if status != 501 && status != 505 => FailureKind::Server,
            _ => FailureKind::Refused,
        };
        let retry_after = header("retry-after").and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
        Failure { status: Some(status), code, region, retry_after, ..Self::new(kind, message) }
    }

    /// An error of the operating system on a local file.
    pub fn of_io(error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let kind = match error.kind() {
            ErrorKind::NotFound | ErrorKind::NotADirectory => FailureKind::NotFound,
            ErrorKind::AlreadyExists => FailureKind::Precondition,
            ErrorKind::PermissionDenied => FailureKind::Denied,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FailureKind::NoSpace,
            _ => FailureKind::Refused,
        };
        Self::new(kind, error.to_string())
    }

    /// Whether the same request may go well when sent again.
    pub fn retryable(&self) -> bool {
        use FailureKind::*;
        self.error.is_none() && matches!(self.kind, Throttled | Server | Timeout | Connect | Broken | Conflict | Dns)
    }

    /// Whether the server may have done what it was asked although no good answer came.
    pub fn ambiguous(&self) -> bool {
        use FailureKind::*;
        matches!(self.kind, Server | Timeout | Broken | Throttled)
    }

    /// The error for the user. `doing`: "read", "list", …; `attempts`: how often it was tried.
    pub fn into_error(self, location: &Location, credentials: &Credentials, doing: &str, key: &str, attempts: u32) -> Error {
        if let Some(error) = self.error {
            return error;
        }
        use FailureKind::*;
        let provider = location.provider;
        let object = location.display(key);
        let code = match (self.kind, provider) {
            (Dns, _) => ErrorCode::DNS_ERROR,
            (Connect | Timeout | Broken, Provider::S3) => ErrorCode::S3_ERROR,
            (Connect | Timeout | Broken, _) => ErrorCode::NETWORK_ERROR,
            (NoSpace, _) => ErrorCode::NOT_ENOUGH_SPACE,
            (NotFound, Provider::File) => ErrorCode::FILE_DOESNT_EXIST,
            (Denied, Provider::File) => ErrorCode::CANNOT_OPEN_FILE,
            (Range, Provider::File) => ErrorCode::CANNOT_READ_ALL_DATA,
            (_, Provider::File) if doing.starts_with("read") => ErrorCode::CANNOT_READ_FROM_FILE_DESCRIPTOR,
            (_, Provider::File) => ErrorCode::CANNOT_WRITE_TO_FILE_DESCRIPTOR,
            (_, Provider::S3 | Provider::Gcs) => ErrorCode::S3_ERROR,
            (_, Provider::Azure) => ErrorCode::AZURE_BLOB_STORAGE_ERROR,
            (_, Provider::Http) => ErrorCode::RECEIVED_ERROR_FROM_REMOTE_IO_SERVER,
        };
        let said = match (self.code.is_empty(), self.status, self.message.is_empty()) {
            (false, _, false) => format!("{}: {}", self.code, self.message),
            (false, _, true) => self.code.clone(),
            (true, Some(status), true) => format!("HTTP status {status}"),
            (true, Some(status), false) => format!("HTTP status {status}: {}", self.message),
            (true, None, _) => self.message.clone(),
        };
        let said = redact::url(&said);
        let host = location.endpoint.as_str();
        let text = match self.kind {
            NotFound if provider == Provider::File => format!("Cannot {doing} file {object}: it does not exist"),
            NotFound if provider == Provider::Http => format!("Cannot {doing} {object}: {said}. Check the URL"),
            NotFound => {
                let name = if self.code.is_empty() { "NoSuchKey".to_string() } else { self.code.clone() };
                format!(
                    "Cannot {doing} object {object}: {name}: there is no such object in bucket '{}'. Check the key",
                    location.bucket
                )
            }
            NoSuchBucket => {
                let name = if self.code.is_empty() { "NoSuchBucket" } else { &self.code };
                format!(
                    "Cannot {doing} {object}: {name}: bucket '{}' does not exist at {host}. Check its name and the endpoint",
                    location.bucket
                )
            }
            Denied if provider == Provider::File => format!("Cannot {doing} {object}: {said}. Check who may use it"),
            Denied => {
                let said = if said.starts_with("HTTP") && provider != Provider::Http {
                    format!("AccessDenied ({said})")
                } else {
                    said
                };
                format!("Cannot {doing} {object}: {said}; {}", credentials.advice(provider))
            }
            Precondition if doing.starts_with("read") => format!(
                "Cannot {doing} {object}: it was replaced while it was being read, its ETag is another one now. Run the query again"
            ),
            Precondition => format!("Cannot {doing} {object}: it exists already"),
            Conflict => format!(
                "Cannot {doing} {object}: another write of it was under way each time ({said}), tried {attempts} times"
            ),
            Range => format!(
                "Cannot {doing} {object}: the range lies outside the object, so it is shorter than it was listed. {said}"
            ),
            Redirect => format!(
                "Cannot {doing} {object}: {said}: the bucket is in {}. Give the endpoint of that region",
                self.region.as_deref().unwrap_or("another region")
            ),
            Throttled => format!(
                "Cannot {doing} {object}: the store asks to slow down ({said}), tried {attempts} times. Try again later, or raise s3_retry_attempts"
            ),
            Server => format!("Cannot {doing} {object}: the server failed ({said}), tried {attempts} times"),
            Timeout => format!(
                "Cannot {doing} {object}: {said}, tried {attempts} times. Check {host}, or raise s3_request_timeout_ms"
            ),
            Connect => format!(
                "Cannot connect to {host} to {doing} {object}: {said}, tried {attempts} times. Check the endpoint and the network"
            ),
            Dns => format!("Cannot resolve the host of {host} to {doing} {object}: {said}. Check its name"),
            Broken => format!("Cannot {doing} {object}: the connection broke ({said}), tried {attempts} times"),
            NoSpace => format!("Cannot {doing} {object}: no space left ({said}). Free some, or write elsewhere"),
            Unsupported => format!("Cannot {doing} {object}: {said}"),
            Refused => format!("Cannot {doing} {object}: {said}"),
        };
        let passes = self.retryable_kind();
        let error = Error::new(code, text);
        if passes { error.transient() } else { error }
    }

    fn retryable_kind(&self) -> bool {
        use FailureKind::*;
        matches!(self.kind, Throttled | Server | Timeout | Connect | Broken | Conflict | Dns)
    }
}

/// The text of the first `<name>…</name>`, with the five entities of XML resolved.
pub(crate) fn xml_text(body: &str, name: &str) -> Option<String> {
    let open = format!("<{name}>");
    let from = body.find(&open)? + open.len();
    let to = from + body[from..].find("</")?;
    let text = body[from..to]
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'")
        .replace("&amp;", "&");
    Some(text)
}

fn json_text(body: &str, name: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(body).ok()?;
    let value = value.get("error").unwrap_or(&value).get(name)?;
    Some(value.as_str().map_or_else(|| value.to_string(), str::to_string))
}
