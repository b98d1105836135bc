//! `groupBitmapAnd`, `groupBitmapOr`, `groupBitmapXor`: bitmaps (states of `groupBitmap`) combined. The result is how many
//! numbers are in the combined one; with -State it is that bitmap, a state of `groupBitmap` again.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, UInt64Array};
use arrow::datatypes::{DataType, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::groups::{Groups, Make};
use super::quantiles::list_type;
use super::{Call, NullRule, Plan, Prepared, family};
use crate::bitmaps::{Bitmaps, Keep, combined, is_number, packed};
use crate::columns::{list, retype};
use crate::registry::Registry;

const FUNCTIONS: [(&str, Keep); 3] = [
    ("groupBitmapAnd", |one, other| one && other),
    ("groupBitmapOr", |one, other| one || other),
    ("groupBitmapXor", |one, other| one != other),
];

pub fn register(registry: &mut Registry) {
    for (name, keep) in FUNCTIONS {
        registry.aggregate(name, family(NullRule::Nullable, move |call| plan(call, keep)));
    }
}

/// The type of the numbers of bitmaps.
fn element_of(kind: &SqlType) -> Option<&SqlType> {
    match kind {
        SqlType::AggregateFunction(function, kinds) if function == "groupBitmap" => match kinds.as_slice() {
            [element] if is_number(element) => Some(element),
            _ => None,
        },
        _ => None,
    }
}

fn plan(call: &Call<'_>, keep: Keep) -> Result<Plan> {
    call.arity(1..=1)?;
    let Some(element) = element_of(&call.kinds[0]).cloned() else {
        return Err(call.illegal(0, "a bitmap, which is a state of groupBitmap"));
    };
    let state = vec![list_type(DataType::UInt64), DataType::Boolean];
    Ok(Plan::new(element.clone(), call.kinds.clone(), state, move || Sets {
        groups: Vec::new(),
        numbers: 0,
        element: element.clone(),
        keep,
    }))
}

/// The function with -State, where it is one of these: the combined bitmap itself.
pub fn with_state(name: &str, prepared: &Prepared) -> Option<Prepared> {
    FUNCTIONS.iter().find(|(known, _)| *known == name)?;
    let kind = prepared.arguments.first()?.plain().clone();
    let element = element_of(&kind)?.clone();
    let inner = prepared.make.clone();
    let make: Make = Arc::new(move || Box::new(AsBitmaps { inner: inner(), element: element.clone() }));
    let state = prepared.state.clone();
    Some(Prepared {
        result: kind,
        arguments: prepared.arguments.clone(),
        state,
        make,
        native: None,
        native_statistics: None,
    })
}

struct Sets {
    /// Numbers in ascending order; `None` before the first bitmap.
    groups: Vec<Option<Vec<u64>>>,
    /// Of all groups.
    numbers: usize,
    element: SqlType,
    keep: Keep,
}

impl Sets {
    fn add(&mut self, group: usize, other: &[u64]) {
        let known = &mut self.groups[group];
        let before = known.as_ref().map_or(0, Vec::len);
        let made = match known {
            None => other.to_vec(),
            Some(known) => combined(known, other, self.keep),
        };
        self.numbers = self.numbers + made.len() - before;
        *known = Some(made);
    }
}

impl Groups for Sets {
    fn resize(&mut self, groups: usize) {
        self.groups.resize(groups, None);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let bitmaps = Bitmaps::of(&args[0], &self.element)?;
        for (row, group) in groups.iter().enumerate() {
            self.add(*group, bitmaps.get(row));
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let groups = &self.groups[..groups];
        let lengths: Vec<usize> = groups.iter().map(|set| set.as_ref().map_or(0, Vec::len)).collect();
        let numbers = UInt64Array::from_iter_values(groups.iter().flatten().flatten().copied());
        let seen: Vec<bool> = groups.iter().map(Option::is_some).collect();
        Ok(vec![
            retype(&list(Arc::new(numbers), &lengths)?, &list_type(DataType::UInt64))?,
            Arc::new(BooleanArray::from(seen)),
        ])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (lists, seen) = (states[0].as_list::<i32>(), states[1].as_boolean());
        for (row, group) in groups.iter().enumerate().filter(|(row, _)| seen.value(*row)) {
            self.add(*group, lists.value(row).as_primitive::<UInt64Type>().values());
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let sizes = self.groups[..groups].iter().map(|set| set.as_ref().map_or(0, |set| set.len() as u64));
        let sizes = UInt64Array::from_iter_values(sizes);
        Ok(arrow::compute::cast(&sizes, &self.element.arrow())?)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).flatten().map(|set| set.len()).sum();
        self.numbers -= gone;
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Option<Vec<u64>>>() + self.numbers * size_of::<u64>()
    }
}

/// The combined bitmaps as values.
struct AsBitmaps {
    inner: Box<dyn Groups>,
    element: SqlType,
}

impl Groups for AsBitmaps {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.inner.update(args, groups)
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        self.inner.save(groups)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.inner.merge(states, groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let saved = self.inner.save(groups)?;
        let lists = saved[0].as_list::<i32>();
        let lengths = (0..lists.len()).map(|row| lists.value_length(row) as usize).collect();
        packed(lists.values().as_primitive::<UInt64Type>().values().to_vec(), lengths, &self.element)
    }

    fn drop_first(&mut self, groups: usize) {
        self.inner.drop_first(groups);
    }

    fn bytes(&self) -> usize {
        self.inner.bytes()
    }
}
