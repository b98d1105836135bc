//! ArgMin and ArgMax: the function over the rows whose last argument is the least or the greatest of the group.
//!
//! Rows are compared in Arrow's row format. When a batch brings a better one, the group gets a new state of the inner function
//! and leaves the old one behind: states are begun anew more often than they could be emptied, once a batch at most.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryBuilder, BooleanArray, UInt64Array, new_null_array};
use arrow::compute::{SortOptions, take};
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use gristmill_types::order;

use crate::aggregates::groups::{Groups, Make, selected};
use crate::aggregates::{Plan, Prepared};

/// Of an inner function and the type of what rows are chosen by. Errors: a type that has no order.
pub fn plan(inner: Prepared, key: &SqlType, largest: bool) -> Result<Plan> {
    let Prepared { result, mut arguments, mut state, make, .. } = inner;
    // No NULL and no NaN is better than a value.
    let options = SortOptions { descending: false, nulls_first: largest };
    let carrier = order::value_key_kind(key).nullable().arrow();
    let field = SortField::new_with_options(carrier.clone(), options);
    let none = RowConverter::new(vec![field])?.convert_columns(&[new_null_array(&carrier, 1)])?;
    let none: Box<[u8]> = none.row(0).data().into();
    arguments.push(key.clone());
    state.push(DataType::Binary);
    let key = key.clone();
    let make: Make = Arc::new(move || {
        Box::new(OfBest {
            inner: make(),
            make: make.clone(),
            largest,
            key: key.clone(),
            options,
            none: none.clone(),
            groups: Vec::new(),
            states: 0,
            left: 0,
            bytes: 0,
        })
    });
    Ok(Plan { result, arguments, state, make, native: None, native_statistics: None })
}

struct OfBest {
    inner: Box<dyn Groups>,
    make: Make,
    largest: bool,
    key: SqlType,
    options: SortOptions,
    /// The bytes of NaN.
    none: Box<[u8]>,
    groups: Vec<Group>,
    /// States of the inner function, those that were left behind among them.
    states: usize,
    left: usize,
    bytes: usize,
}

struct Group {
    best: Option<Box<[u8]>>,
    /// Its state of the inner function.
    state: usize,
}

/// So many states may be left behind before they are cleared away.
const LEFT_MAX: usize = 1024;

impl OfBest {
    /// Which rows are as good as the best of their group, and the inner state of each of them. Rows without bytes are of nobody.
    fn choose<'a>(&mut self, keys: impl Iterator<Item = &'a [u8]> + Clone, groups: &[usize]) -> (BooleanArray, Vec<usize>) {
        let begun = self.states;
        // NaN equals no NaN: of such rows the first is the best, and no other is as good.
        let mut first_without_number = HashMap::new();
        for (row, (key, group)) in keys.clone().zip(groups).enumerate().filter(|(_, (key, _))| !key.is_empty()) {
            let number = *group;
            let group = &mut self.groups[number];
            let best = group.best.as_deref();
            if best.is_some_and(|best| if self.largest { key <= best } else { key >= best }) {
                continue;
            }
            if let Some(best) = best {
                self.bytes -= best.len();
                // A state that this batch began has no row yet.
                if group.state < begun {
                    group.state = self.states;
                    self.states += 1;
                    self.left += 1;
                }
            }
            self.bytes += key.len();
            group.best = Some(key.into());
            if *key == *self.none {
                first_without_number.insert(number, row);
            }
        }
        let mut keep = Vec::with_capacity(groups.len());
        let mut states = Vec::with_capacity(groups.len());
        for (row, (key, number)) in keys.zip(groups).enumerate() {
            let group = &self.groups[*number];
            let mut is_best = group.best.as_deref() == Some(key);
            if is_best && *key == *self.none {
                is_best = first_without_number.get(number) == Some(&row);
            }
            keep.push(is_best);
            if is_best {
                states.push(group.state);
            }
        }
        (BooleanArray::from(keep), states)
    }

    /// Inner states of the first groups.
    fn order(&self, groups: usize) -> UInt64Array {
        self.groups[..groups].iter().map(|group| group.state as u64).collect::<Vec<_>>().into()
    }

    fn saved(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let order = self.order(groups);
        let states = self.inner.save(self.states)?;
        states.iter().map(|state| Ok(take(state, &order, None)?)).collect()
    }

    /// Moves the states that groups have to a new inner function, where many have none.
    fn compact(&mut self) -> Result<()> {
        if self.left < LEFT_MAX || self.left * 2 < self.states {
            return Ok(());
        }
        let states = self.saved(self.groups.len())?;
        for (place, group) in self.groups.iter_mut().enumerate() {
            group.state = place;
        }
        (self.states, self.left) = (self.groups.len(), 0);
        self.inner = (self.make)();
        self.inner.resize(self.states);
        self.inner.merge(&states, &(0..self.states).collect::<Vec<_>>())
    }
}

impl Groups for OfBest {
    fn resize(&mut self, groups: usize) {
        while self.groups.len() < groups {
            self.groups.push(Group { best: None, state: self.states });
            self.states += 1;
        }
        self.inner.resize(self.states);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.compact()?;
        let (key, rest) =
            args.split_last().ok_or_else(|| Error::logical("ArgMin and ArgMax have an argument of their own"))?;
        let key = order::value_key(key, &self.key)?;
        let field = SortField::new_with_options(key.data_type().clone(), self.options);
        let keys = RowConverter::new(vec![field])?.convert_columns(&[key])?;
        let (keep, states) = self.choose((0..keys.num_rows()).map(|row| keys.row(row).data()), groups);
        self.inner.resize(self.states);
        // A function without arguments, as count(), is told its rows by their groups alone.
        let (rest, _) = selected(rest, groups, &keep)?;
        if states.is_empty() { Ok(()) } else { self.inner.update(&rest, &states) }
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let mut states = self.saved(groups)?;
        let mut best = BinaryBuilder::new();
        for group in &self.groups[..groups] {
            best.append_value(group.best.as_deref().unwrap_or_default());
        }
        states.push(Arc::new(best.finish()));
        Ok(states)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.compact()?;
        let (best, inner) =
            states.split_last().ok_or_else(|| Error::logical("A state of ArgMin and ArgMax has its best row"))?;
        let best = best.as_binary::<i32>();
        let (keep, into) = self.choose((0..groups.len()).map(|row| best.value(row)), groups);
        self.inner.resize(self.states);
        let (inner, _) = selected(inner, groups, &keep)?;
        if into.is_empty() { Ok(()) } else { self.inner.merge(&inner, &into) }
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let order = self.order(groups);
        Ok(take(&self.inner.finish(self.states)?, &order, None)?)
    }

    fn drop_first(&mut self, groups: usize) {
        self.left += groups;
        let gone: usize = self.groups.drain(..groups).filter_map(|group| group.best).map(|best| best.len()).sum();
        self.bytes -= gone;
    }

    fn bytes(&self) -> usize {
        self.inner.bytes() + self.bytes + self.groups.capacity() * size_of::<Group>()
    }
}
