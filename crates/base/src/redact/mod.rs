//! no secret leaves the process in a log, an error, a plan or a system table.
//!
//! Two means: `Secret` cannot be printed, and `statement` hides the credential arguments of the functions, table functions and
//! engines that take them, in the text of a statement, before that text is logged or shown. It reads the text token by
//! token (quotes, escapes, comments and nesting respected) and does not need the statement to parse, because a statement with
//! a mistake in it is logged as well.

mod calls;
pub mod masking;
mod tokens;

use std::fmt;

use self::calls::Call;
use self::tokens::{Token, tokens};

pub const HIDDEN: &str = "[HIDDEN]";

/// Calls in one another that are read; what is deeper is hidden.
const DEPTH_MAX: usize = 32;

/// What is shorter is no secret that could be told from other words.
const SECRET_BYTES_LEAST: usize = 4;

/// A string that never prints itself.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Secret(String);

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Secret(value.into())
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

/// Whether a value of that name is a credential.
fn secret_key(name: &str) -> bool {
    const PARTS: &[&str] = &[
        "secret",
        "password",
        "token",
        "account_key",
        "access_key",
        "connection_string",
        "sas",
        "authorization",
        "api_key",
        "credential",
    ];
    // Of what is shown on purpose: the public half of a key, and how a text index takes texts apart.
    const SHOWN: &[&str] = &["access_key_id", "tokenizer"];
    let name = name.to_ascii_lowercase();
    PARTS.iter().any(|part| name.contains(part)) && !SHOWN.contains(&name.as_str())
}

/// The text with every credential in it replaced by `[HIDDEN]`.
pub fn statement(text: &str) -> String {
    read(text).out
}

/// As `statement`, and as the administrator's rules let it be seen: of what is logged, or told of what others run.
pub fn logged(text: &str) -> String {
    masking::masked(statement(text))
}

/// What is told of a statement, an error as a rule, without the credentials of that statement: it may quote any part.
pub fn told_of(text: &str, told: String) -> String {
    let mut hidden = read(text).hidden;
    hidden.retain(|secret| secret.len() >= SECRET_BYTES_LEAST && told.contains(secret));
    // One may be a part of another.
    hidden.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    hidden.iter().fold(told, |told, secret| told.replace(secret, HIDDEN))
}

/// The value of a setting as it may be shown.
pub fn setting(name: &str, value: &str) -> String {
    let is_number = value.parse::<f64>().is_ok() || matches!(value, "" | "true" | "false");
    if secret_key(name) && !is_number { HIDDEN.to_string() } else { url(value) }
}

fn read(text: &str) -> Reader<'_> {
    let tokens = tokens(text);
    let closing = closing(&tokens);
    let mut reader = Reader { tokens, closing, out: String::with_capacity(text.len()), ..Reader::default() };
    reader.read(0, reader.tokens.len());
    reader
}

/// Goes through the tokens and writes what may be shown of them.
#[derive(Default)]
struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    /// For each token that opens: the one that closes it, or the end.
    closing: Vec<usize>,
    /// Calls around the current token that take credentials.
    depth: usize,
    out: String,
    /// What was left out.
    hidden: Vec<&'a str>,
    /// The last word (or string) that still tells of what follows.
    word: &'a str,
    /// The name on the left of an `=` that was just read.
    key: Option<&'a str>,
    /// Passwords of users, or values of a named collection, follow.
    identified: bool,
    /// The statement makes or changes a user.
    of_user: bool,
    /// `BY`, and a password is to follow.
    by_password: bool,
    /// The statement makes a database: its engines have other arguments than tables'.
    of_database: bool,
    /// `ENGINE`, and nothing behind it but `=`.
    of_engine: bool,
}

