//! What readers of rows share: builders of the columns, rows begun and ended, batches, errors.
//!
//! A reader appends the fields of a row in any order and ends the row; columns that got nothing get their default. Until
//! then the row can be taken back, which is how a row that goes on in the next chunk and a row with a mistake are dealt
//! with: the builders are cut back to the last whole row.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, StructArray};
use arrow::datatypes::{DataType, Schema, SchemaRef};
use chrono_tz::Tz;
use gristmill_base::env::system_env;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::builder::{ColumnBuilder, Escaping, JsonStrings, ParseOptions};
use gristmill_types::scan::Scan;
use gristmill_types::scan::address::LenientAddresses;
use gristmill_types::scan::best_effort::Customs;
use gristmill_types::scan::json::{self, JsonCursor};
use gristmill_types::{Columns, SqlType};

use super::omitted::omitted_flag;
use crate::Format;

pub(crate) const BATCH_ROWS: usize = 65_409;
pub(crate) const BATCH_BYTES: usize = 8 << 20;
/// Rows, and bytes of them, after which the memory of the builders is looked at.
const LOOK_EVERY: usize = 256;
const LOOK_EVERY_BYTES: usize = 1 << 20;

pub(crate) struct Rows {
    format: Format,
    object: String,
    columns: Columns,
    schema: SchemaRef,
    /// The builders: one a column, or one for each leaf of tuples that a format spreads over fields.
    pub leaves: Vec<Leaf>,
    /// How columns are put together from leaves.
    shapes: Vec<Shape>,
    /// The columns of a batch.
    given: Vec<usize>,
    /// Rows in the builders, without the one that is being read.
    rows: usize,
    /// Of the data, since the memory of the builders was looked at.
    unlooked_bytes: usize,
    /// Rows read, with those left out, before the current one.
    number: u64,
    number_is_known: bool,
    batches: Vec<RecordBatch>,
    errors_max: u64,
    errors_ratio: f64,
    skipped: u64,
    unknown: u64,
    /// Of the row that is being read.
    pending_unknown: u64,
    skip_unknown: bool,
    /// Empty JSON strings are the default of their column.
    empty_as_default: bool,
    matching: Matching,
    /// Columns without NULL have to have a value in every row.
    force_null: bool,
    json_depth_max: u64,
    /// Where each column starts among the leaves.
    first_leaf: Vec<usize>,
    exact: HashMap<Vec<u8>, usize>,
    /// By lower-case name; `None` where two columns differ only by case.
    folded: HashMap<Vec<u8>, Option<usize>>,
    /// Of columns whose values may be left out: the rows where they are.
    omitted: Vec<Vec<bool>>,
}

pub(crate) struct Leaf {
    pub name: String,
    pub builder: ColumnBuilder,
    /// Written nested (arrays, tuples, maps): in TSV such a field is not escaped again.
    pub nested: bool,
    pub string: bool,
    /// Whether anyone asked for it; else its values are passed over.
    pub wanted: bool,
    /// Where its column is among those of which is told what is left out.
    flag: Option<usize>,
}

/// How names in data are matched to columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matching {
    MatchCase,
    IgnoreCase,
    /// By case, else without.
    Auto,
}

impl Matching {
    fn of(settings: &Settings) -> Matching {
        match settings.input_format_column_name_matching_mode.as_str() {
            "match_case" => Matching::MatchCase,
            "ignore_case" => Matching::IgnoreCase,
            _ => Matching::Auto,
        }
    }
}

enum Shape {
    Leaf(usize),
    Tuple(DataType, Vec<Shape>),
}

