//! One part through the mutations that it has before it.
//!
//! First it is asked whether any row fulfils one of the conditions: by index and bounds, then by reading the conditions'
//! columns until the first. None does: nothing is written. Else the part is streamed through the program into a new one
//! of the same order, because no mutation changes a key.

use std::sync::Arc;

use arrow::array::{RecordBatch, RecordBatchOptions};
use arrow::datatypes::{DataType, Field, Schema};
use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{ColumnExpression, RowChange};
use gristmill_introspect::{Event, QueryContext};

use super::program::Program;
use super::{Claim, change, current};
use crate::index::select::{Selector, conjuncts};
use crate::insert::block::object_key;
use crate::insert::writer::entry;
use crate::located::mask;
use crate::manifest::{Commit, DeletedEntry, MutationEntry, PartEntry, ProjectionChange, RowsChange, RowsDeleted, State};
use crate::merge::list::{self, Listed, Reason, Running};
use crate::merge::log;
use crate::part::v1::dictionary;
use crate::part::v1::storage_type::is_text;
use crate::part::{OpenPart, PartPlan, PartWriter, Sorted, WrittenPart};
use crate::projection::build::{Building, ProjectionsBuilder};
use crate::projection::{Projection, name_of};
use crate::read::PART_OFFSET;
use crate::read::evolve::traits_of;
use crate::read::filter::ScanFilter;
use crate::read::output::Output;
use crate::read::stream::{ScanShared, stream};
use crate::read::unit::{PartSelection, UnitLimits};
use crate::table::Core;
use crate::ttl::rows::TtlRows;

/// Bytes (as values in memory) that the reading of a part holds ahead, about.
pub const READ_BYTES: u64 = 64 << 20;

/// What became of a part.
pub enum Mutated {
    /// No row changed.
    Same,
    /// No row is left.
    Gone,
    /// Written, and not visible yet; with its entry among the mutations under way.
    Rewritten(Arc<PartEntry>, Listed),
    /// Rows are deleted, which an object beside the part says.
    Masked(DeletedEntry, Listed),
    /// No row changed, but what the part has of projections.
    Projected(Vec<ProjectionChange>),
}

/// Leads the claimed part through all mutations that concern it, and commits. False: there was nothing to do, or the
/// part or a mutation is gone meanwhile. A failure is kept for `system.mutations` as well.
pub async fn mutate(claim: &Claim, context: &Arc<QueryContext>) -> Result<bool> {
    let core = claim.core();
    let state = core.pin(context).await?;
    let Some(part) = current(&state, &claim.parts).and_then(|mut parts| parts.pop()) else { return Ok(false) };
    let mutations: Vec<Arc<MutationEntry>> = state.mutations_of(&part).cloned().collect();
    if mutations.is_empty() || core.is_outdated() {
        return Ok(false);
    }
    let numbers: Vec<i64> = mutations.iter().map(|mutation| mutation.number).collect();
    context.counters.add(Event::MutationTotalParts, 1);
    let done = async {
        let started = context.env.instant();
        let mutated = rewrite(core, &state, context, &part, &changes_of(&mutations), true).await?;
        // As for a merge: the sweeper of another process may take the object for one that nobody will name.
        let elapsed = context.env.instant().saturating_duration_since(started);
        context.counters.add(Event::MutationTotalMilliseconds, elapsed.as_millis() as u64);
        if matches!(mutated, Mutated::Same) {
            context.counters.add(Event::MutationUntouchedParts, 1);
        }
        if elapsed.as_secs() > core.settings.orphan_grace_seconds / 2 {
            discard(core, &mutated).await;
            return Err(Error::new(
                ErrorCode::TIMEOUT_EXCEEDED,
                format!("A mutation of {} took more than half of orphan_grace_seconds: raise that setting", core.name()),
            ));
        }
        commit(core, context, &part, &numbers, mutated).await
    };
    match done.await {
        Ok(done) => {
            core.mutating.succeeded(&numbers, &part.name);
            Ok(done)
        }
        Err(error) => {
            if error.code() != ErrorCode::QUERY_WAS_CANCELLED {
                core.mutating.failed(&numbers, &part.name, context.env.now_ms(), &error);
            }
            Err(error)
        }
    }
}

