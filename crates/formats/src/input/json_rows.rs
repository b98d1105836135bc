//! JSON rows: an object a row (JSONEachRow) or an array a row (JSONCompactEachRow), by lines, commas or nothing, or all of
//! them in one array.
//!
//! There is no tree: keys are matched to columns as they come (by what stood at the same place of the row before), and each
//! value is pulled straight into its builder. Only where a row does not parse is it looked at whether it is merely cut off
//! by the chunk: a row that is whole is read once.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::scan::Fault;
use gristmill_types::scan::json::{JsonCursor, JsonKind};

use super::Rows;
use super::chunked::{RowReader, Step, line_end};
use super::fields::{BOM, Mapping, check_types};
use crate::output::NULL_FOR_PEOPLE;
use crate::{Format, Header};

/// What stands around rows: spaces, separators, the brackets of one array.
#[derive(Default)]
pub(crate) struct Between {
    began: bool,
    /// The rows are elements of an array.
    array: bool,
    ended: bool,
}

pub(crate) enum Next {
    /// A row starts after that many bytes.
    Row(usize),
    /// The slice ends before one.
    More(usize),
    /// Neither: so many bytes to leave out, and what is wrong with them.
    Wrong(usize, Error),
    /// After the bracket that closed the array.
    End,
}

impl Between {
    /// Rows that are the elements of an array whose bracket was read.
    pub fn elements() -> Self {
        Between { began: true, array: true, ended: false }
    }

    /// Finds the next row. `open`: the byte that a row starts with; an array of rows is told from a row by it.
    pub fn next(&mut self, input: &[u8], last: bool, open: u8, rows: &Rows) -> Result<Next> {
        let mut at = 0;
        if !self.began {
            if !last && input.len() < BOM.len() && BOM.starts_with(input) {
                return Ok(Next::More(0));
            }
            at = if input.starts_with(BOM) { BOM.len() } else { 0 };
        }
        while let Some(c) = input.get(at) {
            match c {
                b' ' | b'\n' | b'\r' | b'\t' => {}
                b',' | b';' if self.began => {}
                b'[' if !self.began && open == b'{' => {
                    self.began = true;
                    self.array = true;
                }
                b']' if self.array => {
                    self.ended = true;
                    return Ok(Next::End);
                }
                c if *c == open => {
                    self.began = true;
                    return Ok(Next::Row(at));
                }
                _ => {
                    if !last && waits_for_line_end(&input[at..]) {
                        return Ok(Next::More(at));
                    }
                    let shown = String::from_utf8_lossy(&input[at..(at + 20).min(input.len())]).into_owned();
                    let message = format!("Cannot parse input: expected '{}' before: '{shown}'", open as char);
                    let error = rows.wrong(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, message);
                    self.began = true;
                    return Ok(Next::Wrong(at + line_end(&input[at..]), error));
                }
            }
            at += 1;
        }
        Ok(Next::More(at))
    }

    /// The error where an array of rows was not closed.
    pub fn end(&self, rows: &Rows) -> Result<()> {
        if self.array && !self.ended {
            return Err(
                rows.wrong(ErrorCode::CANNOT_READ_ALL_DATA, "The data ends before the ']' that closes the array of rows")
            );
        }
        Ok(())
    }
}

/// What to do with a row that did not parse: wait for more of it, or leave it out.
pub(crate) fn failed(row: &[u8], last: bool, error: Error, rows: &Rows) -> Step {
    let mut cursor = JsonCursor::new(row);
    match cursor.value() {
        Ok(_) => Step::Bad(cursor.at, error),
        Err(_) if !last && is_cut_off(row) => Step::More,
        Err(_) if is_cut_off(row) => {
            Step::Bad(line_end(row), rows.wrong(ErrorCode::CANNOT_READ_ALL_DATA, "The data ends within a row"))
        }
        Err(_) if !last && waits_for_line_end(row) => Step::More,
        Err(_) => Step::Bad(line_end(row), error),
    }
}

/// A row that is left out ends with its line; lines are not waited for without end.
fn waits_for_line_end(row: &[u8]) -> bool {
    row.len() < LINE_BYTES_MAX && memchr::memchr(b'\n', row).is_none()
}

const LINE_BYTES_MAX: usize = 64 << 10;

/// What came of a row that did not parse, `start` bytes into the slice. What stands before it is not read again.
pub(crate) fn after(start: usize, step: Step, rows: &mut Rows) -> Step {
    match step {
        Step::Bad(bytes, error) => Step::Bad(start + bytes, error),
        Step::More if start > 0 => {
            rows.roll_back();
            Step::Skip(start)
        }
        other => other,
    }
}

