//! Queries into DataFusion's logical plans, with ClickHouse's names, types and NULL rules.
//!
//! The order of work for a SELECT is ClickHouse's: FROM and joins, arrayJoin, WHERE, GROUP BY, HAVING, windows, the
//! SELECT list, DISTINCT, ORDER BY, LIMIT BY, LIMIT (`select.rs`). Every expression is lowered to a `Typed`: a DataFusion
//! expression beside the ClickHouse type it has. What DataFusion computes as ClickHouse does is lowered to its native
//! expressions (`operators.rs`), so that pruning and pushdown see it; the rest are calls of our functions.
//!
//! Names of columns inside a plan are made unique here, and mean nothing outside: `Lowered::columns` has the names and
//! types that the user sees. That allows two result columns of one name, which DataFusion's schemas do not.
//!
//! Tables are resolved before lowering begins (`tables.rs`), because resolving asks the catalog and object stores and
//! lowering is not asynchronous.

mod aggregates;
mod any_join;
mod around;
mod array_join;
mod array_join_calls;
pub mod asof;
mod chance_calls;
mod clauses;
mod correlated;
mod exact;
mod exists_join;
mod expr;
pub mod fill;
mod floats;
mod from;
mod grouping;
mod indexed_texts;
mod items;
mod join_get;
mod joins;
mod junctions;
mod lambda_parameters;
mod limits;
mod lowered_once;
mod named_tuples;
mod natural;
mod null_treatment;
mod operators;
pub mod places;
mod planned_names;
mod query;
mod ranges;
mod recursive;
mod sample;
mod scope;
mod select;
mod sets;
mod sets_in_lambdas;
mod setting_calls;
mod shifted_sums;
mod source;
mod stage;
mod subqueries;
mod subquery_names;
mod subquery_settings;
mod table_arguments;
mod table_filters;
mod tables;
mod texts;
mod totals;
mod tuple_sets;
mod window_functions;
mod windows;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{Expr, LogicalPlan, Volatility};
use datafusion::physical_expr::create_physical_expr;
use gristmill_base::allocations::check_wanted;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::{Argument, FunctionEnv, Registry};
use gristmill_introspect::{Settings, Stage};
use gristmill_types::{Columns, SqlType};

pub use items::substituted;
pub use join_get::JoinTable;
pub use joins::MARK_OF_MATCH;
pub use sample::{SAMPLE_FACTOR, SamplingKey, values_of};
pub use scope::{Scope, ScopeColumn};
pub use sets::list_of;
pub use source::{LeftTable, left_table};
pub use table_arguments::with_arguments;
pub use tables::{NameNumbers, ResolvedTable, ResolvedTables, TableResolver, resolve_tables};

use crate::ast::Node;

/// An expression and its ClickHouse type.
#[derive(Clone, Debug)]
pub struct Typed {
    pub expr: Expr,
    pub kind: SqlType,
    /// Carried as Arrow Boolean though its type is UInt8: what comparisons and logic give.
    pub predicate: bool,
}

impl Typed {
    pub fn new(expr: Expr, kind: SqlType) -> Self {
        Typed { expr, kind, predicate: false }
    }

    pub fn constant(&self) -> Option<&ScalarValue> {
        match &self.expr {
            Expr::Literal(value, _) => Some(value),
            _ => None,
        }
    }
}

/// A column of a lowered query: what the user sees, and the plan's column that carries it.
#[derive(Clone, Debug)]
pub struct OutputColumn {
    pub name: String,
    pub kind: SqlType,
    pub expr: Expr,
}

/// A query as a plan. The plan's fields are `columns`, in order.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub plan: LogicalPlan,
    pub columns: Vec<OutputColumn>,
}

impl Lowered {
    pub fn columns(&self) -> Columns {
        Columns::of(self.columns.iter().map(|column| (column.name.clone(), column.kind.clone())))
    }
}

/// Nodes after which it is asked whether the query is still wanted.
const CHECKED_EVERY: u64 = 512;

