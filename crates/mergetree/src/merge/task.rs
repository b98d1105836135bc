//! One merge: neighbouring parts of a partition in, one part out, one commit that changes them for each other (M-1). If a
//! source is gone when it comes to the commit (another process merged it, the table was truncated), the merge gives up.
//!
//! Rows come merged (`rows`), made fewer by the engine's rule and the TTL; all columns of them at once (horizontal), or
//! those that decide first and the others behind (`vertical`).
//!
//! Memory: a few decoded granules a source, the encoded pages of one row group, and the few rows that an engine's rule holds
//! back of the key under way.

use std::sync::Arc;
use std::time::Instant;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use arrow::datatypes::SchemaRef;
use gristmill_base::allocations::{Tally, counted_for_part};
use gristmill_base::{Error, ErrorCode, Result, spending};
use gristmill_introspect::{Event, QueryContext};
use gristmill_types::measure::batch_bytes;
use serde_json::Value;

use super::list::{self, Algorithm, Reason, Running};
use super::pool::{self, Courtesy};
use super::rows::{Deduplicate, MergedRows, SortedRows};
use super::rules::{self, Purpose, Rule, Shape};
use super::sources::Sources;
use super::{log, vertical};
use crate::insert::writer::entry;
use crate::layout::Layout;
use crate::manifest::v1::{Operation, value};
use crate::manifest::{Change, Commit, PartEntry, RowsChange, State};
use crate::mutate;
use crate::part::v1::writer::{granule_rows, row_group_rows};
use crate::part::{PartPlan, PartWriter, Sorted, WrittenPart};
use crate::projection;
use crate::read::evolve::traits_of;
use crate::table::Core;
use crate::ttl::rows::TtlRows;

/// Rows that are copied and encoded at a time, and their bytes, about.
const BLOCK_ROWS: u64 = 65_536;
const BLOCK_BYTES: u64 = 16 << 20;

/// Parts that this process merges: nobody else here takes them meanwhile.
pub struct Claim {
    core: Arc<Core>,
    pub parts: Vec<Arc<PartEntry>>,
    /// Why they are merged, if they are.
    pub reason: Reason,
}

