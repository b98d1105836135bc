//! The embedded block of a part: what Parquet's footer has no place for. It lies between the last row group and the
//! page indexes; the footer's key-value metadata says where (`gristmill.part.offset`, `.length`, `.version`), and other
//! readers never look there.
//!
//! ```text
//! magic "GMPART1\n" · header length u32 · index length u32 · header (zstd JSON) · index (zstd Arrow IPC) · xxh3-64
//! ```
//! Numbers are little-endian; the checksum covers everything before it.

use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

pub const MAGIC: &[u8; 8] = b"GMPART1\n";
pub const VERSION: u32 = 1;
pub const OFFSET_KEY: &str = "gristmill.part.offset";
pub const LENGTH_KEY: &str = "gristmill.part.length";
pub const VERSION_KEY: &str = "gristmill.part.version";
const FIXED_LENGTH: usize = MAGIC.len() + 8;
const CHECKSUM_LENGTH: usize = 8;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartHeader {
    pub version: u32,
    pub rows: u64,
    /// Rows of every granule but the last, which holds what is left.
    pub granule_rows: u64,
    /// Rows of every row group but the last: a multiple of `granule_rows`.
    pub row_group_rows: u64,
    pub partition_id: String,
    pub partition: String,
    /// Canonical texts of the sorting key.
    pub sorting_key: Vec<String>,
    pub primary_key_length: usize,
    pub level: u32,
    pub columns: Vec<ColumnHeader>,
    /// The data skipping indexes that the part has data of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skip_indexes: Vec<SkipIndexHeader>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkipIndexHeader {
    /// What the index is found by (`SkipIndexDefinition::key`).
    pub key: String,
    /// The type with its parameters.
    #[serde(rename = "type")]
    pub kind: String,
    /// For people: as it was when the part was written.
    pub expression: String,
    /// Granules that a unit tells of.
    pub granularity: u64,
    pub uncompressed_bytes: u64,
    /// In the order of their units.
    pub chunks: Vec<SkipChunk>,
}

/// Where the data of some units lies in the object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkipChunk {
    pub offset: u64,
    pub length: u64,
    pub units: u64,
}

impl SkipIndexHeader {
    pub fn compressed_bytes(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.length).sum()
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnHeader {
    pub name: String,
    /// What the column is found by after an ALTER of the table; absent where that is the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// ClickHouse's type, canonical.
    #[serde(rename = "type")]
    pub kind: String,
    /// Every string of the column is valid UTF-8, and the column says so to other readers.
    pub text: bool,
    pub dictionary: bool,
    /// As the values lie in memory.
    pub uncompressed_bytes: u64,
    pub compressed_bytes: u64,
}

impl ColumnHeader {
    pub fn key(&self) -> &str {
        self.key.as_deref().unwrap_or(&self.name)
    }
}

impl PartHeader {
    pub fn granules(&self) -> usize {
        self.rows.div_ceil(self.granule_rows.max(1)) as usize
    }

    /// The block as it is embedded. `index`: the sparse index, encoded.
    pub fn encode(&self, index: &[u8]) -> Result<Vec<u8>> {
        let json = serde_json::to_vec(self).map_err(|error| Error::logical(format!("Part header: {error}")))?;
        let header = zstd::bulk::compress(&json, 3)?;
        let mut out = Vec::with_capacity(FIXED_LENGTH + header.len() + index.len() + CHECKSUM_LENGTH);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&(header.len() as u32).to_le_bytes());
        out.extend_from_slice(&(index.len() as u32).to_le_bytes());
        out.extend_from_slice(&header);
        out.extend_from_slice(index);
        out.extend_from_slice(&xxh3_64(&out).to_le_bytes());
        Ok(out)
    }

    /// Takes the block apart: the header, the encoded index, and what comes after the block, with which `block` begins.
    /// Errors: CORRUPTED_DATA.
    pub fn decode(block: &Bytes) -> Result<(PartHeader, Bytes, Bytes)> {
        let corrupt = |what: &str| Error::new(ErrorCode::CORRUPTED_DATA, format!("The part's header is damaged: {what}"));
        let number =
            |at: usize| -> Option<usize> { Some(u32::from_le_bytes(block.get(at..at + 4)?.try_into().ok()?) as usize) };
        if block.get(..MAGIC.len()) != Some(MAGIC.as_slice()) {
            return Err(corrupt("it does not begin as one"));
        }
        let (Some(header_length), Some(index_length)) = (number(8), number(12)) else {
            return Err(corrupt("it is cut off"));
        };
        let body = FIXED_LENGTH + header_length + index_length;
        let Some(checksum) = block.get(body..body + CHECKSUM_LENGTH) else {
            return Err(corrupt("it is cut off"));
        };
        if checksum != xxh3_64(&block[..body]).to_le_bytes() {
            return Err(corrupt("its checksum does not fit"));
        }
        let json = zstd::stream::decode_all(&block[FIXED_LENGTH..FIXED_LENGTH + header_length])?;
        let header: PartHeader = serde_json::from_slice(&json).map_err(|error| corrupt(&error.to_string()))?;
        if header.version > VERSION {
            return Err(Error::new(
                ErrorCode::UNSUPPORTED_PARAMETER,
                format!("The part is of format version {}, this program reads up to {VERSION}: update it", header.version),
            ));
        }
        let index = block.slice(FIXED_LENGTH + header_length..body);
        Ok((header, index, block.slice(body + CHECKSUM_LENGTH..)))
    }
}
