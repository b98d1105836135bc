//! Sources whose data lies in files: `s3`, `gcs`, `azureBlobStorage`, `url`, `file`.

pub mod convert;
pub mod fetch;
pub mod file;
pub mod filter;
pub mod hive;
pub mod layout;
pub mod measure;
pub mod parquet;
pub mod scan;
