//! From filters to a `Condition`.
//!
//! A comparison of an expression with constants is looked at for each base (a key expression, a column):
//! - the expression is the base, or a function that rises with it or falls: the comparison is about that function's range,
//!   where the ends of the base's range lie in one stretch in which it does;
//! - the base is a function of the compared column: what follows from the comparison for the base is kept. With
//!   `d >= c`, the key `toDate(d)` is at least `toDate(c)` as it rises with `d`; with `d = c` or `d IN (…)` any function
//!   will do.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, ScalarValue};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{Expr, ExprSchemable, Operator};
use datafusion::physical_expr::create_physical_expr;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_functions::Holds;
use gristmill_functions::value_set::set_of;

use super::condition::{Atom, Bound, Condition, Node, Slot, VALUE, value_of_null};
use super::expression::{Chain, monotonic_function, same};
use super::interval::{Intervals, after};
use super::inverse::equal_values;
use super::nested::fitted;
use super::order::KeyOrder;
use super::pattern::{self, Rest};
use super::skip::literals::beginnings;

/// Something whose range within parts or granules is known.
#[derive(Clone, Debug)]
pub struct Base {
    /// Over unqualified columns.
    pub expr: Expr,
    pub data_type: DataType,
    pub text: String,
}

/// `filters` must all hold. `columns`: the columns that filters and bases are over.
pub fn analyze(bases: &[Base], columns: &DFSchema, filters: &[Expr]) -> Condition {
    let mut analyzer = Analyzer { bases, columns, slots: Vec::new() };
    let root = Node::All(filters.iter().map(|filter| analyzer.node(filter)).collect());
    Condition { slots: analyzer.slots, root }
}

pub(super) struct Analyzer<'a> {
    bases: &'a [Base],
    pub(super) columns: &'a DFSchema,
    slots: Vec<Slot>,
}

/// What an expression is compared with.
pub(super) struct Comparison {
    pub(super) operator: Operator,
    /// Without NULL; one value unless the operator is `Eq`, where the expression may equal any.
    pub(super) values: ArrayRef,
}

