//! `base58Encode`, `base58Decode`, `tryBase58Decode`: the alphabet of Bitcoin, without digits and letters that look alike.
//!
//! A text is one large number here, so the work grows with the square of its length.

use gristmill_base::Result;

use super::{decoded, text_function};
use crate::arithmetic::kinds::integer;
use crate::define::{arity, constant_integer, expect_string, illegal, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

const ALPHABET: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

pub fn register(registry: &mut Registry) {
    registry.scalar("base58Encode", text_function(encode));
    for (name, tries) in [("base58Decode", false), ("tryBase58Decode", true)] {
        registry.scalar(name, plain(move |name, arguments, _| decode_sized(name, arguments, tries)));
    }
}

/// Digits of a number in base `to`, least first, from those in base `from`, greatest first.
fn convert(digits: impl Iterator<Item = u8>, from: u32, to: u32) -> Vec<u8> {
    let mut converted: Vec<u8> = Vec::new();
    for digit in digits {
        let mut carry = u32::from(digit);
        for place in &mut converted {
            carry += u32::from(*place) * from;
            *place = (carry % to) as u8;
            carry /= to;
        }
        while carry > 0 {
            converted.push((carry % to) as u8);
            carry /= to;
        }
    }
    converted
}

fn encode(text: &[u8], out: &mut Vec<u8>) {
    let zeros = text.iter().take_while(|byte| **byte == 0).count();
    out.extend(std::iter::repeat_n(ALPHABET[0], zeros));
    let digits = convert(text[zeros..].iter().copied(), 256, 58);
    out.extend(digits.iter().rev().map(|digit| ALPHABET[usize::from(*digit)]));
}

/// Text and, where it is known, the number of bytes that it stands for: a text of another number is none. 0: any number.
fn decode_sized(name: &str, arguments: &[Argument], tries: bool) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_string(name, arguments, 0)?;
    let mut size = 0;
    if let Some(argument) = arguments.get(1) {
        if !matches!(integer(&argument.kind), Some((..=64, false))) {
            return Err(illegal(name, arguments, 1, "an unsigned integer, the number of bytes"));
        }
        size = constant_integer(argument).ok_or_else(|| not_constant(name, 1))?;
    }
    let fits = move |bytes: usize| size == 0 || bytes as i64 == size;
    Ok(decoded(name, move |text, out| decode(text, out).filter(|()| fits(out.len())), tries))
}

/// `None` where a character is not of the alphabet.
fn decode(text: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let value = |byte: &u8| ALPHABET.iter().position(|known| known == byte).map(|value| value as u8);
    let digits = text.iter().map(value).collect::<Option<Vec<u8>>>()?;
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let bytes = convert(digits[zeros..].iter().copied(), 58, 256);
    out.extend(std::iter::repeat_n(0, zeros).chain(bytes.into_iter().rev()));
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
