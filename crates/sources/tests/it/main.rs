//! The tests of sources, one binary.

mod object_storage;
mod parquet;
mod support;
mod text;
mod writing;
