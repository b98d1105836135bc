//! Protocol, host and port.

use SqlType as T;
use arrow::datatypes::{Int64Type, UInt16Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use crate::columns::{Bytes, Numbers, numbers};
use crate::define::{arity, expect_integer, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::strings::part_function;

pub fn register(registry: &mut Registry) {
    registry.scalar("protocol", part_function(protocol));
    registry.scalar("domain", part_function(|url| host(url, false)));
    registry.scalar("domainRFC", part_function(|url| host(url, true)));
    registry.scalar("domainWithoutWWW", part_function(|url| without_www(host(url, false))));
    registry.scalar("domainWithoutWWWRFC", part_function(|url| without_www(host(url, true))));
    registry.scalar("topLevelDomain", part_function(|url| top_level(host(url, false))));
    registry.scalar("topLevelDomainRFC", part_function(|url| top_level(host(url, true))));
    registry.scalar("netloc", part_function(net_location));
    registry.scalar("port", plain(|name, arguments, _| port(name, arguments, false)));
    registry.scalar("portRFC", plain(|name, arguments, _| port(name, arguments, true)));
}

/// Length of the scheme before `://`.
fn scheme(url: &[u8]) -> Option<usize> {
    let length = url.iter().position(|c| !(c.is_ascii_alphanumeric() || b"+-.".contains(c)))?;
    (length > 0 && url[length..].starts_with(b"://")).then_some(length)
}

/// The word before a colon that at least three letters follow, whether there are slashes among them or not.
pub fn protocol(url: &[u8]) -> &[u8] {
    let word = url.iter().position(|c| !(c.is_ascii_alphanumeric() || b"+-.".contains(c)));
    let is_one = |length: &usize| url[0].is_ascii_alphabetic() && url[*length] == b':' && url.len() - length >= 4;
    &url[..word.filter(is_one).unwrap_or(0)]
}

/// What follows the scheme and its slashes.
fn after_scheme(url: &[u8]) -> &[u8] {
    match scheme(url) {
        Some(length) => &url[length + 3..],
        None => url.strip_prefix(b"//").unwrap_or(url),
    }
}

/// A name with a point in it. `rfc`: user and password may stand before it, and IPv6 addresses in brackets.
pub fn host(url: &[u8], rfc: bool) -> &[u8] {
    let rest = after_scheme(url);
    let authority_end = rest.iter().position(|c| b"/?#".contains(c)).unwrap_or(rest.len());
    let mut authority = &rest[..authority_end];
    if rfc && let Some(at) = memchr::memrchr(b'@', authority) {
        authority = &authority[at + 1..];
    }
    if rfc && authority.first() == Some(&b'[') {
        let inside = memchr::memchr(b']', authority).map(|end| &authority[1..end]);
        return inside.filter(|address| is_bracketed(address)).unwrap_or(&authority[..0]);
    }
    let end = memchr::memchr(b':', authority).unwrap_or(authority.len());
    let name = &authority[..end];
    let strange = |c: &u8| is_forbidden(c) || is_delimiter(c);
    // A user may stand before the name. (A password makes the part before its colon the name.)
    let start = memchr::memrchr(b'@', name).map_or(0, |at| at + 1);
    match memchr::memrchr(b'.', name) {
        Some(dot) if dot + 1 < name.len() && !name.iter().any(strange) => &name[start..],
        _ => &url[..0],
    }
}

/// Whether what stands in brackets can be an IPv6 address: it has a colon, and no point.
fn is_bracketed(address: &[u8]) -> bool {
    address.contains(&b':') && !address.iter().any(|c| *c == b'.' || is_forbidden(c) || is_delimiter(c))
}

/// Stands nowhere in a URL.
fn is_forbidden(c: &u8) -> bool {
    matches!(c, b' ' | b'\t' | b'<' | b'>' | b'{' | b'}' | b'|' | b'\\' | b'^' | b'[' | b']')
}

/// Stands in a user's name or password, but in no host.
fn is_delimiter(c: &u8) -> bool {
    matches!(c, b'%' | b'~' | b';' | b'=' | b'&')
}

pub fn without_www(host: &[u8]) -> &[u8] {
    host.strip_prefix(b"www.").unwrap_or(host)
}

/// Nothing for IP addresses.
fn top_level(host: &[u8]) -> &[u8] {
    match memchr::memrchr(b'.', host) {
        Some(dot) if !host[dot + 1..].first().is_some_and(u8::is_ascii_digit) => &host[dot + 1..],
        _ => &host[..0],
    }
}

/// Letters at the front of a text that say whether it can be a URL at all.
const SCHEME_BYTES_MAX: usize = 16;

/// Whether a text begins with a word that something follows which no URL has there.
fn is_no_url(url: &[u8]) -> bool {
    let start = url.get(1..url.len().min(SCHEME_BYTES_MAX)).unwrap_or_default();
    let behind = start.iter().find(|c| !(c.is_ascii_alphanumeric() || b"+-.".contains(c)));
    behind.is_some_and(|c| is_forbidden(c) || is_delimiter(c))
}

/// User, password, host and port, as far as they hold nothing that they cannot.
fn net_location(url: &[u8]) -> &[u8] {
    if !url.starts_with(b"//") && is_no_url(url) {
        return &url[..0];
    }
    let rest = after_scheme(url);
    let authority = &rest[..rest.iter().position(|c| b"/?#".contains(c)).unwrap_or(rest.len())];
    let user = memchr::memchr(b'@', authority);
    let ends = |(at, c): (usize, &u8)| is_forbidden(c) || (user.is_some_and(|user| at > user) && is_delimiter(c));
    let end = authority.iter().enumerate().position(ends);
    // Without a user all of it is the host.
    let host_end = || authority.iter().position(is_delimiter).filter(|_| user.is_none());
    &authority[..end.or_else(host_end).unwrap_or(authority.len())]
}

fn port(name: &str, arguments: &[Argument], rfc: bool) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_string(name, arguments, 0)?;
    let mut casts = vec![arguments[0].kind.clone()];
    if arguments.len() == 2 {
        expect_integer(name, arguments, 1)?;
        casts.push(T::Int64);
    }
    Ok(Bound::cast(casts, T::UInt16, move |args, rows| {
        let urls = Bytes::of(&args[0])?;
        let defaults = args.get(1).map(Numbers::of::<Int64Type>).transpose()?;
        numbers::<UInt16Type>(rows, |row| {
            let url = urls.get(row);
            let found = host(url, rfc);
            let found = if found.is_empty() { None } else { found_port(url, found) };
            Ok(found.unwrap_or_else(|| defaults.map_or(0, |defaults| defaults.get(row) as u16)))
        })
    }))
}

/// The number after the host, which is a part of the URL.
fn found_port(url: &[u8], host: &[u8]) -> Option<u16> {
    let end = host.as_ptr() as usize - url.as_ptr() as usize + host.len();
    let rest = url.get(end..)?;
    let rest = rest.strip_prefix(b"]").unwrap_or(rest).strip_prefix(b":")?;
    let digits = rest.iter().position(|c| !c.is_ascii_digit()).unwrap_or(rest.len());
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}
