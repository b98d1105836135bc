//! Distinct: the function over the different values of its arguments. The values of each group are kept as rows in Arrow's
//! row format, and the function sees them when the result is wanted.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BinaryBuilder, ListArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field};
use arrow::row::{RowConverter, SortField};
use gristmill_base::Result;
use hashbrown::HashSet;

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
    sets: Vec<HashSet<Box<[u8]>>>,
    bytes: usize,
}

/// What a set spends on an entry besides its bytes, roughly.
const ENTRY_BYTES: usize = 40;

impl Distinct {
    fn converter(&self) -> Result<RowConverter> {
        Ok(RowConverter::new(self.kinds.iter().cloned().map(SortField::new).collect())?)
    }

    fn add(&mut self, group: usize, row: &[u8]) {
        let set = &mut self.sets[group];
        if !set.contains(row) {
            set.insert(row.into());
            self.bytes += row.len() + ENTRY_BYTES;
        }
    }
}

impl Groups for Distinct {
    fn resize(&mut self, groups: usize) {
        self.sets.resize_with(groups, HashSet::new);
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
        let lengths: Vec<usize> = self.sets[..groups].iter().map(HashSet::len).collect();
        for row in self.sets[..groups].iter().flatten() {
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
            // Sorted: the result does not depend on how a set lies in memory.
            let mut rows: Vec<&[u8]> = set.iter().map(AsRef::as_ref).collect();
            rows.sort_unstable();
            let columns = converter.convert_rows(rows.iter().map(|row| parser.parse(row)))?;
            inner.update(&columns, &vec![group; rows.len()])?;
        }
        inner.finish(groups)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone = self.sets.drain(..groups).flatten().map(|row| row.len() + ENTRY_BYTES).sum();
        self.bytes = self.bytes.saturating_sub(gone);
    }

    fn bytes(&self) -> usize {
        self.bytes + self.sets.capacity() * size_of::<HashSet<Box<[u8]>>>()
    }
}
