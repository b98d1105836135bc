//! One merge: neighbouring parts of a partition in, one part out, one commit that changes them for each other (M-1). If a
//! source is gone when it comes to the commit (another process merged it, the table was truncated), the merge gives up.
//!
//! Memory: a few decoded granules a source, the encoded pages of one row group, and the few rows that an engine's rule holds
//! back of the key under way.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use futures::stream::StreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::{Event, QueryContext, processes};
use serde_json::Value;

use super::rows::{Deduplicate, MergedRows};
use super::rules::{self, Purpose, Rule, Shape};
use crate::insert::writer::entry;
use crate::layout::Layout;
use crate::manifest::v1::{Operation, value};
use crate::manifest::{Change, Commit, PartEntry, RowsChange, State};
use crate::mutate;
use crate::part::v1::encode::Codec;
use crate::part::v1::writer::{granule_rows, row_group_rows};
use crate::part::{OpenPart, PartPlan, PartWriter, Sorted, WrittenPart};
use crate::projection;
use crate::read::evolve::traits_of;
use crate::read::stream::{Output, ScanShared, stream};
use crate::read::unit::{PartSelection, UnitLimits};
use crate::table::Core;
use crate::ttl::rows::TtlRows;

/// Rows that are copied and encoded at a time, and their bytes, about.
const BLOCK_ROWS: u64 = 65_536;
const BLOCK_BYTES: u64 = 32 << 20;
/// Bytes (as values in memory) that the sources of a merge hold together, about.
const READ_BYTES: u64 = 256 << 20;

/// Parts that this process merges: nobody else here takes them meanwhile.
pub struct Claim {
    core: Arc<Core>,
    pub parts: Vec<Arc<PartEntry>>,
}

impl Claim {
    /// `None` where one of them is being merged.
    pub fn take(core: &Arc<Core>, parts: Vec<Arc<PartEntry>>) -> Option<Claim> {
        let mut merging = core.merging.lock();
        if parts.iter().any(|part| merging.contains(&part.name)) {
            return None;
        }
        merging.extend(parts.iter().map(|part| part.name.clone()));
        Some(Claim { core: core.clone(), parts })
    }

    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut merging = self.core.merging.lock();
        for part in &self.parts {
            merging.remove(&part.name);
        }
        drop(merging);
        self.core.merge_ended();
    }
}

/// How to merge.
#[derive(Clone, Debug)]
pub struct MergeOptions {
    /// Leave one of the rows that are equal in these columns.
    pub deduplicate: Option<Arc<[usize]>>,
    /// The parts are all of their partition: rows that say that a key is deleted go.
    pub cleanup: bool,
    /// Columns computed at the same time.
    pub lanes: usize,
    /// Lets queries go first.
    pub yields: bool,
}

/// Merges the claimed parts. False: they changed meanwhile, nothing was done.
pub async fn merge(claim: &Claim, context: &Arc<QueryContext>, options: &MergeOptions) -> Result<bool> {
    let core = &claim.core;
    let state = core.pin(context).await?;
    if mutate::joined(&state, &claim.parts).is_none() || core.is_outdated() {
        return Ok(false);
    }
    core.stopped.check()?;
    let now = (context.env.now_ms() / 1000) as i64;
    let ttl = &core.layout.ttl;
    if !core.stopped.ttl() && claim.parts.iter().all(|part| ttl.is_expired(part, now)) {
        // No row is left, as the manifest knows: nothing is read.
        return commit(core, context, &claim.parts, None, false).await;
    }
    let ttl = (!core.stopped.ttl() && ttl.concerns(&claim.parts, now)).then_some(now);
    let started = context.env.instant();
    let counters = &context.counters;
    counters.add(Event::Merge, 1);
    counters.add(Event::MergedRows, claim.parts.iter().map(|part| part.rows).sum());
    counters.add(Event::MergedUncompressedBytes, claim.parts.iter().map(|part| part.uncompressed_bytes).sum());
    let written = write(core, &state, context, &claim.parts, (options, ttl)).await;
    let elapsed = context.env.instant().saturating_duration_since(started);
    counters.add(Event::MergeTotalMilliseconds, elapsed.as_millis() as u64);
    let Some((written, codec)) = written? else {
        // No row is left: the parts go, and nothing comes in their place.
        return commit(core, context, &claim.parts, None, false).await;
    };
    // As for an insert: the sweeper of another process may take the object for one that nobody will name.
    if elapsed.as_secs() > core.settings.orphan_grace_seconds / 2 {
        core.discard_all(written.objects()).await;
        return Err(Error::new(
            ErrorCode::TIMEOUT_EXCEEDED,
            format!("A merge of {} took more than half of orphan_grace_seconds: raise that setting", core.name()),
        ));
    }
    let keeps_rows = options.deduplicate.is_none() && !core.layout.engine.merges_rows() && ttl.is_none();
    commit(core, context, &claim.parts, Some((written, codec)), keeps_rows).await
}

