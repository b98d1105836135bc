//! A query's filters as a tree over slots: values whose range within a part or a run of granules is known. Whatever
//! the tree cannot express is `Unknown`, so an answer may be "perhaps" too often but never a wrong "no".

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch, new_null_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{DataType, Decimal256Type, Field, Float32Type, Float64Type, Int64Type, Schema, UInt64Type};
use arrow::row::Rows;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;
use gristmill_functions::Holds;

use super::interval::{Dim, Intervals, Mask};
use super::order::KeyOrder;

/// The name of the one column that a slot's function reads.
pub const VALUE: &str = "value";

/// A base (a key expression, a column), or a monotonic function of it.
#[derive(Debug)]
pub struct Slot {
    /// Place of the base.
    pub base: usize,
    /// Over a batch of the one column `VALUE`; `None`: the base itself.
    pub function: Option<Arc<dyn PhysicalExpr>>,
    /// It falls while the base rises.
    pub falls: bool,
    /// Where the function is monotonic; nowhere else anything follows from the ends of a range.
    pub bounds: Vec<Bound>,
    /// What the function makes of NULL, normalised; `None`: NULL again. It need not be where NULL is in the base's order.
    pub of_null: Option<Vec<u8>>,
    pub data_type: DataType,
    pub order: KeyOrder,
}

/// A function of the base, and which of its values make the slot's function monotonic.
#[derive(Debug)]
pub struct Bound {
    pub function: Arc<dyn PhysicalExpr>,
    pub holds: Holds,
}

impl Bound {
    /// By value of the base, which stretch it lies in: the function is monotonic between values of one. `None`: in none.
    fn stretches(&self, base: &ArrayRef) -> Option<Vec<Option<i128>>> {
        let values = integers(&evaluate(&self.function, base).ok()?)?;
        Some(values.into_iter().map(|value| value.and_then(|value| self.holds.stretch(value))).collect())
    }
}

/// A slot's values for some values of its base.
pub struct SlotValues {
    /// Normalised.
    rows: Rows,
    /// By bound, then by value.
    stretches: Vec<Vec<Option<i128>>>,
    /// Of the base.
    nulls: Option<NullBuffer>,
    /// Which values of a function are NaN; `None`: none can be.
    nans: Option<BooleanBuffer>,
}

/// One of a slot's values, as the end of a range of the base.
#[derive(Clone, Copy)]
pub struct End<'a> {
    rows: &'a Rows,
    stretches: &'a [Vec<Option<i128>>],
    nulls: Option<&'a NullBuffer>,
    nans: Option<&'a BooleanBuffer>,
    at: usize,
    /// The base is not that value.
    open: bool,
}

impl<'a> End<'a> {
    pub fn closed(values: &'a SlotValues, at: usize) -> Self {
        let SlotValues { rows, stretches, nulls, nans } = values;
        End { rows, stretches, nulls: nulls.as_ref(), nans: nans.as_ref(), at, open: false }
    }

    /// Of a slot that is the base itself, whose normalised values these are.
    pub fn of_base(rows: &'a Rows, at: usize) -> Self {
        End { rows, stretches: &[], nulls: None, nans: None, at, open: false }
    }

    pub fn with_open(self, open: bool) -> Self {
        End { open, ..self }
    }

    fn row(self) -> &'a [u8] {
        self.rows.row(self.at).data()
    }

    /// Whether the base is NULL there.
    fn is_null(self) -> bool {
        self.nulls.is_some_and(|nulls| nulls.is_null(self.at))
    }

    /// The value of a function; `None`: it is NaN, which is at neither end of what else is there.
    fn bound(self) -> Option<&'a [u8]> {
        let is_nan = self.nans.is_some_and(|nans| nans.value(self.at));
        (!is_nan).then(|| self.row())
    }
}

impl SlotValues {
    /// The normalised value.
    pub fn value(&self, at: usize) -> &[u8] {
        self.rows.row(at).data()
    }
}

impl Slot {
    pub fn of_base(base: usize, data_type: DataType) -> Option<Slot> {
        let order = KeyOrder::of_type(&data_type)?;
        Some(Slot { base, function: None, falls: false, bounds: Vec::new(), of_null: None, data_type, order })
    }

    /// The slot's values for values of its base. `None` where they cannot be had: nothing is known then.
    pub fn values(&self, base: &ArrayRef) -> Option<SlotValues> {
        let values = self.computed(base).ok().flatten()?;
        let rows = self.order.rows(std::slice::from_ref(&values)).ok().flatten()?;
        let stretches = self.bounds.iter().map(|bound| bound.stretches(base)).collect::<Option<_>>()?;
        let nans = self.function.as_ref().and_then(|_| nans(&values));
        Some(SlotValues { rows, stretches, nulls: base.logical_nulls(), nans })
    }

