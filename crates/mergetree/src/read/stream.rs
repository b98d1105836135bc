//! One stream of a scan: takes units from the queue, decodes them, and keeps the bytes of the next unit on their way
//! meanwhile. What the query knows by now not to need (`threshold`) is left out of a unit when it is taken, and asked again
//! before it is decoded.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use futures::{Stream, StreamExt, TryStreamExt};
use gristmill_base::{Error, Result, ResultExt, runtime, units as shown};
use gristmill_introspect::{Event, QueryContext, tell};
use gristmill_types::measure::batch_bytes_about;
use parking_lot::Mutex;
use tokio::sync::OnceCell;

use super::condition_cache::ConditionCache;
use super::evolve::{Evolution, Projection};
use super::filter::{ScanFilter, Tally, in_steps};
use super::granule_cache::{GranuleCache, part_id};
use super::output::{Output, output, stored_places};
use super::passing::Passing;
use super::threshold::Thresholds;
use super::top_n::{RowsFirst, units_in_order};
use super::unit::{PartSelection, Queue, Unit, UnitLimits, units};
use super::unit_reader::{Reading, UnitReader};
use crate::layout::Layout;
use crate::manifest::{PartEntry, State};
use crate::part::OpenPart;
use crate::part::v1::deleted_rows::DeletedRows;
use crate::store::PartStore;
use crate::table::Core;

/// What all streams of a scan share.
#[derive(Debug)]
pub struct ScanShared {
    core: Arc<Core>,
    pub(super) layout: Arc<Layout>,
    store: Arc<dyn PartStore>,
    evolution: Evolution,
    filters: Vec<ScanFilter>,
    pub(super) outputs: Vec<Output>,
    pub(super) schema: SchemaRef,
    pub(super) parts: Arc<Vec<PartSelection>>,
    limits: UnitLimits,
    /// the version read, held so that its objects stay.
    state: Arc<State>,
    /// By object, the parts that are read with their deleted rows, as they are without them. Known with the queue.
    masked: OnceCell<HashMap<String, Arc<OpenPart>>>,
    /// Rows read count for the query.
    is_counted: bool,
    help: Help,
    queue: OnceCell<Queue>,
    /// Decoded granules are looked for and kept; known with the queue.
    keeps_granules: AtomicBool,
}

/// What makes a query's scan read less.
#[derive(Debug, Default)]
pub struct Help {
    /// Conditions that tighten meanwhile.
    pub thresholds: Option<Thresholds>,
    /// What the query wants first.
    pub first: Option<RowsFirst>,
    /// Where decoded granules are looked for and kept.
    pub granules: Option<Arc<GranuleCache>>,
    /// So many of the first rows are wanted, of all that there are: more need not be decoded at a time.
    pub rows: Option<usize>,
    /// Where it is remembered what no row fulfilled.
    pub remember: Option<Remember>,
    /// Of the one part that is read: these rows alone, as the part counts them, ascending.
    pub only: Option<Arc<Vec<u64>>>,
}

/// The cache of conditions, with what all conditions of a query together are known by.
#[derive(Clone, Debug)]
pub struct Remember {
    pub cache: Arc<ConditionCache>,
    pub whole: u128,
}

/// Parts whose tails are read at the same time.
pub const PARTS_OPENED_AT_ONCE: usize = 64;

impl ScanShared {
    pub fn new(
        core: &Arc<Core>,
        state: &Arc<State>,
        parts: Arc<Vec<PartSelection>>,
        filters: Vec<ScanFilter>,
        (outputs, schema): (Vec<Output>, SchemaRef),
        limits: UnitLimits,
    ) -> Arc<Self> {
        Arc::new(Self::make(core, state, parts, filters, (outputs, schema), limits))
    }

