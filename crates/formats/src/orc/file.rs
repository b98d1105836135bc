//! Where things lie in a file: the end of it says how long the directory before it is, that where stripes are, and the end
//! of a stripe where its streams are.

use gristmill_base::{Error, ErrorCode, Result};
use parquet::file::reader::{ChunkReader, Length};

use super::incorrect;
use super::proto::{fields, write_bytes, write_number, write_numbers};
use super::runs::Version;
use super::unpack::{Codec, Packing};
use crate::columnar::FileBytes;

pub const MAGIC: &[u8; 3] = b"ORC";
/// The last byte tells how long the postscript before it is, so that has no more than 255.
const END_BYTES: usize = 256;

/// What is at the end of a file.
#[derive(Debug)]
pub struct Directory {
    pub packing: Packing,
    /// The first is the row; children come behind their parents.
    pub types: Vec<Type>,
    pub stripes: Vec<Stripe>,
}

/// A type as it stands in the directory.
#[derive(Clone, Debug, Default)]
pub struct Type {
    pub kind: u64,
    pub children: Vec<u64>,
    pub names: Vec<String>,
    pub length: u64,
    pub precision: u64,
    pub scale: u64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Stripe {
    pub offset: u64,
    pub index_bytes: u64,
    pub data_bytes: u64,
    pub footer_bytes: u64,
    pub rows: u64,
}

/// The end of a stripe.
#[derive(Debug, Default)]
pub struct StripeFooter {
    pub streams: Vec<Stream>,
    pub encodings: Vec<Encoding>,
    /// In which timestamps are local times.
    pub zone: String,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Stream {
    pub kind: u64,
    pub column: u64,
    pub bytes: u64,
}

/// Streams of a column, by the numbers that files have.
pub mod stream {
    pub const PRESENT: u64 = 0;
    pub const DATA: u64 = 1;
    pub const LENGTH: u64 = 2;
    pub const DICTIONARY: u64 = 3;
    pub const SECONDARY: u64 = 5;
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Encoding {
    pub kind: u64,
    pub dictionary_values: u64,
}

impl Encoding {
    /// Numbers in version 2 of runs, values as they are.
    pub const DIRECT_V2: Encoding = Encoding { kind: 2, dictionary_values: 0 };
    pub const DIRECT: Encoding = Encoding { kind: 0, dictionary_values: 0 };

    pub fn version(self) -> Version {
        if self.kind >= 2 { Version::Two } else { Version::One }
    }

