//! The bytes of a whole file, which is read from any place: in memory, or in a file, where they are many.

use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::sync::Arc;

use bytes::Bytes;
use gristmill_base::{Error, Result};
use parquet::file::reader::{ChunkReader, Length};

#[derive(Clone, Debug)]
pub enum FileBytes {
    Memory(Bytes),
    /// Nobody else reads it or writes to it.
    File(Arc<File>),
}

impl From<Bytes> for FileBytes {
    fn from(bytes: Bytes) -> Self {
        FileBytes::Memory(bytes)
    }
}

/// What reads from any place.
pub trait ReadSeek: Read + Seek + Send {}

impl<R: Read + Seek + Send> ReadSeek for R {}

impl FileBytes {
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of it, from its beginning.
    pub fn reader(self) -> Result<Box<dyn ReadSeek>> {
        Ok(match self {
            FileBytes::Memory(bytes) => Box::new(Cursor::new(bytes)),
            FileBytes::File(mut file) => {
                file.rewind().map_err(Error::from)?;
                Box::new(BufReader::new(file))
            }
        })
    }
}

impl Length for FileBytes {
    fn len(&self) -> u64 {
        match self {
            FileBytes::Memory(bytes) => Length::len(bytes),
            FileBytes::File(file) => Length::len(file.as_ref()),
        }
    }
}

impl ChunkReader for FileBytes {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(match self {
            FileBytes::Memory(bytes) => Box::new(bytes.get_read(start)?),
            FileBytes::File(file) => Box::new(file.get_read(start)?),
        })
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        match self {
            FileBytes::Memory(bytes) => bytes.get_bytes(start, length),
            FileBytes::File(file) => file.get_bytes(start, length),
        }
    }
}
