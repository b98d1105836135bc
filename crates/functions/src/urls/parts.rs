//! Path, query string and fragment; and URLs without them.

use gristmill_types::SqlType;
use memchr::{memchr, memchr2, memrchr};

use super::entities;
use super::host::protocol;
use crate::columns::slice_lists;
use crate::define::{arity, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::Bound;
use crate::strings::{part_function, text_function};

pub fn register(registry: &mut Registry) {
    registry.scalar("path", part_function(|url| until(path_full(url), b'?', b'#')));
    registry.scalar("pathFull", part_function(path_full));
    registry.scalar(
        "queryString",
        part_function(|url| {
            let query = after(url, b'?');
            &query[..memchr(b'#', query).unwrap_or(query.len())]
        }),
    );
    registry.scalar(
        "queryStringAndFragment",
        // The mark of a fragment that no query stands before is a part of it.
        part_function(|url| match memchr(b'?', url) {
            Some(at) => &url[at + 1..],
            None => &url[memchr(b'#', url).unwrap_or(url.len())..],
        }),
    );
    registry.scalar("fragment", part_function(|url| after(url, b'#')));
    registry.scalar("cutFragment", part_function(|url| &url[..memchr(b'#', url).unwrap_or(url.len())]));
    registry.scalar("cutQueryStringAndFragment", part_function(|url| until(url, b'?', b'#')));
    registry.scalar(
        "cutQueryString",
        text_function(|url, out| {
            let query = memchr(b'?', url).unwrap_or(url.len());
            let fragment = memchr(b'#', &url[query..]).map_or(url.len(), |at| query + at);
            out.extend_from_slice(&url[..query]);
            out.extend_from_slice(&url[fragment..]);
        }),
    );
    registry.scalar(
        "cutWWW",
        text_function(|url, out| {
            let (before, behind) = www(url).map_or((url, &url[..0]), |at| (&url[..at], &url[at + WWW.len()..]));
            out.extend_from_slice(before);
            out.extend_from_slice(behind);
        }),
    );
    registry.scalar(
        "basename",
        part_function(|path| &path[path.iter().rposition(|c| matches!(c, b'/' | b'\\')).map_or(0, |at| at + 1)..]),
    );
    registry.scalar("firstLine", part_function(|text| until(text, b'\n', b'\r')));
    for (name, whole) in [("URLHierarchy", true), ("URLPathHierarchy", false)] {
        registry.scalar(
            name,
            plain(move |name, arguments, _| {
                arity(name, arguments, 1..=1)?;
                expect_string(name, arguments, 0)?;
                Ok(Bound::new(SqlType::array(SqlType::String), move |args, rows| {
                    slice_lists(&args[0], rows, |_, url, parts| {
                        hierarchy(url, whole, parts);
                        Ok(())
                    })
                }))
            }),
        );
    }
    registry.scalar("decodeHTMLComponent", text_function(entities::decode));
}

const WWW: &[u8] = b"www.";

/// Where the host begins, if that is with `www.`. Before it stand a scheme, which may be missing, two slashes and a user.
fn www(url: &[u8]) -> Option<usize> {
    let slash = memchr(b'/', url)?;
    let is_behind_scheme = slash == 0 || slash == protocol(url).len() + 1;
    if !is_behind_scheme || !url[slash..].starts_with(b"//") {
        return None;
    }
    let start = slash + 2;
    let authority = &url[start..];
    let end = authority.iter().position(|c| matches!(c, b':' | b'/' | b'?' | b'#')).unwrap_or(authority.len());
    let host = start + memrchr(b'@', &authority[..end]).map_or(0, |at| at + 1);
    url[host..].strip_prefix(WWW).filter(|rest| !rest.is_empty()).map(|_| host)
}

fn after(url: &[u8], mark: u8) -> &[u8] {
    memchr(mark, url).map_or(&url[..0], |at| &url[at + 1..])
}

fn until(url: &[u8], a: u8, b: u8) -> &[u8] {
    &url[..memchr2(a, b, url).unwrap_or(url.len())]
}

/// Where the path begins: at the first slash that is not of the `//` before the host.
fn path_start(url: &[u8]) -> Option<usize> {
    let first = memchr(b'/', url)?;
    if url.get(first + 1) != Some(&b'/') {
        return Some(first);
    }
    memchr(b'/', &url[first + 2..]).map(|at| first + 2 + at)
}

fn path_full(url: &[u8]) -> &[u8] {
    path_start(url).map_or(&url[..0], |start| &url[start..])
}

/// The URL up to the first of `/`, `?` and `#` behind the host, and up to each group of them, one mark included, and whole.
/// Without the host: paths only. What is no `scheme://` in small letters with something behind it has no levels.
fn hierarchy<'a>(url: &'a [u8], whole: bool, parts: &mut Vec<&'a [u8]>) {
    let is_mark = |c: &u8| matches!(c, b'/' | b'?' | b'#');
    let scheme = url.iter().take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit()).count();
    let host = scheme + b"://".len();
    if scheme == 0 || !url[scheme..].starts_with(b"://") || url.len() == host {
        if whole && !url.is_empty() {
            parts.push(url);
        }
        return;
    }
    let behind = |at: usize| url[at..].iter().position(is_mark).map_or(url.len(), |found| at + found);
    let start = behind(host);
    let mut at = (start + 1).min(url.len());
    let base = if whole { 0 } else { start };
    if whole {
        parts.push(&url[..at]);
    }
    loop {
        at += url[at..].iter().take_while(|c| is_mark(c)).count();
        if at == url.len() {
            return;
        }
        at = (behind(at) + 1).min(url.len());
        parts.push(&url[base..at]);
    }
}