    pub fn is_dictionary(self) -> bool {
        self.kind == 1 || self.kind == 3
    }
}

struct Postscript {
    directory_bytes: u64,
    packing: Packing,
}

/// The bytes of the postscript, that of its length among them.
fn postscript_bytes(end: &[u8]) -> Result<usize> {
    let last = end.last().ok_or_else(|| incorrect("it is empty"))?;
    Ok(usize::from(*last) + 1)
}

fn postscript(end: &[u8]) -> Result<Postscript> {
    let length = postscript_bytes(end)?;
    let bytes = end.len().checked_sub(length).map(|start| &end[start..end.len() - 1]);
    let bytes = bytes.ok_or_else(|| incorrect("it is shorter than its end says"))?;
    let (mut directory_bytes, mut codec, mut block_bytes, mut magic) = (0, 0, 0, &b""[..]);
    fields(bytes, |number, field| {
        match number {
            1 => directory_bytes = field.number()?,
            2 => codec = field.number()?,
            3 => block_bytes = field.number()?,
            8000 => magic = field.bytes()?,
            _ => {}
        }
        Ok(())
    })?;
    if magic != MAGIC {
        return Err(incorrect("it does not end as an ORC file does"));
    }
    Ok(Postscript { directory_bytes, packing: Packing::new(Codec::by_number(codec)?, block_bytes)? })
}

/// How many of the last bytes of a file hold its directory; `end`: some of them, 256 at least where the file has these.
/// Errors: INCORRECT_DATA.
pub fn end_bytes(end: &[u8]) -> Result<u64> {
    Ok(postscript(end)?.directory_bytes.saturating_add(postscript_bytes(end)? as u64))
}

impl Directory {
    /// Out of the last bytes of a file, `end_bytes` of them at least.
    pub fn of_end(end: &[u8]) -> Result<Directory> {
        let Postscript { directory_bytes, packing } = postscript(end)?;
        let to = end.len() - postscript_bytes(end)?;
        let from = usize::try_from(directory_bytes).ok().and_then(|bytes| to.checked_sub(bytes));
        let from = from.ok_or_else(|| incorrect(format!("its directory of {directory_bytes} bytes is larger than it")))?;
        let directory = packing.unpack(&end[from..to])?;
        let (mut types, mut stripes, mut rows) = (Vec::new(), Vec::new(), None);
        fields(&directory, |number, field| {
            match number {
                3 => stripes.push(stripe(field.bytes()?)?),
                4 => types.push(kind(field.bytes()?)?),
                6 => rows = Some(field.number()?),
                10 => return Err(Error::not_implemented("The ORC file is encrypted, which is not read")),
                _ => {}
            }
            Ok(())
        })?;
        // A stripe of columns without streams could claim any number.
        let of_stripes = stripes.iter().try_fold(0u64, |sum, stripe: &Stripe| sum.checked_add(stripe.rows));
        if rows.is_some() && rows != of_stripes {
            return Err(incorrect(format!("its directory says {} rows, and its stripes have others", rows.unwrap_or(0))));
        }
        Ok(Directory { packing, types, stripes })
    }

