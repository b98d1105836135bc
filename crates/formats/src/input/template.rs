//! Template: rows that are texts with places for fields, in a text around them.
//!
//! As with CustomSeparated a row is taken apart before its values are read.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;

use super::Rows;
use super::chunked::{RowReader, Step};
use super::custom::FieldReader;
use super::fields::BOM;
use crate::Format;
use crate::custom::{CustomDialect, RawField, Rule, Uncut, expect};
use crate::template::Template;

type Cut<T> = std::result::Result<T, Uncut>;

/// A place, with how to find the end of what stands there; `None`: nothing does.
pub(crate) struct Place {
    dialect: Option<CustomDialect>,
}

impl Place {
    /// Escaped strings end with a tab or a line end. Error: BAD_ARGUMENTS where another delimiter stands behind one.
    fn check_escaped(&self, is_string: bool) -> Result<()> {
        let Some(dialect) = self.dialect.as_ref().filter(|dialect| is_string && dialect.rule == Rule::Escaped) else {
            return Ok(());
        };
        if matches!(dialect.field.first(), None | Some(b'\t' | b'\n')) {
            return Ok(());
        }
        Err(Error::new(
            ErrorCode::BAD_ARGUMENTS,
            "'Escaped' serialization requires delimiter after String field to start with '\\t' or '\\n': set the rule of \
             its place to CSV, Quoted or JSON for other delimiters",
        ))
    }
}

/// The templates with the dialects of their fields.
pub(crate) struct TemplateShape {
    pub row: Template,
    result: Template,
    pub places: Vec<Place>,
    around: Vec<Place>,
    /// Where the rows are among the places of the result.
    data: usize,
    between: Vec<u8>,
    spaces: bool,
}

impl TemplateShape {
    /// Errors: INVALID_TEMPLATE_FORMAT, and BAD_ARGUMENTS where fields of a rule can only be written.
    pub fn new(format: Format, settings: &Settings) -> Result<Self> {
        let (row, result) = (Template::of_rows(settings)?, Template::of_result(settings)?);
        let spaces = format == Format::TemplateIgnoreSpaces;
        let Some(data) = result.places.iter().position(|place| place.name == "data" && place.rule.is_none()) else {
            return Err(result.invalid("it has no place ${data} for the rows"));
        };
        let between = settings.format_template_rows_between_delimiter.clone().into_bytes();
        let places = |template: &Template, behind: [&[u8]; 2], data: Option<usize>| -> Result<Vec<Place>> {
            let place = |at: usize| {
                let dialect = template.dialect(at, format, behind, settings)?;
                if dialect.is_none() && !spaces && Some(at) != data {
                    return Err(template.invalid("a place names no rule that its values are written by"));
                }
                Ok(Place { dialect })
            };
            (0..template.places.len()).map(place).collect()
        };
        let around = places(&result, [&[], &[]], Some(data))?;
        let places = places(&row, [between.as_slice(), result.delimiters[data + 1].as_slice()], None)?;
        Ok(TemplateShape { row, result, places, around, data, between, spaces })
    }

    /// Spaces and line ends, where they are ignored.
    fn spaces_end(&self, input: &[u8], at: usize) -> usize {
        at + input.iter().skip(at).take_while(|c| self.spaces && c.is_ascii_whitespace()).count()
    }

    fn expect(&self, input: &[u8], at: usize, delimiter: &[u8], last: bool, place: &str) -> Cut<usize> {
        let at = self.spaces_end(input, at);
        if at == input.len() && !last {
            return Err(Uncut::More);
        }
        expect(input, at, delimiter, last, place)
    }

    /// What stands at a place.
    fn field(&self, place: &Place, input: &[u8], at: usize, last: bool) -> Cut<RawField> {
        let at = self.spaces_end(input, at);
        match &place.dialect {
            Some(dialect) => Ok(at..dialect.field_end(input, at, last, true, false)?),
            None => Ok(at..at),
        }
    }

    /// Passes over what stands before the rows.
    pub fn prefix(&self, input: &[u8], at: usize, last: bool) -> Cut<usize> {
        let mut at = self.expect(input, at, &self.result.delimiters[0], last, "before the rows")?;
        for (place, delimiter) in self.around.iter().zip(&self.result.delimiters[1..]).take(self.data) {
            at = self.field(place, input, at, last)?.end;
            at = self.expect(input, at, delimiter, last, "before the rows")?;
        }
        Ok(at)
    }

    /// Whether nothing but what stands behind the rows follows.
    pub fn is_over(&self, input: &[u8], last: bool) -> Cut<bool> {
        let mut at = match self.expect(input, 0, &self.result.delimiters[self.data + 1], last, "behind the rows") {
            Ok(at) => at,
            Err(Uncut::More) => return Err(Uncut::More),
            Err(Uncut::Wrong(_)) => return Ok(false),
        };
        for (place, delimiter) in self.around.iter().zip(&self.result.delimiters[1..]).skip(self.data + 1) {
            let behind = self.field(place, input, at, last);
            at = match behind.and_then(|field| self.expect(input, field.end, delimiter, last, "behind the rows")) {
                Ok(at) => at,
                Err(Uncut::More) => return Err(Uncut::More),
                Err(Uncut::Wrong(_)) => return Ok(false),
            };
        }
        match self.spaces_end(input, at) == input.len() {
            true if last => Ok(true),
            true if at > 0 => Err(Uncut::More),
            _ => Ok(false),
        }
    }

