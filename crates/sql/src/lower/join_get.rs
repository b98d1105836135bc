//! `joinGet('table', 'column', keys…)`: what a table of the engine Join has for keys, the default where it has nothing; `joinGetOrNull`: NULL
//! there. The table's keys become one array with the column's values, by a subquery that is computed before the query, and each row's
//! key is looked up in that.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::{Expr, LogicalPlanBuilder};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::value_set::ValueSet;
use gristmill_functions::{Argument, join_get, udf};
use gristmill_types::SqlType;
use sqlparser::ast::{Expr as Tree, FunctionArg, FunctionArgExpr, FunctionArguments};

use super::scope::Context;
use super::tables::TableReference;
use super::{Analyzer, Typed};
use crate::ast::{Literal, Node};
use crate::translate;

/// What a table of the engine Join is asked by.
#[derive(Clone, Debug)]
pub struct JoinTable {
    /// Whether it is of the strictness ANY and the kind LEFT.
    pub is_left_any: bool,
    pub keys: Vec<String>,
    /// Whether its values are NULL where a key is not there.
    pub use_nulls: bool,
}

/// The table that a call of `joinGet` names.
pub(super) fn table_asked(expr: &Tree) -> Option<Vec<String>> {
    let Tree::Function(function) = expr else { return None };
    if !matches!(function.name.to_string().as_str(), "joinGet" | "joinGetOrNull") {
        return None;
    }
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.first() {
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(first))) => name_of_table(&translate::node(first).ok()?),
        _ => None,
    }
}

/// `'database.table'`, `database.table`
fn name_of_table(node: &Node) -> Option<Vec<String>> {
    match node.bare() {
        Node::Name(parts) => Some(parts.clone()),
        Node::Literal(Literal::Text(bytes)) => {
            let text = String::from_utf8_lossy(bytes);
            Some(text.splitn(2, '.').map(ToString::to_string).collect())
        }
        _ => None,
    }
}

fn illegal(text: String) -> Error {
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text)
}

fn no_such_column(name: &str) -> Error {
    let text = format!("The table of joinGet doesn't contain column {name} beside its keys");
    Error::new(ErrorCode::NO_SUCH_COLUMN_IN_TABLE, text)
}

