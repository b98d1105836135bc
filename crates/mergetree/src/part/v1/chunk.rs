//! One column of one row group, made of pages that an encoder of ours hands over: headers, the compression, what the offset
//! index and the column's metadata say of them.
//!
//! Values go from the encoder's buffer through the C library into a second one, and from there into a piece of memory of
//! their size; both buffers are used again for the next page. (The Parquet crate grows new ones for every page, makes a
//! context of ZSTD for every column, and compresses LZ4 with a library in Rust.)

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;
use std::ops::Range;

use bytes::Bytes;
use gristmill_base::Result;
use parquet::basic::{BoundaryOrder, Encoding, EncodingMask, PageType};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::file::metadata::{ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use super::encode::Codec;
use super::outlet::Outlet;
use super::page_sums::pages_of_chunk;

/// ZSTD's level for parts that stay.
pub const ZSTD_LEVEL: i32 = 1;
/// Its level for their strings: an eighth fewer bytes than at the first, long texts take twice the time to compress.
pub const STRINGS_ZSTD_LEVEL: i32 = 3;
/// Bytes of a page's header, about.
const HEADER_BYTES: usize = 64;

/// The pages so far.
pub struct ChunkBuilder {
    descriptor: ColumnDescPtr,
    codec: Codec,
    compressed: Vec<u8>,
    /// Of all pages: a header and the values, together where they are short.
    pieces: Vec<Bytes>,
    /// The same of the dictionary, and its bytes.
    dictionary: Vec<Bytes>,
    dictionary_bytes: Option<u64>,
    pages: Vec<PlacedPage>,
    encodings: Vec<PageEncodingStats>,
    rows: u64,
    /// Bytes of all pages with their headers, compressed and not.
    bytes: u64,
    plain_bytes: u64,
    /// Of byte arrays: their bytes without lengths.
    value_bytes: Option<u64>,
    column_index: ColumnIndexBuilder,
    ascending: bool,
    descending: bool,
}

/// What the offset index says of a page.
struct PlacedPage {
    bytes: u64,
    rows: usize,
    value_bytes: Option<u64>,
}

/// How values lie in a page.
#[derive(Clone, Copy)]
pub enum PageForm {
    /// A page of version 1: PLAIN values, compressed.
    PlainStrings,
    /// A page of version 1: places in the dictionary, compressed. Of strings: how many bytes they are without lengths.
    Places { value_bytes: Option<u64> },
    /// A page of version 2, compressed or not.
    Numbers { encoding: Encoding, is_compressed: bool },
}

/// A page's place among the pages before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    pub ascends: bool,
    pub descends: bool,
}

impl Order {
    /// Nothing is before it.
    pub const FIRST: Order = Order { ascends: true, descends: true };
}

/// Takes a page's header, and its values only where they come in one piece with it: long ones go into the file as they are.
struct Headers {
    written: Vec<u8>,
    values: Bytes,
}

impl Write for Headers {
    fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
        if !std::ptr::eq(data, &self.values[..]) {
            self.written.extend_from_slice(data);
        }
        Ok(data.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// With a context that the thread keeps for the level: a new one has a megabyte of tables to fill, more than most pages hold.
pub fn compress_zstd(plain: &[u8], compressed: &mut [u8], level: i32) -> Result<usize> {
    thread_local! {
        static KEPT: RefCell<BTreeMap<i32, Compressor<'static>>> = const { RefCell::new(BTreeMap::new()) };
    }
    KEPT.with_borrow_mut(|kept| {
        let compressor = match kept.entry(level) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(Compressor::new(level)?),
        };
        Ok(compressor.compress_to_buffer(plain, compressed)?)
    })
}

impl ChunkBuilder {
    pub fn new(descriptor: ColumnDescPtr, codec: Codec) -> ChunkBuilder {
        ChunkBuilder {
            column_index: ColumnIndexBuilder::new(descriptor.physical_type()),
            descriptor,
            codec,
            compressed: Vec::new(),
            pieces: Vec::new(),
            dictionary: Vec::new(),
            dictionary_bytes: None,
            pages: Vec::new(),
            encodings: Vec::new(),
            rows: 0,
            bytes: 0,
            plain_bytes: 0,
            value_bytes: None,
            ascending: true,
            descending: true,
        }
    }

