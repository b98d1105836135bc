//! Values of each group side by side, for functions that make something of all of them.
//!
//! Values stay in the batches they came in, copied to be free of what else their buffers hold; each batch knows the groups of its
//! rows. The result gathers them in the order of groups, and of their coming within a group. Of a single group batches need but to
//! be joined.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, StructArray, UInt32Array};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{concat, interleave, take};
use arrow::datatypes::{DataType, Field};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use gristmill_types::default::default_array;

use super::Plan;
use super::combinators::array::flatten;
use super::groups::{Groups, ask_for};
use super::kept::own_buffers;
use super::key_set::Set;
use super::sets::Key;
use crate::columns::{retype, too_large};

pub type Finish = Arc<dyn Fn(ListArray) -> Result<ArrayRef> + Send + Sync>;

/// A function that collects rows of the columns `kinds` (as tuples where there are several).
pub fn collected(
    result: SqlType,
    arguments: Vec<SqlType>,
    kinds: Vec<SqlType>,
    limit: usize,
    distinct: bool,
    finish: Finish,
) -> Plan {
    let state = kinds.iter().map(|kind| SqlType::array(kind.clone()).arrow()).collect();
    Plan::new(result, arguments, state, move || Lists {
        kinds: kinds.clone(),
        limit,
        chunks: Vec::new(),
        rows: 0,
        values_bytes: 0,
        owners_bytes: 0,
        lengths: Vec::new(),
        seen: distinct.then(Vec::new),
        seen_bytes: 0,
        finish: finish.clone(),
    })
}

/// The group of a row that was forgotten with it.
const GONE: u32 = u32::MAX;
/// Chunks of a few rows each cost more than their values: more than this are joined, where they have so few rows on average.
const CHUNKS_MAX: usize = 4096;
const CHUNK_ROWS: usize = 1024;
/// What the buffers of an array may have beyond twice its rows.
const SPARE_BYTES: usize = 4096;

/// Whose the rows of a chunk are.
enum Owners {
    /// All of one group.
    One(u32),
    Each(Box<[u32]>),
}

impl Owners {
    fn bytes(&self) -> usize {
        match self {
            Owners::One(_) => 0,
            Owners::Each(groups) => groups.len() * size_of::<u32>(),
        }
    }

    /// Forgets the first groups; the others move down. False: no row is left.
    fn drop_first(&mut self, gone: u32) -> bool {
        let moved = |group: u32| if group == GONE || group < gone { GONE } else { group - gone };
        match self {
            Owners::One(group) => {
                *group = moved(*group);
                *group != GONE
            }
            Owners::Each(groups) => {
                groups.iter_mut().for_each(|group| *group = moved(*group));
                groups.iter().any(|group| *group != GONE)
            }
        }
    }
}

/// Rows of one batch.
struct Chunk {
    columns: Vec<ArrayRef>,
    owners: Owners,
    values_bytes: usize,
}

impl Chunk {
    fn new(columns: Vec<ArrayRef>, owners: Owners) -> Chunk {
        let values_bytes = columns.iter().map(|array| array.get_array_memory_size()).sum();
        Chunk { columns, owners, values_bytes }
    }

    fn rows(&self) -> usize {
        self.columns.first().map_or(0, |array| array.len())
    }

    /// Calls with the group of each row, and the row.
    fn each(&self, mut f: impl FnMut(u32, usize)) {
        match &self.owners {
            Owners::One(group) => (0..self.rows()).for_each(|row| f(*group, row)),
            Owners::Each(groups) => groups.iter().enumerate().for_each(|(row, group)| f(*group, row)),
        }
    }
}

struct Lists {
    kinds: Vec<SqlType>,
    /// Values of a group beyond this are left out.
    limit: usize,
    chunks: Vec<Chunk>,
    /// In the chunks.
    rows: usize,
    values_bytes: usize,
    owners_bytes: usize,
    lengths: Vec<usize>,
    /// Keys of the values of each group, where only different ones are wanted.
    seen: Option<Vec<Set<u128>>>,
    seen_bytes: usize,
    finish: Finish,
}

