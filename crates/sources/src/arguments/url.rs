//! `url(url [, format] [, structure] [, compression] [, headers(…)])`. Braces of the URL are expanded; `*` and `?` are its own.

use gristmill_base::Result;
use gristmill_formats::Format;
use gristmill_objstore::{Credentials, Location};

use super::{ObjectArguments, Parsed};
use crate::call::TableFunctionCall;
use crate::function_table::wrong_count;
use crate::object::source::ObjectSource;

const FORMS: &str = "(url [, format] [, structure] [, compression_method] [, headers(…)])";

pub fn parse(call: &TableFunctionCall) -> Result<ObjectArguments> {
    let mut parsed = Parsed::new(call)?;
    let positional = parsed.positional.clone();
    let url = match positional.first().map(|url| url.word()).or_else(|| parsed.take("url")) {
        Some(url) if positional.len() <= 4 => url,
        _ => return Err(wrong_count(&call.name, positional.len(), FORMS)),
    };
    let mut arguments = ObjectArguments {
        source: ObjectSource {
            function: call.name.clone(),
            location: Location::parse_http(url)?,
            credentials: Credentials::Anonymous,
            headers: std::mem::take(&mut parsed.headers),
            format: Format::Null,
            compression: None,
        },
        format: None,
        structure: None,
    };
    arguments.finish_with(positional.get(1..).unwrap_or_default())?;
    arguments.take_named(&mut parsed)?;
    parsed.finish("url, format, structure, compression_method")?;
    Ok(arguments)
}