    pub fn codec(&self) -> Codec {
        self.codec
    }

    /// Bytes held.
    pub fn memory_bytes(&self) -> u64 {
        self.bytes + self.compressed.capacity() as u64
    }

    /// Compresses values to the front of `compressed`; gives their length there.
    pub fn compress(&mut self, plain: &[u8]) -> Result<usize> {
        let most = match self.codec {
            Codec::Lz4 => lz4::block::compress_bound(plain.len())?,
            Codec::Zstd | Codec::ZstdAt(_) => zstd::zstd_safe::compress_bound(plain.len()),
            Codec::Uncompressed => plain.len(),
        };
        if self.compressed.len() < most {
            self.compressed.resize(most, 0);
        }
        Ok(match self.codec {
            Codec::Lz4 => lz4::block::compress_to_buffer(plain, None, false, &mut self.compressed)?,
            Codec::Zstd => compress_zstd(plain, &mut self.compressed, ZSTD_LEVEL)?,
            Codec::ZstdAt(level) => compress_zstd(plain, &mut self.compressed, level)?,
            Codec::Uncompressed => {
                self.compressed[..plain.len()].copy_from_slice(plain);
                plain.len()
            }
        })
    }

    /// A page of the values that were compressed last, `length` bytes of them; `plain_bytes`: before that.
    pub fn push_compressed(&mut self, length: usize, form: PageForm, plain_bytes: usize, rows: usize) -> Result<()> {
        self.push(Bytes::copy_from_slice(&self.compressed[..length]), form, plain_bytes, rows)
    }

    /// A page of values that lie as they will in the file. `plain_bytes`: of the page before it was compressed.
    pub fn push(&mut self, values: Bytes, form: PageForm, plain_bytes: usize, rows: usize) -> Result<()> {
        let (buf, num_values) = (values.clone(), rows as u32);
        let levels = Encoding::RLE;
        let (page, kind, encoding) = match form {
            PageForm::PlainStrings | PageForm::Places { .. } => {
                let is_plain = matches!(form, PageForm::PlainStrings);
                let (encoding, statistics) = (if is_plain { Encoding::PLAIN } else { Encoding::RLE_DICTIONARY }, None);
                let (def_level_encoding, rep_level_encoding) = (levels, levels);
                let page = Page::DataPage { buf, num_values, encoding, def_level_encoding, rep_level_encoding, statistics };
                (page, PageType::DATA_PAGE, encoding)
            }
            PageForm::Numbers { encoding, is_compressed } => {
                let page = Page::DataPageV2 {
                    buf,
                    num_values,
                    encoding,
                    num_nulls: 0,
                    num_rows: num_values,
                    def_levels_byte_len: 0,
                    rep_levels_byte_len: 0,
                    is_compressed,
                    statistics: None,
                };
                (page, PageType::DATA_PAGE_V2, encoding)
            }
        };
        let written = self.put(page, values, plain_bytes, kind)?;
        let value_bytes = match form {
            PageForm::PlainStrings => Some((plain_bytes - 4 * rows) as u64),
            PageForm::Places { value_bytes } => value_bytes,
            PageForm::Numbers { .. } => None,
        };
        if let Some(bytes) = value_bytes {
            *self.value_bytes.get_or_insert_default() += bytes;
        }
        self.pages.push(PlacedPage { bytes: written, rows, value_bytes });
        self.rows += rows as u64;
        match self.encodings.last_mut() {
            Some(last) if last.page_type == kind && last.encoding == encoding => last.count += 1,
            _ => self.encodings.push(PageEncodingStats { page_type: kind, encoding, count: 1 }),
        }
        Ok(())
    }

    /// Puts a page behind those before it; gives its bytes with its header.
    fn put(&mut self, page: Page, values: Bytes, plain_bytes: usize, kind: PageType) -> Result<u64> {
        let mut sink = TrackedWrite::new(Headers { written: Vec::with_capacity(HEADER_BYTES), values: values.clone() });
        let written = SerializedPageWriter::new(&mut sink).write_page(CompressedPage::new(page, plain_bytes))?;
        self.bytes += written.compressed_size as u64;
        self.plain_bytes += written.uncompressed_size as u64;
        let Headers { written: header, .. } = sink.into_inner()?;
        let has_values = header.len() == written.compressed_size;
        let pieces = if kind == PageType::DICTIONARY_PAGE { &mut self.dictionary } else { &mut self.pieces };
        pieces.push(header.into());
        if !has_values {
            pieces.push(values);
        }
        Ok(written.compressed_size as u64)
    }

