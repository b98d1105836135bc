//! The work of operators, in the units of the calibration, by stage: all operators of one kind.
//!
//! What an operator computes is priced by what it has to do at the least, in seconds of one core: a scan decompresses the
//! bytes that it got and decodes its values, an aggregation looks up a group for each row, a join builds a table of one input
//! and looks up the rows of the other, a sort compares, and everything else takes its rows over. What expressions compute is
//! not priced.

use std::collections::BTreeMap;

use gristmill_calibration::figures::{ALL_CORES, NUMBERS, ONE_CORE, TEXTS};
use gristmill_calibration::{Calibration, Resource};
use gristmill_introspect::operators::{Amount, OperatorFigures, PlanFigures};
use gristmill_introspect::{Counters, Event};

/// Kinds of operators, in the order in which rows pass them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Scan,
    Filter,
    Join,
    Aggregate,
    Window,
    Sort,
    Rows,
    /// What an INSERT does with its rows behind its plan.
    Write,
    /// Of parts, as OPTIMIZE has it.
    Merge,
    /// Of parts, as ALTER … UPDATE and DELETE have it.
    Mutate,
    /// Of rows, as DELETE FROM has it: which are deleted is noted beside parts that stay.
    Delete,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Scan => "scan",
            Kind::Filter => "filter",
            Kind::Join => "join",
            Kind::Aggregate => "aggregate",
            Kind::Window => "window",
            Kind::Sort => "sort",
            Kind::Rows => "rows",
            Kind::Write => "write",
            Kind::Merge => "merge",
            Kind::Mutate => "mutate",
            Kind::Delete => "delete",
        }
    }

    /// Of an operator by its name.
    pub fn of(name: &str, reads_others: bool) -> Kind {
        let has = |word: &str| name.contains(word);
        if !reads_others {
            Kind::Scan
        } else if has("Join") {
            Kind::Join
        } else if has("Aggregate") || has("Groups") {
            Kind::Aggregate
        } else if has("Window") {
            Kind::Window
        } else if has("Sort") {
            Kind::Sort
        } else if has("Filter") {
            Kind::Filter
        } else {
            Kind::Rows
        }
    }
}

/// What a stage did. Core-seconds are seconds of one core.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    pub operators: Vec<String>,
    pub rows_in: u64,
    pub rows_out: u64,
    pub bytes: u64,
    pub read_bytes: u64,
    pub requests: u64,
    pub spilled_bytes: u64,
    /// On threads, summed over them, in seconds.
    pub elapsed: f64,
    /// At the least, with data that are near.
    pub processor: f64,
    /// At the least, waiting for memory that no cache holds.
    pub latency: f64,
    /// Of values that pass through memory.
    pub memory_bytes: f64,
    /// Of all cores, at the least, for values that come in batches which a cache holds.
    pub cache: f64,
    /// Whether something of it is not measured.
    pub is_partly_unknown: bool,
}

/// The work of all plans of a query.
pub(super) fn of(plans: &[PlanFigures], calibration: &Calibration) -> BTreeMap<Kind, Work> {
    let mut stages: BTreeMap<Kind, Work> = BTreeMap::new();
    for plan in plans {
        for (place, operator) in plan.operators.iter().enumerate() {
            let inputs: Vec<&OperatorFigures> = plan.operators.iter().filter(|other| other.parent == Some(place)).collect();
            let kind = Kind::of(&operator.name, !inputs.is_empty());
            stages.entry(kind).or_default().add(kind, operator, &inputs, calibration);
        }
    }
    stages
}

