//! The metadata of a Parquet file as readers want it.
//!
//! Byte-array columns lose their UTF-8 annotation before anything is read, because `String` is bytes here: the reader would
//! refuse invalid text otherwise, and spend time on checking. A damaged footer can say anything, so decoding runs behind a
//! barrier that turns a panic of the decoder into an error.

use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use gristmill_base::{Error, ErrorCode, Result, panics};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataBuilder};
use parquet::schema::types::{SchemaDescriptor, Type as SchemaType};

/// Runs a step of a reader of Parquet or Arrow. What it panics on is damaged input.
pub fn guarded<T, E: Into<Error>>(step: impl FnOnce() -> std::result::Result<T, E>) -> Result<T> {
    match panics::caught(step) {
        Ok(result) => result.map_err(Into::into),
        Err(said) => Err(Error::new(ErrorCode::INCORRECT_DATA, format!("Not valid data: its reader gave up: {said}"))),
    }
}

/// What the Arrow reader needs, with byte arrays as BinaryView. `metadata` is `without_text_annotations`.
pub fn reader_metadata(metadata: Arc<ParquetMetaData>) -> Result<ArrowReaderMetadata> {
    // The Arrow schema that some writers leave in the file is not looked at: types are those of Parquet itself.
    let plain = ArrowReaderMetadata::try_new(metadata.clone(), ArrowReaderOptions::new().with_skip_arrow_metadata(true))?;
    let views = Arc::new(Schema::new(plain.schema().fields().iter().map(with_views).collect::<Vec<_>>()));
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true).with_schema(views);
    Ok(ArrowReaderMetadata::try_new(metadata, options)?)
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
pub fn without_text_annotations(metadata: ParquetMetaData) -> Result<ParquetMetaData> {
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
