//! TTL: what becomes of rows when their time has come.
//!
//! A rule gives each row a time, in whole seconds; from then on the row has *expired* under the rule: it goes, or it
//! becomes one with its neighbours of the same key (`aggregate`), or a column of it gets its default. A row whose time is
//! the epoch itself never expires, as in ClickHouse: that is the value of a date that nobody gave. Rows are changed where
//! parts are rewritten anyway, by merges and by the mutation MATERIALIZE TTL (`rows`); until then they are still read.
//!
//! The manifest keeps for every part and rule the least and the greatest time of its rows (`ranges`, collected by the
//! writer of the part whoever writes it). From that alone, without reading, follows which parts have to be merged for
//! their TTL (`select`), whether a merge has to look at rows one by one, and that a part of which all rows have expired
//! goes as a whole. Rules are known by the texts that they had first: a part that was written before ALTER … MODIFY TTL
//! has no times for the new rule, which counts as expired until somebody looked; ALTER … RENAME COLUMN makes no new rule.
//!
//! The rules are applied in ClickHouse's order: deletes, GROUP BY, columns.

mod aggregate;
pub mod older;
pub mod ranges;
pub mod rows;
pub mod select;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array};
use arrow::datatypes::{DataType, SchemaRef, TimeUnit, TimestampSecondType};
use gristmill_base::{Result, ResultExt};
use gristmill_catalog::ttl::column_text;
use gristmill_catalog::{KeyExpression, PartTtlRow, TableDefinition, TtlAction, Wanted};
use gristmill_introspect::QueryContext;
use gristmill_types::{Columns, DefaultKind, SqlType, codec};

use crate::environment::MergeTreeEnvironment;
use crate::located::Located;
use crate::manifest::PartEntry;
use crate::part::v1::encode::Codec;
use crate::part::v1::storage_type::has_strings;
use aggregate::Aggregation;
use older::{Kept, Sources};

/// The rules of a table, ready to be computed.
#[derive(Debug, Default)]
pub struct Ttl {
    pub rules: Vec<Rule>,
}

#[derive(Debug)]
pub struct Rule {
    /// How the manifest names it: the text that the rule had first.
    pub key: String,
    /// The expression of its time, as written.
    pub expression: String,
    time: Located,
    condition: Option<Located>,
    pub action: Action,
    /// What of its columns the manifest knows.
    sources: Sources,
    /// Of all columns of the table.
    schema: SchemaRef,
}

#[derive(Debug)]
pub enum Action {
    /// With a condition only where the rule has one.
    Delete,
    Aggregate(Aggregation),
    Recompress {
        codec: Codec,
        /// As the manifest says that a part has it.
        text: String,
    },
    /// The column at the place gets its default.
    Reset {
        place: usize,
        default: Option<Located>,
    },
}

/// Of the columns and the sorting key that rules are compiled over.
pub struct Shape<'a> {
    pub columns: &'a Columns,
    /// By column, where the manifest keeps its bounds, of dates and times.
    pub kept: &'a [Option<Kept>],
    pub sorting: &'a [KeyExpression],
}

