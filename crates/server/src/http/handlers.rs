//! Which request is answered how: `<http_handlers>` of the configuration, in ClickHouse's form.
//!
//! Rules are asked in their order, and the first one that a request fits answers it. `<defaults/>` among them is the place of what
//! a server answers without a configuration; where it is left out, nothing of that is there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_sql::ast::with_escapes;
use gristmill_sql::parameters;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Method, StatusCode, Uri};
use parking_lot::RwLock;
use regex::Regex;

use super::response_headers;

const INCORRECT_FILE_NAME: ErrorCode = ErrorCode(79);

/// The rules of a server.
#[derive(Clone, Debug)]
pub struct Handlers(pub Vec<Entry>);

#[derive(Clone, Debug)]
pub enum Entry {
    /// What a server answers without rules.
    Defaults,
    Rule(Arc<Rule>),
}

/// How a server answers requests, as far as its configuration says.
#[derive(Clone, Debug, Default)]
pub struct Routing {
    /// `None`: every request as without a configuration.
    pub handlers: Option<Handlers>,
    /// What `/` answers that has no query.
    pub default_response: Option<String>,
    /// The headers of what OPTIONS answers; `None`: those that let pages of other sites ask.
    pub options: Option<Vec<(HeaderName, HeaderValue)>>,
}

/// The routing that holds now: who reads the configuration again shares it with who answers.
#[derive(Clone, Debug)]
pub struct SharedRouting(Arc<RwLock<Arc<Routing>>>);

impl SharedRouting {
    pub fn new(routing: Routing) -> Self {
        SharedRouting(Arc::new(RwLock::new(Arc::new(routing))))
    }

    pub fn change(&self, routing: Routing) {
        *self.0.write() = Arc::new(routing);
    }

    pub fn now(&self) -> Arc<Routing> {
        self.0.read().clone()
    }
}

/// What a request has to be like, and what answers it. What is not said fits anything.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The path, as it was sent.
    pub url: Option<Pattern>,
    /// The path with the query behind it.
    pub full_url: Option<Pattern>,
    /// Nothing stands behind the path.
    pub without_query: bool,
    pub methods: Vec<String>,
    pub headers: Vec<(String, Pattern)>,
    /// Of the answer.
    pub response_headers: Vec<(HeaderName, HeaderValue)>,
    pub handler: Handler,
}

/// A text, or a regular expression of all of it.
#[derive(Clone, Debug)]
pub enum Pattern {
    Exact(String),
    Matches(Regex),
}

#[derive(Clone, Debug)]
pub enum Handler {
    Static { status: StatusCode, content: Content },
    Redirect(HeaderValue),
    Query { taking: Taking, credentials: Option<(String, Secret)> },
    Prometheus,
    Alive,
    Play,
    Dashboard,
    Merges,
    Memory,
    Binary,
}

/// What a static answer consists of.
#[derive(Clone, Debug)]
pub enum Content {
    Bytes(Vec<u8>),
    /// A file below the folder of users' files.
    File(String),
}

/// Where the statement of a request comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taking {
    /// From this parameter of the URL; other parameters are settings.
    Parameter(String),
    /// It stands in the configuration. Parameters of the URL that have its parameters' names are those.
    Predefined { query: String, names: Vec<String> },
}

impl Default for Taking {
    fn default() -> Self {
        Taking::Parameter("query".to_string())
    }
}

impl Taking {
    /// Error: SYNTAX_ERROR.
    pub fn predefined(query: &str) -> Result<Taking> {
        Ok(Taking::Predefined { query: query.to_string(), names: parameters::names(query)? })
    }
}

/// How a pattern of the configuration says that it is a regular expression.
const REGEX: &str = "regex:";

impl Pattern {
    /// Error: CANNOT_COMPILE_REGEXP.
    pub fn of(text: &str) -> Result<Pattern> {
        let Some(expression) = text.strip_prefix(REGEX) else { return Ok(Pattern::Exact(text.to_string())) };
        Regex::new(&format!("^(?:{expression})$")).map(Pattern::Matches).map_err(|error| {
            Error::new(ErrorCode::CANNOT_COMPILE_REGEXP, format!("'{expression}' is no regular expression: {error}"))
        })
    }

    fn fits(&self, text: &str) -> bool {
        match self {
            Pattern::Exact(exact) => exact == text,
            Pattern::Matches(regex) => regex.is_match(text),
        }
    }

    /// What the named groups are.
    fn captured(&self, text: &str, into: &mut Vec<(String, String)>) {
        let Pattern::Matches(regex) = self else { return };
        let Some(captures) = regex.captures(text) else { return };
        for name in regex.capture_names().flatten() {
            if let Some(found) = captures.name(name) {
                into.push((name.to_string(), with_escapes(found.as_str().as_bytes())));
            }
        }
    }
}

