//! ORDER BY a prefix of the sorting key: the rows lie in that order in every part, so nothing is sorted. In the place of the
//! operator that sorts stands one that gives segments of the order (`segments`) one after the other (`sequence`), and the
//! scan below it reads segments. Filters and projections between them stay, and are computed for several segments at a time.
//!
//! Where the order goes on behind the prefix (`ORDER BY key, other`), each segment is sorted by itself: rows of equal keys
//! lie in one segment. With LIMIT that is left to the operator that keeps the best rows, whose threshold leaves out what
//! lies behind (`top_n`).
//!
//! Sorting is better where parts are many and small: merging as many streams as there are granules saves nothing. So the
//! scan stays as it is where fewer than `GRANULES_OF_A_PART` granules of each part would be merged, on average.

use std::sync::Arc;

use datafusion::common::Result as DataFusionResult;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::Partitioning;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;

use super::exec::MergeTreeScan;
use super::in_order::replaced;
use super::order_match::{OrderMatch, order_match};
use super::ordered_scan::{OrderedScan, Reading};
use super::output::Output;
use super::segments::{Segment, SegmentKeys, SegmentSizes, merged_at_once, segments};
use super::sequence::SequenceExec;
use super::top_n::below;

/// Granules of each part from which on merging parts is worth it.
const GRANULES_OF_A_PART: u64 = 8;
/// Of a segment: enough to be worth its borders, few enough to be held in memory.
const SEGMENT_GRANULES_MAX: usize = 128;
const SEGMENT_GRANULES_MIN: usize = 8;
/// Of a segment's rows as values in memory, about.
const SEGMENT_BYTES: u64 = 32 << 20;

#[derive(Debug)]
pub struct SortInOrder {
    /// Segments that are read at the same time.
    pub threads: usize,
}

impl PhysicalOptimizerRule for SortInOrder {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _config: &ConfigOptions) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        let ordered = plan.transform_up(|plan| {
            if let Some(sort) = plan.downcast_ref::<SortExec>() {
                return Ok(match self.without_sort(sort)? {
                    Some(ordered) => Transformed::yes(ordered),
                    None => Transformed::no(plan),
                });
            }
            // What merged the sorted streams has one stream left.
            let is_done = |input: &Arc<dyn ExecutionPlan>| {
                let sequence = input.downcast_ref::<SequenceExec>();
                input.properties().partitioning.partition_count() == 1
                    && (plan.fetch().is_none() || sequence.is_some_and(|sequence| sequence.fetch() == plan.fetch()))
            };
            let only = plan.downcast_ref::<SortPreservingMergeExec>().map(SortPreservingMergeExec::input);
            match only.filter(|input| is_done(input)) {
                Some(only) => Ok(Transformed::yes(only.clone())),
                None => Ok(Transformed::no(plan)),
            }
        })?;
        Ok(ordered.data)
    }

    fn name(&self) -> &str {
        "mergetree_sort_in_order"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Operators that keep rows in their order, over a scan.
pub(super) struct Chain<'a> {
    /// From the uppermost on; those that only spread rows over streams are left out.
    pub operators: Vec<Arc<dyn ExecutionPlan>>,
    pub scan: &'a MergeTreeScan,
    /// The order over the scan's output.
    pub sorts: Vec<PhysicalSortExpr>,
}