impl Ttl {
    /// Errors: those of the expressions.
    pub fn compile(
        definition: &TableDefinition,
        shape: &Shape<'_>,
        environment: &MergeTreeEnvironment,
        context: &QueryContext,
    ) -> Result<Ttl> {
        let (declared, columns) = (&definition.columns, shape.columns);
        let value = |text: &str, kind: &SqlType| -> Result<Located> {
            Located::new(environment.compile(text, Wanted::Value(kind), declared, context)?, columns)
        };
        let time = |text: &str| -> Result<Located> {
            let compiled = environment.compile(text, Wanted::Time, declared, context);
            Located::new(compiled.context(|| format!("in the TTL {text}"))?, columns)
        };
        let mut rules = Vec::new();
        for rule in &definition.ttl.rules {
            let mut condition = None;
            let action = match &rule.action {
                TtlAction::Delete { condition: written } => {
                    if let Some(text) = written {
                        let compiled = environment.compile(text, Wanted::Condition, declared, context)?;
                        condition = Some(Located::new(compiled, columns)?);
                    }
                    Action::Delete
                }
                TtlAction::GroupBy { keys, set } => {
                    Action::Aggregate(Aggregation::compile(keys.len(), set, declared, shape, environment, context)?)
                }
                // Its parts are where it sends them.
                TtlAction::Move { .. } => continue,
                TtlAction::Recompress { codec } => Action::Recompress { codec: codec_of(codec)?, text: codec.clone() },
            };
            let expression = rule.expression.clone();
            let key = definition.ttl.key(&rule.text());
            let time = time(&expression)?;
            let (sources, schema) = (Sources::of(&time, columns, shape.kept), columns.arrow());
            rules.push(Rule { key, time, expression, condition, action, sources, schema });
        }
        for (name, expression) in &definition.ttl.columns {
            // The value of an ALIAS is nowhere kept.
            let Some(place) = columns.index_of(name) else { continue };
            let column = &columns.0[place];
            let default = match &column.default {
                Some((DefaultKind::Default | DefaultKind::Materialized, text)) if !text.is_empty() => {
                    Some(value(text, &column.kind).context(|| format!("in the default of column {name}"))?)
                }
                _ => None,
            };
            let time = time(expression)?;
            rules.push(Rule {
                key: definition.ttl.key(&column_text(name, expression)),
                expression: expression.clone(),
                sources: Sources::of(&time, columns, shape.kept),
                schema: columns.arrow(),
                time,
                condition: None,
                action: Action::Reset { place, default },
            });
        }
        Ok(Ttl { rules })
    }

    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// By rule: places of the columns that it looks at.
    pub fn places(&self) -> Vec<Vec<usize>> {
        let condition = |rule: &Rule| rule.condition.as_ref().map_or_else(Vec::new, |condition| condition.places.clone());
        self.rules.iter().map(|rule| [rule.time.places.clone(), condition(rule)].concat()).collect()
    }

    /// Whether a merge of the parts has to look at their rows: some expired, or nobody has looked yet.
    pub fn concerns(&self, parts: &[Arc<PartEntry>], now: i64) -> bool {
        let rules = self.rules.iter().filter(|rule| !matches!(rule.action, Action::Recompress { .. }));
        rules.into_iter().any(|rule| {
            parts.iter().any(|part| match rule.range(part) {
                None => true,
                Some(range) => range.min.is_some_and(|min| min <= now),
            })
        })
    }

    /// Whether all rows of the part go.
    pub fn is_expired(&self, part: &PartEntry, now: i64) -> bool {
        let deletes = self.rules.iter().filter(|rule| matches!(rule.action, Action::Delete) && rule.condition.is_none());
        let max = |rule: &Rule| rule.range(part)?.max;
        deletes.into_iter().filter_map(max).any(|max| max <= now)
    }

    /// When something has to be done with the part's rows, in seconds; `None`: never.
    pub fn due(&self, part: &PartEntry) -> Option<i64> {
        let due = |rule: &Rule| match (rule.range(part), &rule.action) {
            (None, _) => Some(i64::MIN),
            (Some(range), Action::Recompress { .. }) => range.max,
            (Some(range), _) => range.pending,
        };
        self.rules.iter().filter(|rule| !self.has_codec(part, rule)).filter_map(due).min()
    }

    /// Whether the part is compressed as the rule says, or as one that comes later says.
    fn has_codec(&self, part: &PartEntry, rule: &Rule) -> bool {
        let Action::Recompress { text, .. } = &rule.action else { return false };
        let max = |rule: &Rule| rule.range(part).and_then(|range| range.max);
        *text == part.codec
            || self.rules.iter().any(|other| {
                matches!(&other.action, Action::Recompress { text, .. } if *text == part.codec) && max(other) > max(rule)
            })
    }

