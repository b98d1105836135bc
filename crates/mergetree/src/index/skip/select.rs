//! Leaves out granules of a part by its skip indexes.
//!
//! Indexes are asked one after the other, bounds first and the others by their size: each is asked only of units in which
//! a granule is left. The chunks of these units come out of memory or are read, near ones by one request, a few megabytes
//! at a time. A part that lacks an index is left as it is. Damage is not passed over: the error names part and index, and
//! the settings by which the query does without.

use std::collections::BTreeSet;
use std::sync::Arc;

use datafusion::common::DFSchema;
use datafusion::logical_expr::Expr;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::{Event, Gauge, QueryContext};

use super::chunk::Chunk;
use super::definition::{SkipIndex, SkipKind};
use super::disjunction::Disjunction;
use super::filter::FilterCondition;
use super::minmax::MinMaxCondition;
use super::set::SetCondition;
use crate::index::runs::{self, Runs};
use crate::manifest::{PartEntry, State};
use crate::part::OpenPart;
use crate::part::v1::header::{SkipChunk, SkipIndexHeader};
use crate::read::fetch::Fetch;
use crate::table::Core;

/// Bytes of chunks that are read at a time.
const READ_BYTES: u64 = 8 << 20;

#[derive(Debug)]
enum Question {
    MinMax(MinMaxCondition),
    Set(SetCondition),
    Filter(FilterCondition),
}

/// An index that can say something to a query's conditions.
#[derive(Debug)]
pub struct Useful {
    pub index: Arc<SkipIndex>,
    question: Question,
}

impl Useful {
    fn new(index: &Arc<SkipIndex>, columns: &DFSchema, filters: &[Expr]) -> Option<Useful> {
        let question = match index.kind {
            SkipKind::MinMax => Question::MinMax(MinMaxCondition::new(index, columns, filters)?),
            SkipKind::Set { .. } => Question::Set(SetCondition::new(index, columns, filters)?),
            _ => Question::Filter(FilterCondition::new(index, columns, filters)?),
        };
        Some(Useful { index: index.clone(), question })
    }

    /// As EXPLAIN shows the condition; filters have none that could be shown.
    pub fn condition(&self) -> Option<String> {
        match &self.question {
            Question::MinMax(condition) => Some(condition.text()),
            Question::Set(condition) => Some(condition.text().to_string()),
            Question::Filter(_) => None,
        }
    }

    fn check(&self, chunk: &Chunk) -> Vec<bool> {
        match &self.question {
            Question::MinMax(condition) => condition.check(chunk),
            Question::Set(condition) => condition.check(chunk),
            Question::Filter(condition) => condition.check(chunk),
        }
    }
}

/// The indexes that a query asks, in this order.
#[derive(Default)]
pub struct SkipSelector {
    pub useful: Vec<Useful>,
    /// Conditions under OR, of which several indexes know something together.
    disjunctions: Vec<Disjunction>,
}

/// Names out of a list as the settings have it: `a, b, `c d``.
fn names(list: &str) -> Vec<&str> {
    list.split(',').map(|name| name.trim().trim_matches('`')).filter(|name| !name.is_empty()).collect()
}

impl SkipSelector {
    /// `columns`: what filters are over.
    pub fn new(
        core: &Core,
        state: &State,
        columns: &DFSchema,
        filters: &[Expr],
        context: &QueryContext,
    ) -> Result<SkipSelector> {
        let settings = &context.settings;
        let ignored = names(&settings.ignore_data_skipping_indices);
        let asked = core
            .layout
            .skip_indexes
            .iter()
            .filter(|index| settings.use_skip_indexes && !ignored.contains(&index.definition.name.as_str()));
        let mut useful: Vec<Useful> = asked.filter_map(|index| Useful::new(index, columns, filters)).collect();
        let bytes = |useful: &Useful| -> u64 {
            let key = &useful.index.definition.key;
            state.parts.values().filter_map(|part| part.skip_indexes.get(key)).map(|(bytes, _)| bytes).sum()
        };
        useful.sort_by_cached_key(|useful| (useful.index.kind != SkipKind::MinMax, bytes(useful)));
        let mut disjunctions = Vec::new();
        if settings.use_skip_indexes && settings.use_skip_indexes_for_disjunctions && !core.layout.skip_indexes.is_empty() {
            for filter in filters {
                disjunctions.extend(Disjunction::new(core, state, filter, context)?);
            }
        }
        Ok(SkipSelector { useful, disjunctions })
    }