impl<'a> Chain<'a> {
    pub fn of(sort: &'a SortExec) -> DataFusionResult<Option<Chain<'a>>> {
        let (mut operators, mut plan) = (Vec::new(), sort.input());
        let mut sorts: Vec<PhysicalSortExpr> = sort.expr().iter().cloned().collect();
        loop {
            if let Some(scan) = plan.downcast_ref::<MergeTreeScan>() {
                return Ok(Some(Chain { operators, scan, sorts }));
            }
            if plan.fetch().is_some() {
                return Ok(None);
            }
            let spreads = plan.downcast_ref::<CoalescePartitionsExec>().is_some()
                || plan.downcast_ref::<CooperativeExec>().is_some()
                || plan
                    .downcast_ref::<RepartitionExec>()
                    .is_some_and(|plan| matches!(plan.partitioning(), Partitioning::RoundRobinBatch(_)));
            let computes = plan.downcast_ref::<ProjectionExec>().is_some() || plan.downcast_ref::<FilterExec>().is_some();
            if !spreads && !computes {
                return Ok(None);
            }
            if computes {
                for sort in &mut sorts {
                    let Some(expr) = below(plan, sort.expr.clone())? else { return Ok(None) };
                    sort.expr = expr;
                }
                operators.push(plan.clone());
            }
            let [input] = plan.children()[..] else { return Ok(None) };
            plan = input;
        }
    }

    /// The operators over other rows of the scan's columns.
    pub fn over(self, scan: Arc<dyn ExecutionPlan>) -> DataFusionResult<Arc<dyn ExecutionPlan>> {
        self.operators.iter().rev().try_fold(scan, |input, operator| replaced(operator, input))
    }
}

impl SortInOrder {
    /// The same rows in the same order. `None`: sorting is as good, or the only way.
    fn without_sort(&self, sort: &SortExec) -> DataFusionResult<Option<Arc<dyn ExecutionPlan>>> {
        let Some(chain) = Chain::of(sort)? else { return Ok(None) };
        let scan = chain.scan;
        let Some(found) = order_match(scan, &chain.sorts) else { return Ok(None) };
        let is_whole = found.satisfied == chain.sorts.len();
        if !is_whole && (sort.fetch().is_some() || found.backwards) {
            return Ok(None);
        }
        let Some(segments) = self.segments(scan, &found, is_whole, sort.fetch()) else { return Ok(None) };
        let Some(order) = LexOrdering::new(chain.sorts.iter().take(found.satisfied).cloned()) else { return Ok(None) };
        let keys = SegmentKeys::new(&scan.core().layout, &found, &scan.schema())?;
        // The first rows of the scan are the first of the result where nothing leaves any out.
        let keeps_rows = !chain.operators.iter().any(|operator| operator.downcast_ref::<FilterExec>().is_some());
        let rows = sort.fetch().filter(|_| is_whole && keeps_rows);
        let reading = Reading { backwards: found.backwards, keys: Some(Arc::new(keys)), rows, at_once: self.threads };
        let scan = OrderedScan::new(scan, is_whole.then_some(order), segments, reading);
        let mut input = chain.over(Arc::new(scan))?;
        // What stands above looks for the order as it was written.
        if is_whole && !input.properties().eq_properties.ordering_satisfy(sort.expr().iter().cloned())? {
            return Ok(None);
        }
        if !is_whole {
            let sorted = SortExec::new(sort.expr().clone(), input).with_preserve_partitioning(true);
            input = Arc::new(sorted);
        }
        Ok(Some(Arc::new(SequenceExec::new(input, sort.fetch(), self.threads))))
    }

    fn segments(
        &self,
        scan: &MergeTreeScan,
        found: &OrderMatch,
        is_whole: bool,
        rows: Option<usize>,
    ) -> Option<Vec<Segment>> {
        let parts = scan.parts();
        let first = parts.first()?;
        let marks: u64 = parts.iter().map(|part| part.marks()).sum();
        let granule_bytes = granule_bytes(scan)?;
        let most = ((SEGMENT_BYTES / granule_bytes.max(1)) as usize).clamp(1, SEGMENT_GRANULES_MAX);
        // Enough segments for all threads to end together.
        let fair = (marks as usize).div_ceil(self.threads.max(1) * 4).max(SEGMENT_GRANULES_MIN);
        let most = most.min(fair);
        let granule_rows = first.open.as_ref()?.header.granule_rows.max(1) as usize;
        let first = rows.map_or(most, |rows| rows.div_ceil(granule_rows));
        let segments = segments(&scan.core().layout, parts, found, is_whole, SegmentSizes { first, most })?;
        let merged = merged_at_once(&segments) as u64;
        let is_worth_it = if is_whole { merged == 1 || marks >= merged * GRANULES_OF_A_PART } else { segments.len() > 1 };
        is_worth_it.then_some(segments)
    }
}

/// Bytes of a granule's values in memory, of the columns that come out, about. `None`: a part is not open.
fn granule_bytes(scan: &MergeTreeScan) -> Option<u64> {
    let layout = &scan.core().layout;
    let (mut bytes, mut granules) = (0, 0);
    for part in scan.parts() {
        let open = part.open.as_ref()?;
        let found = open.find_columns(layout);
        for output in scan.outputs() {
            let Output::Stored(place) = output else { continue };
            let header =
                found.columns.get(*place).and_then(|found| found.place()).and_then(|at| open.header.columns.get(at));
            bytes += header.map_or(0, |column| column.uncompressed_bytes);
        }
        granules += open.granules() as u64;
    }
    Some(bytes / granules.max(1))
}
