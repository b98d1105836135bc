//! SummingMergeTree's maps: arrays `<name>Map.<column>` that are the columns of a nested table of keys and values.
//!
//! The first column, and those whose names end with `ID`, `Key` or `Type`, are the key; all others are numbers. The maps of
//! a table key become one map: the values of equal keys are added up, in the order of the keys, and a key whose sums are
//! all zero goes. With several key columns the map of a single row stays as it is, and so does a key that was there once.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{concat, take};
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, Rows, SortField};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_functions::aggregates::{Prepared, stored};
use gristmill_types::default::default_array;
use gristmill_types::nested::table_of;
use gristmill_types::{Columns, SqlType};

use super::fold::typed;

#[derive(Clone)]
pub struct NestedMap {
    name: String,
    /// Places of the stored columns.
    keys: Vec<usize>,
    values: Vec<usize>,
    key_kinds: Vec<SqlType>,
    value_kinds: Vec<SqlType>,
    sums: Vec<Prepared>,
}

impl std::fmt::Debug for NestedMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}(keys {:?}, values {:?})", self.name, self.keys, self.values)
    }
}

/// The maps of a table. What looks like one and cannot be added up is none.
pub fn find(columns: &Columns, in_keys: &[String]) -> Result<Vec<NestedMap>> {
    let mut candidates: Vec<(&str, Vec<usize>)> = Vec::new();
    for (place, column) in columns.iter().enumerate() {
        let table = table_of(&column.name).filter(|table| table.ends_with("Map"));
        let Some(table) = table.filter(|_| matches!(column.kind, SqlType::Array(_))) else { continue };
        match candidates.iter_mut().find(|(known, _)| *known == table) {
            Some((_, places)) => places.push(place),
            None => candidates.push((table, vec![place])),
        }
    }
    let mut maps = Vec::new();
    for (name, places) in candidates {
        let is_in_key = places.iter().any(|place| in_keys.contains(&columns.0[*place].name));
        if places.len() > 1
            && !is_in_key
            && let Some(map) = map_of(name, &places, columns)?
        {
            maps.push(map);
        }
    }
    Ok(maps)
}

fn map_of(name: &str, places: &[usize], columns: &Columns) -> Result<Option<NestedMap>> {
    let mut map = NestedMap {
        name: name.to_string(),
        keys: Vec::new(),
        values: Vec::new(),
        key_kinds: Vec::new(),
        value_kinds: Vec::new(),
        sums: Vec::new(),
    };
    for (at, &place) in places.iter().enumerate() {
        let column = &columns.0[place];
        let SqlType::Array(element) = &column.kind else { return Ok(None) };
        let is_key = at == 0 || ["ID", "Key", "Type"].iter().any(|end| column.name.ends_with(end));
        let plain_integer = element.is_integer() && !element.is_nullable();
        if is_key {
            let is_string = matches!(element.storage(), SqlType::String | SqlType::FixedString(_));
            if !plain_integer && !is_string && !element.is_date_or_time() && !element.is_enum() || element.is_nullable() {
                return Ok(None);
            }
            map.keys.push(place);
            map.key_kinds.push(element.as_ref().clone());
        } else {
            if !element.is_number() || element.is_nullable() {
                return Ok(None);
            }
            map.values.push(place);
            map.value_kinds.push(element.as_ref().clone());
            map.sums.push(stored::sum_within(element)?);
        }
    }
    Ok((!map.values.is_empty()).then_some(map))
}

/// The elements of a column's arrays, and where each row's begin and end.
struct Elements {
    values: ArrayRef,
    offsets: Vec<usize>,
}

fn elements(held: &ArrayRef, batch: &ArrayRef) -> Result<Elements> {
    let (mut offsets, mut pieces): (Vec<usize>, Vec<ArrayRef>) = (vec![0], Vec::new());
    for array in [held, batch] {
        let list =
            array.as_list_opt::<i32>().ok_or_else(|| Error::logical("A nested table of columns that are no arrays"))?;
        let own = list.value_offsets();
        let (from, to) = (own[0] as usize, own[own.len() - 1] as usize);
        let base = offsets[offsets.len() - 1];
        offsets.extend(own[1..].iter().map(|offset| base + *offset as usize - from));
        pieces.push(list.values().slice(from, to - from));
    }
    let values = concat(&pieces.iter().map(AsRef::as_ref).collect::<Vec<_>>())?;
    Ok(Elements { values, offsets })
}

impl NestedMap {
    pub fn contains(&self, column: usize) -> bool {
        self.keys.contains(&column) || self.values.contains(&column)
    }

    /// Its columns: keys, then values.
    pub fn columns(&self) -> impl Iterator<Item = usize> {
        self.keys.iter().chain(&self.values).copied()
    }

