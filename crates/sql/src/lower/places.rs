//! Nodes of a plan that go by the places of rows in their order: the number of each, the first of those with equal keys (LIMIT BY),
//! and a LIMIT that counts from the last row or takes a part of all.
//!
//! A window without an order would do for the first two, had it not leave to take the rows in any order: a sort beneath it goes.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field};
use datafusion::common::{DFSchema, DFSchemaRef, Result};
use datafusion::logical_expr::{Expr, Extension, LogicalPlan, UserDefinedLogicalNodeCore};

/// A number of rows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Place {
    /// Counted from the first row.
    First(usize),
    /// Counted from the last row.
    Last(usize),
    /// A part of all rows, between 0 and 1: the bits of a Float64.
    Part(u64),
}

impl Place {
    pub(crate) fn of_part(part: f64) -> Place {
        Place::Part(part.to_bits())
    }

    pub(crate) fn of_integer(rows: i128) -> Place {
        let count = usize::try_from(rows.unsigned_abs()).unwrap_or(usize::MAX);
        if rows < 0 { Place::Last(count) } else { Place::First(count) }
    }

    /// How many of `all` rows, but for where they are counted from. A part is rounded up.
    fn of(self, all: usize) -> usize {
        match self {
            Place::First(rows) | Place::Last(rows) => rows.min(all),
            Place::Part(bits) => ((f64::from_bits(bits) * all as f64).ceil() as usize).min(all),
        }
    }

    /// The rows that OFFSET `skip` and LIMIT `rows` leave of `all`: the first, and the one behind the last.
    pub fn range(skip: Place, rows: Option<Place>, all: usize) -> (usize, usize) {
        let (start, end) = match skip {
            Place::Last(_) => (0, all - skip.of(all)),
            _ => (skip.of(all), all),
        };
        match rows {
            None => (start, end),
            Some(rows @ Place::Last(_)) => (end.saturating_sub(rows.of(all)).max(start), end),
            Some(rows) => (start, start.saturating_add(rows.of(all)).min(end)),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Places {
    /// A column more: the number of each row, from 1 on.
    Numbered(String),
    /// Of the rows with equal values in these columns those from `skip` on, `rows` of them.
    Kept { keys: Vec<String>, skip: usize, rows: usize },
    /// `ties`: the columns by which rows sort, where those that sort as the last one given (the first one, counted from the end)
    /// are given too.
    Sliced { skip: Place, rows: Option<Place>, ties: Option<Vec<String>> },
    /// A plain LIMIT for which all rows are read, to be counted (`exact_rows_before_limit`).
    Counted { skip: usize, rows: usize },
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PlacesNode {
    pub input: LogicalPlan,
    pub schema: DFSchemaRef,
    pub places: Places,
}

fn planned(node: PlacesNode) -> LogicalPlan {
    LogicalPlan::Extension(Extension { node: Arc::new(node) })
}

pub(crate) fn numbered(input: LogicalPlan, name: &str) -> Result<LogicalPlan> {
    let places = Places::Numbered(name.to_string());
    let schema = schema_of(&input, &places)?;
    Ok(planned(PlacesNode { input, schema, places }))
}

pub(crate) fn kept(input: LogicalPlan, keys: Vec<String>, skip: usize, rows: usize) -> LogicalPlan {
    let schema = input.schema().clone();
    planned(PlacesNode { input, schema, places: Places::Kept { keys, skip, rows } })
}

pub(crate) fn sliced(input: LogicalPlan, skip: Place, rows: Option<Place>, ties: Option<Vec<String>>) -> LogicalPlan {
    let schema = input.schema().clone();
    planned(PlacesNode { input, schema, places: Places::Sliced { skip, rows, ties } })
}

/// A LIMIT that does not end what is below it.
pub fn counted(input: LogicalPlan, skip: usize, rows: usize) -> LogicalPlan {
    let schema = input.schema().clone();
    planned(PlacesNode { input, schema, places: Places::Counted { skip, rows } })
}

fn schema_of(input: &LogicalPlan, places: &Places) -> Result<DFSchemaRef> {
    let Places::Numbered(name) = places else { return Ok(input.schema().clone()) };
    let schema = input.schema();
    let mut fields: Vec<_> = schema.iter().map(|(qualifier, field)| (qualifier.cloned(), field.clone())).collect();
    fields.push((None, Arc::new(Field::new(name, DataType::UInt64, false))));
    Ok(Arc::new(DFSchema::new_with_metadata(fields, schema.metadata().clone())?))
}

/// Nodes have no order; DataFusion asks whether they are the same.
impl PartialOrd for PlacesNode {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        (self == other).then_some(Ordering::Equal)
    }
}

impl UserDefinedLogicalNodeCore for PlacesNode {
    fn name(&self) -> &str {
        match self.places {
            Places::Numbered(_) => "RowNumbers",
            Places::Kept { .. } => "LimitBy",
            Places::Sliced { .. } => "Slice",
            Places::Counted { .. } => "CountedLimit",
        }
    }

    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }

    fn schema(&self) -> &DFSchemaRef {
        &self.schema
    }

    /// None that the optimizer may change.
    fn expressions(&self) -> Vec<Expr> {
        Vec::new()
    }

    fn fmt_for_explain(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", UserDefinedLogicalNodeCore::name(self), self.places)
    }

    fn with_exprs_and_inputs(&self, _: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Self> {
        let input = inputs.pop().unwrap_or_else(|| self.input.clone());
        let schema = schema_of(&input, &self.places)?;
        Ok(PlacesNode { input, schema, places: self.places.clone() })
    }
}

/// As plans and operators show it.
impl fmt::Display for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Places::Numbered(name) => f.write_str(name),
            Places::Kept { keys, skip, rows } => write!(f, "keys=[{}], skip={skip}, fetch={rows}", keys.join(", ")),
            Places::Counted { skip, rows } => write!(f, "skip={skip}, fetch={rows}"),
            Places::Sliced { skip, rows, ties } => {
                write!(f, "skip={skip}")?;
                if let Some(rows) = rows {
                    write!(f, ", fetch={rows}")?;
                }
                if let Some(keys) = ties {
                    write!(f, ", ties=[{}]", keys.join(", "))?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::First(rows) => write!(f, "{rows}"),
            Place::Last(rows) => write!(f, "-{rows}"),
            Place::Part(bits) => write!(f, "{}", f64::from_bits(*bits)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_counted_from_both_ends_and_as_parts() {
        let (first, last, part) = (Place::First, Place::Last, Place::of_part);
        for (skip, rows, all, wanted) in [
            (first(0), Some(last(2)), 30, (28, 30)),
            (last(1), Some(last(2)), 30, (27, 29)),
            (last(5), Some(first(3)), 30, (0, 3)),
            (first(20), Some(last(3)), 30, (27, 30)),
            (first(29), Some(last(3)), 30, (29, 30)),
            (last(3), None, 6, (0, 3)),
            (last(9), Some(first(2)), 6, (0, 0)),
            (first(9), Some(last(2)), 6, (6, 6)),
            (first(0), Some(last(usize::MAX)), 6, (0, 6)),
            (part(0.5), Some(part(0.5)), 7, (4, 7)),
            (part(0.1), Some(part(0.1)), 7, (1, 2)),
            (first(0), Some(part(0.01)), 30, (0, 1)),
            (first(25), Some(part(0.99999)), 30, (25, 30)),
            (part(0.9), None, 30, (27, 30)),
            (first(0), Some(part(0.5)), 0, (0, 0)),
        ] {
            assert_eq!(Place::range(skip, rows, all), wanted, "{skip:?} {rows:?} {all}");
        }
    }
}