impl Lists {
    /// Whether so many rows more of a group are all kept; then they count from here on.
    fn takes_all(&mut self, group: usize, rows: usize) -> bool {
        let takes = self.seen.is_none() && rows <= self.limit.saturating_sub(self.lengths[group]);
        if takes {
            self.lengths[group] += rows;
        }
        takes
    }

    /// Keeps the rows that were picked, or all.
    fn keep(&mut self, args: &[ArrayRef], picks: Option<&UInt32Array>, owners: Owners) -> Result<()> {
        let columns = args.iter().map(|array| -> Result<ArrayRef> {
            match picks {
                Some(picks) => Ok(own_buffers(&take(array, picks, None)?)),
                None => alone(array),
            }
        });
        let chunk = Chunk::new(columns.collect::<Result<_>>()?, owners);
        self.count(&chunk);
        self.chunks.push(chunk);
        if self.chunks.len() > CHUNKS_MAX && self.rows < self.chunks.len() * CHUNK_ROWS {
            let columns = self.joined()?.iter().map(own_buffers).collect();
            self.replace(columns);
        }
        Ok(())
    }

    fn count(&mut self, chunk: &Chunk) {
        self.rows += chunk.rows();
        self.values_bytes += chunk.values_bytes;
        self.owners_bytes += chunk.owners.bytes();
    }

    fn count_anew(&mut self) {
        self.rows = self.chunks.iter().map(Chunk::rows).sum();
        self.values_bytes = self.chunks.iter().map(|chunk| chunk.values_bytes).sum();
        self.owners_bytes = self.chunks.iter().map(|chunk| chunk.owners.bytes()).sum();
    }

    /// The rows of all chunks, column by column.
    fn joined(&self) -> Result<Vec<ArrayRef>> {
        let column = |i: usize| -> Result<ArrayRef> {
            let parts: Vec<&dyn Array> = self.chunks.iter().map(|chunk| chunk.columns[i].as_ref()).collect();
            Ok(concat(&parts)?)
        };
        (0..self.kinds.len()).map(column).collect()
    }

    /// One chunk in the place of all, of their rows.
    fn replace(&mut self, columns: Vec<ArrayRef>) {
        let owners = match self.only_owner() {
            Some(group) => Owners::One(group),
            None => {
                let mut groups = Vec::with_capacity(self.rows);
                self.chunks.iter().for_each(|chunk| chunk.each(|group, _| groups.push(group)));
                Owners::Each(groups.into_boxed_slice())
            }
        };
        self.chunks = vec![Chunk::new(columns, owners)];
        self.count_anew();
    }

    /// The group that all rows are of, where chunks say so.
    fn only_owner(&self) -> Option<u32> {
        let of = |chunk: &Chunk| if let Owners::One(group) = chunk.owners { Some(group) } else { None };
        let first = self.chunks.first().and_then(of)?;
        self.chunks.iter().all(|chunk| of(chunk) == Some(first)).then_some(first)
    }

    /// The values of the first groups, a list for each, column by column. `asks`: whether there is room for them; who writes states
    /// down because there is none is not asked.
    fn lists(&mut self, groups: usize, asks: bool) -> Result<Vec<ListArray>> {
        let total: usize = self.lengths[..groups].iter().sum();
        if total > i32::MAX as usize {
            return Err(too_large(total));
        }
        let columns: Vec<ArrayRef> = match total {
            0 => self.kinds.iter().map(|kind| default_array(kind, 0)).collect(),
            _ if total == self.rows => self.all(groups, asks)?,
            _ => self.some(groups, total, asks)?,
        };
        let offsets = OffsetBuffer::<i32>::from_lengths(self.lengths[..groups].iter().copied());
        let lists = self.kinds.iter().zip(columns).map(|(kind, values)| {
            let DataType::List(item) = SqlType::array(kind.clone()).arrow() else {
                return Err(Error::logical("An array is carried as a list"));
            };
            let values = retype(&values, item.data_type())?;
            Ok(ListArray::try_new(item, offsets.clone(), values, None)?)
        });
        lists.collect()
    }