/// Whether a value goes on after the end of the slice: a bracket or a string is open.
pub(crate) fn is_cut_off(row: &[u8]) -> bool {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(c) = row.get(at) {
        match c {
            b'"' => {
                let mut cursor = JsonCursor { text: row, at };
                if cursor.raw_string().is_err() {
                    return true;
                }
                at = cursor.at;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return false;
                }
            }
            _ => {}
        }
        at += 1;
    }
    true
}

/// Reads a value into a column. In the Strings variants it is a string that holds the value's text.
#[inline]
pub(crate) fn value(
    cursor: &mut JsonCursor<'_>,
    leaf: usize,
    strings: bool,
    scratch: &mut Vec<u8>,
    rows: &mut Rows,
) -> Result<()> {
    if !strings || cursor.kind() != Ok(JsonKind::String) {
        return rows.json(leaf, cursor);
    }
    let text = cursor.string(scratch).map_err(|fault| syntax(fault, rows))?;
    if text == NULL_FOR_PEOPLE.as_bytes() || text.eq_ignore_ascii_case(b"null") {
        return rows.null(leaf);
    }
    rows.whole(leaf, text)
}

pub(crate) fn syntax(fault: Fault, rows: &Rows) -> Error {
    rows.wrong(fault.code, fault.reason)
}

/// What a value without a key is called.
const NO_KEY: &[u8] = b"skipped_field";

/// Fields of a row whose places are remembered.
const PLACES_MAX: usize = 1024;

/// What takes a field of an object.
#[derive(Clone, Copy)]
enum Taker {
    Column(usize),
    /// The columns of the Nested of that name, each a member of the field's object.
    Nested,
    Nobody,
}

/// Objects as rows.
pub(crate) struct ObjectRows {
    between: Between,
    strings: bool,
    /// Whether objects go into the columns of a Nested.
    nested: bool,
    /// Whether fields are passed over once every column has its value.
    skips_rest: bool,
    /// The field that stood at each place of a row before (as it is written, with its escapes), and what takes it:
    /// rows usually are alike.
    order: Vec<(Vec<u8>, Taker)>,
    key: Vec<u8>,
    scratch: Vec<u8>,
}

