//! Where an object is: a URL taken apart as ClickHouse takes it.
//!
//! The `url` crate is of no use here: `{`, `}`, `*` and `?` are glob characters and must come through as they are. So the
//! text is split by hand into scheme, authority, path and query. A `?` starts a query only where the rest says so
//! (`versionId=`, a presigned signature, an SAS); otherwise it is the glob for one character. Percent-encoded bytes of a
//! key are decoded once; for plain HTTP they stay, since the server gets the path as it was written.
//!
//! For S3 the bucket is in the host (virtual-hosted style) where the host is one that is known to serve buckets so, and
//! the first segment of the path everywhere else.

use std::path::{Component, Path, PathBuf};

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result, redact};

/// The protocol a location is spoken to with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Provider {
    S3,
    Gcs,
    Azure,
    Http,
    File,
}

impl Provider {
    pub fn name(self) -> &'static str {
        match self {
            Provider::S3 => "S3",
            Provider::Gcs => "GCS",
            Provider::Azure => "Azure",
            Provider::Http => "HTTP",
            Provider::File => "file",
        }
    }
}

/// An object, or a pattern of objects.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Location {
    pub provider: Provider,
    /// Scheme, host and port, without the bucket: `https://s3.eu-west-1.amazonaws.com`. For Azure with the account:
    /// `https://account.blob.core.windows.net`, `http://127.0.0.1:10000/devstoreaccount1`. For files: the root folder.
    pub endpoint: String,
    /// Bucket or container; empty for HTTP and files.
    pub bucket: String,
    /// May hold globs. Decoded, without a leading `/`; for HTTP as written, with its query.
    pub key: String,
    pub region: Option<String>,
    /// Whether the bucket goes into the host.
    pub virtual_hosted: bool,
    pub version_id: Option<String>,
    /// `user:password` of the URL.
    pub basic_auth: Option<Secret>,
}

struct Parts<'a> {
    scheme: &'a str,
    authority: &'a str,
    /// Without the leading `/`.
    path: &'a str,
}

fn split<'a>(url: &'a str, expected: &str) -> Result<Parts<'a>> {
    let bad = || bad_url(url, expected);
    let (scheme, rest) = url.split_once("://").ok_or_else(bad)?;
    if scheme.is_empty() || !scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+' || b == b'-') {
        return Err(bad());
    }
    let (authority, path) = match rest.find(['/', '?']) {
        Some(at) if rest.as_bytes()[at] == b'/' => (&rest[..at], &rest[at + 1..]),
        Some(at) => (&rest[..at], &rest[at..]),
        None => (rest, ""),
    };
    if authority.is_empty() {
        return Err(bad());
    }
    Ok(Parts { scheme, authority, path })
}

fn bad_url(url: &str, expected: &str) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("Cannot parse URL '{}': {expected}", redact::url(url)))
}

/// `%20` → ` `. A `%` that starts no code stays.
fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = (bytes[at] == b'%').then(|| text.get(at + 1..at + 3)).flatten();
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_string())
}

fn query_value<'a>(query: &'a str, name: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        key.eq_ignore_ascii_case(name).then_some(value)
    })
}

/// Whether the query of a URL is its signature.
pub(crate) fn presigned(query: &str) -> bool {
    ["X-Amz-Signature", "X-Goog-Signature", "AWSAccessKeyId", "GoogleAccessId", "OSSAccessKeyId"]
        .iter()
        .any(|name| query_value(query, name).is_some())
}

fn host_of(authority: &str) -> &str {
    match authority.rfind(':') {
        Some(colon) if authority[colon + 1..].bytes().all(|b| b.is_ascii_digit()) => &authority[..colon],
        _ => authority,
    }
}

