//! What a request says beside its query: parameters of the URL, headers, credentials.

use std::collections::BTreeMap;
use std::net::IpAddr;

use base64::Engine as _;
use gristmill_access::control::Credentials;
use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::Compression;
use gristmill_introspect::opentelemetry::TraceContext;
use gristmill_introspect::{Client, Settings};
use gristmill_sql::ast::with_escapes;
use hyper::Method;
use hyper::header::HeaderValue;
use hyper::http::request::Parts;

use super::handlers::Taking;
use super::query::Peer;
use super::sessions::SessionRequest;
use crate::known_settings;

#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// Literals in it hold any bytes.
    pub query: Option<Vec<u8>>,
    /// `database`, `query_id`, …
    pub reserved: BTreeMap<String, String>,
    /// `param_x`, without `param_`; the text still has its escapes, and has others for bytes that are not UTF-8.
    pub of_query: BTreeMap<String, String>,
    pub settings: Vec<(String, String)>,
    pub roles: Vec<String>,
    /// `t_format`, `t_types` and `t_structure` of external tables.
    pub of_tables: BTreeMap<String, String>,
    /// Where the query comes from.
    pub taking: Taking,
}

/// Names of the URL that are no settings.
const RESERVED: &[&str] = &[
    "database",
    "default_format",
    "query_id",
    "user",
    "password",
    "quota_key",
    "session_id",
    "session_timeout",
    "session_check",
    "close_session",
    "compress",
    "decompress",
    "buffer_size",
    "wait_end_of_query",
    "stacktrace",
];

/// The parameter of a query of the configuration that is the body of the request.
const REQUEST_BODY: &str = "_request_body";

/// Ends of names that describe external tables.
const OF_TABLES: &[&str] = &["_format", "_types", "_structure"];

impl Parameters {
    /// Of a URL's query string, where nothing is said of handlers.
    #[cfg(test)]
    pub fn of(query: Option<&str>) -> Parameters {
        Parameters::taken(query, Taking::default())
    }

    /// Of a URL's query string, for a handler of the configuration.
    pub fn taken(query: Option<&str>, taking: Taking) -> Parameters {
        let mut parameters = Parameters { taking, ..Parameters::default() };
        if let Taking::Predefined { query, .. } = &parameters.taking {
            parameters.query = Some(query.clone().into_bytes());
        }
        for pair in query.unwrap_or_default().split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            parameters.add(&String::from_utf8_lossy(&decoded(name)), decoded(value));
        }
        parameters
    }

    pub fn add(&mut self, name: &str, value: Vec<u8>) {
        let (is_query, names) = match &self.taking {
            Taking::Parameter(parameter) => (name == parameter, &[][..]),
            Taking::Predefined { names, .. } => (false, &names[..]),
        };
        let of_query = name.strip_prefix("param_").or_else(|| names.iter().any(|known| known == name).then_some(name));
        if is_query {
            // Of one that stands twice the first counts.
            self.query.get_or_insert(value);
        } else if let Some(parameter) = of_query {
            self.of_query.insert(parameter.to_string(), with_escapes(&value));
        } else if !name.is_empty() {
            self.add_text(name, String::from_utf8_lossy(&value).into_owned());
        }
    }

    fn add_text(&mut self, name: &str, value: String) {
        if name == "role" {
            self.roles.push(value);
        } else if RESERVED.contains(&name) {
            self.reserved.entry(name.to_string()).or_insert(value);
        } else if OF_TABLES.iter().any(|end| name.ends_with(end))
            && known_settings::encoding(name).is_none()
            && Settings::default().get(name).is_none()
        {
            self.of_tables.insert(name.to_string(), value);
        } else {
            self.settings.push((name.to_string(), value));
        }
    }

    /// Whether the body of the request is a parameter of the query that the configuration has.
    pub fn wants_body(&self) -> bool {
        matches!(&self.taking, Taking::Predefined { names, .. } if names.iter().any(|name| name == REQUEST_BODY))
            && !self.of_query.contains_key(REQUEST_BODY)
    }

    /// The body, where it is wanted.
    pub fn take_body(&mut self, body: &[u8]) {
        self.of_query.insert(REQUEST_BODY.to_string(), with_escapes(body));
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.reserved.get(name).map(String::as_str)
    }

    /// Error: BAD_ARGUMENTS.
    pub fn flag(&self, name: &str) -> Result<bool> {
        match self.get(name).unwrap_or("0").to_ascii_lowercase().as_str() {
            "0" | "false" | "" => Ok(false),
            "1" | "true" => Ok(true),
            other => Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Parameter {name} is '{other}': give 0 or 1"))),
        }
    }

    pub fn session(&self) -> Result<Option<SessionRequest>> {
        let Some(id) = self.get("session_id").filter(|id| !id.is_empty()) else { return Ok(None) };
        Ok(Some(SessionRequest {
            id: id.to_string(),
            timeout: self.get("session_timeout").map(str::to_string),
            check: self.flag("session_check")?,
            close: self.flag("close_session")?,
        }))
    }
}

