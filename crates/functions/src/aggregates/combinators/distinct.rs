//! Distinct: the function over the different values of its arguments. The values of each group are kept as rows in Arrow's
//! row format, and the function sees them when the result is wanted, in the order in which they came.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryBuilder, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field};
use arrow::row::{RowConverter, SortField};
use gristmill_base::Result;
use hashbrown::HashMap;

use super::wrapped;
use crate::aggregates::Prepared;
use crate::aggregates::groups::{Groups, Make};

pub fn prepare(inner: Prepared) -> Prepared {
    let item = Field::new("item", DataType::Binary, true);
    let kinds: Vec<DataType> = inner.arguments.iter().map(gristmill_types::SqlType::arrow).collect();
    wrapped(&inner, inner.result.clone(), inner.arguments.clone(), vec![DataType::List(Arc::new(item))], move |make| {
        Box::new(Distinct { make, kinds: kinds.clone(), sets: Vec::new(), bytes: 0 })
    })
}

struct Distinct {
    make: Make,
    kinds: Vec<DataType>,
    sets: Vec<Set>,
    bytes: usize,
}

/// Rows, each with how many were there before it.
type Set = HashMap<Box<[u8]>, usize>;

fn in_order(set: &Set) -> Vec<&[u8]> {
    let mut rows: Vec<(&[u8], usize)> = set.iter().map(|(row, place)| (row.as_ref(), *place)).collect();
    rows.sort_unstable_by_key(|(_, place)| *place);
    rows.into_iter().map(|(row, _)| row).collect()
}

/// What a set spends on an entry besides its bytes, roughly.
const ENTRY_BYTES: usize = 48;

impl Distinct {
    fn converter(&self) -> Result<RowConverter> {
        Ok(RowConverter::new(self.kinds.iter().cloned().map(SortField::new).collect())?)
    }

    fn add(&mut self, group: usize, row: &[u8]) {
        let set = &mut self.sets[group];
        if !set.contains_key(row) {
            set.insert(row.into(), set.len());
            self.bytes += row.len() + ENTRY_BYTES;
        }
    }
}

impl Groups for Distinct {
    fn resize(&mut self, groups: usize) {
        self.sets.resize_with(groups, Set::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let rows = self.converter()?.convert_columns(args)?;
        for (row, group) in rows.iter().zip(groups) {
            self.add(*group, row.as_ref());
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let mut values = BinaryBuilder::new();
        let lengths: Vec<usize> = self.sets[..groups].iter().map(Set::len).collect();
        for row in self.sets[..groups].iter().flat_map(in_order) {
            values.append_value(row);
        }
        let item = Arc::new(Field::new("item", DataType::Binary, true));
        let list = ListArray::try_new(item, OffsetBuffer::from_lengths(lengths), Arc::new(values.finish()), None)?;
        Ok(vec![Arc::new(list)])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let lists = states[0].as_list::<i32>();
        for (i, group) in groups.iter().enumerate() {
            let values = lists.value(i);
            for row in values.as_binary::<i32>().iter().flatten() {
                self.add(*group, row);
            }
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let mut inner = (self.make)();
        inner.resize(groups);
        let converter = self.converter()?;
        let parser = converter.parser();
        for (group, set) in self.sets[..groups].iter().enumerate().filter(|(_, set)| !set.is_empty()) {
            let rows = in_order(set);
            let columns = converter.convert_rows(rows.iter().map(|row| parser.parse(row)))?;
            inner.update(&columns, &vec![group; rows.len()])?;
        }
        inner.finish(groups)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone = self.sets.drain(..groups).flatten().map(|(row, _)| row.len() + ENTRY_BYTES).sum();
        self.bytes = self.bytes.saturating_sub(gone);
    }

    fn bytes(&self) -> usize {
        self.bytes + self.sets.capacity() * size_of::<Set>()
    }
}
