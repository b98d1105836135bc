//! Comparisons of arrays, maps, tuples and UInt256, which functions of ours make: operators of the query engine compare
//! neither NULL inside of values nor unsigned numbers of 256 bits as ClickHouse does.
//!
//! Arrays and maps are ordered as keys are, element by element, NULL behind everything, so a comparison with a constant is a
//! range of keys once the constant is of the key's type. Floats are left out: NaN and NaN are equal in an array, and
//! sort apart. A UInt256 is carried with a sign: its upper half lies below zero in the order of keys.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, MapArray, StructArray, new_null_array};
use arrow::datatypes::{DataType, i256};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, ExprSchemable, Operator};
use gristmill_types::SqlType;
use gristmill_types::order::has_uint256;

use super::analyze::Analyzer;
use super::condition::Node;
use super::inverse::{WIDE, equal_tuple, wide};
use super::monotonic::function_udf;
use super::order::has_floats;

/// The operator that a function is, and whether the opposite of it is asked.
fn operator_of(name: &str) -> Option<(Operator, bool)> {
    Some(match name {
        "equals" => (Operator::Eq, false),
        "notEquals" => (Operator::Eq, true),
        "less" => (Operator::Lt, false),
        "lessOrEquals" => (Operator::LtEq, false),
        "greater" => (Operator::Gt, false),
        "greaterOrEquals" => (Operator::GtEq, false),
        _ => return None,
    })
}

impl Analyzer<'_> {
    /// A comparison that a function makes. `turned`: the constant is on the left.
    pub(super) fn compared(&mut self, call: &ScalarFunction, constant: &ScalarValue, value: &Expr, turned: bool) -> Node {
        let Some((operator, negated)) = operator_of(call.func.name()) else { return Node::Unknown };
        let Some(operator) = (if turned { operator.swap() } else { Some(operator) }) else { return Node::Unknown };
        let (Some(udf), Ok(data_type)) = (function_udf(call), value.get_type(self.columns)) else { return Node::Unknown };
        let [left, right] = udf.arguments() else { return Node::Unknown };
        let (of_value, of_constant) = if turned { (&right.kind, &left.kind) } else { (&left.kind, &right.kind) };
        let node = match &data_type {
            _ if constant.is_null() => return Node::Unknown,
            data_type if *data_type == WIDE => self.unsigned(value, of_value, operator, (constant, of_constant)),
            DataType::Struct(_) | DataType::List(_) | DataType::Map(..) => {
                let is_ordered = operator == Operator::Eq || !has_unsigned(of_value) && !has_unsigned(of_constant);
                let constant = match &data_type {
                    DataType::Struct(_) => equal_tuple(constant, &data_type),
                    _ => fitting(constant, &data_type),
                };
                match constant.filter(|_| is_ordered) {
                    // A row with NULL inside may be NULL where its place in the order tells more: nothing is for certain.
                    Some(constant) => Node::All(vec![self.binary(value, operator, &constant), Node::Unknown]),
                    None => Node::Unknown,
                }
            }
            _ => Node::Unknown,
        };
        match node {
            Node::Unknown => Node::Unknown,
            node if negated => Node::Not(Box::new(node)),
            node => node,
        }
    }

    /// A UInt256 that is a base itself, and a whole number.
    fn unsigned(
        &mut self,
        value: &Expr,
        of_value: &SqlType,
        operator: Operator,
        (constant, of_constant): (&ScalarValue, &SqlType),
    ) -> Node {
        let (SqlType::UInt256, Some(carried)) = (of_value.plain(), wide(constant)) else { return Node::Unknown };
        let is_below_zero = carried < i256::ZERO;
        let is_upper_half = is_below_zero && *of_constant.plain() == SqlType::UInt256;
        if is_below_zero && !is_upper_half {
            return match operator {
                Operator::Eq | Operator::Lt | Operator::LtEq => self.constant(value, false),
                _ => Node::Unknown,
            };
        }
        let mut side = |operator: Operator, bound: i256| self.of_base(value, operator, bound);
        let compared = side(operator, carried);
        match operator {
            Operator::Eq => compared,
            Operator::Lt | Operator::LtEq => {
                let lower_half = side(Operator::GtEq, i256::ZERO);
                let both = vec![lower_half, compared];
                if is_upper_half { Node::Any(both) } else { Node::All(both) }
            }
            _ => {
                let upper_half = side(Operator::Lt, i256::ZERO);
                let both = vec![upper_half, compared];
                if is_upper_half { Node::All(both) } else { Node::Any(both) }
            }
        }
    }

    /// A comparison, as numbers with a sign, of what is a base itself.
    fn of_base(&mut self, value: &Expr, operator: Operator, bound: i256) -> Node {
        let Ok(values) = ScalarValue::Decimal256(Some(bound), 76, 0).to_array() else { return Node::Unknown };
        let atoms = self.atoms_of(value, operator, &values);
        if atoms.is_empty() { Node::Unknown } else { Node::Same(atoms) }
    }
}

