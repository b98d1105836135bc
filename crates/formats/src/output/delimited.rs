//! CSV, TSV (TabSeparated, and Raw without escaping) and LineAsString: fields, a delimiter, lines; a header that names
//! the columns and their types; totals and extremes after an empty line.
//!
//! In CSV a tuple is written as a field for each of its elements, at any depth, and its header likewise (`t.a`, `t.b`), unless
//! a setting makes it one field.

use arrow::array::{ArrayRef, AsArray, RecordBatch};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::text::{Escaping, TextOptions, ValueWriter, write_csv_string, write_escaped};
use gristmill_types::{Columns, SqlType};

use super::{OutputContext, OutputFormat, ResultSummary, text_options};
use crate::{Format, Header};

pub struct Delimited {
    header: Header,
    columns: Columns,
    /// Whether tuples are spread.
    spread: bool,
    /// Whether the header names the elements of tuples that are spread.
    spread_header: bool,
    delimiter: u8,
    line_end: &'static [u8],
    options: TextOptions,
}

impl Delimited {
    pub fn csv(format: Format, columns: Columns, context: &OutputContext) -> Result<Self> {
        let settings = &context.settings;
        Ok(Delimited {
            header: format.header(),
            columns,
            spread: settings.output_format_csv_serialize_tuple_into_separate_columns,
            spread_header: settings.output_format_csv_serialize_tuple_into_separate_columns
                && settings.output_format_csv_header_serialize_tuple_into_separate_columns,
            delimiter: csv_delimiter(&settings.format_csv_delimiter)?,
            line_end: if settings.output_format_csv_crlf_end_of_line { b"\r\n" } else { b"\n" },
            options: text_options(context, Escaping::Csv),
        })
    }

    pub fn tsv(format: Format, columns: Columns, context: &OutputContext) -> Self {
        use Format as F;
        let raw = matches!(
            format,
            F::TsvRaw
                | F::TsvRawWithNames
                | F::TsvRawWithNamesAndTypes
                | F::LineAsString
                | F::LineAsStringWithNames
                | F::LineAsStringWithNamesAndTypes
        );
        Delimited {
            header: format.header(),
            columns,
            spread: false,
            spread_header: false,
            delimiter: b'\t',
            line_end: if context.settings.output_format_tsv_crlf_end_of_line { b"\r\n" } else { b"\n" },
            options: text_options(context, if raw { Escaping::Plain } else { Escaping::TsvEscaped }),
        }
    }

    fn header_line(&self, fields: &[String], out: &mut Vec<u8>) {
        for (i, field) in fields.iter().enumerate() {
            if i > 0 {
                out.push(self.delimiter);
            }
            match self.options.escaping {
                Escaping::Csv => write_csv_string(field.as_bytes(), out),
                Escaping::TsvEscaped => write_escaped(field.as_bytes(), out),
                _ => out.extend_from_slice(field.as_bytes()),
            }
        }
        out.extend_from_slice(self.line_end);
    }

    fn rows(&self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let mut writers = Vec::with_capacity(batch.num_columns());
        for (array, column) in batch.columns().iter().zip(&self.columns) {
            self.prepare(array, &column.kind, &mut writers)?;
        }
        for row in 0..batch.num_rows() {
            for (i, writer) in writers.iter().enumerate() {
                if i > 0 {
                    out.push(self.delimiter);
                }
                writer.write(row, out);
            }
            out.extend_from_slice(self.line_end);
        }
        Ok(())
    }

    /// The writers of a column: one, or one for each element of a tuple that is spread.
    fn prepare(&self, array: &ArrayRef, kind: &SqlType, writers: &mut Vec<ValueWriter>) -> Result<()> {
        match kind.storage() {
            SqlType::Tuple(fields) if self.spread && array.as_struct_opt().is_some() => {
                for (child, (_, kind)) in array.as_struct().columns().iter().zip(fields) {
                    self.prepare(child, kind, writers)?;
                }
            }
            _ => writers.push(ValueWriter::new(array, kind, &self.options)?),
        }
        Ok(())
    }
}

/// The character between fields of CSV.
pub(crate) fn csv_delimiter(text: &str) -> Result<u8> {
    match text.as_bytes() {
        [delimiter] if !matches!(delimiter, b'"' | b'\n' | b'\r') => Ok(*delimiter),
        _ => Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            format!("Setting format_csv_delimiter must be one character that is no quote and no line end, not '{text}'"),
        )),
    }
}

/// The names and types that a header shows; a tuple that is spread gives one for each element.
pub(crate) fn spread_fields(name: &str, kind: &SqlType, fields: &mut Vec<(String, SqlType)>) {
    match kind.storage() {
        SqlType::Tuple(elements) => {
            for (i, (element, kind)) in elements.iter().enumerate() {
                let element = element.clone().unwrap_or_else(|| (i + 1).to_string());
                spread_fields(&format!("{name}.{element}"), kind, fields);
            }
        }
        _ => fields.push((name.to_string(), kind.clone())),
    }
}

impl OutputFormat for Delimited {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.header == Header::None {
            return Ok(());
        }
        let mut fields = Vec::new();
        for column in &self.columns {
            if self.spread_header {
                spread_fields(&column.name, &column.kind, &mut fields);
            } else {
                fields.push((column.name.clone(), column.kind.clone()));
            }
        }
        let (names, kinds): (Vec<String>, Vec<String>) =
            fields.into_iter().map(|(name, kind)| (name, kind.to_string())).unzip();
        self.header_line(&names, out);
        if self.header == Header::NamesAndTypes {
            self.header_line(&kinds, out);
        }
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        self.rows(batch, out)
    }

    fn finish(&mut self, summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        for rows in [&summary.totals, &summary.extremes].into_iter().flatten() {
            out.extend_from_slice(self.line_end);
            self.rows(rows, out)?;
        }
        Ok(())
    }
}
