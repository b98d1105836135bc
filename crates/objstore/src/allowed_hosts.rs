//! Which hosts may be asked: what a server is told (`remote_url_allow_hosts`), and never, unless it is told so, the addresses at which
//! a machine in a cloud is given its own credentials, nor the ports on which the server itself listens: a URL in a query must not
//! bring credentials to light, and a query that comes from the server's own machine may be one of a user without a password.
//!
//! What a name stands for is known when it is resolved: the resolver of the HTTP clients ([`AllowedAddresses`]) leaves such
//! addresses out. Which port it resolves for it is told by [`asking`].

use std::cell::Cell;
use std::collections::BTreeSet;
use std::error::Error as StdError;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use gristmill_base::{Error, ErrorCode, Result};
use parking_lot::RwLock;
use regex::Regex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

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
/// The ports of this process.
static OWN_PORTS: RwLock<BTreeSet<u16>> = RwLock::new(BTreeSet::new());

/// Where a machine of Google's cloud finds its own credentials. Who names it in a query is refused; it is asked for these alone.
const GOOGLE_METADATA: &str = "metadata.google.internal";

tokio::task_local! {
    /// Whether a name is resolved for one of the own ports.
    static FOR_OWN_PORT: Cell<bool>;
}

/// For the whole process, from now on; without it every host may be asked.
pub fn allow(hosts: AllowedHosts) {
    *ALLOWED.write() = Some(hosts);
}

/// The ports on which this process listens, for whoever may connect to them.
pub fn listens_on(ports: impl IntoIterator<Item = u16>) {
    OWN_PORTS.write().extend(ports);
}

/// A pattern of the configuration, which has to fit the whole host. Error: BAD_ARGUMENTS.
pub fn pattern(text: &str) -> Result<Regex> {
    Regex::new(&format!("^(?:{text})$"))
        .map_err(|error| Error::new(ErrorCode::BAD_ARGUMENTS, format!("<host_regexp>{text}</host_regexp>: {error}")))
}

/// `authority`: host, or host and port. Error: UNACCEPTABLE_URL.
pub(crate) fn check(authority: &str) -> Result<()> {
    match &*ALLOWED.read() {
        Some(allowed) if !allowed.allows(authority) => Err(refused(&format!("The host {authority}"))),
        _ => Ok(()),
    }
}

fn refused(what: &str) -> Error {
    let text = format!("{what} is not allowed in the configuration: see <remote_url_allow_hosts>");
    Error::new(ErrorCode::UNACCEPTABLE_URL, text)
}

/// As `check`, of a URL as it is connected to, whatever its spelling.
pub(crate) fn check_url(url: &Url) -> Result<()> {
    check(&host_and_port(url))
}

/// In small letters, with the port where the URL says none.
fn host_and_port(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or_default(), url.port_or_known_default().unwrap_or_default())
        .to_ascii_lowercase()
}

/// The host of a URL as it is connected to, whatever its spelling. Error: UNACCEPTABLE_URL, where that is a metadata service's.
pub(crate) fn check_metadata(url: &Url) -> Result<()> {
    let refuses = ALLOWED.read().as_ref().is_some_and(|allowed| {
        let names_it = url.host_str().is_some_and(|host| names_metadata(host.trim_matches(['[', ']'])));
        allowed.refuses_metadata && names_it && !allowed.lists(&host_and_port(url))
    });
    if refuses { Err(refused(&format!("The host {}", url.host_str().unwrap_or_default()))) } else { Ok(()) }
}

/// Whether a name in this URL must not stand for an address of this machine. Error: UNACCEPTABLE_URL, where the URL has such an address
/// itself, and a port on which the server listens.
fn checked_port(url: &Url) -> Result<bool> {
    let port = url.port_or_known_default().unwrap_or_default();
    if !OWN_PORTS.read().contains(&port) {
        return Ok(false);
    }
    if ALLOWED.read().as_ref().is_some_and(|allowed| allowed.lists(&host_and_port(url))) {
        return Ok(false);
    }
    let address = match url.host() {
        Some(Host::Ipv4(address)) => IpAddr::V4(address),
        Some(Host::Ipv6(address)) => IpAddr::V6(address),
        _ => return Ok(true),
    };
    if is_of_this_machine(address) { Err(refused(&format!("Port {port} of this server"))) } else { Ok(false) }
}

/// Sends a request to a URL; names are resolved to what may be asked at its port. Error: UNACCEPTABLE_URL.
pub(crate) async fn asking<F: Future>(url: &Url, request: F) -> Result<F::Output> {
    let for_own_port = checked_port(url)?;
    Ok(FOR_OWN_PORT.scope(Cell::new(for_own_port), request).await)
}