impl Analyzer<'_> {
    fn node(&mut self, filter: &Expr) -> Node {
        let parts = self.by_parts(filter);
        match self.as_base(filter) {
            Node::Unknown => parts,
            whole => Node::Same(vec![whole, parts]),
        }
    }

    /// A condition that is a base itself, as with `INDEX i (a > 50) TYPE set(2)`.
    fn as_base(&mut self, filter: &Expr) -> Node {
        if !matches!(filter, Expr::BinaryExpr(_) | Expr::ScalarFunction(_) | Expr::InList(_) | Expr::Not(_) | Expr::Like(_))
        {
            return Node::Unknown;
        }
        let condition = |base: &Base| base.data_type == DataType::Boolean && same(filter, &base.expr);
        match self.bases.iter().any(condition) {
            true => self.boolean(filter),
            false => Node::Unknown,
        }
    }

    fn by_parts(&mut self, filter: &Expr) -> Node {
        match filter {
            Expr::Alias(alias) => self.node(&alias.expr),
            Expr::Literal(ScalarValue::Boolean(Some(value)), _) => Node::Constant(*value),
            Expr::Not(inner) => Node::Not(Box::new(self.node(inner))),
            Expr::Column(_) => self.boolean(filter),
            Expr::BinaryExpr(binary) => match binary.op {
                Operator::And => Node::All(vec![self.node(&binary.left), self.node(&binary.right)]),
                Operator::Or => Node::Any(vec![self.node(&binary.left), self.node(&binary.right)]),
                operator => match (constant(&binary.left), constant(&binary.right)) {
                    (_, Some(value)) => self.binary(&binary.left, operator, &value),
                    (Some(value), None) => match operator.swap() {
                        Some(swapped) => self.binary(&binary.right, swapped, &value),
                        None => Node::Unknown,
                    },
                    (None, None) => Node::Unknown,
                },
            },
            Expr::Between(between) => {
                let (Expr::Literal(low, _), Expr::Literal(high, _)) = (between.low.as_ref(), between.high.as_ref()) else {
                    return Node::Unknown;
                };
                let low = self.binary(&between.expr, Operator::GtEq, low);
                let both = Node::All(vec![low, self.binary(&between.expr, Operator::LtEq, high)]);
                if between.negated { Node::Not(Box::new(both)) } else { both }
            }
            Expr::InList(list) => {
                let values: Option<Vec<ScalarValue>> = list
                    .list
                    .iter()
                    .map(|item| match item {
                        Expr::Literal(value, _) => Some(value.clone()),
                        _ => None,
                    })
                    .collect();
                let Some(values) = values else { return Node::Unknown };
                let node = self.one_of(&list.expr, values);
                if list.negated { Node::Not(Box::new(node)) } else { node }
            }
            Expr::IsNull(inner) => self.null(inner),
            Expr::IsNotNull(inner) => Node::Not(Box::new(self.null(inner))),
            Expr::Like(like) if !like.case_insensitive && like.escape_char.is_none() => {
                let node = match like.pattern.as_ref() {
                    Expr::Literal(pattern, _) => self.like(&like.expr, pattern),
                    _ => Node::Unknown,
                };
                if like.negated { Node::Not(Box::new(node)) } else { node }
            }
            Expr::ScalarFunction(call) => self.call(call),
            _ => Node::Unknown,
        }
    }

    fn call(&mut self, call: &ScalarFunction) -> Node {
        if let Some((expr, set)) = set_of(call) {
            let values = set.values().clone();
            return if values.is_empty() {
                Node::Constant(false)
            } else {
                self.compare(expr, &Comparison { operator: Operator::Eq, values })
            };
        }
        if call.func.name() == "indexHint" {
            // True for every row; what is read is what its arguments let through.
            let hints = call.args.iter().map(|argument| self.truth(argument));
            return Node::All(hints.chain([Node::Unknown]).collect());
        }
        let (value, constant) = match &call.args[..] {
            [Expr::Literal(array, _), value] if call.func.name() == "has" => return self.in_array(array, value),
            [value] => return self.emptiness(call.func.name(), value),
            [Expr::Literal(constant, _), value] => return self.compared(call, constant, value, true),
            [value, Expr::Literal(constant, _)] => (value, constant),
            _ => return Node::Unknown,
        };
        match call.func.name() {
            "like" => self.like(value, constant),
            "notLike" => Node::Not(Box::new(self.like(value, constant))),
            "startsWith" => match bytes(constant) {
                Some(text) => self.begins_with(value, &text, true),
                None => Node::Unknown,
            },
            // What is no text may begin otherwise.
            "startsWithUTF8" => match bytes(constant) {
                Some(text) => self.begins_with(value, &text, false),
                None => Node::Unknown,
            },
            "match" => match bytes(constant).and_then(|pattern| beginnings(&pattern)) {
                Some(texts) => {
                    let nodes: Vec<Node> = texts.iter().map(|text| self.begins_with(value, text, false)).collect();
                    let is_known = !nodes.iter().any(|node| matches!(node, Node::Unknown));
                    if is_known { Node::Any(nodes) } else { Node::Unknown }
                }
                None => Node::Unknown,
            },
            _ => self.compared(call, constant, value, false),
        }
    }

    /// `empty(value)` and `notEmpty(value)` of a text.
    fn emptiness(&mut self, name: &str, value: &Expr) -> Node {
        if !matches!(name, "empty" | "notEmpty") || value.get_type(self.columns).ok() != Some(DataType::BinaryView) {
            return Node::Unknown;
        }
        let node = self.one_of(value, vec![ScalarValue::BinaryView(Some(Vec::new()))]);
        if name == "empty" { node } else { Node::Not(Box::new(node)) }
    }

    /// `has([…], value)`
    fn in_array(&mut self, array: &ScalarValue, value: &Expr) -> Node {
        let found = value.get_type(self.columns).ok().zip(elements(array));
        match found.and_then(|(data_type, elements)| equal_values(elements, &data_type)) {
            Some(values) if values.is_empty() => self.constant(value, false),
            Some(values) => self.one_of(value, values),
            None => Node::Unknown,
        }
    }

    /// A column of type Bool, as a condition.
    fn boolean(&mut self, expr: &Expr) -> Node {
        match expr.get_type(self.columns) {
            Ok(DataType::Boolean) => self.binary(expr, Operator::Eq, &ScalarValue::Boolean(Some(true))),
            _ => Node::Unknown,
        }
    }

    pub(super) fn binary(&mut self, expr: &Expr, operator: Operator, value: &ScalarValue) -> Node {
        // A comparison with NULL is NULL.
        if value.is_null() {
            return match operator {
                Operator::IsNotDistinctFrom => self.null(expr),
                Operator::IsDistinctFrom => Node::Not(Box::new(self.null(expr))),
                Operator::Eq | Operator::NotEq | Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => {
                    Node::Constant(false)
                }
                _ => Node::Unknown,
            };
        }
        if let Some(is_so) = asks_truth(operator, value) {
            let node = self.truth(expr);
            if !matches!(node, Node::Unknown) {
                return if is_so { node } else { Node::Not(Box::new(node)) };
            }
        }
        match operator {
            Operator::Eq | Operator::IsNotDistinctFrom => self.one_of(expr, vec![value.clone()]),
            Operator::NotEq | Operator::IsDistinctFrom => Node::Not(Box::new(self.one_of(expr, vec![value.clone()]))),
            Operator::Lt | Operator::LtEq | Operator::Gt | Operator::GtEq => match value.to_array() {
                Ok(values) => self.compare(expr, &Comparison { operator, values }),
                Err(_) => Node::Unknown,
            },
            _ => Node::Unknown,
        }
    }

    /// ClickHouse's conditions are numbers, which stand in comparisons: `like(…) != 0`, `(a < 5) = 1`.
    fn truth(&mut self, expr: &Expr) -> Node {
        match expr {
            Expr::ScalarFunction(_) => self.node(expr),
            Expr::Alias(alias) => self.truth(&alias.expr),
            Expr::Cast(cast) if cast.expr.get_type(self.columns).ok() == Some(DataType::Boolean) => self.truth(&cast.expr),
            Expr::BinaryExpr(_) | Expr::InList(_) | Expr::Between(_) | Expr::Like(_) | Expr::Not(_)
                if expr.get_type(self.columns).ok() == Some(DataType::Boolean) =>
            {
                self.by_parts(expr)
            }
            _ => Node::Unknown,
        }
    }

    fn one_of(&mut self, expr: &Expr, values: Vec<ScalarValue>) -> Node {
        let values: Vec<ScalarValue> = values.into_iter().filter(|value| !value.is_null()).collect();
        if values.is_empty() {
            return Node::Unknown;
        }
        match ScalarValue::iter_to_array(values) {
            Ok(values) => self.compare(expr, &Comparison { operator: Operator::Eq, values }),
            Err(_) => Node::Unknown,
        }
    }

    pub(super) fn null(&mut self, expr: &Expr) -> Node {
        let found = self.bases.iter().position(|base| same(expr, &base.expr));
        match found.and_then(|base| Some((base, self.slot(base, None)?))) {
            Some((base, slot)) => {
                let text = format!("({} is null)", self.bases[base].text);
                Node::Atom(Atom { slot, set: Intervals::null(), exact: true, text })
            }
            None => Node::Unknown,
        }
    }

    fn like(&mut self, expr: &Expr, pattern: &ScalarValue) -> Node {
        let Some(pattern) = bytes(pattern) else { return Node::Unknown };
        let prefix = pattern::prefix(&pattern);
        match prefix.rest {
            Rest::Nothing => self.one_of(expr, vec![ScalarValue::BinaryView(Some(prefix.text))]),
            rest => self.begins_with(expr, &prefix.text, rest == Rest::Anything),
        }
    }

    fn begins_with(&mut self, expr: &Expr, text: &[u8], exact: bool) -> Node {
        if text.is_empty() {
            return Node::Unknown;
        }
        let mut nodes = Vec::new();
        for base in 0..self.bases.len() {
            let Some(chain) = monotonic_function(expr, &self.bases[base].expr, self.columns) else { continue };
            let chain = Some(&chain).filter(|chain| !matches!(chain.function, Expr::Column(_)));
            let width = match expr.get_type(self.columns) {
                Ok(DataType::BinaryView) => None,
                // Behind a text of fewer bytes stand zeros, the least there are.
                Ok(DataType::FixedSizeBinary(width)) if text.len() <= width as usize => Some(width),
                _ => continue,
            };
            let Some(slot) = self.slot(base, chain) else { continue };
            let key = |mut text: Vec<u8>| {
                let value = match width {
                    None => ScalarValue::BinaryView(Some(text)),
                    Some(width) => {
                        text.resize(width as usize, 0);
                        ScalarValue::FixedSizeBinary(width, Some(text))
                    }
                };
                self.key(slot, &value.to_array().ok()?)
            };
            let Some(low) = key(text.to_vec()) else { continue };
            let high = pattern::after_prefix(text).and_then(key);
            let text = format!("({} in ['{}...'])", self.shown(base, chain), String::from_utf8_lossy(text));
            nodes.push(Node::Atom(Atom { slot, set: Intervals::between(Some(low), high), exact, text }));
        }
        if nodes.is_empty() { Node::Unknown } else { Node::Same(nodes) }
    }

    /// The normalised first value.
    fn key(&self, slot: usize, values: &ArrayRef) -> Option<Vec<u8>> {
        let rows = self.slots[slot].order.rows(std::slice::from_ref(values)).ok()??;
        Some(rows.row(0).data().to_vec())
    }

    pub(super) fn compare(&mut self, expr: &Expr, comparison: &Comparison) -> Node {
        let mut nodes = Vec::new();
        for base in 0..self.bases.len() {
            let direct = monotonic_function(expr, &self.bases[base].expr, self.columns);
            let atom = match direct {
                Some(chain) => self.atom(base, Some(&chain), comparison.operator, &comparison.values, true),
                None => self.implied(base, expr, comparison),
            };
            nodes.extend(atom.map(Node::Atom));
        }
        let inverse = self.inverse(expr, comparison);
        if !matches!(inverse, Node::Unknown) {
            nodes.push(inverse);
        }
        if nodes.is_empty() { Node::Unknown } else { Node::Same(nodes) }
    }

    /// A comparison of what is a base itself.
    pub(super) fn atoms_of(&mut self, expr: &Expr, operator: Operator, values: &ArrayRef) -> Vec<Node> {
        let bases = 0..self.bases.len();
        let found: Vec<usize> = bases.filter(|base| same(expr, &self.bases[*base].expr)).collect();
        let atoms = found.into_iter().filter_map(|base| self.atom(base, None, operator, values, true));
        atoms.map(Node::Atom).collect()
    }

    /// What a comparison of a column says of a base that is a function of this column.
    fn implied(&mut self, base: usize, expr: &Expr, comparison: &Comparison) -> Option<Atom> {
        let (Expr::Column(column), function) = (expr, &self.bases[base].expr) else { return None };
        let reads = function.column_refs();
        if reads.len() != 1 || reads.iter().any(|read| read.name != column.name) || function.is_volatile() {
            return None;
        }
        let input = expr.get_type(self.columns).ok()?;
        let values = carried(&comparison.values, &input)?;
        let operator = match comparison.operator {
            Operator::Eq => Operator::Eq,
            other => {
                let chain = monotonic_function(function, expr, self.columns).filter(Chain::is_boundless)?;
                match (other, chain.falls) {
                    (Operator::Lt | Operator::LtEq, false) | (Operator::Gt | Operator::GtEq, true) => Operator::LtEq,
                    (Operator::Gt | Operator::GtEq, false) | (Operator::Lt | Operator::LtEq, true) => Operator::GtEq,
                    _ => return None,
                }
            }
        };
        let values = apply(function, &column.name, &values)?;
        self.atom(base, None, operator, &values, false)
    }

    fn atom(
        &mut self,
        base: usize,
        chain: Option<&Chain>,
        operator: Operator,
        values: &ArrayRef,
        exact: bool,
    ) -> Option<Atom> {
        let chain = chain.filter(|chain| !matches!(chain.function, Expr::Column(_)));
        let slot = self.slot(base, chain)?;
        let data_type = self.slots[slot].data_type.clone();
        let values = carried(values, &data_type)?;
        let set = intervals(&self.slots[slot].order, operator, &values)?;
        let name = self.shown(base, chain);
        let text = match operator {
            Operator::Eq if values.len() > 1 => format!("({name} in {}-element set)", set.len()),
            _ => {
                let value = ScalarValue::try_from_array(&values, 0).ok()?;
                let value = bytes(&value).map_or(value.to_string(), |text| format!("'{}'", String::from_utf8_lossy(&text)));
                match operator {
                    Operator::Eq => format!("({name} in [{value}, {value}])"),
                    Operator::Lt => format!("({name} in (-Inf, {value}))"),
                    Operator::LtEq => format!("({name} in (-Inf, {value}])"),
                    Operator::Gt => format!("({name} in ({value}, +Inf))"),
                    _ => format!("({name} in [{value}, +Inf))"),
                }
            }
        };
        // NaN and the two zeros compare otherwise than they sort: a float never fulfils a condition for certain.
        Some(Atom { slot, set, exact: exact && !is_float(&data_type), text })
    }

    /// A base, or a function of it, as EXPLAIN shows it.
    fn shown(&self, base: usize, chain: Option<&Chain>) -> String {
        let text = &self.bases[base].text;
        chain.map_or_else(
            || text.clone(),
            |chain| quoted(&chain.function).replace(&format!("\"{VALUE}\""), VALUE).replace(VALUE, text),
        )
    }

    /// The slot of a base or of a function of it, made where there is none yet.
    fn slot(&mut self, base: usize, chain: Option<&Chain>) -> Option<usize> {
        let data_type = self.bases[base].data_type.clone();
        let slot = match chain {
            None => Slot::of_base(base, data_type)?,
            Some(chain) => slot_of(base, &data_type, chain)?,
        };
        let known = |known: &Slot| known.base == base && known.function == slot.function;
        if let Some(at) = self.slots.iter().position(known) {
            return Some(at);
        }
        self.slots.push(slot);
        Some(self.slots.len() - 1)
    }
}