async fn commit(
    core: &Arc<Core>,
    context: &Arc<QueryContext>,
    parts: &[Arc<PartEntry>],
    written: Option<(WrittenPart, String)>,
    keeps_rows: bool,
) -> Result<bool> {
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
        return Err(Error::logical("A merge of no parts"));
    };
    let ranges = ranges(&core.layout, parts)?;
    let now_ms = context.env.now_ms();
    let added = written.as_ref().map(|(part, codec)| {
        let entry = entry(part, ranges, first.min_block, last.max_block, now_ms);
        PartEntry { codec: codec.clone(), ..entry }
    });
    let decide = |state: &State| {
        let joined = mutate::joined(state, parts).filter(|_| !core.is_outdated());
        Ok(joined.map(|mutation| Change {
            operation: Operation::Merge,
            added: added.iter().map(|part| Arc::new(part.clone().mutated(mutation))).collect(),
            removed: parts.iter().map(|part| part.name.clone()).collect(),
            insert_id: None,
            block_hashes: Vec::new(),
            ledger: None,
            keeps_rows,
            rows: RowsChange::default(),
        }))
    };
    match core.manifest.commit(context, decide).await {
        Ok(Commit::Done(_)) => Ok(true),
        Ok(Commit::Nothing) => {
            discard(core, written.as_ref()).await;
            Ok(false)
        }
        // The object may be named by a version: it stays.
        Ok(Commit::Unknown(error)) => Err(error),
        Err(error) => {
            discard(core, written.as_ref()).await;
            Err(error)
        }
    }
}

async fn discard(core: &Core, written: Option<&(WrittenPart, String)>) {
    if let Some((written, _)) = written {
        core.discard_all(written.objects()).await;
    }
}

/// The merged rows as a part, and the codec that a rule of the TTL gives it; `None` where no row is left of them. `ttl`:
/// the rules are applied, by this time.
pub async fn write(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    parts: &[Arc<PartEntry>],
    (options, ttl): (&MergeOptions, Option<i64>),
) -> Result<Option<(WrittenPart, String)>> {
    let mut opened = Vec::with_capacity(parts.len());
    for part in parts {
        opened.push(context.cancellable(core.open_part(context, part)).await?);
    }
    let rows: u64 = parts.iter().map(|part| part.rows).sum();
    let row_bytes = (parts.iter().map(|part| part.uncompressed_bytes).sum::<u64>() / rows.max(1)).max(1);
    let limits = UnitLimits { granules: 16, bytes: (READ_BYTES / 2 / parts.len().max(1) as u64).max(1), streams: 1 };
    let streams = parts
        .iter()
        .zip(&opened)
        .map(|(part, open)| {
            let whole = PartSelection::of(part.clone(), open.clone(), Vec::from([0..open.granules()]));
            let outputs = (0..core.layout.columns.len()).map(Output::Stored).collect();
            let schema = core.layout.schema.clone();
            let shared = ScanShared::of_merge(core, state, whole, (outputs, schema), limits);
            stream(shared, context.clone()).boxed()
        })
        .collect();
    let shape = Shape::whole(&core.layout)?;
    let purpose = if options.cleanup { Purpose::Cleanup } else { Purpose::Keep };
    let compared = options.deduplicate.clone();
    let rule = rules::rule(&shape, purpose)?;
    let mut rows = Rows {
        schema: core.layout.schema.clone(),
        merged: MergedRows::open(shape.clone(), streams, options.lanes, rule.is_some()).await?,
        rule,
        deduplicate: compared.map(|columns| Deduplicate::new(shape, columns)).transpose()?,
        ttl: ttl.map(|now| TtlRows::new(&core.layout, now)).transpose()?,
        ended: false,
    };
    let mut plan = plan(core, context, parts, &opened, row_bytes, options)?;
    let now = (context.env.now_ms() / 1000) as i64;
    let codec = core.layout.ttl.codec(parts, now).filter(|_| !core.stopped.ttl());
    if let Some((codec, _)) = codec {
        plan.codec = codec;
    }
    let codec = codec.map_or_else(String::new, |(_, text)| text.to_string());
    if ttl.is_some() {
        let set = core.layout.ttl.sets_strings(&core.layout.columns);
        set.into_iter().for_each(|place| plan.text[place] = false);
    }
    let mut writer = PartWriter::create(context, &core.store, core.layout.clone(), plan).await?;
    writer.leave_out_skip_indexes(|_| !core.settings.materialize_skip_indexes_on_merge);
    let building = projection::merge::building(core, parts, options, ttl.is_some())?;
    writer.build_projections(context, &core.store, building);
    if let Some(now) = ttl {
        writer.ttl_applied(now);
    }
    let block_rows = (BLOCK_BYTES / row_bytes).clamp(1024, BLOCK_ROWS) as usize;
    match copy(&mut rows, &mut writer, context, core, block_rows, options).await {
        Ok(()) if writer.rows() == 0 => {
            writer.abort().await;
            Ok(None)
        }
        Ok(()) => {
            let mut written = writer.finish().await?;
            if let Err(error) =
                projection::merge::add(core, state, context, parts, options, &mut written, ttl.is_some()).await
            {
                core.discard_all(written.objects()).await;
                return Err(error);
            }
            Ok(Some((written, codec)))
        }
        Err(error) => {
            writer.abort().await;
            Err(error)
        }
    }
}