impl Rows {
    pub fn new(format: Format, columns: &Columns, settings: &Settings, timezone: Tz, object: &str) -> Result<Rows> {
        let options = ParseOptions {
            // Values are literals of SQL, which are converted.
            as_data: format != Format::Values,
            enums_as_numbers: enums_as_numbers(format, settings),
            lenient_addresses: lenient_addresses(format, settings),
            ..parse_options(settings, timezone)
        };
        let spread = matches!(format, Format::Csv | Format::CsvWithNames | Format::CsvWithNamesAndTypes)
            && settings.input_format_csv_deserialize_separate_columns_into_tuple;
        let mut leaves = Vec::with_capacity(columns.len());
        let mut shapes = Vec::with_capacity(columns.len());
        let mut first_leaf = Vec::with_capacity(columns.len());
        for column in columns {
            first_leaf.push(leaves.len());
            shapes.push(shape(&column.name, &column.kind, spread, &options, &mut leaves)?);
        }
        let mut folded: HashMap<Vec<u8>, Option<usize>> = HashMap::new();
        for (i, column) in columns.iter().enumerate() {
            let entry = folded.entry(column.name.to_lowercase().into_bytes());
            entry.and_modify(|known| *known = None).or_insert(Some(i));
        }
        Ok(Rows {
            format,
            object: object.to_string(),
            schema: columns.arrow(),
            exact: columns.iter().enumerate().map(|(i, column)| (column.name.clone().into_bytes(), i)).collect(),
            columns: columns.clone(),
            leaves,
            shapes,
            given: (0..columns.len()).collect(),
            rows: 0,
            unlooked_bytes: 0,
            number: 0,
            number_is_known: true,
            batches: Vec::new(),
            errors_max: settings.input_format_allow_errors_num,
            errors_ratio: settings.input_format_allow_errors_ratio,
            skipped: 0,
            unknown: 0,
            pending_unknown: 0,
            skip_unknown: settings.input_format_skip_unknown_fields,
            empty_as_default: settings.input_format_json_empty_as_default,
            matching: Matching::of(settings),
            force_null: settings.input_format_force_null_for_omitted_fields,
            json_depth_max: settings.input_format_json_max_depth,
            first_leaf,
            folded,
            omitted: Vec::new(),
        })
    }

    /// Batches have only these columns, in that order; values of the others are not even looked at.
    pub fn project(&mut self, wanted: &[usize]) -> Result<()> {
        for column in 0..self.columns.len() {
            let is_wanted = wanted.contains(&column);
            for leaf in self.leaves_of(column) {
                self.leaves[leaf].wanted = is_wanted;
            }
        }
        self.schema = Arc::new(self.schema.project(wanted)?);
        self.given = wanted.to_vec();
        Ok(())
    }

    /// Batches have a column more for each of these columns, behind all others: true where the data has no value of it, or NULL
    /// where its type has none.
    pub fn tell_omitted(&mut self, columns: &[usize]) {
        let mut fields = self.schema.fields().to_vec();
        for (flag, column) in columns.iter().enumerate() {
            for leaf in self.leaves_of(*column) {
                self.leaves[leaf].flag = Some(flag);
            }
            let flag = omitted_flag(&self.columns.0[*column].name);
            fields.push(flag.kind.field(&flag.name));
            self.omitted.push(Vec::new());
        }
        self.schema = Arc::new(Schema::new(fields));
    }

    /// The current row has no value of this leaf.
    fn omit(&mut self, leaf: usize) {
        if let Some(flag) = self.leaves[leaf].flag {
            let omitted = &mut self.omitted[flag];
            omitted.resize(self.rows, false);
            omitted.push(true);
        }
    }

    /// The value that was just read was NULL, and its column got the default for it.
    fn note_null(&mut self, leaf: usize, replaced_before: u64) {
        if self.leaves[leaf].flag.is_some() && self.leaves[leaf].builder.nulls_replaced() > replaced_before {
            self.omit(leaf);
        }
    }

    pub fn start_at(&mut self, row: Option<u64>) {
        self.number = row.unwrap_or(0);
        self.number_is_known = row.is_some();
    }

    pub fn columns(&self) -> &Columns {
        &self.columns
    }

    /// Leaves of that column.
    pub fn leaves_of(&self, column: usize) -> std::ops::Range<usize> {
        self.first_leaf[column]..self.first_leaf.get(column + 1).copied().unwrap_or(self.leaves.len())
    }

    /// The column of that name: exactly, else the only one that differs by case, as far as that is asked for.
    pub fn find(&self, name: &[u8]) -> Option<usize> {
        if let Some(at) = self.exact.get(name).filter(|_| self.matching != Matching::IgnoreCase) {
            return Some(*at);
        }
        if self.matching == Matching::MatchCase {
            return None;
        }
        let lower = std::str::from_utf8(name).ok()?.to_lowercase();
        self.folded.get(lower.as_bytes()).copied().flatten()
    }

    /// A value that no column takes: it is counted, or refused.
    pub fn unknown_field(&mut self, name: &[u8]) -> Result<()> {
        self.check_unknown(name)?;
        self.pending_unknown += 1;
        Ok(())
    }

    /// Whether names that no column has are let pass.
    pub fn check_unknown(&self, name: &[u8]) -> Result<()> {
        let name = String::from_utf8_lossy(name);
        if self.matching == Matching::IgnoreCase && self.folded.contains_key(name.to_lowercase().as_bytes()) {
            return Err(self.wrong(
                ErrorCode::INCORRECT_DATA,
                format!("The data has a field '{name}' that several columns could take"),
            ));
        }
        if self.skip_unknown {
            return Ok(());
        }
        Err(self.wrong(
            ErrorCode::INCORRECT_DATA,
            format!("The data has a field '{name}' that no column takes; set input_format_skip_unknown_fields = 1 to leave it out"),
        ))
    }

