//! Footers of Parquet files, decoded once and kept.
//!
//! One speculative read of the end of the file usually has the whole footer (and of small files everything). Byte-array
//! columns lose their UTF-8 annotation before anything is read, because `String` is bytes here: the reader would refuse
//! invalid text otherwise, and spend time on checking.
//!
//! A damaged footer can say anything, so decoding runs behind a barrier that turns a panic of the decoder into an error.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema, SchemaRef};
use bytes::Bytes;
use gristmill_base::{Error, ErrorCode, Result};
use parquet::DecodeResult;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::file::metadata::{
    FileMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataBuilder, ParquetMetaDataPushDecoder,
};
use parquet::schema::types::{SchemaDescriptor, Type as SchemaType};

/// A decoded footer.
#[derive(Clone, Debug)]
pub struct Footer {
    pub reader: ArrowReaderMetadata,
    /// Bytes of the file.
    pub file_bytes: u64,
    pub memory_bytes: u64,
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
}

/// The smallest file that can be Parquet: two magic words and the length of an empty footer.
const SMALLEST_FILE_BYTES: u64 = 12;

impl FooterDecoder {
    pub fn new(file_bytes: u64) -> Result<Self> {
        if file_bytes < SMALLEST_FILE_BYTES {
            return Err(Error::new(
                ErrorCode::INCORRECT_DATA,
                format!("Not a valid Parquet file: it has {file_bytes} bytes, and even an empty one has {SMALLEST_FILE_BYTES}"),
            ));
        }
        let decoder = ParquetMetaDataPushDecoder::try_new(file_bytes)?.with_page_index_policy(PageIndexPolicy::Skip);
        Ok(FooterDecoder { decoder, file_bytes, strip: true })
    }

    /// Adds the page index to a footer that was decoded without.
    pub fn page_index(footer: &Footer) -> Result<Self> {
        let metadata = footer.metadata().as_ref().clone();
        let decoder = ParquetMetaDataPushDecoder::try_new_with_metadata(footer.file_bytes, metadata)?
            .with_page_index_policy(PageIndexPolicy::Optional);
        Ok(FooterDecoder { decoder, file_bytes: footer.file_bytes, strip: false })
    }

    pub fn push(&mut self, ranges: Vec<Range<u64>>, pieces: Vec<Bytes>) -> Result<()> {
        Ok(self.decoder.push_ranges(ranges, pieces)?)
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

/// Runs a step of the Parquet reader. What it panics on is damaged input.
pub fn guarded<T, E: Into<Error>>(step: impl FnOnce() -> std::result::Result<T, E>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(step)) {
        Ok(result) => result.map_err(Into::into),
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
            Err(Error::new(ErrorCode::INCORRECT_DATA, format!("Not a valid Parquet file: its reader gave up: {text}")))
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
        format!("Not a valid Parquet file: it points at bytes {}..{} of {file_bytes}. It is damaged or was cut off", range.start, range.end),
    ))
}

fn footer(metadata: ParquetMetaData, file_bytes: u64) -> Result<Footer> {
    if metadata.row_groups().iter().any(|group| group.num_rows() < 0) || metadata.file_metadata().num_rows() < 0 {
        return Err(Error::new(ErrorCode::INCORRECT_DATA, "Not a valid Parquet file: it has a negative number of rows"));
    }
    let metadata = Arc::new(metadata);
    // The Arrow schema that some writers leave in the file is not looked at: types are those of Parquet itself.
    let plain = ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::new().with_skip_arrow_metadata(true))?;
    let views = Arc::new(Schema::new(plain.schema().fields().iter().map(with_views).collect::<Vec<_>>()));
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true).with_schema(views);
    let reader = ArrowReaderMetadata::try_new(metadata.clone(), options)?;
    let memory_bytes = metadata.memory_size() as u64 + 4096;
    Ok(Footer { reader, file_bytes, memory_bytes })
}

/// The field with BinaryView for every Binary in it.
fn with_views(field: &FieldRef) -> FieldRef {
    let kind = match field.data_type() {
        DataType::Binary => DataType::BinaryView,
        DataType::List(item) => DataType::List(with_views(item)),
        DataType::Map(entries, sorted) => DataType::Map(with_views(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(with_views).collect()),
        _ => return field.clone(),
    };
    Arc::new(Field::new(field.name(), kind, field.is_nullable()).with_metadata(field.metadata().clone()))
}

/// The same file, its byte arrays being bytes and not text.
fn without_text_annotations(metadata: ParquetMetaData) -> Result<ParquetMetaData> {
    let old = metadata.file_metadata();
    let root = stripped(old.schema())?;
    let file = FileMetaData::new(
        old.version(),
        old.num_rows(),
        old.created_by().map(str::to_string),
        old.key_value_metadata().cloned(),
        Arc::new(SchemaDescriptor::new(root)),
        old.column_orders().cloned(),
    );
    let mut groups = metadata.into_builder();
    Ok(ParquetMetaDataBuilder::new(file).set_row_groups(groups.take_row_groups()).build())
}

fn stripped(kind: &SchemaType) -> Result<Arc<SchemaType>> {
    let info = kind.get_basic_info();
    let id = info.has_id().then(|| info.id());
    let stripped = match kind {
        SchemaType::PrimitiveType { physical_type, .. } => {
            let text = matches!(
                info.logical_type_ref(),
                Some(LogicalType::String | LogicalType::Json | LogicalType::Bson | LogicalType::Enum)
            ) || matches!(
                info.converted_type(),
                ConvertedType::UTF8 | ConvertedType::JSON | ConvertedType::BSON | ConvertedType::ENUM
            );
            if *physical_type != PhysicalType::BYTE_ARRAY || !text {
                return Ok(Arc::new(kind.clone()));
            }
            SchemaType::primitive_type_builder(kind.name(), *physical_type)
                .with_repetition(info.repetition())
                .with_id(id)
                .build()?
        }
        SchemaType::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| stripped(field)).collect::<Result<Vec<_>>>()?;
            let builder = SchemaType::group_type_builder(kind.name()).with_fields(fields).with_id(id);
            let builder = if info.has_repetition() { builder.with_repetition(info.repetition()) } else { builder };
            builder.with_logical_type(info.logical_type_ref().cloned()).with_converted_type(info.converted_type()).build()?
        }
    };
    Ok(Arc::new(stripped))
}