    /// Errors: INDEX_NOT_USED where `force_data_skipping_indices` names one that is not asked.
    pub fn check_forced(&self, state: &State, context: &QueryContext) -> Result<()> {
        for name in names(&context.settings.force_data_skipping_indices) {
            if !state.parts.is_empty() && !self.asks(name) {
                return Err(Error::new(
                    ErrorCode::INDEX_NOT_USED,
                    format!("Index `{name}` is not used and setting 'force_data_skipping_indices' contains it"),
                ));
            }
        }
        Ok(())
    }

    /// Whether an index of the name is among those asked.
    pub fn asks(&self, name: &str) -> bool {
        self.useful.iter().any(|useful| useful.index.definition.name == name)
            || self.disjunctions.iter().any(|disjunction| disjunction.asks(name))
    }

    pub fn is_empty(&self) -> bool {
        self.useful.is_empty() && self.disjunctions.is_empty()
    }

    /// Whether several indexes are asked together.
    pub fn combines(&self) -> bool {
        !self.disjunctions.is_empty()
    }

    /// Steps that `narrow` tells of.
    pub fn steps(&self) -> usize {
        self.useful.len() + usize::from(self.combines())
    }

    /// What is left of the part's granules after each step, the last being what is left in the end. Errors:
    /// CORRUPTED_DATA, those of reading.
    pub async fn narrow(
        &self,
        core: &Core,
        context: &Arc<QueryContext>,
        entry: &PartEntry,
        part: &OpenPart,
        granules: Runs,
    ) -> Result<(Vec<u64>, Runs)> {
        let started = context.env.instant();
        let _filtering = (!self.useful.is_empty()).then(|| Gauge::FilteringMarksWithSecondaryKeys.hold());
        let left = self.steps_left(&Asked { core, context, entry, part }, granules).await?;
        let spent = context.env.instant().saturating_duration_since(started).as_micros() as u64;
        context.counters.add(Event::FilteringMarksWithSecondaryKeysMicroseconds, spent);
        Ok(left)
    }

    pub(super) async fn steps_left(&self, asked: &Asked<'_>, mut granules: Runs) -> Result<(Vec<u64>, Runs)> {
        let mut marks = Vec::with_capacity(self.steps());
        for useful in &self.useful {
            if !granules.is_empty()
                && let Some(header) = asked.part.skip_index(&useful.index)
            {
                granules = Narrowing { asked, useful, header }.narrow(granules).await?;
            }
            marks.push(runs::count(&granules));
        }
        for disjunction in &self.disjunctions {
            granules = disjunction.narrow(asked, granules).await?;
        }
        if self.combines() {
            marks.push(runs::count(&granules));
        }
        Ok((marks, granules))
    }
}

/// The part that is asked about, and who asks.
pub(super) struct Asked<'a> {
    pub core: &'a Core,
    pub context: &'a Arc<QueryContext>,
    pub entry: &'a PartEntry,
    pub part: &'a OpenPart,
}

/// One index asked about one part.
struct Narrowing<'a> {
    asked: &'a Asked<'a>,
    useful: &'a Useful,
    header: &'a SkipIndexHeader,
}

