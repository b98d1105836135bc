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

use datafusion::physical_expr::split_conjunction;
use datafusion::physical_expr::utils::collect_columns;
use datafusion::physical_expr_common::physical_expr::snapshot_generation;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;
use parking_lot::Mutex;

use super::filter::ScanFilter;
use super::logical::logical;
use super::unit::Unit;
use crate::index::runs::intersection;
use crate::index::select::Selector;
use crate::layout::Layout;

/// Granules of a part, ascending, apart from one another.
type Granules = Arc<Vec<Range<usize>>>;

#[derive(Debug)]
pub struct Thresholds {
    conditions: Vec<Arc<dyn PhysicalExpr>>,
    layout: Arc<Layout>,
    known: Mutex<Known>,
}

/// What follows from the conditions as they were at one time.
#[derive(Default)]
struct Known {
    generation: Option<u64>,
    /// `None`: nothing can be left out.
    selector: Option<Arc<Selector>>,
    /// By the part's object.
    chosen: HashMap<String, Granules>,
}

impl std::fmt::Debug for Known {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Known({:?}, {} parts)", self.generation, self.chosen.len())
    }
}

impl Thresholds {
    /// Whether a condition is one that a scan of the table can use: it reads stored columns only.
    pub fn is_usable(condition: &Arc<dyn PhysicalExpr>, layout: &Layout) -> bool {
        let columns = collect_columns(condition);
        !columns.is_empty() && columns.iter().all(|column| layout.columns.index_of(column.name()).is_some())
    }

    pub fn new(conditions: Vec<Arc<dyn PhysicalExpr>>, layout: Arc<Layout>) -> Thresholds {
        Thresholds { conditions, layout, known: Mutex::default() }
    }

    /// The unit's granules in which a row may still matter.
    pub fn narrow(&self, unit: &Unit) -> Vec<Range<usize>> {
        match self.chosen(unit) {
            Some(chosen) => intersection(&unit.granules, &chosen),
            None => unit.granules.clone(),
        }
    }

    /// `None`: any granule of the part.
    fn chosen(&self, unit: &Unit) -> Option<Granules> {
        let generation = self.conditions.iter().map(snapshot_generation).fold(0, u64::wrapping_add);
        let selector = {
            let mut known = self.known.lock();
            if known.generation != Some(generation) {
                *known = Known { generation: Some(generation), selector: self.selector(), chosen: HashMap::new() };
            }
            if let Some(chosen) = known.chosen.get(&unit.entry.key) {
                return Some(chosen.clone());
            }
            known.selector.clone()?
        };
        let chosen: Granules = Arc::new(selector.granules(&unit.open).granules);
        let mut known = self.known.lock();
        if known.generation == Some(generation) {
            known.chosen.insert(unit.entry.key.clone(), chosen.clone());
        }
        Some(chosen)
    }

    fn selector(&self) -> Option<Arc<Selector>> {
        let now = self.conditions.iter().filter_map(|condition| now(condition));
        let parts: Vec<_> = now
            .flat_map(|condition| split_conjunction(&condition).into_iter().filter_map(logical).collect::<Vec<_>>())
            .collect();
        let selector = Selector::new(self.layout.clone(), &parts).ok()?;
        selector.needs_parts_open().then(|| Arc::new(selector))
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

/// A condition as it is at the moment. `None`: any row fulfils it yet.
fn now(condition: &Arc<dyn PhysicalExpr>) -> Option<Arc<dyn PhysicalExpr>> {
    let now = condition.snapshot().ok().flatten().unwrap_or_else(|| condition.clone());
    (!collect_columns(&now).is_empty()).then_some(now)
}
