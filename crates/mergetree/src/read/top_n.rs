//! `ORDER BY x LIMIT n`: a scan reads first what comes first. The operator that keeps the best `n` rows hands its last one
//! down as a condition (`threshold`); read in the order of `x`, the first granules make this condition as tight as it
//! gets, and what is left of the table is never read. All streams of the scan take part, so that a query whose WHERE lets
//! few rows pass does not wait for one stream that reads in order.
//!
//! Along the sorting key units begin small, about as many granules as the limit has rows, and double: `LIMIT 10` reads one
//! granule of a part. By another column the granules are ordered by its bounds.
//!
//! An order that is wholly one of the sorting key needs none of this: there the operator itself is left out (`sort_in_order`).

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::Result as DataFusionResult;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, PhysicalExpr};

use super::exec::MergeTreeScan;
use super::logical::logical;
use super::unit::{PartSelection, Unit, UnitLimits, units};
use crate::index::value_bounds::ValueBounds;
use crate::layout::Layout;
use crate::part::OpenPart;

/// Which rows a query wants first.
#[derive(Clone, Debug)]
pub struct RowsFirst {
    /// Over columns of the table.
    pub expr: Expr,
    pub descending: bool,
    /// How many rows are enough, of those that pass.
    pub rows: usize,
}

/// Tells scans below `ORDER BY … LIMIT` which rows are wanted first. It changes no plan.
#[derive(Debug)]
pub struct TopNOrder;

impl PhysicalOptimizerRule for TopNOrder {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        visit(&plan)?;
        Ok(plan)
    }

    fn name(&self) -> &str {
        "mergetree_top_n_order"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn visit(plan: &Arc<dyn ExecutionPlan>) -> DataFusionResult<()> {
    if let Some(sort) = plan.downcast_ref::<SortExec>()
        && let Some(rows) = sort.fetch()
    {
        let first = sort.expr().first();
        tell(sort.input(), first.expr.clone(), first.options.descending, rows)?;
    }
    plan.children().into_iter().try_for_each(visit)
}

/// `expr`: over the output of the plan.
fn tell(plan: &Arc<dyn ExecutionPlan>, expr: Arc<dyn PhysicalExpr>, descending: bool, rows: usize) -> DataFusionResult<()> {
    if let Some(scan) = plan.downcast_ref::<MergeTreeScan>() {
        if let Some(expr) = logical(&expr) {
            scan.want_first(RowsFirst { expr, descending, rows });
        }
        return Ok(());
    }
    let Some(below) = below(plan, expr)? else { return Ok(()) };
    plan.children().into_iter().try_for_each(|child| tell(child, below.clone(), descending, rows))
}

/// The expression over the inputs of the plan. `None`: the plan's rows are not those of its inputs.
pub(super) fn below(
    plan: &Arc<dyn ExecutionPlan>,
    expr: Arc<dyn PhysicalExpr>,
) -> DataFusionResult<Option<Arc<dyn PhysicalExpr>>> {
    let replaced = |with: &dyn Fn(usize) -> Option<Arc<dyn PhysicalExpr>>| {
        let replaced = expr.clone().transform_down(|piece| {
            let found = piece.downcast_ref::<Column>().and_then(|column| with(column.index()));
            // What is put in is over the input already: it is not looked into.
            Ok(found.map_or_else(
                || Transformed::no(piece.clone()),
                |found| Transformed::new(found, true, TreeNodeRecursion::Jump),
            ))
        });
        replaced.map(|replaced| Some(replaced.data))
    };
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        return replaced(&|place| projection.expr().get(place).map(|column| column.expr.clone()));
    }
    if let Some(filter) = plan.downcast_ref::<FilterExec>()
        && let Some(places) = filter.projection()
    {
        let schema = filter.input().schema();
        return replaced(&|place| {
            let place = *places.get(place)?;
            Some(Arc::new(Column::new(schema.field(place).name(), place)))
        });
    }
    let keeps_rows = plan.downcast_ref::<FilterExec>().is_some()
        || plan.downcast_ref::<RepartitionExec>().is_some()
        || plan.downcast_ref::<CoalescePartitionsExec>().is_some()
        || plan.downcast_ref::<CooperativeExec>().is_some()
        || plan.downcast_ref::<UnionExec>().is_some();
    Ok(keeps_rows.then_some(expr))
}

/// The units of a scan, in the order in which they promise the rows that are wanted first. Where nothing is known of a
/// granule's rows it is read before the others.
pub fn units_in_order(
    parts: &[(&PartSelection, Arc<OpenPart>)],
    limits: UnitLimits,
    first: &RowsFirst,
    layout: &Arc<Layout>,
    granule_bytes: impl Fn(&OpenPart) -> u64,
) -> VecDeque<Unit> {
    let mut placed: Vec<(Option<Vec<u8>>, Unit)> = Vec::new();
    for (part, open) in parts {
        let bounds = ValueBounds::of(&first.expr, layout, open);
        let cut = match bounds.as_ref().and_then(|bounds| bounds.along_key) {
            Some(key_falls) => {
                let most = limits.granules_of(granule_bytes(open), part.marks());
                growing(part, open, most, first, key_falls != first.descending)
            }
            None => units(&[(*part, open.clone())], limits, &granule_bytes).into(),
        };
        for unit in cut {
            let place = bounds.as_ref().and_then(|bounds| nearest(bounds, &unit, first.descending));
            placed.push((place, unit));
        }
    }
    placed.sort_by(|(a, _), (b, _)| match (a, b) {
        (Some(a), Some(b)) if first.descending => b.cmp(a),
        (a, b) => a.cmp(b),
    });
    placed.into_iter().map(|(_, unit)| unit).collect()
}

/// The bound of the unit's values that is first in the order.
fn nearest(bounds: &ValueBounds, unit: &Unit, descending: bool) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    for granule in unit.granules.iter().flat_map(Clone::clone) {
        all.push(bounds.nearest(granule, descending)?);
    }
    let found = if descending { all.into_iter().max() } else { all.into_iter().min() };
    found.map(<[u8]>::to_vec)
}

/// Units of one part along its rows, or against them, that begin small.
fn growing(part: &PartSelection, open: &Arc<OpenPart>, most: usize, first: &RowsFirst, backwards: bool) -> Vec<Unit> {
    let group = open.granules_in_row_group();
    let mut granules: Vec<usize> = part.granules.iter().flat_map(Clone::clone).collect();
    if backwards {
        granules.reverse();
    }
    let mut wanted = first.rows.div_ceil(open.header.granule_rows.max(1) as usize).clamp(1, most);
    let (mut units, mut left) = (Vec::new(), granules.as_slice());
    while let Some(next) = left.first() {
        let row_group = next / group;
        let taken = left.iter().take(wanted).take_while(|granule| *granule / group == row_group).count();
        let (now, rest) = left.split_at(taken);
        let granules = ranges(now);
        let rows = granules.iter().map(|range| open.rows_of(range.clone())).sum();
        units.push(Unit { entry: part.entry.clone(), open: open.clone(), row_group, granules, rows });
        left = rest;
        wanted = (wanted * 2).min(most);
    }
    units
}

/// Granules, ascending or descending, as ascending ranges.
fn ranges(granules: &[usize]) -> Vec<Range<usize>> {
    let mut sorted = granules.to_vec();
    sorted.sort_unstable();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for granule in sorted {
        match ranges.last_mut().filter(|last| last.end == granule) {
            Some(last) => last.end += 1,
            None => ranges.push(granule..granule + 1),
        }
    }
    ranges
}
