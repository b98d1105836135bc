//! What a query's log has of its operators: a line each, when the operator has done its work. A sort has when it gives its
//! first rows; others when their last stream is at its end, or when the plan is over and nobody wanted the rest. Of a join there is
//! a line more, of the side that it keeps.
//!
//! The figures are those of EXPLAIN ANALYZE; times are summed over streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use datafusion::physical_plan::ExecutionPlan;
use gristmill_base::units;
use gristmill_introspect::operators::OperatorFigures;
use gristmill_introspect::{Event, QueryContext, tell};

use super::figures::of_one;
use super::of;
use crate::limit::Kind;

/// What of an operator was told.
#[derive(Default)]
pub(super) struct Told {
    /// Streams that have done their work.
    done: AtomicUsize,
    is_told: AtomicBool,
    build_is_told: AtomicBool,
}

/// Of one stream of an operator.
pub(super) struct Teller {
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<QueryContext>,
    kind: Kind,
    is_done: bool,
}

impl Teller {
    /// `plan` is measured.
    pub fn new(plan: Arc<dyn ExecutionPlan>, context: Arc<QueryContext>) -> Teller {
        let kind = kind(&plan);
        Teller { plan, context, kind, is_done: false }
    }

    pub fn gave_rows(&mut self) {
        match self.kind {
            Kind::Join => self.built(),
            // A sort that merges sorted streams, and one that keeps the best rows, go on.
            Kind::Sort if matches!(self.plan.name(), "SortExec" | "ParallelSort") => self.done(),
            _ => {}
        }
    }

    pub fn ended(&mut self) {
        if self.kind == Kind::Join {
            self.built();
        }
        self.done();
    }

    fn done(&mut self) {
        if std::mem::replace(&mut self.is_done, true) {
            return;
        }
        let Some(measured) = of(&self.plan) else { return };
        let streams = self.plan.properties().partitioning.partition_count();
        if measured.wrapper().counts().told.done.fetch_add(1, Ordering::Relaxed) + 1 >= streams {
            tell_once(&self.plan, self.kind, &self.context);
        }
    }

    /// The side of a join that is kept is there.
    fn built(&self) {
        let Some(measured) = of(&self.plan) else { return };
        if measured.wrapper().counts().told.build_is_told.swap(true, Ordering::Relaxed) {
            return;
        }
        let Some(operator) = of_one(&self.plan) else { return };
        let (Some(rows), Some(time)) = (operator.metric("build_input_rows"), operator.metric("build_time")) else { return };
        tell!(
            self.context,
            DEBUG,
            "HashJoin",
            "Built the table of the kept side: {rows} rows in {}{}",
            units::duration(Duration::from_nanos(time)),
            in_memory(&operator)
        );
    }
}

fn kind(plan: &Arc<dyn ExecutionPlan>) -> Kind {
    Kind::of(plan.name(), !plan.children().is_empty())
}

/// Tells of the operators of a plan that is over that were not told of.
pub(super) fn tell_rest(plan: &Arc<dyn ExecutionPlan>, context: &QueryContext) {
    for child in plan.children() {
        tell_rest(child, context);
    }
    if of(plan).is_some() {
        tell_once(plan, kind(plan), context);
    }
}

fn tell_once(plan: &Arc<dyn ExecutionPlan>, kind: Kind, context: &QueryContext) {
    let is_first = of(plan).is_some_and(|measured| !measured.wrapper().counts().told.is_told.swap(true, Ordering::Relaxed));
    if let Some(operator) = of_one(plan).filter(|_| is_first) {
        tell_operator(&operator, kind, context);
    }
}