impl<'a> Reader<'a> {
    fn read(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            if self.is_bare_secret(at) {
                at = self.hide_bare(at, to);
                continue;
            }
            match self.tokens[at] {
                Token::Open => {
                    self.out.push('(');
                    let call = Call::of(self.word, self.of_database, self.of_engine).filter(|_| !self.identified);
                    self.forget();
                    if let Some(call) = call {
                        let close = self.closing[at].min(to);
                        self.call(call, at + 1, close);
                        self.forget();
                        if close < to {
                            self.out.push(')');
                        }
                        at = close;
                    }
                }
                Token::Close => {
                    self.key = None;
                    self.out.push(')');
                }
                Token::Comma => {
                    self.forget();
                    self.out.push(',');
                }
                Token::Equals => {
                    self.key = Some(self.word);
                    self.out.push('=');
                }
                Token::Word(text) => self.word(text),
                Token::Name(text) => {
                    // A quoted name of a function or a setting is that name.
                    self.word = text.get(1..text.len() - 1).unwrap_or(text);
                    self.out.push_str(text);
                }
                Token::Text { raw, value } => {
                    // `PASSWORD 'x'` is how sources of dictionaries and credentials have it.
                    let hidden = self.identified
                        || self.key.is_some_and(secret_key)
                        || (self.key.is_none() && secret_word(self.word));
                    if hidden {
                        self.hidden.push(value);
                        self.hide()
                    } else {
                        self.out.push_str(&url(raw))
                    }
                    (self.word, self.by_password) = (value, false);
                }
                Token::Comment(text) => self.out.push_str(&url(text)),
                Token::Blank(text) => self.out.push_str(text),
                Token::Other(text) => {
                    if text != "." {
                        self.word = "";
                    }
                    self.out.push_str(text);
                }
            }
            at += 1;
        }
    }

    /// Whether a password begins here that somebody forgot to quote.
    fn is_bare_secret(&self, at: usize) -> bool {
        self.by_password
            && match self.tokens[at] {
                // `BY KEY '…'`, of the method ssh_key.
                Token::Word(word) => !word.eq_ignore_ascii_case("KEY"),
                Token::Name(_) => true,
                Token::Other(text) => text != ";",
                _ => false,
            }
    }

    /// Hides what begins here up to a blank or a comma; gives what is behind it.
    fn hide_bare(&mut self, from: usize, to: usize) -> usize {
        let end = (from..to).find(|&at| matches!(self.tokens[at], Token::Blank(_) | Token::Comma)).unwrap_or(to);
        for token in &self.tokens[from..end] {
            if let Token::Word(text) | Token::Name(text) | Token::Text { value: text, .. } = *token {
                self.hidden.push(text.trim_matches(['"', '`']));
            }
        }
        self.hide();
        (self.word, self.by_password) = ("", false);
        end
    }

    fn word(&mut self, text: &'a str) {
        let of_collection = text.eq_ignore_ascii_case("COLLECTION") && self.word.eq_ignore_ascii_case("NAMED");
        self.identified = of_collection || of_password(text).unwrap_or(self.identified);
        let changes = ["CREATE", "ATTACH", "REPLACE"].iter().any(|verb| self.word.eq_ignore_ascii_case(verb));
        self.of_database |= changes && text.eq_ignore_ascii_case("DATABASE");
        let changes = changes || self.word.eq_ignore_ascii_case("ALTER");
        self.of_user |= changes && text.eq_ignore_ascii_case("USER");
        self.by_password = text.eq_ignore_ascii_case("BY") && (self.of_user || self.word.eq_ignore_ascii_case("IDENTIFIED"));
        self.of_engine = text.eq_ignore_ascii_case("ENGINE") || (self.of_engine && self.word.eq_ignore_ascii_case("ENGINE"));
        self.word = text;
        self.out.push_str(text);
    }

    fn hide(&mut self) {
        self.out.push('\'');
        self.out.push_str(HIDDEN);
        self.out.push('\'');
    }

    /// What stood before says nothing of what follows.
    fn forget(&mut self) {
        (self.word, self.key, self.of_engine) = ("", None, false);
    }

    /// The arguments of a call that takes credentials.
    fn call(&mut self, call: Call, from: usize, to: usize) {
        if self.depth == DEPTH_MAX {
            return self.hide();
        }
        self.depth += 1;
        let mut ranges = Vec::new();
        let (mut depth, mut begun) = (0_usize, from);
        for at in from..to {
            match self.tokens[at] {
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Comma if depth == 0 => {
                    ranges.push((begun, at));
                    begun = at + 1;
                }
                _ => {}
            }
        }
        ranges.push((begun, to));
        let arguments: Vec<Vec<Token<'a>>> = ranges.iter().map(|&(from, to)| told(&self.tokens[from..to])).collect();
        let hidden = call.hidden(&arguments);
        for (i, &(from, to)) in ranges.iter().enumerate() {
            if i > 0 {
                self.out.push(',');
            }
            self.forget();
            match hidden[i] {
                calls::Shown::All => self.read(from, to),
                calls::Shown::None => self.hide_between(from, to),
                calls::Shown::Name => {
                    let equals = (from..to).find(|&at| self.tokens[at] == Token::Equals).unwrap_or(from);
                    self.read(from, equals + 1);
                    self.hide_between(equals + 1, to);
                }
            }
        }
        self.depth -= 1;
    }

    /// The secret instead of the tokens; blanks around it stay.
    fn hide_between(&mut self, from: usize, to: usize) {
        if let Some(Token::Blank(blank)) = self.tokens.get(from) {
            self.out.push_str(blank);
        }
        self.hide();
        for token in &self.tokens[from..to] {
            if let Token::Text { value, .. } = token {
                self.hidden.push(value);
            }
        }
        if to > from + 1
            && let Token::Blank(blank) = self.tokens[to - 1]
        {
            self.out.push_str(blank);
        }
    }
}

