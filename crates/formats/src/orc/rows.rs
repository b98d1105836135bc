//! The rows of a file, stripe by stripe: of the columns that are asked for, as they are decoded.
//!
//! Of a stripe the streams of these columns are unpacked together; nothing is read of the others.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{Field, Schema};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_introspect::Settings;
use gristmill_types::{Column, Columns, SqlType};
use parquet::file::reader::ChunkReader;

use super::decode::{Decoder, Streams};
use super::file::{Directory, Stripe};
use super::incorrect;
use super::schema::{Kind, Node, fields_of};
use super::timestamp::Clock;
use crate::columnar::FileBytes;
use crate::input::flagged_column;

/// Rows of a batch at most: with nested columns they may be many values.
const BATCH_ROWS: usize = 8192;

pub(crate) struct OrcRows {
    file: FileBytes,
    packing: super::unpack::Packing,
    columns: Vec<(String, Node, SqlType)>,
    reader_zone: String,
    batch_rows: usize,
    stripes: VecDeque<Stripe>,
    open: Option<Open>,
    /// Columns of the file that nobody asked for.
    pub left_out: usize,
}

/// A stripe that is read.
struct Open {
    decoders: Vec<(String, Decoder)>,
    rows: u64,
}

impl OrcRows {
    /// The columns of `wanted` that the file has, by the names that it has for them.
    pub fn new(file: FileBytes, wanted: &Columns, settings: &Settings) -> Result<Self> {
        let directory = Directory::of_file(&file)?;
        let any_case = settings.input_format_orc_case_insensitive_column_matching;
        let fields = fields_of(&directory)?;
        let all = fields.len();
        let matches = |name: &str, wanted: &str| name == wanted || any_case && name.eq_ignore_ascii_case(wanted);
        for column in wanted.iter().filter(|column| flagged_column(&column.name).is_none()) {
            if let Some((outer, _)) = column.name.split_once('.')
                && !fields.iter().any(|(name, _)| matches(name, &column.name))
                && fields.iter().any(|(name, node)| matches(name, outer) && structs_of(node).is_none())
            {
                return Err(Error::not_implemented(format!(
                    "Column '{}' is to be a part of the ORC column '{outer}': read that as a whole and take the part of it",
                    column.name
                )));
            }
        }
        let columns: Vec<_> = fields
            .into_iter()
            .filter_map(|(name, node)| {
                let column = wanted.iter().find(|column| matches(&name, &column.name));
                let kind =
                    column.map(|column| column.kind.clone()).or_else(|| nested_kind(&node, &name, wanted, any_case))?;
                Some((name, node, kind))
            })
            .collect();
        let batch_rows = usize::try_from(settings.input_format_orc_row_batch_size).unwrap_or(BATCH_ROWS);
        Ok(OrcRows {
            file,
            packing: directory.packing,
            left_out: all - columns.len(),
            columns,
            reader_zone: settings.input_format_orc_reader_time_zone_name.clone(),
            batch_rows: batch_rows.clamp(1, BATCH_ROWS),
            stripes: directory.stripes.into(),
            open: None,
        })
    }

    fn open(&self, stripe: Stripe) -> Result<Open> {
        if self.columns.is_empty() {
            return Ok(Open { decoders: Vec::new(), rows: stripe.rows });
        }
        let (footer, start, end) = stripe.footer(&self.file, &self.packing)?;
        let mut needed = HashSet::new();
        self.columns.iter().for_each(|(_, node, _)| note(node, &mut needed));
        let (mut at, mut bytes) = (start, HashMap::new());
        for stream in &footer.streams {
            let next = at.checked_add(stream.bytes).filter(|next| *next <= end);
            let next = next.ok_or_else(|| incorrect("the streams of a stripe are longer than it"))?;
            // Those of indexes are not looked at.
            if needed.contains(&stream.column) && stream.kind <= 5 {
                let packed = self.file.get_bytes(at, stream.bytes as usize)?;
                bytes.insert((stream.column, stream.kind), self.packing.unpack(&packed)?);
            }
            at = next;
        }
        let clock = Clock::new(&footer.zone, &self.reader_zone)?;
        let mut streams = Streams { bytes, encodings: footer.encodings, clock };
        let decoders = self.columns.iter().map(|(name, node, wanted)| {
            let decoder = Decoder::new(node, wanted, &mut streams).context(|| format!("column '{name}'"))?;
            Ok((name.clone(), decoder))
        });
        Ok(Open { decoders: decoders.collect::<Result<_>>()?, rows: stripe.rows })
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(open) = &mut self.open
                && open.rows > 0
            {
                let rows = open.rows.min(self.batch_rows as u64);
                open.rows -= rows;
                return open.batch(rows as usize).map(Some);
            }
            self.open = None;
            let Some(stripe) = self.stripes.pop_front() else { return Ok(None) };
            self.open = Some(self.open(stripe)?);
        }
    }
}

impl Open {
    fn batch(&mut self, rows: usize) -> Result<RecordBatch> {
        let arrays =
            self.decoders.iter_mut().map(|(name, decoder)| decoder.read(rows).context(|| format!("column '{name}'")));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        let fields = self.decoders.iter().zip(&arrays);
        let fields = fields.map(|((name, _), array)| Field::new(name, array.data_type().clone(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(schema, arrays, &options);
        batch.map_err(|error| Error::new(ErrorCode::INCORRECT_DATA, format!("Not a valid ORC file: {error}")))
    }
}

impl Iterator for OrcRows {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

/// The fields of a list of structs.
fn structs_of(node: &Node) -> Option<&[(String, Node)]> {
    let Kind::List(item) = &node.kind else { return None };
    let Kind::Struct(fields) = &item.kind else { return None };
    Some(fields)
}

/// The type to read a list of structs as, of which columns of a Nested are wanted one by one (`n.a`). `None`: it is no such
/// list, or nothing of it is wanted.
fn nested_kind(node: &Node, name: &str, wanted: &Columns, any_case: bool) -> Option<SqlType> {
    let is_it = |known: &str, wanted: &str| known == wanted || any_case && known.eq_ignore_ascii_case(wanted);
    let element = |(field, _): &(String, Node)| {
        let is_member = |column: &&Column| {
            column.name.split_once('.').is_some_and(|(outer, member)| is_it(name, outer) && is_it(field, member))
        };
        match &wanted.iter().find(is_member)?.kind {
            SqlType::Array(element) => Some((Some(field.clone()), (**element).clone())),
            _ => None,
        }
    };
    let elements: Vec<_> = structs_of(node)?.iter().filter_map(element).collect();
    (!elements.is_empty()).then(|| SqlType::Array(Box::new(SqlType::Tuple(elements))))
}

/// The columns that a type has streams of.
fn note(node: &Node, needed: &mut HashSet<u64>) {
    needed.insert(node.column);
    match &node.kind {
        Kind::List(item) => note(item, needed),
        Kind::Map(key, value) => {
            note(key, needed);
            note(value, needed);
        }
        Kind::Struct(fields) => fields.iter().for_each(|(_, field)| note(field, needed)),
        _ => {}
    }
}