    /// All rows in the order of their groups. They are joined first: that takes less memory than to gather them from many places.
    fn all(&mut self, groups: usize, asks: bool) -> Result<Vec<ArrayRef>> {
        if self.chunks.len() > 1 {
            if asks {
                ask_for(self.values_bytes)?;
            }
            let columns = self.joined()?;
            self.replace(columns);
        }
        let Some(chunk) = self.chunks.first() else { return Err(Error::logical("Rows are in a chunk")) };
        if let Owners::One(_) = chunk.owners {
            return Ok(chunk.columns.clone());
        }
        if asks {
            ask_for(chunk.rows() * size_of::<u32>() + chunk.values_bytes)?;
        }
        let mut next = self.starts(groups);
        let mut wanted = vec![0u32; chunk.rows()];
        chunk.each(|group, row| {
            // All rows are of these groups.
            if let Some(next) = next.get_mut(group as usize) {
                wanted[*next] = row as u32;
                *next += 1;
            }
        });
        let wanted = UInt32Array::from(wanted);
        chunk.columns.iter().map(|array| Ok(take(array, &wanted, None)?)).collect()
    }

    /// The rows of the first groups, in the order of these.
    fn some(&self, groups: usize, total: usize, asks: bool) -> Result<Vec<ArrayRef>> {
        if asks {
            let values = self.values_bytes.saturating_mul(total) / self.rows.max(1);
            ask_for(total * size_of::<(usize, usize)>() + values)?;
        }
        let mut next = self.starts(groups);
        let mut wanted = vec![(0usize, 0usize); total];
        for (at, chunk) in self.chunks.iter().enumerate() {
            chunk.each(|group, row| {
                if let Some(next) = next.get_mut(group as usize) {
                    wanted[*next] = (at, row);
                    *next += 1;
                }
            });
        }
        let column = |i: usize| -> Result<ArrayRef> {
            let sources: Vec<&dyn Array> = self.chunks.iter().map(|chunk| chunk.columns[i].as_ref()).collect();
            Ok(interleave(&sources, &wanted)?)
        };
        (0..self.kinds.len()).map(column).collect()
    }

    /// Where each of the first groups begins.
    fn starts(&self, groups: usize) -> Vec<usize> {
        let starts = self.lengths[..groups].iter().scan(0, |start, length| {
            let own = *start;
            *start += length;
            Some(own)
        });
        starts.collect()
    }
}