    /// The columns with one row a table key. `held` (one row of table key 0, or none) and `batch`: the columns in the
    /// order of `columns`; `keys[i]`: the table key of the batch's row `i`. Errors: SIZES_OF_ARRAYS_DONT_MATCH.
    pub fn sum(&self, held: &[ArrayRef], batch: &[ArrayRef], keys: &[usize], count: usize) -> Result<Vec<ArrayRef>> {
        let columns = held.iter().zip(batch).map(|(held, batch)| elements(held, batch)).collect::<Result<Vec<_>>>()?;
        let (first, others) = columns.split_first().ok_or_else(|| Error::logical("A map without columns"))?;
        if others.iter().any(|column| column.offsets != first.offsets) {
            return Err(Error::new(
                ErrorCode::SIZES_OF_ARRAYS_DONT_MATCH,
                format!("The arrays of the nested table {} have different sizes in one row", self.name),
            ));
        }
        let table_keys: Vec<usize> =
            std::iter::repeat_n(0, held.first().map_or(0, |column| column.len())).chain(keys.iter().copied()).collect();
        let mut rows_of_key = vec![0usize; count];
        table_keys.iter().for_each(|key| rows_of_key[*key] += 1);
        let normalised = self.normalised(&columns[..self.keys.len()])?;
        let entries = self.entries(&first.offsets, &table_keys, &rows_of_key, &normalised, count);
        let groups = entries.of_element.iter().map(|entry| *entry as usize).collect::<Vec<_>>();
        let mut sums = Vec::with_capacity(self.sums.len());
        for ((function, kind), column) in self.sums.iter().zip(&self.value_kinds).zip(&columns[self.keys.len()..]) {
            let argument = function.arguments.first().ok_or_else(|| Error::logical("A sum without an argument"))?;
            let mut summed = (function.make)();
            summed.resize(entries.first_element.len());
            if !groups.is_empty() {
                summed.update(&[typed(column.values.clone(), argument)?], &groups)?;
            }
            sums.push(typed(summed.finish(entries.first_element.len())?, kind)?);
        }
        let kept = self.kept(&entries, &sums)?;
        self.rebuilt(&columns, held, &sums, &entries, kept)
    }

    fn normalised(&self, keys: &[Elements]) -> Result<Rows> {
        let fields = self.key_kinds.iter().map(|kind| SortField::new(kind.arrow())).collect();
        let columns: Vec<ArrayRef> = keys.iter().map(|column| column.values.clone()).collect();
        Ok(RowConverter::new(fields)?.convert_columns(&columns)?)
    }

    /// Which elements are added up to one.
    fn entries(
        &self,
        offsets: &[usize],
        table_keys: &[usize],
        rows_of_key: &[usize],
        normalised: &Rows,
        count: usize,
    ) -> Entries {
        let mut entries = Entries { of_key: vec![Vec::new(); count], ..Entries::default() };
        let mut known: HashMap<(usize, &[u8]), u32> = HashMap::new();
        let mut by_entry: Vec<&[u8]> = Vec::new();
        for (row, &table_key) in table_keys.iter().enumerate() {
            let stays = self.keys.len() > 1 && rows_of_key[table_key] == 1;
            for element in offsets[row]..offsets[row + 1] {
                let next = entries.first_element.len() as u32;
                let key = normalised.row(element).data();
                let entry = if stays { next } else { *known.entry((table_key, key)).or_insert(next) };
                if entry == next {
                    entries.first_element.push(element as u32);
                    entries.times.push(0);
                    entries.of_key[table_key].push(entry);
                    by_entry.push(key);
                }
                entries.times[entry as usize] += 1;
                entries.of_element.push(entry);
            }
        }
        for (table_key, list) in entries.of_key.iter_mut().enumerate() {
            if self.keys.len() == 1 || rows_of_key[table_key] > 1 {
                list.sort_by_key(|entry| by_entry[*entry as usize]);
            }
        }
        entries
    }

    /// By entry: whether it stays.
    fn kept(&self, entries: &Entries, sums: &[ArrayRef]) -> Result<Vec<bool>> {
        let mut kept = vec![false; entries.first_element.len()];
        for (sums, kind) in sums.iter().zip(&self.value_kinds) {
            let converter = RowConverter::new(vec![SortField::new(kind.arrow())])?;
            let zero = converter.convert_columns(&[default_array(kind, 1)])?;
            let values = converter.convert_columns(std::slice::from_ref(sums))?;
            for (kept, value) in kept.iter_mut().zip(&values) {
                *kept |= value != zero.row(0);
            }
        }
        if self.keys.len() > 1 {
            kept.iter_mut().zip(&entries.times).for_each(|(kept, times)| *kept |= *times == 1);
        }
        Ok(kept)
    }

    fn rebuilt(
        &self,
        columns: &[Elements],
        originals: &[ArrayRef],
        sums: &[ArrayRef],
        entries: &Entries,
        kept: Vec<bool>,
    ) -> Result<Vec<ArrayRef>> {
        let stay = |entry: &&u32| kept[**entry as usize];
        let lengths = OffsetBuffer::from_lengths(entries.of_key.iter().map(|list| list.iter().filter(stay).count()));
        let order: Vec<u32> = entries.of_key.iter().flatten().filter(stay).copied().collect();
        let firsts = UInt32Array::from_iter_values(order.iter().map(|entry| entries.first_element[*entry as usize]));
        let order = UInt32Array::from(order);
        let list = |values: ArrayRef, original: &ArrayRef| -> Result<ArrayRef> {
            let DataType::List(field) = original.data_type() else {
                return Err(Error::logical("A nested table of columns that are no arrays"));
            };
            Ok(Arc::new(ListArray::try_new(field.clone(), lengths.clone(), values, None)?))
        };
        let mut out = Vec::with_capacity(columns.len());
        for (at, (column, original)) in columns.iter().zip(originals).enumerate() {
            let values = match at.checked_sub(self.keys.len()) {
                None => take(&column.values, &firsts, None)?,
                Some(value) => take(&sums[value], &order, None)?,
            };
            out.push(list(values, original)?);
        }
        Ok(out)
    }
}

/// Elements of maps, those of one table key and one map key together.
#[derive(Default)]
struct Entries {
    /// By element.
    of_element: Vec<u32>,
    /// By table key.
    of_key: Vec<Vec<u32>>,
    /// By entry: the first element, and how many there are.
    first_element: Vec<u32>,
    times: Vec<u32>,
}
