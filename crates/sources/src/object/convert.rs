//! Values of files as values of the table's types.

use arrow::array::{ArrayRef, AsArray};
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::SqlType;
use gristmill_types::adopt::adopt;
use gristmill_types::builder::{ColumnBuilder, Escaping, ParseOptions};
use gristmill_types::cast::CastOptions;

/// Turns columns of a file into columns of the table.
#[derive(Clone, Debug)]
pub struct Converter {
    options: CastOptions,
}

impl Converter {
    pub fn new(settings: &Settings) -> Self {
        let options = CastOptions {
            timezone: session_timezone(settings),
            null_as_default: settings.input_format_null_as_default,
            saturates: true,
            refuses_days: settings.date_time_overflow_behavior != "saturate",
            ..CastOptions::default()
        };
        Converter { options }
    }

    /// The column as `kind` is carried in memory.
    pub fn adopt(&self, array: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
        adopt(array, kind, &self.options)
    }
}

/// The zone of dates and times that name none.
pub fn session_timezone(settings: &Settings) -> Tz {
    settings.session_timezone.parse().unwrap_or(Tz::UTC)
}

/// Values given as plain text, such as those of a path.
pub fn from_text(values: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
    let texts =
        values.as_binary_view_opt().ok_or_else(|| Error::new(ErrorCode::LOGICAL_ERROR, "Text is carried as BinaryView"))?;
    let mut builder = ColumnBuilder::new(kind, &ParseOptions::default())?;
    for text in texts {
        match text {
            Some(text) => builder.append_text(text, Escaping::Plain)?,
            None => builder.append_null()?,
        }
    }
    Ok(builder.finish())
}