    /// Values of this row that no column takes; they count once the row is whole.
    pub fn count_unknown(&mut self, values: u64) {
        self.pending_unknown += values;
    }

    /// Whether this row already has a value for that leaf.
    pub fn has_value(&self, leaf: usize) -> bool {
        self.leaves[leaf].builder.len() > self.rows
    }

    /// Whether this row has a value for every leaf that is wanted.
    pub fn has_all(&self) -> bool {
        self.leaves.iter().all(|leaf| !leaf.wanted || leaf.builder.len() > self.rows)
    }

    #[inline]
    pub fn text(&mut self, leaf: usize, text: &[u8], escaping: Escaping) -> Result<()> {
        if !self.leaves[leaf].wanted {
            return Ok(());
        }
        let replaced = self.leaves[leaf].builder.nulls_replaced();
        let done = self.leaves[leaf].builder.try_append_text(text, escaping);
        self.note_null(leaf, replaced);
        self.explained(leaf, text, done)
    }

    /// The value's whole text: numbers have digits.
    pub fn whole(&mut self, leaf: usize, text: &[u8]) -> Result<()> {
        let kind = self.leaves[leaf].builder.kind();
        if text.is_empty() && (kind.is_integer() || kind.is_decimal()) {
            return Err(self.at_column(
                leaf,
                Error::new(ErrorCode::ATTEMPT_TO_READ_AFTER_EOF, "Attempt to read after eof: the text of a number is empty"),
            ));
        }
        self.text(leaf, text, Escaping::Plain)
    }

    /// The next value of a JSON text.
    #[inline]
    pub fn json(&mut self, leaf: usize, cursor: &mut JsonCursor<'_>) -> Result<()> {
        let start = *cursor;
        if self.empty_as_default && self.leaves[leaf].builder.takes_empty() && cursor.eat_string(b"") {
            self.default(leaf);
            return Ok(());
        }
        if !self.leaves[leaf].wanted {
            return cursor.value().map(|_| ()).map_err(|fault| self.wrong(fault.code, fault.reason));
        }
        let replaced = self.leaves[leaf].builder.nulls_replaced();
        let done = self.leaves[leaf].builder.json_value(cursor);
        self.note_null(leaf, replaced);
        match done {
            Ok(()) => Ok(()),
            Err(fault) => {
                let mut again = start;
                let shown = again.value().unwrap_or(&start.text[start.at..]);
                self.explained(leaf, shown, Err(fault))
            }
        }
    }

    /// Of a JSON value that no column takes. Error: TOO_DEEP_RECURSION where it has too many levels.
    pub fn check_depth(&self, value: &[u8], key: &[u8]) -> Result<()> {
        if !json::is_deeper(value, self.json_depth_max) {
            return Ok(());
        }
        let text = format!(
            "JSON is too deep for key '{}': it has more levels than input_format_json_max_depth = {}",
            String::from_utf8_lossy(key),
            self.json_depth_max
        );
        Err(self.wrong(ErrorCode::TOO_DEEP_RECURSION, text))
    }

    pub fn null(&mut self, leaf: usize) -> Result<()> {
        if !self.leaves[leaf].wanted {
            return Ok(());
        }
        let replaced = self.leaves[leaf].builder.nulls_replaced();
        match self.leaves[leaf].builder.append_null() {
            Ok(()) => {
                self.note_null(leaf, replaced);
                Ok(())
            }
            Err(error) => Err(self.at_column(leaf, error)),
        }
    }

    pub fn default(&mut self, leaf: usize) {
        if self.leaves[leaf].wanted {
            self.omit(leaf);
            self.leaves[leaf].builder.append_default();
        }
    }

    #[inline]
    fn explained(&self, leaf: usize, text: &[u8], done: Scan<()>) -> Result<()> {
        match done {
            Ok(()) => Ok(()),
            Err(mut fault) => {
                let kind = self.leaves[leaf].builder.kind();
                // A number ends where its digits do: what is wrong is what stands where a delimiter is due.
                if fault.code == ErrorCode::CANNOT_PARSE_TEXT && (kind.is_integer() || kind.is_decimal()) {
                    let csv = matches!(self.format, Format::Csv | Format::CsvWithNames | Format::CsvWithNamesAndTypes);
                    let ends_line = csv && leaf + 1 == self.leaves.len();
                    fault.code = match ends_line {
                        true => ErrorCode::INCORRECT_DATA,
                        false => ErrorCode::CANNOT_PARSE_INPUT_ASSERTION_FAILED,
                    };
                }
                Err(self.at_column(leaf, fault.explain(text, kind)))
            }
        }
    }

