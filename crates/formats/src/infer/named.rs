//! Inference for rows whose fields have names: JSONEachRow, TSKV, and JSON documents.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::scan::json::{JsonCursor, JsonKind};
use gristmill_types::scan::quoted::unescape;

use super::guess::{Guess, Origin, Seen};
use super::positional::in_string;
use super::{Found, Sample, incorrect, numbered, type_of, unfit};
use crate::Format;
use crate::input::form::next_pair;
use crate::input::json_rows::is_cut_off;
use crate::input::tsv::{field_end, is_escaped, whole_line};

type Named = Vec<(String, Found)>;

/// Columns in the order they first came.
#[derive(Default)]
struct Fields {
    columns: Vec<(String, Seen)>,
    /// Which of them the current row has had.
    had: Vec<bool>,
    /// Where the next field is likely to be.
    likely: usize,
    rows: u64,
}

impl Fields {
    fn begin_row(&mut self) {
        self.rows += 1;
        self.likely = 0;
        self.had.fill(false);
    }

    fn add(&mut self, name: String, seen: Seen, origin: Origin) -> Result<()> {
        let at = match self.columns.get(self.likely) {
            Some((known, _)) if *known == name => Some(self.likely),
            _ => self.columns.iter().position(|(known, _)| *known == name),
        };
        let Some(at) = at else {
            self.columns.push((name, seen));
            self.had.push(true);
            self.likely = self.columns.len();
            return Ok(());
        };
        self.likely = at + 1;
        if std::mem::replace(&mut self.had[at], true) {
            return Err(incorrect(format!("duplicate column name found while schema inference: \"{name}\"")));
        }
        let before = std::mem::replace(&mut self.columns[at].1, Seen::nothing());
        self.columns[at].1 =
            before.clone().merged(seen.clone(), origin).ok_or_else(|| unfit(&name, &before, &seen, self.rows, origin))?;
        Ok(())
    }

    fn finish(self) -> Named {
        self.columns.into_iter().map(|(name, seen)| (name, Found::Guessed(seen))).collect()
    }
}

pub(super) fn tskv(sample: &Sample<'_>) -> Result<Named> {
    let mut fields = Fields::default();
    let mut bytes = sample.bytes;
    let null = sample.settings.format_tsv_null_representation.as_bytes();
    while !bytes.is_empty() && fields.rows < sample.rows_max {
        let Some((end, length)) = whole_line(bytes, sample.complete, true) else { break };
        let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
        bytes = &bytes[length..];
        fields.begin_row();
        let mut from = 0;
        while from < line.len() {
            let end = field_end(line, from, true);
            let field = &line[from..end];
            from = end + 1;
            let equals = memchr::memchr_iter(b'=', field).find(|at| !is_escaped(field, *at));
            let equals = equals.ok_or_else(|| incorrect("a field has no '=' and so no value"))?;
            let plain = |raw: &[u8]| {
                let mut text = Vec::new();
                if unescape(raw, &mut text).is_err() { raw.to_vec() } else { text }
            };
            let name = String::from_utf8_lossy(&plain(&field[..equals])).into_owned();
            let raw = &field[equals + 1..];
            let text = plain(raw);
            let seen = if raw == null || raw == b"\\N" {
                Seen::NULL
            } else if raw.is_empty() {
                Seen::nothing()
            } else if matches!(text.first(), Some(b'[' | b'{' | b'(')) {
                sample.rules.nested(raw).unwrap_or_else(|| Guess::String.into())
            } else {
                sample.rules.word(&text, true).into()
            };
            fields.add(name, seen, Origin::Text)?;
        }
    }
    Ok(fields.finish())
}