/// All changes of mutations, in their order.
pub fn changes_of(mutations: &[Arc<MutationEntry>]) -> Vec<RowChange> {
    mutations.iter().flat_map(|mutation| mutation.all_changes()).collect()
}

pub async fn discard(core: &Core, mutated: &Mutated) {
    if let Mutated::Rewritten(_, listed) | Mutated::Masked(_, listed) = mutated {
        let error = Error::new(ErrorCode::ABORTED, "The part was replaced or dropped while its rows were changed");
        log::ended(core, &listed.running, None, Some(&error));
    }
    match mutated {
        Mutated::Rewritten(part, _) => core.discard_all(part.objects()).await,
        Mutated::Masked(deleted, _) => core.discard(&deleted.key).await,
        Mutated::Projected(changes) => {
            core.discard_all(changes.iter().filter_map(|change| change.data.as_ref()).map(|data| data.key.as_str())).await;
        }
        Mutated::Same | Mutated::Gone => {}
    }
}

async fn commit(
    core: &Arc<Core>,
    context: &Arc<QueryContext>,
    part: &Arc<PartEntry>,
    numbers: &[i64],
    mutated: Mutated,
) -> Result<bool> {
    let Some(last) = numbers.last().copied() else { return Ok(false) };
    let decide = |state: &State| {
        let Some(known) = current(state, std::slice::from_ref(part)).and_then(|mut parts| parts.pop()) else {
            return Ok(None);
        };
        // One of them was killed, or another process was faster.
        let left: Vec<i64> = state.mutations_of(&known).map(|mutation| mutation.number).collect();
        if !left.starts_with(numbers) || core.is_outdated() {
            return Ok(None);
        }
        Ok(Some(match &mutated {
            Mutated::Same => {
                let rows = RowsChange { passed: vec![(known.name.clone(), last)], ..RowsChange::default() };
                change(Vec::new(), Vec::new(), rows)
            }
            Mutated::Projected(projected) => {
                let (passed, projected) = (vec![(known.name.clone(), last)], projections_of(&known, projected));
                change(Vec::new(), Vec::new(), RowsChange { passed, projected, ..RowsChange::default() })
            }
            Mutated::Gone => change(Vec::new(), vec![known.name.clone()], RowsChange::default()),
            Mutated::Masked(deleted, _) => {
                let deleted = vec![masked(&known, last, deleted)];
                change(Vec::new(), Vec::new(), RowsChange { deleted, ..RowsChange::default() })
            }
            Mutated::Rewritten(written, _) => {
                change(vec![Arc::new(written.mutated(last))], vec![known.name.clone()], RowsChange::default())
            }
        }))
    };
    match core.manifest.commit(context, decide).await {
        Ok(Commit::Done(state)) => {
            tell(core, context, &state, part, &mutated, last);
            Ok(true)
        }
        Ok(Commit::Nothing) => {
            discard(core, &mutated).await;
            Ok(false)
        }
        // The object may be named by a version: it stays.
        Ok(Commit::Unknown(error)) => Err(error),
        Err(error) => {
            discard(core, &mutated).await;
            Err(error)
        }
    }
}

/// The log's entry of a part that went through the mutation of this number.
pub fn tell(core: &Core, context: &QueryContext, state: &State, part: &PartEntry, mutated: &Mutated, number: i64) {
    match mutated {
        Mutated::Rewritten(written, listed) => log::ended(core, &listed.running, Some(&written.mutated(number)), None),
        Mutated::Masked(_, listed) => {
            let known = state.parts.values().find(|known| known.key == part.key);
            log::ended(core, &listed.running, known.map(Arc::as_ref), None);
        }
        Mutated::Same | Mutated::Projected(_) => log::passed(core, context, part, number),
        Mutated::Gone => {}
    }
}

