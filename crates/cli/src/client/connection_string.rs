//! `clickhouse://user:password@host:port/database?secure=1&max_threads=4`: all of a connection in one word.
//!
//! What is not a parameter of the connection is a setting. Signs in names and passwords may be written as `%40`. The scheme
//! may be left out of nothing but `clickhouse:`, which is the local server.

use std::collections::BTreeMap;

use gristmill_base::Result;
use gristmill_base::redact::Secret;

use crate::arguments::bad;

const SCHEMES: [&str; 2] = ["clickhouse:", "gristmill:"];

/// What a connection string says; `None`: nothing.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ConnectionString {
    pub host: Option<String>,
    pub port: Option<u16>,
    pub user: Option<String>,
    pub password: Option<Secret>,
    pub database: Option<String>,
    pub secure: bool,
    pub settings: BTreeMap<String, String>,
}

/// Reads one. Error: BAD_ARGUMENTS, which shows nothing of it: there is a password in it.
pub fn parsed(text: &str) -> Result<ConnectionString> {
    let wrong =
        |what: &str| bad(format!("The connection string is not clickhouse://user:password@host:port/database: {what}"));
    let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme)).ok_or_else(|| wrong("it begins otherwise"))?;
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (login, place) = authority.rsplit_once('@').unwrap_or(("", authority));
    let given = |text: &str| {
        decoded(text).map(|text| Some(text).filter(|text| !text.is_empty())).ok_or_else(|| wrong("a % is no code"))
    };
    let (user, password) = match login.split_once(':') {
        Some((user, password)) => (user, Some(password)),
        None => (login, None),
    };
    let mut out = ConnectionString {
        user: given(user)?,
        password: password.map(given).transpose()?.map(|password| Secret::new(password.unwrap_or_default())),
        database: given(path.trim_end_matches('/'))?,
        ..ConnectionString::default()
    };
    // The first of several hosts.
    let place = place.split(',').next().unwrap_or_default();
    let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, rest)) => (host, rest.strip_prefix(':')),
        None => place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port))),
    };
    out.host = given(host)?;
    out.port = port.map(|port| port.parse().map_err(|_| wrong("its port is no number"))).transpose()?;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, "1"));
        let value = given(value)?.unwrap_or_default();
        match name {
            "secure" | "s" => out.secure = !matches!(value.as_str(), "0" | "false"),
            "user" | "u" => out.user = Some(value),
            "password" => out.password = Some(Secret::new(value)),
            "database" | "d" => out.database = Some(value),
            name => drop(out.settings.insert(given(name)?.unwrap_or_default().replace('-', "_"), value)),
        }
    }
    Ok(out)
}

/// With `%41` and its like replaced. `None`: they are no codes, or no text.
fn decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(out).ok()
}

/// Whether a word of the command line is meant as one.
pub fn is_one(word: &str) -> bool {
    SCHEMES.iter().any(|scheme| word.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_may_be_there_or_not() {
        let all = parsed("clickhouse://me:p%40ss@db.example:9001/logs?secure&max_threads=4").expect("reads");
        assert_eq!((all.host.as_deref(), all.port), (Some("db.example"), Some(9001)));
        assert_eq!((all.user.as_deref(), all.database.as_deref()), (Some("me"), Some("logs")));
        assert_eq!(all.password.as_ref().map(Secret::reveal), Some("p@ss"));
        assert!(all.secure && all.settings["max_threads"] == "4");
        assert_eq!(parsed("clickhouse:").expect("reads"), ConnectionString::default());
        let address = parsed("clickhouse://[::1]:9000").expect("reads");
        assert_eq!((address.host.as_deref(), address.port), (Some("::1"), Some(9000)));
    }

    #[test]
    fn a_mistake_shows_no_password() {
        for text in ["clickhouse://me:secret@h:port", "clickhouse://me:sec%ret@h", "http://me:secret@h"] {
            let error = parsed(text).expect_err("a mistake").to_string();
            assert!(!error.contains("secret") && !error.contains("sec%"), "{error}");
        }
    }
}