    fn make(
        core: &Arc<Core>,
        state: &Arc<State>,
        parts: Arc<Vec<PartSelection>>,
        filters: Vec<ScanFilter>,
        (outputs, schema): (Vec<Output>, SchemaRef),
        limits: UnitLimits,
    ) -> Self {
        ScanShared {
            core: core.clone(),
            layout: core.layout.clone(),
            store: core.store.clone(),
            evolution: Evolution::new(core.layout.clone(), core.environment.clone()),
            filters,
            outputs,
            schema,
            parts,
            limits,
            state: state.clone(),
            masked: OnceCell::new(),
            is_counted: true,
            help: Help::default(),
            queue: OnceCell::new(),
            keeps_granules: AtomicBool::new(false),
        }
    }

    /// With what helps a query to read less.
    pub fn of_query(
        core: &Arc<Core>,
        state: &Arc<State>,
        parts: Arc<Vec<PartSelection>>,
        filters: Vec<ScanFilter>,
        output: (Vec<Output>, SchemaRef),
        limits: UnitLimits,
        help: Help,
    ) -> Arc<Self> {
        Arc::new(ScanShared { help, ..Self::make(core, state, parts, filters, output, limits) })
    }

    /// All of one part, in its order, for a merge: its rows count for no query. `batch_rows`: that are decoded at a time, at the
    /// most.
    pub fn of_merge(
        core: &Arc<Core>,
        state: &Arc<State>,
        part: PartSelection,
        output: (Vec<Output>, SchemaRef),
        (limits, batch_rows): (UnitLimits, Option<usize>),
    ) -> Arc<Self> {
        let shared = Self::make(core, state, Arc::new(vec![part]), Vec::new(), output, limits);
        let help = Help { rows: batch_rows, ..Help::default() };
        Arc::new(ScanShared { is_counted: false, help, ..shared })
    }

    /// Rows of one part that fulfil conditions, in its order: they count for no query.
    pub fn of_part(
        core: &Arc<Core>,
        state: &Arc<State>,
        part: PartSelection,
        filters: Vec<ScanFilter>,
        output: (Vec<Output>, SchemaRef),
        limits: UnitLimits,
    ) -> Arc<Self> {
        let shared = Self::make(core, state, Arc::new(vec![part]), filters, output, limits);
        Arc::new(ScanShared { is_counted: false, ..shared })
    }

    /// Some rows of one part, as the part counts them, ascending; in the chosen granules they lie. They count for no query.
    pub fn of_rows(
        core: &Arc<Core>,
        state: &Arc<State>,
        part: PartSelection,
        rows: Vec<u64>,
        output: (Vec<Output>, SchemaRef),
        limits: UnitLimits,
    ) -> Arc<Self> {
        let help = Help { only: Some(Arc::new(rows)), ..Help::default() };
        let shared = Self::make(core, state, Arc::new(vec![part]), Vec::new(), output, limits);
        Arc::new(ScanShared { is_counted: false, help, ..shared })
    }

    /// The units that nobody began. The first to ask opens the parts that planning left closed.
    async fn queue(&self, context: &Arc<QueryContext>) -> Result<&Queue> {
        let is_first = AtomicBool::new(false);
        let fill = || async {
            is_first.store(true, Ordering::Relaxed);
            self.masked.get_or_try_init(|| self.masked_parts(context)).await?;
            let open = |part: &PartSelection| {
                let (entry, known) = (part.entry.clone(), part.open.clone());
                async move {
                    match known {
                        Some(open) => Ok(open),
                        None => context.cancellable(self.core.open_part(context, &entry)).await,
                    }
                }
            };
            // The futures are made before they are polled, so that none borrows from the closure that made it.
            let opening: Vec<_> = self.parts.iter().map(open).collect();
            let opened: Vec<Arc<OpenPart>> =
                futures::stream::iter(opening).buffered(PARTS_OPENED_AT_ONCE).try_collect().await?;
            let parts: Vec<_> = self.parts.iter().zip(opened).collect();
            self.keeps_granules.store(self.fits_in_cache(context, &parts), Ordering::Relaxed);
            let all_rows = self.filters.is_empty() && self.help.first.is_none() && self.help.thresholds.is_none();
            let limits = if all_rows { self.limits } else { self.limits.with_conditions() };
            let queue: Queue = Mutex::new(match &self.help.first {
                Some(first) => units_in_order(&parts, limits, first, &self.layout, |open| self.granule_bytes(open)),
                None => {
                    let units = units(&parts, limits, |open| self.granule_bytes(open));
                    if self.only_counts() {
                        units.into_iter().flat_map(|unit| self.by_what_holds(unit)).collect()
                    } else {
                        units
                    }
                }
            });
            self.tell_ahead(context, limits, queue.lock().len());
            Ok::<_, Error>(queue)
        };
        let queue = self.queue.get_or_try_init(fill).await?;
        if is_first.load(Ordering::Relaxed) {
            // The other streams of the scan waited for it.
            runtime::give_way().await;
        }
        Ok(queue)
    }