impl Rule {
    fn fits(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> bool {
        let fits = |pattern: &Option<Pattern>, text: &str| pattern.as_ref().is_none_or(|pattern| pattern.fits(text));
        fits(&self.url, uri.path())
            && fits(&self.full_url, full(uri))
            && !(self.without_query && uri.query().is_some_and(|query| !query.is_empty()))
            && (self.methods.is_empty() || self.methods.iter().any(|known| known == method.as_str()))
            && self.headers.iter().all(|(name, pattern)| pattern.fits(text_of(headers, name)))
    }

    /// What the named groups of the rule's expressions are in a request it fits.
    pub fn captured(&self, parts: &Parts) -> Vec<(String, String)> {
        let mut captured = Vec::new();
        let urls = [(&self.url, parts.uri.path()), (&self.full_url, full(&parts.uri))];
        for (pattern, text) in urls {
            if let Some(pattern) = pattern {
                pattern.captured(text, &mut captured);
            }
        }
        for (name, pattern) in &self.headers {
            pattern.captured(text_of(&parts.headers, name), &mut captured);
        }
        captured
    }
}

fn full(uri: &Uri) -> &str {
    uri.path_and_query().map_or("/", |both| both.as_str())
}

/// A header that is not there is an empty one.
fn text_of<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

impl Handlers {
    /// The first entry that a request fits; `None`: there is none for it.
    pub fn of_request(&self, method: &Method, uri: &Uri, headers: &HeaderMap, is_default: bool) -> Option<&Entry> {
        self.0.iter().find(|entry| match entry {
            Entry::Defaults => is_default,
            Entry::Rule(rule) => rule.fits(method, uri, headers),
        })
    }
}

impl Content {
    /// The bytes, of a file those that it has now. Errors: INCORRECT_FILE_NAME, CANNOT_OPEN_FILE.
    pub fn bytes(&self, user_files: Option<&Path>) -> Result<Vec<u8>> {
        let name = match self {
            Content::Bytes(bytes) => return Ok(bytes.clone()),
            Content::File(name) => name,
        };
        let wrong = || {
            let text = format!("Invalid file name {name} for a static handler: it has to lie in the folder of users' files");
            Error::new(INCORRECT_FILE_NAME, text)
        };
        let folder = user_files.and_then(|folder| folder.canonicalize().ok()).ok_or_else(wrong)?;
        let file: PathBuf = folder.join(name).canonicalize().map_err(|_| wrong())?;
        if !file.starts_with(&folder) {
            return Err(wrong());
        }
        std::fs::read(&file)
            .map_err(|error| Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot read {}: {error}", file.display())))
    }
}

/// A header of answers. Error: BAD_ARGUMENTS.
pub fn response_header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue)> {
    response_headers::header(name, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(url: &str) -> Rule {
        Rule {
            url: Some(Pattern::of(url).expect("a pattern")),
            full_url: None,
            without_query: false,
            methods: vec!["GET".to_string(), "HEAD".to_string()],
            headers: vec![
                ("XXX".to_string(), Pattern::Exact("x".to_string())),
                ("P".to_string(), Pattern::of("regex:(?P<second>[a-z]+)").expect("a pattern")),
            ],
            response_headers: Vec::new(),
            handler: Handler::Alive,
        }
    }

    fn parts(method: &str, uri: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = hyper::Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn a_request_fits_where_all_does() {
        let rule = rule("regex:/q/(?P<first>[^/]+)");
        let fits = |method, uri, headers: &[(&str, &str)]| {
            let parts = parts(method, uri, headers);
            rule.fits(&parts.method, &parts.uri, &parts.headers)
        };
        let headers = [("xxx", "x"), ("p", "abc")];
        assert!(fits("GET", "/q/a?b=1", &headers) && fits("HEAD", "/q/a", &headers));
        assert!(!fits("POST", "/q/a", &headers) && !fits("GET", "/q/a/b", &headers) && !fits("GET", "/z/q/a", &headers));
        assert!(!fits("GET", "/q/a", &headers[..1]) && !fits("GET", "/q/a", &[("xxx", "y"), ("p", "abc")]));
        let captured = rule.captured(&parts("GET", "/q/a%20b", &headers));
        let expected = [("first", "a%20b"), ("second", "abc")].map(|(name, value)| (name.to_string(), value.to_string()));
        assert_eq!(captured, expected);
    }

    #[test]
    fn the_first_entry_that_fits_answers() {
        let entries = vec![Entry::Rule(Arc::new(rule("/ping"))), Entry::Defaults];
        let handlers = Handlers(entries);
        let request = parts("GET", "/ping", &[("xxx", "x"), ("p", "abc")]);
        let found = |parts: &Parts, is_default| {
            handlers.of_request(&parts.method, &parts.uri, &parts.headers, is_default).map(|entry| match entry {
                Entry::Defaults => "defaults",
                Entry::Rule(_) => "rule",
            })
        };
        assert_eq!(found(&request, true), Some("rule"));
        assert_eq!(found(&parts("GET", "/ping", &[]), true), Some("defaults"));
        assert_eq!(found(&parts("GET", "/other", &[]), false), None);
    }

    #[test]
    fn files_lie_below_the_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = folder.path().join("user_files");
        std::fs::create_dir(&files).expect("makes");
        std::fs::write(files.join("a.html"), "hello").expect("writes");
        std::fs::write(folder.path().join("secret"), "s").expect("writes");
        let bytes = |name: &str| Content::File(name.to_string()).bytes(Some(&files));
        assert_eq!(bytes("a.html").expect("reads"), b"hello");
        for name in ["../secret", "none", "/etc/passwd"] {
            assert_eq!(bytes(name).expect_err(name).code(), INCORRECT_FILE_NAME);
        }
    }

    #[test]
    fn names_of_parameters_are_those_of_the_query() {
        let Taking::Predefined { names, .. } = Taking::predefined("SELECT {b:String}, {a:Int8}").expect("a query") else {
            panic!("predefined");
        };
        assert_eq!(names, ["a", "b"]);
    }
}