/// What an INSERT did with its rows: they are sorted, unless they came so, and written once, at the least. What compression takes is not
/// measured. `elapsed`: on threads, in seconds. `None`: nothing was inserted.
pub(super) fn of_insert(counters: &Counters, elapsed: f64, calibration: &Calibration) -> Option<Work> {
    let rows = counters.get(Event::InsertedRows);
    if rows == 0 {
        return None;
    }
    let blocks = counters.get(Event::MergeTreeDataWriterBlocks);
    let unsorted = blocks.saturating_sub(counters.get(Event::MergeTreeDataWriterBlocksAlreadySorted));
    let mut work = Work { operators: vec!["INSERT".to_string()], rows_in: rows, rows_out: rows, elapsed, ..Work::default() };
    let bytes = counters.get(Event::MergeTreeDataWriterUncompressedBytes).max(counters.get(Event::InsertedBytes));
    let copied = work.taken_over(bytes, calibration.value(Resource::MemoryCopy, ONE_CORE));
    let sorted = match unsorted {
        0 => Some(()),
        _ => sort_rate((rows / blocks).max(2), calibration).map(|rate| {
            work.processor += rows as f64 * unsorted as f64 / blocks as f64 / rate;
        }),
    };
    work.is_partly_unknown = copied.is_none() || sorted.is_none();
    Some(work)
}

/// What statements that work on parts did: those that rewrite them, and those that note which rows are deleted. `elapsed`: on threads, in
/// seconds; of a DELETE that did both, it is parted by the bytes of each.
pub(super) fn of_parts(counters: &Counters, elapsed: f64, calibration: &Calibration) -> Vec<(Kind, Work)> {
    let mut works: Vec<(Kind, Work)> =
        of_deleting(counters, calibration).into_iter().chain(of_rewriting(counters, calibration)).collect();
    let (all, count) = (works.iter().map(|(_, work)| work.bytes).sum::<u64>(), works.len());
    for (_, work) in &mut works {
        let share = if all > 0 { work.bytes as f64 / all as f64 } else { 1.0 / count as f64 };
        work.elapsed = elapsed * share;
    }
    works
}

/// What DELETE FROM did that wrote no part anew: the columns of its condition are decoded once, and looked through. `None`: it looked at no
/// rows.
fn of_deleting(counters: &Counters, calibration: &Calibration) -> Option<(Kind, Work)> {
    let rows = counters.get(Event::DeleteReadRows);
    if rows == 0 {
        return None;
    }
    let bytes = counters.get(Event::DeleteReadUncompressedBytes);
    let (operators, rows_out) = (vec!["DELETE".to_string()], counters.get(Event::DeleteNotedRows));
    let mut work = Work { operators, rows_in: rows, rows_out, read_bytes: read_bytes(counters), ..Work::default() };
    let filtered = work.taken_over(bytes, calibration.value(Resource::Filter, NUMBERS));
    let decoded = calibration.best(Resource::ParquetDecode, NUMBERS).map(|rate| work.processor += bytes as f64 / rate);
    work.is_partly_unknown = filtered.is_none() || decoded.is_none();
    Some((Kind::Delete, work))
}

fn read_bytes(counters: &Counters) -> u64 {
    counters.get(Event::ReadBufferFromFileDescriptorReadBytes) + counters.get(Event::ReadBufferFromS3Bytes)
}

/// What merges and mutations of parts did with their rows: each is decoded and written once, at the least. What compression and
/// comparing take is not counted. `None`: no part was rewritten.
fn of_rewriting(counters: &Counters, calibration: &Calibration) -> Option<(Kind, Work)> {
    let get = |event| counters.get(event);
    // Rows that are only noted as deleted are not written anew.
    let mutated = get(Event::MutatedRows).saturating_sub(get(Event::DeleteNotedRows));
    let merged = get(Event::MergedRows);
    let (kind, name, rows, written, bytes) = match (merged, mutated) {
        (0, 0) => return None,
        (0, rows) => (Kind::Mutate, "MUTATION", rows, rows, get(Event::MutatedUncompressedBytes)),
        (rows, _) => (Kind::Merge, "MERGE", rows, get(Event::MergeWrittenRows), get(Event::MergedUncompressedBytes)),
    };
    // What a DELETE read that did both is told with its own stage.
    let read_bytes = if get(Event::DeleteReadRows) > 0 { 0 } else { read_bytes(counters) };
    let operators = vec![name.to_string()];
    let mut work = Work { operators, rows_in: rows, rows_out: written, read_bytes, ..Work::default() };
    let copied = work.taken_over(bytes, calibration.value(Resource::MemoryCopy, ONE_CORE));
    let decoded = calibration.best(Resource::ParquetDecode, NUMBERS).map(|rate| work.processor += bytes as f64 / rate);
    work.is_partly_unknown = copied.is_none() || decoded.is_none();
    Some((kind, work))
}

