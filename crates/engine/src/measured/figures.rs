//! What was counted of a plan's operators.

use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use datafusion::physical_plan::metrics::{MetricValue, MetricsSet};
use gristmill_base::redact;
use gristmill_introspect::operators::{Amount, OperatorFigures, Spill};

use super::exec::OperatorCounts;
use super::of;

/// Of the description of an operator.
const DESCRIPTION_BYTES_MAX: usize = 1024;

/// The operators of a plan that is measured, each before those it reads. Nothing where it is not. `is_exact`: with what operators
/// count themselves, which a log does not have.
pub(crate) fn figures(plan: &Arc<dyn ExecutionPlan>, is_exact: bool) -> Vec<OperatorFigures> {
    let mut all = Vec::new();
    walk(plan, None, is_exact, &mut all);
    for place in (0..all.len()).rev() {
        let (output, parent) = (all[place].output(), all[place].parent);
        if let Some(parent) = parent {
            let input: Amount = all[parent].input;
            all[parent].input = input.plus(output);
        }
    }
    all
}

fn walk(plan: &Arc<dyn ExecutionPlan>, parent: Option<usize>, is_exact: bool, all: &mut Vec<OperatorFigures>) {
    let mut below = parent;
    if let Some(measured) = of(plan) {
        below = Some(all.len());
        all.push(OperatorFigures { parent, ..own(plan, measured.wrapper().counts(), is_exact) });
    }
    for child in plan.children() {
        walk(child, below, is_exact, all);
    }
}

/// One operator of a plan that is measured, with what its inputs gave; `None`: it is not.
pub(super) fn of_one(plan: &Arc<dyn ExecutionPlan>) -> Option<OperatorFigures> {
    let figures = own(plan, of(plan)?.wrapper().counts(), true);
    let mut input = Amount::default();
    plan.children().into_iter().for_each(|child| add_given(child, &mut input));
    Some(OperatorFigures { input, ..figures })
}

/// What the nearest operators that are measured give.
fn add_given(plan: &Arc<dyn ExecutionPlan>, sum: &mut Amount) {
    match of(plan) {
        Some(measured) => {
            for stream in measured.wrapper().counts().streams() {
                *sum = sum.plus(stream.figures().output);
            }
        }
        None => plan.children().into_iter().for_each(|child| add_given(child, sum)),
    }
}

/// Without what its inputs gave.
fn own(plan: &Arc<dyn ExecutionPlan>, counts: &OperatorCounts, is_exact: bool) -> OperatorFigures {
    let mut streams: Vec<_> = counts.streams().iter().map(|stream| stream.figures()).collect();
    streams.sort_by_key(|stream| stream.partition);
    let metrics = plan.metrics().unwrap_or_default();
    OperatorFigures {
        parent: None,
        name: plan.name().to_string(),
        description: description(plan),
        input: Amount::default(),
        streams,
        busy: counts.time.busy(),
        at_once_max: counts.time.open_max(),
        spill: Spill {
            files: metrics.spill_count().unwrap_or(0) as u64,
            rows: metrics.spilled_rows().unwrap_or(0) as u64,
            bytes: metrics.spilled_bytes().unwrap_or(0) as u64,
        },
        fixed_row_bytes: plan.schema().fields().iter().filter_map(|field| field.data_type().primitive_width()).sum::<usize>()
            as u64,
        gives_texts: plan.schema().fields().iter().any(|field| field.data_type().primitive_width().is_none()),
        memory_peak: memory_peak(&metrics),
        counters: counts.counters(),
        metrics: if is_exact { own_metrics(metrics) } else { Vec::new() },
    }
}

/// Bytes that its streams held at most: each at a moment of its own.
fn memory_peak(metrics: &MetricsSet) -> Option<u64> {
    let peaks = metrics.iter().filter_map(|metric| match metric.value() {
        MetricValue::PeakMemoryUsage { gauge, .. } => Some(gauge.value() as u64),
        _ => None,
    });
    peaks.reduce(|sum, peak| sum + peak)
}

/// What the operator counts that is not told already.
fn own_metrics(metrics: MetricsSet) -> Vec<(String, u64)> {
    let told = |value: &MetricValue| {
        matches!(
            value,
            MetricValue::OutputRows(_)
                | MetricValue::OutputBytes(_)
                | MetricValue::OutputBatches(_)
                | MetricValue::SpillCount(_)
                | MetricValue::SpilledBytes(_)
                | MetricValue::SpilledRows(_)
                | MetricValue::PeakMemoryUsage { .. }
                | MetricValue::StartTimestamp(_)
                | MetricValue::EndTimestamp(_)
        )
    };
    let metrics = metrics.aggregate_by_name();
    let counted = metrics.iter().map(|metric| metric.value()).filter(|value| !told(value));
    counted.map(|value| (value.name().to_string(), value.as_usize() as u64)).filter(|(_, value)| *value > 0).collect()
}

/// As EXPLAIN shows it, without secrets, cut at the border of a character.
pub(crate) fn description(plan: &Arc<dyn ExecutionPlan>) -> String {
    let text = redact::statement(DisplayableExecutionPlan::new(plan.as_ref()).one_line().to_string().trim_end());
    text[..text.floor_char_boundary(DESCRIPTION_BYTES_MAX)].to_string()
}