/// The changes, of the part under the name that it has now.
pub fn projections_of(part: &PartEntry, changes: &[ProjectionChange]) -> Vec<ProjectionChange> {
    changes.iter().map(|change| ProjectionChange { part: part.name.clone(), ..change.clone() }).collect()
}

/// What the manifest says of a part of which rows are deleted.
pub fn masked(part: &PartEntry, mutation: i64, deleted: &DeletedEntry) -> RowsDeleted {
    RowsDeleted { part: part.name.clone(), mutation, deleted: deleted.clone() }
}

/// The part after the changes, as an object of its own where a row changed. `projects`: with its projections.
pub async fn rewrite(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    part: &Arc<PartEntry>,
    changes: &[RowChange],
    projects: bool,
) -> Result<Mutated> {
    let program = Program::compile(core, part, changes, context)?;
    let open = context.cancellable(core.open_part(context, part)).await?;
    let now = (context.env.now_ms() / 1000) as i64;
    // Known from the manifest alone, where every rule was there when the part was written.
    let ttl = (program.applies_ttl() && core.layout.ttl.concerns(std::slice::from_ref(part), now)).then_some(now);
    let is_expired = ttl.is_some() && changes.len() == 1 && core.layout.ttl.is_expired(part, now);
    if is_expired {
        return Ok(Mutated::Gone);
    }
    // The index knows nothing of the numbers of rows.
    if let Some(conditions) = program.conditions(&open).filter(|_| ttl.is_none() && !program.counts_rows())
        && !any_row(core, state, context, part, &open, &conditions).await?
    {
        return project(core, state, context, part, &open, &program).await;
    }
    context.counters.add(Event::MutatedRows, part.rows);
    context.counters.add(Event::MutatedUncompressedBytes, part.uncompressed_bytes);
    let context = &context.of_work();
    let listed = list::begin(core, context, std::slice::from_ref(part), Reason::Mutation);
    let running = &listed.running;
    log::began(core, running);
    let projections = if projects { program.projections_of(part) } else { Vec::new() };
    let written = match write(core, state, context, (part, &open), (&program, ttl), projections, running).await {
        Ok(written) => written,
        Err(error) => {
            log::ended(core, running, None, Some(&error));
            return Err(error);
        }
    };
    let Some(written) = written else {
        log::ended(core, running, None, None);
        return Ok(Mutated::Gone);
    };
    let entry = entry(&written, part.ranges.clone(), part.min_block, part.max_block, context.env.now_ms());
    Ok(Mutated::Rewritten(Arc::new(PartEntry { codec: part.codec.clone(), ..entry }), listed))
}

/// The rows of the part that are left, as a new one; `None` where there are none.
async fn write(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    (part, open): (&Arc<PartEntry>, &Arc<OpenPart>),
    (program, ttl): (&Program, Option<i64>),
    projections: Vec<Arc<Projection>>,
    running: &Arc<Running>,
) -> Result<Option<WrittenPart>> {
    let plan = plan(core, state, context, part, open, program).await?;
    running.writes_to(core.store.location(&plan.key));
    let mut writer = PartWriter::create(context, &core.store, core.layout.clone(), plan).await?;
    writer.leave_out_skip_indexes(|key| program.clears_index(key));
    writer.build_projections(context, &core.store, building(core, projections));
    let reading = running.clone();
    let rows =
        rows(core, state, context, part, open, program.counts_rows()).inspect_ok(move |batch| reading.read(batch)).boxed();
    if let Err(error) = copy(core, context, rows, (program, ttl), &mut writer).await {
        writer.abort().await;
        return Err(error);
    }
    running.wrote_rows(writer.rows());
    if writer.rows() == 0 {
        writer.abort().await;
        return Ok(None);
    }
    let written = writer.finish().await?;
    running.wrote_bytes(written.header.columns.iter().map(|column| column.uncompressed_bytes).sum());
    Ok(Some(written))
}