    fn computed(&self, base: &ArrayRef) -> Result<Option<ArrayRef>> {
        let Some(function) = &self.function else { return Ok(Some(base.clone())) };
        let values = evaluate(function, base)?;
        // A NULL out of a value: the function is not defined there, so nothing follows from its neighbours.
        let of_null = if self.of_null.is_some() { 0 } else { base.logical_null_count() };
        if values.null_count() > of_null || *values.data_type() != self.data_type {
            return Ok(None);
        }
        Ok(Some(values))
    }

    /// The slot's range where its base goes from the one value to the other (`None`: from the least, to the greatest, which
    /// is NULL). `null`: the base may be NULL besides.
    pub fn range<'a>(&'a self, low: Option<End<'a>>, high: Option<End<'a>>, null: bool) -> Dim<'a> {
        if self.function.is_none() {
            return Dim {
                low: low.map(End::row),
                low_open: low.is_some_and(|end| end.open),
                high: high.map(End::row),
                high_open: high.is_some_and(|end| end.open),
                null,
                besides: None,
            };
        }
        if !self.bounds.is_empty() && !low.zip(high).is_some_and(|(low, high)| in_one_stretch(low, high)) {
            return Dim::ANY;
        }
        // NULL is the base's greatest: a range that begins with it holds nothing else.
        if let Some(value) = self.of_null.as_deref().filter(|_| low.is_some_and(End::is_null)) {
            return Dim::closed(value, value, false);
        }
        let null = null || high.is_some_and(End::is_null);
        let (low, high) = (low.and_then(End::bound), high.filter(|end| !end.is_null()).and_then(End::bound));
        let (low, high) = if self.falls { (high, low) } else { (low, high) };
        // Different values of the base may have the same function's value: its ends are never open.
        let values = Dim { low, low_open: false, high, high_open: false, null, besides: None };
        match self.of_null.as_deref() {
            Some(value) => Dim { null: false, besides: null.then_some(value), ..values },
            None => values,
        }
    }
}

/// What a function of a base makes of NULL, normalised; `None` where that is NULL, or cannot be computed.
pub fn value_of_null(function: &Arc<dyn PhysicalExpr>, base: &DataType, order: &KeyOrder) -> Option<Vec<u8>> {
    let value = evaluate(function, &new_null_array(base, 1)).ok().filter(|value| value.logical_null_count() == 0)?;
    Some(order.rows(&[value]).ok()??.row(0).data().to_vec())
}

fn in_one_stretch(low: End<'_>, high: End<'_>) -> bool {
    let mut bounds = low.stretches.iter().zip(high.stretches);
    bounds.all(|(of_low, of_high)| of_low[low.at].is_some() && of_low[low.at] == of_high[high.at])
}

/// A function of the column `VALUE`.
fn evaluate(function: &Arc<dyn PhysicalExpr>, base: &ArrayRef) -> Result<ArrayRef> {
    let schema = Arc::new(Schema::new(vec![Field::new(VALUE, base.data_type().clone(), true)]));
    let batch = RecordBatch::try_new(schema, vec![base.clone()])?;
    Ok(function.evaluate(&batch)?.into_array(batch.num_rows())?)
}

fn nans(values: &ArrayRef) -> Option<BooleanBuffer> {
    let of = |is_nan: &dyn Fn(usize) -> bool| Some(BooleanBuffer::collect_bool(values.len(), is_nan));
    match values.data_type() {
        DataType::Float32 => of(&|at| values.as_primitive::<Float32Type>().value(at).is_nan()),
        DataType::Float64 => of(&|at| values.as_primitive::<Float64Type>().value(at).is_nan()),
        _ => None,
    }
}