/// A function as EXPLAIN shows it: strings, which are bytes here, as text.
fn quoted(function: &Expr) -> String {
    let mut shown = function.to_string();
    // The walk itself fails nowhere.
    let _ = function.apply(|piece| {
        if let Expr::Literal(value, _) = piece
            && let Some(text) = bytes(value)
        {
            shown = shown.replace(&piece.to_string(), &format!("'{}'", String::from_utf8_lossy(&text)));
        }
        Ok(TreeNodeRecursion::Continue)
    });
    shown
}

/// The slot of a function of a base of this type.
pub fn slot_of(base: usize, data_type: &DataType, chain: &Chain) -> Option<Slot> {
    let schema = DFSchema::try_from(Schema::new(vec![Field::new(VALUE, data_type.clone(), true)])).ok()?;
    let input = data_type;
    let data_type = chain.function.get_type(&schema).ok()?;
    let bound = |(function, holds): &(Expr, Holds)| Some(Bound { function: physical(function, &schema)?, holds: *holds });
    let bounds = chain.bounds.iter().map(bound).collect::<Option<_>>()?;
    let (function, order) = (physical(&chain.function, &schema)?, KeyOrder::of_type(&data_type)?);
    let of_null = chain.null_is_value.then(|| value_of_null(&function, input, &order)).flatten();
    Some(Slot { base, function: Some(function), falls: chain.falls, bounds, of_null, order, data_type })
}

