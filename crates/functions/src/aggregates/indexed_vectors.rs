//! `groupNumericIndexedVector(index, value)`: values added up by index. The result is the sum of all of them; with -State it
//! is the vector itself, which the functions `numericIndexedVector…` read.
//!
//! `groupNumericIndexedVector('BSI', 40, 24)`: the form of the vector, of which there is one, and how many bits values have
//! before and behind the point.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array};
use arrow::datatypes::{DataType, Int64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::states::vectors::{Bits, IndexedVector};

use super::groups::Groups;
use super::{Call, NullRule, Plan, family, text_parameter};
use crate::define::bad_argument;
use crate::indexed_vectors::building::Building;
use crate::indexed_vectors::numbers::Numbers;
use crate::indexed_vectors::{AGGREGATE, VectorType};
use crate::registry::Registry;

pub fn register(registry: &mut Registry) {
    registry.aggregate(AGGREGATE, family(NullRule::Nullable, plan));
}

fn bits_of(call: &Call<'_>, shape: &VectorType) -> Result<Bits> {
    let Some(form) = call.parameters.first() else { return Ok(shape.bits) };
    match text_parameter(form).as_deref() {
        Some(b"BSI") => {}
        Some(other) => {
            let text = format!("unsupported first parameter {}: it must be 'BSI'", String::from_utf8_lossy(other));
            return Err(bad_argument(call.name, text));
        }
        None => return Err(bad_argument(call.name, "the first parameter must be 'BSI'")),
    }
    if call.parameters.len() != 3 {
        let text = format!("Aggregate function {} requires zero or three parameters", call.name);
        return Err(Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text));
    }
    let number = |i: usize| Ok::<u32, Error>(u32::try_from(call.size(i)?.unwrap_or(0)).unwrap_or(u32::MAX));
    let (integer, fraction) = (number(1)?, number(2)?);
    if fraction > 0 && shape.bits.fraction == 0 {
        return Err(bad_argument(call.name, "fraction_bit_num should be zero when value type is Int/UInt"));
    }
    Bits::new(integer, fraction)
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    call.arity(2..=2)?;
    let shape = VectorType::of(&call.kinds[0], &call.kinds[1])?;
    let bits = bits_of(call, &shape)?;
    let arguments = vec![SqlType::Int64, Numbers::wide(&shape.value)];
    Ok(Plan::new(SqlType::Float64, arguments, vec![DataType::Binary], move || Vectors {
        groups: Vec::new(),
        indexes: 0,
        shape: shape.clone(),
        bits,
    }))
}

struct Vectors {
    /// `None` before the first row.
    groups: Vec<Option<Building>>,
    /// Of all groups.
    indexes: usize,
    shape: VectorType,
    bits: Bits,
}

fn indexes_of(group: Option<&Building>) -> usize {
    group.map_or(0, |group| group.vector().entries.len())
}

impl Vectors {
    /// The vectors of the first groups.
    fn vectors<'a>(&'a self, groups: usize, nothing: &'a IndexedVector) -> impl Iterator<Item = &'a IndexedVector> {
        self.groups[..groups].iter().map(move |group| group.as_ref().map_or(nothing, Building::vector))
    }
}

impl Groups for Vectors {
    fn resize(&mut self, groups: usize) {
        self.groups.resize(groups, None);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let indexes = args[0].as_primitive::<Int64Type>();
        let values = Numbers::of(&args[1], &Numbers::wide(&self.shape.value))?;
        for (row, group) in groups.iter().enumerate() {
            let group = &mut self.groups[*group];
            let before = indexes_of(group.as_ref());
            let vector = group.get_or_insert_with(|| Building::new(self.bits));
            vector.add(indexes.value(row) as u32, values.get(row))?;
            self.indexes += vector.vector().entries.len() - before;
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        // ClickHouse forgets the parameters where there were no rows.
        let nothing = IndexedVector::new(self.shape.bits);
        Ok(vec![Arc::new(self.shape.saved(self.vectors(groups, &nothing)))])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let states = states[0].as_binary::<i32>();
        for (row, group) in groups.iter().enumerate() {
            let other = IndexedVector::read(states.value(row), self.shape.width, &mut 0)?;
            if other.is_empty() {
                continue;
            }
            let group = &mut self.groups[*group];
            let before = indexes_of(group.as_ref());
            match group {
                Some(known) => known.merge(self.shape.kind, &other)?,
                None => *group = Some(Building::of(other)),
            }
            self.indexes = self.indexes + indexes_of(group.as_ref()) - before;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let nothing = IndexedVector::new(self.shape.bits);
        let sums = self.vectors(groups, &nothing).map(|vector| self.shape.kind.sum(&vector.entries, vector.bits));
        Ok(Arc::new(Float64Array::from_iter_values(sums)))
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).map(|group| indexes_of(group.as_ref())).sum();
        self.indexes -= gone;
    }

    fn bytes(&self) -> usize {
        // An entry, and the place that it is found by.
        const INDEX_BYTES: usize = size_of::<(u32, u64)>() + 2 * size_of::<(u32, usize)>();
        self.groups.capacity() * size_of::<Option<Building>>() + self.indexes * INDEX_BYTES
    }
}
