//! Significant parts of domains: what is registered below a top-level domain or one of its well-known second levels
//! (`co.uk`, `com.tr`).

use super::host::{host, without_www};
use crate::registry::Registry;
use crate::strings::part_function;

/// Second levels under which domains are registered.
const SECOND_LEVELS: [&[u8]; 24] = [
    b"ac", b"asn", b"biz", b"co", b"com", b"edu", b"gen", b"go", b"gob", b"gov", b"govt", b"id", b"info", b"ltd", b"me",
    b"mil", b"ne", b"net", b"nhs", b"nom", b"or", b"org", b"plc", b"sch",
];

pub fn register(registry: &mut Registry) {
    for (suffix, rfc) in [("", false), ("RFC", true)] {
        let named = |name: &str| format!("{name}{suffix}");
        registry.scalar(
            &named("firstSignificantSubdomain"),
            part_function(if rfc {
                |url| first_significant(host(url, true))
            } else {
                |url| first_significant(host(url, false))
            }),
        );
        registry.scalar(
            &named("cutToFirstSignificantSubdomain"),
            part_function(if rfc {
                |url| significant_beside_www(host(url, true))
            } else {
                |url| significant_beside_www(host(url, false))
            }),
        );
        registry.scalar(
            &named("cutToFirstSignificantSubdomainWithWWW"),
            part_function(if rfc { |url| significant(host(url, true)) } else { |url| significant(host(url, false)) }),
        );
    }
}

/// From the significant part to the end of the host. Nothing, where that part is empty.
fn significant(host: &[u8]) -> &[u8] {
    let dots: Vec<usize> = memchr::memchr_iter(b'.', host).collect();
    let part = match dots[..] {
        [] => &host[..0],
        [_] => host,
        [.., before, second, last] if SECOND_LEVELS.contains(&&host[second + 1..last]) => &host[before + 1..],
        [second, last] if SECOND_LEVELS.contains(&&host[second + 1..last]) => host,
        [.., second, _] => &host[second + 1..],
    };
    if part.starts_with(b".") { &part[..0] } else { part }
}

/// As `significant`, of the host without `www.`; a top-level domain that is left alone is significant.
fn significant_beside_www(host: &[u8]) -> &[u8] {
    let bare = without_www(host);
    if bare.len() < host.len() && !bare.contains(&b'.') { bare } else { significant(bare) }
}

fn first_significant(host: &[u8]) -> &[u8] {
    let part = significant_beside_www(host);
    &part[..memchr::memchr(b'.', part).unwrap_or(part.len())]
}