    /// The query's log: what is read at a time, and how far ahead.
    fn tell_ahead(&self, context: &QueryContext, limits: UnitLimits, units: usize) {
        tell!(
            context,
            DEBUG,
            "Prefetcher",
            "{}: {units} units to read, of up to {} granules or {}; each of {} streams has its next unit fetched while it decodes one",
            self.core.name(),
            limits.granules,
            shown::bytes_binary(limits.bytes as f64),
            limits.streams
        );
    }

    /// Where it is asked which rows are deleted, of parts that are read with these.
    async fn masked_parts(&self, context: &Arc<QueryContext>) -> Result<HashMap<String, Arc<OpenPart>>> {
        let mut masked = HashMap::new();
        if context.settings.apply_deleted_mask || !self.outputs.contains(&Output::RowExists) {
            return Ok(masked);
        }
        let whole = |part: &&PartSelection| part.entry.deleted.is_none();
        let read: HashSet<&str> = self.parts.iter().filter(whole).map(|part| part.entry.key.as_str()).collect();
        let has_deleted = |part: &&Arc<PartEntry>| part.deleted.is_some() && read.contains(part.key.as_str());
        for part in self.state.parts.values().filter(has_deleted) {
            masked.insert(part.key.clone(), context.cancellable(self.core.open_part(context, part)).await?);
        }
        Ok(masked)
    }

    /// The rows that are deleted of a part that is read with them.
    pub(super) fn deleted_of(&self, part: &PartEntry) -> Option<&DeletedRows> {
        self.masked.get()?.get(&part.key)?.deleted.as_ref()
    }

    /// Whether rows are counted alone that fulfil conditions on the primary key: where these hold of whole granules, the
    /// index knows how many rows there are.
    fn only_counts(&self) -> bool {
        let is_plain = self.help.thresholds.is_none() && self.help.only.is_none();
        self.outputs.is_empty() && is_plain && !self.filters.is_empty() && self.filters.iter().all(ScanFilter::is_of_key)
    }

    /// The unit in pieces: granules in which every row passes, and others.
    fn by_what_holds(&self, unit: Unit) -> Vec<Unit> {
        let mut pieces: Vec<(bool, Vec<Range<usize>>)> = Vec::new();
        for granule in unit.granules.iter().cloned().flatten() {
            let one = unit.clone().with(vec![granule..granule + 1]);
            let holds = self.filters.iter().all(|filter| filter.holds_in(&one));
            match pieces.last_mut().filter(|(held, _)| *held == holds) {
                None => pieces.push((holds, vec![granule..granule + 1])),
                Some((_, granules)) => match granules.last_mut().filter(|last| last.end == granule) {
                    Some(last) => last.end += 1,
                    None => granules.push(granule..granule + 1),
                },
            }
        }
        pieces.into_iter().map(|(_, granules)| unit.clone().with(granules)).collect()
    }

    /// Whether what is read may be kept decoded: where it is more than the cache takes, nothing of it would still be there
    /// when it is read again, and all would have been copied for that.
    fn fits_in_cache(&self, context: &QueryContext, parts: &[(&PartSelection, Arc<OpenPart>)]) -> bool {
        let Some(cache) = &self.help.granules else { return false };
        let granules = |part: &PartSelection| part.granules.iter().map(|granules| granules.len() as u64).sum::<u64>();
        let bytes: u64 = parts.iter().map(|(part, open)| granules(part) * self.granule_bytes(open)).sum();
        let most = context.settings.merge_tree_max_bytes_to_use_cache;
        bytes <= cache.limit() && (most == 0 || bytes <= most)
    }

