//! ASOF JOIN: to each row of the left side the nearest row of the right one.
//!
//! Both sides become one relation: its rows have the join's keys, the value that is compared, and either the left side's
//! columns or, as one struct, the right side's. Sorted by keys and value, the struct that was seen last (within the keys)
//! is the nearest row: `last_value(struct) IGNORE NULLS OVER (PARTITION BY keys ORDER BY value)`. Which side's rows come
//! first among equal values decides between `>=` and `>`. The work is one sort of both sides.

use arrow::datatypes::{DataType, Field};
use datafusion::common::{Column, JoinType, ScalarValue};
use datafusion::functions::core::{get_field, named_struct};
use datafusion::functions_window::nth_value::last_value_udwf;
use datafusion::logical_expr::expr::{NullTreatment, WindowFunction, WindowFunctionParams};
use datafusion::logical_expr::{
    Expr, LogicalPlanBuilder, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowFunctionDefinition, lit,
};
use gristmill_base::{Error, ErrorCode, Result};

use super::from::Relation;
use super::joins::{Condition, with_shared_first};
use super::scope::ScopeColumn;
use super::{Analyzer, Typed};

/// What the column begins with that holds the right side's rows, and NULL in those of the left side: whoever counts the rows that
/// a join keeps knows them by it.
pub const ROW: &str = "asof_row";
/// The field that is set in every struct: tells a row without a match.
const MATCHED: &str = "matched";

