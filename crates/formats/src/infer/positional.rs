//! Inference for rows that are lists of fields: CSV, TSV, Values, JSONCompactEachRow.
//!
//! Without a written header the first row may be one: it is if all its fields are text and the second row has a field that is
//! not (where it is empty or NULL, that of the first row below that has one). If the second row then consists of names of types, it is the header's second line.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::scan::json::JsonCursor;
use gristmill_types::scan::quoted::unescape;

use super::guess::{Guess, Origin, Seen};
use super::{Found, Sample, incorrect, numbered, type_of, unfit};
use crate::custom::{CustomDialect, Rule, Uncut};
use crate::input::chunked::is_empty_lines;
use crate::input::csv::{CsvDialect, next_field};
use crate::input::json_rows::is_cut_off;
use crate::input::regexp::{line_pattern, next_line};
use crate::input::tsv::{field_end, whole_line};
use crate::input::values::{literal_end, row_end};
use crate::{Format, Header};

pub(super) type Named = Vec<(String, Found)>;

/// Rows that are looked at to tell whether the first one holds names.
const ROWS_FOR_NAMES_MAX: usize = 1000;

/// A row: the text of each field, and what it looks like.
#[derive(Default)]
pub(super) struct Row {
    texts: Vec<Vec<u8>>,
    seen: Vec<Seen>,
}