/// A request is sent on, by a client that follows by itself. Error: UNACCEPTABLE_URL.
pub(crate) fn check_sent_on(url: &Url) -> Result<()> {
    check_url(url)?;
    let for_own_port = checked_port(url)?;
    // Without the task's note there is nobody who would tell the resolver.
    match FOR_OWN_PORT.try_with(|noted| noted.set(for_own_port)) {
        Err(_) if for_own_port => Err(refused(&format!("The host {}", host_and_port(url)))),
        _ => Ok(()),
    }
}

/// Whether connections to the address end here. Sockets can be bound to a machine's own addresses only.
fn is_of_this_machine(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address.is_loopback() || address.is_unspecified() || UdpSocket::bind((address, 0)).is_ok()
}

/// Host and port of a URL.
pub(crate) fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

/// The system's resolver, without addresses that may not be asked: a name may stand for any.
pub(crate) struct AllowedAddresses;

impl Resolve for AllowedAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        // Here, in the task of the request, and not where the name is looked up.
        let for_own_port = FOR_OWN_PORT.try_with(Cell::get).unwrap_or(false);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let may_be_metadata = name.as_str().eq_ignore_ascii_case(GOOGLE_METADATA);
            let (allowed, refused): (Vec<SocketAddr>, Vec<SocketAddr>) = found.partition(|address| {
                let is_refused_port = for_own_port && is_of_this_machine(address.ip());
                (may_be_metadata || allows_address(address.ip())) && !is_refused_port
            });
            if allowed.is_empty() && !refused.is_empty() {
                return Err(Box::new(RefusedName(name.as_str().to_string())) as Box<dyn StdError + Send + Sync>);
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// A name that stands for nothing but addresses that may not be asked.
#[derive(Debug)]
pub(crate) struct RefusedName(String);

impl fmt::Display for RefusedName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} stands for an address that is not allowed", self.0)
    }
}

impl StdError for RefusedName {}

impl RefusedName {
    pub fn error(&self) -> Error {
        refused(&format!("An address that {} stands for", self.0))
    }
}

fn allows_address(address: IpAddr) -> bool {
    !is_metadata(address) || ALLOWED.read().as_ref().is_none_or(|allowed| !allowed.refuses_metadata)
}

impl AllowedHosts {
    fn allows(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        if self.lists(&authority) {
            return true;
        }
        self.hosts.is_empty() && self.patterns.is_empty() && !(self.refuses_metadata && names_metadata(host_of(&authority)))
    }

    /// `authority`: in small letters.
    fn lists(&self, authority: &str) -> bool {
        let host = host_of(authority);
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host) || known.eq_ignore_ascii_case(authority))
            || self.patterns.iter().any(|pattern| pattern.is_match(host) || pattern.is_match(authority))
    }
}

fn names_metadata(host: &str) -> bool {
    [GOOGLE_METADATA, "metadata", "instance-data"].contains(&host.trim_end_matches('.'))
        || address(host).is_some_and(is_metadata)
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
    fn own_ports_are_not_asked_whatever_their_host_is_called() {
        let url = |text: &str| Url::parse(text).expect("a URL");
        listens_on([18_499]);
        for host in [
            "127.0.0.1",
            "127.1",
            "2130706433",
            "127.0.0.%31",
            "127.8.8.8",
            "0.0.0.0",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
        ] {
            let error = checked_port(&url(&format!("http://{host}:18499/?query=SELECT"))).expect_err(host);
            assert_eq!(error.code(), ErrorCode::UNACCEPTABLE_URL, "{host}");
        }
        assert!(checked_port(&url("http://localhost:18499/")).expect("resolved later"));
        assert!(!checked_port(&url("http://127.0.0.1:18498/")).expect("another port"));
        assert!(!checked_port(&url("http://192.0.2.1:18499/")).expect("another machine"));
    }

    #[tokio::test]
    async fn names_of_this_machine_are_not_resolved_for_own_ports() {
        let resolve = || AllowedAddresses.resolve("localhost".parse().expect("a name"));
        assert!(FOR_OWN_PORT.scope(Cell::new(true), async { resolve().await.is_err() }).await);
        assert!(FOR_OWN_PORT.scope(Cell::new(false), async { resolve().await.is_ok() }).await);
    }

    #[test]
    fn hosts_are_those_that_are_connected_to() {
        let told = |text: &str| host_and_port(&Url::parse(text).expect("a URL"));
        assert_eq!(told("http://evil.org\\.mine.example/x"), "evil.org:80");
        assert_eq!(told("https://Data.example.org/x"), "data.example.org:443");
        assert_eq!(told("http://169.254.169.25%34:80/"), "169.254.169.254:80");
        assert_eq!(told("http://[::1]/"), "[::1]:80");
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