    /// Takes apart the row at `at`; gives where it ends.
    pub fn cut(&self, input: &[u8], at: usize, last: bool, between: bool, fields: &mut Vec<RawField>) -> Cut<usize> {
        fields.clear();
        let mut at = if between { self.expect(input, at, &self.between, last, "between rows")? } else { at };
        for (place, delimiter) in self.places.iter().zip(&self.row.delimiters) {
            at = self.expect(input, at, delimiter, last, "before a field")?;
            let field = self.field(place, input, at, last)?;
            at = field.end;
            fields.push(field);
        }
        match self.row.delimiters.last().filter(|delimiter| !delimiter.is_empty()) {
            Some(delimiter) => self.expect(input, at, delimiter, last, "after a row"),
            None => Ok(at),
        }
    }
}

pub(crate) struct TemplateReader {
    shape: TemplateShape,
    /// The leaf that the field at each place goes into, and its reader.
    columns: Vec<Option<(usize, FieldReader)>>,
    began: bool,
    /// Whether the next row stands behind another one.
    between: bool,
    fields: Vec<RawField>,
}

impl TemplateReader {
    /// Errors as of `TemplateShape::new`; INVALID_TEMPLATE_FORMAT where a column has two places.
    pub fn new(format: Format, settings: &Settings, rows: &Rows) -> Result<Self> {
        let shape = TemplateShape::new(format, settings)?;
        let mut columns: Vec<Option<(usize, FieldReader)>> = Vec::with_capacity(shape.row.places.len());
        for (place, found) in shape.row.places.iter().zip(&shape.places) {
            let column = shape.row.column(place, rows.columns().len(), |name| rows.find(name.as_bytes()));
            let column = column.map_err(|error| shape.row.invalid(&error.message()))?;
            let leaf = column.map(|column| rows.leaves_of(column).start);
            found.check_escaped(leaf.is_some_and(|leaf| rows.leaves[leaf].string))?;
            if leaf.is_some() && columns.iter().flatten().any(|(known, _)| Some(*known) == leaf) {
                return Err(shape.row.invalid(&format!("column {} has two places", place.name)));
            }
            columns.push(leaf.zip(place.rule.map(|rule| FieldReader::new(rule, settings))));
        }
        Ok(TemplateReader { shape, columns, began: false, between: false, fields: Vec::new() })
    }

    fn read(&self, input: &[u8], rows: &mut Rows) -> Result<()> {
        for (field, column) in self.fields.iter().zip(&self.columns) {
            match column {
                Some((leaf, reader)) if rows.leaves[*leaf].wanted => reader.read(*leaf, &input[field.clone()], rows)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// A row with a mistake is left out up to the delimiter between rows.
    fn bad(&self, input: &[u8], last: bool, error: Error) -> Step {
        let start = if self.between { self.shape.between.len().min(input.len()) } else { 0 };
        let found = match self.shape.between.is_empty() {
            true => None,
            false => memchr::memmem::find(&input[start..], &self.shape.between).map(|at| start + at),
        };
        match found {
            Some(bytes) => Step::Bad(bytes, error),
            None if last => Step::Bad(input.len(), error),
            None => Step::More,
        }
    }
}

fn wrong(rows: &Rows, what: String) -> Error {
    rows.wrong(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, what)
}

impl RowReader for TemplateReader {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        if !self.began {
            if input.len() < BOM.len() && !last && BOM.starts_with(input) {
                return Ok(Step::More);
            }
            let skip = if input.starts_with(BOM) { BOM.len() } else { 0 };
            return match self.shape.prefix(input, skip, last) {
                Ok(end) => {
                    self.began = true;
                    Ok(Step::Skip(end))
                }
                Err(Uncut::More) => Ok(Step::More),
                Err(Uncut::Wrong(what)) => Err(wrong(rows, what)),
            };
        }
        match self.shape.is_over(input, last) {
            Ok(true) => return Ok(Step::End),
            Ok(false) => {}
            Err(_) => return Ok(Step::More),
        }
        let mut fields = std::mem::take(&mut self.fields);
        let end = self.shape.cut(input, 0, last, self.between, &mut fields);
        self.fields = fields;
        let step = match end {
            // It would be read for ever.
            Ok(0) if self.between || self.shape.between.is_empty() => {
                let what = "Cannot parse input: a row of the template takes nothing of the data";
                return Err(wrong(rows, what.to_string()));
            }
            Ok(end) => match self.read(input, rows) {
                Ok(()) => Step::Row(end),
                Err(error) => Step::Bad(end, error),
            },
            Err(Uncut::More) => return Ok(Step::More),
            Err(Uncut::Wrong(what)) => {
                let error = wrong(rows, what);
                self.bad(input, last, error)
            }
        };
        if !matches!(step, Step::More) {
            self.between = true;
        }
        Ok(step)
    }

    fn end(&mut self, rows: &mut Rows) -> Result<()> {
        let is_whole = if self.began {
            matches!(self.shape.is_over(b"", true), Ok(true))
        } else {
            self.shape.prefix(b"", 0, true).is_ok() && matches!(self.shape.is_over(b"", true), Ok(true))
        };
        if is_whole {
            return Ok(());
        }
        Err(wrong(rows, "Cannot parse input: the data ends before what stands around its rows".to_string()))
    }
}