    /// Bytes of a granule's values in memory, of the columns that are read, about.
    fn granule_bytes(&self, open: &OpenPart) -> u64 {
        let found = open.find_columns(&self.layout);
        let filters = self.filters.iter().flat_map(|filter| filter.columns.iter().copied());
        let places: BTreeSet<usize> = stored_places(&self.outputs).into_iter().chain(filters).collect();
        let header = |place: usize| open.header.columns.get(found.columns.get(place)?.place()?);
        let bytes: u64 = places.into_iter().filter_map(header).map(|column| column.uncompressed_bytes).sum();
        bytes / (open.granules() as u64).max(1)
    }

    /// The next unit of which a row may matter, with the granules of which one may.
    async fn next_unit(&self, context: &Arc<QueryContext>) -> Result<Option<Unit>> {
        let queue = self.queue(context).await?;
        loop {
            context.check()?;
            let taken = queue.lock().pop_front();
            let Some(unit) = taken else { return Ok(None) };
            let Some(thresholds) = &self.help.thresholds else { return Ok(Some(unit)) };
            let granules = thresholds.narrow(&unit);
            if !granules.is_empty() {
                return Ok(Some(unit.with(granules)));
            }
        }
    }

    /// Whether a row of the unit may still matter.
    fn matters(&self, unit: &Unit) -> bool {
        self.help.thresholds.as_ref().is_none_or(|thresholds| !thresholds.narrow(unit).is_empty())
    }

    fn tally(&self, context: &QueryContext) -> Arc<Tally> {
        let counters = self.is_counted.then(|| context.counters.clone());
        let notes = self.help.remember.is_some() && !self.filters.is_empty();
        let passing = notes.then(|| Passing::new(self.help.thresholds.is_some()));
        Arc::new(Tally { counters, passing, ..Tally::default() })
    }

    /// Remembers the granules of a unit in which no row passed the steps, or the first of them.
    fn remember(&self, unit: &Unit, tally: &Tally, steps: Steps) {
        let (Some(remember), Some(passing)) = (&self.help.remember, &tally.passing) else { return };
        let part = part_id(&self.store.location(&unit.entry.key));
        let granules = unit.open.granules();
        let first = steps.first.filter(|_| steps.count > 1);
        for (condition, steps) in [(Some(remember.whole), steps.count), (first, 1)] {
            if let (Some(condition), Some(empty)) = (condition, passing.empty(unit, steps)) {
                remember.cache.note(part, condition, granules, &empty);
            }
        }
        for (condition, empty) in passing.of_each() {
            remember.cache.note(part, condition, granules, &empty);
        }
    }

    /// The conditions for the next unit: those of the query that a row of it may fail, and what else it knows by now.
    fn conditions(&self, unit: &Unit) -> Result<Vec<ScanFilter>> {
        let mut conditions: Vec<ScanFilter> = self.filters.iter().filter(|filter| !filter.holds_in(unit)).cloned().collect();
        if let Some(thresholds) = &self.help.thresholds {
            conditions.extend(thresholds.steps(&stored_places(&self.outputs))?);
        }
        Ok(conditions)
    }

    /// `steps`: conditions that were computed of the unit.
    fn count(&self, context: &QueryContext, unit: &Unit, tally: &Tally, steps: usize, output: (u64, u64)) {
        // What the index tells is not read.
        let is_told = steps == 0 && self.only_counts() && context.settings.optimize_use_implicit_projections;
        let (output_rows, output_bytes) = output;
        if self.is_counted && !is_told {
            context.read(unit.rows, tally.decoded_bytes.load(Ordering::Relaxed) + output_bytes);
            context.counters.add(Event::RowsReadByMainReader, output_rows);
        }
    }

    fn reading(&self, context: &Arc<QueryContext>) -> Reading {
        let most = context.settings.block_rows();
        Reading {
            context: context.clone(),
            store: self.store.clone(),
            cache: self.help.granules.clone().filter(|_| self.keeps_granules.load(Ordering::Relaxed)),
            batch_rows: self.help.rows.map_or(most, |rows| most.min(rows.max(1))),
            with_offsets: self.outputs.contains(&Output::PartOffset)
                || self.masked.get().is_some_and(|masked| !masked.is_empty()),
        }
    }
}

