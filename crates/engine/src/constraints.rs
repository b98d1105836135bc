//! CONSTRAINT … CHECK: rows that are to be inserted and for which it does not hold fail their INSERT.
//!
//! It stands in the INSERT's plan as a filter that lets every row through or gives the error, so it sees rows as they will be
//! stored, after defaults. ASSUME is what whoever writes rows promises: nothing is checked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow::array::{Array, ArrayRef, BooleanArray};
use arrow::datatypes::DataType;
use datafusion::common::Result as PlanResult;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlanBuilder, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, cast,
};
use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_catalog::databases::full_name;
use gristmill_catalog::{ConstraintDefinition, ConstraintKind, TableDefinition};
use gristmill_functions::Registry;
use gristmill_sql::lower::{Analyzer, Lowered, ResolvedTables};
use gristmill_sql::statement::parse_expression;
use gristmill_types::sql_type::quote_backticks;
use gristmill_types::text::{Escaping, TextOptions, ValueWriter};
use gristmill_types::{Columns, SqlType};
use uuid::Uuid;

use crate::interpret::Interpreter;
use crate::keys::key_env;

const NAME: &str = "__constraint";

/// That each constraint can be computed of the table's columns. Errors: UNKNOWN_IDENTIFIER and whatever an expression may have.
pub fn check_declared(definition: &TableDefinition, registry: &Registry) -> Result<()> {
    let settings = gristmill_introspect::Settings::default();
    let tables = ResolvedTables::default();
    let analyzer = Analyzer::new(registry, key_env(), &settings, &tables);
    for constraint in &definition.constraints {
        let ConstraintDefinition { name, kind, expression } = constraint;
        let node = parse_expression(expression)?;
        let place = || format!("while processing: '{name} {} {expression}'", kind.name());
        analyzer.over_columns(&node, &definition.stored_columns()).context(place)?;
    }
    Ok(())
}

impl Interpreter {
    /// The rows of an INSERT, in the columns that its table stores, checked by the table's constraints.
    /// Errors: VIOLATED_CONSTRAINT when the plan runs; UNSUPPORTED_METHOD where a constraint is no condition.
    pub(crate) fn checked_rows(&self, rows: Lowered, table: &TableDefinition) -> Result<Lowered> {
        let checks = table.constraints.iter().filter(|constraint| constraint.kind == ConstraintKind::Check);
        let stored = table.stored_columns();
        let Lowered { mut plan, columns } = rows;
        for constraint in checks {
            let tables = ResolvedTables::default();
            let env = crate::engine::Engine::function_env(&self.context);
            let analyzer = Analyzer::new(&self.engine.registry, env, &self.context.settings, &tables);
            let typed = analyzer.over_columns(&parse_expression(&constraint.expression)?, &stored)?;
            if !matches!(typed.kind.plain(), SqlType::UInt8 | SqlType::Bool) {
                let text = format!("Constraint {} does not return a value of type UInt8", quote_backticks(&constraint.name));
                return Err(Error::new(ErrorCode::UNSUPPORTED_METHOD, text));
            }
            let used = typed.expr.column_refs().into_iter().map(|column| column.name.clone()).collect::<Vec<_>>();
            let used = Columns::new(stored.iter().filter(|column| used.contains(&column.name)).cloned().collect());
            let columns = used.iter().map(|column| Expr::Column(datafusion::common::Column::new_unqualified(&column.name)));
            let mut arguments = vec![cast(typed.expr, DataType::Boolean)];
            arguments.extend(columns);
            let check = Check {
                constraint: constraint.clone(),
                table: full_name(&table.database, &table.name),
                uuid: table.uuid,
                used,
                rows_before: AtomicUsize::new(0),
                signature: Signature::any(arguments.len(), Volatility::Volatile),
            };
            let check = Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(ScalarUDF::from(check)), arguments));
            plan = LogicalPlanBuilder::from(plan).filter(check)?.build()?;
        }
        Ok(Lowered { plan, columns })
    }
}

/// A condition, and the columns that it is of: true for every row, or the error.
#[derive(Debug)]
struct Check {
    constraint: ConstraintDefinition,
    table: String,
    uuid: Uuid,
    used: Columns,
    /// Rows that were looked at. Several threads count together.
    rows_before: AtomicUsize,
    signature: Signature,
}

impl Check {
    fn violated(&self, row: usize, columns: &[ArrayRef]) -> Error {
        let at = self.rows_before.load(Ordering::Relaxed) + row + 1;
        let options = TextOptions { escaping: Escaping::Quoted, ..TextOptions::default() };
        let value = |(column, array): (&gristmill_types::Column, &ArrayRef)| {
            let mut text = Vec::new();
            if let Ok(writer) = ValueWriter::new(array, &column.kind, &options) {
                writer.write(row, &mut text);
            }
            format!("{} = {}", column.name, String::from_utf8_lossy(&text))
        };
        let values: Vec<String> = self.used.iter().zip(columns).map(value).collect();
        self.error(format!(
            " at row {at}. Expression: ({}). Column values: {}",
            self.constraint.expression,
            values.join(", ")
        ))
    }

    fn error(&self, how: String) -> Error {
        let (name, table, uuid) = (quote_backticks(&self.constraint.name), &self.table, self.uuid);
        Error::new(ErrorCode::VIOLATED_CONSTRAINT, format!("Constraint {name} for table {table} ({uuid}) is violated{how}"))
    }
}

/// One constraint of one table is one check, however often a plan has it.
impl PartialEq for Check {
    fn eq(&self, other: &Self) -> bool {
        self.uuid == other.uuid && self.constraint == other.constraint
    }
}

impl Eq for Check {}

impl std::hash::Hash for Check {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.uuid, &self.constraint.name).hash(state);
    }
}

impl ScalarUDFImpl for Check {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> PlanResult<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> PlanResult<ColumnarValue> {
        let rows = args.number_rows;
        let arrays = args.args.iter().map(|value| value.to_array(rows)).collect::<PlanResult<Vec<_>>>()?;
        let [condition, columns @ ..] = &arrays[..] else { return Err(Error::logical("A check of nothing").into()) };
        let condition = arrow::array::cast::as_boolean_array(condition);
        if condition.null_count() > 0 {
            let expression = &self.constraint.expression;
            let how = format!(
                ". Expression: ({expression}). Constraint expression returns nullable column that contains null value"
            );
            return Err(self.error(how).into());
        }
        if condition.has_false() {
            let row = condition.iter().position(|holds| holds == Some(false)).unwrap_or_default();
            return Err(self.violated(row, columns).into());
        }
        self.rows_before.fetch_add(rows, Ordering::Relaxed);
        Ok(ColumnarValue::Array(Arc::new(BooleanArray::from(vec![true; rows]))))
    }
}