/// The bucket and what is left of the host, where the host is known to carry buckets in front.
fn virtual_hosted(authority: &str) -> Option<(&str, &str)> {
    let host = host_of(authority);
    if host.starts_with('[') || host.parse::<std::net::IpAddr>().is_ok() {
        return None;
    }
    let lower = host.to_ascii_lowercase();
    let service = |label: &str| {
        ["s3", "cos", "oss", "obs", "eos", "tos"].contains(&label)
            || ["s3-", "s3express-", "oss-", "obs-"].iter().any(|start| label.starts_with(start))
    };
    let mut from = 0;
    while let Some(dot) = lower[from..].find('.') {
        let at = from + dot + 1;
        let label = lower[at..].split('.').next().unwrap_or("");
        let more = lower[at + label.len()..].starts_with('.');
        if more && (service(label) || lower[at..] == *"storage.googleapis.com") {
            // `s3.dualstack.…`, `s3-accelerate.…` and the like are services themselves, not buckets.
            return (!lower[..at - 1].is_empty() && !service(&lower[..at - 1])).then(|| (&host[..at - 1], &authority[at..]));
        }
        from = at;
    }
    None
}

/// The region in a host of AWS: `s3.eu-west-1.amazonaws.com`, `s3-eu-west-1.amazonaws.com`, `s3.dualstack.eu-west-1.…`.
fn region_of(host: &str) -> Option<String> {
    let host = host_of(host).to_ascii_lowercase();
    let head = host.strip_suffix(".amazonaws.com").or_else(|| host.strip_suffix(".amazonaws.com.cn"))?;
    let last = head.rsplit('.').next()?;
    let region = last.strip_prefix("s3-").unwrap_or(last);
    (region.split('-').count() >= 3 && region.ends_with(|c: char| c.is_ascii_digit())).then(|| region.to_string())
}

impl Location {
    fn new(provider: Provider, endpoint: impl Into<String>, bucket: impl Into<String>, key: impl Into<String>) -> Self {
        Location {
            provider,
            endpoint: endpoint.into(),
            bucket: bucket.into(),
            key: key.into(),
            region: None,
            virtual_hosted: false,
            version_id: None,
            basic_auth: None,
        }
    }

    /// `https://bucket.s3.eu-west-1.amazonaws.com/key`, `http://localhost:9000/bucket/key`, `s3://bucket/key`,
    /// `gs://bucket/key`, `oss://bucket/key`, … A presigned URL becomes a plain HTTP one, which is what it is.
    pub fn parse_s3(url: &str) -> Result<Location> {
        Self::parse_bucket(url, None)
    }

    /// As `parse_s3`, where everything speaks GCS: `gs://bucket/key`, `https://storage.googleapis.com/bucket/key`,
    /// `http://localhost:4443/bucket/key`.
    pub fn parse_gcs(url: &str) -> Result<Location> {
        Self::parse_bucket(url, Some(Provider::Gcs))
    }

