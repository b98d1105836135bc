//! The Parquet and Arrow schemas of a part, both derived from the table's columns.

use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use gristmill_base::Result;
use gristmill_types::Columns;
use parquet::arrow::ArrowSchemaConverter;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

use super::storage_type::{annotate, storage_field};

/// The Arrow schema that a part is written from and read to.
pub fn storage_schema(columns: &Columns) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(|column| storage_field(&column.kind, &column.name)).collect::<Vec<_>>()))
}

/// The Parquet schema as other readers see it. `text[i]`: column i holds only valid UTF-8.
pub fn annotated_schema(columns: &Columns, text: &[bool]) -> Result<TypePtr> {
    let plain = reading_schema(&storage_schema(columns))?;
    let fields = plain
        .root_schema()
        .get_fields()
        .iter()
        .zip(columns)
        .zip(text)
        .map(|((field, column), text)| annotate(field, &column.kind, *text))
        .collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder("schema").with_fields(fields).build()?))
}

/// The Parquet schema as we read the part: without the annotation of text, so that bytes stay bytes.
pub fn reading_schema(storage: &Schema) -> Result<SchemaDescriptor> {
    Ok(ArrowSchemaConverter::new()
        .convert(&Schema::new(storage.fields().iter().map(|field| Field::clone(field)).collect::<Vec<_>>()))?)
}