/// A unit that is read.
struct Begun {
    reader: UnitReader,
    /// The stored columns that come out, in their order there.
    projection: Projection,
    steps: Steps,
    output_rows: u64,
    output_bytes: u64,
}

/// The conditions that are computed of a unit.
#[derive(Clone, Copy, Debug)]
struct Steps {
    count: usize,
    /// By what the first of them is known to the cache of conditions.
    first: Option<u128>,
}

impl Steps {
    fn of(steps: &[(ScanFilter, Projection)]) -> Steps {
        Steps { count: steps.len(), first: steps.first().and_then(|(step, _)| step.id) }
    }
}

impl Begun {
    /// The next rows, in the scan's schema.
    async fn next(&mut self, shared: &ScanShared) -> Result<Option<RecordBatch>> {
        let Some(stored) = self.reader.next().await? else { return Ok(None) };
        let batch = output(shared, &self.reader.unit, &self.projection, &stored)?;
        self.output_rows += batch.num_rows() as u64;
        self.output_bytes += batch_bytes_about(&batch);
        Ok(Some(batch))
    }

    fn count(&self, shared: &ScanShared, context: &QueryContext) {
        let UnitReader { unit, tally, .. } = &self.reader;
        shared.count(context, unit, tally, self.steps.count, (self.output_rows, self.output_bytes));
        shared.remember(unit, tally, self.steps);
    }
}

pub struct ScanStream {
    shared: Arc<ScanShared>,
    context: Arc<QueryContext>,
    current: Option<Begun>,
    next: Option<Begun>,
}

/// A unit of which enough was read was read as well.
impl Drop for ScanStream {
    fn drop(&mut self) {
        if let Some(current) = &self.current {
            current.count(&self.shared, &self.context);
        }
    }
}

/// Batches of the scan's schema.
pub fn stream(shared: Arc<ScanShared>, context: Arc<QueryContext>) -> impl Stream<Item = Result<RecordBatch>> + Send {
    let state = ScanStream { shared, context, current: None, next: None };
    futures::stream::try_unfold(state, |mut state| async move { Ok(state.next_batch().await?.map(|batch| (batch, state))) })
}

impl ScanStream {
    async fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.context.pace().await;
            if !self.context.may_read()? {
                return Ok(None);
            }
            let mut current = match self.current.take() {
                Some(current) => current,
                None => {
                    let Some(begun) = (match self.next.take() {
                        Some(begun) if self.shared.matters(&begun.reader.unit) => Some(begun),
                        Some(_) => continue,
                        None => begin(&self.shared, &self.context).await?,
                    }) else {
                        return Ok(None);
                    };
                    self.next = begin(&self.shared, &self.context).await?;
                    begun
                }
            };
            let key = current.reader.unit.entry.key.clone();
            match current.next(&self.shared).await.context(|| format!("part {key}"))? {
                Some(batch) => {
                    self.current = Some(current);
                    return Ok(Some(batch));
                }
                None => current.count(&self.shared, &self.context),
            }
        }
    }
}

/// Takes the next unit and sends for the bytes it needs at first.
async fn begin(shared: &ScanShared, context: &Arc<QueryContext>) -> Result<Option<Begun>> {
    let Some(unit) = shared.next_unit(context).await? else { return Ok(None) };
    let find = |places: &[usize]| shared.evolution.projection(context, &unit.open, places);
    let projection = find(&stored_places(&shared.outputs))?;
    let conditions = shared.conditions(&unit)?;
    let steps = in_steps(conditions.iter(), find, &unit.open)?;
    let (made, roots) = (Steps::of(&steps), projection.roots.clone());
    let only = shared.help.only.as_ref().map(|only| only.as_slice());
    let reader = UnitReader::begin(&shared.reading(context), unit, steps, roots, only, shared.tally(context))?;
    Ok(Some(Begun { reader, projection, steps: made, output_rows: 0, output_bytes: 0 }))
}