    /// The dictionary, PLAIN. It lies before all pages, though it is known behind them.
    pub fn push_dictionary(&mut self, plain: &[u8], values: usize) -> Result<()> {
        let length = self.compress(plain)?;
        let buf = Bytes::copy_from_slice(&self.compressed[..length]);
        let (encoding, num_values) = (Encoding::PLAIN, values as u32);
        let page = Page::DictionaryPage { buf: buf.clone(), num_values, encoding, is_sorted: false };
        self.dictionary_bytes = Some(self.put(page, buf, plain.len(), PageType::DICTIONARY_PAGE)?);
        self.encodings.insert(0, PageEncodingStats { page_type: PageType::DICTIONARY_PAGE, encoding, count: 1 });
        Ok(())
    }

    /// The bounds of the page that was pushed last, and whether they lie in order with those of the page before.
    pub fn index_page(&mut self, least: Vec<u8>, greatest: Vec<u8>, order: Order) {
        self.ascending &= order.ascends;
        self.descending &= order.descends;
        self.column_index.append(false, least, greatest, 0);
    }

    /// The column of the row group, whose last page was pushed.
    pub fn finish(mut self, statistics: Option<Statistics>) -> Result<EncodedChunk> {
        let encodings = self.encodings.iter().map(|pages| &pages.encoding).chain([&Encoding::RLE]);
        let mut metadata = ColumnChunkMetaData::builder(self.descriptor.clone())
            .set_compression(self.codec.compression()?)
            .set_encodings_mask(EncodingMask::new_from_encodings(encodings))
            .set_page_encoding_stats(self.encodings)
            .set_total_compressed_size(self.bytes as i64)
            .set_total_uncompressed_size(self.plain_bytes as i64)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(self.dictionary_bytes.unwrap_or(0) as i64)
            .set_dictionary_page_offset(self.dictionary_bytes.map(|_| 0))
            .set_unencoded_byte_array_data_bytes(self.value_bytes.map(|bytes| bytes as i64));
        if let Some(statistics) = statistics {
            metadata = metadata.set_statistics(statistics);
        }
        self.column_index.set_boundary_order(match (self.ascending, self.descending) {
            (true, _) => BoundaryOrder::ASCENDING,
            (false, true) => BoundaryOrder::DESCENDING,
            (false, false) => BoundaryOrder::UNORDERED,
        });
        let mut offset_index = OffsetIndexBuilder::new();
        let mut at = self.dictionary_bytes.unwrap_or(0);
        for page in &self.pages {
            offset_index.append_row_count(page.rows as i64);
            offset_index.append_unencoded_byte_array_data_bytes(page.value_bytes.map(|bytes| bytes as i64));
            offset_index.append_offset_and_size(at as i64, page.bytes as i32);
            at += page.bytes;
        }
        let close = ColumnCloseResult {
            bytes_written: self.bytes,
            rows_written: self.rows,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: Some(self.column_index.build()?),
            offset_index: Some(offset_index.build()),
        };
        self.dictionary.append(&mut self.pieces);
        Ok(EncodedChunk { pieces: self.dictionary, close })
    }
}

/// A column of a row group that is encoded.
pub struct EncodedChunk {
    pieces: Vec<Bytes>,
    close: ColumnCloseResult,
}

impl EncodedChunk {
    pub fn bytes(&self) -> u64 {
        self.close.bytes_written
    }

    /// Its pages where it begins at `at` in the file.
    pub fn pages(&self, at: u64) -> Vec<Range<u64>> {
        pages_of_chunk(&self.close, at)
    }

    /// `at`: where the column begins in the file.
    pub fn append_to(self, group: &mut SerializedRowGroupWriter<'_, Outlet>, outlet: &Outlet, at: u64) -> Result<()> {
        Ok(group.append_column(&outlet.put_around(at, self.pieces), self.close)?)
    }
}
