//! Conditions that tighten while the query runs. `ORDER BY x LIMIT n` keeps the best `n` rows so far, and only what comes
//! before the last of them can still matter; a join knows the keys of its one side when it reads the other. DataFusion
//! hands them down as dynamic filters. Each time a unit is taken the granules that the condition rules out by now are left
//! out of it, by the same indexes that choose granules by a WHERE; and where a query carries more columns than the
//! condition reads, it becomes a step of PREWHERE, so that the others are decoded for the few rows that may still matter.
//!
//! The conditions only help: the operators that made them still see every row that may count, and judge for themselves.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use datafusion::common::DFSchema;
use datafusion::common::tree_node::TreeNode;
use datafusion::physical_expr::expressions::Literal;
use datafusion::physical_expr::split_conjunction;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr_common::physical_expr::snapshot_generation;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;
use parking_lot::Mutex;

use super::filter::ScanFilter;
use super::logical::logical;
use super::unit::Unit;
use crate::index::of_granules::GranuleConditions;
use crate::index::runs::intersection;
use crate::index::statistics::{self, Bounds};
use crate::layout::Layout;

/// Granules of a part, ascending, apart from one another.
type Granules = Arc<Vec<Range<usize>>>;

#[derive(Debug)]
pub struct Thresholds {
    conditions: Vec<Arc<dyn PhysicalExpr>>,
    layout: Arc<Layout>,
    /// Of the stored columns.
    schema: DFSchema,
    known: Mutex<Known>,
    /// Of a column, by the part's object and its place.
    bounds: Mutex<HashMap<(String, usize), Option<Arc<Bounds>>>>,
}

/// What follows from the conditions as they were at one time.
#[derive(Default)]
struct Known {
    generation: Option<u64>,
    /// `None`: nothing can be left out.
    conditions: Option<Arc<GranuleConditions>>,
    /// By the part's object, where the sparse index is asked.
    by_key: HashMap<String, Granules>,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Known({:?}, {} parts)", self.generation, self.by_key.len())
    }
}

impl Thresholds {
    /// Whether a condition is one that a scan of the table can use: it reads stored columns only.
    pub fn is_usable(condition: &Arc<dyn PhysicalExpr>, layout: &Layout) -> bool {
        let columns = collect_columns(condition);
        !columns.is_empty() && columns.iter().all(|column| layout.columns.index_of(column.name()).is_some())
    }

    pub fn new(conditions: Vec<Arc<dyn PhysicalExpr>>, layout: Arc<Layout>) -> Result<Thresholds> {
        let schema = DFSchema::try_from(layout.schema.as_ref().clone())?;
        Ok(Thresholds { conditions, layout, schema, known: Mutex::default(), bounds: Mutex::default() })
    }

    /// The unit's granules in which a row may still matter.
    pub fn narrow(&self, unit: &Unit) -> Vec<Range<usize>> {
        let generation = self.conditions.iter().map(snapshot_generation).fold(0, u64::wrapping_add);
        let (conditions, by_key) = {
            let mut known = self.known.lock();
            if known.generation != Some(generation) {
                *known = Known { generation: Some(generation), conditions: self.conditions(), by_key: HashMap::new() };
            }
            (known.conditions.clone(), known.by_key.get(&unit.entry.key).cloned())
        };
        let Some(conditions) = conditions else { return unit.granules.clone() };
        // A threshold changes with nearly every batch. So the unit's granules alone are asked, and of the column itself: its
        // bounds say what the sparse index would, and more.
        if !conditions.columns.is_unknown() {
            let bounds = |place| self.bounds(unit, place);
            return conditions.by_columns(&bounds, unit.granules.clone());
        }
        let by_key = by_key.unwrap_or_else(|| {
            let chosen: Granules = Arc::new(conditions.by_key(&unit.open));
            let mut known = self.known.lock();
            if known.generation == Some(generation) {
                known.by_key.insert(unit.entry.key.clone(), chosen.clone());
            }
            chosen
        });
        intersection(&unit.granules, &by_key)
    }

    fn conditions(&self) -> Option<Arc<GranuleConditions>> {
        let now = self.conditions.iter().filter_map(|condition| now(condition));
        let parts: Vec<_> = now
            .flat_map(|condition| split_conjunction(&condition).into_iter().filter_map(logical).collect::<Vec<_>>())
            .collect();
        let conditions = GranuleConditions::new(&self.layout, &self.schema, &parts);
        (!conditions.is_unknown()).then(|| Arc::new(conditions))
    }

    fn bounds(&self, unit: &Unit, place: usize) -> Option<Arc<Bounds>> {
        let mut known = self.bounds.lock();
        let read = || statistics::bounds(&unit.open, &self.layout, place).ok().flatten().map(Arc::new);
        known.entry((unit.entry.key.clone(), place)).or_insert_with(read).clone()
    }

    /// The conditions as they are now, as steps before the columns `read` are decoded: those that read less than that.
    pub fn steps(&self, read: &[usize]) -> Result<Vec<ScanFilter>> {
        let mut steps = Vec::new();
        for condition in self.conditions.iter().filter_map(now) {
            // Others (a join's table of keys) cost more a row than they save.
            if logical(&condition).is_none() {
                continue;
            }
            let step = ScanFilter::new(&condition, &self.layout.columns)?;
            if !step.columns.is_empty() && read.iter().any(|place| !step.columns.contains(place)) {
                steps.push(step);
            }
        }
        Ok(steps)
    }
}

/// A condition as it is at the moment. `None`: any row fulfils it yet, or it is not to be relied on.
fn now(condition: &Arc<dyn PhysicalExpr>) -> Option<Arc<dyn PhysicalExpr>> {
    let now = condition.snapshot().ok().flatten().unwrap_or_else(|| condition.clone());
    (!collect_columns(&now).is_empty() && !compares_nested(&now)).then_some(now)
}

/// Whether tuples or arrays are compared: an operator puts NULL inside of them before all values, `ORDER BY` behind.
fn compares_nested(condition: &Arc<dyn PhysicalExpr>) -> bool {
    let is_nested = |expr: &Arc<dyn PhysicalExpr>| {
        expr.downcast_ref::<Literal>().is_some_and(|literal| literal.value().data_type().is_nested())
    };
    condition.exists(|expr| Ok(is_nested(expr))).unwrap_or(true)
}
