//! Template: rows, and the result around them, as texts with places for values.

use arrow::array::RecordBatch;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::Columns;
use gristmill_types::text::TextOptions;

use super::custom::{FieldValue, escaping_of};
use super::{OutputContext, OutputFormat, ResultSummary, text_options};
use crate::custom::Rule;
use crate::template::Template;

/// A field of a row: the column, and how its values are written.
struct Field {
    column: usize,
    rule: Rule,
    options: TextOptions,
}

/// What stands at a place of the result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Data,
    Totals,
    Min,
    Max,
    Rows,
    RowsBeforeLimit,
    Time,
    RowsRead,
    BytesRead,
}

impl Part {
    /// Error: SYNTAX_ERROR.
    fn by_name(name: &str) -> Result<Part> {
        Ok(match name {
            "data" => Part::Data,
            "totals" => Part::Totals,
            "min" => Part::Min,
            "max" => Part::Max,
            "rows" => Part::Rows,
            "rows_before_limit" => Part::RowsBeforeLimit,
            "time" => Part::Time,
            "rows_read" => Part::RowsRead,
            "bytes_read" => Part::BytesRead,
            other => return Err(Error::new(ErrorCode::SYNTAX_ERROR, format!("Unknown output part {other}"))),
        })
    }

    fn is_rows(self) -> bool {
        matches!(self, Part::Data | Part::Totals | Part::Min | Part::Max)
    }
}

pub struct TemplateOutput {
    columns: Columns,
    row: Template,
    fields: Vec<Field>,
    result: Template,
    parts: Vec<Part>,
    between: Vec<u8>,
    first: bool,
    scratch: Vec<u8>,
}

impl TemplateOutput {
    /// Errors: INVALID_TEMPLATE_FORMAT, and those of its parts.
    pub fn new(columns: Columns, context: &OutputContext) -> Result<Self> {
        let settings = &context.settings;
        let (row, result) = (Template::of_rows(settings)?, Template::of_result(settings)?);
        let find = |name: &str| columns.iter().position(|column| column.name == name);
        let mut fields = Vec::with_capacity(row.places.len());
        for place in &row.places {
            let column = row.column(place, columns.len(), find)?;
            let (Some(column), Some(rule)) = (column, place.rule) else {
                return Err(row.invalid("a place names no column, or no rule that its values are written by"));
            };
            fields.push(Field { column, rule, options: text_options(context, escaping_of(rule)) });
        }
        let parts = result.places.iter().map(|place| Part::by_name(&place.name)).collect::<Result<Vec<_>>>()?;
        if parts.iter().rposition(|part| *part == Part::Data) != Some(0) {
            return Err(result.invalid("${data} must be the first of its places, and none else"));
        }
        for (part, place) in parts.iter().zip(&result.places) {
            match (part.is_rows(), place.rule) {
                (true, Some(_)) => return Err(result.invalid("rows are written without a rule of their own")),
                (false, None) => return Err(result.invalid("a number has no rule that it is written by")),
                _ => {}
            }
        }
        let between = settings.format_template_rows_between_delimiter.clone().into_bytes();
        Ok(TemplateOutput { columns, row, fields, result, parts, between, first: true, scratch: Vec::new() })
    }

    fn values(&self, batch: &RecordBatch) -> Result<Vec<FieldValue>> {
        let value = |field: &Field| {
            let kind = &self.columns.0[field.column].kind;
            FieldValue::new(field.rule, batch.column(field.column), kind, &field.options)
        };
        self.fields.iter().map(value).collect()
    }

    fn write_row(&mut self, values: &[FieldValue], row: usize, out: &mut Vec<u8>) {
        for (value, delimiter) in values.iter().zip(&self.row.delimiters) {
            out.extend_from_slice(delimiter);
            value.write(row, &mut self.scratch, out);
        }
        if let Some(last) = self.row.delimiters.last() {
            out.extend_from_slice(last);
        }
    }

    /// Totals or extremes. Error: INVALID_TEMPLATE_FORMAT where there are none.
    fn row_of(&mut self, rows: Option<&RecordBatch>, row: usize, what: &str, out: &mut Vec<u8>) -> Result<()> {
        let Some(batch) = rows.filter(|batch| row < batch.num_rows()) else {
            return Err(self.result.invalid(&format!("the result has no {what}")));
        };
        let values = self.values(batch)?;
        self.write_row(&values, row, out);
        Ok(())
    }
}

impl OutputFormat for TemplateOutput {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&self.result.delimiters[0]);
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        let values = self.values(batch)?;
        for row in 0..batch.num_rows() {
            if !std::mem::take(&mut self.first) {
                out.extend_from_slice(&self.between);
            }
            self.write_row(&values, row, out);
        }
        Ok(())
    }

    fn finish(&mut self, summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        for at in 0..self.parts.len() {
            if at > 0 {
                out.extend_from_slice(&self.result.delimiters[at]);
            }
            let part = self.parts[at];
            let number = match part {
                Part::Data => continue,
                Part::Totals => {
                    self.row_of(summary.totals.as_ref(), 0, "totals", out)?;
                    continue;
                }
                Part::Min => {
                    self.row_of(summary.extremes.as_ref(), 0, "extremes", out)?;
                    continue;
                }
                Part::Max => {
                    self.row_of(summary.extremes.as_ref(), 1, "extremes", out)?;
                    continue;
                }
                Part::Rows => summary.rows.to_string(),
                Part::RowsBeforeLimit => match summary.rows_before_limit {
                    Some(rows) => rows.to_string(),
                    None => return Err(self.result.invalid("the query has no LIMIT")),
                },
                Part::Time => summary.elapsed_seconds.to_string(),
                Part::RowsRead => summary.read_rows.to_string(),
                Part::BytesRead => summary.read_bytes.to_string(),
            };
            out.extend_from_slice(number.as_bytes());
        }
        if let Some(last) = self.result.delimiters.last() {
            out.extend_from_slice(last);
        }
        Ok(())
    }
}
