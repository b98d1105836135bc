//! What a Parquet footer may claim before it is decoded.
//!
//! A footer is a Thrift structure (compact protocol) with the columns as a flat list: each element says how many of those
//! behind it are its children. The decoder follows that by recursion, and allocates what lists claim, so that a few
//! kilobytes could bring the process down by a stack that overflows or an allocation that cannot be had, neither of which
//! can be caught. Here the structure is walked without either: depth and claims are checked, everything else is left to
//! the decoder, who has better words for it.

use gristmill_base::{Error, ErrorCode, Result};
use parquet::file::reader::ChunkReader;

/// Levels of groups in groups. Nested types here go no deeper, and writers refuse far less.
const DEPTH_MAX: usize = 200;
/// Structures in structures of the footer itself; the format has five.
const STRUCTURES_MAX: usize = 32;

const END_BYTES: usize = 8;
const SCHEMA_FIELD: i16 = 2;
const CHILDREN_FIELD: i16 = 5;

mod kind {
    pub const STOP: u8 = 0;
    pub const TRUE: u8 = 1;
    pub const FALSE: u8 = 2;
    pub const BYTE: u8 = 3;
    pub const I16: u8 = 4;
    pub const I32: u8 = 5;
    pub const I64: u8 = 6;
    pub const DOUBLE: u8 = 7;
    pub const BINARY: u8 = 8;
    pub const LIST: u8 = 9;
    pub const SET: u8 = 10;
    pub const MAP: u8 = 11;
    pub const STRUCT: u8 = 12;
    pub const UUID: u8 = 13;
}

/// Where the footer of a file lies that ends with these bytes; `None` where they do not say so.
pub fn place(end: &[u8], file_bytes: u64) -> Option<std::ops::Range<u64>> {
    let end = end.get(end.len().checked_sub(END_BYTES)?..)?;
    let length = u64::from(u32::from_le_bytes(end[..4].try_into().ok()?));
    let to = file_bytes.checked_sub(END_BYTES as u64)?;
    Some(to.checked_sub(length)?..to)
}

/// Checks the footer of a whole file.
pub fn check_file(file: &impl ChunkReader) -> Result<()> {
    let Some(before) = file.len().checked_sub(END_BYTES as u64) else { return Ok(()) };
    let end = file.get_bytes(before, END_BYTES)?;
    match place(&end, file.len()) {
        Some(place) => check(&file.get_bytes(place.start, (place.end - place.start) as usize)?),
        None => Ok(()),
    }
}

/// Checks a footer, without the eight bytes behind it.
pub fn check(footer: &[u8]) -> Result<()> {
    // Where the walk ends early the bytes are no footer, and the decoder says why.
    match (Walk { rest: footer }).file() {
        Err(Stopped::Refused(error)) => Err(error),
        Err(Stopped::Malformed) | Ok(()) => Ok(()),
    }
}

enum Stopped {
    Malformed,
    Refused(Error),
}

fn refused(what: String) -> Stopped {
    Stopped::Refused(Error::new(ErrorCode::INCORRECT_DATA, format!("Not a valid Parquet file: {what}")))
}

/// Within lists and maps a boolean has a byte of its own.
fn within(kind: u8) -> u8 {
    if matches!(kind, kind::TRUE | kind::FALSE) { kind::BYTE } else { kind }
}

struct Walk<'a> {
    rest: &'a [u8],
}

