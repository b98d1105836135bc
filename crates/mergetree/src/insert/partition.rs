//! Splits the rows of a block by the partition key, and names partitions as ClickHouse does: the key's values in text
//! joined with `-` where all are integers or dates (`202401`, `3-7`), else a hash in hexadecimal, `all` without a key.

use std::collections::HashMap;
use std::ops::Range;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt32Array};
use arrow::datatypes::{Float32Type, Float64Type, Int16Type};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::PartitionChoice;
use gristmill_functions::hash::sip_128;
use gristmill_types::SqlType;
use gristmill_types::sql_type::quote;
use serde_json::Value;

use crate::index::order::KeyOrder;
use crate::layout::Layout;
use crate::manifest::v1::value::{self, to_json};

/// The id of the one partition of a table without a partition key.
const WHOLE: &str = "all";

/// Rows of a block, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Neighbours: they are taken without being copied.
    Run(Range<usize>),
    At(Vec<u32>),
}

/// The rows of a block that belong to one partition.
#[derive(Clone, Debug)]
pub struct PartitionRows {
    pub id: String,
    /// The key's value, for people.
    pub text: String,
    pub rows: Rows,
    /// See `PartEntry::ranges`.
    pub ranges: Vec<(Value, Value)>,
}

/// How many partitions the rows may fall into: `most` of them any `stretch` rows that follow one another. A block can be many
/// times as large as ClickHouse's, which has one for each stretch and its limit for a block.
#[derive(Clone, Copy, Debug)]
pub struct PartitionLimit {
    pub most: u64,
    pub stretch: usize,
}

impl PartitionLimit {
    fn is_passed(self, rows: usize, groups: &[Rows]) -> bool {
        if groups.len() as u64 <= self.most {
            return false;
        }
        let mut counts = vec![0u64; rows.div_ceil(self.stretch)];
        for group in groups {
            match group {
                Rows::Run(run) => {
                    (run.start / self.stretch..=(run.end - 1) / self.stretch).for_each(|stretch| counts[stretch] += 1);
                }
                Rows::At(positions) => {
                    let mut last = usize::MAX;
                    for position in positions {
                        let stretch = *position as usize / self.stretch;
                        if stretch != last {
                            counts[stretch] += 1;
                            last = stretch;
                        }
                    }
                }
            }
        }
        counts.into_iter().any(|count| count > self.most)
    }
}

/// Partitions in the order of their first rows.
pub fn split(layout: &Layout, batch: &RecordBatch, limit: Option<PartitionLimit>) -> Result<Vec<PartitionRows>> {
    if layout.partition.is_empty() {
        let (rows, ranges) = (Rows::Run(0..batch.num_rows()), Vec::new());
        return Ok(vec![PartitionRows { id: WHOLE.to_string(), text: "tuple()".to_string(), rows, ranges }]);
    }
    let values = layout.partition.iter().map(|key| key.evaluate(batch)).collect::<Result<Vec<_>>>()?;
    let kinds: Vec<&SqlType> = layout.partition.iter().map(|key| &key.kind).collect();
    let groups = group(&kinds, &values)?;
    if let Some(limit) = limit.filter(|limit| limit.is_passed(batch.num_rows(), &groups)) {
        let limit = limit.most;
        return Err(Error::new(
            ErrorCode::TOO_MANY_PARTS,
            format!(
                "Too many partitions for single INSERT block (more than {limit}). The limit is controlled by \
                 'max_partitions_per_insert_block' setting. Large number of partitions is a common misconception. It will \
                 lead to severe negative performance impact, including slow server startup, slow INSERT queries and slow \
                 SELECT queries. Recommended total number of partitions for a table is under 1000..10000. Please note, that \
                 partitioning is not intended to speed up SELECT queries (ORDER BY key is sufficient to make range queries \
                 fast). Partitions are intended for data manipulation (DROP PARTITION, etc)."
            ),
        ));
    }
    groups
        .into_iter()
        .map(|rows| {
            let first = rows.first();
            let ranges = ranges(layout, batch, &values, &rows)?;
            let id = partition_id(&kinds, &values, first)?;
            Ok(PartitionRows { id, text: partition_text(&kinds, &values, first)?, rows, ranges })
        })
        .collect()
}

/// The id of the partition that is chosen; `None`: all of them.
pub fn chosen_id(layout: &Layout, choice: &PartitionChoice) -> Result<Option<String>> {
    let values = match choice {
        PartitionChoice::All => return Ok(None),
        PartitionChoice::Id(id) => return Ok(Some(id.clone())),
        PartitionChoice::Value(_) if layout.partition.is_empty() => return Ok(Some(WHOLE.to_string())),
        PartitionChoice::Value(values) => values,
    };
    let kinds: Vec<&SqlType> = layout.partition.iter().map(|key| &key.kind).collect();
    let values = values.iter().map(|value| value.to_array_of_size(1)).collect::<Result<Vec<ArrayRef>, _>>()?;
    partition_id(&kinds, &values, 0).map(Some)
}