pub fn physical(expr: &Expr, schema: &DFSchema) -> Option<Arc<dyn PhysicalExpr>> {
    create_physical_expr(expr, schema, &ExecutionProps::new(), &PhysicalPlanningContext::default()).ok()
}

/// A function of one column, computed on values of it. `None` where it cannot be, or gives NULL.
fn apply(function: &Expr, column: &str, values: &ArrayRef) -> Option<ArrayRef> {
    let schema = Arc::new(Schema::new(vec![Field::new(column, values.data_type().clone(), true)]));
    let physical = physical(function, &DFSchema::try_from(schema.as_ref().clone()).ok()?)?;
    let batch = RecordBatch::try_new(schema, vec![values.clone()]).ok()?;
    let result = physical.evaluate(&batch).ok()?.into_array(values.len()).ok()?;
    (result.null_count() == 0).then_some(result)
}

/// The constants in the type of what they are compared with. Text and bytes are one; other types must be the same, but for elements of
/// arrays, maps and tuples.
fn carried(values: &ArrayRef, data_type: &DataType) -> Option<ArrayRef> {
    if values.data_type() == data_type {
        return Some(values.clone());
    }
    if data_type.is_nested() {
        return fitted(values, data_type);
    }
    let textual = |data_type: &DataType| {
        use DataType::*;
        matches!(data_type, Utf8 | Utf8View | LargeUtf8 | Binary | BinaryView | LargeBinary)
    };
    if !textual(values.data_type()) || !textual(data_type) {
        return None;
    }
    let moved = arrow::compute::cast(values, data_type).ok()?;
    (moved.null_count() == 0).then_some(moved)
}