impl Walk<'_> {
    fn file(&mut self) -> Result<(), Stopped> {
        let mut field = 0;
        while let Some((id, kind)) = self.field(&mut field)? {
            match (id, kind) {
                (SCHEMA_FIELD, kind::LIST) => self.schema()?,
                _ => self.skip(kind, 0)?,
            }
        }
        Ok(())
    }

    /// The list of elements; `open` has the children that are still to come at each level.
    fn schema(&mut self) -> Result<(), Stopped> {
        let (elements, kind) = self.list()?;
        if kind != kind::STRUCT {
            return Err(Stopped::Malformed);
        }
        let mut open: Vec<u64> = Vec::new();
        for _ in 0..elements {
            let children = self.element()?;
            if let Some(level) = open.last_mut() {
                *level -= 1;
            }
            if children > elements {
                return Err(refused(format!("a group claims {children} columns, and all are {elements}")));
            }
            open.push(children);
            while open.last() == Some(&0) {
                open.pop();
            }
            if open.len() > DEPTH_MAX {
                return Err(refused(format!("its columns are nested deeper than {DEPTH_MAX} levels")));
            }
        }
        Ok(())
    }

    /// The number of children of an element of the schema.
    fn element(&mut self) -> Result<u64, Stopped> {
        let (mut field, mut children) = (0, 0);
        while let Some((id, kind)) = self.field(&mut field)? {
            match (id, kind) {
                (CHILDREN_FIELD, kind::I32) => {
                    let coded = self.varint()?;
                    // Zigzag; the decoder refuses negative ones.
                    children = if coded & 1 == 0 { coded >> 1 } else { 0 };
                }
                _ => self.skip(kind, 0)?,
            }
        }
        Ok(children)
    }

    /// The next field's number and kind; `None` at the end of the structure.
    fn field(&mut self, last: &mut i16) -> Result<Option<(i16, u8)>, Stopped> {
        let head = self.byte()?;
        let kind = head & 0x0f;
        if kind == kind::STOP {
            return Ok(None);
        }
        *last = match head >> 4 {
            0 => {
                let coded = self.varint()?;
                ((coded >> 1) as i64 ^ -((coded & 1) as i64)) as i16
            }
            step => last.wrapping_add(i16::from(step)),
        };
        Ok(Some((*last, kind)))
    }

    /// The head of a list. No element takes less than a byte.
    fn list(&mut self) -> Result<(u64, u8), Stopped> {
        let head = self.byte()?;
        let elements = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        if elements > self.rest.len() as u64 {
            return Err(refused(format!("a list claims {elements} elements in {} bytes", self.rest.len())));
        }
        Ok((elements, head & 0x0f))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Result<(), Stopped> {
        if depth > STRUCTURES_MAX {
            return Err(refused(format!("its footer has structures nested deeper than {STRUCTURES_MAX} levels")));
        }
        match kind {
            kind::TRUE | kind::FALSE => Ok(()),
            kind::BYTE => self.take(1),
            kind::I16 | kind::I32 | kind::I64 => self.varint().map(drop),
            kind::DOUBLE => self.take(8),
            kind::UUID => self.take(16),
            kind::BINARY => {
                let bytes = self.varint()?;
                self.take(bytes)
            }
            kind::LIST | kind::SET => {
                let (elements, kind) = self.list()?;
                let kind = within(kind);
                (0..elements).try_for_each(|_| self.skip(kind, depth + 1))
            }
            kind::MAP => {
                let entries = self.varint()?;
                if entries == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                (0..entries).try_for_each(|_| {
                    self.skip(within(kinds >> 4), depth + 1)?;
                    self.skip(within(kinds & 0x0f), depth + 1)
                })
            }
            kind::STRUCT => {
                let mut field = 0;
                while let Some((_, kind)) = self.field(&mut field)? {
                    self.skip(kind, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(Stopped::Malformed),
        }
    }

    fn byte(&mut self) -> Result<u8, Stopped> {
        let (first, rest) = self.rest.split_first().ok_or(Stopped::Malformed)?;
        self.rest = rest;
        Ok(*first)
    }

    fn take(&mut self, bytes: u64) -> Result<(), Stopped> {
        let bytes = usize::try_from(bytes).map_err(|_| Stopped::Malformed)?;
        self.rest = self.rest.get(bytes..).ok_or(Stopped::Malformed)?;
        Ok(())
    }

    fn varint(&mut self) -> Result<u64, Stopped> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(Stopped::Malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `version` = 1, then a schema of these elements; each is a name and a number of children, or a leaf.
    fn footer(elements: &[Option<u8>]) -> Vec<u8> {
        let mut out = vec![0x15, 0x02, 0x19, 0xfc];
        let mut count = elements.len();
        while count >= 0x80 {
            out.push(count as u8 | 0x80);
            count >>= 7;
        }
        out.push(count as u8);
        for children in elements {
            // type = INT32 of a leaf, repetition = REQUIRED, name = "a", children.
            match children {
                None => out.extend([0x15, 0x02, 0x25, 0x00, 0x18, 1, b'a', 0]),
                Some(children) => out.extend([0x35, 0x00, 0x18, 1, b'a', 0x15, children * 2, 0]),
            }
        }
        out.push(0);
        out
    }

    fn nested(levels: usize) -> Vec<u8> {
        let mut elements = vec![Some(1); levels];
        elements.push(None);
        footer(&elements)
    }

    fn refusal(footer: &[u8]) -> String {
        check(footer).unwrap_err().message().to_string()
    }

    #[test]
    fn nested_columns_have_a_limit() {
        assert!(check(&nested(100)).is_ok());
        assert!(refusal(&nested(1_000_000)).contains("nested deeper than 200 levels"));
        // Many beside each other are no nest.
        let mut flat = vec![Some(60)];
        for _ in 0..60 {
            flat.extend([Some(1), None]);
        }
        assert!(check(&footer(&flat)).is_ok());
    }

    #[test]
    fn claims_are_held_to_what_there_is() {
        assert!(refusal(&footer(&[Some(60), None])).contains("a group claims 60 columns, and all are 2"));
        // A list of 2^27 row groups in one byte.
        let mut hostile = nested(1);
        hostile.pop();
        hostile.extend([0x29, 0xfc, 0x80, 0x80, 0x80, 0x40, 0]);
        assert!(refusal(&hostile).contains("a list claims 134217728 elements in 1 bytes"), "{}", refusal(&hostile));
    }

    #[test]
    fn bytes_that_are_no_footer_are_left_to_the_decoder() {
        for bytes in [&b""[..], b"\x19", b"\x15\x02\x19\xfc", b"\xff\xff\xff\xff"] {
            assert!(check(bytes).is_ok());
        }
        assert!(check_file(&bytes::Bytes::from_static(b"PAR1")).is_ok());
    }
}