pub(super) fn json_rows(sample: &Sample<'_>) -> Result<Named> {
    let space = |bytes: &[u8]| bytes.iter().take_while(|c| matches!(c, b' ' | b'\n' | b'\r' | b'\t' | b',' | b';')).count();
    let mut bytes = sample.bytes;
    bytes = &bytes[space(bytes)..];
    let in_array = bytes.first() == Some(&b'[');
    if in_array {
        bytes = &bytes[1..];
    }
    let mut fields = Fields::default();
    while fields.rows < sample.rows_max {
        bytes = &bytes[space(bytes)..];
        match bytes.first() {
            None => break,
            Some(b']') if in_array => break,
            Some(b'{') => {}
            Some(_) => {
                let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(20)]).into_owned();
                return Err(Error::new(
                    ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                    format!("cannot parse input: expected '{{' before: '{shown}'"),
                ));
            }
        }
        let mut cursor = JsonCursor::new(bytes);
        let row = match object(&mut cursor, sample) {
            Ok(row) => row,
            Err(_) if !sample.complete && is_cut_off(bytes) => break,
            Err(fault) => {
                return Err(Error::new(fault.code, fault.reason).with_context(format!("row {}", fields.rows + 1)));
            }
        };
        bytes = &bytes[cursor.at..];
        fields.begin_row();
        for (name, seen) in row {
            fields.add(name, seen, Origin::json(sample.settings))?;
        }
    }
    Ok(fields.finish())
}

/// JSONColumns and JSONCompactColumns: an array a column, with a name before it or numbered.
pub(super) fn json_columns(sample: &Sample<'_>) -> Result<Named> {
    let failed = |fault: gristmill_types::scan::Fault| Error::new(fault.code, fault.reason);
    let named = sample.format == Format::JsonColumns;
    let (open, close) = if named { (b'{', b'}') } else { (b'[', b']') };
    let mut cursor = JsonCursor::new(sample.bytes);
    let mut scratch = Vec::new();
    let mut columns: Named = Vec::new();
    if cursor.peek().is_none() {
        return Ok(columns);
    }
    cursor.expect(open).map_err(failed)?;
    if cursor.eat(close) {
        return Ok(columns);
    }
    loop {
        let name = if named {
            let name = String::from_utf8_lossy(cursor.string(&mut scratch).map_err(failed)?).into_owned();
            cursor.expect(b':').map_err(failed)?;
            name
        } else {
            numbered(columns.len())
        };
        let seen = array_of_column(&mut cursor, &name, sample)?;
        columns.push((name, Found::Guessed(seen)));
        if !cursor.eat(b',') {
            cursor.expect(close).map_err(failed)?;
            return Ok(columns);
        }
    }
}

/// What the values of a column show, which stand in an array.
fn array_of_column(cursor: &mut JsonCursor<'_>, name: &str, sample: &Sample<'_>) -> Result<Seen> {
    let failed = |fault: gristmill_types::scan::Fault| Error::new(fault.code, fault.reason);
    let (mut column, origin) = (Seen::nothing(), Origin::json(sample.settings));
    cursor.expect(b'[').map_err(failed)?;
    if cursor.eat(b']') {
        return Ok(column);
    }
    let mut rows = 0;
    loop {
        rows += 1;
        if rows <= sample.rows_max {
            let seen = sample.rules.json(cursor, 0).map_err(failed)?;
            let before = std::mem::replace(&mut column, Seen::nothing());
            let merged = before.clone().merged(seen.clone(), origin);
            column = merged.ok_or_else(|| unfit(name, &before, &seen, rows, origin))?;
        } else {
            cursor.value().map_err(failed)?;
        }
        if !cursor.eat(b',') {
            cursor.expect(b']').map_err(failed)?;
            return Ok(column);
        }
    }
}

/// Form: one row, whose values are numbers or text.
pub(super) fn form(sample: &Sample<'_>) -> Result<Named> {
    let mut fields = Fields::default();
    let mut bytes = sample.bytes;
    fields.begin_row();
    while !bytes.is_empty() {
        let pair = next_pair(bytes).map_err(|none| {
            let (code, reason) = none.reason();
            Error::new(code, reason)
        })?;
        bytes = &bytes[pair.bytes..];
        let guess = match sample.rules.word(&pair.value, false) {
            guess @ (Guess::Bool | Guess::Int { .. } | Guess::UInt | Guess::Float) => guess,
            _ => Guess::String,
        };
        fields.add(String::from_utf8_lossy(&pair.name).into_owned(), guess.into(), Origin::Text)?;
    }
    Ok(fields.finish())
}

