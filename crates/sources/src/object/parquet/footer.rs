//! Footers of Parquet files, decoded once and kept.
//!
//! One speculative read of the end of the file usually has the whole footer (and of small files everything).
//!
//! A damaged footer can say anything, so decoding runs behind a barrier that turns a panic of the decoder into an error.

use std::ops::Range;
use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::columnar::footer_check;
pub use gristmill_formats::columnar::parquet_metadata::guarded;
use gristmill_formats::columnar::parquet_metadata::{reader_metadata, without_text_annotations};
use parquet::DecodeResult;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataPushDecoder};

/// A decoded footer.
#[derive(Clone, Debug)]
pub struct Footer {
    pub reader: ArrowReaderMetadata,
    /// Bytes of the file.
    pub file_bytes: u64,
    pub memory_bytes: u64,
    /// The bytes of a small file, which came along with its footer.
    pub whole: Option<Bytes>,
}

impl Footer {
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.reader.metadata()
    }

    /// The columns of the file, byte arrays as BinaryView.
    pub fn schema(&self) -> &SchemaRef {
        self.reader.schema()
    }

    pub fn has_page_index(&self) -> bool {
        self.metadata().offset_index().is_some()
    }
}

/// What a step of decoding a footer asks for or gives.
pub enum FooterStep {
    Needs(Vec<Range<u64>>),
    Done(Arc<Footer>),
}

/// Decodes a footer from as many pieces as it takes.
pub struct FooterDecoder {
    decoder: ParquetMetaDataPushDecoder,
    file_bytes: u64,
    strip: bool,
    /// Where the footer lies, once it is known.
    place: Option<Range<u64>>,
}

/// The smallest file that can be Parquet: two magic words and the length of an empty footer.
const SMALLEST_FILE_BYTES: u64 = 12;

impl FooterDecoder {
    pub fn new(file_bytes: u64) -> Result<Self> {
        if file_bytes < SMALLEST_FILE_BYTES {
            return Err(Error::new(
                ErrorCode::INCORRECT_DATA,
                format!(
                    "Not a valid Parquet file: it has {file_bytes} bytes, and even an empty one has {SMALLEST_FILE_BYTES}"
                ),
            ));
        }
        let decoder = ParquetMetaDataPushDecoder::try_new(file_bytes)?.with_page_index_policy(PageIndexPolicy::Skip);
        Ok(FooterDecoder { decoder, file_bytes, strip: true, place: None })
    }

    /// Adds the page index to a footer that was decoded without.
    pub fn page_index(footer: &Footer) -> Result<Self> {
        let metadata = footer.metadata().as_ref().clone();
        let decoder = ParquetMetaDataPushDecoder::try_new_with_metadata(footer.file_bytes, metadata)?
            .with_page_index_policy(PageIndexPolicy::Optional);
        Ok(FooterDecoder { decoder, file_bytes: footer.file_bytes, strip: false, place: None })
    }

    pub fn push(&mut self, ranges: Vec<Range<u64>>, pieces: Vec<Bytes>) -> Result<()> {
        if self.strip {
            ranges.iter().zip(&pieces).try_for_each(|(range, piece)| self.check(range, piece))?;
        }
        Ok(self.decoder.push_ranges(ranges, pieces)?)
    }

    /// Checks the footer before it is decoded, where a piece is the one that it lies in: the end of the file has it, or says
    /// where it is.
    fn check(&mut self, range: &Range<u64>, piece: &[u8]) -> Result<()> {
        if range.end == self.file_bytes {
            self.place = footer_check::place(piece, self.file_bytes);
        }
        let Some(place) = &self.place else { return Ok(()) };
        if range.start > place.start || range.end < place.end {
            return Ok(());
        }
        let within = (place.start - range.start) as usize..(place.end - range.start) as usize;
        piece.get(within).map_or(Ok(()), footer_check::check)
    }

    pub fn step(&mut self) -> Result<FooterStep> {
        match guarded(|| self.decoder.try_decode())? {
            DecodeResult::NeedsData(ranges) => {
                for range in &ranges {
                    check_range(range, self.file_bytes)?;
                }
                Ok(FooterStep::Needs(ranges))
            }
            DecodeResult::Finished => Err(Error::logical("A footer was asked for after it was decoded")),
            DecodeResult::Data(metadata) => {
                let metadata = if self.strip { without_text_annotations(metadata)? } else { metadata };
                let footer = guarded(|| footer(metadata, self.file_bytes))?;
                Ok(FooterStep::Done(Arc::new(footer)))
            }
        }
    }
}

/// A range that a footer names must lie in the file.
pub fn check_range(range: &Range<u64>, file_bytes: u64) -> Result<()> {
    if range.start <= range.end && range.end <= file_bytes {
        return Ok(());
    }
    Err(Error::new(
        ErrorCode::INCORRECT_DATA,
        format!(
            "Not a valid Parquet file: it points at bytes {}..{} of {file_bytes}. It is damaged or was cut off",
            range.start, range.end
        ),
    ))
}

fn footer(metadata: ParquetMetaData, file_bytes: u64) -> Result<Footer> {
    if metadata.row_groups().iter().any(|group| group.num_rows() < 0) || metadata.file_metadata().num_rows() < 0 {
        return Err(Error::new(ErrorCode::INCORRECT_DATA, "Not a valid Parquet file: it has a negative number of rows"));
    }
    let metadata = Arc::new(metadata);
    let reader = reader_metadata(metadata.clone())?;
    let memory_bytes = metadata.memory_size() as u64 + 4096;
    Ok(Footer { reader, file_bytes, memory_bytes, whole: None })
}