impl Work {
    fn add(&mut self, kind: Kind, operator: &OperatorFigures, inputs: &[&OperatorFigures], calibration: &Calibration) {
        let (input, output) = (operator.input, operator.output());
        let memory_bytes_before = self.memory_bytes;
        if !self.operators.contains(&operator.name) {
            self.operators.push(operator.name.clone());
        }
        // Rows pass several operators of a stage: in counts those of the most, out those of the least.
        self.rows_in = self.rows_in.max(input.rows);
        self.rows_out = if self.rows_out == 0 { output.rows } else { self.rows_out.min(output.rows) };
        self.requests += operator.requests();
        self.spilled_bytes += operator.spill.bytes;
        self.elapsed += operator.elapsed().as_secs_f64();
        let priced = match kind {
            Kind::Scan => self.scan(operator, calibration),
            Kind::Filter => self.taken_over(input.bytes, calibration.value(Resource::Filter, NUMBERS)),
            Kind::Aggregate => self.aggregate(operator, calibration),
            Kind::Join => self.join(inputs, calibration),
            Kind::Sort => self.sort(operator, calibration),
            Kind::Window => self.taken_over(input.bytes, calibration.value(Resource::MemoryCopy, ONE_CORE)),
            // Rows are handed on; what of them is computed is not known.
            Kind::Rows | Kind::Write | Kind::Merge | Kind::Mutate | Kind::Delete => {
                self.taken_over(0, calibration.value(Resource::MemoryCopy, ONE_CORE))
            }
        };
        self.is_partly_unknown |= priced.is_none();
        let passed = self.memory_bytes - memory_bytes_before;
        self.near(passed, if kind == Kind::Scan { output } else { input }, calibration);
    }

    /// Values whose batches fit into a cache do not pass through memory.
    fn near(&mut self, bytes: f64, amount: Amount, calibration: &Calibration) {
        let Some(far) = calibration.value(Resource::MemoryRead, ALL_CORES) else { return };
        let near = calibration.read_rate(ALL_CORES, batch_bytes(amount)).filter(|near| *near > far);
        if let Some(near) = near.filter(|_| amount.batches > 0) {
            self.memory_bytes -= bytes;
            self.cache += bytes / near;
        }
    }

    /// Bytes that go through a kernel of that rate.
    fn taken_over(&mut self, bytes: u64, rate: Option<f64>) -> Option<()> {
        self.bytes += bytes;
        self.memory_bytes += bytes as f64;
        self.processor += bytes as f64 / rate?;
        Some(())
    }

    fn scan(&mut self, operator: &OperatorFigures, calibration: &Calibration) -> Option<()> {
        let output = operator.output();
        // A scan that filters decodes more than it gives, and says how much that was.
        let bytes = operator.event(Event::SelectedBytes).max(output.bytes);
        let rows = operator.event(Event::SelectedRows).max(output.rows);
        self.rows_in = self.rows_in.max(rows);
        let fetched = operator.requested_bytes() + operator.event(Event::ReadBufferFromFileDescriptorReadBytes);
        self.bytes += bytes;
        self.read_bytes += fetched;
        self.memory_bytes += bytes as f64;
        if fetched == 0 && operator.requests() == 0 {
            // Rows were in memory, or are made: they are handed over as they are.
            return Some(());
        }
        let fixed = (rows * operator.fixed_row_bytes).min(bytes);
        let texts = if operator.gives_texts { bytes - fixed } else { 0 };
        let decode = |bytes: u64, ending: &str| match bytes {
            0 => Some(0.0),
            bytes => Some(bytes as f64 / calibration.best(Resource::ParquetDecode, ending)?),
        };
        self.processor += decode(bytes - texts, NUMBERS)? + decode(texts, TEXTS)?;
        // What comes out is at least as much as what went in.
        self.processor += fetched as f64 / calibration.best(Resource::Lz4Decode, "")?;
        Some(())
    }

