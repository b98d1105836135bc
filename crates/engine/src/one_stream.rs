//! Which queries are computed in one stream.
//!
//! Several streams have no order among them, and some results show the order of the rows: `groupArray`, `any`, `argMax` of a
//! tie, the samples of `quantile`, the last digits of a sum of floats. Of few rows ClickHouse makes one stream, so there
//! `SELECT groupArray(number) FROM numbers(100000)` is in order and `any(x)` of a small table is its first row, and people
//! have come to count on it; so do the rows of DISTINCT. Here too: rows are few that ClickHouse would not share out
//! (`merge_tree_min_rows_for_concurrent_read`, one block of `numbers`), and a made-up sequence keeps its order up to where its
//! own rows are shared out. Rejected: one stream for all small queries; most are as right with two, and sooner done.
//!
//! Where nothing sorts, groups or joins, the rows of a small table come in the order in which it keeps them, and those of a LIMIT
//! are its first: there only the scan is one stream.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{Expr, FetchType, LogicalPlan, SkipType, TableScan};
use gristmill_functions::aggregates::order::shows_order;
use gristmill_sources::generate::exec::ROWS_WORTH_SHARING;
use gristmill_sources::generate::table::is_sequence;

/// Rows of one block of ClickHouse's.
const BLOCK_ROWS: usize = 65_409;
/// ClickHouse's `merge_tree_min_rows_for_concurrent_read`.
const ROWS_READ_BY_ONE: usize = 163_840;
/// Stored bytes that are worth a second stream however few rows they are.
const BYTES_READ_BY_ONE: usize = 64 << 20;

/// Rows up to which arrays are joined in one stream too, and which a LIMIT takes from one whatever the table has.
const ROWS_OF_A_GRANULE: usize = 8_192;

/// How many streams a query wants, beside those that the machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Streams {
    Any,
    /// Of the scans; what is above them is computed by several where it keeps their order (`in_order`).
    OneOfScans,
    /// Of the operators; scans below a sort may still be read by several.
    OneAboveSorts,
    /// Of the scans too.
    One,
}

impl Streams {
    pub fn are_scans_in_one(self) -> bool {
        matches!(self, Streams::OneOfScans | Streams::One)
    }

    pub fn are_operators_in_one(self) -> bool {
        matches!(self, Streams::OneAboveSorts | Streams::One)
    }
}