fn building(core: &Arc<Core>, projections: Vec<Arc<Projection>>) -> Building {
    Building { settings: core.settings.clone(), core: Some(core.clone()), projections }
}

/// What the part, whose rows stay, gets and loses of projections.
async fn project(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    part: &Arc<PartEntry>,
    open: &Arc<OpenPart>,
    program: &Program,
) -> Result<Mutated> {
    let (lacking, lost) = program.changed_projections(part);
    if lacking.is_empty() && lost.is_empty() {
        return Ok(Mutated::Same);
    }
    let change = |projection: String, data| ProjectionChange { part: part.name.clone(), projection, data };
    let mut changes: Vec<ProjectionChange> = lost.into_iter().map(|key| change(key, None)).collect();
    if !lacking.is_empty() {
        // What was made of the columns as they were before an ALTER goes.
        let names: Vec<&str> = lacking.iter().map(|projection| projection.definition.name.as_str()).collect();
        let old = part.projections.keys().filter(|key| names.contains(&name_of(key)));
        changes.extend(old.map(|key| change(key.clone(), None)));
        let plan = plan(core, state, context, part, open, program).await?;
        let mut builder = ProjectionsBuilder::new(context, &core.store, &plan, building(core, lacking));
        let mut rows = rows(core, state, context, part, open, false);
        let written = async {
            while let Some(batch) = rows.next().await.transpose()? {
                context.check()?;
                let (columns, rows) = (batch.columns().to_vec(), batch.num_rows());
                builder.write(&Sorted { columns, keys: Vec::new(), order: None, rows }).await?;
            }
            Ok::<(), Error>(())
        };
        if let Err(error) = written.await {
            builder.abort().await;
            return Err(error);
        }
        changes.extend(builder.finish().await?.into_iter().map(|(key, data)| change(key, Some(data))));
    }
    Ok(Mutated::Projected(changes))
}

/// Whether a constant condition holds for no row.
fn is_never(condition: &ColumnExpression) -> bool {
    let options = RecordBatchOptions::new().with_row_count(Some(1));
    let row = RecordBatch::try_new_with_options(Arc::new(Schema::empty()), Vec::new(), &options);
    let value = row.map_err(Error::from).and_then(|row| mask(condition.evaluate(&row)?));
    value.is_ok_and(|value| value.true_count() == 0)
}