/// Everything that lowering asks of its surroundings.
pub struct Analyzer<'a> {
    pub registry: &'a Registry,
    pub env: FunctionEnv,
    pub settings: &'a Settings,
    pub tables: &'a ResolvedTables,
    /// Names of WITH RECURSIVE.
    recursive_names: RefCell<HashSet<String>>,
    /// Recursive queries whose step is being lowered, and the rows that the step reads.
    rounds: RefCell<Vec<(String, Lowered)>>,
    /// What subqueries may name of the queries around them, innermost last.
    outer: RefCell<Vec<subqueries::Outer>>,
    /// What WITH and the SELECT lists around the SELECT that is being lowered give names to.
    around: RefCell<around::Around>,
    /// Subqueries that name nothing of the columns outside, by their text and what they see.
    subqueries: RefCell<Vec<(subqueries::Seen, Lowered)>>,
    /// What joins look up in the SELECT that they stand in, innermost last.
    clauses: RefCell<Vec<clauses::Clauses>>,
    /// The order of the rows that the SELECT being lowered reads, where they have one.
    ordering: RefCell<Vec<Sort>>,
    /// Names of the columns of sets.
    members: RefCell<Vec<(LogicalPlan, Expr, String)>>,
    /// What `joinGet` looks up, by what names it.
    joined_rows: RefCell<Vec<(String, join_get::Pairs)>>,
    /// Names of the columns that lambdas compute over, by the lambda's text and the place of each.
    lambda_names: RefCell<HashMap<(String, usize), String>>,
    /// Nodes that were lowered for aliases that stand for them.
    expanded: Cell<u64>,
    /// Whether rows are lowered or totals.
    totals: totals::Wanted,
    /// How far the query is lowered that is next; others are lowered whole.
    stage: Cell<Stage>,
}

impl<'a> Analyzer<'a> {
    pub fn new(registry: &'a Registry, env: FunctionEnv, settings: &'a Settings, tables: &'a ResolvedTables) -> Self {
        Analyzer {
            registry,
            env,
            settings,
            tables,
            recursive_names: RefCell::default(),
            rounds: RefCell::default(),
            outer: RefCell::default(),
            around: RefCell::default(),
            subqueries: RefCell::default(),
            clauses: RefCell::default(),
            ordering: RefCell::default(),
            members: RefCell::default(),
            joined_rows: RefCell::default(),
            lambda_names: RefCell::default(),
            expanded: Cell::new(0),
            totals: totals::Wanted::default(),
            stage: Cell::default(),
        }
    }

