//! A block: its head, and its columns one after another.

use std::borrow::Cow;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use bytes::Bytes;
use futures::Stream;
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_types::binary::{read_type, write_type};
use gristmill_types::cast::{CastOptions, cast};
use gristmill_types::default::default_array;
use gristmill_types::{Column, Columns, SqlType};

use crate::input::omitted::{flagged_column, flags_of};

use super::bytes::{ByteReader, write_string};
use super::{decode, encode};

/// Columns of a block.
const COLUMNS_MAX: u64 = 100_000;
/// Rows of a block.
const ROWS_MAX: u64 = 1 << 27;
/// Bytes of a column's name, and of its type.
const NAME_BYTES_MAX: usize = 1 << 20;

/// The revision of the protocol that both sides speak; 0 in files. Named here is what depends on it in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(pub u64);

impl Revision {
    const ZONE_IN_DATETIME: u64 = 54337;
    const LOW_CARDINALITY: u64 = 54405;
    const CUSTOM_SERIALIZATION: u64 = 54454;
    const OUT_OF_ORDER_BUCKETS: u64 = 54480;

    /// The revision of files.
    pub const FILE: Revision = Revision(0);

    /// The type as such a reader takes it.
    fn kind<'a>(self, kind: &'a SqlType) -> Cow<'a, SqlType> {
        if self.0 > 0 && self.0 < Self::LOW_CARDINALITY {
            Cow::Owned(without_dictionaries(kind))
        } else {
            Cow::Borrowed(kind)
        }
    }

    /// The type's name as such a reader takes it.
    fn type_name(self, kind: &SqlType) -> String {
        match kind {
            SqlType::DateTime(Some(_)) if self.0 < Self::ZONE_IN_DATETIME => "DateTime".to_string(),
            kind => kind.to_string(),
        }
    }
}

/// LowCardinality is plain in memory, so that only the type has to change.
fn without_dictionaries(kind: &SqlType) -> SqlType {
    use SqlType as T;
    let inner = |kind: &SqlType| Box::new(without_dictionaries(kind));
    match kind {
        T::LowCardinality(plain) => without_dictionaries(plain),
        T::Array(element) => T::Array(inner(element)),
        T::Nested(array) => T::Nested(inner(array)),
        T::Map(key, value) => T::Map(inner(key), inner(value)),
        T::Tuple(fields) => T::Tuple(fields.iter().map(|(name, kind)| (name.clone(), without_dictionaries(kind))).collect()),
        T::SimpleAggregateFunction(name, plain) => T::SimpleAggregateFunction(name.clone(), inner(plain)),
        other => other.clone(),
    }
}

/// How the types of columns are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TypesAs {
    Text,
    Binary,
}

impl TypesAs {
    pub fn of(in_binary: bool) -> TypesAs {
        if in_binary { TypesAs::Binary } else { TypesAs::Text }
    }
}

fn write_info(revision: Revision, out: &mut Vec<u8>) {
    if revision.0 == 0 {
        return;
    }
    // No overflow row, no bucket.
    out.extend_from_slice(&[1, 0, 2]);
    out.extend_from_slice(&(-1i32).to_le_bytes());
    if revision.0 >= Revision::OUT_OF_ORDER_BUCKETS {
        out.extend_from_slice(&[3, 0]);
    }
    out.push(0);
}

/// Appends a block: the columns with the batch's rows, or (`None`) without any. The batch carries the columns.
pub fn write_block(columns: &Columns, batch: Option<&RecordBatch>, revision: Revision, out: &mut Vec<u8>) -> Result<()> {
    write_block_as(columns, batch, revision, TypesAs::Text, out)
}

/// As `write_block`, with types in that form.
pub(super) fn write_block_as(
    columns: &Columns,
    batch: Option<&RecordBatch>,
    revision: Revision,
    types: TypesAs,
    out: &mut Vec<u8>,
) -> Result<()> {
    write_info(revision, out);
    let rows = batch.map_or(0, RecordBatch::num_rows);
    encode::counts(columns.len(), rows, out);
    for (at, column) in columns.iter().enumerate() {
        let kind = revision.kind(&column.kind);
        write_string(column.name.as_bytes(), out);
        match types {
            TypesAs::Text => write_string(revision.type_name(&kind).as_bytes(), out),
            TypesAs::Binary => write_type(&kind, out)?,
        }
        if revision.0 >= Revision::CUSTOM_SERIALIZATION {
            out.push(0);
        }
        if let Some(batch) = batch.filter(|_| rows > 0) {
            encode::prefix(&kind, out);
            encode::data(&kind, batch.column(at), out).context(|| format!("in column {}", column.name))?;
        }
    }
    Ok(())
}

/// How many bytes the values of a column are, without what stands before them.
pub fn values_bytes(kind: &SqlType, array: &ArrayRef) -> Result<usize> {
    let mut bytes = Vec::new();
    encode::data(kind, array, &mut bytes)?;
    Ok(bytes.len())
}

/// A block that was read.
#[derive(Debug, Clone)]
pub struct Block {
    pub columns: Columns,
    pub rows: usize,
    /// Each carries its column.
    pub arrays: Vec<ArrayRef>,
}