/// The bytes of a constant text.
pub fn bytes(value: &ScalarValue) -> Option<Vec<u8>> {
    match value {
        ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)) | ScalarValue::LargeUtf8(Some(text)) => {
            Some(text.clone().into_bytes())
        }
        ScalarValue::BinaryView(Some(text)) | ScalarValue::Binary(Some(text)) | ScalarValue::LargeBinary(Some(text)) => {
            Some(text.clone())
        }
        _ => None,
    }
}

/// The elements of a constant array.
pub fn elements(value: &ScalarValue) -> Option<Vec<ScalarValue>> {
    let ScalarValue::List(list) = value else { return None };
    if list.is_null(0) {
        return None;
    }
    let values = list.value(0);
    (0..values.len()).map(|at| ScalarValue::try_from_array(&values, at).ok()).collect()
}

/// Whether a comparison with a number asks that a condition, which is 1 or 0, is so, or is not. `None`: it asks something else.
fn asks_truth(operator: Operator, value: &ScalarValue) -> Option<bool> {
    let data_type = value.data_type();
    let is = |number: datafusion::common::Result<ScalarValue>| number.is_ok_and(|number| number == *value);
    let is_zero = is(ScalarValue::new_zero(&data_type));
    let is_one = data_type.is_integer() && is(ScalarValue::new_one(&data_type));
    match operator {
        Operator::NotEq if is_zero => Some(true),
        Operator::Eq if is_one => Some(true),
        Operator::NotEq if is_one => Some(false),
        Operator::Eq if is_zero && data_type.is_integer() => Some(false),
        _ => None,
    }
}