impl Claim {
    /// `None` where one of them is being merged.
    pub fn take(core: &Arc<Core>, parts: Vec<Arc<PartEntry>>) -> Option<Claim> {
        let mut merging = core.merging.lock();
        if parts.iter().any(|part| merging.contains(&part.key)) {
            return None;
        }
        merging.extend(parts.iter().map(|part| part.key.clone()));
        Some(Claim { core: core.clone(), parts, reason: Reason::Regular })
    }

    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let mut merging = self.core.merging.lock();
        for part in &self.parts {
            merging.remove(&part.key);
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

/// What became of a merge.
enum Outcome {
    /// The part that was made, if a row is left.
    Done(Option<Box<PartEntry>>),
    /// The parts changed meanwhile, nothing was done.
    GaveUp,
}

/// Merges the claimed parts. False: they changed meanwhile, nothing was done.
pub async fn merge(claim: &Claim, context: &Arc<QueryContext>, options: &MergeOptions) -> Result<bool> {
    let (core, context) = (&claim.core, &context.of_work());
    let state = core.pin(context).await?;
    if mutate::joined(&state, &claim.parts).is_none() || core.is_outdated() {
        return Ok(false);
    }
    core.stopped.check()?;
    let listed = list::begin(core, context, &claim.parts, claim.reason);
    let running = &listed.running;
    log::began(core, running);
    match run(core, &state, context, running, options).await {
        Ok(Outcome::Done(made)) => {
            log::ended(core, running, made.as_deref(), None);
            Ok(true)
        }
        Ok(Outcome::GaveUp) => {
            let error = Error::new(ErrorCode::ABORTED, "Parts were replaced or dropped while they were merged");
            log::ended(core, running, None, Some(&error));
            Ok(false)
        }
        Err(error) => {
            log::ended(core, running, None, Some(&error));
            Err(error)
        }
    }
}

/// Merges parts and throws away what comes out: an error is that which a merge of them would have.
pub async fn try_out(
    core: &Arc<Core>,
    context: &Arc<QueryContext>,
    parts: &[Arc<PartEntry>],
    options: &MergeOptions,
) -> Result<()> {
    let context = &context.of_work();
    let state = core.pin(context).await?;
    let listed = list::begin(core, context, parts, Reason::Regular);
    let now = (context.env.now_ms() / 1000) as i64;
    let ttl = (!core.stopped.ttl() && core.layout.ttl.concerns(parts, now)).then_some(now);
    let written = write(core, &state, context, &listed.running, (options, ttl)).await?;
    discard(core, written.as_ref()).await;
    Ok(())
}

async fn run(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    running: &Arc<Running>,
    options: &MergeOptions,
) -> Result<Outcome> {
    let (parts, now) = (&running.parts, (context.env.now_ms() / 1000) as i64);
    let ttl = &core.layout.ttl;
    if !core.stopped.ttl() && parts.iter().all(|part| ttl.is_expired(part, now)) {
        // No row is left, as the manifest knows: nothing is read.
        return commit(core, context, parts, None, false).await;
    }
    let ttl = (!core.stopped.ttl() && ttl.concerns(parts, now)).then_some(now);
    let started = context.env.instant();
    let counters = &context.counters;
    counters.add(Event::Merge, 1);
    counters.add(Event::MergeSourceParts, parts.len() as u64);
    counters.add(Event::MergedRows, parts.iter().map(|part| part.rows).sum());
    counters.add(Event::MergedUncompressedBytes, parts.iter().map(|part| part.uncompressed_bytes).sum());
    let written = write(core, state, context, running, (options, ttl)).await;
    let elapsed = context.env.instant().saturating_duration_since(started);
    counters.add(Event::MergeTotalMilliseconds, elapsed.as_millis() as u64);
    if options.yields {
        // The job's threads work for this merge alone.
        context.settle();
        counters.add(Event::MergeExecuteMilliseconds, counters.get(Event::RealTimeMicroseconds) / 1000);
    } else {
        // A statement's threads work for others of its merges, too.
        let stages = [
            Event::MergeHorizontalStageExecuteMilliseconds,
            Event::MergeVerticalStageExecuteMilliseconds,
            Event::MergeProjectionStageExecuteMilliseconds,
        ];
        counters.add(Event::MergeExecuteMilliseconds, stages.map(|stage| counters.get(stage)).iter().sum());
    }
    let Some((written, codec)) = written? else {
        // No row is left: the parts go, and nothing comes in their place.
        return commit(core, context, parts, None, false).await;
    };
    counters.add(Event::MergeWrittenRows, written.header.rows);
    counters.add(Event::MergedIntoWideParts, 1);
    // As for an insert: the sweeper of another process may take the object for one that nobody will name.
    if elapsed.as_secs() > core.settings.orphan_grace_seconds / 2 {
        core.discard_all(written.objects()).await;
        return Err(Error::new(
            ErrorCode::TIMEOUT_EXCEEDED,
            format!("A merge of {} took more than half of orphan_grace_seconds: raise that setting", core.name()),
        ));
    }
    let keeps_rows = options.deduplicate.is_none() && !core.layout.engine.merges_rows() && ttl.is_none();
    commit(core, context, parts, Some((written, codec)), keeps_rows).await
}

async fn commit(
    core: &Arc<Core>,
    context: &Arc<QueryContext>,
    parts: &[Arc<PartEntry>],
    written: Option<(WrittenPart, String)>,
    keeps_rows: bool,
) -> Result<Outcome> {
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
        Ok(joined.map(|(mutation, names)| Change {
            operation: Operation::Merge,
            added: added.iter().map(|part| Arc::new(part.clone().mutated(mutation))).collect(),
            removed: names,
            insert_id: None,
            block_hashes: Vec::new(),
            ledger: None,
            keeps_rows,
            rows: RowsChange::default(),
        }))
    };
    match core.manifest.commit(context, decide).await {
        Ok(Commit::Done(state)) => {
            // Nobody is going to open them again but who reads an older version.
            parts.iter().for_each(|part| core.close_part(part));
            let place = (Arc::from(first.partition_id.as_str()), first.min_block);
            let made = added.as_ref().and_then(|_| state.parts.get(&place)).map(|part| PartEntry::clone(part));
            Ok(Outcome::Done(made.map(Box::new)))
        }
        Ok(Commit::Nothing) => {
            discard(core, written.as_ref()).await;
            Ok(Outcome::GaveUp)
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
    running: &Arc<Running>,
    (options, ttl): (&MergeOptions, Option<i64>),
) -> Result<Option<(WrittenPart, String)>> {
    let sources = Sources::open(core, state, context, running).await?;
    let building = projection::merge::building(core, &sources.parts, options, ttl.is_some())?;
    // Projections are made of whole rows.
    let is_vertical =
        building.projections.is_empty() && vertical::is_worth_it(&sources, options.deduplicate.is_some() || ttl.is_some());
    running.decide(if is_vertical { Algorithm::Vertical } else { Algorithm::Horizontal });
    let mut plan = plan(&sources, options)?;
    let now = (context.env.now_ms() / 1000) as i64;
    let codec = core.layout.ttl.codec(&sources.parts, now).filter(|_| !core.stopped.ttl());
    if let Some((codec, _)) = codec {
        plan.codec = codec;
    }
    let codec = codec.map_or_else(String::new, |(_, text)| text.to_string());
    if ttl.is_some() {
        let set = core.layout.ttl.sets_strings(&core.layout.columns);
        set.into_iter().for_each(|place| plan.text[place] = false);
    }
    running.writes_to(core.store.location(&plan.key));
    let mut writer = PartWriter::create(context, &core.store, core.layout.clone(), plan).await?;
    writer.leave_out_skip_indexes(|_| !core.settings.materialize_skip_indexes_on_merge);
    writer.build_projections(context, &core.store, building);
    if let Some(now) = ttl {
        writer.ttl_applied(now);
    }
    let mut pace = Pace::new(&sources, options);
    let merging = Arc::new(Tally::new());
    let copying = async {
        match is_vertical {
            true => copy_vertical(&sources, &mut writer, &mut pace).await,
            false => copy(&sources, &mut writer, &mut pace, ttl).await,
        }
    };
    let copied = counted_for_part(merging.clone(), copying).await;
    pace.count(context, &merging);
    match copied {
        Ok(()) if writer.rows() == 0 => {
            writer.abort().await;
            Ok(None)
        }
        Ok(()) => {
            let mut written = writer.finish().await?;
            if let Err(error) =
                projection::merge::add(core, state, context, &sources.parts, options, &mut written, ttl.is_some()).await
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

/// How a merge goes on from block to block.
pub struct Pace<'a> {
    sources: &'a Sources,
    pub options: &'a MergeOptions,
    pub block_rows: usize,
    courtesy: Courtesy,
    begun: Instant,
    /// Of the time since then, what went to gathering columns, in milliseconds.
    gathering_ms: u64,
    /// What threads do for that.
    pub gathering: Arc<Tally>,
}

impl<'a> Pace<'a> {
    fn new(sources: &'a Sources, options: &'a MergeOptions) -> Pace<'a> {
        let env = &sources.context.env;
        Pace {
            sources,
            options,
            block_rows: (BLOCK_BYTES / sources.row_bytes()).clamp(1, BLOCK_ROWS) as usize,
            courtesy: Courtesy::new(env.clone()),
            begun: env.instant(),
            gathering_ms: 0,
            gathering: Arc::new(Tally::new()),
        }
    }

    /// Called after each block. Errors: those of whoever stopped it.
    pub async fn step(&mut self) -> Result<()> {
        let core = &self.sources.core;
        self.sources.context.check()?;
        core.stopped.check()?;
        if self.options.yields {
            self.courtesy.rest(pool::debt(&core.manifest.current(), &core.settings)).await;
        }
        Ok(())
    }

    /// Columns of a row group were gathered since.
    pub fn gathered(&mut self, since: Instant) {
        let now = self.sources.context.env.instant();
        self.gathering_ms += now.saturating_duration_since(since).as_millis() as u64;
    }

    /// `merging`: what threads did for the other stage.
    fn count(&self, context: &QueryContext, merging: &Arc<Tally>) {
        let busy_ms = [merging, &self.gathering].map(|stage| {
            spending::settle(stage);
            stage.spending().total().real / 1000
        });
        let all = context.env.instant().saturating_duration_since(self.begun).as_millis() as u64;
        let took_ms = [all.saturating_sub(self.gathering_ms), self.gathering_ms];
        // Both stages of a projection's rows are one of those of its table.
        let stages = match self.sources.core.layout.of_projection {
            Some(_) => [(Event::MergeProjectionStageTotalMilliseconds, Event::MergeProjectionStageExecuteMilliseconds); 2],
            None => [
                (Event::MergeHorizontalStageTotalMilliseconds, Event::MergeHorizontalStageExecuteMilliseconds),
                (Event::MergeVerticalStageTotalMilliseconds, Event::MergeVerticalStageExecuteMilliseconds),
            ],
        };
        for ((total, execute), (took_ms, busy_ms)) in stages.into_iter().zip(took_ms.into_iter().zip(busy_ms)) {
            context.counters.add(total, took_ms);
            context.counters.add(execute, busy_ms);
        }
    }
}

/// The rows that the new part gets: merged, made fewer by the engine's rule, without equal ones where that is asked for.
pub struct Rows {
    schema: SchemaRef,
    merged: MergedRows,
    rule: Option<Box<dyn Rule>>,
    deduplicate: Option<Deduplicate>,
    ttl: Option<TtlRows>,
    ended: bool,
}

impl Rows {
    /// About `target` rows, perhaps none; `None` at the end.
    pub async fn next(&mut self, target: usize) -> Result<Option<RecordBatch>> {
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

impl Rows {
    /// Without what looks at whole rows.
    fn of(shape: &Arc<Shape>, parts: Vec<SortedRows>, sources: &Sources, options: &MergeOptions) -> Result<Rows> {
        let purpose = if options.cleanup { Purpose::Cleanup } else { Purpose::Keep };
        let rule = rules::rule(shape, purpose)?;
        let merged = MergedRows::of_parts(shape.clone(), parts, options.lanes, rule.is_some());
        let merged = merged.accounted(&sources.context.memory);
        Ok(Rows { schema: shape.schema.clone(), merged, rule, deduplicate: None, ttl: None, ended: false })
    }

    fn count(&self, context: &QueryContext) {
        context.counters.add(Event::MergeRowsNotCompared, self.merged.uncompared());
    }
}

/// All columns of the rows at once.
async fn copy(sources: &Sources, writer: &mut PartWriter, pace: &mut Pace<'_>, ttl: Option<i64>) -> Result<()> {
    let (layout, context, options) = (&sources.core.layout, &sources.context, pace.options);
    let shape = Shape::whole(layout)?;
    let all: Vec<usize> = (0..layout.columns.len()).collect();
    context.counters.add(Event::MergedColumns, all.len() as u64);
    let (limits, batch_rows) = (sources.limits(), sources.batch_rows(&all));
    let part = |at: usize| {
        let rows = sources.read_all(at, (&all, &layout.schema), limits, batch_rows);
        SortedRows { least: sources.least(at), rows }
    };
    let mut rows = Rows::of(&shape, (0..sources.parts.len()).map(part).collect(), sources, options)?;
    let compared = options.deduplicate.clone();
    rows.deduplicate = compared.map(|columns| Deduplicate::new(shape, columns)).transpose()?;
    rows.ttl = ttl.map(|now| TtlRows::new(layout, now)).transpose()?;
    while let Some(batch) = rows.next(pace.block_rows).await? {
        if batch.num_rows() > 0 {
            let keys = layout.primary().iter().map(|key| key.evaluate(&batch)).collect::<Result<Vec<_>>>()?;
            let rows = batch.num_rows();
            writer.write(&Sorted { columns: batch.columns().to_vec(), keys, order: None, rows }).await?;
            sources.running.wrote_rows(rows as u64);
            sources.running.wrote_bytes(batch_bytes(&batch));
        }
        pace.step().await?;
    }
    rows.count(context);
    Ok(())
}

async fn copy_vertical(sources: &Sources, writer: &mut PartWriter, pace: &mut Pace<'_>) -> Result<()> {
    let leading = vertical::Leading::of(sources)?;
    sources.context.counters.add(Event::MergedColumns, leading.places.len() as u64);
    let mut rows = Rows::of(&leading.shape, leading.rows, sources, pace.options)?;
    vertical::copy(&mut rows, writer, sources, (&leading.places, &leading.shape), pace).await?;
    rows.count(&sources.context);
    Ok(())
}

fn plan(sources: &Sources, options: &MergeOptions) -> Result<PartPlan> {
    let Sources { core, parts, opened, .. } = sources;
    let first = parts.first().ok_or_else(|| Error::logical("A merge of no parts"))?;
    let (settings, row_bytes) = (&core.settings, sources.row_bytes());
    let granule_rows = granule_rows(row_bytes, settings.index_granularity, settings.index_granularity_bytes);
    let level = parts.iter().map(|part| part.level).max().unwrap_or_default() + 1;
    let places = 0..core.layout.columns.len();
    Ok(PartPlan {
        key: core.layout.new_object(&sources.context, &first.partition_id, level),
        partition_id: first.partition_id.clone(),
        partition: first.partition.clone(),
        level,
        codec: settings.codec(level),
        granule_rows,
        row_group_rows: row_group_rows(row_bytes, granule_rows, settings.max_rows_in_row_group),
        text: places.clone().map(|at| opened.iter().all(|part| traits_of(part, &core.layout, at).0)).collect(),
        dictionaries: places.map(|at| opened.iter().all(|part| traits_of(part, &core.layout, at).1)).collect(),
        lanes: options.lanes,
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