    fn aggregate(&mut self, operator: &OperatorFigures, calibration: &Calibration) -> Option<()> {
        let (input, output) = (operator.input, operator.output());
        let streams = operator.streams.len().max(1) as u64;
        self.bytes += input.bytes;
        self.memory_bytes += input.bytes as f64;
        if output.rows <= streams {
            // No groups: values are only added up.
            self.processor += input.bytes as f64 / calibration.read_rate(ONE_CORE, batch_bytes(input))?;
            return Some(());
        }
        self.looked_up(input.rows, output.rows / streams, calibration)
    }

    fn join(&mut self, inputs: &[&OperatorFigures], calibration: &Calibration) -> Option<()> {
        let amounts: Vec<_> = inputs.iter().map(|input| input.output()).collect();
        self.bytes += amounts.iter().map(|amount| amount.bytes).sum::<u64>();
        self.memory_bytes += amounts.iter().map(|amount| amount.bytes as f64).sum::<f64>();
        let [built, probed, ..] = amounts[..] else { return Some(()) };
        let streams = inputs.first().map_or(1, |input| input.streams.len().max(1)) as u64;
        let keys = (built.rows / streams).max(1);
        self.processor += built.rows as f64 / calibration.at_size(Resource::HashBuild, "", keys)?;
        self.looked_up(probed.rows, keys, calibration)
    }

    /// Rows that are looked up in a table of so many keys: what that takes more than in a small one is the memory's.
    fn looked_up(&mut self, rows: u64, keys: u64, calibration: &Calibration) -> Option<()> {
        let near = rows as f64 / calibration.at_size(Resource::HashProbe, "", 1)?;
        let there = rows as f64 / calibration.at_size(Resource::HashProbe, "", keys.max(1))?;
        self.processor += near.min(there);
        self.latency += (there - near).max(0.0);
        Some(())
    }

    fn sort(&mut self, operator: &OperatorFigures, calibration: &Calibration) -> Option<()> {
        let input = operator.input;
        self.bytes += input.bytes;
        self.memory_bytes += input.bytes as f64;
        let keeps_few = operator.description.contains("TopK") || operator.name.contains("Merge");
        if keeps_few || input.rows == 0 {
            self.processor += input.bytes as f64 / calibration.value(Resource::Filter, NUMBERS)?;
            return Some(());
        }
        let run = (input.rows / operator.streams.len().max(1) as u64).max(2);
        self.processor += input.rows as f64 / sort_rate(run, calibration)?;
        Some(())
    }
}

/// Of a batch of the usual size.
fn batch_bytes(amount: Amount) -> u64 {
    amount.bytes / amount.batches.max(1)
}

/// Rows a second that one core sorts so many at a time: comparisons grow by the logarithm beyond what was measured.
fn sort_rate(rows: u64, calibration: &Calibration) -> Option<f64> {
    let rate = calibration.at_size(Resource::Sort, NUMBERS, rows)?;
    let of_sort = |figure: &&gristmill_calibration::Figure| figure.resource == Resource::Sort && figure.level == NUMBERS;
    let measured = calibration.figures.iter().filter(of_sort).map(|figure| figure.size).max().unwrap_or(rows).max(2);
    let beyond = (rows.max(2) as f64).ln() / (measured as f64).ln();
    Some(rate / beyond.max(1.0))
}
