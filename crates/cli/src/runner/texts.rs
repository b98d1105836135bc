//! Texts of queries that do not stand on the command line: files and standard input.

use std::io::Read;
use std::path::Path;

use gristmill_base::{Error, ErrorCode, Result};

/// The text of a file of queries. Error: CANNOT_OPEN_FILE.
pub fn read_queries(file: &Path) -> Result<String> {
    let failed = |what: String| {
        Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot read queries from {}: {what}", file.display()))
    };
    let bytes = std::fs::read(file).map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(format!("not valid UTF-8 at byte {}", error.utf8_error().valid_up_to())))
}

/// Queries on standard input. Error: CANNOT_READ_FROM_FILE_DESCRIPTOR.
pub fn read_stdin() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| {
        Error::new(ErrorCode::CANNOT_READ_FROM_FILE_DESCRIPTOR, format!("Cannot read queries from standard input: {error}"))
    })?;
    Ok(text)
}
