//! Queries that aggregate, answered from the states that an aggregate projection keeps.
//!
//! A rule over the logical plan, before it is optimised: `Aggregate` over conditions over the scan of one table becomes the
//! same over the projection's keys and states, each aggregate by the one that merges its states. That is so where each
//! aggregate of the query is one of the projection, and its keys and conditions can be computed from the projection's
//! keys. What stands above (HAVING, ORDER BY, the rest of the SELECT list) stays as it is.
//!
//! The table's conditions come rewritten as ranges of columns: `toDate(t) = '2020-01-02'` is a range of `t`. A range whose
//! ends lie where a key changes is a range of the key again, since the key rises with the column.

use std::any::Any;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Schema};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchema, ScalarValue, TableReference};
use datafusion::datasource::{provider_as_source, source_as_provider};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::expr::{AggregateFunction, Alias};
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{
    Aggregate, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator, TableScan, binary_expr, lit,
};
use datafusion::physical_expr::create_physical_expr;
use gristmill_base::{ErrorCode, Result};
use gristmill_catalog::{KeyExpression, ProjectedAggregate};

use super::projected::Rejection;
use super::provider::MergeTreeProvider;
use super::states::StatesProvider;
use crate::index::condition::VALUE;
use crate::index::expression::{Optimised, rising_function, same};
use crate::index::select::{conjuncts, unqualified};
use crate::projection::{Contents, Projection, column_name};