impl Rows {
    pub fn count(&self) -> usize {
        match self {
            Rows::Run(run) => run.len(),
            Rows::At(positions) => positions.len(),
        }
    }

    fn first(&self) -> usize {
        match self {
            Rows::Run(run) => run.start,
            Rows::At(positions) => positions.first().copied().unwrap_or_default() as usize,
        }
    }
}

/// The rows of each partition. Neighbours mostly share one, so runs of equal values are what is looked up.
fn group(kinds: &[&SqlType], values: &[ArrayRef]) -> Result<Vec<Rows>> {
    let runs = arrow::compute::partition(values)?.ranges();
    let firsts = UInt32Array::from_iter_values(runs.iter().map(|run| run.start as u32));
    let values = values.iter().map(|values| arrow::compute::take(values, &firsts, None)).collect::<Result<Vec<_>, _>>()?;
    let Some(keys) = KeyOrder::of_bits(kinds)?.rows(&values)? else { return Ok(Vec::new()) };
    let mut groups: Vec<Vec<Range<usize>>> = Vec::new();
    let mut known: HashMap<&[u8], usize> = HashMap::new();
    for (at, run) in runs.into_iter().enumerate() {
        let group = *known.entry(keys.row(at).data()).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(run);
    }
    let rows = |mut runs: Vec<Range<usize>>| match runs.len() {
        1 => Rows::Run(runs.remove(0)),
        _ => Rows::At(runs.into_iter().flatten().map(|row| row as u32).collect()),
    };
    Ok(groups.into_iter().map(rows).collect())
}

/// Least and greatest values of the partition key's columns among the rows, then the key's values themselves.
fn ranges(layout: &Layout, batch: &RecordBatch, values: &[ArrayRef], rows: &Rows) -> Result<Vec<(Value, Value)>> {
    let mut ranges = Vec::new();
    for &at in &layout.partition_columns {
        let column = batch.column(at);
        let column = match rows {
            Rows::Run(run) => column.slice(run.start, run.len()),
            Rows::At(positions) => arrow::compute::take(column, &UInt32Array::from(positions.clone()), None)?,
        };
        ranges.extend(value::range(&layout.columns.0[at].kind, &column, &column)?);
    }
    let first = rows.first();
    for value in values {
        let value = to_json(value, first)?;
        ranges.push((value.clone(), value));
    }
    Ok(ranges)
}

/// The name of the partition that a row with these values of the key belongs to.
pub fn partition_id(kinds: &[&SqlType], values: &[ArrayRef], row: usize) -> Result<String> {
    let integral = |kind: &&SqlType, value: &ArrayRef| {
        let plain = kind.plain();
        let number = plain.integer_bits().is_some_and(|(bits, _)| bits <= 64);
        let like_number = matches!(
            plain,
            SqlType::Date
                | SqlType::Date32
                | SqlType::DateTime(_)
                | SqlType::Bool
                | SqlType::IPv4
                | SqlType::Enum8(_)
                | SqlType::Enum16(_)
        );
        (number || like_number) && !value.is_null(row)
    };
    if !kinds.iter().zip(values).all(|(kind, value)| integral(kind, value)) {
        let mut bytes = Vec::new();
        for (kind, value) in kinds.iter().zip(values) {
            hashed_bytes(kind, value, row, &mut bytes)?;
        }
        return Ok(sip_128(&bytes).iter().map(|byte| format!("{byte:02x}")).collect());
    }
    let texts = kinds.iter().zip(values).map(|(kind, value)| match kind.plain() {
        SqlType::Date => Ok(value_text(kind, value, row, false)?.replace('-', "")),
        SqlType::Bool => Ok(u8::from(value.as_boolean().value(row)).to_string()),
        _ => match to_json(value, row)? {
            Value::Number(number) => Ok(number.to_string()),
            _ => Err(Error::logical(format!("A partition value of type {kind} is no number"))),
        },
    });
    Ok(texts.collect::<Result<Vec<_>>>()?.join("-"))
}