impl Groups for Lists {
    fn resize(&mut self, groups: usize) {
        self.lengths.resize(groups, 0);
        if let Some(seen) = &mut self.seen {
            seen.resize_with(groups, Set::new);
        }
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        // A constant delimiter is no value.
        let args = &args[..self.kinds.len()];
        let is_one = self.lengths.len() == 1;
        if is_one && self.takes_all(0, groups.len()) {
            return self.keep(args, None, Owners::One(0));
        }
        if let Some([Set::Many(table)]) = self.seen.as_deref() {
            ask_for(table.bytes_to_grow(groups.len()))?;
        }
        let keys = if self.seen.is_some() { u128::of(args)? } else { Vec::new() };
        let (mut picks, mut owners): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        for (row, group) in groups.iter().enumerate() {
            if self.lengths[*group] >= self.limit {
                continue;
            }
            if let Some(seen) = &mut self.seen {
                let set = &mut seen[*group];
                let before = set.bytes();
                let is_new = set.insert(keys[row]);
                self.seen_bytes += set.bytes().saturating_sub(before);
                if !is_new {
                    continue;
                }
            }
            self.lengths[*group] += 1;
            owners.push(*group as u32);
            picks.push(row as u32);
        }
        if picks.is_empty() {
            return Ok(());
        }
        let picks = (picks.len() < groups.len()).then(|| UInt32Array::from(picks));
        let owners = if is_one { Owners::One(0) } else { Owners::Each(owners.into_boxed_slice()) };
        self.keep(args, picks.as_ref(), owners)
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        Ok(self.lists(groups, false)?.into_iter().map(|list| Arc::new(list) as ArrayRef).collect())
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        // Of one group a state may be very large: nothing is made for each of its values.
        let only = match groups {
            _ if self.lengths.len() == 1 => Some(0),
            [group] => Some(*group),
            _ => None,
        };
        if let (Some(group), [state]) = (only, states)
            && let Some(list) = state.as_list_opt::<i32>()
        {
            let (start, end) = (list.offsets()[0] as usize, list.offsets()[list.len()] as usize);
            if self.takes_all(group, end - start) {
                return self.keep(&[list.values().slice(start, end - start)], None, Owners::One(group as u32));
            }
        }
        let flat = flatten(states)?;
        let groups: Vec<usize> = flat.rows.iter().map(|row| groups[*row]).collect();
        if groups.is_empty() { Ok(()) } else { self.update(&flat.columns, &groups) }
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let mut lists = self.lists(groups, true)?;
        match lists.len() {
            1 => (self.finish)(lists.swap_remove(0)),
            _ => {
                let offsets = lists[0].offsets().clone();
                let fields = lists
                    .iter()
                    .enumerate()
                    .map(|(i, list)| Field::new(i.to_string(), list.value_type(), list.values().is_nullable()))
                    .collect::<Vec<_>>();
                let columns = lists.iter().map(|list| list.values().clone()).collect();
                let tuples = StructArray::try_new(fields.into(), columns, None)?;
                let item = Arc::new(Field::new("item", tuples.data_type().clone(), false));
                (self.finish)(ListArray::try_new(item, offsets, Arc::new(tuples), None)?)
            }
        }
    }

    fn drop_first(&mut self, groups: usize) {
        self.lengths.drain(..groups);
        if let Some(seen) = &mut self.seen {
            let gone: usize = seen.drain(..groups).map(|set| set.bytes()).sum();
            self.seen_bytes = self.seen_bytes.saturating_sub(gone);
        }
        self.chunks.retain_mut(|chunk| chunk.owners.drop_first(groups as u32));
        self.count_anew();
    }

    fn bytes(&self) -> usize {
        let sets = self.seen.as_ref().map_or(0, |seen| seen.capacity() * size_of::<Set<u128>>());
        let chunks = self.chunks.capacity() * size_of::<Chunk>() + self.lengths.capacity() * size_of::<usize>();
        self.values_bytes + self.owners_bytes + chunks + sets + self.seen_bytes
    }
}

/// The same values in buffers that hold no others: of a slice its rows alone.
fn alone(array: &ArrayRef) -> Result<ArrayRef> {
    // Views have their buffers copied where they are kept.
    if *array.data_type() != DataType::BinaryView {
        let needed = array.to_data().get_slice_memory_size().unwrap_or(usize::MAX);
        if array.get_array_memory_size() > needed.saturating_mul(2).saturating_add(SPARE_BYTES) {
            let rows = UInt32Array::from_iter_values(0..array.len() as u32);
            return Ok(own_buffers(&take(array, &rows, None)?));
        }
    }
    Ok(own_buffers(array))
}

#[cfg(test)]
mod tests {
    use arrow::array::UInt64Array;
    use arrow::datatypes::UInt64Type;

    use super::*;

    fn lists(limit: usize, distinct: bool) -> Box<dyn Groups> {
        let kinds = vec![SqlType::UInt64];
        let finish: Finish = Arc::new(|list| Ok(Arc::new(list) as ArrayRef));
        let plan = collected(SqlType::array(SqlType::UInt64), kinds.clone(), kinds, limit, distinct, finish);
        (plan.make)()
    }

    fn numbers(numbers: impl IntoIterator<Item = u64>) -> Vec<ArrayRef> {
        vec![Arc::new(UInt64Array::from_iter_values(numbers))]
    }

    fn told(array: &ArrayRef) -> Vec<Vec<u64>> {
        let list = array.as_list::<i32>();
        (0..list.len()).map(|row| list.value(row).as_primitive::<UInt64Type>().values().to_vec()).collect()
    }

