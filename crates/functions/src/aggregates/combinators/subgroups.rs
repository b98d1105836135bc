//! ForEach and Map: the function for each place of arrays, or each key of maps.
//!
//! Every (group, key) is a group of the inner function: its own states are numbered as the pairs turn up. A place in an
//! array is a key too, so both combinators differ in keys and results only.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder, ListArray, MapArray, StructArray, UInt64Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::take;
use arrow::datatypes::{DataType, Field};
use arrow::row::{RowConverter, SortField};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::array::flatten;
use super::wrapped;
use crate::aggregates::Prepared;
use crate::aggregates::groups::{Groups, Make};
use crate::columns::retype;

/// The result of each place; shorter arrays have nothing to say of the places beyond their end.
pub fn for_each(inner: Prepared) -> Prepared {
    let arguments = inner.arguments.iter().cloned().map(SqlType::array).collect();
    let result = SqlType::array(inner.result.clone());
    subgroups(inner, arguments, result, None)
}

/// The result of each key, in the order of the keys.
pub fn map(inner: Prepared, key: &SqlType) -> Result<Prepared> {
    let value = inner.arguments.first().cloned().unwrap_or(SqlType::UInt64);
    let arguments = vec![SqlType::Map(Box::new(key.clone()), Box::new(value))];
    let result = SqlType::Map(Box::new(key.clone()), Box::new(inner.result.clone()));
    RowConverter::new(vec![SortField::new(key.arrow())])?;
    Ok(subgroups(inner, arguments, result, Some(key.arrow())))
}

fn subgroups(inner: Prepared, arguments: Vec<SqlType>, result: SqlType, key: Option<DataType>) -> Prepared {
    let fields = inner.state.iter().enumerate().map(|(i, kind)| Field::new(i.to_string(), kind.clone(), true)).collect();
    let saved = DataType::Struct(fields);
    let state = vec![list_type(DataType::Binary), list_type(saved.clone())];
    let carrier = result.arrow();
    wrapped(&inner, result, arguments, state, move |make| {
        Box::new(Subgroups {
            inner: make(),
            make,
            key: key.clone(),
            saved: saved.clone(),
            result: carrier.clone(),
            members: Vec::new(),
            total: 0,
            orphans: 0,
            bytes: 0,
        })
    })
}

fn list_type(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("item", item, true)))
}

struct Subgroups {
    inner: Box<dyn Groups>,
    make: Make,
    /// Type of a map's keys; `None` for places.
    key: Option<DataType>,
    /// A state of the inner function as one struct.
    saved: DataType,
    result: DataType,
    /// For each group, its keys (as comparable bytes; places as big-endian numbers) and the inner group of each.
    members: Vec<std::collections::BTreeMap<Box<[u8]>, usize>>,
    total: usize,
    /// Inner groups whose group was dropped.
    orphans: usize,
    bytes: usize,
}

const ENTRY_BYTES: usize = 48;

impl Subgroups {
    /// The inner group of a key.
    fn member(&mut self, group: usize, key: &[u8]) -> usize {
        if let Some(known) = self.members[group].get(key) {
            return *known;
        }
        let new = self.total;
        self.members[group].insert(key.into(), new);
        self.total += 1;
        self.bytes += key.len() + ENTRY_BYTES;
        new
    }

    fn converter(&self) -> Result<Option<RowConverter>> {
        self.key.as_ref().map(|key| Ok(RowConverter::new(vec![SortField::new(key.clone())])?)).transpose()
    }

    /// Moves the inner states that still have a group to a new inner function, where many have none.
    fn compact(&mut self) -> Result<()> {
        if self.orphans < 1024 || self.orphans * 2 < self.total {
            return Ok(());
        }
        let states = self.inner.save(self.total)?;
        let mut stay = Vec::with_capacity(self.total - self.orphans);
        for inner in self.members.iter_mut().flat_map(|members| members.values_mut()) {
            stay.push(*inner as u64);
            *inner = stay.len() - 1;
        }
        let stay = UInt64Array::from(stay);
        let states = states.iter().map(|state| Ok(take(state, &stay, None)?)).collect::<Result<Vec<_>>>()?;
        (self.total, self.orphans) = (stay.len(), 0);
        self.inner = (self.make)();
        self.inner.resize(self.total);
        self.inner.merge(&states, &(0..self.total).collect::<Vec<_>>())
    }