impl Block {
    /// No columns and no rows: the end of data.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty() && self.rows == 0
    }

    /// Bytes in memory.
    pub fn memory_bytes(&self) -> u64 {
        self.arrays.iter().map(|array| array.get_array_memory_size() as u64).sum()
    }

    /// The rows as other columns: matched by name, converted, defaults where the block has none. `skip_unknown`: columns that
    /// nobody wants are left out. Errors: THERE_IS_NO_COLUMN for those otherwise, and the errors of casts.
    pub fn adopt(
        &self,
        wanted: &Columns,
        schema: &SchemaRef,
        skip_unknown: bool,
        options: &CastOptions,
    ) -> Result<RecordBatch> {
        if let Some(unknown) = self.columns.iter().find(|column| !skip_unknown && wanted.get(&column.name).is_none()) {
            return Err(Error::new(
                ErrorCode::THERE_IS_NO_COLUMN,
                format!(
                    "The block has a column {} that is not among those to be inserted: {}",
                    unknown.name,
                    wanted.names().join(", ")
                ),
            ));
        }
        let arrays = wanted
            .iter()
            .map(|column| match self.columns.index_of(&column.name) {
                None if let Some(of) = flagged_column(&column.name) => {
                    let array = self.columns.index_of(of).map(|at| &self.arrays[at]);
                    let kind = wanted.get(of).map_or(&column.kind, |column| &column.kind);
                    Ok(flags_of(array, kind, self.rows))
                }
                Some(at) => cast(&self.arrays[at], &self.columns.0[at].kind, &column.kind, options)
                    .context(|| format!("while converting column {} of the block to {}", column.name, column.kind)),
                None => Ok(default_array(&column.kind, self.rows)),
            })
            .collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        Ok(RecordBatch::try_new_with_options(schema.clone(), arrays, &options)?)
    }
}

/// Reads a block. `None`: the data is at its end. Errors: INCORRECT_DATA and others where it is no block,
/// ATTEMPT_TO_READ_AFTER_EOF where it ends within one, TOO_LARGE_ARRAY_SIZE, NOT_IMPLEMENTED.
pub async fn read_block<S>(reader: &mut ByteReader<S>, revision: Revision) -> Result<Option<Block>>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    read_block_as(reader, revision, TypesAs::Text).await
}

/// As `read_block`, with types in that form.
pub(super) async fn read_block_as<S>(reader: &mut ByteReader<S>, revision: Revision, types: TypesAs) -> Result<Option<Block>>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    reader.begin();
    if reader.at_end().await? {
        return Ok(None);
    }
    read_info(reader, revision).await?;
    let count = bounded(reader.varuint().await?, COLUMNS_MAX, "columns")?;
    let rows = bounded(reader.varuint().await?, ROWS_MAX, "rows")?;
    if count == 0 && rows > 0 {
        return Err(Error::new(ErrorCode::INCORRECT_DATA, format!("A block has {rows} rows and no columns")));
    }
    let mut columns: Vec<Column> = Vec::new();
    let mut arrays = Vec::new();
    for _ in 0..count {
        let name = reader.string(NAME_BYTES_MAX).await?;
        let kind = match types {
            TypesAs::Text => reader.string(NAME_BYTES_MAX).await?.parse::<SqlType>(),
            TypesAs::Binary => binary_type(reader).await,
        };
        let kind = kind.context(|| format!("in column {name} of a block"))?;
        let is_sparse = revision.0 >= Revision::CUSTOM_SERIALIZATION && read_kind(reader, &name, &kind).await?;
        let array = if rows == 0 {
            default_array(&kind, 0)
        } else {
            decode::prefix(reader, &kind).await?;
            let read =
                if is_sparse { decode::sparse(reader, &kind, rows).await } else { decode::data(reader, &kind, rows).await };
            read.context(|| format!("in column {name} of a block"))?
        };
        columns.push(Column::new(name, kind));
        arrays.push(array);
    }
    Ok(Some(Block { columns: Columns::new(columns), rows, arrays }))
}

async fn binary_type<S>(reader: &mut ByteReader<S>) -> Result<SqlType>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    loop {
        let mut length = 0;
        if let Some(kind) = read_type(reader.held(), &mut length)? {
            reader.advance(length);
            return Ok(kind);
        }
        if reader.held().len() > NAME_BYTES_MAX {
            return Err(Error::new(ErrorCode::INCORRECT_DATA, format!("A type has more than {NAME_BYTES_MAX} bytes")));
        }
        reader.more().await?;
    }
}

fn bounded(value: u64, most: u64, what: &str) -> Result<usize> {
    if value > most {
        let text = format!("A block has {value} {what}, and {most} are the most: send smaller blocks");
        return Err(Error::new(ErrorCode::TOO_LARGE_ARRAY_SIZE, text));
    }
    Ok(value as usize)
}

async fn read_info<S>(reader: &mut ByteReader<S>, revision: Revision) -> Result<()>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    if revision.0 == 0 {
        return Ok(());
    }
    // Every field comes at most once.
    for _ in 0..4 {
        match reader.varuint().await? {
            0 => return Ok(()),
            1 => drop(reader.byte().await?),
            2 => drop(reader.i32().await?),
            3 => {
                for _ in 0..bounded(reader.varuint().await?, COLUMNS_MAX, "buckets")? {
                    reader.i32().await?;
                }
            }
            other => {
                return Err(Error::new(
                    ErrorCode::INCORRECT_DATA,
                    format!("A block's head has a field {other}, which is not known"),
                ));
            }
        }
    }
    Err(Error::new(ErrorCode::INCORRECT_DATA, "A block's head does not end"))
}

/// Whether a column is sparse. NOT_IMPLEMENTED for the other kinds, which a writer must not choose unless it was asked to.
async fn read_kind<S>(reader: &mut ByteReader<S>, name: &str, kind: &SqlType) -> Result<bool>
where
    S: Stream<Item = Result<Bytes>> + Unpin + Send,
{
    if reader.byte().await? == 0 {
        return Ok(false);
    }
    match reader.byte().await? {
        // A tuple says it of each of its parts.
        _ if matches!(kind.storage(), SqlType::Tuple(_)) => {
            Err(Error::not_implemented(format!("Column {name} is a tuple in a serialization of its own")))
        }
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Error::not_implemented(format!("Column {name} came in the serialization of kind {other}"))),
    }
}
