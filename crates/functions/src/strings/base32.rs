//! `base32Encode`, `base32Decode`, `tryBase32Decode`: RFC 4648 with padding; letters of either case are read.

use super::{decoder, text_function};
use crate::registry::Registry;

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub fn register(registry: &mut Registry) {
    registry.scalar("base32Encode", text_function(encode));
    for (name, tries) in [("base32Decode", false), ("tryBase32Decode", true)] {
        registry.scalar(name, decoder(decode, tries));
    }
}

/// Digits of five bits that so many bytes of a group need.
fn digits_of(bytes: usize) -> usize {
    (bytes * 8).div_ceil(5)
}

fn encode(text: &[u8], out: &mut Vec<u8>) {
    for group in text.chunks(5) {
        let mut word = [0; 8];
        word[3..3 + group.len()].copy_from_slice(group);
        let word = u64::from_be_bytes(word);
        let digits = digits_of(group.len());
        out.extend((0..digits).map(|i| ALPHABET[(word >> (35 - 5 * i) & 31) as usize]));
        out.extend(std::iter::repeat_n(b'=', 8 - digits));
    }
}

/// `None` where the text is none that `encode` gives, but for case.
fn decode(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (groups, rest) = text.as_chunks::<8>();
    if !rest.is_empty() {
        return None;
    }
    for (place, group) in groups.iter().enumerate() {
        let used = group.iter().position(|digit| *digit == b'=').unwrap_or(8);
        let bytes = (1..=5).find(|bytes| digits_of(*bytes) == used)?;
        let padded = group[used..].iter().all(|digit| *digit == b'=');
        if !padded || (used < 8 && place + 1 < groups.len()) {
            return None;
        }
        let mut word = 0u64;
        for digit in &group[..used] {
            let value = ALPHABET.iter().position(|known| *known == digit.to_ascii_uppercase())?;
            word = word << 5 | value as u64;
        }
        let word = word << (5 * (8 - used));
        let whole = word.to_be_bytes();
        // Bits beyond the last byte must be zero.
        if whole[3 + bytes..].iter().any(|byte| *byte != 0) {
            return None;
        }
        out.extend_from_slice(&whole[3..3 + bytes]);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let (mut text, mut back) = (Vec::new(), Vec::new());
            encode(&bytes, &mut text);
            prop_assert_eq!(decode(&text, &mut back), Some(()));
            prop_assert_eq!(back, bytes);
        }
    }
}
