//! Significant parts of domains by lists of suffixes that the server's configuration names: the `Custom` functions.
//!
//! A list is a file as that of publicsuffix.org: a suffix a line, `*.suffix` where each name below is a suffix too, `!name.suffix` for
//! one that is none after all. A host is looked at from its longest suffix on; the first that the list has decides. Where it has none,
//! the last two names count.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use parking_lot::RwLock;

use super::host::{host, without_www};
use crate::columns::slices;
use crate::define::{arity, constant_bytes, expect_string, plain_of_query};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Rule {
    Suffix,
    /// Every name below is a suffix.
    Below,
    /// It is registered itself.
    Registered,
}

/// The suffixes of a list.
#[derive(Debug, Default)]
pub struct Suffixes {
    rules: HashMap<Vec<u8>, Rule>,
}

impl Suffixes {
    /// Of the text of a file; what follows `//` or `#` is a comment.
    pub fn read(text: &str) -> Suffixes {
        let mut rules = HashMap::new();
        for line in text.lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
                continue;
            }
            let (name, rule) = match (line.strip_prefix("*."), line.strip_prefix('!')) {
                (Some(name), _) => (name, Rule::Below),
                (_, Some(name)) => (name, Rule::Registered),
                _ => (line, Rule::Suffix),
            };
            rules.insert(name.as_bytes().to_vec(), rule);
        }
        Suffixes { rules }
    }

    /// From the significant part to the end of the host.
    fn significant<'a>(&self, host: &'a [u8]) -> &'a [u8] {
        let host = host.strip_suffix(b".").unwrap_or(host);
        // Where names begin: that before the suffix that is looked at, and the one before that.
        let (mut before, mut name) = (0, 0);
        for dot in memchr::memchr_iter(b'.', host) {
            match self.rules.get(&host[dot + 1..]) {
                Some(Rule::Suffix) => return &host[name..],
                Some(Rule::Below) => return &host[before..],
                Some(Rule::Registered) => return &host[dot + 1..],
                None => (before, name) = (name, dot + 1),
            }
        }
        // What has no dot is no domain.
        if name == 0 { &host[..0] } else { &host[before..] }
    }
}

static LISTS: RwLock<BTreeMap<String, Arc<Suffixes>>> = RwLock::new(BTreeMap::new());

/// From now on these are the lists of this process, by their names.
pub fn configure(lists: BTreeMap<String, Suffixes>) {
    *LISTS.write() = lists.into_iter().map(|(name, list)| (name, Arc::new(list))).collect();
}

pub fn register(registry: &mut Registry) {
    for (suffix, rfc) in [("", false), ("RFC", true)] {
        registry.scalar(
            &format!("firstSignificantSubdomainCustom{suffix}"),
            plain_of_query(move |name, arguments, _| {
                bind(name, arguments, move |url, list| {
                    let part = list.significant(without_www(host(url, rfc)));
                    &part[..memchr::memchr(b'.', part).unwrap_or(part.len())]
                })
            }),
        );
        registry.scalar(
            &format!("cutToFirstSignificantSubdomainCustom{suffix}"),
            plain_of_query(move |name, arguments, _| {
                bind(name, arguments, move |url, list| list.significant(without_www(host(url, rfc))))
            }),
        );
        registry.scalar(
            &format!("cutToFirstSignificantSubdomainCustomWithWWW{suffix}"),
            plain_of_query(move |name, arguments, _| {
                bind(name, arguments, move |url, list| list.significant(host(url, rfc)))
            }),
        );
    }
}

/// A URL, and the name of a list. Error: TLD_LIST_NOT_FOUND.
fn bind(
    name: &str,
    arguments: &[Argument],
    f: impl for<'a> Fn(&'a [u8], &Suffixes) -> &'a [u8] + Send + Sync + 'static,
) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_string(name, arguments, 0)?;
    expect_string(name, arguments, 1)?;
    let list = constant_bytes(&arguments[1]).map(|list| String::from_utf8_lossy(&list).into_owned());
    let list = list.ok_or_else(|| {
        let text = format!("The second argument of function {name} should be a constant string with the name of a TLD list");
        Error::new(ErrorCode::ILLEGAL_COLUMN, text)
    })?;
    let known = LISTS.read().get(&list).cloned();
    let suffixes = known.ok_or_else(|| {
        let text =
            format!("TLD list {list} does not exist: name its file in <top_level_domains_lists> of the configuration");
        Error::new(ErrorCode::TLD_LIST_NOT_FOUND, text)
    })?;
    let kind = arguments[0].kind.clone();
    let casts = vec![kind, arguments[1].kind.clone()];
    Ok(Bound::cast(casts, SqlType::String, move |args, rows| slices(&args[0], rows, |_, url| f(url, &suffixes))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_suffix_decides() {
        let list = Suffixes::read("// names\ncom\nco.uk\nuk\n*.ck\n!www.ck\n\n# more\n*.compute.example.org\n");
        let significant = |host: &str| String::from_utf8_lossy(list.significant(host.as_bytes())).into_owned();
        assert_eq!(significant("news.bbc.co.uk"), "bbc.co.uk");
        assert_eq!(significant("a.b.example.com."), "example.com");
        assert_eq!(significant("x.foo.bar.ck"), "foo.bar.ck");
        assert_eq!(significant("a.www.ck"), "www.ck");
        assert_eq!(significant("bar.foo.there-is-no-such-domain"), "foo.there-is-no-such-domain");
        assert_eq!(significant("localhost"), "");
        assert_eq!(significant("co.uk"), "co.uk");
        assert_eq!(significant(""), "");
    }
}