    fn at_column(&self, leaf: usize, error: Error) -> Error {
        self.located(error.with_context(format!("column '{}'", self.leaves[leaf].name)))
    }

    /// An error in the current row.
    pub fn wrong(&self, code: ErrorCode, message: impl Into<String>) -> Error {
        self.located(Error::new(code, message))
    }

    fn located(&self, error: Error) -> Error {
        let error = match self.number_is_known {
            true => error.with_context(format!("(at row {})", self.number + 1)),
            false => error,
        };
        if self.object.is_empty() {
            error.with_context(format!("(format {})", self.format))
        } else {
            error.with_context(format!("(in file/uri {}, format {})", self.object, self.format))
        }
    }

    /// Values that come next are those of that row since the last batch: in data that comes column by column.
    pub fn at_row(&mut self, row: usize) {
        self.number = self.number - self.rows as u64 + row as u64;
        self.rows = row;
    }

    /// All columns that came have so many rows. Those that did not get their defaults, and the rows become batches.
    pub fn end_columns(&mut self, rows: usize) -> Result<()> {
        for leaf in 0..self.leaves.len() {
            for row in self.leaves[leaf].builder.len()..rows {
                self.at_row(row);
                self.default(leaf);
            }
        }
        self.at_row(rows);
        self.unknown += std::mem::take(&mut self.pending_unknown);
        self.flush()?;
        if let Some(whole) = self.batches.pop_if(|batch| batch.num_rows() > BATCH_ROWS) {
            let cuts = (0..rows).step_by(BATCH_ROWS);
            self.batches.extend(cuts.map(|from| whole.slice(from, BATCH_ROWS.min(rows - from))));
        }
        Ok(())
    }

    /// Takes back what the current row appended.
    pub fn roll_back(&mut self) {
        let rows = self.rows;
        for leaf in &mut self.leaves {
            leaf.builder.truncate(rows);
        }
        self.omitted.iter_mut().for_each(|omitted| omitted.truncate(rows));
        self.pending_unknown = 0;
    }

    /// The current row is whole, and took so many bytes of the data. Columns without a value get their default.
    #[inline]
    pub fn end_row(&mut self, bytes: usize) -> Result<()> {
        for at in 0..self.leaves.len() {
            let leaf = &mut self.leaves[at];
            if leaf.wanted && leaf.builder.len() == self.rows {
                if self.force_null && !leaf.builder.kind().is_nullable() {
                    let text =
                        format!("Cannot insert NULL value into a column '{}' of type '{}'", leaf.name, leaf.builder.kind());
                    return Err(self.wrong(ErrorCode::TYPE_MISMATCH, text));
                }
                leaf.builder.append_default();
                self.omit(at);
            }
        }
        self.rows += 1;
        self.number += 1;
        self.unknown += std::mem::take(&mut self.pending_unknown);
        self.unlooked_bytes += bytes;
        if self.rows >= BATCH_ROWS || (self.is_time_to_look() && self.memory_bytes() >= BATCH_BYTES) {
            self.flush()?;
        }
        Ok(())
    }

    /// A few rows may be as large as very many.
    fn is_time_to_look(&mut self) -> bool {
        let is_time = self.unlooked_bytes >= LOOK_EVERY_BYTES || self.rows.is_multiple_of(LOOK_EVERY);
        if is_time {
            self.unlooked_bytes = 0;
        }
        is_time
    }

    /// The current row has a mistake: it is left out if that is allowed, else the error is given back.
    pub fn bad_row(&mut self, error: Error) -> Result<()> {
        self.roll_back();
        self.skipped += 1;
        self.number += 1;
        let by_ratio = self.skipped as f64 / self.number as f64 <= self.errors_ratio;
        if self.skipped <= self.errors_max || (self.errors_ratio > 0.0 && by_ratio) { Ok(()) } else { Err(error) }
    }

    fn memory_bytes(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.builder.memory_bytes()).sum()
    }

    /// Makes a batch of the whole rows.
    pub fn flush(&mut self) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        let arrays: Vec<ArrayRef> = self.leaves.iter_mut().map(|leaf| leaf.builder.finish()).collect();
        let mut columns = self
            .given
            .iter()
            .map(|column| assemble(&self.shapes[*column], &arrays, self.rows))
            .collect::<Result<Vec<_>>>()?;
        for omitted in &mut self.omitted {
            omitted.resize(self.rows, false);
            columns.push(Arc::new(BooleanArray::from(std::mem::take(omitted))));
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        self.batches.push(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?);
        self.rows = 0;
        Ok(())
    }

    pub fn take_batches(&mut self) -> Vec<RecordBatch> {
        std::mem::take(&mut self.batches)
    }

    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    pub fn unknown(&self) -> u64 {
        self.unknown
    }
}

