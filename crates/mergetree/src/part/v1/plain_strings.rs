//! Encodes one String column of one row group: views in, PLAIN Parquet pages out, one page a granule.
//!
//! Long text is most of what wide tables hold, so it takes the shortest way: values are copied once, from wherever the
//! sort's permutation finds them into the page, whose buffer is used again for the next one; the page is compressed by the
//! C library into a second such buffer. (The Parquet crate's encoder takes the sorted values as an array, grows a new
//! buffer for every page, and compresses LZ4 with a library in Rust.) What comes out is what that encoder would have
//! written, but for the bytes of the compression: statistics, column index and offset index are the same.
//!
//! Columns with a dictionary, and strings that can be NULL or lie in arrays, go the other way.

use std::cell::RefCell;
use std::io::Write;
use std::ops::Range;

use arrow::array::BinaryViewArray;
use bytes::Bytes;
use gristmill_base::Result;
use parquet::basic::{BoundaryOrder, Encoding, EncodingMask, PageType, Type};
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::file::metadata::{ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::{SerializedPageWriter, SerializedRowGroupWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

use super::encode::{Codec, STATISTICS_BYTES_MAX};
use super::outlet::Outlet;

/// Values whose memory is fetched together.
const TOUCHED_AT_ONCE: usize = 32;
/// Bytes of a page's header, about.
const HEADER_BYTES: usize = 64;

pub struct StringsEncoder {
    descriptor: ColumnDescPtr,
    codec: Codec,
    /// All values are valid UTF-8, and so have to be the bounds in the statistics.
    text: bool,
    granule_rows: usize,
    page: PageValues,
    compressed: Vec<u8>,
    /// Of all pages: a header and the values, together where they are short.
    pieces: Vec<Bytes>,
    pages: i32,
    rows: u64,
    /// Bytes of all pages with their headers, compressed and not.
    bytes: u64,
    plain_bytes: u64,
    value_bytes: u64,
    column_index: ColumnIndexBuilder,
    offset_index: OffsetIndexBuilder,
    bounds: Option<Bounds>,
    last_page: Option<Bounds>,
    ascending: bool,
    descending: bool,
}

/// The page under way.
#[derive(Default)]
struct PageValues {
    /// Each value after its length, as PLAIN wants it.
    plain: Vec<u8>,
    rows: usize,
    /// Where the least and the greatest value lie.
    least: Range<usize>,
    greatest: Range<usize>,
}

#[derive(Clone)]
struct Bounds {
    least: Vec<u8>,
    greatest: Vec<u8>,
}

impl PageValues {
    fn push(&mut self, value: &[u8]) {
        self.plain.extend_from_slice(&(value.len() as u32).to_le_bytes());
        let at = self.plain.len()..self.plain.len() + value.len();
        self.plain.extend_from_slice(value);
        if self.rows == 0 {
            (self.least, self.greatest) = (at.clone(), at);
        } else if *value < self.plain[self.least.clone()] {
            self.least = at;
        } else if *value > self.plain[self.greatest.clone()] {
            self.greatest = at;
        }
        self.rows += 1;
    }

    fn bounds(&self) -> Bounds {
        Bounds { least: self.plain[self.least.clone()].to_vec(), greatest: self.plain[self.greatest.clone()].to_vec() }
    }

    fn clear(&mut self) {
        self.plain.clear();
        self.rows = 0;
    }
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

/// With a context that the thread keeps: a new one has a megabyte of tables to fill, more than most pages hold.
fn compress_zstd(plain: &[u8], compressed: &mut [u8], level: i32) -> Result<usize> {
    thread_local! {
        static KEPT: RefCell<Option<(i32, Compressor<'static>)>> = const { RefCell::new(None) };
    }
    KEPT.with_borrow_mut(|kept| {
        let compressor = match kept {
            Some((of, compressor)) if *of == level => compressor,
            _ => &mut kept.insert((level, Compressor::new(level)?)).1,
        };
        Ok(compressor.compress_to_buffer(plain, compressed)?)
    })
}

impl StringsEncoder {
    pub fn new(descriptor: ColumnDescPtr, codec: Codec, text: bool, granule_rows: usize) -> StringsEncoder {
        StringsEncoder {
            descriptor,
            codec,
            text,
            granule_rows,
            page: PageValues::default(),
            compressed: Vec::new(),
            pieces: Vec::new(),
            pages: 0,
            rows: 0,
            bytes: 0,
            plain_bytes: 0,
            value_bytes: 0,
            column_index: ColumnIndexBuilder::new(Type::BYTE_ARRAY),
            offset_index: OffsetIndexBuilder::new(),
            bounds: None,
            last_page: None,
            ascending: true,
            descending: true,
        }
    }

    /// Appends the values of these rows; gives their bytes in memory, with eight more each.
    pub fn write(&mut self, array: &BinaryViewArray, mut rows: impl Iterator<Item = usize>) -> Result<u64> {
        let mut bytes = 0;
        let mut values: [&[u8]; TOUCHED_AT_ONCE] = [&[]; TOUCHED_AT_ONCE];
        loop {
            let mut count = 0;
            for (value, row) in values.iter_mut().zip(rows.by_ref()) {
                *value = array.value(row);
                count += 1;
            }
            if count == 0 {
                return Ok(bytes);
            }
            // Sorted rows lie anywhere. Reads that do not depend on one another wait for memory together, those between
            // copies one after the other: a load by a random key spent a fifth of its time so.
            let first = |value: &&[u8]| value.first().copied().unwrap_or_default();
            std::hint::black_box(values[..count].iter().map(first).fold(0, u8::wrapping_add));
            for value in &values[..count] {
                bytes += value.len() as u64 + 8;
                self.page.push(value);
                if self.page.rows == self.granule_rows {
                    self.end_page()?;
                }
            }
        }
    }

    /// Bytes held: pages that are done and the one under way.
    pub fn memory_bytes(&self) -> u64 {
        self.bytes + (self.page.plain.capacity() + self.compressed.capacity()) as u64
    }

    fn end_page(&mut self) -> Result<()> {
        let plain_bytes = self.page.plain.len();
        let compressed_bytes = self.compress()?;
        let values = Bytes::copy_from_slice(&self.compressed[..compressed_bytes]);
        let page = Page::DataPage {
            buf: values.clone(),
            num_values: self.page.rows as u32,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let mut sink = TrackedWrite::new(Headers { written: Vec::with_capacity(HEADER_BYTES), values: values.clone() });
        let written = SerializedPageWriter::new(&mut sink).write_page(CompressedPage::new(page, plain_bytes))?;
        let written_bytes = written.compressed_size;
        self.offset_index.append_row_count(self.page.rows as i64);
        let value_bytes = (plain_bytes - 4 * self.page.rows) as i64;
        self.offset_index.append_unencoded_byte_array_data_bytes(Some(value_bytes));
        self.offset_index.append_offset_and_size(self.bytes as i64, written.compressed_size as i32);
        self.index_page();
        self.rows += self.page.rows as u64;
        self.bytes += written.compressed_size as u64;
        self.plain_bytes += written.uncompressed_size as u64;
        self.value_bytes += value_bytes as u64;
        let Headers { written, .. } = sink.into_inner()?;
        let has_values = written.len() == written_bytes;
        self.pieces.push(written.into());
        if !has_values {
            self.pieces.push(values);
        }
        self.pages += 1;
        self.page.clear();
        Ok(())
    }

    /// Compresses the page under way to the front of `compressed`; gives its length.
    fn compress(&mut self) -> Result<usize> {
        let plain = &self.page.plain;
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

    fn index_page(&mut self) {
        let bounds = self.page.bounds();
        if let Some(last) = &self.last_page {
            self.ascending &= last.least <= bounds.least && last.greatest <= bounds.greatest;
            self.descending &= last.least >= bounds.least && last.greatest >= bounds.greatest;
        }
        let least = truncated(&bounds.least, self.text).unwrap_or_else(|| bounds.least.clone());
        let greatest = truncated_up(&bounds.greatest, self.text).unwrap_or_else(|| bounds.greatest.clone());
        self.column_index.append(false, least, greatest, 0);
        match &mut self.bounds {
            None => self.bounds = Some(bounds.clone()),
            Some(all) => {
                if bounds.least < all.least {
                    all.least.clone_from(&bounds.least);
                }
                if bounds.greatest > all.greatest {
                    all.greatest.clone_from(&bounds.greatest);
                }
            }
        }
        self.last_page = Some(bounds);
    }

    /// The column of the row group, whose last page ends here.
    pub fn finish(mut self) -> Result<StringsChunk> {
        if self.page.rows > 0 {
            self.end_page()?;
        }
        let compression = self.codec.compression()?;
        let pages = PageEncodingStats { page_type: PageType::DATA_PAGE, encoding: Encoding::PLAIN, count: self.pages };
        let mut metadata = ColumnChunkMetaData::builder(self.descriptor.clone())
            .set_compression(compression)
            .set_encodings_mask(EncodingMask::new_from_encodings([Encoding::PLAIN, Encoding::RLE].iter()))
            .set_page_encoding_stats(vec![pages])
            .set_total_compressed_size(self.bytes as i64)
            .set_total_uncompressed_size(self.plain_bytes as i64)
            .set_num_values(self.rows as i64)
            .set_data_page_offset(0)
            .set_unencoded_byte_array_data_bytes(Some(self.value_bytes as i64));
        if let Some(bounds) = &self.bounds {
            metadata = metadata.set_statistics(statistics(bounds, self.text));
        }
        self.column_index.set_boundary_order(match (self.ascending, self.descending) {
            (true, _) => BoundaryOrder::ASCENDING,
            (false, true) => BoundaryOrder::DESCENDING,
            (false, false) => BoundaryOrder::UNORDERED,
        });
        let close = ColumnCloseResult {
            bytes_written: self.bytes,
            rows_written: self.rows,
            metadata: metadata.build()?,
            bloom_filter: None,
            column_index: Some(self.column_index.build()?),
            offset_index: Some(self.offset_index.build()),
        };
        Ok(StringsChunk { pieces: self.pieces, close })
    }
}

/// ZSTD's level for parts that stay.
pub const ZSTD_LEVEL: i32 = 1;

fn statistics(bounds: &Bounds, text: bool) -> Statistics {
    let (least, greatest) = (truncated(&bounds.least, text), truncated_up(&bounds.greatest, text));
    let exact = (least.is_none(), greatest.is_none());
    let value = |short: Option<Vec<u8>>, whole: &Vec<u8>| Some(ByteArray::from(short.unwrap_or_else(|| whole.clone())));
    let (least, greatest) = (value(least, &bounds.least), value(greatest, &bounds.greatest));
    Statistics::ByteArray(
        ValueStatistics::new(least, greatest, None, Some(0), false).with_min_is_exact(exact.0).with_max_is_exact(exact.1),
    )
}

/// A shorter text that is not greater; `None` where the whole one is short enough.
fn truncated(value: &[u8], text: bool) -> Option<Vec<u8>> {
    (value.len() > STATISTICS_BYTES_MAX).then(|| value[..border(value, text)].to_vec())
}

/// A shorter text that is not less; `None` where the whole one is short enough, or where there is none.
fn truncated_up(value: &[u8], text: bool) -> Option<Vec<u8>> {
    if value.len() <= STATISTICS_BYTES_MAX {
        return None;
    }
    let mut short = value[..border(value, text)].to_vec();
    if !text {
        while let Some(last) = short.pop() {
            if last < u8::MAX {
                short.push(last + 1);
                return Some(short);
            }
        }
        return None;
    }
    // The next character has to be as long, so that the text stays one.
    let mut short = String::from_utf8(short).ok()?;
    while let Some(last) = short.pop() {
        if let Some(next) = char::from_u32(last as u32 + 1).filter(|next| next.len_utf8() == last.len_utf8()) {
            short.push(next);
            return Some(short.into_bytes());
        }
    }
    None
}

/// Where to cut, so that no character is.
fn border(value: &[u8], text: bool) -> usize {
    let continues = |byte: u8| text && byte & 0xC0 == 0x80;
    (1..=STATISTICS_BYTES_MAX).rev().find(|&at| !continues(value[at])).unwrap_or(STATISTICS_BYTES_MAX)
}

/// A column of a row group that is encoded.
pub struct StringsChunk {
    pieces: Vec<Bytes>,
    close: ColumnCloseResult,
}

impl StringsChunk {
    pub fn bytes(&self) -> u64 {
        self.close.bytes_written
    }

    pub fn close(&self) -> &ColumnCloseResult {
        &self.close
    }

    /// `at`: where the column begins in the file.
    pub fn append_to(self, group: &mut SerializedRowGroupWriter<'_, Outlet>, outlet: &Outlet, at: u64) -> Result<()> {
        Ok(group.append_column(&outlet.put_around(at, self.pieces), self.close)?)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
    use gristmill_types::parse;
    use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
    use parquet::arrow::arrow_writer::ArrowRowGroupWriterFactory;
    use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::types::SchemaDescriptor;
    use proptest::prelude::*;

    use super::super::encode::{RowsTaken, encoders, properties};
    use super::super::schema::{annotated_schema, storage_schema};
    use super::*;

    const GRANULE_ROWS: usize = 4;

    /// A file of one String column, made by this encoder or by the Parquet crate's.
    fn file(blocks: &[BinaryViewArray], text: bool, codec: Codec, ours: bool) -> Bytes {
        let columns = parse::structure("s String").expect("columns");
        let root = annotated_schema(&columns, &[text]).expect("a schema");
        let descriptor = SchemaDescriptor::new(root.clone());
        let properties = properties(&columns, &descriptor, &[false], codec, GRANULE_ROWS).expect("properties");
        let outlet = Outlet::default();
        let mut file = SerializedFileWriter::new(outlet.clone(), root, properties).expect("a file");
        let factory = ArrowRowGroupWriterFactory::new(&file, storage_schema(&columns));
        let strings = |_| ours.then(|| StringsEncoder::new(descriptor.column(0), codec, text, GRANULE_ROWS));
        let mut encoder = encoders(&factory, 0, &columns, &[1], GRANULE_ROWS, strings).expect("encoders").remove(0);
        for block in blocks {
            let (rows, column) = (RowsTaken::Run(0..block.len()), Arc::new(block.clone()) as ArrayRef);
            encoder.write(&column, &rows).expect("written");
        }
        let mut at = file.bytes_written() as u64;
        let mut group = file.next_row_group().expect("a row group");
        encoder.finish().expect("encoded").append_to(&mut group, &outlet, &mut at).expect("appended");
        group.close().expect("closed");
        file.into_inner().expect("a file");
        outlet.take().concat().into()
    }

    fn metadata(file: &Bytes) -> Arc<ParquetMetaData> {
        let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
        ArrowReaderMetadata::load(file, options).expect("metadata").metadata().clone()
    }

    fn values(file: Bytes) -> Vec<String> {
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a file").build().expect("a reader");
        let batches: Vec<RecordBatch> = reader.map(|batch| batch.expect("rows")).collect();
        let rows = batches.iter().flat_map(|batch| batch.column(0).as_string::<i32>().iter());
        rows.map(|value| value.expect("no NULL").to_string()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_file_is_as_the_parquet_crate_writes_it(
            blocks in prop::collection::vec(prop::collection::vec("[a-bé\u{10ffff}]{0,50}", 1..12), 1..4),
            zstd in any::<bool>(),
        ) {
            let codec = if zstd { Codec::Zstd } else { Codec::Lz4 };
            let arrays: Vec<BinaryViewArray> =
                blocks.iter().map(|block| BinaryViewArray::from_iter_values(block.iter().map(|text| text.as_bytes()))).collect();
            let (ours, theirs) = (file(&arrays, true, codec, true), file(&arrays, true, codec, false));
            let (a, b) = (metadata(&ours), metadata(&theirs));
            let (ours_column, theirs_column) = (a.row_group(0).column(0), b.row_group(0).column(0));
            prop_assert_eq!(ours_column.statistics(), theirs_column.statistics());
            prop_assert_eq!(ours_column.num_values(), theirs_column.num_values());
            prop_assert_eq!(ours_column.compression(), theirs_column.compression());
            prop_assert_eq!(ours_column.encodings().collect::<Vec<_>>(), theirs_column.encodings().collect::<Vec<_>>());
            prop_assert_eq!(ours_column.unencoded_byte_array_data_bytes(), theirs_column.unencoded_byte_array_data_bytes());
            prop_assert_eq!(a.column_index(), b.column_index());
            let rows = |metadata: &ParquetMetaData| -> Vec<i64> {
                let index = metadata.offset_index().expect("an offset index");
                index[0][0].page_locations().iter().map(|page| page.first_row_index).collect()
            };
            prop_assert_eq!(rows(&a), rows(&b));
            let expected: Vec<String> = blocks.into_iter().flatten().collect();
            prop_assert_eq!(values(ours), expected);
        }

        #[test]
        fn bounds_of_bytes_are_cut_outwards(value in prop::collection::vec(prop::sample::select(vec![0u8, 1, 254, 255]), 0..40)) {
            if let Some(least) = truncated(&value, false) {
                prop_assert!(least <= value && least.len() <= STATISTICS_BYTES_MAX);
            }
            if let Some(greatest) = truncated_up(&value, false) {
                prop_assert!(greatest >= value && greatest.len() <= STATISTICS_BYTES_MAX);
            }
        }
    }
}