impl Row {
    pub fn push(&mut self, text: impl Into<Vec<u8>>, seen: Seen) {
        self.texts.push(text.into());
        self.seen.push(seen);
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.texts.iter().map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// Errors: a text that names no type.
    fn types(&self) -> Result<Vec<Found>> {
        self.texts.iter().map(|text| type_of(text).map(Found::Typed)).collect()
    }
}

/// Columns from rows that `next` gives, with the header told or found.
pub(super) fn infer(
    sample: &Sample<'_>,
    detect: bool,
    origin: Origin,
    mut next: impl FnMut() -> Result<Option<Row>>,
) -> Result<Named> {
    let mut names: Option<Vec<Vec<u8>>> = None;
    let mut pending: Vec<Row> = Vec::new();
    match sample.format.header() {
        Header::None if detect => {
            let Some(first) = next()? else { return Ok(Vec::new()) };
            let could_be_names = first.seen.iter().all(|seen| seen.guess == Guess::String);
            let second = if could_be_names { next()? } else { None };
            match second {
                Some(second) if second.texts.len() == first.texts.len() => {
                    if let Ok(types) = second.types() {
                        return Ok(first.names().zip(types).collect());
                    }
                    let width = first.texts.len();
                    pending.extend([first, second]);
                    if are_values(width, &mut pending, &mut next)? {
                        names = Some(pending.remove(0).texts);
                    }
                }
                second => {
                    pending.push(first);
                    pending.extend(second);
                }
            }
        }
        Header::None => {}
        header => {
            let Some(first) = next()? else { return Ok(Vec::new()) };
            if header == Header::NamesAndTypes {
                let types = next()?.ok_or_else(|| incorrect("the data ends before the types of the header"))?;
                if types.texts.len() != first.texts.len() {
                    return Err(incorrect("the header has another number of types than of names"));
                }
                return Ok(first.names().zip(types.types()?).collect());
            }
            names = Some(first.texts);
        }
    }
    let mut columns: Option<Vec<Seen>> = names.as_ref().map(|names| names.iter().map(|_| Seen::nothing()).collect());
    let mut rows = 0;
    let mut pending = pending.into_iter();
    while rows < sample.rows_max {
        let Some(row) = pending.next().map_or_else(&mut next, |row| Ok(Some(row)))? else { break };
        rows += 1;
        match &mut columns {
            None => columns = Some(row.seen),
            Some(columns) => add(columns, row, names.as_deref(), rows, sample, origin)?,
        }
    }
    let columns = columns.unwrap_or_default();
    let names: Vec<String> = match names {
        Some(names) => names.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect(),
        None => told_names(sample, columns.len())?,
    };
    let named = columns.into_iter().enumerate().map(|(at, seen)| {
        let name = names.get(at).cloned().unwrap_or_else(|| numbered(at));
        (name, Found::Guessed(seen))
    });
    Ok(named.collect())
}

/// The names that a setting tells for data without a header. Errors: another number of them than of columns.
fn told_names(sample: &Sample<'_>, columns: usize) -> Result<Vec<String>> {
    let names = sample.settings.column_names_for_schema_inference.split(',').map(str::trim);
    let names: Vec<String> = names.filter(|name| !name.is_empty()).map(str::to_string).collect();
    if !names.is_empty() && columns > 0 && names.len() != columns {
        let text = format!("the number of column names {} differs with the number of types {columns}", names.len());
        return Err(incorrect(text));
    }
    Ok(names)
}

/// Whether the rows behind the first have a field that is no text. Where a field tells nothing, that of a later row counts.
fn are_values(width: usize, rows: &mut Vec<Row>, next: &mut impl FnMut() -> Result<Option<Row>>) -> Result<bool> {
    let mut untold = vec![true; width];
    let mut at = 1;
    while at < ROWS_FOR_NAMES_MAX && untold.contains(&true) {
        if at == rows.len() {
            let Some(row) = next()? else { break };
            rows.push(row);
        }
        for (untold, seen) in untold.iter_mut().zip(&rows[at].seen) {
            match seen.guess {
                Guess::Unknown => {}
                _ if !*untold => {}
                Guess::String => *untold = false,
                _ => return Ok(true),
            }
        }
        at += 1;
    }
    Ok(false)
}

fn add(
    columns: &mut Vec<Seen>,
    row: Row,
    names: Option<&[Vec<u8>]>,
    number: u64,
    sample: &Sample<'_>,
    origin: Origin,
) -> Result<()> {
    let variable = match sample.format {
        Format::Csv | Format::CsvWithNames => sample.settings.input_format_csv_allow_variable_number_of_columns,
        format if format.is_custom() => sample.settings.input_format_custom_allow_variable_number_of_columns,
        Format::Tsv | Format::TsvWithNames | Format::TsvRaw | Format::TsvRawWithNames => {
            sample.settings.input_format_tsv_allow_variable_number_of_columns
        }
        Format::JsonCompactEachRow
        | Format::JsonCompactEachRowWithNames
        | Format::JsonCompactStringsEachRow
        | Format::JsonCompactStringsEachRowWithNames => {
            sample.settings.input_format_json_compact_allow_variable_number_of_columns
        }
        _ => false,
    };
    if row.seen.len() != columns.len() && !variable {
        return Err(incorrect(format!(
            "rows have different amount of values: {} in row {number}, {} before",
            row.seen.len(),
            columns.len()
        )));
    }
    if names.is_none() && columns.len() < row.seen.len() {
        columns.resize(row.seen.len(), Seen::nothing());
    }
    for (at, (known, now)) in columns.iter_mut().zip(row.seen).enumerate() {
        let before = std::mem::replace(known, Seen::nothing());
        *known = before.clone().merged(now.clone(), origin).ok_or_else(|| {
            let name = names.and_then(|names| names.get(at)).map(|name| String::from_utf8_lossy(name).into_owned());
            unfit(&name.unwrap_or_else(|| numbered(at)), &before, &now, number, origin)
        })?;
    }
    Ok(())
}

/// The bytes after the lines that are to be left out.
fn after_lines(bytes: &[u8], lines: u64) -> &[u8] {
    let mut rest = bytes;
    for _ in 0..lines {
        match memchr::memchr(b'\n', rest) {
            Some(at) => rest = &rest[at + 1..],
            None => return &[],
        }
    }
    rest
}

pub(super) fn csv(sample: &Sample<'_>) -> Result<Named> {
    let settings = sample.settings;
    let dialect = CsvDialect::of(settings)?;
    let null = settings.format_csv_null_representation.as_bytes();
    let guesses = settings.input_format_csv_use_best_effort_in_schema_inference;
    let bytes = after_lines(sample.bytes, settings.input_format_csv_skip_first_lines);
    let mut at = 0;
    let next = || {
        let skips = settings.input_format_csv_skip_trailing_empty_lines;
        if at >= bytes.len() || (skips && is_empty_lines(&bytes[at..])) {
            return Ok(None);
        }
        let mut row = Row::default();
        loop {
            // A row that the sample cuts off tells nothing.
            let Ok(field) = next_field(&bytes[at..], sample.complete, &dialect) else {
                if !sample.complete || row.texts.is_empty() && at == 0 {
                    return Ok(None);
                }
                return Err(incorrect("a quoted field is not closed, or goes on after its quote"));
            };
            let text: &[u8] = &field.text;
            let seen = if field.quoted {
                match text.first() {
                    _ if !guesses => None,
                    Some(b'[' | b'{') => sample.rules.nested(text),
                    Some(b'(') if !settings.input_format_csv_try_infer_strings_from_quoted_tuples => {
                        sample.rules.nested(text)
                    }
                    _ => Some(sample.rules.text(text).into()),
                }
            } else if text == null {
                Some(Seen::NULL)
            } else {
                unquoted(sample, text, text, guesses, true)
            };
            row.push(text, seen.unwrap_or_else(|| Guess::String.into()));
            at += field.bytes;
            if field.ends_line {
                return Ok(Some(row));
            }
        }
    };
    let detect = settings.input_format_csv_detect_header;
    infer(sample, detect, Origin::Text, next)
}

pub(super) fn tsv(sample: &Sample<'_>) -> Result<Named> {
    let settings = sample.settings;
    let escaped = !matches!(sample.format, Format::TsvRaw | Format::TsvRawWithNames | Format::TsvRawWithNamesAndTypes);
    let null = settings.format_tsv_null_representation.as_bytes();
    let guesses = settings.input_format_tsv_use_best_effort_in_schema_inference;
    let mut bytes = after_lines(sample.bytes, settings.input_format_tsv_skip_first_lines);
    let next = || {
        if bytes.is_empty() || (settings.input_format_tsv_skip_trailing_empty_lines && is_empty_lines(bytes)) {
            return Ok(None);
        }
        let Some((end, length)) = whole_line(bytes, sample.complete, escaped) else {
            return Ok(None);
        };
        let line = &bytes[..end];
        bytes = &bytes[length..];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let mut row = Row::default();
        let mut from = 0;
        loop {
            let end = field_end(line, from, escaped);
            let raw = &line[from..end];
            let mut text = Vec::new();
            if !escaped || unescape(raw, &mut text).is_err() {
                text = raw.to_vec();
            }
            let is_null = raw == null || raw == b"\\N";
            let seen = if is_null { Some(Seen::NULL) } else { unquoted(sample, raw, &text, guesses, false) };
            row.push(text, seen.unwrap_or_else(|| Guess::String.into()));
            if end == line.len() {
                return Ok(Some(row));
            }
            from = end + 1;
        }
    };
    let detect = settings.input_format_tsv_detect_header;
    infer(sample, detect, Origin::Text, next)
}

pub(super) fn custom(sample: &Sample<'_>) -> Result<(Named, Origin)> {
    let settings = sample.settings;
    let dialect = CustomDialect::for_reading(sample.format, settings)?;
    let origin = if dialect.rule == Rule::Json { Origin::json(sample.settings) } else { Origin::Text };
    let bytes = sample.bytes;
    let wrong = |what: String| Error::new(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, what);
    let mut at = match dialect.expect(bytes, 0, &dialect.result_before, true, "before the first row") {
        Ok(at) => Some(at),
        Err(Uncut::More) => None,
        Err(Uncut::Wrong(what)) => return Err(wrong(what)),
    };
    let mut is_first = true;
    let mut fields = Vec::new();
    let next = || {
        let Some(start) = at.filter(|at| *at < bytes.len()) else { return Ok(None) };
        let rest = &bytes[start..];
        if matches!(dialect.is_over(rest, true, false), Ok(true)) || rest.iter().all(u8::is_ascii_whitespace) {
            return Ok(None);
        }
        let between = if is_first { b"".as_slice() } else { dialect.row_between.as_slice() };
        let end = dialect
            .expect(bytes, start, between, sample.complete, "between rows")
            .and_then(|from| dialect.row(bytes, from, sample.complete, None, &mut fields));
        let end = match end {
            Ok(end) => end,
            // A row that the sample cuts off tells nothing.
            Err(Uncut::More) => return Ok(None),
            Err(Uncut::Wrong(what)) => return Err(wrong(what)),
        };
        is_first = false;
        at = Some(end);
        let mut row = Row::default();
        for field in &fields {
            let raw = &bytes[field.clone()];
            row.push(dialect.text(raw), custom_field(sample, dialect.rule, raw, &dialect.text(raw))?);
        }
        Ok(Some(row))
    };
    infer(sample, settings.input_format_custom_detect_header, origin, next).map(|named| (named, origin))
}

/// Regexp: the groups of each line.
pub(super) fn regexp(sample: &Sample<'_>) -> Result<(Named, Origin)> {
    let settings = sample.settings;
    let pattern = line_pattern(settings)?;
    let dialect = CustomDialect::of_regexp(settings)?;
    let origin = if dialect.rule == Rule::Json { Origin::json(sample.settings) } else { Origin::Text };
    let mut bytes = sample.bytes;
    let next = || {
        while !bytes.is_empty() {
            let Some((line, length)) = next_line(bytes, sample.complete) else { return Ok(None) };
            bytes = &bytes[length..];
            let Some(groups) = pattern.captures(line) else {
                if settings.format_regexp_skip_unmatched {
                    continue;
                }
                return Err(incorrect("a line doesn't match the regexp (format_regexp)"));
            };
            let mut row = Row::default();
            for group in groups.iter().skip(1) {
                let raw = group.map_or(&b""[..], |group| group.as_bytes());
                let text = dialect.text(raw);
                let seen = custom_field(sample, dialect.rule, raw, &text)?;
                row.push(text, seen);
            }
            return Ok(Some(row));
        }
        Ok(None)
    };
    infer(sample, false, origin, next).map(|named| (named, origin))
}

/// What a field of CustomSeparated looks like: `raw` as it was written, `text` without what its rule puts around it.
pub(super) fn custom_field(sample: &Sample<'_>, rule: Rule, raw: &[u8], text: &[u8]) -> Result<Seen> {
    let settings = sample.settings;
    let seen = match rule {
        Rule::Quoted => return Ok(sample.rules.literal(raw)),
        Rule::Json => {
            let seen = sample.rules.json(&mut JsonCursor::new(raw), 0);
            return seen.map_err(|fault| Error::new(fault.code, fault.reason));
        }
        Rule::Csv if raw == settings.format_csv_null_representation.as_bytes() => Some(Seen::NULL),
        Rule::Csv if raw.first() == Some(&b'"') => match text.first() {
            _ if !settings.input_format_csv_use_best_effort_in_schema_inference => None,
            Some(b'[' | b'{') => sample.rules.nested(text),
            _ => Some(sample.rules.text(text).into()),
        },
        Rule::Csv => {
            let guesses = settings.input_format_csv_use_best_effort_in_schema_inference;
            unquoted(sample, raw, text, guesses, true)
        }
        Rule::Escaped | Rule::Raw | Rule::Xml => {
            let null = settings.format_tsv_null_representation.as_bytes();
            let guesses = settings.input_format_tsv_use_best_effort_in_schema_inference;
            if raw == null || raw == b"\\N" { Some(Seen::NULL) } else { unquoted(sample, raw, text, guesses, false) }
        }
    };
    Ok(seen.unwrap_or_else(|| Guess::String.into()))
}

/// What a field without quotes looks like: `raw` as it was written, `text` without its escapes. `None`: nothing special. CSV knows
/// no arrays, maps and tuples there, and Bools in small letters only.
fn unquoted(sample: &Sample<'_>, raw: &[u8], text: &[u8], guesses: bool, is_csv: bool) -> Option<Seen> {
    if raw.is_empty() {
        return Some(Seen::nothing());
    }
    match guesses {
        true if text.first().is_some_and(|first| matches!(first, b'[' | b'{' | b'(')) => match is_csv {
            true => None,
            false => sample.rules.nested(raw),
        },
        true => Some(sample.rules.word(text, !is_csv).into()),
        false => None,
    }
}

/// The rows that follow what may stand between two rows.
fn after_separators(bytes: &[u8]) -> &[u8] {
    let space = bytes.iter().take_while(|c| matches!(c, b' ' | b'\n' | b'\r' | b'\t' | b',' | b';')).count();
    &bytes[space..]
}

pub(super) fn values(sample: &Sample<'_>) -> Result<Named> {
    let mut bytes = sample.bytes;
    let next = || {
        bytes = after_separators(bytes);
        if bytes.is_empty() {
            return Ok(None);
        }
        if bytes[0] != b'(' {
            return Err(incorrect("expected '(' to start a row"));
        }
        let Some(end) = row_end(bytes) else {
            return if sample.complete { Err(incorrect("the data ends within a row")) } else { Ok(None) };
        };
        let text = &bytes[..end];
        bytes = &bytes[end..];
        let mut row = Row::default();
        let mut at = 1;
        while at < end {
            let length = literal_end(&text[at..]).unwrap_or(end - 1 - at);
            let literal = text[at..at + length].trim_ascii();
            row.push(literal, sample.rules.literal(literal));
            at += length + 1;
        }
        Ok(Some(row))
    };
    infer(sample, false, Origin::Text, next)
}

pub(super) fn json(sample: &Sample<'_>) -> Result<Named> {
    let mut bytes = sample.bytes;
    let next = || {
        bytes = after_separators(bytes);
        if bytes.is_empty() {
            return Ok(None);
        }
        let mut cursor = JsonCursor::new(bytes);
        let row = match json_array(&mut cursor, sample) {
            Ok(row) => row,
            Err(_) if !sample.complete && is_cut_off(bytes) => return Ok(None),
            Err(fault) => return Err(Error::new(code(bytes, fault.code), fault.reason)),
        };
        bytes = &bytes[cursor.at..];
        Ok(Some(row))
    };
    infer(sample, false, Origin::json(sample.settings), next)
}

/// What does not even begin a row is another mistake than what is wrong in one.
fn code(row: &[u8], code: ErrorCode) -> ErrorCode {
    if row.first() == Some(&b'[') { code } else { ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED }
}

fn json_array(cursor: &mut JsonCursor<'_>, sample: &Sample<'_>) -> gristmill_types::scan::Scan<Row> {
    let mut row = Row::default();
    cursor.expect(b'[')?;
    if cursor.eat(b']') {
        return Ok(row);
    }
    let strings = sample.format.json_strings();
    let mut scratch = Vec::new();
    loop {
        let mut value = *cursor;
        let text = value.string(&mut scratch).map(<[u8]>::to_vec).unwrap_or_default();
        let seen = if strings { in_string(&text, sample, cursor)? } else { sample.rules.json(cursor, 0)? };
        row.push(text, seen);
        if !cursor.eat(b',') {
            cursor.expect(b']')?;
            return Ok(row);
        }
    }
}

/// A value of the Strings variants: text that may be a date.
pub(super) fn in_string(text: &[u8], sample: &Sample<'_>, cursor: &mut JsonCursor<'_>) -> gristmill_types::scan::Scan<Seen> {
    cursor.value()?;
    Ok(if text == crate::output::NULL_FOR_PEOPLE.as_bytes() { Seen::NULL } else { sample.rules.text(text).into() })
}