    /// Inner groups of the first groups, one group after another, and how many each has.
    fn order(&self, groups: usize) -> (UInt64Array, Vec<usize>) {
        let members = &self.members[..groups];
        let order = members.iter().flat_map(|members| members.values().map(|inner| *inner as u64)).collect();
        (order, members.iter().map(|members| members.len()).collect())
    }
}

impl Groups for Subgroups {
    fn resize(&mut self, groups: usize) {
        self.members.resize_with(groups, Default::default);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.compact()?;
        let mut inner_groups = Vec::new();
        let columns = if let Some(converter) = self.converter()? {
            let maps = args[0].as_map();
            let offsets = maps.offsets();
            let (start, end) = (offsets[0] as usize, offsets[maps.len()] as usize);
            let keys = converter.convert_columns(&[maps.keys().slice(start, end - start)])?;
            for (row, group) in groups.iter().enumerate() {
                for at in offsets[row] as usize..offsets[row + 1] as usize {
                    inner_groups.push(self.member(*group, keys.row(at - start).as_ref()));
                }
            }
            vec![maps.values().slice(start, end - start)]
        } else {
            let flat = flatten(args)?;
            for (row, place) in flat.rows.iter().zip(&flat.places) {
                inner_groups.push(self.member(groups[*row], &(*place as u64).to_be_bytes()));
            }
            flat.columns
        };
        self.inner.resize(self.total);
        if inner_groups.is_empty() { Ok(()) } else { self.inner.update(&columns, &inner_groups) }
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let (order, lengths) = self.order(groups);
        let states = self.inner.save(self.total)?;
        let states = states.iter().map(|state| Ok(take(state, &order, None)?)).collect::<Result<Vec<_>>>()?;
        let DataType::Struct(fields) = &self.saved else {
            return Err(gristmill_base::Error::logical("A saved state is a struct"));
        };
        let states: ArrayRef = Arc::new(StructArray::try_new_with_length(fields.clone(), states, None, order.len())?);
        let mut keys = BinaryBuilder::new();
        for key in self.members[..groups].iter().flat_map(|members| members.keys()) {
            keys.append_value(key);
        }
        let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
        let list = |values: ArrayRef| -> Result<ArrayRef> {
            let item = Arc::new(Field::new("item", values.data_type().clone(), true));
            Ok(Arc::new(ListArray::try_new(item, offsets.clone(), values, None)?))
        };
        Ok(vec![list(Arc::new(keys.finish()))?, list(states)?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let (keys, saved) = (states[0].as_list::<i32>(), states[1].as_list::<i32>());
        for (row, group) in groups.iter().enumerate() {
            let keys = keys.value(row);
            if keys.is_empty() {
                continue;
            }
            let inner: Vec<usize> =
                keys.as_binary::<i32>().iter().map(|key| self.member(*group, key.unwrap_or_default())).collect();
            self.inner.resize(self.total);
            self.inner.merge(saved.value(row).as_struct().columns(), &inner)?;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let (order, lengths) = self.order(groups);
        let values = take(&self.inner.finish(self.total)?, &order, None)?;
        let offsets = OffsetBuffer::<i32>::from_lengths(lengths);
        match (&self.result, self.converter()?) {
            (DataType::Map(entries, ordered), Some(converter)) => {
                let parser = converter.parser();
                let keys = self.members[..groups].iter().flat_map(|members| members.keys());
                let keys = converter.convert_rows(keys.map(|key| parser.parse(key)))?.swap_remove(0);
                let DataType::Struct(fields) = entries.data_type() else {
                    return Err(gristmill_base::Error::logical("A map has entries"));
                };
                let pairs = StructArray::try_new(fields.clone(), vec![keys, retype(&values, fields[1].data_type())?], None)?;
                Ok(Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, None, *ordered)?))
            }
            (DataType::List(item), _) => {
                Ok(Arc::new(ListArray::try_new(item.clone(), offsets, retype(&values, item.data_type())?, None)?))
            }
            _ => Err(gristmill_base::Error::logical("ForEach and Map give arrays and maps")),
        }
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.members.drain(..groups).map(|members| members.len()).sum();
        self.orphans += gone;
        self.bytes = self.bytes.saturating_sub(gone * ENTRY_BYTES);
    }

    fn bytes(&self) -> usize {
        self.inner.bytes() + self.bytes + self.members.capacity() * 24
    }
}
