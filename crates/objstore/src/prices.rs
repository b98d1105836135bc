//! What requests and bytes cost: the providers' public list prices, by the host that a request goes to.
//!
//! The shipped table has the standard storage class in the provider's home region (as published in 2026), without the
//! charge for bytes that leave the region: a query that runs beside its data pays none. Hosts that are not in it cost
//! nothing. `object_storage_prices` puts entries before the table; the first that fits the host counts:
//!
//!     SET object_storage_prices = '*.amazonaws.com read=0.0004 write=0.005 egress=0.09; * read=0.0001'
//!
//! `read` and `write` are US dollars a thousand requests (`read`: GET and HEAD; `write`: PUT, POST, LIST), `egress` is US
//! dollars a GB (10^9 bytes) read. Deletions are free everywhere. Sums are kept in nanodollars, as whole numbers.

use gristmill_base::{Error, ErrorCode, Result};

use crate::account::Class;

/// In nanodollars.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Prices {
    pub read: u64,
    /// LIST too: providers bill it like a write.
    pub write: u64,
    /// A GB of 10^9 bytes that is read.
    pub egress_gb: u64,
}

/// Host pattern (`*` at the start stands for anything), then what it costs.
const LIST_PRICES: &[(&str, Prices)] = &[
    ("*.amazonaws.com", Prices { read: 400, write: 5_000, egress_gb: 0 }),
    ("*.amazonaws.com.cn", Prices { read: 400, write: 5_000, egress_gb: 0 }),
    ("storage.googleapis.com", Prices { read: 400, write: 5_000, egress_gb: 0 }),
    ("*.blob.core.windows.net", Prices { read: 440, write: 5_500, egress_gb: 0 }),
    ("*.r2.cloudflarestorage.com", Prices { read: 360, write: 4_500, egress_gb: 0 }),
];

/// The shipped table: host, and US dollars for a thousand reads, a thousand writes and a GB that leaves.
pub fn list_prices() -> impl Iterator<Item = (&'static str, Prices)> {
    LIST_PRICES.iter().copied()
}

impl Prices {
    /// What requests to a host cost. `overrides`: the text of the setting. Errors: BAD_ARGUMENTS.
    pub fn of(host: &str, overrides: &str) -> Result<Prices> {
        for entry in overrides.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (pattern, prices) = parse(entry)?;
            if fits(pattern, host) {
                return Ok(prices);
            }
        }
        Ok(LIST_PRICES.iter().find(|(pattern, _)| fits(pattern, host)).map_or(Prices::default(), |(_, prices)| *prices))
    }

    pub(crate) fn request(&self, class: Class) -> u64 {
        match class {
            Class::Get | Class::Head => self.read,
            Class::Delete | Class::AbortUpload | Class::Other => 0,
            _ => self.write,
        }
    }

    pub fn bytes_read(&self, bytes: u64) -> u64 {
        (u128::from(self.egress_gb) * u128::from(bytes) / 1_000_000_000) as u64
    }
}

fn fits(pattern: &str, host: &str) -> bool {
    pattern.strip_prefix('*').map_or(pattern == host, |end| host.ends_with(end))
}

fn parse(entry: &str) -> Result<(&str, Prices)> {
    let bad =
        |why: String| Error::new(ErrorCode::BAD_ARGUMENTS, format!("Setting object_storage_prices: {why} in '{entry}'"));
    let mut words = entry.split_whitespace();
    let pattern = words.next().unwrap_or("*");
    let mut prices = Prices::default();
    for word in words {
        let (name, dollars) =
            word.split_once('=').ok_or_else(|| bad(format!("'{word}' is not of the form name=dollars")))?;
        let dollars: f64 = dollars
            .parse()
            .ok()
            .filter(|dollars| (0.0..1e6).contains(dollars))
            .ok_or_else(|| bad(format!("'{dollars}' is no price")))?;
        match name {
            "read" => prices.read = (dollars * 1e6).round() as u64,
            "write" => prices.write = (dollars * 1e6).round() as u64,
            "egress" => prices.egress_gb = (dollars * 1e9).round() as u64,
            other => return Err(bad(format!("'{other}' is not one of read, write, egress"))),
        }
    }
    Ok((pattern, prices))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_entry_that_fits_the_host_counts() {
        let of = |host: &str, overrides: &str| Prices::of(host, overrides).expect("prices");
        assert_eq!(of("s3.eu-west-1.amazonaws.com", ""), Prices { read: 400, write: 5_000, egress_gb: 0 });
        assert_eq!(of("minio.example.org", ""), Prices::default());
        let own = "*.amazonaws.com egress=0.09; * read=0.001 write=0.01";
        assert_eq!(of("s3.amazonaws.com", own), Prices { read: 0, write: 0, egress_gb: 90_000_000 });
        assert_eq!(of("minio.example.org", own), Prices { read: 1_000, write: 10_000, egress_gb: 0 });
        assert_eq!(of("s3.amazonaws.com", own).bytes_read(2_000_000_000), 180_000_000);
    }

    #[test]
    fn a_price_that_is_none_is_refused() {
        for wrong in ["* read", "* read=free", "* read=-1", "* write=NaN", "* post=1"] {
            let error = Prices::of("host", wrong).expect_err(wrong);
            assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS, "{wrong}");
        }
    }
}
