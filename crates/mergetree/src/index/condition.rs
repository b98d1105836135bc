//! A query's filters as a tree over slots: values whose range within a part or a run of granules is known. Whatever
//! the tree cannot express is `Unknown`, so an answer may be "perhaps" too often but never a wrong "no".

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::row::Rows;
use datafusion::physical_plan::PhysicalExpr;
use gristmill_base::Result;

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
    pub data_type: DataType,
    pub order: KeyOrder,
}

impl Slot {
    /// The slot's values for values of its base, normalised. `None` where they cannot be had: nothing is known then.
    pub fn rows(&self, base: &ArrayRef) -> Option<Rows> {
        self.try_rows(base).ok().flatten()
    }

    fn try_rows(&self, base: &ArrayRef) -> Result<Option<Rows>> {
        let Some(function) = &self.function else {
            return self.order.rows(std::slice::from_ref(base));
        };
        let schema = Arc::new(Schema::new(vec![Field::new(VALUE, base.data_type().clone(), true)]));
        let batch = RecordBatch::try_new(schema, vec![base.clone()])?;
        let values = function.evaluate(&batch)?.into_array(batch.num_rows())?;
        // A NULL out of a value: the function is not defined there, so nothing follows from its neighbours.
        if values.null_count() > base.null_count() || *values.data_type() != self.data_type {
            return Ok(None);
        }
        self.order.rows(&[values])
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
