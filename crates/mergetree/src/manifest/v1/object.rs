//! The bytes of a version of the manifest: its payload twice, each behind a header of its own.
//!
//! ```text
//! object: copy · copy
//! copy:   magic "GMMANIF1" · format u32 · payload length u32 · xxh3-64 of the payload · payload
//! ```
//! A version is small and all that comes after it stands on it, so damage that a part's page would merely report would
//! here take the whole table. Both copies have the same length: where the first one cannot be read, the second begins
//! in the middle of the object. Format 1 had one copy. (Rejected: to mend a version from its successor, which repeats
//! it; the newest one, which every query needs, has none.)

use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use xxhash_rust::xxh3::xxh3_64;

pub const MAGIC: &[u8; 8] = b"GMMANIF1";
pub const FORMAT: u32 = 2;
const HEADER_LENGTH: usize = 24;

pub fn encode(payload: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(2 * (HEADER_LENGTH + payload.len()));
    for _ in 0..2 {
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&FORMAT.to_le_bytes());
        out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        out.extend_from_slice(&xxh3_64(payload).to_le_bytes());
        out.extend_from_slice(payload);
    }
    out.into()
}

/// The payload of the object at `key`. Errors: CORRUPTED_DATA where no copy is whole, UNSUPPORTED_PARAMETER where a newer
/// program wrote it.
pub fn decode<'a>(key: &str, data: &'a [u8]) -> Result<&'a [u8]> {
    match copies(key, data) {
        (Ok(payload), Some(Err(error))) => {
            tracing::warn!("{error}; its first copy was read");
            Ok(payload)
        }
        (Ok(payload), _) => Ok(payload),
        (Err(error), Some(Ok(payload))) => {
            tracing::warn!("{error}; its second copy was read");
            Ok(payload)
        }
        (Err(error), _) => Err(error),
    }
}

/// Errors: CORRUPTED_DATA where either copy is damaged, though the other may be whole.
pub fn check(key: &str, data: &[u8]) -> Result<()> {
    let (first, second) = copies(key, data);
    first?;
    second.transpose()?;
    Ok(())
}

/// The payload by each copy. `None`: format 1 has no second one.
fn copies<'a>(key: &str, data: &'a [u8]) -> (Result<&'a [u8]>, Option<Result<&'a [u8]>>) {
    let first = copy(key, data);
    if first.as_ref().is_ok_and(|payload| data.len() == HEADER_LENGTH + payload.len()) {
        return (first, None);
    }
    (first, Some(copy(key, &data[data.len() / 2..])))
}

/// The payload of the copy that the bytes begin with; in format 1 there is nothing behind it.
fn copy<'a>(key: &str, data: &'a [u8]) -> Result<&'a [u8]> {
    let damaged = |what: &str| {
        Error::new(ErrorCode::CORRUPTED_DATA, format!("{key}, a version of the table's manifest, is damaged: {what}"))
    };
    let (header, rest) = data.split_at_checked(HEADER_LENGTH).ok_or_else(|| damaged("it is cut off"))?;
    if header[..8] != *MAGIC {
        return Err(damaged("it does not begin as one"));
    }
    let word = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let format = word(8);
    if format > FORMAT {
        return Err(Error::new(
            ErrorCode::UNSUPPORTED_PARAMETER,
            format!("{key}: the manifest is of format {format}, this program reads up to {FORMAT}: update it"),
        ));
    }
    let payload = rest.get(..word(12) as usize).ok_or_else(|| damaged("it is cut off"))?;
    match header[16..] == xxh3_64(payload).to_le_bytes() {
        true => Ok(payload),
        false => Err(damaged("its checksum does not fit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_copy_of_two_is_enough() {
        let whole = encode(b"a payload");
        assert_eq!(decode("k", &whole).expect("reads"), b"a payload");
        check("k", &whole).expect("both are whole");
        for at in 0..whole.len() {
            let mut damaged = whole.to_vec();
            damaged[at] ^= 0x10;
            assert_eq!(decode("k", &damaged).expect("the other copy"), b"a payload", "byte {at}");
            let error = check("manifest/7", &damaged).expect_err("damage of one copy goes unnoticed");
            assert!(error.to_string().contains("manifest/7"), "{error}");
        }
        // The half that was written when the power went is a copy.
        assert_eq!(decode("k", &whole[..whole.len() / 2 + 3]).expect("reads"), b"a payload");
    }

    #[test]
    fn what_no_copy_tells_is_named_and_never_guessed() {
        let whole = encode(b"a payload");
        let half = whole.len() / 2;
        for at in 0..half {
            let mut damaged = whole.to_vec();
            damaged[at] ^= 0x10;
            damaged[half + (at * 7) % half] ^= 0x01;
            let error = decode("manifest/7", &damaged).expect_err("damage goes unnoticed");
            assert!(error.to_string().contains("manifest/7"), "{error}");
        }
        for length in 0..half {
            assert_eq!(decode("k", &whole[..length]).expect_err("cut off").code(), ErrorCode::CORRUPTED_DATA);
        }
    }

    #[test]
    fn newer_formats_are_refused() {
        let mut newer = encode(b"x").to_vec();
        let half = newer.len() / 2;
        newer[8] = 9;
        newer[half + 8] = 9;
        assert_eq!(decode("k", &newer).expect_err("newer").code(), ErrorCode::UNSUPPORTED_PARAMETER);
    }
}