impl ObjectRows {
    pub fn new(format: Format, settings: &Settings) -> Self {
        ObjectRows {
            between: Between::default(),
            strings: format.json_strings(),
            nested: settings.input_format_import_nested_json,
            skips_rest: settings.input_format_json_ignore_unnecessary_fields,
            order: Vec::new(),
            key: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The same within an array whose bracket was read.
    pub fn in_array(mut self) -> Self {
        self.between = Between::elements();
        self
    }

    /// Reads the object that the slice starts with; gives its length.
    pub fn read(&mut self, row: &[u8], rows: &mut Rows) -> Result<usize> {
        let mut cursor = JsonCursor::new(row);
        cursor.expect(b'{').map_err(|fault| syntax(fault, rows))?;
        let mut place = 0;
        if cursor.eat(b'}') {
            return Ok(cursor.at);
        }
        loop {
            cursor.peek();
            let key_start = cursor.at;
            let taker = match self.order.get(place) {
                Some((name, taker)) if cursor.eat_string(name) => *taker,
                known => {
                    let is_known = known.is_some();
                    let key = cursor.string(&mut self.key).map_err(|fault| syntax(fault, rows))?;
                    let taker = match rows.find(key) {
                        _ if self.nested && has_members(key, rows) => Taker::Nested,
                        Some(column) => Taker::Column(column),
                        None => Taker::Nobody,
                    };
                    let as_written = || row[key_start + 1..cursor.at - 1].to_vec();
                    if is_known {
                        self.order[place] = (as_written(), taker);
                    } else if place < PLACES_MAX {
                        self.order.push((as_written(), taker));
                    }
                    if matches!(taker, Taker::Nobody) {
                        rows.check_unknown(key)?;
                    }
                    taker
                }
            };
            place += 1;
            cursor.expect(b':').map_err(|fault| syntax(fault, rows))?;
            match taker {
                Taker::Nested => {
                    let name = JsonCursor { text: row, at: key_start }
                        .string(&mut self.key)
                        .map_err(|fault| syntax(fault, rows))?;
                    let name = [name, b"."].concat();
                    self.members(&mut cursor, name, rows)?;
                }
                taker => self.field(&mut cursor, key_start, taker, rows)?,
            }
            if cursor.eat(b',') {
                continue;
            }
            cursor.expect(b'}').map_err(|fault| syntax(fault, rows))?;
            return Ok(cursor.at);
        }
    }

    /// The object whose members go into columns of a Nested. `name`: the Nested's, with its dot; members' names come behind it.
    fn members(&mut self, cursor: &mut JsonCursor<'_>, mut name: Vec<u8>, rows: &mut Rows) -> Result<()> {
        let dot = name.len();
        if !cursor.eat(b'{') {
            let text =
                "Cannot parse input: expected '{' before the members of a Nested: see input_format_import_nested_json";
            return Err(rows.wrong(ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED, text));
        }
        if cursor.eat(b'}') {
            return Ok(());
        }
        loop {
            cursor.peek();
            let key_start = cursor.at;
            let key = cursor.string(&mut self.key).map_err(|fault| syntax(fault, rows))?;
            name.truncate(dot);
            name.extend_from_slice(key);
            let taker = match rows.find(&name) {
                Some(column) => Taker::Column(column),
                None => {
                    rows.check_unknown(&name)?;
                    Taker::Nobody
                }
            };
            cursor.expect(b':').map_err(|fault| syntax(fault, rows))?;
            self.field(cursor, key_start, taker, rows)?;
            if !cursor.eat(b',') {
                return cursor.expect(b'}').map_err(|fault| syntax(fault, rows));
            }
        }
    }

    /// `key_start`: where the field's name stands.
    fn field(&mut self, cursor: &mut JsonCursor<'_>, key_start: usize, taker: Taker, rows: &mut Rows) -> Result<()> {
        match taker {
            Taker::Column(column) if rows.has_value(column) && !(self.skips_rest && rows.has_all()) => {
                let name = rows.columns().0[column].name.clone();
                Err(rows
                    .wrong(ErrorCode::INCORRECT_DATA, format!("Duplicate field found while parsing a JSON object: {name}")))
            }
            Taker::Column(column) if !rows.has_value(column) => value(cursor, column, self.strings, &mut self.scratch, rows),
            other => {
                let passed = cursor.value().map_err(|fault| syntax(fault, rows))?;
                let key = JsonCursor { text: cursor.text, at: key_start }.raw_string().map_or(&b""[..], |(key, _)| key);
                rows.check_depth(passed, key)?;
                // A column that nobody asked for has a place nevertheless.
                rows.count_unknown(u64::from(matches!(other, Taker::Nobody)));
                Ok(())
            }
        }
    }
}

/// Whether there are columns of a Nested of that name.
fn has_members(name: &[u8], rows: &Rows) -> bool {
    let is_member = |column: &str| {
        column.as_bytes().strip_prefix(name).is_some_and(|rest| rest.first() == Some(&b'.') && rest.len() > 1)
    };
    rows.columns().iter().any(|column| is_member(&column.name))
}

impl RowReader for ObjectRows {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let start = match self.between.next(input, last, b'{', rows)? {
            Next::Row(start) => start,
            Next::More(0) => return Ok(Step::More),
            Next::More(space) => return Ok(Step::Skip(space)),
            Next::Wrong(bytes, error) => return Ok(Step::Bad(bytes, error)),
            Next::End => return Ok(Step::End),
        };
        let row = &input[start..];
        Ok(match self.read(row, rows) {
            Ok(bytes) => Step::Row(start + bytes),
            Err(error) => after(start, failed(row, last, error, rows), rows),
        })
    }

    fn end(&mut self, rows: &mut Rows) -> Result<()> {
        self.between.end(rows)
    }
}

/// Arrays as rows.
pub(crate) struct CompactRows {
    between: Between,
    strings: bool,
    /// Header rows that are still to come.
    names: bool,
    types: bool,
    use_names: bool,
    use_types: bool,
    /// Rows may have more or fewer values than there are columns.
    variable: bool,
    mapping: Option<Mapping>,
    scratch: Vec<u8>,
}

impl CompactRows {
    pub fn new(format: Format, settings: &Settings) -> Self {
        CompactRows {
            between: Between::default(),
            strings: format.json_strings(),
            names: format.header() != Header::None,
            types: format.header() == Header::NamesAndTypes,
            use_names: settings.input_format_with_names_use_header,
            use_types: settings.input_format_with_types_use_header,
            variable: settings.input_format_json_compact_allow_variable_number_of_columns,
            mapping: None,
            scratch: Vec::new(),
        }
    }

    /// The same within an array whose bracket was read, with columns by name where the names are known.
    pub fn in_array(mut self, names: Option<&[Vec<u8>]>, rows: &Rows) -> Result<Self> {
        self.between = Between::elements();
        self.mapping = names.map(|names| Mapping::named(names, rows)).transpose()?;
        Ok(self)
    }

