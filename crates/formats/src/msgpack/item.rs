//! One value of MessagePack, or the beginning of one that has others in it.

use gristmill_base::{Error, ErrorCode};

/// Why a value cannot be read.
pub(super) enum Fault {
    /// The bytes end within it.
    End,
    Wrong(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Wrong(error)
    }
}

pub(super) enum Item<'a> {
    Nil,
    Bool(bool),
    /// A whole number, widened by its sign.
    Integer(u64),
    Float32([u8; 4]),
    Float64([u8; 8]),
    Text(&'a [u8]),
    Bytes(&'a [u8]),
    /// So many values follow.
    Array(u32),
    /// So many pairs follow.
    Map(u32),
    Extension(i8, &'a [u8]),
}

impl Item<'_> {
    /// As messages name it.
    pub fn name(&self) -> &'static str {
        match self {
            Item::Nil => "null",
            Item::Bool(_) => "bool",
            Item::Integer(_) => "integer",
            Item::Float32(_) => "float32",
            Item::Float64(_) => "float64",
            Item::Text(_) | Item::Bytes(_) => "string",
            Item::Array(_) => "array",
            Item::Map(_) => "map",
            Item::Extension(..) => "extension",
        }
    }
}

pub(super) struct Reader<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Reader<'a> {
    fn taken(&mut self, length: usize) -> Result<&'a [u8], Fault> {
        let end = self.at.checked_add(length).filter(|end| *end <= self.bytes.len()).ok_or(Fault::End)?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        self.taken(N)?.try_into().map_err(|_| Fault::End)
    }

    /// A length of one, two or four bytes, by the step of the tag.
    fn length(&mut self, step: u8) -> Result<usize, Fault> {
        Ok(match step {
            0 => usize::from(self.array::<1>()?[0]),
            1 => usize::from(u16::from_be_bytes(self.array()?)),
            _ => u32::from_be_bytes(self.array()?) as usize,
        })
    }

    /// Error: INCORRECT_DATA.
    pub fn item(&mut self) -> Result<Item<'a>, Fault> {
        let [tag] = self.array()?;
        Ok(match tag {
            0x00..=0x7f => Item::Integer(u64::from(tag)),
            0x80..=0x8f => Item::Map(u32::from(tag & 0x0f)),
            0x90..=0x9f => Item::Array(u32::from(tag & 0x0f)),
            0xa0..=0xbf => Item::Text(self.taken(usize::from(tag & 0x1f))?),
            0xc0 => Item::Nil,
            0xc2 | 0xc3 => Item::Bool(tag == 0xc3),
            0xc4..=0xc6 => {
                let length = self.length(tag - 0xc4)?;
                Item::Bytes(self.taken(length)?)
            }
            0xc7..=0xc9 => {
                let length = self.length(tag - 0xc7)?;
                self.extension(length)?
            }
            0xca => Item::Float32(self.array()?),
            0xcb => Item::Float64(self.array()?),
            0xcc => Item::Integer(u64::from(self.array::<1>()?[0])),
            0xcd => Item::Integer(u64::from(u16::from_be_bytes(self.array()?))),
            0xce => Item::Integer(u64::from(u32::from_be_bytes(self.array()?))),
            0xcf => Item::Integer(u64::from_be_bytes(self.array()?)),
            0xd0 => Item::Integer(i64::from(i8::from_be_bytes(self.array()?)) as u64),
            0xd1 => Item::Integer(i64::from(i16::from_be_bytes(self.array()?)) as u64),
            0xd2 => Item::Integer(i64::from(i32::from_be_bytes(self.array()?)) as u64),
            0xd3 => Item::Integer(u64::from_be_bytes(self.array()?)),
            0xd4..=0xd8 => self.extension(1 << (tag - 0xd4))?,
            0xd9..=0xdb => {
                let length = self.length(tag - 0xd9)?;
                Item::Text(self.taken(length)?)
            }
            0xdc | 0xdd => Item::Array(self.length(tag - 0xdc + 1)? as u32),
            0xde | 0xdf => Item::Map(self.length(tag - 0xde + 1)? as u32),
            0xe0..=0xff => Item::Integer(i64::from(tag as i8) as u64),
            0xc1 => {
                let text = "Error occurred while parsing msgpack data: no value begins with the byte 0xc1";
                return Err(Fault::Wrong(Error::new(ErrorCode::INCORRECT_DATA, text)));
            }
        })
    }

    fn extension(&mut self, length: usize) -> Result<Item<'a>, Fault> {
        let kind = i8::from_be_bytes(self.array()?);
        Ok(Item::Extension(kind, self.taken(length)?))
    }
}
