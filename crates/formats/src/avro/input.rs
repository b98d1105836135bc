//! Avro input: blocks are decoded as each is there as a whole; what follows the last whole one is held.
//!
//! Fields are matched with columns by name, those of records within records by their path (`a.b`) where no column has the
//! record itself. Fields that no column takes are passed over and counted.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use chrono_tz::Tz;
use gristmill_base::{Error, ErrorCode, Result, ResultExt, allocations};
use gristmill_introspect::Settings;
use gristmill_types::adopt::adopt;
use gristmill_types::cast::CastOptions;
use gristmill_types::default::default_array;
use gristmill_types::{Column, Columns, SqlType};

use super::container::{Header, Next, next_block};
use super::cursor::{Cursor, incorrect};
use super::decode::{Decoder, skip};
use super::schema::{Kind, Node};
use crate::Format;
use crate::columnar::columns_of_fields;
use crate::input::omitted::flags_of;
use crate::input::{BATCH_BYTES, BATCH_ROWS, RowParser, flagged_column};

/// Rows after which the size of a batch is looked at.
const LOOKED_AT_ROWS: usize = 64;

pub(crate) struct AvroInput {
    object: String,
    /// All of the table, for what is not known.
    known: Columns,
    /// Those that batches have.
    wanted: Columns,
    batch_schema: SchemaRef,
    options: CastOptions,
    allow_missing: bool,
    held: Vec<u8>,
    /// Less than so many bytes hold no whole block.
    wanted_bytes: usize,
    read_bytes: u64,
    open: Option<Open>,
    /// Rows that are decoded and not in a batch yet.
    waiting: usize,
    /// Rows in batches.
    rows: u64,
    unknown: u64,
}

/// What is known since the header.
struct Open {
    header: Header,
    action: Action,
    /// Of the columns wanted, those that the data has.
    decoders: Vec<Option<Decoder>>,
    is_wide: bool,
    unknown_fields: u64,
}

/// What is done with a value.
enum Action {
    /// By the decoder of a column.
    Read(usize),
    Skip(Arc<Node>),
    Record(Vec<Action>),
}

impl AvroInput {
    /// `wanted` are columns of `known`, or the flags of some.
    pub fn new(known: &Columns, wanted: &Columns, settings: &Settings, timezone: Tz, object: &str) -> Self {
        let null_as_default = settings.input_format_null_as_default || settings.input_format_avro_null_as_default;
        AvroInput {
            object: object.to_string(),
            known: known.clone(),
            wanted: wanted.clone(),
            batch_schema: wanted.arrow(),
            options: CastOptions {
                timezone,
                null_as_default,
                saturates: true,
                refuses_days: settings.date_time_overflow_behavior != "saturate",
                ..CastOptions::default()
            },
            allow_missing: settings.input_format_avro_allow_missing_fields,
            held: Vec::new(),
            wanted_bytes: 0,
            read_bytes: 0,
            open: None,
            waiting: 0,
            rows: 0,
            unknown: 0,
        }
    }

    fn begin(&self, header: Header) -> Result<Open> {
        let mut plan = Plan {
            wanted: &self.wanted,
            known: &self.known,
            null_as_default: self.options.null_as_default,
            decoders: std::iter::repeat_with(|| None).take(self.wanted.len()).collect(),
            unknown_fields: 0,
        };
        let action = plan.record(&header.schema, "")?;
        let Plan { decoders, unknown_fields, .. } = plan;
        let is_missing = |(at, column): &(usize, &Column)| flagged_column(&column.name).is_none() && decoders[*at].is_none();
        if let Some((_, column)) = self.wanted.iter().enumerate().find(is_missing)
            && !self.allow_missing
        {
            return Err(Error::new(
                ErrorCode::THERE_IS_NO_COLUMN,
                format!(
                    "Field {} not found in Avro schema, which has {}: set input_format_avro_allow_missing_fields = 1 to have defaults",
                    column.name,
                    field_names(&header.schema)
                ),
            ));
        }
        let is_wide = decoders.iter().flatten().any(Decoder::is_wide);
        Ok(Open { header, action, decoders, is_wide, unknown_fields })
    }

