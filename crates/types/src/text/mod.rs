//! Values as text, in each of the ways ClickHouse writes one.
//!
//! A `ValueWriter` resolves an array and its type once into a tree of typed arrays (`value.rs`), so that writing a value
//! is a match and no search. The `Escaping` decides what is done with strings and with types that are written like them:
//! nothing, TSV's backslashes, quotes, CSV's double quotes, JSON. Inside of arrays, tuples and maps values are quoted,
//! whatever the outside is, save in JSON, which nests as JSON does.

mod interval;
mod number;
mod string;
mod temporal;
mod value;

use std::sync::Arc;

use arrow::array::Array;
use chrono_tz::Tz;
use gristmill_base::Result;

use crate::sql_type::SqlType;
pub use number::{write_decimal, write_decimal256, write_f32, write_f64};
pub use string::{valid_utf8, write_csv_string, write_escaped, write_json_string, write_quoted};
pub use temporal::{write_date, write_date_time, write_time};
use value::Node;
pub(crate) use value::{ticks, to_strings};

/// What is done to a value's text to make it fit where it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Escaping {
    /// As `toString()` gives it.
    #[default]
    Plain,
    /// Backslash escapes for tabs, line ends, quotes and backslashes.
    TsvEscaped,
    /// Strings, dates and the like in single quotes: as literals of SQL.
    Quoted,
    /// Strings, dates and the like in double quotes, which are doubled inside.
    Csv,
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum DateTimeOutput {
    /// `2024-03-15 14:30:00`
    #[default]
    Simple,
    /// `2024-03-15T14:30:00Z`, in UTC
    Iso,
    UnixTimestamp,
}

impl DateTimeOutput {
    /// By the value of the setting `date_time_output_format`.
    pub fn by_name(name: &str) -> Option<DateTimeOutput> {
        match name {
            "simple" => Some(DateTimeOutput::Simple),
            "iso" => Some(DateTimeOutput::Iso),
            "unix_timestamp" => Some(DateTimeOutput::UnixTimestamp),
            _ => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TextOptions {
    pub escaping: Escaping,
    /// The session's zone, for types that name none.
    pub timezone: Tz,
    pub date_time_output_format: DateTimeOutput,
    /// NULL as a whole field of TSV, and of Plain.
    pub tsv_null: Arc<str>,
    /// NULL as a whole field of CSV.
    pub csv_null: Arc<str>,
    pub bool_true: Arc<str>,
    pub bool_false: Arc<str>,
    pub json_quote_64bit_integers: bool,
    pub json_quote_64bit_floats: bool,
    /// Write `"nan"` and `"inf"` rather than null.
    pub json_quote_denormals: bool,
    pub json_quote_decimals: bool,
    pub json_escape_forward_slashes: bool,
    pub json_named_tuples_as_objects: bool,
    /// Maps are arrays of tuples, of a key and a value each.
    pub json_maps_as_arrays: bool,
    /// Replace what is not UTF-8 in JSON strings by U+FFFD.
    pub json_replace_invalid_utf8: bool,
    /// Named tuples leave out their fields that are NULL, in JSON.
    pub json_leave_out_null_fields: bool,
    /// Decimals have all digits of their scale: `1.500`.
    pub decimal_trailing_zeros: bool,
    /// Floats and decimals without a fraction end with a point, save in JSON: `2.`
    pub always_point: bool,
    /// Most digits that floats have after the point. 0: as many as tell them from their neighbours.
    pub float_precision: u64,
    /// Fractions of DateTime64 end at a third, sixth or ninth digit, or are left out where they are nothing.
    pub date_time_64_in_thousands: bool,
    /// A quote in a quoted text is doubled, and a backslash left alone.
    pub doubled_quotes: bool,
    /// A tuple is one field of CSV.
    pub csv_whole_tuples: bool,
    /// FixedString is written without the zeros at its end.
    pub trim_fixed_string: bool,
    /// Intervals are Kusto's timespans; else they are numbers.
    pub kusto_intervals: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions {
            escaping: Escaping::Plain,
            timezone: Tz::UTC,
            date_time_output_format: DateTimeOutput::Simple,
            tsv_null: Arc::from("\\N"),
            csv_null: Arc::from("\\N"),
            bool_true: Arc::from("true"),
            bool_false: Arc::from("false"),
            json_quote_64bit_integers: false,
            json_quote_64bit_floats: false,
            json_quote_denormals: false,
            json_quote_decimals: false,
            json_escape_forward_slashes: true,
            json_named_tuples_as_objects: true,
            json_maps_as_arrays: false,
            json_replace_invalid_utf8: true,
            json_leave_out_null_fields: false,
            decimal_trailing_zeros: false,
            always_point: false,
            float_precision: 0,
            date_time_64_in_thousands: false,
            doubled_quotes: false,
            csv_whole_tuples: false,
            trim_fixed_string: false,
            kusto_intervals: false,
        }
    }
}

impl TextOptions {
    pub fn new(escaping: Escaping, timezone: Tz) -> Self {
        TextOptions { escaping, timezone, ..TextOptions::default() }
    }
}

/// Writes the values of one column.
pub struct ValueWriter {
    node: Node,
    options: TextOptions,
}

impl ValueWriter {
    /// Errors: LOGICAL_ERROR where the array is not what carries the type.
    pub fn new(array: &dyn Array, kind: &SqlType, options: &TextOptions) -> Result<ValueWriter> {
        Ok(ValueWriter { node: Node::new(array, kind, options)?, options: options.clone() })
    }

    pub fn is_null(&self, row: usize) -> bool {
        self.node.is_null(row)
    }

    /// Appends the value, in the escaping of the options.
    pub fn write(&self, row: usize, out: &mut Vec<u8>) {
        self.node.write(row, self.options.escaping, &self.options, out);
    }

    /// Appends the value in another escaping than that of the options.
    pub fn write_as(&self, row: usize, escaping: Escaping, out: &mut Vec<u8>) {
        self.node.write(row, escaping, &self.options, out);
    }
}