    /// So many nodes more are lowered for an alias. Aliases of aliases double with every step, and so do lambdas that use what they are
    /// given twice: a short text may stand for more than there is memory. Errors: BAD_ARGUMENTS, as ClickHouse has it here, and those
    /// of `check_wanted`.
    fn count_expanded(&self, nodes: u64) -> Result<()> {
        let (before, most) = (self.expanded.get(), self.settings.max_expanded_ast_elements);
        let count = before.saturating_add(nodes);
        self.expanded.set(count);
        if most > 0 && count > most {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "Query tree is too big. Maximum: {most}. Use fewer aliases of aliases, or raise max_expanded_ast_elements"
                ),
            ));
        }
        if count / CHECKED_EVERY > before / CHECKED_EVERY { check_wanted() } else { Ok(()) }
    }

    /// A name that no other column or relation of the plan has.
    fn unique(&self, hint: &str) -> String {
        self.tables.names.unique(hint)
    }

    /// Lowers an expression over the columns of one table, such as a key or a default.
    pub fn over_columns(&self, node: &Node, columns: &Columns) -> Result<Typed> {
        let scope = Scope::of_columns(columns);
        let typed = self.expr(node, &scope.rows())?;
        self.as_value(typed)
    }

    /// Lowers a condition over the columns of one table: a boolean, where NULL means no.
    pub fn condition_over_columns(&self, node: &Node, columns: &Columns) -> Result<Expr> {
        let scope = Scope::of_columns(columns);
        self.as_predicate(self.expr(node, &scope.rows())?, "WHERE")
    }

    /// Whether an aggregate function is called in the expression.
    pub fn calls_aggregate(&self, node: &Node) -> bool {
        self.has_aggregate(node, &Scope::default().rows())
    }

    /// Lowers an expression of aggregates over rows of one table that become one, cast to a type. The aggregates stand in
    /// it as DataFusion's. Errors: NOT_AN_AGGREGATE.
    pub fn aggregates_over_columns(&self, node: &Node, columns: &Columns, to: &SqlType) -> Result<Expr> {
        let scope = Scope::of_columns(columns);
        let grouped = aggregates::Grouped::default();
        let context = scope::Context { grouped: Some(&grouped), ..scope.rows() };
        let typed = self.cast(self.expr(node, &context)?, to)?;
        let found = grouped.aggregates.borrow();
        let whole = typed.expr.transform_up(|expr| {
            let name = match &expr {
                Expr::Column(column) => Some(column.name.as_str()),
                _ => None,
            };
            Ok(match found.iter().find(|(_, known, _)| Some(known.as_str()) == name) {
                Some((aggregate, _, _)) => Transformed::yes(aggregate.clone()),
                None => Transformed::no(expr),
            })
        });
        Ok(whole?.data)
    }

    /// Lowers one call of an aggregate over the columns of a table: DataFusion's aggregate, and the type of what it gives.
    pub fn aggregate_over_columns(&self, node: &Node, columns: &Columns) -> Result<Typed> {
        let Node::Call(call) = node else {
            return Err(Error::logical(format!("{node} is taken for an aggregate")));
        };
        let scope = Scope::of_columns(columns);
        let said = self.with_nulls_as_said(call)?;
        let (expr, kind, _) = self.bind_aggregate(said.as_ref().unwrap_or(call), &scope.rows())?;
        Ok(Typed::new(expr, kind))
    }

    /// The value of a constant expression. Error: BAD_ARGUMENTS where it is none.
    pub fn constant(&self, node: &Node) -> Result<(ScalarValue, SqlType)> {
        self.constant_in(node, &Scope::default().rows())
    }

    /// As `constant`, of what may name what WITH and the SELECT list give names to.
    pub(crate) fn constant_in(&self, node: &Node, context: &scope::Context<'_>) -> Result<(ScalarValue, SqlType)> {
        let typed = self.as_value(self.expr(node, context)?)?;
        match self.fold(typed.clone())?.expr {
            Expr::Literal(value, _) => Ok((value, typed.kind)),
            _ => Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Expected a constant expression, found {node}"))),
        }
    }

    /// Casts to a type, for what is put together outside of a query.
    pub fn cast_to(&self, typed: Typed, to: &SqlType) -> Result<Typed> {
        self.convert(typed, to)
    }

    /// As `cast_to`, for a column that the values become part of: days and times stay within what it holds.
    pub fn fitted_to(&self, typed: Typed, to: &SqlType) -> Result<Typed> {
        self.cast(typed, to)
    }

    /// The value of a constant expression in a type. With `null_as_default`, NULL is the default of a type without NULL.
    pub fn constant_as_kind(&self, node: &Node, kind: &SqlType, null_as_default: bool) -> Result<ScalarValue> {
        exact::check_number(node, kind)?;
        let exact = exact::exact(node, kind, null_as_default);
        let scope = Scope::default();
        let typed = self.as_value(self.expr(exact.as_ref().unwrap_or(node), &scope.rows())?)?;
        // What is another each time (`generateUUIDv4()`) is computed here, once.
        let (value, from) = match self.fold(typed)? {
            Typed { expr: Expr::Literal(value, _), kind, .. } => (value, kind),
            Typed { expr, kind, .. } if made_of(&expr, |_| true) => (computed(&expr)?, kind),
            _ => return Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Expected a constant expression, found {node}"))),
        };
        if value.is_null() && !kind.is_nullable() && null_as_default {
            return Ok(gristmill_types::default::default_scalar(kind));
        }
        let cast = self.cast(Typed::new(Expr::Literal(value, None), from), kind)?;
        match self.fold(cast)?.expr {
            Expr::Literal(value, _) => Ok(value),
            _ => Err(Error::new(ErrorCode::BAD_ARGUMENTS, format!("Expected a constant expression, found {node}"))),
        }
    }

    /// Brings a value to a type that it has in common with others; constants are cast at once.
    pub(crate) fn cast(&self, typed: Typed, to: &SqlType) -> Result<Typed> {
        let typed = self.as_value(typed)?;
        if typed.kind == *to {
            return Ok(typed);
        }
        let expr = gristmill_functions::cast_expr(typed.expr, &typed.kind, to, &self.env)?;
        self.fold(Typed::new(expr, to.clone()))
    }

    /// As `cast`, where the query asks for it.
    fn convert(&self, typed: Typed, to: &SqlType) -> Result<Typed> {
        let typed = self.as_value(typed)?;
        if typed.kind == *to {
            return Ok(typed);
        }
        let expr = gristmill_functions::conversion_expr(typed.expr, &typed.kind, to, &self.env)?;
        self.fold(Typed::new(expr, to.clone()))
    }

    /// As a value of its type: comparisons become UInt8.
    pub(crate) fn as_value(&self, typed: Typed) -> Result<Typed> {
        if !typed.predicate {
            return Ok(typed);
        }
        let expr = gristmill_functions::condition_as_number(typed.expr, &typed.kind, &self.env)?;
        self.fold(Typed::new(expr, typed.kind))
    }

    /// As a condition that DataFusion understands: Boolean, NULL meaning no.
    pub(crate) fn as_predicate(&self, typed: Typed, what: &str) -> Result<Expr> {
        if typed.predicate || *typed.kind.plain() == SqlType::Bool {
            return Ok(typed.expr);
        }
        if typed.kind.is_null_literal() {
            return Ok(datafusion::logical_expr::lit(ScalarValue::Boolean(None)));
        }
        if !(typed.kind.is_integer() || typed.kind.is_float()) {
            let code = match what {
                "WHERE" | "PREWHERE" | "HAVING" | "QUALIFY" | "JOIN ON" => ErrorCode::ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER,
                // Of an element of `[]`: no row asks.
                _ if *typed.kind.plain() == SqlType::Nothing => {
                    return Ok(datafusion::logical_expr::lit(ScalarValue::Boolean(Some(false))));
                }
                _ => ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
            };
            return Err(Error::new(code, format!("Illegal type {} of {what}: a condition must be a number", typed.kind)));
        }
        let zero = ScalarValue::new_zero(&typed.kind.arrow())?;
        Ok(self.fold(Typed::new(typed.expr.not_eq(datafusion::logical_expr::lit(zero)), SqlType::UInt8))?.expr)
    }

    pub(crate) fn argument(&self, typed: &Typed) -> Argument {
        Argument { kind: typed.kind.clone(), constant: typed.constant().cloned() }
    }

    /// Computes an expression whose operands are all constants.
    pub(crate) fn fold(&self, typed: Typed) -> Result<Typed> {
        if matches!(typed.expr, Expr::Literal(..)) || !foldable(&typed.expr) {
            return Ok(typed);
        }
        Ok(Typed { expr: Expr::Literal(computed(&typed.expr)?, None), ..typed })
    }
}