impl Analyzer<'_> {
    /// Errors: NUMBER_OF_ARGUMENTS_DOESNT_MATCH, ILLEGAL_TYPE_OF_ARGUMENT, INCOMPATIBLE_TYPE_OF_JOIN, NO_SUCH_COLUMN_IN_TABLE,
    /// TYPE_MISMATCH.
    pub(super) fn join_get(&self, name: &str, arguments: &[Node], context: &Context<'_>) -> Result<Typed> {
        let wrong_count = |text: String| Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text);
        let [table, column, keys @ ..] = arguments else {
            return Err(wrong_count(format!("Function {name} takes a table, a column and keys")));
        };
        if keys.is_empty() {
            return Err(wrong_count(format!("Function {name} takes keys behind the table and the column")));
        }
        let parts = name_of_table(table).ok_or_else(|| {
            illegal(format!("The first argument of function {name} must be the name of a table, not {table}"))
        })?;
        let reference = TableReference::Table(parts);
        let join = self.tables.by_text.get(&reference.key()).and_then(|table| table.join.clone());
        let join = join.ok_or_else(|| illegal(format!("Table {table} should have the engine Join")))?;
        if !join.is_left_any {
            let text = format!("{name} only supports tables of the engine Join(ANY, LEFT, …)");
            return Err(Error::new(ErrorCode::INCOMPATIBLE_TYPE_OF_JOIN, text));
        }
        if keys.len() != join.keys.len() {
            let text = format!("Function {name} is given {} keys, and the table has {}", keys.len(), join.keys.len());
            return Err(wrong_count(text));
        }
        let column = match self.constant_in(column, context) {
            Ok((ScalarValue::BinaryView(Some(column)), _)) => column,
            Err(error) if error.code() == ErrorCode::UNKNOWN_IDENTIFIER => return Err(error),
            _ => {
                return Err(illegal(format!("The second argument of function {name} must be a column's name, a constant")));
            }
        };
        let column = String::from_utf8_lossy(&column);
        let pairs = self.pairs_of(&reference, &join, &column, name == "joinGetOrNull" || join.use_nulls)?;
        let keys = keys.iter().map(|key| self.as_value(self.expr(key, context)?)).collect::<Result<Vec<Typed>>>()?;
        for (at, (key, wanted)) in keys.iter().zip(&pairs.keys).enumerate() {
            if kind_of_key(&key.kind) != kind_of_key(wanted) {
                let text = format!("Type mismatch in {name} key {at}: found {}, and the table has {wanted}", key.kind);
                return Err(Error::new(ErrorCode::TYPE_MISMATCH, text));
            }
        }
        let key = self.key_of_join(keys)?;
        let described = [&pairs.array, &key].map(|typed| (typed.expr.clone(), self.argument(typed)));
        let (expr, kind) = udf::call_function(name, join_get::function(), described.into(), &self.env)?;
        Ok(Typed::new(expr, kind))
    }

    /// The keys of a table with the values of a column.
    fn pairs_of(&self, reference: &TableReference, join: &JoinTable, column: &str, or_null: bool) -> Result<Pairs> {
        // The same for the same call, so that it is equal to itself wherever it stands.
        let label = format!("joinGet {} {column} {or_null}", reference.key());
        let known = self.joined_rows.borrow().iter().find(|(known, _)| *known == label).map(|(_, pairs)| pairs.clone());
        if let Some(pairs) = known {
            return Ok(pairs);
        }
        let relation = self.table(reference, None)?;
        let of_name = |name: &str| {
            let found = relation.columns.iter().find(|known| known.name == name && !known.hidden);
            found.map(|found| Typed::new(found.expr.clone(), found.kind.clone())).ok_or_else(|| no_such_column(name))
        };
        if join.keys.iter().any(|key| key == column) {
            return Err(no_such_column(column));
        }
        let value = of_name(column)?;
        let kind = if or_null { value.kind.clone().nullable() } else { value.kind.clone() };
        let value = self.cast(value, &kind)?;
        let keys = join.keys.iter().map(|key| of_name(key)).collect::<Result<Vec<Typed>>>()?;
        let kinds = keys.iter().map(|key| key.kind.clone()).collect();
        let rows = LogicalPlanBuilder::from(relation.plan);
        let rows = keys
            .iter()
            .filter(|key| key.kind.is_nullable())
            .try_fold(rows, |rows, key| rows.filter(Expr::IsNotNull(Box::new(key.expr.clone()))))?;
        let key = self.key_of_join(keys)?;
        let parts = [&key, &value].map(|typed| (typed.expr.clone(), Argument { kind: typed.kind.clone(), constant: None }));
        let (pair, kind) = udf::call(self.registry, "tuple", parts.into(), &self.env)?;
        let array = self.gathered("groupArray", rows.build()?, Typed::new(pair, kind))?;
        let pairs = Pairs { keys: kinds, array };
        self.joined_rows.borrow_mut().push((label, pairs.clone()));
        Ok(pairs)
    }

    /// One value that stands for the keys: the only one, or the text of all.
    fn key_of_join(&self, keys: Vec<Typed>) -> Result<Typed> {
        if let [key] = &keys[..] {
            let kind = kind_of_key(&key.kind);
            let kind = if ValueSet::holds(&kind.arrow()) { kind } else { SqlType::String };
            return self.cast(key.clone(), &kind.nullable());
        }
        // The text of a tuple with NULL is that of no row, for rows with NULL are left out.
        let text = |key: Typed| {
            let kind = kind_of_key(&key.kind).nullable();
            self.cast(self.cast(key, &kind)?, &SqlType::String.nullable())
        };
        let parts = keys.into_iter().map(text).collect::<Result<Vec<_>>>()?;
        let parts = parts.iter().map(|part| (part.expr.clone(), self.argument(part))).collect();
        let (texts, kind) = udf::call(self.registry, "tuple", parts, &self.env)?;
        self.cast(Typed::new(texts, kind), &SqlType::String.nullable())
    }
}

/// What keys are compared as. Times of all zones are the same ones, which have different texts in one without summer.
fn kind_of_key(kind: &SqlType) -> SqlType {
    let utc: Option<Arc<str>> = Some(Arc::from("UTC"));
    match kind.plain() {
        SqlType::DateTime(_) => SqlType::DateTime(utc),
        SqlType::DateTime64(scale, _) => SqlType::DateTime64(*scale, utc),
        kind => kind.clone(),
    }
}

/// What a table of the engine Join has of a column.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    /// The types of its keys.
    keys: Vec<SqlType>,
    /// Its keys, as `key_of_join` makes them, with the values.
    array: Typed,
}
