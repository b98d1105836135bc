//! CustomSeparated: rows and fields between delimiters that the settings name, fields by the escaping rule that they name.

use arrow::array::{Array, RecordBatch};
use gristmill_base::Result;
use gristmill_types::text::{
    Escaping, TextOptions, ValueWriter, write_csv_string, write_escaped, write_json_string, write_quoted,
};
use gristmill_types::{Columns, SqlType};

use super::xml::{XmlValue, write_xml_text};
use super::{OutputContext, OutputFormat, ResultSummary, text_options};
use crate::custom::{CustomDialect, Rule};
use crate::{Format, Header};

pub struct Custom {
    header: Header,
    columns: Columns,
    dialect: CustomDialect,
    options: TextOptions,
    first: bool,
    scratch: Vec<u8>,
}

/// A column of one batch, whose values are written by a rule.
pub(super) enum FieldValue {
    Plain(ValueWriter),
    Xml(XmlValue),
}

impl FieldValue {
    /// `options` are those of the rule.
    pub fn new(rule: Rule, array: &dyn Array, kind: &SqlType, options: &TextOptions) -> Result<FieldValue> {
        Ok(match rule {
            Rule::Xml => FieldValue::Xml(XmlValue::new(array, kind, &without_words(options))?),
            _ => FieldValue::Plain(ValueWriter::new(array, kind, options)?),
        })
    }

    pub fn write(&self, row: usize, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        match self {
            FieldValue::Plain(writer) => writer.write(row, out),
            FieldValue::Xml(value) => value.write(row, scratch, out),
        }
    }
}

/// The options with the words that XML has for NULL, true and false, whatever the settings of text formats say.
pub(super) fn without_words(options: &TextOptions) -> TextOptions {
    let words = TextOptions::default();
    TextOptions { tsv_null: words.tsv_null, bool_true: words.bool_true, bool_false: words.bool_false, ..options.clone() }
}

/// How values are written by a rule; XML escapes them once more.
pub(super) fn escaping_of(rule: Rule) -> Escaping {
    match rule {
        Rule::Escaped => Escaping::TsvEscaped,
        Rule::Quoted => Escaping::Quoted,
        Rule::Csv => Escaping::Csv,
        Rule::Json => Escaping::Json,
        Rule::Xml | Rule::Raw => Escaping::Plain,
    }
}

impl Custom {
    /// Error: BAD_ARGUMENTS for an escaping rule that is none.
    pub fn new(format: Format, columns: Columns, context: &OutputContext) -> Result<Self> {
        let dialect = CustomDialect::of(&context.settings)?;
        Ok(Custom {
            header: format.header(),
            columns,
            options: text_options(context, escaping_of(dialect.rule)),
            dialect,
            first: true,
            scratch: Vec::new(),
        })
    }

    /// A name or a type.
    fn text(&self, text: &str, out: &mut Vec<u8>) {
        let bytes = text.as_bytes();
        match self.dialect.rule {
            Rule::Escaped => write_escaped(bytes, out),
            Rule::Quoted => write_quoted(bytes, out),
            Rule::Csv => write_csv_string(bytes, out),
            Rule::Json => write_json_string(bytes, self.options.json_escape_forward_slashes, true, out),
            Rule::Xml => write_xml_text(bytes, out),
            Rule::Raw => out.extend_from_slice(bytes),
        }
    }

    fn header_row(&self, texts: impl Iterator<Item = String>, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.dialect.row_before);
        for (at, text) in texts.enumerate() {
            if at > 0 {
                out.extend_from_slice(&self.dialect.field);
            }
            self.text(&text, out);
        }
        out.extend_from_slice(&self.dialect.row_after);
        out.extend_from_slice(&self.dialect.row_between);
    }
}

impl OutputFormat for Custom {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&self.dialect.result_before);
        if self.header != Header::None {
            self.header_row(self.columns.iter().map(|column| column.name.clone()), out);
        }
        if self.header == Header::NamesAndTypes {
            self.header_row(self.columns.iter().map(|column| column.kind.to_string()), out);
        }
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let columns = batch.columns().iter().zip(&self.columns);
        let values = columns
            .map(|(array, column)| FieldValue::new(self.dialect.rule, array, &column.kind, &self.options))
            .collect::<Result<Vec<_>>>()?;
        for row in 0..batch.num_rows() {
            if !std::mem::take(&mut self.first) {
                out.extend_from_slice(&self.dialect.row_between);
            }
            out.extend_from_slice(&self.dialect.row_before);
            for (at, value) in values.iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(&self.dialect.field);
                }
                value.write(row, &mut self.scratch, out);
            }
            out.extend_from_slice(&self.dialect.row_after);
        }
        Ok(())
    }

    /// Totals and extremes have no place in it.
    fn finish(&mut self, _summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&self.dialect.result_after);
        Ok(())
    }
}
