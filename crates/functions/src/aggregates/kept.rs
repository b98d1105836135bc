//! One row kept for each group, of columns of any types.
//!
//! Rows that win are gathered per batch and copied together into a chunk; a group knows the chunk and the place of its row.
//! Rows that lost their group since stay in their chunk until there are more of them than of the others; then the rows in
//! use are copied into one chunk.

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, ListArray, MapArray, StructArray, UInt32Array};
use arrow::compute::{interleave, take};
use arrow::datatypes::DataType;
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::default::default_array;
use std::sync::Arc;

const NONE: u32 = u32::MAX;
/// More chunks than this are joined, however few rows they have.
const CHUNKS_MAX: usize = 1000;

pub struct Kept {
    kinds: Vec<SqlType>,
    chunks: Vec<Vec<ArrayRef>>,
    /// Chunk and row of each group; the chunk is `NONE` where there is none.
    places: Vec<(u32, u32)>,
    /// Rows of the batch at hand that become the next chunk.
    picks: Vec<u32>,
    rows: usize,
    bytes: usize,
}

impl Kept {
    pub fn new(kinds: Vec<SqlType>) -> Self {
        Kept { kinds, chunks: Vec::new(), places: Vec::new(), picks: Vec::new(), rows: 0, bytes: 0 }
    }

    pub fn resize(&mut self, groups: usize) {
        self.places.resize(groups, (NONE, 0));
    }

    #[inline]
    pub fn has(&self, group: usize) -> bool {
        self.places[group].0 != NONE
    }

    /// The row of the batch at hand becomes the group's. `commit` must follow.
    #[inline]
    pub fn pick(&mut self, group: usize, row: usize) {
        let next = self.chunks.len() as u32;
        let place = &mut self.places[group];
        if place.0 == next {
            self.picks[place.1 as usize] = row as u32;
        } else {
            *place = (next, self.picks.len() as u32);
            self.picks.push(row as u32);
        }
    }

    /// Copies the picked rows of the batch.
    pub fn commit(&mut self, columns: &[ArrayRef]) -> Result<()> {
        if self.picks.is_empty() {
            return Ok(());
        }
        let picks = UInt32Array::from(std::mem::take(&mut self.picks));
        let chunk = columns.iter().map(|array| Ok(own_buffers(&take(array, &picks, None)?))).collect::<Result<Vec<_>>>()?;
        self.bytes += chunk.iter().map(|array| array.get_array_memory_size()).sum::<usize>();
        self.chunks.push(chunk);
        self.rows += picks.len();
        if self.rows > 2 * self.places.len() + 8192 || self.chunks.len() > CHUNKS_MAX {
            self.compact()?;
        }
        Ok(())
    }

    fn compact(&mut self) -> Result<()> {
        let live: Vec<usize> = (0..self.places.len()).filter(|group| self.has(*group)).collect();
        let wanted: Vec<(usize, usize)> =
            live.iter().map(|group| (self.places[*group].0 as usize, self.places[*group].1 as usize)).collect();
        let columns = self.gather(&wanted, false)?;
        for (row, group) in live.iter().enumerate() {
            self.places[*group] = (0, row as u32);
        }
        self.rows = live.len();
        self.bytes = columns.iter().map(|array| array.get_array_memory_size()).sum();
        self.chunks = vec![columns];
        Ok(())
    }

    fn gather(&self, wanted: &[(usize, usize)], with_default: bool) -> Result<Vec<ArrayRef>> {
        let mut columns = Vec::with_capacity(self.kinds.len());
        for (i, kind) in self.kinds.iter().enumerate() {
            let mut sources: Vec<ArrayRef> = self.chunks.iter().map(|chunk| chunk[i].clone()).collect();
            if with_default {
                sources.push(default_array(kind, 1));
            }
            let sources: Vec<&dyn Array> = sources.iter().map(AsRef::as_ref).collect();
            columns.push(match (sources.is_empty(), wanted.is_empty()) {
                (true, _) | (_, true) => default_array(kind, 0),
                _ => own_buffers(&interleave(&sources, wanted)?),
            });
        }
        Ok(columns)
    }

    /// The rows of the first groups, column by column: the type's default where a group has none.
    pub fn columns(&self, groups: usize) -> Result<Vec<ArrayRef>> {
        let wanted: Vec<(usize, usize)> = self.places[..groups]
            .iter()
            .map(|(chunk, row)| if *chunk == NONE { (self.chunks.len(), 0) } else { (*chunk as usize, *row as usize) })
            .collect();
        self.gather(&wanted, true)
    }

    /// Which of the first groups have a row.
    pub fn present(&self, groups: usize) -> BooleanArray {
        BooleanArray::from((0..groups).map(|group| self.has(group)).collect::<Vec<_>>())
    }

    pub fn drop_first(&mut self, groups: usize) {
        self.places.drain(..groups);
    }

    pub fn bytes(&self) -> usize {
        self.bytes + self.places.capacity() * 8
    }
}

/// The same values without buffers that hold others too: a view keeps all of its block alive.
pub fn own_buffers(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::BinaryView => Arc::new(array.as_binary_view().gc()),
        DataType::List(item) if has_views(item.data_type()) => {
            let list = array.as_list::<i32>();
            let values = own_buffers(list.values());
            let rebuilt = ListArray::try_new(item.clone(), list.offsets().clone(), values, list.nulls().cloned());
            rebuilt.map_or_else(|_| array.clone(), |list| Arc::new(list) as ArrayRef)
        }
        DataType::Struct(fields) if has_views(array.data_type()) => {
            let tuple = array.as_struct();
            let columns = tuple.columns().iter().map(own_buffers).collect();
            let rebuilt = StructArray::try_new(fields.clone(), columns, tuple.nulls().cloned());
            rebuilt.map_or_else(|_| array.clone(), |tuple| Arc::new(tuple) as ArrayRef)
        }
        DataType::Map(field, ordered) if has_views(field.data_type()) => {
            let map = array.as_map();
            let entries: ArrayRef = Arc::new(map.entries().clone());
            let entries = own_buffers(&entries).as_struct().clone();
            let rebuilt = MapArray::try_new(field.clone(), map.offsets().clone(), entries, map.nulls().cloned(), *ordered);
            rebuilt.map_or_else(|_| array.clone(), |map| Arc::new(map) as ArrayRef)
        }
        _ => array.clone(),
    }
}

fn has_views(kind: &DataType) -> bool {
    match kind {
        DataType::BinaryView => true,
        DataType::List(item) | DataType::Map(item, _) => has_views(item.data_type()),
        DataType::Struct(fields) => fields.iter().any(|field| has_views(field.data_type())),
        _ => false,
    }
}