/// Whether a row of the part fulfils one of the conditions.
async fn any_row(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    part: &Arc<PartEntry>,
    open: &Arc<OpenPart>,
    conditions: &[&ColumnExpression],
) -> Result<bool> {
    for condition in conditions {
        if condition.inputs.is_empty() {
            // A constant is the same for every row; what fails is found out where the rows are written.
            if is_never(condition) {
                continue;
            }
            return Ok(true);
        }
        let selector = Selector::new(core.layout.clone(), &conjuncts(std::slice::from_ref(&condition.logical)))?;
        if selector.parts(vec![part.clone()])?.is_empty() {
            continue;
        }
        let granules = selector.granules(open).granules;
        if granules.is_empty() {
            continue;
        }
        let chosen = PartSelection::of(part.clone(), open.clone(), granules);
        let filters = vec![ScanFilter::new(&condition.physical, &core.layout.columns)?];
        let limits = UnitLimits { granules: 16, bytes: READ_BYTES / 2, streams: 1 };
        let output = (Vec::new(), Arc::new(Schema::empty()));
        let shared = ScanShared::of_part(core, state, chosen, filters, output, limits);
        let mut rows = stream(shared, context.clone()).boxed();
        while let Some(batch) = rows.next().await.transpose()? {
            if batch.num_rows() > 0 {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// All rows of the part in the table's layout, as they are before the changes; `counts`: with their numbers behind.
fn rows(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    part: &Arc<PartEntry>,
    open: &Arc<OpenPart>,
    counts: bool,
) -> BoxStream<'static, Result<RecordBatch>> {
    let whole = PartSelection::of(part.clone(), open.clone(), Vec::from([0..open.granules()]));
    let mut outputs: Vec<Output> = (0..core.layout.columns.len()).map(Output::Stored).collect();
    let mut schema = core.layout.schema.clone();
    if counts {
        outputs.push(Output::PartOffset);
        let fields = schema.fields().iter().cloned();
        schema = Arc::new(Schema::new(
            fields.chain([Arc::new(Field::new(PART_OFFSET, DataType::UInt64, false))]).collect::<Vec<_>>(),
        ));
    }
    let limits = UnitLimits { granules: 16, bytes: READ_BYTES / 2, streams: 1 };
    let shared = ScanShared::of_merge(core, state, whole, (outputs, schema), (limits, None));
    stream(shared, context.clone()).boxed()
}

async fn copy(
    core: &Arc<Core>,
    context: &Arc<QueryContext>,
    mut rows: BoxStream<'static, Result<RecordBatch>>,
    (program, ttl): (&Program, Option<i64>),
    writer: &mut PartWriter,
) -> Result<()> {
    let mut ttl = ttl.map(|now| TtlRows::new(&core.layout, now)).transpose()?;
    if let Some(ttl) = &ttl {
        writer.ttl_applied(ttl.now());
    }
    loop {
        let read = rows.next().await.transpose()?;
        context.check()?;
        let ends = read.is_none();
        let batch = match (read, &mut ttl) {
            (Some(batch), None) => program.run(batch)?,
            (Some(batch), Some(ttl)) => ttl.push(program.run(batch)?)?,
            (None, Some(ttl)) => ttl.finish()?,
            (None, None) => break,
        };
        if batch.num_rows() == 0 && ends {
            break;
        }
        if batch.num_rows() == 0 {
            continue;
        }
        let keys = core.layout.primary().iter().map(|key| key.evaluate(&batch)).collect::<Result<Vec<_>>>()?;
        let rows = batch.num_rows();
        writer.write(&Sorted { columns: batch.columns().to_vec(), keys, order: None, rows }).await?;
        if ends {
            break;
        }
    }
    Ok(())
}

async fn plan(
    core: &Arc<Core>,
    state: &Arc<State>,
    context: &Arc<QueryContext>,
    part: &Arc<PartEntry>,
    open: &Arc<OpenPart>,
    program: &Program,
) -> Result<PartPlan> {
    let layout = &core.layout;
    let (mut text, mut dictionaries): (Vec<bool>, Vec<bool>) =
        (0..layout.columns.len()).map(|place| traits_of(open, layout, place)).unzip();
    if program.applies_ttl() {
        core.layout.ttl.sets_strings(&layout.columns).into_iter().for_each(|place| text[place] = false);
    }
    let set = program.sets_strings();
    if !set.is_empty() {
        // A column says whether it is text before its first value is written: the new values are looked at before.
        set.iter().for_each(|&place| text[place] = true);
        let mut rows = rows(core, state, context, part, open, program.counts_rows());
        while let Some(batch) = rows.next().await.transpose()? {
            let batch = program.run(batch)?;
            for &place in &set {
                text[place] = text[place] && is_text(&layout.columns.0[place].kind, batch.column(place));
            }
        }
        for &place in &set {
            dictionaries[place] = dictionary::by_type(&layout.columns.0[place].kind).unwrap_or(dictionaries[place]);
        }
    }
    Ok(PartPlan {
        key: object_key(context, &part.partition_id, part.level),
        partition_id: part.partition_id.clone(),
        partition: part.partition.clone(),
        level: part.level,
        codec: core.layout.ttl.codec_of_part(part).unwrap_or_else(|| core.settings.codec(part.level)),
        granule_rows: open.header.granule_rows as usize,
        row_group_rows: open.header.row_group_rows as usize,
        text,
        dictionaries,
        lanes: 1,
    })
}