/// The plan with scans of tables replaced by those of their aggregate projections, where that is less to read.
pub async fn read_states(plan: LogicalPlan) -> Result<LogicalPlan> {
    let mut found: Vec<Aggregate> = Vec::new();
    plan.apply_with_subqueries(|plan| {
        if let LogicalPlan::Aggregate(aggregate) = plan
            && let Some((scan, _)) = scan_below(&aggregate.input)
            && provider_of(scan, reads_projections).unwrap_or(false)
        {
            found.push(aggregate.clone());
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    let mut replaced: Vec<(Aggregate, LogicalPlan)> = Vec::new();
    for aggregate in found {
        if let Some(by_states) = by_states(&aggregate).await? {
            replaced.push((aggregate, by_states));
        }
    }
    if replaced.is_empty() {
        return Ok(plan);
    }
    let plan = plan.transform_up_with_subqueries(|plan| {
        let known = match &plan {
            LogicalPlan::Aggregate(aggregate) => replaced.iter().find(|(known, _)| known == aggregate),
            _ => None,
        };
        Ok(match known {
            Some((_, by_states)) => Transformed::yes(by_states.clone()),
            None => Transformed::no(plan),
        })
    })?;
    Ok(plan.data)
}

fn reads_projections(provider: &MergeTreeProvider) -> bool {
    let projections = &provider.core().layout.projections;
    provider.context().settings.optimize_use_projections && projections.iter().any(|projection| projection.is_aggregate())
}

/// The scan below conditions, and these.
fn scan_below(plan: &LogicalPlan) -> Option<(&TableScan, Vec<&Expr>)> {
    match plan {
        LogicalPlan::TableScan(scan) => Some((scan, scan.filters.iter().collect())),
        LogicalPlan::Filter(filter) => {
            let (scan, mut conditions) = scan_below(&filter.input)?;
            conditions.push(&filter.predicate);
            Some((scan, conditions))
        }
        _ => None,
    }
}

/// What a question about the table that is scanned is answered with; `None`: it is of another engine, or read with FINAL.
fn provider_of<T>(scan: &TableScan, ask: impl FnOnce(&MergeTreeProvider) -> T) -> Option<T> {
    let provider = source_as_provider(&scan.source).ok()?;
    let table = (provider.as_ref() as &dyn Any).downcast_ref::<MergeTreeProvider>()?;
    Some(ask(table))
}

/// A query over a projection.
struct Rewritten {
    projection: Arc<Projection>,
    conditions: Vec<Expr>,
    keys: Vec<Expr>,
    aggregates: Vec<Expr>,
}

async fn by_states(aggregate: &Aggregate) -> Result<Option<LogicalPlan>> {
    let Some((scan, conditions)) = scan_below(&aggregate.input) else { return Ok(None) };
    let Ok(provider) = source_as_provider(&scan.source) else { return Ok(None) };
    let Some(table) = (provider.as_ref() as &dyn Any).downcast_ref::<MergeTreeProvider>() else { return Ok(None) };
    let settings = &table.context().settings;
    let conditions: Vec<Expr> = conditions.into_iter().cloned().collect();
    let conditions = conjuncts(&conditions).iter().map(unqualified).collect::<Result<Vec<_>>>()?;
    // How many rows there are is known without reading any.
    if conditions.is_empty() && aggregate.group_expr.is_empty() && aggregate.aggr_expr.iter().all(counts_rows) {
        return Ok(None);
    }
    let mut best: Option<(u64, Rewritten, StatesProvider)> = None;
    let mut own: Option<u64> = None;
    let mut rejections = Vec::new();
    for projection in table.core().layout.projections.iter().filter(|projection| projection.is_aggregate()) {
        let rewritten = match rewrite(aggregate, &conditions, projection, table)? {
            Ok(rewritten) => rewritten,
            Err(rejection) => {
                rejections.push((projection.definition.name.clone(), rejection));
                continue;
            }
        };
        let states = StatesProvider::new(table, projection.clone());
        let (kept, rest) = match states.marks(&rewritten.conditions).await {
            // Another process has swept the version: whoever reads the table itself takes a newer one.
            Err(error) if error.code() == ErrorCode::FILE_DOESNT_EXIST => {
                rejections.push((projection.definition.name.clone(), Rejection::new("its data is gone")));
                continue;
            }
            marks => marks?,
        };
        let preferred = [&settings.preferred_optimize_projection_name, &settings.force_optimize_projection_name];
        let is_preferred = preferred.contains(&&projection.definition.name);
        let is_forced = is_preferred || settings.force_optimize_projection;
        if !is_forced {
            let whole = match own {
                Some(marks) => marks,
                None => *own.insert(table.select(&conditions, None, false).await?.1.marks()),
            };
            // With no state kept there is nothing to gain.
            if kept == 0 || kept + rest > whole {
                continue;
            }
        }
        if is_preferred || best.as_ref().is_none_or(|(marks, ..)| kept + rest < *marks) {
            best = Some((kept + rest, rewritten, states));
        }
        if is_preferred {
            break;
        }
    }
    let Some((_, rewritten, states)) = best else {
        table.note_rejections(rejections);
        return Ok(None);
    };
    tracing::debug!("query {} reads projection {}", table.context().query_id, rewritten.projection.definition.name);
    let mut builder = LogicalPlanBuilder::scan(scan.table_name.clone(), provider_as_source(Arc::new(states)), None)?;
    for condition in rewritten.conditions {
        builder = builder.filter(condition)?;
    }
    let plan = builder.aggregate(rewritten.keys, rewritten.aggregates)?.build()?;
    let fields = |schema: &DFSchema| -> Vec<(Option<TableReference>, String, DataType, bool)> {
        let fields = schema.iter().map(|(table, field)| (table.cloned(), field));
        fields.map(|(table, field)| (table, field.name().clone(), field.data_type().clone(), field.is_nullable())).collect()
    };
    // Whoever stands above finds what it found.
    Ok((fields(plan.schema()) == fields(&aggregate.schema)).then_some(plan))
}

/// `count()`
fn counts_rows(expr: &Expr) -> bool {
    match expr {
        Expr::Alias(alias) => counts_rows(&alias.expr),
        Expr::AggregateFunction(call) => {
            call.func.name() == "count"
                && call.params.filter.is_none()
                && call.params.args.iter().all(|argument| matches!(argument, Expr::Literal(..)))
        }
        _ => false,
    }
}

/// The query over the projection, or why it cannot be told from what that keeps.
fn rewrite(
    aggregate: &Aggregate,
    conditions: &[Expr],
    projection: &Arc<Projection>,
    table: &MergeTreeProvider,
) -> Result<std::result::Result<Rewritten, Rejection>> {
    let Contents::Aggregate { keys, aggregates } = &projection.contents else {
        return Ok(Err(Rejection::new("it keeps no states")));
    };
    let over_keys = OverKeys { keys, optimised: Optimised::over(&table.core().layout.schema)? };
    let not_of_keys = |what: &str, expr: &Expr| {
        Ok(Err(Rejection::new(&format!("{what} {expr} cannot be computed from its keys: group by it in the projection"))))
    };
    let mut rewritten =
        Rewritten { projection: projection.clone(), conditions: Vec::new(), keys: Vec::new(), aggregates: Vec::new() };
    for condition in conditions {
        let Some(over_keys) = over_keys.rewrite(condition) else { return not_of_keys("the condition", condition) };
        rewritten.conditions.push(over_keys);
    }
    for key in &aggregate.group_expr {
        let renamed = match key {
            Expr::Alias(alias) => over_keys
                .rewrite(&unqualified(&alias.expr)?)
                .map(|expr| expr.alias_qualified(alias.relation.clone(), &alias.name)),
            // A column that is grouped by keeps its name and the table's.
            Expr::Column(column) => {
                over_keys.rewrite(&unqualified(key)?).filter(|expr| *expr == named(&column.name)).map(|_| key.clone())
            }
            _ => None,
        };
        let Some(renamed) = renamed else { return not_of_keys("the key", &unqualified(key)?) };
        rewritten.keys.push(renamed);
    }
    for expr in &aggregate.aggr_expr {
        let (expr, name) = match expr {
            Expr::Alias(Alias { expr, name, .. }) => (expr.as_ref(), name.clone()),
            other => (other, other.schema_name().to_string()),
        };
        let kept = match unqualified(expr)? {
            Expr::AggregateFunction(call) => aggregates.iter().find(|kept| is_of(&call, kept, &over_keys.optimised)),
            _ => None,
        };
        let Some(kept) = kept else {
            return Ok(Err(Rejection::new(&format!(
                "it keeps no states of {}: add it to the projection",
                unqualified(expr)?
            ))));
        };
        rewritten.aggregates.push(kept.merged.clone().alias(name));
    }
    Ok(Ok(rewritten))
}

/// Whether the call is the aggregate that states are kept of.
fn is_of(call: &AggregateFunction, kept: &ProjectedAggregate, optimised: &Optimised) -> bool {
    let Expr::AggregateFunction(plain) = &kept.plain else { return false };
    let (a, b) = (&call.params, &plain.params);
    let same = |a: &Expr, b: &Expr| same(a, b) || same(&optimised.of(a), &optimised.of(b));
    let filters = match (&a.filter, &b.filter) {
        (Some(a), Some(b)) => same(a, b),
        (None, None) => true,
        _ => false,
    };
    call.func == plain.func
        && a.distinct == b.distinct
        && filters
        && a.order_by.is_empty()
        && a.args.len() == b.args.len()
        && a.args.iter().zip(&b.args).all(|(a, b)| same(a, b))
}

fn named(name: &str) -> Expr {
    Expr::Column(Column::new_unqualified(name))
}

/// Expressions over a table's columns as ones over the columns of a projection that are its keys.
struct OverKeys<'a> {
    keys: &'a [KeyExpression],
    optimised: Optimised,
}

impl OverKeys<'_> {
    /// `None`: a column stands in it from which no key is known.
    fn rewrite(&self, expr: &Expr) -> Option<Expr> {
        if expr.is_volatile() {
            return None;
        }
        let mut is_known = true;
        let rewritten = expr.clone().transform_down(|expr| {
            if let Some(key) = self.key(&expr) {
                return Ok(Transformed::new(named(column_name(key)), true, TreeNodeRecursion::Jump));
            }
            if let Some(range) = self.range(&expr) {
                return Ok(Transformed::new(range, true, TreeNodeRecursion::Jump));
            }
            is_known &= !matches!(
                expr,
                Expr::Column(_)
                    | Expr::OuterReferenceColumn(..)
                    | Expr::ScalarSubquery(_)
                    | Expr::InSubquery(_)
                    | Expr::Exists(_)
            );
            Ok(Transformed::no(expr))
        });
        rewritten.ok().filter(|_| is_known).map(|rewritten| rewritten.data)
    }

    /// The key that the expression is, as it stands or as the optimiser writes it.
    fn key(&self, expr: &Expr) -> Option<&KeyExpression> {
        let as_it_is = self.keys.iter().find(|key| same(&key.logical, expr));
        as_it_is.or_else(|| {
            let reads = expr.column_refs();
            let mut computed =
                self.keys.iter().filter(|key| key.column().is_none() && key.logical.column_refs() == reads).peekable();
            computed.peek()?;
            let expr = self.optimised.of(expr);
            computed.find(|key| same(&key.logical, &expr))
        })
    }

    /// A comparison of a column with a constant as one of a key that rises with it: where the key changes at the constant,
    /// both are the same.
    fn range(&self, expr: &Expr) -> Option<Expr> {
        let Expr::BinaryExpr(comparison) = expr else { return None };
        let (Expr::Column(column), Expr::Literal(value, _)) = (comparison.left.as_ref(), comparison.right.as_ref()) else {
            return None;
        };
        let of_column = named(&column.name);
        if of_column.get_type(&self.optimised.schema).ok()? != value.data_type() {
            return None;
        }
        // `c > v` is `c >= v + 1`, and `c <= v` is `c < v + 1`.
        let (first, operator) = match comparison.op {
            Operator::GtEq => (value.clone(), Operator::GtEq),
            Operator::Lt => (value.clone(), Operator::Lt),
            Operator::Gt => (step(value, 1)?, Operator::GtEq),
            Operator::LtEq => (step(value, 1)?, Operator::Lt),
            _ => return None,
        };
        let before = step(&first, -1)?;
        self.keys.iter().find_map(|key| {
            let function = rising_function(&key.logical, &of_column, &self.optimised.schema)?;
            let (at, just_before) = (applied(&function, &first)?, applied(&function, &before)?);
            let changes = !at.is_null() && !just_before.is_null() && at != just_before;
            changes.then(|| binary_expr(named(column_name(key)), operator, lit(at)))
        })
    }
}

/// The value that many steps further; `None` where its type has no steps.
fn step(value: &ScalarValue, by: i64) -> Option<ScalarValue> {
    macro_rules! stepped {
        ($($kind:ident($type:ty)),*; $($time:ident),*) => {
            match value {
                $(ScalarValue::$kind(Some(value)) => {
                    Some(ScalarValue::$kind(Some(<$type>::try_from(i128::from(*value) + i128::from(by)).ok()?)))
                })*
                $(ScalarValue::$time(Some(value), zone) => {
                    Some(ScalarValue::$time(Some(value.checked_add(by)?), zone.clone()))
                })*
                _ => None,
            }
        };
    }
    stepped!(
        Int8(i8), Int16(i16), Int32(i32), Int64(i64), UInt8(u8), UInt16(u16), UInt32(u32), UInt64(u64), Date32(i32);
        TimestampSecond, TimestampMillisecond, TimestampMicrosecond, TimestampNanosecond
    )
}

/// What a function of the column `VALUE` gives for a value.
fn applied(function: &Expr, value: &ScalarValue) -> Option<ScalarValue> {
    let array = value.to_array().ok()?;
    let field = arrow::datatypes::Field::new(VALUE, array.data_type().clone(), true);
    let schema = Arc::new(Schema::new(vec![field]));
    let batch = RecordBatch::try_new(schema.clone(), vec![array]).ok()?;
    let schema = DFSchema::try_from(schema.as_ref().clone()).ok()?;
    let physical =
        create_physical_expr(function, &schema, &ExecutionProps::new(), &PhysicalPlanningContext::default()).ok()?;
    let values = physical.evaluate(&batch).ok()?.into_array(1).ok()?;
    ScalarValue::try_from_array(&values, 0).ok()
}