impl Narrowing<'_> {
    async fn narrow(&self, granules: Runs) -> Result<Runs> {
        let Asked { core, context, entry, .. } = self.asked;
        let granularity = self.header.granularity as usize;
        let mut first_units = Vec::with_capacity(self.header.chunks.len());
        let mut units = 0;
        for chunk in &self.header.chunks {
            first_units.push(units);
            units += chunk.units as usize;
        }
        let chunk_of = |granule: usize| first_units.partition_point(|first| *first <= granule / granularity) - 1;
        let wanted: BTreeSet<usize> = granules.iter().cloned().flatten().step_over(granularity).map(chunk_of).collect();
        let mut passes = vec![false; units];
        let (object, key) = (Arc::from(core.store.location(&entry.key)), Arc::from(self.header.key.as_str()));
        let cache = &core.environment.skip_indexes;
        let mut missing: Vec<usize> = Vec::new();
        let mut note = |at: usize, chunk: &Chunk| {
            passes[first_units[at]..][..chunk.units].copy_from_slice(&self.useful.check(chunk));
        };
        for at in wanted {
            if let Some(chunk) = cache.get(&object, &key, at) {
                context.counters.add(Event::SkippingIndexCacheHits, 1);
                note(at, &chunk);
            } else {
                context.counters.add(Event::SkippingIndexCacheMisses, 1);
                missing.push(at);
            }
        }
        let mut missing = missing.as_slice();
        while !missing.is_empty() {
            let mut bytes = 0;
            let within = missing.iter().take_while(|at| {
                bytes += self.header.chunks[**at].length;
                bytes <= READ_BYTES
            });
            let (next, rest) = missing.split_at(within.count().max(1));
            missing = rest;
            for (at, chunk) in self.read(next).await? {
                note(at, &chunk);
                cache.put(&object, &key, at, chunk);
            }
        }
        Ok(runs::of(granules.into_iter().flatten().filter(|granule| passes[granule / granularity])))
    }

    async fn read(&self, chunks: &[usize]) -> Result<Vec<(usize, Arc<Chunk>)>> {
        let range = |chunk: &SkipChunk| chunk.offset..chunk.offset + chunk.length;
        let ranges = chunks.iter().map(|at| range(&self.header.chunks[*at])).collect();
        let Asked { core, context, entry, .. } = self.asked;
        let fetch = Fetch::start(context, &core.store, &entry.key, ranges)?;
        let (_, data, _memory) = fetch.wait(context).await?;
        let decode = |(at, data): (&usize, &bytes::Bytes)| {
            let index = &self.useful.index;
            let described = &self.header.chunks[*at];
            let decoded = Chunk::decode(index, data).and_then(|chunk| match chunk.units as u64 == described.units {
                true => Ok(chunk),
                false => Err(Error::new(ErrorCode::CORRUPTED_DATA, "it is of another number of units")),
            });
            decoded.map(|chunk| (*at, Arc::new(chunk))).map_err(|error| {
                let name = &index.definition.name;
                if error.code() == ErrorCode::UNSUPPORTED_PARAMETER {
                    return error.with_context(format!("the skip index {name} of part {}", entry.name));
                }
                Error::new(
                    ErrorCode::CORRUPTED_DATA,
                    format!(
                        "The skip index {name} of part {} is damaged in the bytes from {} to {}: {}. ALTER TABLE … CLEAR INDEX and \
                         MATERIALIZE INDEX make it anew; with ignore_data_skipping_indices = '{name}' a query does without it",
                        entry.name,
                        described.offset,
                        described.offset + described.length,
                        error.message()
                    ),
                )
            })
        };
        chunks.iter().zip(&data).map(decode).collect()
    }
}

/// Of ascending numbers those that are the first of their unit among them.
trait StepOver: Iterator<Item = usize> + Sized {
    fn step_over(self, unit: usize) -> impl Iterator<Item = usize> {
        let mut last = None;
        self.filter(move |number| last.replace(number / unit) != Some(number / unit))
    }
}

impl<I: Iterator<Item = usize>> StepOver for I {}