    fn parse_bucket(url: &str, provider: Option<Provider>) -> Result<Location> {
        let expected = "expected https://bucket.s3.region.amazonaws.com/key, https://host/bucket/key, s3://bucket/key or gs://bucket/key";
        let url = url.trim();
        let parts = split(url, expected)?;
        let (mut path, mut version_id) = (parts.path, None);
        if let Some((before, query)) = parts.path.split_once('?') {
            if presigned(query) {
                return Self::parse_http(url);
            }
            if let Some(version) = query_value(query, "versionId") {
                version_id = (!version.is_empty()).then(|| percent_decode(version));
                path = before;
            }
        }
        let key = percent_decode(path);
        let scheme = parts.scheme.to_ascii_lowercase();
        let mut location = match scheme.as_str() {
            "s3" | "s3a" | "s3n" => {
                let mut at = Self::new(provider.unwrap_or(Provider::S3), "https://s3.amazonaws.com", parts.authority, key);
                if provider == Some(Provider::Gcs) {
                    at.endpoint = "https://storage.googleapis.com".to_string();
                }
                at.virtual_hosted = true;
                at
            }
            "gs" | "gcs" => Self::new(Provider::Gcs, "https://storage.googleapis.com", parts.authority, key),
            "oss" => {
                let mut at = Self::new(Provider::S3, "https://oss.aliyuncs.com", parts.authority, key);
                at.virtual_hosted = true;
                at
            }
            "http" | "https" => match virtual_hosted(parts.authority) {
                Some((bucket, host)) => {
                    let mut at = Self::new(Provider::S3, format!("{scheme}://{host}"), bucket, key);
                    at.virtual_hosted = true;
                    at.region = region_of(host);
                    at
                }
                None => {
                    let (bucket, key) = key.split_once('/').unwrap_or((&key, ""));
                    let mut at = Self::new(Provider::S3, format!("{scheme}://{}", parts.authority), bucket, key);
                    at.region = region_of(parts.authority);
                    at
                }
            },
            _ => return Err(bad_url(url, &format!("unknown scheme '{}'; {expected}", parts.scheme))),
        };
        let host = location.endpoint.split("://").nth(1).map(host_of).unwrap_or("").to_ascii_lowercase();
        if host == "storage.googleapis.com" || host == "storage.cloud.google.com" {
            location.provider = Provider::Gcs;
            location.endpoint = "https://storage.googleapis.com".to_string();
            location.virtual_hosted = false;
        }
        if let Some(provider) = provider {
            location.provider = provider;
        }
        // A certificate for *.s3.amazonaws.com does not cover a bucket whose name has dots.
        if location.virtual_hosted && location.bucket.contains('.') && location.endpoint.starts_with("https://s3") {
            location.virtual_hosted = false;
        }
        location.version_id = version_id;
        if location.bucket.is_empty() {
            return Err(bad_url(url, &format!("it names no bucket; {expected}")));
        }
        if location.bucket.contains(['*', '?', '{', '}']) {
            return Err(bad_url(url, "the bucket cannot be a pattern, only the key can"));
        }
        Ok(location)
    }

    /// The first argument of azureBlobStorage(): an account's URL (with or without the container, with or without an SAS
    /// as its query) or a connection string.
    pub fn parse_azure(account: &str, container: &str, path: &str) -> Result<Location> {
        let account = account.trim();
        let endpoint = if account.contains("://") && !account.to_ascii_lowercase().contains("accountname=") {
            let parts = split(account, "expected https://account.blob.core.windows.net or a connection string")?;
            let base = parts.path.split('?').next().unwrap_or("").trim_matches('/');
            let base = base.strip_suffix(container).map_or(base, |left| left.trim_end_matches('/'));
            let slash = if base.is_empty() { "" } else { "/" };
            format!("{}://{}{slash}{base}", parts.scheme, parts.authority)
        } else {
            ConnectionString::parse(account)?.blob_endpoint
        };
        if container.is_empty() {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                "The container's name is empty: expected the name of a container of the account",
            ));
        }
        Ok(Self::new(Provider::Azure, endpoint, container, path.trim_start_matches('/')))
    }

    /// Any HTTP or HTTPS URL. The key is the path with its query, as written.
    pub fn parse_http(url: &str) -> Result<Location> {
        let expected = "expected http://host/path or https://host/path";
        let url = url.trim();
        let parts = split(url, expected)?;
        let scheme = parts.scheme.to_ascii_lowercase();
        if scheme != "http" && scheme != "https" {
            return Err(bad_url(url, expected));
        }
        let (user, host) = match parts.authority.rsplit_once('@') {
            Some((user, host)) => (Some(Secret::new(percent_decode(user))), host),
            None => (None, parts.authority),
        };
        let path = parts.path.split('#').next().unwrap_or("");
        let mut location = Self::new(Provider::Http, format!("{scheme}://{host}"), "", path);
        location.basic_auth = user;
        Ok(location)
    }

    /// A path of this machine, `file://` allowed; relative ones are under `base`.
    pub fn parse_file(path: &str, base: &Path) -> Result<Location> {
        let text = path.strip_prefix("file://").unwrap_or(path);
        if text.is_empty() {
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, "The path is empty: expected a file or a pattern of files"));
        }
        let mut whole = PathBuf::new();
        for component in base.join(text).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    whole.pop();
                }
                other => whole.push(other),
            }
        }
        let whole = if whole.is_absolute() { whole } else { std::env::current_dir().map_err(Error::from)?.join(whole) };
        let key = whole.to_str().ok_or_else(|| {
            Error::new(ErrorCode::BAD_ARGUMENTS, format!("The path {} is not valid UTF-8", whole.display()))
        })?;
        let folder = if text.ends_with('/') { "/" } else { "" };
        Ok(Self::new(Provider::File, "/", "", format!("{}{folder}", key.trim_start_matches('/'))))
    }

    /// Where the object is, for people: `_path` and messages.
    pub fn display(&self, key: &str) -> String {
        match self.provider {
            Provider::File => format!("{}/{}", self.endpoint.trim_end_matches('/'), key.trim_start_matches('/')),
            Provider::Http => redact::url(&format!("{}/{key}", self.endpoint)),
            Provider::S3 if self.virtual_hosted => match self.endpoint.split_once("://") {
                Some((scheme, host)) => format!("{scheme}://{}.{host}/{key}", self.bucket),
                None => format!("{}/{key}", self.bucket),
            },
            _ => format!("{}/{}/{key}", self.endpoint, self.bucket),
        }
    }

    /// The same place with another key.
    pub fn with_key(&self, key: impl Into<String>) -> Location {
        Location { key: key.into(), ..self.clone() }
    }
}