/// What ClickHouse hashes of a value: a number for its kind, and its bytes.
fn hashed_bytes(kind: &SqlType, array: &ArrayRef, row: usize, out: &mut Vec<u8>) -> Result<()> {
    const NULL: u8 = 0;
    const UNSIGNED: u8 = 1;
    const SIGNED: u8 = 2;
    const FLOAT: u8 = 3;
    const TEXT: u8 = 16;
    let text = |bytes: &[u8], out: &mut Vec<u8>| {
        out.push(TEXT);
        out.extend((bytes.len() as u64).to_le_bytes());
        out.extend(bytes);
    };
    if array.is_null(row) {
        out.push(NULL);
        return Ok(());
    }
    let fixed = || array.as_fixed_size_binary().value(row);
    match (kind.plain(), to_json(array, row)?) {
        (SqlType::String, _) => text(array.as_binary_view().value(row), out),
        (SqlType::FixedString(_) | SqlType::IPv6, _) => text(fixed(), out),
        (SqlType::Uuid, _) => {
            out.push(4);
            out.extend(fixed()[..8].iter().rev());
            out.extend(fixed()[8..].iter().rev());
        }
        (SqlType::Bool, value) => {
            out.push(UNSIGNED);
            out.extend(u64::from(value.as_bool().unwrap_or_default()).to_le_bytes());
        }
        (SqlType::IPv4, value) => {
            out.push(30);
            out.extend((value.as_u64().unwrap_or_default() as u32).to_le_bytes());
        }
        (SqlType::DateTime64(..), value) => {
            out.push(20);
            out.extend(value.as_i64().unwrap_or_default().to_le_bytes());
        }
        (SqlType::Float32, _) => {
            out.push(FLOAT);
            out.extend(f64::from(array.as_primitive::<Float32Type>().value(row)).to_le_bytes());
        }
        (SqlType::Float64, _) => {
            out.push(FLOAT);
            out.extend(array.as_primitive::<Float64Type>().value(row).to_le_bytes());
        }
        (kind, Value::Number(number)) => {
            let unsigned = matches!(kind, SqlType::Date | SqlType::DateTime(_))
                || kind.integer_bits().is_some_and(|(_, signed)| !signed);
            out.push(if unsigned { UNSIGNED } else { SIGNED });
            let value = number.as_i64().unwrap_or_else(|| number.as_u64().unwrap_or_default() as i64);
            out.extend(value.to_le_bytes());
        }
        // Wide integers and decimals: so many of their 32 bytes.
        (kind, Value::String(digits)) => {
            let (number, width) = match kind {
                SqlType::UInt128 => (4, 16),
                SqlType::Int128 => (5, 16),
                SqlType::UInt256 => (24, 32),
                SqlType::Int256 => (25, 32),
                SqlType::Decimal { precision: ..=9, .. } => (19, 4),
                SqlType::Decimal { precision: ..=18, .. } => (20, 8),
                SqlType::Decimal { precision: ..=38, .. } => (21, 16),
                _ => (23, 32),
            };
            let value = arrow::datatypes::i256::from_string(&digits).unwrap_or_default();
            out.push(number);
            out.extend(&value.to_le_bytes()[..width]);
        }
        (_, other) => text(other.to_string().as_bytes(), out),
    }
    Ok(())
}

fn partition_text(kinds: &[&SqlType], values: &[ArrayRef], row: usize) -> Result<String> {
    if let ([kind], [value]) = (kinds, values) {
        return value_text(kind, value, row, false);
    }
    let texts = kinds.iter().zip(values).map(|(kind, value)| value_text(kind, value, row, true));
    Ok(format!("({})", texts.collect::<Result<Vec<_>>>()?.join(",")))
}

fn value_text(kind: &SqlType, array: &ArrayRef, row: usize, quoted: bool) -> Result<String> {
    let text = match kind.plain() {
        _ if array.is_null(row) => return Ok(if quoted { "NULL" } else { "ᴺᵁᴸᴸ" }.to_string()),
        SqlType::String => String::from_utf8_lossy(array.as_binary_view().value(row)).into_owned(),
        SqlType::FixedString(_) => String::from_utf8_lossy(array.as_fixed_size_binary().value(row)).into_owned(),
        SqlType::Uuid => uuid::Uuid::from_slice(array.as_fixed_size_binary().value(row)).unwrap_or_default().to_string(),
        SqlType::Enum8(names) | SqlType::Enum16(names) => {
            let codes = arrow::compute::cast(array, &arrow::datatypes::DataType::Int16)?;
            names.name_of(codes.as_primitive::<Int16Type>().value(row)).unwrap_or_default().to_string()
        }
        SqlType::Date | SqlType::Date32 | SqlType::DateTime(_) => {
            ArrayFormatter::try_new(array, &FormatOptions::default())?.value(row).to_string().replace('T', " ")
        }
        _ => return Ok(ArrayFormatter::try_new(array, &FormatOptions::default())?.value(row).to_string()),
    };
    Ok(if quoted { quote(&text) } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_partitions_is_one_of_stretches_of_rows() {
        // Ten partitions one after another, ten rows each.
        let days: Vec<Rows> = (0..10).map(|day| Rows::Run(day * 10..day * 10 + 10)).collect();
        let limit = |most, stretch| PartitionLimit { most, stretch };
        assert!(limit(9, usize::MAX).is_passed(100, &days));
        assert!(!limit(10, usize::MAX).is_passed(100, &days));
        assert!(!limit(3, 20).is_passed(100, &days));
        // Rows 25 to 49 are of three.
        assert!(limit(2, 25).is_passed(100, &days));
        // In turns: any ten rows are of all.
        let turns: Vec<Rows> = (0..10).map(|first| Rows::At((0..10).map(|row| row * 10 + first).collect())).collect();
        assert!(limit(9, 10).is_passed(100, &turns));
        assert!(!limit(9, 9).is_passed(100, &turns));
    }
}
