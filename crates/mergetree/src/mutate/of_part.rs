//! Columns that no part stores, in the expressions of a mutation: `_part` and `_partition_id` are constants of the part whose
//! rows are changed, `_part_offset` stands behind the stored columns in its batches.

use std::sync::Arc;

use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::logical_expr::Expr;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::{Column as PhysicalColumn, Literal};
use gristmill_base::Result;
use gristmill_catalog::ColumnExpression;
use gristmill_types::{Column, Columns, SqlType};

use crate::manifest::PartEntry;
use crate::read::{PART, PART_OFFSET, PARTITION_ID};

/// What expressions may name: the declared columns, and these where no declared one has the name.
pub fn nameable(declared: &Columns) -> Columns {
    let known = [(PART, SqlType::String), (PARTITION_ID, SqlType::String), (PART_OFFSET, SqlType::UInt64)];
    let added = known.into_iter().filter(|(name, _)| declared.get(name).is_none());
    let added = added.map(|(name, kind)| Column::new(name, kind));
    Columns::new(declared.iter().cloned().chain(added).collect())
}

/// The value of a column that is the same in all rows of the part.
fn constant(declared: &Columns, part: &PartEntry, name: &str) -> Option<ScalarValue> {
    let text = match name {
        PART => &part.name,
        PARTITION_ID => &part.partition_id,
        _ => return None,
    };
    declared.get(name).is_none().then(|| ScalarValue::BinaryView(Some(text.as_bytes().to_vec())))
}

/// The expression with the part's constants in the place of their names.
pub fn with_constants(expression: ColumnExpression, declared: &Columns, part: &PartEntry) -> Result<ColumnExpression> {
    let value = |name: &str| constant(declared, part, name);
    if !expression.inputs.iter().any(|name| value(name).is_some()) {
        return Ok(expression);
    }
    let inputs: Vec<String> = expression.inputs.iter().filter(|name| value(name).is_none()).cloned().collect();
    let logical = expression.logical.transform(|expr| {
        let constant = if let Expr::Column(column) = &expr { value(&column.name) } else { None };
        Ok(match constant {
            Some(constant) => Transformed::yes(Expr::Literal(constant, None)),
            None => Transformed::no(expr),
        })
    })?;
    let physical = expression.physical.transform(|expr| {
        let Some(column) = expr.downcast_ref::<PhysicalColumn>().cloned() else { return Ok(Transformed::no(expr)) };
        let name = column.name();
        let replaced: Arc<dyn PhysicalExpr> = match (value(name), inputs.iter().position(|input| input == name)) {
            (Some(constant), _) => Arc::new(Literal::new(constant)),
            (None, Some(at)) => Arc::new(PhysicalColumn::new(name, at)),
            (None, None) => return Ok(Transformed::no(expr)),
        };
        Ok(Transformed::yes(replaced))
    })?;
    Ok(ColumnExpression { inputs, physical: physical.data, logical: logical.data })
}