    /// Decodes the whole blocks at the start of what is held.
    fn decode(&mut self, out: &mut Vec<RecordBatch>) -> Result<()> {
        let held = std::mem::take(&mut self.held);
        let mut from = 0;
        let result = self.decode_blocks(&held, &mut from, out);
        self.held = held;
        self.held.drain(..from);
        result
    }

    fn decode_blocks(&mut self, held: &[u8], from: &mut usize, out: &mut Vec<RecordBatch>) -> Result<()> {
        if self.open.is_none() {
            let Some((header, length)) = Header::read(held)? else { return Ok(()) };
            *from = length;
            self.open = Some(self.begin(header)?);
        }
        // It is put back below, or never looked at again.
        let Some(mut open) = self.open.take() else { return Ok(()) };
        while held.len() - *from >= self.wanted_bytes.max(1) {
            match next_block(&held[*from..], &open.header)? {
                Next::Wanted(bytes) => self.wanted_bytes = bytes,
                Next::Block { rows, bytes, length } => {
                    self.wanted_bytes = 0;
                    *from += length;
                    self.block(&mut open, rows, bytes, out)?;
                }
            }
        }
        self.open = Some(open);
        Ok(())
    }

    fn block(&mut self, open: &mut Open, rows: u64, packed: &[u8], out: &mut Vec<RecordBatch>) -> Result<()> {
        let bytes = open.header.codec.unpack(packed)?;
        let mut cursor = Cursor::new(&bytes);
        for row in 0..rows {
            open.action
                .run(&mut open.decoders, &mut cursor)
                .context(|| format!("row {}", self.rows + self.waiting as u64 + 1))?;
            self.waiting += 1;
            if self.waiting >= BATCH_ROWS || open.is_wide || row % LOOKED_AT_ROWS as u64 == 0 {
                let memory: usize = open.decoders.iter().flatten().map(Decoder::memory_bytes).sum();
                if self.waiting >= BATCH_ROWS || memory >= BATCH_BYTES {
                    out.push(self.batch(open)?);
                }
            }
        }
        if !cursor.rest().is_empty() {
            return Err(incorrect(&format!("{} bytes of a block belong to no row", cursor.rest().len())));
        }
        self.unknown += rows.saturating_mul(open.unknown_fields);
        Ok(())
    }

    /// The rows that wait.
    fn batch(&mut self, open: &mut Open) -> Result<RecordBatch> {
        // Rows of nothing may be any number.
        allocations::check_wanted()?;
        allocations::check_room(0)?;
        let rows = std::mem::take(&mut self.waiting);
        let arrays = open.decoders.iter_mut().map(|decoder| decoder.as_mut().map(Decoder::finish).transpose());
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let columns = self.wanted.iter().zip(&arrays).map(|(column, array)| {
            if let Some(flagged) = flagged_column(&column.name) {
                let at = self.wanted.index_of(flagged);
                let kind = at.map_or(&SqlType::Bool, |at| &self.wanted.0[at].kind);
                return Ok(flags_of(at.and_then(|at| arrays[at].as_ref()), kind, rows));
            }
            match array {
                Some(array) => adopt(array, &column.kind, &self.options)
                    .context(|| format!("column '{}', rows from {}", column.name, self.rows + 1)),
                None => Ok(default_array(&column.kind, rows)),
            }
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        self.rows += rows as u64;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(self.batch_schema.clone(), columns, &options)?)
    }

    fn end(&mut self) -> Result<Vec<RecordBatch>> {
        if self.read_bytes == 0 {
            return Ok(Vec::new());
        }
        if !self.held.is_empty() || self.open.is_none() {
            let what = if self.open.is_none() { "header" } else { "last block" };
            return Err(Error::new(
                ErrorCode::AVRO_EXCEPTION,
                format!("The Avro data ends before its end: its {what} is not there as a whole"),
            ));
        }
        match self.open.take() {
            Some(mut open) if self.waiting > 0 => Ok(vec![self.batch(&mut open)?]),
            _ => Ok(Vec::new()),
        }
    }

    fn located(&self, error: Error) -> Error {
        error.with_context(format!("(in file/uri {}, format {})", self.object, Format::Avro))
    }
}

impl Action {
    fn run(&self, decoders: &mut [Option<Decoder>], cursor: &mut Cursor<'_>) -> Result<()> {
        match self {
            Action::Skip(node) => skip(node, cursor),
            Action::Record(fields) => fields.iter().try_for_each(|field| field.run(decoders, cursor)),
            Action::Read(column) => match &mut decoders[*column] {
                Some(decoder) => decoder.read(cursor),
                None => Err(Error::logical("A column of Avro data has no decoder")),
            },
        }
    }
}

struct Plan<'a> {
    wanted: &'a Columns,
    known: &'a Columns,
    null_as_default: bool,
    decoders: Vec<Option<Decoder>>,
    unknown_fields: u64,
}

