//! A-1: no secret leaves the process in a log, an error, a plan or a system table.
//!
//! Two means: `Secret` cannot be printed, and `statement` hides the credential arguments of the table functions and
//! engines that take them, in the text of a statement, before that text is logged or shown. It reads the text token by
//! token (quotes, escapes and nesting respected) and does not need the statement to parse, because a statement with a
//! mistake in it is logged as well.

use std::fmt;

pub const HIDDEN: &str = "[HIDDEN]";

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

/// Functions and engines whose arguments may hold credentials, with how they are told apart.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// `(url, key, secret [, token] …)`: every string after the first that is not a format, structure or compression.
    S3,
    /// `(connection_string | url, container, path, [account, key] …)`.
    Azure,
    /// `headers(name = value)`: every value.
    Headers,
}

fn shape(name: &str) -> Option<Shape> {
    match name.to_ascii_lowercase().as_str() {
        "s3" | "s3cluster" | "gcs" | "oss" | "cosn" | "s3queue" | "gcscluster" => Some(Shape::S3),
        "azureblobstorage" | "azureblobstoragecluster" | "azurequeue" => Some(Shape::Azure),
        "headers" | "extra_credentials" => Some(Shape::Headers),
        _ => None,
    }
}

fn secret_key(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["secret", "password", "token", "account_key", "access_key", "connection_string", "sas", "authorization", "api_key"]
        .iter()
        .any(|part| name.contains(part))
        && name != "access_key_id"
}

#[derive(Debug, Clone, PartialEq)]
enum Token<'a> {
    Word(&'a str),
    Text { raw: &'a str, value: &'a str },
    Open,
    Close,
    Comma,
    Equals,
    Other(&'a str),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'\'' => {
                at += 1;
                while at < bytes.len() && bytes[at] != b'\'' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                let inner_end = at.min(bytes.len());
                at = (at + 1).min(bytes.len());
                let raw = text.get(start..at).unwrap_or("");
                out.push(Token::Text { raw, value: text.get(start + 1..inner_end).unwrap_or("") });
            }
            b'(' => {
                at += 1;
                out.push(Token::Open);
            }
            b')' => {
                at += 1;
                out.push(Token::Close);
            }
            b',' => {
                at += 1;
                out.push(Token::Comma);
            }
            b'=' => {
                at += 1;
                out.push(Token::Equals);
            }
            c if c.is_ascii_alphanumeric() || c == b'_' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                    at += 1;
                }
                out.push(Token::Word(&text[start..at]));
            }
            _ => {
                at += 1;
                while at < bytes.len() && !text.is_char_boundary(at) {
                    at += 1;
                }
                out.push(Token::Other(&text[start..at]));
            }
        }
    }
    out
}

fn blank(token: &Token<'_>) -> bool {
    matches!(token, Token::Other(text) if text.trim().is_empty())
}

/// The text with every credential in it replaced by `[HIDDEN]`.
pub fn statement(text: &str) -> String {
    let tokens = tokens(text);
    let mut out = String::with_capacity(text.len());
    // The open calls around the current token: what they are, and how many string arguments they have had.
    let mut calls: Vec<(Option<Shape>, usize)> = Vec::new();
    let mut word = "";
    let mut key: Option<&str> = None;
    let mut identified = false;
    for token in &tokens {
        match token {
            Token::Open => {
                calls.push((shape(word), 0));
                word = "";
                key = None;
                out.push('(');
            }
            Token::Close => {
                calls.pop();
                key = None;
                out.push(')');
            }
            Token::Comma => {
                if let Some(call) = calls.last_mut() {
                    call.1 += 1;
                }
                key = None;
                word = "";
                out.push(',');
            }
            Token::Equals => {
                key = Some(word);
                out.push('=');
            }
            Token::Word(text) => {
                let of_collection = text.eq_ignore_ascii_case("COLLECTION") && word.eq_ignore_ascii_case("NAMED");
                identified = of_collection || of_password(text).unwrap_or(identified);
                word = text;
                out.push_str(text);
            }
            Token::Text { raw, value } => {
                let call = calls.last().copied().unwrap_or((None, 0));
                let hide = match (call, key) {
                    _ if identified => true,
                    ((_, _), Some(key)) if secret_key(key) => true,
                    ((Some(Shape::Headers), _), Some(_)) => true,
                    ((Some(Shape::S3), argument), None) => (2..=3).contains(&argument) && !known_word(value),
                    ((Some(Shape::Azure), 0), None) => value.to_ascii_lowercase().contains("accountkey="),
                    ((Some(Shape::Azure), argument), None) => argument == 4 && !known_word(value),
                    _ => false,
                };
                if hide {
                    out.push('\'');
                    out.push_str(HIDDEN);
                    out.push('\'');
                } else {
                    out.push_str(&url(raw));
                }
                word = value;
            }
            Token::Other(text) => {
                if !blank(token) && *text != "." {
                    word = "";
                }
                out.push_str(text);
            }
        }
    }
    out
}

/// Whether passwords follow a word of CREATE USER; `None`: it does not say.
fn of_password(word: &str) -> Option<bool> {
    match word.to_ascii_uppercase().as_str() {
        "IDENTIFIED" => Some(true),
        "HOST" | "VALID" | "DEFAULT" | "GRANTEES" | "SETTINGS" | "RENAME" => Some(false),
        _ => None,
    }
}

/// Words that stand where a secret could and are none: formats, compression methods, structures (`a Int32, b String`).
fn known_word(value: &str) -> bool {
    const WORDS: &[&str] = &[
        "auto",
        "none",
        "gzip",
        "gz",
        "zstd",
        "zst",
        "lz4",
        "xz",
        "br",
        "brotli",
        "bz2",
        "snappy",
        "deflate",
        "parquet",
        "csv",
        "csvwithnames",
        "tsv",
        "tabseparated",
        "tsvwithnames",
        "tabseparatedwithnames",
        "jsoneachrow",
        "json",
        "arrow",
        "arrowstream",
        "native",
        "orc",
        "avro",
        "lineasstring",
        "rawblob",
        "rowbinary",
        "values",
        "",
    ];
    WORDS.contains(&value.to_ascii_lowercase().as_str()) || value.contains(' ')
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
