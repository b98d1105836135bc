//! `system.formats`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_formats::{Format, is_splittable};

use crate::rows::table;

const STRUCTURE: &str = "name String, is_input UInt8, is_output UInt8, supports_parallel_parsing UInt8, is_tty_friendly UInt8, \
    content_type String, supports_random_access UInt8, has_schema_inference UInt8, has_external_schema UInt8, related Array(String)";

pub fn add(all: &mut Vec<Arc<dyn Table>>) -> Result<()> {
    all.push(table("system", "formats", "SystemFormats", STRUCTURE, |_, rows| {
        let mut formats: Vec<(&str, Format)> =
            Format::ALL.iter().flat_map(|format| format.names().map(|name| (name, *format))).collect();
        formats.sort_unstable_by_key(|(name, _)| *name);
        for (name, format) in formats {
            // What is read alone is no answer.
            let content_type = if format.is_output() { format.content_type() } else { "" };
            // Of the structure that the data has whatever it says.
            let is_fixed = matches!(format, Format::LineAsString | Format::JsonAsString | Format::RawBlob | Format::One);
            let lacks_types =
                matches!(format, Format::RowBinary | Format::RowBinaryWithDefaults | Format::RowBinaryWithNames);
            rows.push([
                name.into(),
                format.is_input().into(),
                format.is_output().into(),
                (is_splittable(format, b"") || matches!(format, Format::Parquet | Format::Orc)).into(),
                (!(format.is_output() && format.is_binary())).into(),
                content_type.into(),
                format.is_columnar_file().into(),
                (format.is_input() && !lacks_types && !is_fixed).into(),
                is_fixed.into(),
                format.names().filter(|other| *other != name).map(ToString::to_string).collect::<Vec<_>>().into(),
            ])?;
        }
        Ok(())
    })?);
    Ok(())
}
