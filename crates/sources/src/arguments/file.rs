//! `file(path [, format] [, structure] [, compression])`. Relative paths lie under the folder for users' files, and with one
//! set nothing outside of it is read.

use std::path::{Path, PathBuf};

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::Format;
use gristmill_objstore::{Credentials, Location};

use super::{ObjectArguments, Parsed};
use crate::call::TableFunctionCall;
use crate::function_table::wrong_count;
use crate::object::source::ObjectSource;

const FORMS: &str = "(path [, format] [, structure] [, compression_method])";

/// Names of standard input.
pub fn is_stdin(path: &str) -> bool {
    matches!(path, "-" | "stdin")
}

pub fn parse(call: &TableFunctionCall, user_files_path: Option<&PathBuf>) -> Result<ObjectArguments> {
    let mut parsed = Parsed::new(call)?;
    let positional = parsed.positional.clone();
    let path = match positional.first().map(|path| path.word()).or_else(|| parsed.take("path")) {
        Some(path) if positional.len() <= 4 => path,
        _ => return Err(wrong_count(&call.name, positional.len(), FORMS)),
    };
    let here = std::env::current_dir()?;
    let base: &Path = user_files_path.map_or(here.as_path(), PathBuf::as_path);
    let location = Location::parse_file(path, base)?;
    if let Some(allowed) = user_files_path {
        let whole = PathBuf::from(format!("/{}", location.key));
        let literal: PathBuf = whole.iter().take_while(|part| !part.to_string_lossy().contains(['*', '?', '{'])).collect();
        if !literal.starts_with(allowed) {
            return Err(Error::new(
                ErrorCode::PATH_ACCESS_DENIED,
                format!("File `{}` is not inside `{}`", whole.display(), allowed.display()),
            ));
        }
    }
    let mut arguments = ObjectArguments {
        source: ObjectSource {
            function: call.name.clone(),
            location,
            credentials: Credentials::Anonymous,
            headers: Vec::new(),
            format: Format::Null,
            compression: None,
        },
        format: None,
        structure: None,
    };
    arguments.finish_with(positional.get(1..).unwrap_or_default())?;
    arguments.take_named(&mut parsed)?;
    parsed.finish("path, format, structure, compression_method")?;
    Ok(arguments)
}
