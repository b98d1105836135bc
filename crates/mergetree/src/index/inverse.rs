//! Comparisons of functions that are not monotonic as comparisons of their arguments, where what a function is of is told
//! by what it gives: `abs(x) = 7` is `x IN (-7, 7)`, `ifNull(x, 0) = 7` is `x = 7`, and is `x IS NULL` beside where the default
//! passes.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StructArray};
use arrow::datatypes::{DataType, i256};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{Expr, ExprSchemable, Operator};

use super::analyze::{Analyzer, Comparison, is_float};
use super::condition::Node;
use super::monotonic::function_udf;

/// What integers of all widths fit into.
pub(super) const WIDE: DataType = DataType::Decimal256(76, 0);

impl Analyzer<'_> {
    /// What the comparison of a call says of its argument.
    pub(super) fn inverse(&mut self, expr: &Expr, comparison: &Comparison) -> Node {
        let Expr::ScalarFunction(call) = expr else { return Node::Unknown };
        let found = match (call.func.name(), &call.args[..]) {
            ("abs", [of]) => self.distance(call, of, comparison),
            ("ifNull" | "coalesce", [of, Expr::Literal(default, _)]) => self.defaulted(call, of, default, comparison),
            _ => None,
        };
        found.unwrap_or(Node::Unknown)
    }

    /// What is so of every value; where there may be none, nothing is for certain.
    pub(super) fn constant(&self, of: &Expr, is_so: bool) -> Node {
        match of.nullable(self.columns) {
            Ok(false) => Node::Constant(is_so),
            _ => Node::Unknown,
        }
    }

    /// `ifNull(of, default)`
    fn defaulted(
        &mut self,
        call: &ScalarFunction,
        of: &Expr,
        default: &ScalarValue,
        comparison: &Comparison,
    ) -> Option<Node> {
        function_udf(call)?;
        let data_type = comparison.values.data_type();
        if default.is_null() || of.get_type(self.columns).ok()? != *data_type {
            return None;
        }
        let default = default.cast_to(data_type).ok().filter(|default| !default.is_null())?;
        if number(&default).is_some_and(f64::is_nan) {
            return None;
        }
        let passes = values(&comparison.values)?.iter().any(|value| {
            let order = match number(&default).zip(number(value)) {
                Some((default, value)) => default.partial_cmp(&value),
                None => default.partial_cmp(value),
            };
            order.is_none_or(|order| match comparison.operator {
                Operator::Lt => order.is_lt(),
                Operator::LtEq => order.is_le(),
                Operator::Gt => order.is_gt(),
                Operator::GtEq => order.is_ge(),
                _ => order.is_eq(),
            })
        });
        let value = self.compare(of, comparison);
        Some(if passes { Node::Any(vec![value, self.null(of)]) } else { value })
    }

    /// `abs(of)`
    fn distance(&mut self, call: &ScalarFunction, of: &Expr, comparison: &Comparison) -> Option<Node> {
        match function_udf(call)?.arguments().first()?.kind.plain().integer_bits() {
            // The least value of the widest type is its own distance.
            Some((bits, _)) if bits > 128 => None,
            Some(_) => self.distance_of_integers(of, comparison),
            None => self.distance_of_reals(of, comparison),
        }
    }

    /// `abs(of)` of decimals and floats.
    fn distance_of_reals(&mut self, of: &Expr, comparison: &Comparison) -> Option<Node> {
        let data_type = comparison.values.data_type();
        if of.get_type(self.columns).ok()? != *data_type {
            return None;
        }
        let zero = ScalarValue::new_zero(data_type).ok()?;
        let is_distance = |value: &ScalarValue| value.partial_cmp(&zero).is_some_and(|order| order.is_ge());
        let distances = values(&comparison.values)?;
        if comparison.operator == Operator::Eq {
            let mut points = Vec::new();
            for distance in distances.into_iter().filter(|value| is_distance(value)) {
                points.extend([distance.arithmetic_negate().ok()?, distance]);
            }
            let values = ScalarValue::iter_to_array(points).ok()?;
            return Some(self.compare(of, &Comparison { operator: Operator::Eq, values }));
        }
        let distance = distances.first().filter(|value| is_distance(value))?;
        let opposite = distance.arithmetic_negate().ok()?.to_array().ok()?;
        let near = self.compare(of, comparison);
        let far = self.compare(of, &Comparison { operator: comparison.operator.swap()?, values: opposite });
        let within = matches!(comparison.operator, Operator::Lt | Operator::LtEq);
        Some(if within { Node::All(vec![near, far]) } else { Node::Any(vec![near, far]) })
    }

    /// `abs(of)` of integers.
    fn distance_of_integers(&mut self, of: &Expr, comparison: &Comparison) -> Option<Node> {
        let data_type = of.get_type(self.columns).ok()?;
        let distances = values(&comparison.values)?.iter().map(wide).collect::<Option<Vec<_>>>()?;
        // `None`: no value of the type is so far.
        let fitting = |value: i256| narrow(value, &data_type);
        if comparison.operator == Operator::Eq {
            let both = distances.iter().filter(|distance| **distance >= i256::ZERO).flat_map(|&value| [value, -value]);
            let points: Vec<ScalarValue> = both.filter_map(fitting).collect();
            if points.is_empty() {
                return Some(self.constant(of, false));
            }
            let values = ScalarValue::iter_to_array(points).ok()?;
            return Some(self.compare(of, &Comparison { operator: Operator::Eq, values }));
        }
        let distance = *distances.first()?;
        let within = matches!(comparison.operator, Operator::Lt | Operator::LtEq);
        if distance < i256::ZERO {
            return Some(self.constant(of, !within));
        }
        let swapped = comparison.operator.swap()?;
        let mut side = |operator: Operator, bound: i256| match fitting(bound) {
            Some(bound) => match bound.to_array() {
                Ok(values) => self.compare(of, &Comparison { operator, values }),
                Err(_) => Node::Unknown,
            },
            None => self.constant(of, within),
        };
        let sides = vec![side(comparison.operator, distance), side(swapped, -distance)];
        Some(if within { Node::All(sides) } else { Node::Any(sides) })
    }
}