/// A constant, also one that is to look like none: `materialize(5)`.
fn constant(expr: &Expr) -> Option<ScalarValue> {
    match expr {
        Expr::Literal(value, _) => Some(value.clone()),
        Expr::Alias(alias) => constant(&alias.expr),
        Expr::ScalarFunction(call) if matches!(call.func.name(), "materialize" | "identity") => {
            call.args.first().and_then(constant)
        }
        Expr::Cast(cast) => {
            let (value, to) = (constant(&cast.expr)?, cast.field.data_type());
            (value.data_type().is_integer() && to.is_integer()).then(|| value.cast_to(to).ok())?
        }
        _ => None,
    }
}

pub(super) fn is_float(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Float16 | DataType::Float32 | DataType::Float64)
}

/// The values that compare so with the constants.
fn intervals(order: &KeyOrder, operator: Operator, values: &ArrayRef) -> Option<Intervals> {
    if is_float(values.data_type()) {
        return float_intervals(order, operator, values);
    }
    let rows = order.rows(std::slice::from_ref(values)).ok()??;
    if operator == Operator::Eq {
        return Some(Intervals::points(rows.iter().map(|row| row.data())));
    }
    let value = rows.row(0).data().to_vec();
    Some(match operator {
        Operator::Lt => Intervals::between(None, Some(value)),
        Operator::LtEq => Intervals::between(None, Some(after(&value))),
        Operator::Gt => Intervals::between(Some(after(&value)), None),
        Operator::GtEq => Intervals::between(Some(value), None),
        _ => return None,
    })
}

/// Bounds are widened by what compares as equal but sorts apart: -0 and 0.
fn float_intervals(order: &KeyOrder, operator: Operator, values: &ArrayRef) -> Option<Intervals> {
    let zero = |negative: bool| {
        let zero = arrow::array::Float64Array::from(vec![if negative { -0.0 } else { 0.0 }]);
        let zero = arrow::compute::cast(&zero, values.data_type()).ok()?;
        Some(order.rows(&[zero]).ok()??.row(0).data().to_vec())
    };
    let (low_zero, high_zero) = (zero(true)?, zero(false)?);
    let rows = order.rows(std::slice::from_ref(values)).ok()??;
    let widened = rows.iter().map(|row| {
        let key = row.data().to_vec();
        let is_zero = key == low_zero || key == high_zero;
        if is_zero { (low_zero.clone(), high_zero.clone()) } else { (key.clone(), key) }
    });
    if operator == Operator::Eq {
        return Some(Intervals::of(widened.map(|(low, high)| (low, after(&high))).collect()));
    }
    let (low, high) = widened.into_iter().next()?;
    Some(match operator {
        Operator::Lt | Operator::LtEq => Intervals::between(None, Some(after(&high))),
        _ => Intervals::between(Some(low), None),
    })
}