/// A name or a value of a URL without its escapes. (The `url` crate gives text, and other bytes up.)
fn decoded(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let digits = behind.first_chunk::<2>().filter(|_| *first == b'%').and_then(|digits| str::from_utf8(digits).ok());
        let escaped =
            digits.filter(|digits| !digits.starts_with('+')).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(escaped.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if escaped.is_some() { &behind[2..] } else { behind };
    }
    out
}

pub fn header<'a>(parts: &'a Parts, name: &str) -> Option<&'a str> {
    parts.headers.get(name)?.to_str().ok()
}

/// A header that queries may ask for.
fn shown(name: &str, value: &HeaderValue) -> Option<(String, String)> {
    let is_shown = !gristmill_functions::server::is_secret_header(name);
    is_shown.then(|| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
}

/// What a request says of its client.
pub fn client(parts: &Parts, peer: Peer) -> Client {
    let told = |name| header(parts, name).unwrap_or_default().to_string();
    Client {
        address: Some(peer.address),
        connection: peer.connection,
        interface: Client::HTTP,
        is_secure: peer.is_secure,
        http_method: if parts.method == Method::POST { 2 } else { 1 },
        http_user_agent: told("user-agent"),
        http_referer: told("referer"),
        http_headers: parts.headers.iter().filter_map(|(name, value)| shown(name.as_str(), value)).collect(),
        request_url: parts.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
        forwarded_for: told("x-forwarded-for"),
        quota_key: told("x-clickhouse-quota"),
        trace: TraceContext::of_headers(&told("traceparent"), &told("tracestate")),
        ..Client::default()
    }
}

/// The credentials, from one of the places that they may stand in: `configured` is what the rule says that answers. Error:
/// AUTHENTICATION_FAILED where they stand in two.
pub fn credentials(
    parts: &Parts,
    parameters: &Parameters,
    configured: Option<(String, Secret)>,
    address: IpAddr,
) -> Result<Credentials> {
    let failed = |text: &str| Error::new(ErrorCode::AUTHENTICATION_FAILED, text);
    let user = header(parts, "x-clickhouse-user");
    let key = header(parts, "x-clickhouse-key");
    let (url_user, url_password) = (parameters.get("user"), parameters.get("password"));
    // A page that has credentials of its own says so to keep the browser's away.
    let authorization = header(parts, "authorization").filter(|text| *text != "never" && !text.is_empty());
    let in_headers = user.is_some() || key.is_some();
    let in_url = url_user.is_some() || url_password.is_some();
    let places = [in_headers, in_url, authorization.is_some(), configured.is_some()];
    if places.into_iter().filter(|given| *given).count() > 1 {
        return Err(failed(
            "Invalid authentication: credentials are in more than one of the Authorization header, X-ClickHouse headers, the URL \
             and the handler of the configuration",
        ));
    }
    if let Some((user, password)) = configured {
        return Ok(Credentials { user, password: password.reveal().to_string(), address: Some(address) });
    }
    let (user, password) = if let Some(text) = authorization {
        let (scheme, encoded) = text.split_once(' ').unwrap_or((text, ""));
        if !scheme.eq_ignore_ascii_case("basic") {
            return Err(failed("Invalid authentication: only the scheme Basic is known"));
        }
        let decoded = base64::engine::general_purpose::STANDARD.decode(encoded.trim());
        let decoded = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
        let decoded = decoded.ok_or_else(|| failed("Invalid authentication: the Authorization header is not base64"))?;
        let (user, password) = decoded.split_once(':').unwrap_or((&decoded, ""));
        (user.to_string(), password.to_string())
    } else {
        (user.or(url_user).unwrap_or_default().to_string(), key.or(url_password).unwrap_or_default().to_string())
    };
    Ok(Credentials { user, password, address: Some(address) })
}

/// The codec that a body came in.
pub fn content_encoding(parts: &Parts) -> Result<Compression> {
    let name = header(parts, "content-encoding").unwrap_or_default().trim().to_ascii_lowercase();
    match name.as_str() {
        "" | "identity" => Ok(Compression::None),
        "x-gzip" => Ok(Compression::Gzip),
        name => Compression::by_name(name, "").map_err(|error| error.with_context("in the header Content-Encoding")),
    }
}

/// The codec of an answer: of those that the client takes, the one that costs least for what it saves.
pub fn accepted_encoding(parts: &Parts) -> Compression {
    let accepted = header(parts, "accept-encoding").unwrap_or_default();
    let refused = |options: &str| {
        let quality = options.split(';').find_map(|option| option.trim().strip_prefix("q="));
        quality.is_some_and(|quality| quality.trim().parse::<f32>().is_ok_and(|quality| quality == 0.0))
    };
    let named: Vec<String> = accepted
        .split(',')
        .filter_map(|part| {
            let (name, options) = part.split_once(';').unwrap_or((part, ""));
            (!refused(options)).then(|| name.trim().to_ascii_lowercase())
        })
        .collect();
    [
        ("zstd", Compression::Zstd),
        ("lz4", Compression::Lz4),
        ("br", Compression::Brotli),
        ("gzip", Compression::Gzip),
        ("deflate", Compression::Deflate),
        ("xz", Compression::Xz),
        ("bz2", Compression::Bz2),
        ("snappy", Compression::SnappyFramed),
    ]
    .into_iter()
    .find(|(name, _)| named.iter().any(|accepted| accepted == name))
    .map_or(Compression::None, |(_, codec)| codec)
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn parts(headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    const HOME: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn what_is_no_parameter_is_a_setting() {
        let parameters =
            Parameters::of(Some("query=SELECT+1&param_a=%5C%27&max_threads=2&ids_structure=a+Int8&role=x&role=y&=1"));
        assert_eq!(parameters.query.as_deref(), Some(&b"SELECT 1"[..]));
        assert_eq!(parameters.of_query["a"], "\\'");
        assert_eq!(parameters.settings, [("max_threads".to_string(), "2".to_string())]);
        assert_eq!(parameters.of_tables["ids_structure"], "a Int8");
        assert_eq!(parameters.roles, ["x", "y"]);
    }

    #[test]
    fn a_handler_of_the_configuration_says_where_the_query_is() {
        let dynamic = Parameters::taken(Some("q=SELECT+1&param_a=2&query=x"), Taking::Parameter("q".to_string()));
        assert_eq!((dynamic.query.as_deref(), dynamic.of_query["a"].as_str()), (Some(&b"SELECT 1"[..]), "2"));
        assert_eq!(dynamic.settings, [("query".to_string(), "x".to_string())]);
        let taking = Taking::predefined("SELECT {a:Int8}, {_request_body:String}").expect("a query");
        let mut predefined = Parameters::taken(Some("a=2&param_b=3&max_threads=1"), taking);
        assert_eq!((predefined.of_query["a"].as_str(), predefined.of_query["b"].as_str()), ("2", "3"));
        assert_eq!(predefined.settings, [("max_threads".to_string(), "1".to_string())]);
        assert!(predefined.wants_body() && predefined.query.is_some());
        predefined.take_body(b"x");
        assert!(!predefined.wants_body());
    }

    #[test]
    fn bytes_that_are_no_text_stay() {
        let parameters = Parameters::of(Some("query=SELECT+'%ff%2B'&param_a=%FFb%C3%A4&user=%c3%A4%&query=2"));
        assert_eq!(parameters.query.as_deref(), Some(&b"SELECT '\xff+'"[..]));
        assert_eq!(parameters.of_query["a"], "\\xFFbä");
        assert_eq!(parameters.get("user"), Some("ä%"));
        assert_eq!(decoded("%+1%1%zz%"), b"% 1%1%zz%");
    }

    #[test]
    fn credentials_stand_in_one_place() {
        let none = Parameters::default();
        let basic = parts(&[("authorization", "Basic YWxpY2U6czplY3JldA==")]);
        let found = credentials(&basic, &none, None, HOME).expect("reads");
        assert_eq!((found.user.as_str(), found.password.as_str()), ("alice", "s:ecret"));
        let in_url = Parameters::of(Some("user=bob&password=x"));
        assert_eq!(credentials(&parts(&[("authorization", "never")]), &in_url, None, HOME).expect("reads").user, "bob");
        assert!(credentials(&basic, &in_url, None, HOME).is_err());
        let configured = || Some(("carol".to_string(), Secret::new("y")));
        assert_eq!(credentials(&parts(&[]), &none, configured(), HOME).expect("reads").user, "carol");
        assert!(credentials(&basic, &none, configured(), HOME).is_err());
        assert_eq!(credentials(&parts(&[]), &none, None, HOME).expect("reads").user, "");
    }

    #[test]
    fn the_server_chooses_among_what_is_accepted() {
        let choice = |text: &str| accepted_encoding(&parts(&[("accept-encoding", text)]));
        assert_eq!(choice("gzip, deflate, br, zstd"), Compression::Zstd);
        assert_eq!(choice("gzip, br;q=0"), Compression::Gzip);
        assert_eq!(choice("identity"), Compression::None);
        assert_eq!(choice(""), Compression::None);
    }
}
