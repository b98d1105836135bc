//! The wire format of Protocol Buffers, as far as ORC has it: numbers and bytes with the numbers of their fields.

use gristmill_base::Result;

use super::incorrect;

pub enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    pub fn number(&self) -> Result<u64> {
        match self {
            Field::Number(number) => Ok(*number),
            Field::Bytes(_) => Err(incorrect("its directory has bytes for a number")),
        }
    }

    pub fn bytes(&self) -> Result<&'a [u8]> {
        match self {
            Field::Bytes(bytes) => Ok(bytes),
            Field::Number(_) => Err(incorrect("its directory has a number for bytes")),
        }
    }

    pub fn text(&self) -> Result<String> {
        Ok(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    /// Appends a number, or all that are packed together.
    pub fn numbers(&self, out: &mut Vec<u64>) -> Result<()> {
        match self {
            Field::Number(number) => out.push(*number),
            Field::Bytes(packed) => {
                let mut rest = *packed;
                while !rest.is_empty() {
                    out.push(varint(&mut rest)?);
                }
            }
        }
        Ok(())
    }
}

/// Calls that for each field of a message.
pub fn fields<'a>(message: &'a [u8], mut each: impl FnMut(u64, Field<'a>) -> Result<()>) -> Result<()> {
    let mut rest = message;
    while !rest.is_empty() {
        let key = varint(&mut rest)?;
        let field = match key & 7 {
            0 => Field::Number(varint(&mut rest)?),
            1 => Field::Number(u64::from_le_bytes(fixed(&mut rest)?)),
            2 => {
                let length = varint(&mut rest)?;
                let split = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
                let (bytes, behind) = split.ok_or_else(cut)?;
                rest = behind;
                Field::Bytes(bytes)
            }
            5 => Field::Number(u32::from_le_bytes(fixed(&mut rest)?).into()),
            other => return Err(incorrect(format!("its directory has a field of the kind {other}"))),
        };
        each(key >> 3, field)?;
    }
    Ok(())
}

fn fixed<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N]> {
    let (bytes, behind) = rest.split_first_chunk::<N>().ok_or_else(cut)?;
    *rest = behind;
    Ok(*bytes)
}

fn varint(rest: &mut &[u8]) -> Result<u64> {
    let mut value = 0u64;
    for (at, byte) in rest.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7F).wrapping_shl(7 * at as u32);
        if byte & 0x80 == 0 {
            *rest = &rest[at + 1..];
            return Ok(value);
        }
    }
    Err(cut())
}

fn cut() -> gristmill_base::Error {
    incorrect("its directory ends within a field")
}

pub fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub fn write_number(field: u64, number: u64, out: &mut Vec<u8>) {
    write_varint(field << 3, out);
    write_varint(number, out);
}

pub fn write_bytes(field: u64, bytes: &[u8], out: &mut Vec<u8>) {
    write_varint(field << 3 | 2, out);
    write_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Numbers packed together.
pub fn write_numbers(field: u64, numbers: impl Iterator<Item = u64>, out: &mut Vec<u8>) {
    let mut packed = Vec::new();
    numbers.for_each(|number| write_varint(number, &mut packed));
    if !packed.is_empty() {
        write_bytes(field, &packed, out);
    }
}