/// The value of an expression without columns.
fn computed(expr: &Expr) -> Result<ScalarValue> {
    let context = PhysicalPlanningContext::default();
    let physical = create_physical_expr(expr, &DFSchema::empty(), &ExecutionProps::new(), &context)?;
    let schema = Arc::new(Schema::empty());
    let options = arrow::array::RecordBatchOptions::new().with_row_count(Some(1));
    let batch = RecordBatch::try_new_with_options(schema, Vec::new(), &options)?;
    Ok(match physical.evaluate(&batch)? {
        datafusion::logical_expr::ColumnarValue::Scalar(value) => value,
        datafusion::logical_expr::ColumnarValue::Array(array) => ScalarValue::try_from_array(&array, 0)?,
    })
}

/// Whether an expression has only constants and pure functions in it.
fn foldable(expr: &Expr) -> bool {
    made_of(expr, |volatility| volatility == Volatility::Immutable)
}

/// Whether an expression has only constants and functions in it, each of them with a volatility that is `allowed`.
fn made_of(expr: &Expr, allowed: impl Fn(Volatility) -> bool) -> bool {
    use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
    let mut pure = true;
    let walked = expr.apply(|expr| {
        pure &= match expr {
            Expr::Literal(..)
            | Expr::BinaryExpr(_)
            | Expr::Cast(_)
            | Expr::Case(_)
            | Expr::Not(_)
            | Expr::IsNull(_)
            | Expr::IsNotNull(_)
            | Expr::InList(_)
            | Expr::Negative(_) => true,
            Expr::ScalarFunction(call) => allowed(call.func.signature().volatility),
            _ => false,
        };
        Ok(if pure { TreeNodeRecursion::Continue } else { TreeNodeRecursion::Stop })
    });
    pure && walked.is_ok()
}