/// The rows that the new part gets: merged, made fewer by the engine's rule, without equal ones where that is asked for.
struct Rows {
    schema: SchemaRef,
    merged: MergedRows,
    rule: Option<Box<dyn Rule>>,
    deduplicate: Option<Deduplicate>,
    ttl: Option<TtlRows>,
    ended: bool,
}

impl Rows {
    /// About `target` rows, perhaps none; `None` at the end.
    async fn next(&mut self, target: usize) -> Result<Option<RecordBatch>> {
        if self.ended {
            return Ok(None);
        }
        let merged = self.merged.next(target).await?;
        self.ended = merged.is_none();
        let mut batch = match (merged, &mut self.rule) {
            (Some(merged), Some(rule)) => rule.push(&merged.rows, &merged.begins)?,
            (Some(merged), None) => merged.rows,
            (None, Some(rule)) => rule.finish()?,
            (None, None) => RecordBatch::new_empty(self.schema.clone()),
        };
        if let Some(deduplicate) = &mut self.deduplicate {
            batch = deduplicate.filter(&batch)?;
        }
        if let Some(ttl) = &mut self.ttl {
            batch = ttl.push(batch)?;
            if self.ended {
                batch = concat_batches(&self.schema, [&batch, &ttl.finish()?])?;
            }
        }
        Ok(Some(batch))
    }
}

async fn copy(
    merged: &mut Rows,
    writer: &mut PartWriter,
    context: &Arc<QueryContext>,
    core: &Core,
    block_rows: usize,
    options: &MergeOptions,
) -> Result<()> {
    while let Some(batch) = merged.next(block_rows).await? {
        context.check()?;
        core.stopped.check()?;
        if batch.num_rows() == 0 {
            continue;
        }
        let keys = core.layout.primary().iter().map(|key| key.evaluate(&batch)).collect::<Result<Vec<_>>>()?;
        let rows = batch.num_rows();
        writer.write(&Sorted { columns: batch.columns().to_vec(), keys, order: None, rows }).await?;
        if options.yields && !processes::snapshot().is_empty() {
            tokio::task::yield_now().await;
        }
    }
    Ok(())
}

fn plan(
    core: &Core,
    context: &QueryContext,
    parts: &[Arc<PartEntry>],
    opened: &[Arc<OpenPart>],
    row_bytes: u64,
    options: &MergeOptions,
) -> Result<PartPlan> {
    let first = parts.first().ok_or_else(|| Error::logical("A merge of no parts"))?;
    let settings = &core.settings;
    let granule_rows = granule_rows(row_bytes, settings.index_granularity, settings.index_granularity_bytes);
    let level = parts.iter().map(|part| part.level).max().unwrap_or_default() + 1;
    let places = 0..core.layout.columns.len();
    Ok(PartPlan {
        key: core.layout.new_object(context, &first.partition_id, level),
        partition_id: first.partition_id.clone(),
        partition: first.partition.clone(),
        level,
        codec: Codec::Zstd,
        granule_rows,
        row_group_rows: row_group_rows(row_bytes, granule_rows),
        text: places.clone().map(|at| opened.iter().all(|part| traits_of(part, &core.layout, at).0)).collect(),
        dictionaries: places.map(|at| opened.iter().all(|part| traits_of(part, &core.layout, at).1)).collect(),
        lanes: options.lanes,
        hashed: false,
    })
}

fn ranges(layout: &Layout, parts: &[Arc<PartEntry>]) -> Result<Vec<(Value, Value)>> {
    let columns = layout.partition_columns.iter().map(|&place| &layout.columns.0[place].kind);
    let kinds = columns.chain(layout.partition.iter().map(|key| &key.kind));
    kinds
        .enumerate()
        .map(|(at, kind)| {
            let ranges: Option<Vec<_>> = parts.iter().map(|part| part.ranges.get(at)).collect();
            let ranges = ranges.ok_or_else(|| {
                Error::new(ErrorCode::CORRUPTED_DATA, "The manifest lacks a part's range of the partition key")
            })?;
            value::union(kind, &ranges)
        })
        .collect()
}