impl Plan<'_> {
    fn record(&mut self, node: &Arc<Node>, path: &str) -> Result<Action> {
        let Kind::Record(fields) = &node.kind else { return Err(Error::logical("A record of Avro is none")) };
        let fields = fields.iter().map(|(name, field)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            self.field(field, &path)
        });
        Ok(Action::Record(fields.collect::<Result<_>>()?))
    }

    fn field(&mut self, node: &Arc<Node>, path: &str) -> Result<Action> {
        if let Some(at) = self.wanted.index_of(path) {
            let column = &self.wanted.0[at];
            if let (Some((_, other)), false) = (node.nullable(), self.null_as_default || takes_null(&column.kind)) {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    format!(
                        "Cannot insert Avro Union(Null, {}) into non-nullable type {} of column '{path}'. To use default value on \
                         NULL, enable setting input_format_null_as_default",
                        other.name(),
                        column.kind
                    ),
                ));
            }
            let decoder = Decoder::new(node, &column.kind).context(|| format!("column '{path}'"))?;
            if self.decoders[at].replace(decoder).is_some() {
                return Err(incorrect(&format!("there are two fields '{path}'")));
            }
            return Ok(Action::Read(at));
        }
        if self.known.get(path).is_some() {
            return Ok(Action::Skip(node.clone()));
        }
        let within = format!("{path}.");
        if matches!(node.kind, Kind::Record(_)) && self.known.iter().any(|column| column.name.starts_with(&within)) {
            return self.record(node, path);
        }
        if self.known.iter().any(|column| column.name.starts_with(&within)) {
            return Err(Error::not_implemented(format!(
                "A column is to be a part of the Avro field '{path}', which is no record: read that as a whole and take the part of it"
            )));
        }
        self.unknown_fields += 1;
        Ok(Action::Skip(node.clone()))
    }
}

/// Types that have a NULL, or whose lack of one every reader takes as empty.
fn takes_null(kind: &SqlType) -> bool {
    kind.is_nullable() || *kind == SqlType::Nothing
}

fn field_names(schema: &Node) -> String {
    match &schema.kind {
        Kind::Record(fields) => fields.iter().map(|(name, _)| format!("'{name}'")).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

/// The columns of data that begins so.
pub(crate) fn columns_of_header(bytes: &[u8]) -> Result<Columns> {
    let (header, _) = Header::read(bytes)?.ok_or_else(|| incorrect("the data ends before its header does"))?;
    let Kind::Record(fields) = &header.schema.kind else { return Err(incorrect("the schema is of no record")) };
    columns_of_fields(fields.iter().map(|(name, node)| {
        let kind = node.sql_type().context(|| format!("column '{name}'"))?;
        Ok(Column::new(name, kind))
    }))
}

impl RowParser for AvroInput {
    fn push(&mut self, bytes: &[u8]) -> Result<Vec<RecordBatch>> {
        allocations::extend(&mut self.held, bytes)?;
        self.read_bytes += bytes.len() as u64;
        if self.held.len() < self.wanted_bytes {
            return Ok(Vec::new());
        }
        let mut out = Vec::new();
        self.decode(&mut out).map_err(|error| self.located(error)).map(|()| out)
    }

    fn finish(&mut self) -> Result<Vec<RecordBatch>> {
        self.end().map_err(|error| self.located(error))
    }

    fn skipped_rows(&self) -> u64 {
        0
    }

    fn unknown_fields(&self) -> u64 {
        self.unknown
    }
}