fn values(array: &ArrayRef) -> Option<Vec<ScalarValue>> {
    (0..array.len()).map(|at| ScalarValue::try_from_array(array, at).ok()).collect()
}

/// A float, whose two zeros are equal.
fn number(value: &ScalarValue) -> Option<f64> {
    match value {
        ScalarValue::Float64(value) => *value,
        ScalarValue::Float32(value) => value.map(f64::from),
        _ => None,
    }
}

pub(super) fn wide(value: &ScalarValue) -> Option<i256> {
    let is_whole = value.data_type().is_integer() || value.data_type() == WIDE;
    match value.cast_to(&WIDE).ok()? {
        ScalarValue::Decimal256(value, ..) if is_whole => value,
        _ => None,
    }
}

/// The integer in the type that carries it, or is that of a wider one.
fn narrow(value: i256, data_type: &DataType) -> Option<ScalarValue> {
    let wide = ScalarValue::Decimal256(Some(value), 76, 0);
    if *data_type == WIDE { Some(wide) } else { wide.cast_to(data_type).ok().filter(|value| !value.is_null()) }
}

/// Values equal to constants of another type, in the type of what they are compared with: those that are none of it equal
/// nothing. `None`: not known.
pub(super) fn equal_values(constants: Vec<ScalarValue>, data_type: &DataType) -> Option<Vec<ScalarValue>> {
    let is_whole = |data_type: &DataType| data_type.is_integer() || *data_type == WIDE;
    let mut equal = Vec::with_capacity(constants.len());
    for constant in constants {
        let own = constant.data_type();
        if constant.is_null() || is_float(&own) {
            return None;
        }
        if own == *data_type {
            equal.push(constant);
            continue;
        }
        if !is_whole(&own) || !is_whole(data_type) {
            return None;
        }
        let moved = constant.cast_to(data_type).ok().filter(|value| !value.is_null());
        equal.extend(moved.filter(|moved| moved.cast_to(&own).is_ok_and(|back| back == constant)));
    }
    Some(equal)
}

/// A constant tuple in the type of tuples that it is compared with. `None`: not known, or its elements are in another order
/// there than here.
pub(super) fn equal_tuple(constant: &ScalarValue, data_type: &DataType) -> Option<ScalarValue> {
    let (ScalarValue::Struct(tuple), DataType::Struct(fields)) = (constant, data_type) else { return None };
    if tuple.num_columns() != fields.len() || tuple.is_null(0) {
        return None;
    }
    let elements = tuple.columns().iter().zip(fields).map(|(element, field)| {
        let element = ScalarValue::try_from_array(element, 0).ok()?;
        let is_ordered = !field.data_type().is_nested() && !matches!(field.data_type(), DataType::FixedSizeBinary(_));
        let moved = equal_values(vec![element], field.data_type()).filter(|_| is_ordered && !is_float(field.data_type()));
        moved?.pop()?.to_array().ok()
    });
    let elements = elements.collect::<Option<Vec<_>>>()?;
    Some(ScalarValue::Struct(Arc::new(StructArray::try_new(fields.clone(), elements, None).ok()?)))
}