/// For each token that opens: the one that closes it, or the end of a statement that is cut.
fn closing(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut closing = vec![tokens.len(); tokens.len()];
    let mut open = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Open => open.push(at),
            Token::Close => {
                if let Some(opened) = open.pop() {
                    closing[opened] = at;
                }
            }
            _ => {}
        }
    }
    closing
}

/// Without blanks and comments.
fn told<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    tokens.iter().filter(|token| !matches!(token, Token::Blank(_) | Token::Comment(_))).copied().collect()
}

/// Words that are followed by a credential without `=`.
fn secret_word(word: &str) -> bool {
    ["PASSWORD", "SECRET", "SECRET_ACCESS_KEY", "SESSION_TOKEN"].iter().any(|secret| word.eq_ignore_ascii_case(secret))
}

/// Whether passwords follow a word of CREATE USER; `None`: it does not say.
fn of_password(word: &str) -> Option<bool> {
    match word.to_ascii_uppercase().as_str() {
        "IDENTIFIED" => Some(true),
        "HOST" | "VALID" | "DEFAULT" | "GRANTEES" | "SETTINGS" | "RENAME" => Some(false),
        _ => None,
    }
}

/// A URL's user and password, and the signature parameters of a presigned one, taken out.
pub fn url(text: &str) -> String {
    let mut text = text.to_string();
    if let Some(scheme) = text.find("://") {
        let rest = &text[scheme + 3..];
        let authority = rest.find(['/', '?', '\'']).unwrap_or(rest.len());
        if let Some(at) = rest[..authority].rfind('@')
            && rest[..at].contains(':')
        {
            let user = rest[..at].find(':').unwrap_or(at);
            text.replace_range(scheme + 3 + user + 1..scheme + 3 + at, HIDDEN);
        }
    }
    const PARAMETERS: &[&str] =
        &["x-amz-signature=", "x-amz-security-token=", "x-goog-signature=", "signature=", "sig=", "accountkey=", "token="];
    for parameter in PARAMETERS {
        let mut from = 0;
        while let Some(found) = text[from..].to_ascii_lowercase().find(parameter) {
            let value = from + found + parameter.len();
            let preceded = text[..from + found].chars().last().is_none_or(|c| !c.is_ascii_alphanumeric());
            let end = text[value..].find(['&', '\'', ';', ' ', '"']).map_or(text.len(), |end| value + end);
            if preceded && !text[value..end].starts_with(HIDDEN) {
                text.replace_range(value..end, HIDDEN);
                from = value + HIDDEN.len();
            } else {
                from = value;
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_table_functions_are_hidden() {
        assert_eq!(
            statement("SELECT * FROM s3('http://h/b/*.parquet', 'AKID', 'se\\'cret', 'Parquet') WHERE a = 'x'"),
            "SELECT * FROM s3('http://h/b/*.parquet', 'AKID', '[HIDDEN]', 'Parquet') WHERE a = 'x'"
        );
        assert_eq!(
            statement("INSERT INTO FUNCTION s3('u', 'k', 's', 'token', 'CSV') SELECT 1"),
            "INSERT INTO FUNCTION s3('u', 'k', '[HIDDEN]', '[HIDDEN]', 'CSV') SELECT 1"
        );
        assert_eq!(statement("s3('u', 'CSV', 'a Int32, b String')"), "s3('u', 'CSV', 'a Int32, b String')");
        assert_eq!(statement("s3('u', NOSIGN, 'CSV')"), "s3('u', NOSIGN, 'CSV')");
    }

    #[test]
    fn named_arguments_and_headers_are_hidden() {
        assert_eq!(
            statement("s3(url = 'u', access_key_id = 'k', secret_access_key = 's')"),
            "s3(url = 'u', access_key_id = 'k', secret_access_key = '[HIDDEN]')"
        );
        let index = "INDEX i s TYPE text(tokenizer = 'array')";
        assert_eq!(statement(index), index);
        assert_eq!(statement("url('u', headers('X-Key' = 'v'))"), "url('u', headers('X-Key' = '[HIDDEN]'))");
    }

    #[test]
    fn passwords_of_users_are_hidden() {
        let text = statement(
            "CREATE USER a IDENTIFIED WITH sha256_password BY 'one', bcrypt_hash BY 'two' SALT 'three' HOST IP '10.0.0.1'",
        );
        assert_eq!(
            text,
            "CREATE USER a IDENTIFIED WITH sha256_password BY '[HIDDEN]', bcrypt_hash BY '[HIDDEN]' SALT '[HIDDEN]' \
             HOST IP '10.0.0.1'"
        );
        let text = statement("CREATE NAMED COLLECTION c AS url = 'http://x/', secret_access_key = 'geheim'");
        assert_eq!(text, "CREATE NAMED COLLECTION c AS url = '[HIDDEN]', secret_access_key = '[HIDDEN]'");
        assert_eq!(statement("SELECT 'a' FROM collection WHERE b = 'c'"), "SELECT 'a' FROM collection WHERE b = 'c'");
        assert!(!statement("alter user a identified by'geheim' settings max_threads = '3'").contains("geheim"));
    }

    #[test]
    fn passwords_that_are_not_quoted_are_hidden() {
        for (text, shown) in [
            ("CREATE USER s IDENTIFIED BY S3CRET", "CREATE USER s IDENTIFIED BY '[HIDDEN]'"),
            ("CREATE USER s IDENTIFIED BY p@ss$w HOST ANY", "CREATE USER s IDENTIFIED BY '[HIDDEN]' HOST ANY"),
            ("ALTER USER s IDENTIFIED WITH sha256_hash BY \"S3\"", "ALTER USER s IDENTIFIED WITH sha256_hash BY '[HIDDEN]'"),
            (
                "CREATE USER s IDENTIFIED WITH ssh_key BY KEY 'a' TYPE 'b'",
                "CREATE USER s IDENTIFIED WITH ssh_key BY KEY '[HIDDEN]' TYPE '[HIDDEN]'",
            ),
            ("SELECT identified FROM t GROUP BY a", "SELECT identified FROM t GROUP BY a"),
        ] {
            assert_eq!(statement(text), shown);
        }
    }

    #[test]
    fn what_is_told_of_a_statement_has_none_of_its_secrets() {
        let told = |text: &str, told: &str| told_of(text, told.to_string());
        assert_eq!(told("CREATE USER s IDENTIFIED BY S3CRET", "found S3CRET"), "found [HIDDEN]");
        assert_eq!(told("CREATE USER s IDENTIFIED BY $$S3CRET$$", "found $$S3CRET$$"), "found $$[HIDDEN]$$");
        assert_eq!(
            told("SETTINGS disk = disk(secret_access_key = 'S3CRET')", "equals(k, 'S3CRET')"),
            "equals(k, '[HIDDEN]')"
        );
        // Too short to be told from other words.
        assert_eq!(told("CREATE USER s IDENTIFIED BY 'a'", "expected a word"), "expected a word");
    }

    #[test]
    fn values_of_settings_are_shown_without_passwords() {
        assert_eq!(setting("format_avro_schema_registry_url", "http://u:S3CRET@h"), "http://u:[HIDDEN]@h");
        assert_eq!(setting("some_password", "S3CRET"), "[HIDDEN]");
        assert_eq!(setting("max_threads", "8"), "8");
    }

    #[test]
    fn whole_expressions_are_hidden_and_clusters_shift_the_arguments() {
        assert_eq!(
            statement("SELECT * FROM s3('u', concat('A', 'K'), concat('SEK', ''), 'CSV', 'a Int8')"),
            "SELECT * FROM s3('u', concat('A', 'K'), '[HIDDEN]', 'CSV', 'a Int8')"
        );
        assert_eq!(statement("s3Cluster('c', 'u', 'k', 's', 'CSV')"), "s3Cluster('c', 'u', 'k', '[HIDDEN]', 'CSV')");
        assert_eq!(statement("s3(u, secret_access_key = concat('a', 'b'))"), "s3(u, secret_access_key = '[HIDDEN]')");
        for name in ["deltaLake", "iceberg", "icebergS3", "hudi", "gcs", "S3Queue"] {
            assert_eq!(statement(&format!("{name}('u', 'k', 's p')")), format!("{name}('u', 'k', '[HIDDEN]')"));
        }
        assert_eq!(
            statement("s3('u', 'TSVWithNames', concat('a ', 'Int8'))"),
            "s3('u', 'TSVWithNames', concat('a ', 'Int8'))"
        );
    }

    #[test]
    fn passwords_of_other_databases_are_hidden() {
        for (text, hidden) in [
            ("remote('h', a.b, 'u', 'p')", "remote('h', a.b, 'u', '[HIDDEN]')"),
            ("remote('h', 'a.b', 'u', 'p')", "remote('h', 'a.b', 'u', '[HIDDEN]')"),
            ("remoteSecure('h', 'a', 'b', 'u', 'p', rand())", "remoteSecure('h', 'a', 'b', 'u', '[HIDDEN]', rand())"),
            ("remote('h', numbers(10), 'u', 'p')", "remote('h', numbers(10), 'u', '[HIDDEN]')"),
            ("remote('h', system, one)", "remote('h', system, one)"),
            ("mysql('h', 'd', 't', 'u', 'p')", "mysql('h', 'd', 't', 'u', '[HIDDEN]')"),
            (
                "ENGINE = PostgreSQL('h', 'd', 't', 'u', 'p', 's')",
                "ENGINE = PostgreSQL('h', 'd', 't', 'u', '[HIDDEN]', 's')",
            ),
            (
                "CREATE DATABASE d ENGINE = MySQL('h', 'd', 'u', 'p')",
                "CREATE DATABASE d ENGINE = MySQL('h', 'd', 'u', '[HIDDEN]')",
            ),
            ("odbc('DSN=x;PWD=p', 'a', 'b')", "odbc('[HIDDEN]', 'a', 'b')"),
            ("mongodb('h', 'd', 'c', 'u', 'p')", "mongodb('h', 'd', 'c', 'u', '[HIDDEN]')"),
            ("redis('h', 'k', 'k String', 0, 'p')", "redis('h', 'k', 'k String', 0, '[HIDDEN]')"),
            ("ENGINE = Redis('h', 0, 'p') PRIMARY KEY k", "ENGINE = Redis('h', 0, '[HIDDEN]') PRIMARY KEY k"),
            ("SOURCE(CLICKHOUSE(USER 'u' PASSWORD 'p' DB 'd'))", "SOURCE(CLICKHOUSE(USER 'u' PASSWORD '[HIDDEN]' DB 'd'))"),
            ("HTTP(url 'x' headers(header(name 'K' value 'v')))", "HTTP(url 'x' headers(header('[HIDDEN]')))"),
        ] {
            assert_eq!(statement(text), hidden);
        }
    }

    #[test]
    fn keys_of_ciphers_are_hidden() {
        assert_eq!(statement("encrypt('aes-256-ofb', s, 'key')"), "encrypt('aes-256-ofb', '[HIDDEN]', '[HIDDEN]')");
        assert_eq!(statement("SELECT HMAC('sha256', m, concat('k', 'e'))"), "SELECT HMAC('sha256', m, '[HIDDEN]')");
    }

    #[test]
    fn comments_and_names_with_quotes_hide_nothing_from_the_reader() {
        assert_eq!(statement("s3('u', /* it's */ 'k', 's')"), "s3('u', /* it's */ 'k', '[HIDDEN]')");
        assert_eq!(statement("-- it's\ns3('u', 'k', 's')"), "-- it's\ns3('u', 'k', '[HIDDEN]')");
        assert_eq!(statement("SELECT \"it's\", s3('u', 'k', $$s$$)"), "SELECT \"it's\", s3('u', 'k', '[HIDDEN]')");
        assert_eq!(statement("s3('u', 'k', 's'"), "s3('u', 'k', '[HIDDEN]'");
        let deep = "s3('k','k',".repeat(100_000) + &"(".repeat(100_000);
        assert!(statement(&deep).len() < deep.len());
    }

    #[test]
    fn azure_keys_and_urls_with_passwords_are_hidden() {
        assert_eq!(
            statement("azureBlobStorage('http://h', 'c', 'p', 'account', 'a2V5', 'CSV')"),
            "azureBlobStorage('http://h', 'c', 'p', 'account', '[HIDDEN]', 'CSV')"
        );
        assert_eq!(url("http://user:pass@host/x"), "http://user:[HIDDEN]@host/x");
        assert_eq!(url("https://h/k?X-Amz-Signature=abc&x=1"), "https://h/k?X-Amz-Signature=[HIDDEN]&x=1");
        assert_eq!(
            url("https://h/k?AWSAccessKeyId=A&Signature=a%2Bb&Expires=1"),
            "https://h/k?AWSAccessKeyId=A&Signature=[HIDDEN]&Expires=1"
        );
    }
}
