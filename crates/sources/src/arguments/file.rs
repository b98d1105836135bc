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
        // Braces may write `..`, which leads out again.
        let mut pieces = location.key.split(['/', '{', '}', ',']);
        let climbs = pieces.any(|piece| !piece.is_empty() && piece.bytes().all(|byte| byte == b'.'));
        if climbs || !literal.starts_with(allowed) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::CallArgument;

    #[test]
    fn with_a_folder_for_users_nothing_outside_of_it_is_read() {
        let allowed = PathBuf::from("/srv/user_files");
        let read = |path: &str| {
            let positional = vec![CallArgument::Text(path.to_string()), CallArgument::Text("CSV".to_string())];
            let call = TableFunctionCall { name: "file".to_string(), positional, ..TableFunctionCall::default() };
            parse(&call, Some(&allowed)).map(|arguments| arguments.source.location.key).map_err(|error| error.code())
        };
        assert_eq!(read("a.csv"), Ok("srv/user_files/a.csv".to_string()));
        assert_eq!(read("/srv/user_files/{1..3}/*.csv"), Ok("srv/user_files/{1..3}/*.csv".to_string()));
        for path in ["/etc/passwd", "../passwd", "a/../../passwd", "{..,a}/passwd", "{.,a}{.,b}/passwd", "*/../../passwd"] {
            assert_eq!(read(path), Err(ErrorCode::PATH_ACCESS_DENIED), "{path}");
        }
        assert_eq!(read("file:///etc/passwd"), Err(ErrorCode::PATH_ACCESS_DENIED));
    }
}