/// Whether a UInt256 decides about the order of values.
fn has_unsigned(kind: &SqlType) -> bool {
    match kind.plain() {
        SqlType::Map(key, value) => has_unsigned(key) || has_unsigned(value),
        SqlType::Array(element) => has_unsigned(element),
        SqlType::Tuple(fields) => fields.iter().any(|(_, kind)| has_unsigned(kind)),
        kind => has_uint256(kind),
    }
}

/// A constant in the type of what it is compared with. `None`: it has no equal there, or it is not known.
fn fitting(constant: &ScalarValue, data_type: &DataType) -> Option<ScalarValue> {
    let fitted = fitted(&constant.to_array().ok()?, data_type)?;
    ScalarValue::try_from_array(&fitted, 0).ok()
}

/// Arrays, maps and tuples with the equals of their elements in another type. `None`: one has none, or there are floats.
pub(super) fn fitted(values: &ArrayRef, data_type: &DataType) -> Option<ArrayRef> {
    if has_floats(data_type) || has_floats(values.data_type()) {
        return None;
    }
    if values.data_type() == data_type {
        return Some(values.clone());
    }
    let is_whole = |data_type: &DataType| data_type.is_integer() || *data_type == WIDE;
    let is_text = |data_type: &DataType| {
        use DataType::*;
        matches!(data_type, Utf8 | Utf8View | LargeUtf8 | Binary | BinaryView | LargeBinary)
    };
    Some(match (values.data_type(), data_type) {
        (DataType::Null, _) => new_null_array(data_type, values.len()),
        (DataType::List(_), DataType::List(field)) => {
            let list = values.as_list_opt::<i32>()?;
            let elements = fitted(list.values(), field.data_type())?;
            Arc::new(ListArray::try_new(field.clone(), list.offsets().clone(), elements, list.nulls().cloned()).ok()?)
        }
        (DataType::Struct(_), DataType::Struct(fields)) => {
            let tuple = values.as_struct_opt()?;
            if tuple.num_columns() != fields.len() {
                return None;
            }
            let elements = tuple.columns().iter().zip(fields).map(|(element, field)| fitted(element, field.data_type()));
            let elements = elements.collect::<Option<Vec<_>>>()?;
            Arc::new(StructArray::try_new(fields.clone(), elements, tuple.nulls().cloned()).ok()?)
        }
        (DataType::Map(..), DataType::Map(field, ordered)) => {
            let map = values.as_map_opt()?;
            let entries: ArrayRef = Arc::new(map.entries().clone());
            let entries = fitted(&entries, field.data_type())?.as_struct_opt()?.clone();
            let (offsets, nulls) = (map.offsets().clone(), map.nulls().cloned());
            Arc::new(MapArray::try_new(field.clone(), offsets, entries, nulls, *ordered).ok()?)
        }
        (own, _) if is_whole(own) && is_whole(data_type) => {
            let moved = arrow::compute::cast(values, data_type).ok()?;
            let back = arrow::compute::cast(&moved, own).ok()?;
            (back.as_ref() == values.as_ref()).then_some(moved)?
        }
        (own, _) if is_text(own) && is_text(data_type) => {
            let moved = arrow::compute::cast(values, data_type).ok()?;
            (moved.null_count() == values.null_count()).then_some(moved)?
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use arrow::array::{Int32Array, UInt8Array};
    use arrow::buffer::OffsetBuffer;
    use arrow::datatypes::Field;

    use super::*;

    fn list(values: ArrayRef) -> ArrayRef {
        let field = Arc::new(Field::new("item", values.data_type().clone(), true));
        Arc::new(ListArray::new(field, OffsetBuffer::from_lengths([values.len()]), values, None))
    }

    #[test]
    fn constants_become_what_they_are_compared_with_or_nothing() {
        let of_bytes = list(Arc::new(UInt8Array::from(vec![Some(1), None]))).data_type().clone();
        let fits = list(Arc::new(Int32Array::from(vec![Some(1), None])));
        assert_eq!(fitted(&fits, &of_bytes), Some(list(Arc::new(UInt8Array::from(vec![Some(1), None])))));
        assert_eq!(fitted(&list(Arc::new(Int32Array::from(vec![256]))), &of_bytes), None);
        assert_eq!(fitted(&list(Arc::new(arrow::array::Float64Array::from(vec![1.0]))), &of_bytes), None);
    }
}