/// How values are read under these settings.
pub(crate) fn parse_options(settings: &Settings, timezone: Tz) -> ParseOptions {
    ParseOptions {
        timezone,
        best_effort_dates: settings.date_time_input_format.starts_with("best_effort"),
        customs: Customs {
            us: settings.date_time_input_format == "best_effort_us",
            now_seconds: Some(system_env().now().as_secs() as i64),
        },
        null_as_default: settings.input_format_null_as_default,
        // As ClickHouse reads text.
        wrap_integers: true,
        as_data: true,
        json_strings: JsonStrings {
            numbers: settings.input_format_json_read_numbers_as_strings,
            bools: settings.input_format_json_read_bools_as_strings,
            arrays: settings.input_format_json_read_arrays_as_strings,
            objects: settings.input_format_json_read_objects_as_strings,
        },
        bool_true: Arc::from(settings.bool_true_representation.as_str()),
        bool_false: Arc::from(settings.bool_false_representation.as_str()),
        named_tuples_as_objects: settings.input_format_json_named_tuples_as_objects,
        maps_as_arrays: settings.input_format_json_map_as_array_of_tuples,
        tuples_take_missing: settings.input_format_json_defaults_for_missing_elements_in_named_tuple,
        tuples_pass_unknown: settings.input_format_json_ignore_unknown_keys_in_named_tuple,
        enums_as_numbers: false,
        raw_times: settings.input_format_read_datetime_number_as_raw_value,
        bools_as_numbers: settings.input_format_json_read_bools_as_numbers,
        empty_as_default: settings.input_format_json_empty_as_default,
        keeps_bad_escapes: !settings.input_format_json_throw_on_bad_escape_sequence,
        json_depth_max: settings.input_format_json_max_depth,
        lenient_addresses: LenientAddresses::default(),
    }
}

/// Of which addresses what is none is the default: literals are converted as CAST does it, while fields of other formats are
/// errors, as in ClickHouse.
fn lenient_addresses(format: Format, settings: &Settings) -> LenientAddresses {
    let all = settings.cast_ipv4_ipv6_default_on_conversion_error;
    match format {
        Format::Values => LenientAddresses {
            v4: all || settings.input_format_ipv4_default_on_conversion_error,
            v6: all || settings.input_format_ipv6_default_on_conversion_error,
        },
        _ => LenientAddresses::default(),
    }
}

/// Whether enums are numbers in the data.
fn enums_as_numbers(format: Format, settings: &Settings) -> bool {
    use Format as F;
    match format {
        F::Csv | F::CsvWithNames | F::CsvWithNamesAndTypes => settings.input_format_csv_enum_as_number,
        F::Tsv | F::TsvWithNames | F::TsvWithNamesAndTypes | F::Tskv => settings.input_format_tsv_enum_as_number,
        _ => false,
    }
}

fn shape(name: &str, kind: &SqlType, spread: bool, options: &ParseOptions, leaves: &mut Vec<Leaf>) -> Result<Shape> {
    if let (true, SqlType::Tuple(fields)) = (spread, kind.storage()) {
        let children = fields.iter().enumerate().map(|(i, (field, kind))| {
            let field = field.clone().unwrap_or_else(|| (i + 1).to_string());
            shape(&format!("{name}.{field}"), kind, spread, options, leaves)
        });
        return Ok(Shape::Tuple(kind.arrow(), children.collect::<Result<_>>()?));
    }
    let plain = kind.plain();
    leaves.push(Leaf {
        name: name.to_string(),
        builder: ColumnBuilder::new(kind, options)?,
        nested: matches!(plain, SqlType::Array(_) | SqlType::Tuple(_) | SqlType::Map(..)),
        string: matches!(plain, SqlType::String | SqlType::FixedString(_)),
        wanted: true,
        flag: None,
    });
    Ok(Shape::Leaf(leaves.len() - 1))
}

fn assemble(shape: &Shape, leaves: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    match shape {
        Shape::Leaf(leaf) => Ok(leaves[*leaf].clone()),
        Shape::Tuple(kind, children) => {
            let DataType::Struct(fields) = kind else {
                return Err(Error::logical(format!("A tuple is carried by {kind}")));
            };
            let children = children.iter().map(|child| assemble(child, leaves, rows)).collect::<Result<Vec<_>>>()?;
            Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), children, None, rows)?))
        }
    }
}
