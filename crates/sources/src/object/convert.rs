//! Values of files as values of the table's types.

use arrow::array::{Array, ArrayRef, AsArray};
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::SqlType;
use gristmill_types::builder::{ColumnBuilder, Escaping, ParseOptions};
use gristmill_types::default::default_array;

/// Turns columns of a file into columns of the table.
#[derive(Clone, Debug)]
pub struct Converter {
    null_as_default: bool,
}

impl Converter {
    pub fn new(settings: &Settings) -> Self {
        Converter { null_as_default: settings.input_format_null_as_default }
    }

    /// The column as `kind` is carried in memory.
    pub fn adopt(&self, array: &ArrayRef, kind: &SqlType) -> Result<ArrayRef> {
        let carrier = kind.arrow();
        let array = if array.data_type() == &carrier { array.clone() } else { arrow::compute::cast(array, &carrier)? };
        if array.null_count() == 0 || kind.is_nullable() {
            return Ok(array);
        }
        if !self.null_as_default {
            return Err(Error::new(
                ErrorCode::CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN,
                format!("NULL cannot be read as {kind}"),
            ));
        }
        let defaults = default_array(kind, 1);
        let present = arrow::compute::is_not_null(&array)?;
        Ok(arrow::compute::kernels::zip::zip(&present, &array, &arrow::array::Scalar::new(defaults))?)
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