impl Analyzer<'_> {
    pub(crate) fn asof_join(
        &self,
        left: Relation,
        right: Relation,
        kind: JoinType,
        condition: &Condition,
    ) -> Result<Relation> {
        if !matches!(kind, JoinType::Inner | JoinType::Left) {
            return Err(Error::not_implemented("ASOF JOIN other than INNER and LEFT"));
        }
        let (keys, nearest, operator) = self.asof_condition(&left, &right, condition)?;
        let descending = matches!(operator, "less" | "lessOrEquals");
        let with_equal = matches!(operator, "greaterOrEquals" | "lessOrEquals");

        // One relation of both sides.
        let fields: Vec<Field> = right
            .columns
            .iter()
            .enumerate()
            .map(|(i, column)| Field::new(format!("c{i}"), column.kind.arrow(), true))
            .chain([Field::new(MATCHED, DataType::Boolean, true)])
            .collect();
        let row_type = DataType::Struct(fields.into());
        let names: Vec<String> = keys.iter().map(|_| self.unique("asof_key")).collect();
        let (value, side, row) = (self.unique("asof_value"), self.unique("asof_side"), self.unique(ROW));
        let left_names: Vec<String> = left.columns.iter().map(|column| self.unique(&column.name)).collect();
        let mut from_left: Vec<Expr> = keys.iter().zip(&names).map(|((a, _), name)| a.expr.clone().alias(name)).collect();
        let mut from_right: Vec<Expr> = keys.iter().zip(&names).map(|((_, b), name)| b.expr.clone().alias(name)).collect();
        from_left.push(nearest.0.expr.clone().alias(&value));
        from_right.push(nearest.1.expr.clone().alias(&value));
        // With equality the right side's rows are seen before the left side's rows of the same value.
        let left_side = i8::from(with_equal);
        from_left.push(lit(left_side).alias(&side));
        from_right.push(lit(1 - left_side).alias(&side));
        from_left.push(lit(ScalarValue::try_from(&row_type)?).alias(&row));
        let mut packed = Vec::new();
        for (i, column) in right.columns.iter().enumerate() {
            packed.push(lit(format!("c{i}")));
            packed.push(column.expr.clone());
        }
        packed.extend([lit(MATCHED), lit(true)]);
        let packed = datafusion::logical_expr::cast(named_struct().call(packed), row_type);
        from_right.push(packed.alias(&row));
        for (column, name) in left.columns.iter().zip(&left_names) {
            from_left.push(column.expr.clone().alias(name));
            from_right.push(lit(ScalarValue::try_from(&column.kind.arrow())?).alias(name));
        }
        let mut right_rows = LogicalPlanBuilder::from(right.plan);
        for (_, key) in keys.iter().chain([&nearest]) {
            if key.kind.is_nullable() {
                right_rows = right_rows.filter(Expr::IsNotNull(Box::new(key.expr.clone())))?;
            }
        }
        let right_rows = right_rows.project(from_right)?.build()?;
        let all = LogicalPlanBuilder::from(left.plan).project(from_left)?.union(right_rows)?;

        let column = |name: &str| Expr::Column(Column::new_unqualified(name));
        let mut window_frame = WindowFrame::new(Some(true));
        window_frame.units = WindowFrameUnits::Rows;
        window_frame.start_bound = WindowFrameBound::Preceding(ScalarValue::UInt64(None));
        window_frame.end_bound = WindowFrameBound::CurrentRow;
        let params = WindowFunctionParams {
            args: vec![column(&row)],
            partition_by: names.iter().map(|name| column(name)).collect(),
            order_by: vec![column(&value).sort(!descending, true), column(&side).sort(true, false)],
            window_frame,
            filter: None,
            null_treatment: Some(NullTreatment::IgnoreNulls),
            distinct: false,
        };
        let last = Expr::WindowFunction(Box::new(WindowFunction {
            fun: WindowFunctionDefinition::WindowUDF(last_value_udwf()),
            params,
        }));
        let found = self.unique("asof_found");
        let mut joined = all.window(vec![last.alias(&found)])?.filter(column(&side).eq(lit(left_side)))?;
        let field = |name: &str| get_field().call(vec![column(&found), lit(name)]);
        if kind == JoinType::Inner {
            joined = joined.filter(Expr::IsNotNull(Box::new(field(MATCHED))))?;
        }

        // The columns again.
        let mut projection: Vec<Expr> = left_names.iter().map(|name| column(name)).collect();
        let mut columns: Vec<ScopeColumn> = left
            .columns
            .iter()
            .zip(&left_names)
            .map(|(known, name)| ScopeColumn { expr: column(name), ..known.clone() })
            .collect();
        for (i, known) in right.columns.iter().enumerate() {
            let unpacked = ScopeColumn { expr: field(&format!("c{i}")), ..known.clone() };
            let (expr, kind) = match kind {
                JoinType::Left => self.without_match(&unpacked, &field(MATCHED)),
                _ => (unpacked.expr.clone(), unpacked.kind.clone()),
            };
            let name = self.unique(&known.name);
            projection.push(expr.alias(&name));
            columns.push(ScopeColumn { expr: column(&name), kind, ..known.clone() });
        }
        if let Condition::Using(names) = condition {
            columns = with_shared_first(names, left.columns.len(), columns)?;
        }
        Ok(Relation { plan: joined.project(projection)?.build()?, columns })
    }

    /// The keys that must be equal, the values of which the nearest is looked for, and how these compare.
    fn asof_condition(
        &self,
        left: &Relation,
        right: &Relation,
        condition: &Condition,
    ) -> Result<(Vec<(Typed, Typed)>, (Typed, Typed), &'static str)> {
        let invalid = |what: String| Error::new(ErrorCode::INVALID_JOIN_ON_EXPRESSION, what);
        let mut keys = Vec::new();
        let mut nearest = None;
        match condition {
            Condition::Using(names) => {
                for (i, name) in names.iter().enumerate() {
                    let name = std::slice::from_ref(name);
                    let (a, b) = self.to_common(
                        self.name(name, &left.scope().rows())?,
                        self.name(name, &right.scope().rows())?,
                        "USING",
                    )?;
                    if i + 1 == names.len() {
                        nearest = Some(((a, b), "greaterOrEquals"));
                    } else {
                        keys.push((a, b));
                    }
                }
            }
            Condition::On(parts) => {
                for part in parts {
                    let Some((operator, a, b)) = self.sides(part, left, right)? else {
                        return Err(invalid(format!("ASOF JOIN takes comparisons between the two sides; {part} is none")));
                    };
                    let pair = self.to_common(a, b, operator)?;
                    if operator == "equals" {
                        keys.push(pair);
                    } else if nearest.replace((pair, operator)).is_some() {
                        return Err(invalid("ASOF JOIN takes exactly one inequality".to_string()));
                    }
                }
            }
        }
        match nearest {
            Some((pair, operator)) => Ok((keys, pair, operator)),
            None => Err(invalid("ASOF JOIN needs one inequality, such as ON a.k = b.k AND a.t >= b.t".to_string())),
        }
    }
}
