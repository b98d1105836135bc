//! UUIDs in Parquet and Arrow: sixteen bytes that say what they are. Parquet has a logical type for them, which its reader and
//! writer for Arrow leave out; Arrow has an extension type, a word beside the field.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef, Schema};
use gristmill_base::Result;
use gristmill_types::{Columns, SqlType};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::{LogicalType, Type as PhysicalType};
use parquet::schema::types::{SchemaDescriptor, Type as SchemaType};

/// What stands beside a field of UUIDs.
pub(super) fn beside() -> HashMap<String, String> {
    HashMap::from([("ARROW:extension:name".to_string(), "arrow.uuid".to_string())])
}

/// The Arrow schema of a Parquet file, where fields of UUIDs say so.
pub fn schema_with_uuids(metadata: &ArrowReaderMetadata) -> Schema {
    let leaves = metadata.metadata().file_metadata().schema_descr().columns();
    let mut are_uuids = leaves.iter().map(|leaf| leaf.logical_type_ref() == Some(&LogicalType::Uuid));
    let fields = metadata.schema().fields().iter().map(|field| marked(field, &mut are_uuids));
    Schema::new(fields.collect::<Vec<_>>())
}

/// `are_uuids`: of the leaves that come next.
fn marked(field: &FieldRef, are_uuids: &mut impl Iterator<Item = bool>) -> FieldRef {
    let kind = match field.data_type() {
        DataType::List(item) => DataType::List(marked(item, are_uuids)),
        DataType::LargeList(item) => DataType::LargeList(marked(item, are_uuids)),
        DataType::Map(entries, sorted) => DataType::Map(marked(entries, are_uuids), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| marked(field, are_uuids)).collect()),
        kind => {
            let is_uuid = are_uuids.next() == Some(true) && *kind == DataType::FixedSizeBinary(16);
            return match is_uuid {
                true => Arc::new(field.as_ref().clone().with_metadata(beside())),
                false => field.clone(),
            };
        }
    };
    Arc::new(Field::new(field.name(), kind, field.is_nullable()).with_metadata(field.metadata().clone()))
}

/// The schema of a Parquet file of those columns, whose Arrow schema is given. UUIDs have their logical type.
pub(super) fn parquet_schema(columns: &Columns, schema: &Schema) -> Result<SchemaDescriptor> {
    let plain = ArrowSchemaConverter::new().convert(schema)?;
    let mut leaves = Vec::new();
    columns.iter().for_each(|column| leaves_of(&column.kind, &mut leaves));
    let root = with_logical_type(plain.root_schema(), &mut leaves.into_iter())?;
    Ok(SchemaDescriptor::new(root))
}

/// Of each leaf of a type whether it is a UUID.
fn leaves_of(kind: &SqlType, leaves: &mut Vec<bool>) {
    match kind.plain() {
        SqlType::Array(element) => leaves_of(element, leaves),
        SqlType::Tuple(fields) => fields.iter().for_each(|(_, kind)| leaves_of(kind, leaves)),
        SqlType::Map(key, value) => {
            leaves_of(key, leaves);
            leaves_of(value, leaves);
        }
        other => leaves.push(*other == SqlType::Uuid),
    }
}

fn with_logical_type(kind: &SchemaType, are_uuids: &mut impl Iterator<Item = bool>) -> Result<Arc<SchemaType>> {
    let info = kind.get_basic_info();
    let id = info.has_id().then(|| info.id());
    let built = match kind {
        SchemaType::PrimitiveType { physical_type, type_length, .. } => {
            if are_uuids.next() != Some(true) || *physical_type != PhysicalType::FIXED_LEN_BYTE_ARRAY {
                return Ok(Arc::new(kind.clone()));
            }
            SchemaType::primitive_type_builder(kind.name(), *physical_type)
                .with_length(*type_length)
                .with_logical_type(Some(LogicalType::Uuid))
                .with_repetition(info.repetition())
                .with_id(id)
                .build()?
        }
        SchemaType::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| with_logical_type(field, are_uuids)).collect::<Result<Vec<_>>>()?;
            let builder = SchemaType::group_type_builder(kind.name()).with_fields(fields).with_id(id);
            let builder = if info.has_repetition() { builder.with_repetition(info.repetition()) } else { builder };
            builder.with_logical_type(info.logical_type_ref().cloned()).with_converted_type(info.converted_type()).build()?
        }
    };
    Ok(Arc::new(built))
}