    /// Within a tenth of what the values take, and what says whose they are.
    fn assert_near(bytes: usize, expected: usize) {
        assert!(bytes.abs_diff(expected) * 10 <= expected, "{bytes} bytes are told where there are {expected}");
    }

    #[test]
    fn one_group_holds_its_values_alone() {
        let mut one = lists(usize::MAX, false);
        one.resize(1);
        let zeroes = vec![0; 10_000];
        for batch in 0..100 {
            one.update(&numbers(batch * 10_000..(batch + 1) * 10_000), &zeroes).expect("kept");
        }
        assert_near(one.bytes(), 8_000_000);
        let states = one.save(1).expect("a state");
        assert_near(one.bytes(), 8_000_000);
        let mut merged = lists(usize::MAX, false);
        merged.resize(1);
        merged.merge(&states, &[0]).expect("merged");
        merged.merge(&states, &[0]).expect("merged");
        assert_near(merged.bytes(), 16_000_000);
        let all = told(&merged.finish(1).expect("a result"));
        assert!(all[0].iter().copied().eq((0..1_000_000).chain(0..1_000_000)));
    }

    #[test]
    fn a_value_of_several_groups_takes_four_bytes_more() {
        let mut several = lists(usize::MAX, false);
        several.resize(4);
        let groups: Vec<usize> = (0..10_000).map(|row| row % 4).collect();
        for _ in 0..100 {
            several.update(&numbers(0..10_000), &groups).expect("kept");
        }
        assert_near(several.bytes(), 12_000_000);
        let all = told(&several.finish(4).expect("a result"));
        assert!(all.iter().enumerate().all(|(group, values)| {
            values.len() == 250_000 && values.iter().zip((group as u64..10_000).step_by(4).cycle()).all(|(a, b)| *a == b)
        }));
    }

    #[test]
    fn a_slice_of_a_large_array_does_not_hold_all_of_it() {
        let mut one = lists(usize::MAX, false);
        one.resize(1);
        let whole = numbers(0..1_000_000);
        for start in 0..100 {
            one.update(&[whole[0].slice(start * 10, 10)], &[0; 10]).expect("kept");
        }
        assert!(one.bytes() < 100_000, "{}", one.bytes());
        assert_eq!(told(&one.finish(1).expect("a result")), [(0..1000).collect::<Vec<u64>>()]);
    }

    #[test]
    fn what_is_different_is_counted_with_its_keys() {
        let mut one = lists(usize::MAX, true);
        one.resize(1);
        let zeroes = vec![0; 100_000];
        for _ in 0..2 {
            one.update(&numbers(0..100_000), &zeroes).expect("kept");
        }
        // The keys are in a table of a power of two of slots.
        assert_near(one.bytes(), 100_000 * 8 + (1 << 18) * 16);
        assert_eq!(told(&one.finish(1).expect("a result"))[0].len(), 100_000);
    }

    #[test]
    fn groups_leave_with_their_values() {
        let mut some = lists(3, false);
        some.resize(2);
        some.update(&numbers(0..6), &[0, 1, 0, 1, 0, 0]).expect("kept");
        some.resize(3);
        some.update(&numbers(6..10), &[1, 2, 2, 1]).expect("kept");
        assert_eq!(told(&some.finish(1).expect("a result")), [[0, 2, 4]]);
        some.drop_first(1);
        assert_eq!(told(&some.finish(2).expect("a result")), [vec![1, 3, 6], vec![7, 8]]);
        some.resize(3);
        some.update(&numbers([10, 11]), &[2, 1]).expect("kept");
        assert_eq!(told(&some.save(3).expect("states")[0]), [vec![1, 3, 6], vec![7, 8, 11], vec![10]]);
        some.drop_first(3);
        some.resize(1);
        some.update(&numbers([12]), &[0]).expect("kept");
        assert_eq!(told(&some.finish(1).expect("a result")), [[12]]);
    }
}