fn tell_operator(operator: &OperatorFigures, kind: Kind, context: &QueryContext) {
    let (rows_in, output) = (operator.input.rows, operator.output());
    let rows = output.rows;
    let (bytes_in, bytes) = (units::bytes_binary(operator.input.bytes as f64), units::bytes_binary(output.bytes as f64));
    let took = units::duration(operator.elapsed());
    let (name, memory, spilled) = (&operator.name, in_memory(operator), spilled(operator));
    let streams = operator.streams.len();
    match kind {
        Kind::Aggregate => tell!(
            context,
            DEBUG,
            "Aggregator",
            "Aggregated. {rows_in} to {rows} rows (from {bytes_in}) in {took} by {streams} streams{}{memory}{spilled} ({name})",
            pace(rows_in, operator)
        ),
        Kind::Sort if name == "SortExec(TopK)" => tell!(
            context,
            DEBUG,
            "PartialSortingTransform",
            "Kept the best {rows} of {rows_in} rows that came ({bytes_in}) in {took} by {streams} streams; their threshold \
             left rows out below{memory}"
        ),
        Kind::Sort if name == "SortPreservingMergeExec" => {
            tell!(context, TRACE, "MergingSortedTransform", "Merged {rows} rows ({bytes}) of sorted streams in {took}");
        }
        Kind::Sort => tell!(
            context,
            DEBUG,
            "MergeSortingTransform",
            "Sorted {rows_in} rows ({bytes_in}) in {took} by {streams} streams{memory}{spilled} ({name})"
        ),
        Kind::Join => tell!(
            context,
            DEBUG,
            "HashJoin",
            "Joined. {rows_in} rows of both sides ({bytes_in}) to {rows} rows ({bytes}) in {took} by {streams} streams{spilled} ({name})"
        ),
        Kind::Window => tell!(
            context,
            DEBUG,
            "WindowTransform",
            "Computed windows over {rows_in} rows ({bytes_in}) in {took} by {streams} streams ({name})"
        ),
        Kind::Scan => tell_scan(operator, context, &took, &bytes),
        Kind::Filter | Kind::Rows | Kind::Write | Kind::Merge | Kind::Mutate | Kind::Delete => tell!(
            context,
            TRACE,
            "PipelineExecutor",
            "{name}: {rows_in} to {rows} rows ({bytes}) in {took}, waited {} for input and {} for output",
            units::duration(operator.input_wait()),
            units::duration(operator.output_wait())
        ),
    }
}

fn tell_scan(operator: &OperatorFigures, context: &QueryContext, took: &str, bytes: &str) {
    let (name, rows, event) = (&operator.name, operator.output().rows, |event| operator.event(event));
    let waited = units::duration(operator.pending());
    let seen = event(Event::SelectedRows);
    let requests = match operator.requests() {
        0 => String::new(),
        requests => format!("; {requests} requests, {}", units::bytes_binary(operator.requested_bytes() as f64)),
    };
    if name.starts_with("ObjectScan") {
        tell!(
            context,
            DEBUG,
            "ReadFromObjectStorage",
            "Read {seen} rows, gave {rows} ({bytes}) in {took}, waited {waited} for bytes; {} row groups read, {} pruned{requests} ({name})",
            event(Event::ParquetReadRowGroups),
            event(Event::ParquetPrunedRowGroups)
        );
        return;
    }
    if name.starts_with("MergeTree") {
        tell!(
            context,
            DEBUG,
            "MergeTreeSelectProcessor",
            "Read {seen} rows, gave {rows} ({bytes}) in {took}, waited {waited} for granules to be fetched; {} rows by PREWHERE, {} by \
             the main reader; columns of granules: {} decoded, {} found in memory{requests} ({name})",
            event(Event::RowsReadByPrewhereReaders),
            event(Event::RowsReadByMainReader),
            event(Event::UncompressedCacheMisses),
            event(Event::UncompressedCacheHits)
        );
        return;
    }
    tell!(context, TRACE, "PipelineExecutor", "{name}: {rows} rows ({bytes}) in {took}{requests}");
}

fn pace(rows: u64, operator: &OperatorFigures) -> String {
    match operator.elapsed().as_secs_f64() {
        seconds if seconds > 0.0 => format!(" ({:.0} rows/sec.)", rows as f64 / seconds),
        _ => String::new(),
    }
}

fn in_memory(operator: &OperatorFigures) -> String {
    let peak = operator.memory_peak.filter(|peak| *peak > 0);
    peak.map_or_else(String::new, |peak| format!(", {} of memory", units::bytes_binary(peak as f64)))
}

fn spilled(operator: &OperatorFigures) -> String {
    match operator.spill.files {
        0 => String::new(),
        files => format!(", spilled {} in {files} files", units::bytes_binary(operator.spill.bytes as f64)),
    }
}
