//! A source of files as its arguments say: where, as whom, in which format.

use gristmill_base::redact::Secret;
use gristmill_formats::Format;
use gristmill_formats::compression::Compression;
use gristmill_objstore::{Credentials, Location, Provider};

#[derive(Clone, Debug)]
pub struct ObjectSource {
    /// The table function's name, or the engine's: `s3`, `S3`.
    pub function: String,
    /// The key may be a pattern.
    pub location: Location,
    pub credentials: Credentials,
    pub headers: Vec<(String, Secret)>,
    pub format: Format,
    /// `None`: by each file's extension.
    pub compression: Option<Compression>,
}

impl ObjectSource {
    pub fn is_parquet(&self) -> bool {
        self.format == Format::Parquet
    }

    pub fn compression_of(&self, key: &str) -> Compression {
        self.compression.unwrap_or_else(|| Compression::by_extension(key))
    }

    /// The engine that system tables show for a table of this source.
    pub fn engine(&self) -> &'static str {
        match self.location.provider {
            Provider::S3 | Provider::Gcs => "S3",
            Provider::Azure => "AzureBlobStorage",
            Provider::Http => "URL",
            Provider::File => "File",
        }
    }
}
