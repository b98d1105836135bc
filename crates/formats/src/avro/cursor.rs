//! The values of Avro, from the start of some bytes on.

use gristmill_base::{Error, ErrorCode, Result};

/// Bytes of a whole number at most.
const VARINT_BYTES: usize = 10;
/// Items without a byte (nulls, empty records) that a block may claim to have: nothing else would end them.
const FREE_ITEMS: u64 = 1 << 20;

#[derive(Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    free_items: u64,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { rest: bytes, free_items: FREE_ITEMS }
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Whole numbers are in groups of seven bits, the sign in the lowest. `None`: the bytes end before it does.
    pub fn try_long(&mut self) -> Result<Option<i64>> {
        let mut value = 0u64;
        for (at, byte) in self.rest.iter().take(VARINT_BYTES).enumerate() {
            let group = u64::from(byte & 0x7F);
            if at == VARINT_BYTES - 1 && group > 1 {
                return Err(incorrect("a whole number has more than 64 bits"));
            }
            value |= group << (7 * at);
            if byte & 0x80 == 0 {
                self.rest = &self.rest[at + 1..];
                return Ok(Some((value >> 1) as i64 ^ -((value & 1) as i64)));
            }
        }
        if self.rest.len() >= VARINT_BYTES { Err(incorrect("a whole number does not end")) } else { Ok(None) }
    }

    pub fn long(&mut self) -> Result<i64> {
        self.try_long()?.ok_or_else(ended)
    }

    pub fn int(&mut self) -> Result<i32> {
        i32::try_from(self.long()?).map_err(|_| incorrect("an int has more than 32 bits"))
    }

    pub fn take(&mut self, bytes: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(bytes).ok_or_else(ended)?;
        self.rest = rest;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or_else(ended)?;
        self.rest = rest;
        Ok(*taken)
    }

    /// Bytes with their number before them.
    pub fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.long()?;
        self.take(usize::try_from(length).map_err(|_| incorrect("a length is below 0"))?)
    }

    pub fn boolean(&mut self) -> Result<bool> {
        match self.array::<1>()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(incorrect("a boolean is neither 0 nor 1")),
        }
    }

    /// The number of a branch or symbol, of so many.
    pub fn choice(&mut self, of: usize) -> Result<usize> {
        let choice = self.long()?;
        usize::try_from(choice)
            .ok()
            .filter(|choice| *choice < of)
            .ok_or_else(|| incorrect(&format!("a value is number {choice} of {of}")))
    }

    /// The items of the next piece of an array or map; 0: it has ended.
    pub fn items(&mut self) -> Result<u64> {
        let count = self.long()?;
        if count < 0 {
            // Then the bytes of the piece are told, for those who pass over it.
            self.long()?;
        }
        Ok(count.unsigned_abs())
    }

    /// To be called behind each item: `before` is what was there before it.
    pub fn item_ended(&mut self, before: usize) -> Result<()> {
        if self.rest.len() == before {
            self.free_items = self
                .free_items
                .checked_sub(1)
                .ok_or_else(|| incorrect("its arrays claim more items than there are bytes"))?;
        }
        Ok(())
    }
}

/// Values must be there as wholes, as their block is.
fn ended() -> Error {
    Error::new(ErrorCode::AVRO_EXCEPTION, "Not valid Avro data: a block ends within a value")
}

pub fn incorrect(what: &str) -> Error {
    Error::new(ErrorCode::AVRO_EXCEPTION, format!("Not valid Avro data: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_have_their_sign_in_the_lowest_bit() {
        for (bytes, value) in [
            (&[0x00][..], 0),
            (&[0x01], -1),
            (&[0x02], 1),
            (&[0x80, 0x01], 64),
            (&[0xFF; 9], i64::MIN),
            (&[0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], i64::MAX),
        ] {
            let bytes = if bytes.len() == 9 { [bytes, &[0x01]].concat() } else { bytes.to_vec() };
            assert_eq!(Cursor::new(&bytes).long().expect("a number"), value);
        }
        assert_eq!(Cursor::new(&[0x80]).try_long().expect("a beginning"), None);
        assert_eq!(Cursor::new(&[0x80]).long().expect_err("cut").code(), ErrorCode::AVRO_EXCEPTION);
        assert_eq!(Cursor::new(&[0xFF; 11]).long().expect_err("endless").code(), ErrorCode::AVRO_EXCEPTION);
        assert_eq!(Cursor::new(&[2, 2]).boolean().expect_err("2").code(), ErrorCode::AVRO_EXCEPTION);
    }
}
