//! Columns built value by value from text and JSON.
//!
//! A `ColumnBuilder` is one plain vector a type (`values.rs`), chosen once, plus a null mask that exists from the first
//! NULL on. Appending is all or nothing: where a value deep in a nested one does not parse, what came before it in the
//! same value is taken back, so a reader can leave the row out and go on.

mod json;
mod nested;
mod values;

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::array::builder::NullBufferBuilder;
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result};

use crate::scan::address::LenientAddresses;
use crate::scan::best_effort::Customs;
use crate::scan::{Fault, Scan, quoted};
use crate::sql_type::SqlType;
pub use crate::text::Escaping;
use values::Values;
pub use values::from_ticks;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseOptions {
    /// The session's zone, for types that name none.
    pub timezone: Tz,
    /// Texts of dates with times may have any form that can be understood, else only the basic ones (`date_time_input_format`).
    pub best_effort_dates: bool,
    /// Of `best_effort_dates`.
    pub customs: Customs,
    /// NULL for a type that cannot hold it becomes the type's default; else it is an error.
    pub null_as_default: bool,
    /// Keep the low bits of integers that are too large, as CAST from strings does; else they are errors.
    pub wrap_integers: bool,
    /// Values are those of data, as ClickHouse's formats write them, and not texts that somebody converts: NULL is only what
    /// the format says it is, a whole number without digits is 0, and a JSON value is of the kind that its type is written as.
    pub as_data: bool,
    /// What else than strings may become a String from JSON.
    pub json_strings: JsonStrings,
    /// The texts of true and false, besides those that always are.
    pub bool_true: Arc<str>,
    pub bool_false: Arc<str>,
    /// Of `as_data`: named tuples are objects in JSON; else they are arrays.
    pub named_tuples_as_objects: bool,
    /// Of `as_data`: maps are arrays of pairs in JSON; else they are objects.
    pub maps_as_arrays: bool,
    /// Fields that an object lacks are defaults in a named tuple; else they are errors.
    pub tuples_take_missing: bool,
    /// Fields of an object that a named tuple lacks are passed over; else they are errors.
    pub tuples_pass_unknown: bool,
    /// Enums are the numbers behind their names; else they are names, and what is no name is a number.
    pub enums_as_numbers: bool,
    /// Whole numbers in the place of times with a fraction are in their smallest unit; else they are seconds.
    pub raw_times: bool,
    /// JSON's true and false are 1 and 0 for numbers; else they are errors.
    pub bools_as_numbers: bool,
    /// Empty JSON strings are the default of types but String.
    pub empty_as_default: bool,
    /// Escapes of JSON that mean nothing stay as they are written; else they are errors.
    pub keeps_bad_escapes: bool,
    /// Arrays and objects that may stand within each other in JSON that is passed over.
    pub json_depth_max: u64,
    /// Texts that are no addresses.
    pub lenient_addresses: LenientAddresses,
}

/// `ParseOptions::json_depth_max` where no setting says it.
const JSON_DEPTH_MAX: u64 = 1000;

/// The JSON values that a String takes as they are written, besides strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JsonStrings {
    pub numbers: bool,
    pub bools: bool,
    pub arrays: bool,
    pub objects: bool,
}

impl Default for JsonStrings {
    fn default() -> Self {
        JsonStrings { numbers: true, bools: true, arrays: true, objects: true }
    }
}

impl Default for ParseOptions {
    fn default() -> Self {
        ParseOptions {
            timezone: Tz::UTC,
            best_effort_dates: true,
            customs: Customs::default(),
            null_as_default: true,
            wrap_integers: false,
            as_data: false,
            json_strings: JsonStrings::default(),
            bool_true: Arc::from("true"),
            bool_false: Arc::from("false"),
            named_tuples_as_objects: true,
            maps_as_arrays: false,
            tuples_take_missing: true,
            tuples_pass_unknown: true,
            enums_as_numbers: false,
            raw_times: false,
            bools_as_numbers: true,
            empty_as_default: false,
            keeps_bad_escapes: false,
            json_depth_max: JSON_DEPTH_MAX,
            lenient_addresses: LenientAddresses::default(),
        }
    }
}

/// Builds one column.
pub struct ColumnBuilder {
    kind: SqlType,
    nullable: bool,
    nulls: NullBufferBuilder,
    nulls_replaced: u64,
    values: Values,
    options: ParseOptions,
    scratch: Vec<u8>,
}

impl ColumnBuilder {
    /// Errors: NOT_IMPLEMENTED for types without a text form.
    pub fn new(kind: &SqlType, options: &ParseOptions) -> Result<Self> {
        Ok(ColumnBuilder {
            kind: kind.clone(),
            nullable: kind.is_nullable(),
            nulls: NullBufferBuilder::new(0),
            nulls_replaced: 0,
            values: Values::new(kind.plain(), options)?,
            options: options.clone(),
            scratch: Vec::new(),
        })
    }

    pub fn kind(&self) -> &SqlType {
        &self.kind
    }

