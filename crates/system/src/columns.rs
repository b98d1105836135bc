//! `system.columns`.

use std::sync::Arc;

use gristmill_base::Result;
use gristmill_catalog::Table;
use gristmill_types::{SqlType, statistics};

use crate::Known;
use crate::rows::{Cell, table};
use crate::tables::{sees_column, shown_database, visible};

const STRUCTURE: &str = "database String, table String, name String, type String, position UInt64, default_kind String, \
    default_expression String, data_compressed_bytes UInt64, data_uncompressed_bytes UInt64, marks_bytes UInt64, \
    comment String, is_in_partition_key UInt8, is_in_sorting_key UInt8, is_in_primary_key UInt8, is_in_sampling_key UInt8, \
    compression_codec String, character_octet_length Nullable(UInt64), numeric_precision Nullable(UInt64), \
    numeric_precision_radix Nullable(UInt64), numeric_scale Nullable(UInt64), datetime_precision Nullable(UInt64), \
    statistics String, column String ALIAS name";

pub fn add(all: &mut Vec<Arc<dyn Table>>, known: &Known) -> Result<()> {
    let databases = known.databases.clone();
    all.push(table("system", "columns", "SystemColumns", STRUCTURE, move |context, rows| {
        let Some(databases) = databases.upgrade() else { return Ok(()) };
        for table in visible(&databases, context) {
            let definition = table.definition();
            let parts = table.parts();
            let partition = words(definition.partition_by.iter());
            let sampling = words(definition.sample_by.iter());
            let (sorting, primary) = (words(definition.sorting_key().iter()), words(definition.primary_key.iter()));
            for (i, column) in definition.columns.iter().enumerate() {
                if !sees_column(context, &definition, &column.name) {
                    continue;
                }
                let sizes = parts.iter().filter(|part| part.active).flat_map(|part| &part.columns);
                let (compressed, uncompressed) = sizes
                    .filter(|(name, _, _)| *name == column.name)
                    .fold((0, 0), |sums, (_, compressed, uncompressed)| (sums.0 + compressed, sums.1 + uncompressed));
                let (default_kind, default) = match &column.default {
                    Some((kind, expression)) => (kind.name(), expression.as_str()),
                    None => ("", ""),
                };
                let digits = Digits::of(&column.kind);
                let is_in = |key: &[String]| Cell::from(key.contains(&column.name));
                rows.push([
                    shown_database(&definition).into(),
                    (&definition.name).into(),
                    (&column.name).into(),
                    column.kind.to_string().into(),
                    (i + 1).into(),
                    default_kind.into(),
                    default.into(),
                    compressed.into(),
                    uncompressed.into(),
                    0_u64.into(),
                    (&column.comment).into(),
                    is_in(&partition),
                    is_in(&sorting),
                    is_in(&primary),
                    is_in(&sampling),
                    if column.codec.is_empty() { String::new() } else { format!("CODEC({})", column.codec) }.into(),
                    digits.octets.into(),
                    digits.precision.into(),
                    digits.radix.into(),
                    digits.scale.into(),
                    digits.datetime.into(),
                    column.statistics.iter().map(|word| statistics::name(word)).collect::<Vec<_>>().join(",").into(),
                ])?;
            }
        }
        Ok(())
    })?);
    Ok(())
}

/// The identifiers in expressions.
fn words<'a>(expressions: impl Iterator<Item = &'a String>) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    expressions.flat_map(|text| text.split(move |c| !is_word(c)).map(str::to_string)).collect()
}

/// What SQL's standard wants to know of a type.
#[derive(Default)]
pub struct Digits {
    pub octets: Option<u64>,
    pub precision: Option<u64>,
    pub radix: Option<u64>,
    pub scale: Option<u64>,
    pub datetime: Option<u64>,
}

impl Digits {
    pub fn of(kind: &SqlType) -> Digits {
        let mut digits = Digits::default();
        match kind.plain() {
            SqlType::FixedString(length) => digits.octets = Some(*length as u64),
            SqlType::Decimal { precision, scale } => {
                (digits.precision, digits.radix) = (Some(u64::from(*precision)), Some(10));
                digits.scale = Some(u64::from(*scale));
            }
            SqlType::Date | SqlType::Date32 | SqlType::DateTime(_) => digits.datetime = Some(0),
            SqlType::DateTime64(scale, _) => digits.datetime = Some(u64::from(*scale)),
            other => {
                let bits = if *other == SqlType::Bool { Some(8) } else { other.integer_bits().map(|(bits, _)| bits) };
                if let Some(bits) = bits {
                    (digits.precision, digits.radix) = (Some(u64::from(bits)), Some(2));
                    digits.scale = Some(0);
                }
            }
        }
        digits
    }
}
