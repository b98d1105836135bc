//! Parquet and Arrow: the types that columns have in a file, the schema that a file gives, and the writers.
//!
//! Files of these formats are read by columns and ranges, which is the business of the sources; what is here is what a
//! reader and a writer need of either format without knowing where bytes come from.

pub mod arrow;
pub(crate) mod arrow_check;
pub(crate) mod arrow_rows;
pub mod file_bytes;
pub mod file_types;
pub mod footer_check;
pub(crate) mod inflate;
pub mod nested_columns;
pub mod parquet;
pub mod parquet_metadata;
pub(crate) mod parquet_rows;
mod schema;
pub mod uuids;
pub(crate) mod whole_numbers;

pub use file_bytes::FileBytes;
pub use file_types::{FileOptions, FileTypes};
pub use schema::columns_of_arrow;
pub(crate) use schema::columns_of_fields;