    /// Reads the header of the object that the data is a part of; what comes next are rows.
    pub fn read_header(&mut self, header: &[u8], rows: &mut Rows) -> Result<()> {
        let mut at = 0;
        while at < header.len() && (self.names || self.types) {
            match self.step(&header[at..], true, rows)? {
                Step::Skip(bytes) => at += bytes,
                _ => break,
            }
        }
        self.names = false;
        self.types = false;
        Ok(())
    }

    pub fn header_length(mut self, head: &[u8], mut rows: Rows) -> Result<Option<usize>> {
        let mut at = 0;
        while self.names || self.types {
            match self.step(&head[at..], false, &mut rows)? {
                Step::Skip(bytes) => at += bytes,
                _ => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    fn header(&mut self, row: &[u8], rows: &mut Rows) -> Result<usize> {
        let mut cursor = JsonCursor::new(row);
        let mut fields: Vec<Vec<u8>> = Vec::new();
        cursor.expect(b'[').map_err(|fault| syntax(fault, rows))?;
        if !cursor.eat(b']') {
            loop {
                fields.push(cursor.string(&mut self.scratch).map_err(|fault| syntax(fault, rows))?.to_vec());
                if !cursor.eat(b',') {
                    break;
                }
            }
            cursor.expect(b']').map_err(|fault| syntax(fault, rows))?;
        }
        if self.names {
            if self.use_names {
                self.mapping = Some(Mapping::named(&fields, rows)?);
            }
            self.names = false;
        } else {
            if self.use_types {
                let positional = Mapping::positional(rows);
                check_types(&fields, self.mapping.as_ref().unwrap_or(&positional), rows)?;
            }
            self.types = false;
        }
        Ok(cursor.at)
    }

    fn read(&mut self, row: &[u8], rows: &mut Rows) -> Result<usize> {
        let mapping = self.mapping.get_or_insert_with(|| Mapping::positional(rows));
        let mut cursor = JsonCursor::new(row);
        let faulty = |fault: Fault, rows: &Rows| syntax(fault, rows);
        cursor.expect(b'[').map_err(|fault| faulty(fault, rows))?;
        let wanted = mapping.fields.len();
        let mut count = 0;
        if !cursor.eat(b']') {
            loop {
                match mapping.fields.get(count) {
                    Some(Some(leaf)) => value(&mut cursor, *leaf, self.strings, &mut self.scratch, rows)?,
                    Some(None) => {
                        let passed = cursor.value().map_err(|fault| faulty(fault, rows))?;
                        rows.check_depth(passed, NO_KEY)?;
                    }
                    None if self.variable => {
                        let passed = cursor.value().map_err(|fault| faulty(fault, rows))?;
                        rows.check_depth(passed, NO_KEY)?;
                        rows.count_unknown(1);
                    }
                    None => {
                        return Err(rows.wrong(
                            ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                            format!("Expected ']' after {wanted} values, got one more"),
                        ));
                    }
                }
                count += 1;
                if !cursor.eat(b',') {
                    break;
                }
            }
            cursor.expect(b']').map_err(|fault| faulty(fault, rows))?;
        }
        if count < wanted && !self.variable {
            return Err(rows.wrong(
                ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                format!("Expected {wanted} values, the array ends after {count}"),
            ));
        }
        rows.count_unknown(mapping.unknown);
        Ok(cursor.at)
    }
}

impl RowReader for CompactRows {
    fn step(&mut self, input: &[u8], last: bool, rows: &mut Rows) -> Result<Step> {
        let start = match self.between.next(input, last, b'[', rows)? {
            Next::Row(start) => start,
            Next::More(0) => return Ok(Step::More),
            Next::More(space) => return Ok(Step::Skip(space)),
            Next::Wrong(bytes, error) => return Ok(Step::Bad(bytes, error)),
            Next::End => return Ok(Step::End),
        };
        let row = &input[start..];
        if self.names || self.types {
            return match self.header(row, rows) {
                Ok(bytes) => Ok(Step::Skip(start + bytes)),
                Err(error) => match after(start, failed(row, last, error, rows), rows) {
                    Step::Bad(_, error) => Err(error),
                    other => Ok(other),
                },
            };
        }
        Ok(match self.read(row, rows) {
            Ok(bytes) => Step::Row(start + bytes),
            Err(error) => after(start, failed(row, last, error, rows), rows),
        })
    }

    fn end(&mut self, rows: &mut Rows) -> Result<()> {
        self.between.end(rows)
    }
}
