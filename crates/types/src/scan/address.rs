//! UUIDs and IP addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

use gristmill_base::ErrorCode;

use super::{Fault, Scan};
use crate::sql_type::SqlType;

/// Kinds of addresses of which a text that is none becomes the default, rather than an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct LenientAddresses {
    pub v4: bool,
    pub v6: bool,
}

impl LenientAddresses {
    /// `kind` is plain: without Nullable and LowCardinality.
    pub fn takes(self, kind: &SqlType) -> bool {
        match kind {
            SqlType::IPv4 => self.v4,
            SqlType::IPv6 => self.v6,
            _ => false,
        }
    }
}

/// With or without hyphens, in any case; 16 bytes in network order.
pub fn uuid(text: &[u8]) -> Scan<[u8; 16]> {
    uuid::Uuid::try_parse_ascii(text)
        .map(uuid::Uuid::into_bytes)
        .map_err(|_| Fault::new(ErrorCode::CANNOT_PARSE_UUID, "expected 32 hexadecimal digits"))
}

pub fn ipv4(text: &[u8]) -> Scan<u32> {
    const FAULT: Fault = Fault::new(ErrorCode::CANNOT_PARSE_IPV4, "expected four numbers from 0 to 255 with points between");
    let mut value = 0u32;
    let mut parts = 0;
    for part in text.split(|c| *c == b'.') {
        if part.is_empty() || part.len() > 3 || !part.iter().all(u8::is_ascii_digit) || parts == 4 {
            return Err(FAULT);
        }
        let number = part.iter().fold(0u32, |number, digit| number * 10 + u32::from(digit - b'0'));
        if number > 255 {
            return Err(FAULT);
        }
        value = value << 8 | number;
        parts += 1;
    }
    if parts == 4 { Ok(value) } else { Err(FAULT) }
}

/// An IPv4 address becomes the mapped one, `::ffff:a.b.c.d`.
pub fn ipv6(text: &[u8]) -> Scan<[u8; 16]> {
    if let Ok(address) = ipv4(text) {
        return Ok(Ipv4Addr::from_bits(address).to_ipv6_mapped().octets());
    }
    std::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse::<Ipv6Addr>().ok())
        .map(|address| address.octets())
        .ok_or(Fault::new(ErrorCode::CANNOT_PARSE_IPV6, "expected an IPv6 or IPv4 address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        assert_eq!(ipv4(b"192.168.1.10"), Ok(0xC0A8_010A));
        for wrong in [&b"1.2.3"[..], b"1.2.3.256", b"1.2.3.4.5", b"1.2.3.", b""] {
            assert!(ipv4(wrong).is_err());
        }
        assert_eq!(ipv6(b"1.2.3.4").map(|bytes| bytes[10..].to_vec()), Ok(vec![255, 255, 1, 2, 3, 4]));
        assert!(ipv6(b"zz").is_err());
        assert_eq!(uuid(b"550e8400e29b41d4a716446655440000"), uuid(b"550E8400-e29b-41d4-a716-446655440000"));
    }
}
