//! Rows with a NULL argument are left out, and results are NULL for groups that had no other rows.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, UInt64Array, make_array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::{DataType, UInt64Type};
use gristmill_base::Result;

use super::few_groups::add_up;
use super::frames::run_through;
use super::groups::{Groups, selected};

pub struct SkipNulls {
    inner: Box<dyn Groups>,
    /// Rows that each group has seen, where states say it.
    seen: Option<Vec<u64>>,
    /// The result is NULL for a group without rows.
    masks: bool,
}

impl SkipNulls {
    /// `nullable`: the result is NULL for a group without rows.
    pub fn new(inner: Box<dyn Groups>, nullable: bool) -> Self {
        SkipNulls { inner, seen: nullable.then(Vec::new), masks: nullable }
    }

    /// States are those of a Nullable result, and the result is never NULL.
    pub fn counting(inner: Box<dyn Groups>) -> Self {
        SkipNulls { inner, seen: Some(Vec::new()), masks: false }
    }

    fn each(
        &mut self,
        args: &[ArrayRef],
        groups: &[usize],
        act: impl Fn(&mut dyn Groups, &[ArrayRef], &[usize]) -> Result<()>,
        count: impl Fn(&mut [u64], &[usize]),
    ) -> Result<()> {
        let mut mask: Option<NullBuffer> = None;
        for array in args {
            if *array.data_type() == DataType::Null {
                return Ok(());
            }
            if array.null_count() > 0 {
                mask = NullBuffer::union(mask.as_ref(), array.nulls());
            }
        }
        let kept;
        let (args, groups) = match mask {
            Some(mask) => {
                kept = selected(args, groups, &BooleanArray::new(mask.into_inner(), None))?;
                (&kept.0[..], &kept.1[..])
            }
            None => (args, groups),
        };
        if let Some(seen) = &mut self.seen {
            count(seen, groups);
        }
        act(self.inner.as_mut(), args, groups)
    }
}

impl Groups for SkipNulls {
    fn resize(&mut self, groups: usize) {
        self.inner.resize(groups);
        if let Some(seen) = &mut self.seen {
            seen.resize(groups, 0);
        }
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.each(
            args,
            groups,
            |inner, args, groups| if groups.is_empty() { Ok(()) } else { inner.update(args, groups) },
            |seen, groups| {
                add_up(seen, 0, groups, |rows, _| rows + 1, |one, other| one + other);
            },
        )
    }

    fn run(&mut self, args: &[ArrayRef], groups: &[usize], fresh: &[bool]) -> Result<()> {
        self.each(
            args,
            groups,
            |inner, args, groups| inner.run(args, groups, fresh),
            |seen, groups| run_through(seen, 0, groups, fresh, |rows, _| rows + 1),
        )
    }

    fn runs(&self) -> bool {
        self.inner.runs()
    }

    fn retract(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        self.each(
            args,
            groups,
            |inner, args, groups| if groups.is_empty() { Ok(()) } else { inner.retract(args, groups) },
            |seen, groups| {
                for group in groups {
                    seen[*group] = seen[*group].saturating_sub(1);
                }
            },
        )
    }

    fn retracts(&self) -> bool {
        self.inner.retracts()
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let mut states = self.inner.save(groups)?;
        if let Some(seen) = &self.seen {
            states.push(Arc::new(UInt64Array::from(seen[..groups].to_vec())));
        }
        Ok(states)
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let Some(seen) = &mut self.seen else { return self.inner.merge(states, groups) };
        let Some((rows, states)) = states.split_last() else { return Ok(()) };
        for (group, rows) in groups.iter().zip(rows.as_primitive::<UInt64Type>().values()) {
            seen[*group] += rows;
        }
        self.inner.merge(states, groups)
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let result = self.inner.finish(groups)?;
        match &self.seen {
            Some(seen) if self.masks => masked(&result, seen[..groups].iter().map(|rows| *rows > 0).collect()),
            _ => Ok(result),
        }
    }

    fn drop_first(&mut self, groups: usize) {
        self.inner.drop_first(groups);
        if let Some(seen) = &mut self.seen {
            seen.drain(..groups);
        }
    }

    fn bytes(&self) -> usize {
        self.inner.bytes() + self.seen.as_ref().map_or(0, |seen| seen.capacity() * 8)
    }
}

/// The values with NULL where `valid` is unset.
pub fn masked(values: &ArrayRef, valid: BooleanBuffer) -> Result<ArrayRef> {
    let valid = NullBuffer::new(valid);
    if valid.null_count() == 0 || *values.data_type() == DataType::Null {
        return Ok(values.clone());
    }
    let nulls = NullBuffer::union(values.nulls(), Some(&valid));
    Ok(make_array(values.to_data().into_builder().nulls(nulls).build()?))
}