/// See above.
pub fn wanted(plan: &LogicalPlan) -> Streams {
    if is_ordered(plan) {
        return Streams::OneAboveSorts;
    }
    let (mut aggregates, mut shows, mut joins_arrays) = (false, false, false);
    let walked = plan.apply_with_subqueries(|plan| {
        joins_arrays |= matches!(plan, LogicalPlan::Unnest(_));
        // Which of the rows came first is what DISTINCT shows.
        if matches!(plan, LogicalPlan::Distinct(_)) {
            (aggregates, shows) = (true, true);
        }
        if let LogicalPlan::Aggregate(aggregate) = plan {
            aggregates = true;
            shows |= aggregate.aggr_expr.is_empty();
            shows |= aggregate.aggr_expr.iter().any(|expr| match expr.clone().unalias() {
                Expr::AggregateFunction(call) => shows_order(call.func.name()),
                _ => false,
            });
        }
        Ok(if shows { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    if walked.is_err() {
        return Streams::Any;
    }
    let Some(read) = Read::of(plan) else { return Streams::Any };
    let is_one = match (read.sequences_only, shows) {
        (true, true) => read.rows < ROWS_WORTH_SHARING as usize,
        (true, false) => aggregates && read.rows <= BLOCK_ROWS,
        (false, true) => read.is_little(),
        (false, false) => false,
    };
    if is_one {
        return Streams::One;
    }
    if read.sequences_only || !read.is_little() || !comes_as_read(plan) {
        return Streams::Any;
    }
    // Joined arrays are many rows of few, but out of order where several streams make them.
    if joins_arrays && read.rows <= ROWS_OF_A_GRANULE { Streams::One } else { Streams::OneOfScans }
}

/// Whether rows of a scan come out in the order in which they are read: nothing sorts, groups or joins them.
fn comes_as_read(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(_) => true,
        LogicalPlan::Projection(_)
        | LogicalPlan::Filter(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Union(_)
        | LogicalPlan::Unnest(_)
        | LogicalPlan::Window(_)
        | LogicalPlan::Extension(_) => plan.inputs().into_iter().any(comes_as_read),
        _ => false,
    }
}

/// Whether a plan gives all rows of its scan, as they are asked for.
fn gives_all_rows(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(scan) => scan.filters.is_empty(),
        LogicalPlan::Projection(projection) => gives_all_rows(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => gives_all_rows(&alias.input),
        _ => false,
    }
}

/// Whether an aggregate was given an order of rows, or a function counts them behind an ORDER BY.
fn is_ordered(plan: &LogicalPlan) -> bool {
    let (mut found, mut sorts, mut counts) = (false, false, false);
    let walked = plan.apply_with_subqueries(|plan| {
        sorts |= matches!(plan, LogicalPlan::Sort(_));
        for expr in plan.expressions() {
            counts |= expr.exists(|expr| {
                Ok(matches!(expr, Expr::ScalarFunction(call) if gristmill_functions::blocks::looks_at_other_rows(call.name())))
            })?;
        }
        if let LogicalPlan::Aggregate(aggregate) = plan {
            found |= aggregate.aggr_expr.iter().any(|expr| match expr.clone().unalias() {
                Expr::AggregateFunction(call) => !call.params.order_by.is_empty(),
                _ => false,
            });
        }
        Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    (found || (sorts && counts)) && walked.is_ok()
}

/// What a plan reads at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Read {
    rows: usize,
    /// Stored ones, where they are known.
    bytes: usize,
    sequences_only: bool,
}

impl Read {
    const NOTHING: Read = Read { rows: 0, bytes: 0, sequences_only: true };

    /// Whether ClickHouse would read it in one stream.
    fn is_little(self) -> bool {
        self.rows < ROWS_READ_BY_ONE && self.bytes < BYTES_READ_BY_ONE
    }

    /// `None`: it is not known, or rows meet in a join, which makes many of few.
    fn of(plan: &LogicalPlan) -> Option<Read> {
        let mut read = match plan {
            LogicalPlan::TableScan(scan) => Read::of_scan(scan)?,
            LogicalPlan::Join(_) => return None,
            _ => plan.inputs().into_iter().try_fold(Read::NOTHING, |all, input| Some(all.and(Read::of(input)?)))?,
        };
        // An end is heard by rows that are made one after the other, and by a scan of which one granule is enough.
        if let LogicalPlan::Limit(limit) = plan
            && let (Ok(SkipType::Literal(skip)), Ok(FetchType::Literal(Some(fetch)))) =
                (limit.get_skip_type(), limit.get_fetch_type())
        {
            let rows = skip.saturating_add(fetch);
            if read.sequences_only {
                read.rows = read.rows.min(rows);
            } else if rows <= ROWS_OF_A_GRANULE && rows < read.rows && gives_all_rows(&limit.input) {
                read.bytes = read.bytes / read.rows.max(1) * rows;
                read.rows = rows;
            }
        }
        let mut inner = Some(Read::NOTHING);
        plan.apply_subqueries(|subquery| {
            inner = inner.and_then(|all| Some(all.and(Read::of(subquery)?)));
            Ok(TreeNodeRecursion::Jump)
        })
        .ok()?;
        Some(read.and(inner?))
    }

    fn of_scan(scan: &TableScan) -> Option<Read> {
        let provider = source_as_provider(&scan.source).ok()?;
        let sequences_only = is_sequence(provider.as_ref());
        let known = provider.statistics();
        let rows = match known.as_ref().and_then(|known| known.num_rows.get_value().copied()) {
            Some(rows) => rows,
            // Without end, but for a LIMIT.
            None if sequences_only => usize::MAX,
            None => return None,
        };
        let bytes = known.and_then(|known| known.total_byte_size.get_value().copied()).unwrap_or(0);
        Some(Read { rows: scan.fetch.map_or(rows, |fetch| rows.min(fetch)), bytes, sequences_only })
    }

    fn and(self, other: Read) -> Read {
        Read {
            rows: self.rows.saturating_add(other.rows),
            bytes: self.bytes.saturating_add(other.bytes),
            sequences_only: self.sequences_only && other.sequences_only,
        }
    }
}
