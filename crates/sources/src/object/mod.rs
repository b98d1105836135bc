//! Sources whose data lies in files: `s3`, `gcs`, `azureBlobStorage`, `url`, `file`.

pub mod appetite;
pub mod convert;
pub mod estimate;
pub mod exec;
pub mod fetch;
pub mod file;
pub mod files;
pub mod filter;
pub mod hive;
pub mod infer;
pub mod input;
pub mod layout;
pub mod load;
pub mod opening;
pub mod parquet;
pub mod provider;
pub mod reads;
pub mod scan;
pub mod source;
pub mod step;
pub mod table;
pub mod tail;
pub mod text;
pub mod write;