    /// Appends a whole field. In `Quoted` strings, dates and the like stand in quotes; in `Json` the text is a JSON value; in
    /// `TsvEscaped` backslash escapes are undone first; else the text is the value as it is. Nested values are quoted
    /// inside whatever the escaping is. Nothing is appended on an error.
    pub fn append_text(&mut self, text: &[u8], escaping: Escaping) -> Result<()> {
        self.try_append_text(text, escaping).map_err(|fault| fault.explain(text, &self.kind))
    }

    /// As `append_text`, with a failure that costs nothing and says neither value nor type.
    #[inline]
    pub fn try_append_text(&mut self, text: &[u8], escaping: Escaping) -> Scan<()> {
        match escaping {
            Escaping::Plain => self.plain(text),
            Escaping::Csv => self.csv(text),
            Escaping::TsvEscaped if memchr::memchr(b'\\', text).is_none() => self.plain(text),
            // Escapes belong to texts: no digit is written with one.
            Escaping::TsvEscaped if self.options.as_data && self.is_exact_number() => self.plain(text),
            Escaping::TsvEscaped => {
                if text == b"\\N" && !self.options.as_data {
                    return self.null();
                }
                let mut scratch = std::mem::take(&mut self.scratch);
                scratch.clear();
                let done = quoted::unescape(text, &mut scratch).and_then(|()| self.plain(&scratch));
                self.scratch = scratch;
                done
            }
            Escaping::Quoted => self.whole_quoted(text),
            Escaping::Json => self.try_append_json(text),
        }
    }

    /// Errors: CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN for types without NULL, unless `null_as_default`.
    pub fn append_null(&mut self) -> Result<()> {
        self.null().map_err(|fault| {
            Error::new(
                fault.code,
                format!(
                    "NULL came for the type {}: {}. Make it Nullable, or set input_format_null_as_default",
                    self.kind, fault.reason
                ),
            )
        })
    }

    pub fn append_default(&mut self) {
        self.values.push_default();
        if self.nullable { self.nulls.append_null() } else { self.nulls.append_non_null() }
    }

    /// How many NULLs became defaults, because the type has no NULL.
    pub fn nulls_replaced(&self) -> u64 {
        self.nulls_replaced
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets the values from `len` on.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.values.truncate(len);
            self.nulls.truncate(len);
        }
    }

    pub fn memory_bytes(&self) -> usize {
        self.values.memory_bytes() + self.nulls.allocated_size()
    }

    /// The column so far, as what carries the type; the builder is empty then.
    pub fn finish(&mut self) -> ArrayRef {
        let nulls = self.nulls.finish();
        self.values.finish(&self.kind, nulls)
    }

    fn null(&mut self) -> Scan<()> {
        if self.nullable {
            self.values.push_default();
            self.nulls.append_null();
        } else if self.options.null_as_default {
            self.nulls_replaced += 1;
            self.append_default();
        } else {
            return Err(Fault::new(ErrorCode::CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN, "the type has no NULL"));
        }
        Ok(())
    }

    /// What is no string may stand in single quotes as well, and an array without its brackets.
    #[inline]
    fn csv(&mut self, text: &[u8]) -> Scan<()> {
        let Err(fault) = self.plain(text) else { return Ok(()) };
        if self.values.push_elements(text).is_ok() {
            self.nulls.append_non_null();
            return Ok(());
        }
        match text {
            [b'\'', inner @ .., b'\''] if !self.values.is_text() => self.plain(inner).map_err(|_| fault),
            _ => Err(fault),
        }
    }

    fn is_exact_number(&self) -> bool {
        self.kind.is_integer() || self.kind.is_decimal()
    }

    /// What a text of data that is no value of the type is still taken for, or the fault that formats have for it.
    #[cold]
    fn of_data(&mut self, text: &[u8], fault: Fault) -> Scan<()> {
        match &self.values {
            _ if text.is_empty() && self.is_exact_number() => {
                self.values.push_default();
                self.nulls.append_non_null();
                Ok(())
            }
            Values::DateTime { .. } if text.is_empty() => Err(Fault::new(ErrorCode::CANNOT_PARSE_DATETIME, fault.reason)),
            Values::Array { .. } if text.trim_ascii_start().first() != Some(&b'[') => {
                Err(Fault::new(ErrorCode::CANNOT_READ_ARRAY_FROM_TEXT, fault.reason))
            }
            _ => Err(fault),
        }
    }

    /// As `plain`, of a text that stands as a number.
    fn bare(&mut self, text: &[u8]) -> Scan<()> {
        if self.values.push_since_epoch(text, self.options.raw_times) {
            self.nulls.append_non_null();
            return Ok(());
        }
        self.plain(text)
    }

    #[inline]
    fn plain(&mut self, text: &[u8]) -> Scan<()> {
        match self.values.push_text(text, &self.options) {
            Ok(()) => {
                self.nulls.append_non_null();
                Ok(())
            }
            Err(_) if self.options.lenient_addresses.takes(self.kind.plain()) => {
                self.append_default();
                Ok(())
            }
            Err(fault) if self.options.as_data => self.of_data(text, fault),
            // A Nullable number, date or the like may say NULL in words.
            Err(_) if self.nullable && matches!(text, b"NULL" | b"\\N" | b"" | b"null") => self.null(),
            Err(fault) => Err(fault),
        }
    }
}