    pub fn of_file(file: &FileBytes) -> Result<Directory> {
        let all = file.len();
        let read = |bytes: u64| -> Result<bytes::Bytes> {
            let bytes = bytes.min(all);
            Ok(file.get_bytes(all - bytes, bytes as usize)?)
        };
        let bytes = end_bytes(&read(END_BYTES as u64)?)?;
        if bytes > all {
            return Err(incorrect(format!("its directory claims {bytes} bytes, and the file has {all}")));
        }
        Directory::of_end(&read(bytes)?)
    }
}

fn kind(message: &[u8]) -> Result<Type> {
    let mut out = Type::default();
    fields(message, |number, field| {
        match number {
            1 => out.kind = field.number()?,
            2 => field.numbers(&mut out.children)?,
            3 => out.names.push(field.text()?),
            4 => out.length = field.number()?,
            5 => out.precision = field.number()?,
            6 => out.scale = field.number()?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(out)
}

fn stripe(message: &[u8]) -> Result<Stripe> {
    let mut out = Stripe::default();
    fields(message, |number, field| {
        match number {
            1 => out.offset = field.number()?,
            2 => out.index_bytes = field.number()?,
            3 => out.data_bytes = field.number()?,
            4 => out.footer_bytes = field.number()?,
            5 => out.rows = field.number()?,
            _ => {}
        }
        Ok(())
    })?;
    Ok(out)
}

impl Stripe {
    /// Its footer, and where its streams begin and end.
    pub fn footer(&self, file: &FileBytes, packing: &Packing) -> Result<(StripeFooter, u64, u64)> {
        let end = self.offset.checked_add(self.index_bytes).and_then(|end| end.checked_add(self.data_bytes));
        let all = end.and_then(|end| end.checked_add(self.footer_bytes)).filter(|all| *all <= file.len());
        let (Some(end), Some(_)) = (end, all) else {
            return Err(Error::new(
                ErrorCode::CANNOT_READ_ALL_DATA,
                format!(
                    "Not a valid ORC file: a stripe at {} is not within its {} bytes. It is damaged or was cut off",
                    self.offset,
                    file.len()
                ),
            ));
        };
        let bytes = packing.unpack(&file.get_bytes(end, self.footer_bytes as usize)?)?;
        let mut out = StripeFooter::default();
        fields(&bytes, |number, field| {
            match number {
                1 => {
                    let mut stream = Stream::default();
                    fields(field.bytes()?, |number, field| {
                        match number {
                            1 => stream.kind = field.number()?,
                            2 => stream.column = field.number()?,
                            3 => stream.bytes = field.number()?,
                            _ => {}
                        }
                        Ok(())
                    })?;
                    out.streams.push(stream);
                }
                2 => {
                    let mut encoding = Encoding::default();
                    fields(field.bytes()?, |number, field| {
                        match number {
                            1 => encoding.kind = field.number()?,
                            2 => encoding.dictionary_values = field.number()?,
                            _ => {}
                        }
                        Ok(())
                    })?;
                    out.encodings.push(encoding);
                }
                3 => out.zone = field.text()?,
                _ => {}
            }
            Ok(())
        })?;
        Ok((out, self.offset, end))
    }
}

/// What a column has in the whole file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub values: u64,
    pub has_null: bool,
}

impl StripeFooter {
    pub fn message(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for stream in &self.streams {
            let mut message = Vec::new();
            write_number(1, stream.kind, &mut message);
            write_number(2, stream.column, &mut message);
            write_number(3, stream.bytes, &mut message);
            write_bytes(1, &message, &mut out);
        }
        for encoding in &self.encodings {
            let mut message = Vec::new();
            write_number(1, encoding.kind, &mut message);
            write_bytes(2, &message, &mut out);
        }
        write_bytes(3, self.zone.as_bytes(), &mut out);
        out
    }
}

/// The directory of a file, and the end behind it. `body_bytes`: of the magic word and all stripes.
pub fn write_end(
    types: &[Type],
    stripes: &[Stripe],
    counts: &[Counts],
    packing: &Packing,
    body_bytes: u64,
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut directory = Vec::new();
    write_number(1, MAGIC.len() as u64, &mut directory);
    write_number(2, body_bytes, &mut directory);
    for stripe in stripes {
        let mut message = Vec::new();
        write_number(1, stripe.offset, &mut message);
        write_number(2, stripe.index_bytes, &mut message);
        write_number(3, stripe.data_bytes, &mut message);
        write_number(4, stripe.footer_bytes, &mut message);
        write_number(5, stripe.rows, &mut message);
        write_bytes(3, &message, &mut directory);
    }
    for kind in types {
        let mut message = Vec::new();
        write_number(1, kind.kind, &mut message);
        write_numbers(2, kind.children.iter().copied(), &mut message);
        kind.names.iter().for_each(|name| write_bytes(3, name.as_bytes(), &mut message));
        if kind.precision > 0 {
            write_number(5, kind.precision, &mut message);
            write_number(6, kind.scale, &mut message);
        }
        write_bytes(4, &message, &mut directory);
    }
    write_number(6, stripes.iter().map(|stripe| stripe.rows).sum(), &mut directory);
    for counts in counts {
        let mut message = Vec::new();
        write_number(1, counts.values, &mut message);
        write_number(10, counts.has_null.into(), &mut message);
        write_bytes(7, &message, &mut directory);
    }
    // No index of rows.
    write_number(8, 0, &mut directory);
    let directory = packing.pack(&directory)?;
    let mut postscript = Vec::new();
    write_number(1, directory.len() as u64, &mut postscript);
    write_number(2, packing.codec.number(), &mut postscript);
    if packing.codec != Codec::None {
        write_number(3, packing.block_bytes(), &mut postscript);
    }
    // Version 0.12 of the format; no statistics of stripes; the writer knows of all mistakes of earlier ones.
    write_numbers(4, [0, 12].into_iter(), &mut postscript);
    write_number(5, 0, &mut postscript);
    write_number(6, 6, &mut postscript);
    write_bytes(8000, MAGIC, &mut postscript);
    out.extend_from_slice(&directory);
    out.extend_from_slice(&postscript);
    out.push(postscript.len() as u8);
    Ok(())
}