/// `AccountName=…;AccountKey=…;EndpointSuffix=…` taken apart.
pub(crate) struct ConnectionString {
    pub blob_endpoint: String,
    pub account: String,
    pub key: Option<Secret>,
    pub sas: Option<Secret>,
}

impl ConnectionString {
    pub fn parse(text: &str) -> Result<ConnectionString> {
        let value = |name: &str| {
            text.split(';').find_map(|pair| {
                let (key, value) = pair.split_once('=')?;
                key.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_string())
            })
        };
        let development = value("UseDevelopmentStorage").is_some_and(|on| on.eq_ignore_ascii_case("true"));
        let account = value("AccountName").or_else(|| development.then(|| "devstoreaccount1".to_string()));
        let blob_endpoint = match (value("BlobEndpoint"), &account) {
            (Some(endpoint), _) => endpoint.trim_end_matches('/').to_string(),
            (None, _) if development => "http://127.0.0.1:10000/devstoreaccount1".to_string(),
            (None, Some(account)) => format!(
                "{}://{account}.blob.{}",
                value("DefaultEndpointsProtocol").unwrap_or_else(|| "https".to_string()),
                value("EndpointSuffix").unwrap_or_else(|| "core.windows.net".to_string()),
            ),
            (None, None) => {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    "Cannot parse the connection string: it has neither AccountName nor BlobEndpoint. Expected \
                     DefaultEndpointsProtocol=https;AccountName=…;AccountKey=…;EndpointSuffix=core.windows.net, or an account's URL",
                ));
            }
        };
        let account = account.unwrap_or_else(|| azure_account(&blob_endpoint).to_string());
        Ok(ConnectionString {
            blob_endpoint,
            account,
            key: value("AccountKey").map(Secret::new),
            sas: value("SharedAccessSignature").map(Secret::new),
        })
    }
}

/// The account in an Azure endpoint: the first label of the host, or the first segment of the path of an emulator.
pub(crate) fn azure_account(endpoint: &str) -> &str {
    let rest = endpoint.split_once("://").map_or(endpoint, |(_, rest)| rest);
    match rest.split_once('/') {
        Some((_, path)) if !path.is_empty() => path.split('/').next().unwrap_or(""),
        _ => rest.split(['.', ':']).next().unwrap_or(""),
    }
}
