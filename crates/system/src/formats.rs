//! `system.formats`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_formats::Format;

use crate::rows::table;

const STRUCTURE: &str = "name String, is_input UInt8, is_output UInt8, supports_parallel_parsing UInt8, is_tty_friendly UInt8, \
    content_type String, supports_random_access UInt8, has_schema_inference UInt8, has_external_schema UInt8, related Array(String)";

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "formats", "SystemFormats", STRUCTURE, |_, rows| {
        let mut formats: Vec<(&str, Format)> =
            Format::ALL.iter().flat_map(|format| format.names().map(|name| (name, *format))).collect();
        formats.sort_unstable_by_key(|(name, _)| *name);
        for (name, format) in formats {
            let text = format.content_type().starts_with("text/");
            rows.push([
                name.into(),
                format.is_input().into(),
                format.is_output().into(),
                (format.is_input() && !format.is_columnar_file()).into(),
                text.into(),
                format.content_type().into(),
                format.is_columnar_file().into(),
                format.is_input().into(),
                format.carries_schema().into(),
                format.names().filter(|other| *other != name).map(ToString::to_string).collect::<Vec<_>>().into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