/// Integers, days, seconds, ticks, floats without what is behind the point; `None`: no number.
fn integers(values: &ArrayRef) -> Option<Vec<Option<i128>>> {
    use DataType as D;
    let floor = |value: f64| value.is_finite().then(|| value.floor() as i128);
    match values.data_type() {
        D::Float64 => Some(values.as_primitive::<Float64Type>().iter().map(|value| value.and_then(floor)).collect()),
        D::Float32 => {
            Some(values.as_primitive::<Float32Type>().iter().map(|value| value.and_then(|v| floor(v.into()))).collect())
        }
        // What carries integers of more than 64 bits.
        D::Decimal256(76, 0) => {
            let values = values.as_primitive::<Decimal256Type>().iter();
            Some(values.map(|value| value.and_then(|value| value.to_i128())).collect())
        }
        D::UInt64 => Some(values.as_primitive::<UInt64Type>().iter().map(|value| value.map(i128::from)).collect()),
        D::Int8 | D::Int16 | D::Int32 | D::Int64 | D::UInt8 | D::UInt16 | D::UInt32 | D::Date32 | D::Timestamp(..) => {
            let values = arrow::compute::cast(values, &D::Int64).ok()?;
            Some(values.as_primitive::<Int64Type>().iter().map(|value| value.map(i128::from)).collect())
        }
        _ => None,
    }
}

/// That a slot's value lies in a set.
#[derive(Debug)]
pub struct Atom {
    pub slot: usize,
    pub set: Intervals,
    /// The filter says just this. Otherwise it says this and more.
    pub exact: bool,
    /// For people, as EXPLAIN shows it.
    pub text: String,
}

#[derive(Debug)]
pub enum Node {
    Unknown,
    Constant(bool),
    Atom(Atom),
    /// Things that one and the same filter says.
    Same(Vec<Node>),
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
}

#[derive(Debug)]
pub struct Condition {
    pub slots: Vec<Slot>,
    pub root: Node,
}

impl Condition {
    /// Whether it can leave nothing out.
    pub fn is_unknown(&self) -> bool {
        self.slots.is_empty() && self.root.check(&|_| Dim::ANY).can_be_true
    }

    pub fn check<'a>(&self, dims: &dyn Fn(usize) -> Dim<'a>) -> Mask {
        self.root.check(dims)
    }

    /// As EXPLAIN shows it; `true` where nothing is known.
    pub fn text(&self) -> String {
        self.root.text().unwrap_or_else(|| "true".to_string())
    }

    /// The bases that it asks about, ascending.
    pub fn bases(&self) -> Vec<usize> {
        let mut bases: Vec<usize> = self.slots.iter().map(|slot| slot.base).collect();
        bases.sort_unstable();
        bases.dedup();
        bases
    }
}

impl Node {
    fn check<'a>(&self, dims: &dyn Fn(usize) -> Dim<'a>) -> Mask {
        match self {
            Node::Unknown => Mask::UNKNOWN,
            Node::Constant(value) => Mask { can_be_true: *value, can_be_false: !*value },
            Node::Atom(atom) => {
                let mask = atom.set.probe(dims(atom.slot));
                Mask { can_be_false: mask.can_be_false || !atom.exact, ..mask }
            }
            Node::Same(nodes) => nodes.iter().map(|node| node.check(dims)).fold(Mask::UNKNOWN, |sofar, mask| Mask {
                can_be_true: sofar.can_be_true && mask.can_be_true,
                can_be_false: sofar.can_be_false && mask.can_be_false,
            }),
            Node::All(nodes) => {
                let mut all = Mask { can_be_true: true, can_be_false: false };
                for node in nodes {
                    let mask = node.check(dims);
                    all.can_be_true &= mask.can_be_true;
                    all.can_be_false |= mask.can_be_false;
                    if !all.can_be_true {
                        return Mask::NEVER;
                    }
                }
                all
            }
            Node::Any(nodes) => {
                let mut any = Mask { can_be_true: false, can_be_false: true };
                for node in nodes {
                    let mask = node.check(dims);
                    any.can_be_true |= mask.can_be_true;
                    any.can_be_false &= mask.can_be_false;
                }
                any
            }
            Node::Not(node) => {
                let mask = node.check(dims);
                Mask { can_be_true: mask.can_be_false, can_be_false: mask.can_be_true }
            }
        }
    }

    fn text(&self) -> Option<String> {
        let joined = |word: &str, nodes: &[Node]| -> Option<String> {
            let mut texts: Vec<String> = nodes.iter().filter_map(Node::text).collect();
            match texts.len() {
                0 => None,
                1 => texts.pop(),
                _ => Some(format!("{word}({})", texts.join(", "))),
            }
        };
        match self {
            Node::Unknown => None,
            Node::Constant(value) => Some(value.to_string()),
            Node::Atom(atom) => Some(atom.text.clone()),
            Node::Same(nodes) | Node::All(nodes) => joined("and", nodes),
            // An unknown arm makes the whole unknown.
            Node::Any(nodes) if nodes.iter().all(|node| node.text().is_some()) => joined("or", nodes),
            Node::Any(_) => None,
            Node::Not(node) => node.text().map(|text| format!("not({text})")),
        }
    }
}
