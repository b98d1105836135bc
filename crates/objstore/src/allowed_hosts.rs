//! Which hosts may be asked: what a server is told (`remote_url_allow_hosts`), and never, unless it is told so, the addresses at which
//! a machine in a cloud is given its own credentials: a URL in a query must not bring those to light.
//!
//! Of a name that stands for such an address nothing is known here; the resolver of the HTTP client leaves these addresses out.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gristmill_base::{Error, ErrorCode, Result};
use parking_lot::RwLock;
use regex::Regex;

/// What may be asked.
#[derive(Clone, Debug, Default)]
pub struct AllowedHosts {
    /// `host`, or `host:port`. With these or patterns, nothing but they.
    pub hosts: Vec<String>,
    /// Patterns that fit a whole `host` or `host:port`.
    pub patterns: Vec<Regex>,
    /// The addresses of metadata services may not, unless they are listed.
    pub refuses_metadata: bool,
}

static ALLOWED: RwLock<Option<AllowedHosts>> = RwLock::new(None);

/// For the whole process, from now on; without it every host may be asked.
pub fn allow(hosts: AllowedHosts) {
    *ALLOWED.write() = Some(hosts);
}

/// A pattern of the configuration, which has to fit the whole host. Error: BAD_ARGUMENTS.
pub fn pattern(text: &str) -> Result<Regex> {
    Regex::new(&format!("^(?:{text})$"))
        .map_err(|error| Error::new(ErrorCode::BAD_ARGUMENTS, format!("<host_regexp>{text}</host_regexp>: {error}")))
}

/// `authority`: host, or host and port. Error: UNACCEPTABLE_URL.
pub(crate) fn check(authority: &str) -> Result<()> {
    let allowed = ALLOWED.read();
    match &*allowed {
        Some(allowed) if !allowed.allows(authority) => Err(Error::new(
            ErrorCode::UNACCEPTABLE_URL,
            format!("The host {authority} is not allowed in the configuration: see <remote_url_allow_hosts>"),
        )),
        _ => Ok(()),
    }
}

/// Host and port of a URL.
pub(crate) fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// Whether a name's address may be connected to.
pub(crate) fn allows_address(address: IpAddr) -> bool {
    !is_metadata(address) || ALLOWED.read().as_ref().is_none_or(|allowed| !allowed.refuses_metadata)
}

impl AllowedHosts {
    fn allows(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let host = host_of(&authority);
        let is_listed =
            self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(&authority))
                || self.patterns.iter().any(|pattern| pattern.is_match(host) || pattern.is_match(&authority));
        if is_listed {
            return true;
        }
        let names_metadata = ["metadata.google.internal", "metadata", "instance-data"].contains(&host.trim_end_matches('.'))
            || address(host).is_some_and(is_metadata);
        self.hosts.is_empty() && self.patterns.is_empty() && !(self.refuses_metadata && names_metadata)
    }
}

/// Without the port.
fn host_of(authority: &str) -> &str {
    if let Some(end) = authority.strip_prefix('[').and_then(|rest| rest.find(']')) {
        return &authority[1..=end];
    }
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !host.contains(':') => host,
        _ => authority,
    }
}

/// An address in any form that the system's resolver would take for one: `0xa9fea9fe`, `169.254.43518`.
fn address(host: &str) -> Option<IpAddr> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Some(address.to_canonical());
    }
    let number = |text: &str| match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(hex), _) => u32::from_str_radix(hex, 16).ok(),
        (None, Some(octal)) if !octal.is_empty() => u32::from_str_radix(octal, 8).ok(),
        _ => text.parse::<u32>().ok(),
    };
    let parts: Option<Vec<u32>> = host.split('.').map(number).collect();
    let parts = parts.filter(|parts| parts.len() <= 4)?;
    let (last, firsts) = parts.split_last()?;
    let high = firsts.iter().try_fold(0_u32, |sum, part| (*part < 256).then_some(sum << 8 | part))?;
    let bits = 8 * (4 - firsts.len() as u32);
    let low = if bits == 32 || u64::from(*last) < 1 << bits { *last } else { return None };
    Some(IpAddr::V4(Ipv4Addr::from_bits(if bits == 32 { low } else { high << bits | low })))
}

fn is_metadata(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => address.is_link_local() || address == Ipv4Addr::new(100, 100, 100, 200),
        IpAddr::V6(address) => {
            address.is_unicast_link_local() || address == Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_is_refused_in_every_spelling() {
        let allowed = AllowedHosts { refuses_metadata: true, ..AllowedHosts::default() };
        for host in [
            "169.254.169.254",
            "169.254.169.254:80",
            "0xa9fea9fe",
            "2852039166",
            "169.254.43518",
            "0251.0376.0251.0376",
            "[::ffff:169.254.169.254]",
            "[fd00:ec2::254]:80",
            "[fe80::1]",
            "METADATA.google.internal.",
            "100.100.100.200",
        ] {
            assert!(!allowed.allows(host), "{host}");
        }
        for host in ["s3.eu-west-1.amazonaws.com", "127.0.0.1:9000", "[::1]:80", "10.0.0.7", "example.org:443"] {
            assert!(allowed.allows(host), "{host}");
        }
    }

    #[test]
    fn what_is_listed_is_all() {
        let hosts = vec!["data.example.org".to_string(), "127.0.0.1:9000".to_string(), "169.254.169.254".to_string()];
        let patterns = vec![pattern(r".*\.mine\.example").expect("a pattern")];
        let allowed = AllowedHosts { hosts, patterns, refuses_metadata: true };
        for host in ["Data.example.org", "data.example.org:443", "127.0.0.1:9000", "a.mine.example:80", "169.254.169.254"] {
            assert!(allowed.allows(host), "{host}");
        }
        for host in ["127.0.0.1", "example.org", "a.mine.example.evil.org", "evil.org"] {
            assert!(!allowed.allows(host), "{host}");
        }
        assert!(pattern("(").is_err());
    }
}