    /// The codec for a part made of these, and its text; `None`: the usual one.
    pub fn codec(&self, parts: &[Arc<PartEntry>], now: i64) -> Option<(Codec, &str)> {
        let expired = self.rules.iter().filter_map(|rule| {
            let Action::Recompress { codec, text } = &rule.action else { return None };
            // The new part is as old as its youngest row.
            let times = parts.iter().map(|part| rule.range(part)?.max).collect::<Option<Vec<i64>>>()?;
            let max = times.into_iter().max().filter(|max| *max <= now)?;
            Some((max, (*codec, text.as_str())))
        });
        expired.max_by_key(|(max, _)| *max).map(|(_, codec)| codec)
    }

    /// The codec that a rule gave the part.
    pub fn codec_of_part(&self, part: &PartEntry) -> Option<Codec> {
        let mut codecs = self.rules.iter().filter_map(|rule| match &rule.action {
            Action::Recompress { codec, text } if *text == part.codec => Some(*codec),
            _ => None,
        });
        codecs.next()
    }

    /// For `system.parts`.
    pub fn row(&self, part: &PartEntry) -> PartTtlRow {
        let mut row = PartTtlRow::default();
        for rule in &self.rules {
            let Some(range) = rule.range(part) else { continue };
            let shown = |time: Option<i64>| time.map_or(0, |time| time.clamp(0, i64::from(u32::MAX)) as u64);
            let (min, max) = (shown(range.min), shown(range.max.or(range.min)));
            let list = match &rule.action {
                Action::Delete if rule.condition.is_none() => {
                    row.delete = (min, max);
                    continue;
                }
                Action::Delete => &mut row.delete_where,
                Action::Aggregate(_) => &mut row.group_by,
                Action::Recompress { .. } => &mut row.recompress,
                Action::Reset { .. } => continue,
            };
            list.push((rule.expression.clone(), min, max));
        }
        row
    }

    /// Columns of strings whose new values are not known to be text.
    pub fn sets_strings(&self, columns: &Columns) -> Vec<usize> {
        let set = self.rules.iter().flat_map(|rule| match &rule.action {
            Action::Reset { place, default: Some(_) } => vec![*place],
            Action::Aggregate(aggregation) => aggregation.computed().collect(),
            _ => Vec::new(),
        });
        set.filter(|place| has_strings(&columns.0[*place].kind)).collect()
    }
}

/// What Parquet has for a codec of RECOMPRESS or of a table's default: its compression. (What orders values before it, such
/// as Delta, is for single columns.)
pub fn codec_of(text: &str) -> Result<Codec> {
    let (steps, _) = codec::parse(text, &SqlType::String, true)?;
    let compression = |step: &codec::Codec| match step {
        codec::Codec::Default => Some(Codec::Zstd),
        codec::Codec::None => Some(Codec::Uncompressed),
        codec::Codec::Lz4 | codec::Codec::Lz4Hc(_) => Some(Codec::Lz4),
        codec::Codec::Zstd(level) => Some(Codec::ZstdAt((*level).max(1) as i32)),
        _ => None,
    };
    Ok(steps.iter().rev().find_map(compression).unwrap_or(Codec::Zstd))
}

/// Times in seconds since the Unix epoch, 0 for NULL.
fn seconds(times: &ArrayRef) -> Result<Int64Array> {
    let times = arrow::compute::cast(times, &DataType::Timestamp(TimeUnit::Second, None))?;
    let times = times.as_primitive::<TimestampSecondType>();
    Ok(Int64Array::from_iter_values((0..times.len()).map(|row| if times.is_null(row) { 0 } else { times.value(row) })))
}

/// Whether a row of that time has expired.
fn has_expired(time: i64, now: i64) -> bool {
    time != 0 && time <= now
}

impl Rule {
    /// By row of the batch: whether it has expired, and fulfils the condition.
    fn expired(&self, batch: &arrow::array::RecordBatch, now: i64) -> Result<arrow::array::BooleanArray> {
        let times = seconds(&self.time.evaluate(batch)?)?;
        let expired = arrow::array::BooleanArray::from_unary(&times, |time| has_expired(time, now));
        match &self.condition {
            Some(condition) if expired.true_count() > 0 => Ok(arrow::compute::and(&expired, &condition.mask(batch)?)?),
            _ => Ok(expired),
        }
    }
}