/// JSONObjectEachRow: the rows are the members of one object. The setting's column, which their names go into, comes first.
pub(super) fn json_named_rows(sample: &Sample<'_>) -> Result<Named> {
    let mut cursor = JsonCursor::new(sample.bytes);
    let mut fields = Fields::default();
    let mut scratch = Vec::new();
    if cursor.peek().is_some() {
        cursor.expect(b'{').map_err(|fault| Error::new(fault.code, fault.reason))?;
    }
    while fields.rows < sample.rows_max && cursor.peek().is_some_and(|next| next != b'}') {
        let start = cursor.at;
        let row = cursor.string(&mut scratch).map(|_| ()).and_then(|()| cursor.expect(b':'));
        let row = match row.and_then(|()| object(&mut cursor, sample)) {
            Ok(row) => row,
            Err(_) if !sample.complete && is_cut_off(&sample.bytes[start..]) => break,
            Err(fault) => {
                return Err(Error::new(fault.code, fault.reason).with_context(format!("row {}", fields.rows + 1)));
            }
        };
        fields.begin_row();
        for (name, seen) in row {
            fields.add(name, seen, Origin::json(sample.settings))?;
        }
        if !cursor.eat(b',') {
            break;
        }
    }
    let mut found = fields.finish();
    let names = &sample.settings.format_json_object_each_row_column_for_object_name;
    if !names.is_empty() {
        if found.iter().any(|(name, _)| name == names) {
            return Err(Error::new(
                ErrorCode::ILLEGAL_COLUMN,
                format!("cannot add column {names} for the names of the rows: the rows have one of that name"),
            ));
        }
        found.insert(0, (names.clone(), Found::Typed(SqlType::String)));
    }
    Ok(found)
}

fn object(cursor: &mut JsonCursor<'_>, sample: &Sample<'_>) -> gristmill_types::scan::Scan<Vec<(String, Seen)>> {
    if !sample.format.json_strings() {
        return sample.rules.object(cursor, 0);
    }
    let mut fields = Vec::new();
    let mut scratch = Vec::new();
    cursor.expect(b'{')?;
    if cursor.eat(b'}') {
        return Ok(fields);
    }
    loop {
        let name = String::from_utf8_lossy(cursor.string(&mut scratch)?).into_owned();
        cursor.expect(b':')?;
        let seen = if cursor.kind()? == JsonKind::String {
            let mut value = *cursor;
            let text = value.string(&mut scratch)?.to_vec();
            in_string(&text, sample, cursor)?
        } else {
            sample.rules.json(cursor, 0)?
        };
        fields.push((name, seen));
        if !cursor.eat(b',') {
            cursor.expect(b'}')?;
            return Ok(fields);
        }
    }
}

/// The columns under `meta`; a `.json` file without is rows of JSONEachRow.
pub(super) fn json_document(sample: &Sample<'_>) -> Result<Named> {
    #[derive(serde::Deserialize)]
    struct Named {
        name: String,
        #[serde(rename = "type")]
        kind: String,
    }
    let mut cursor = JsonCursor::new(sample.bytes);
    let mut scratch = Vec::new();
    let has_meta = cursor.eat(b'{') && cursor.string(&mut scratch).is_ok_and(|key| key == b"meta") && cursor.eat(b':');
    if !has_meta {
        let is_document_only =
            matches!(sample.format, Format::JsonCompact | Format::JsonCompactStrings | Format::JsonColumnsWithMetadata);
        if is_document_only {
            return Err(incorrect("the document does not begin with 'meta'"));
        }
        return json_rows(sample);
    }
    let meta = cursor.value().map_err(|fault| Error::new(fault.code, fault.reason))?;
    let columns: Vec<Named> =
        serde_json::from_slice(meta).map_err(|error| incorrect(format!("the key 'meta' does not list columns: {error}")))?;
    columns.into_iter().map(|column| Ok((column.name, Found::Typed(type_of(column.kind.as_bytes())?)))).collect()
}
