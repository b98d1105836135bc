//! Quantiles of what is kept of a group's values: how a summary of any kind becomes an aggregate function.
//!
//! A state is one list of words of 64 bits for each group, in a form of the summary's own.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::{Buffer, ScalarBuffer};
use arrow::datatypes::{DataType, ToByteSlice};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::{Answer, Call, Levels, Plan, Ranked, answers, shaped};
use crate::aggregates::distinct::numbers;
use crate::aggregates::groups::Groups;
use crate::aggregates::natives::natives;
use crate::aggregates::sets::{words_lists, words_type};

/// What is kept of the values of a group. None of them is NaN.
pub trait Summary: Send + Sync + Sized + 'static {
    type Value: Ranked;
    type Shape: Copy + Send + Sync + 'static;

    fn new(shape: Self::Shape) -> Self;
    /// Adds a value. `second`: the other argument, where there is one.
    fn add(&mut self, value: Self::Value, second: u64, shape: Self::Shape) -> Result<()>;
    fn merge(&mut self, other: Self, shape: Self::Shape) -> Result<()>;
    /// Appends what is kept, for `read`.
    fn write(&mut self, shape: Self::Shape, words: &mut Vec<u64>);
    /// Error: INCORRECT_DATA where the words are of nothing that was written.
    fn read(words: &[u64], shape: Self::Shape) -> Result<Self>;
    /// Appends the answer for each level.
    fn answer(&mut self, levels: &[f64], shape: Self::Shape, out: &mut Vec<Answer<Self::Value>>);
    /// Memory held apart from the summary itself, in bytes.
    fn bytes(&self) -> usize;
}

pub fn incorrect() -> Error {
    Error::new(ErrorCode::INCORRECT_DATA, "A state of a quantile function is not whole")
}

/// The aggregate function that keeps a summary of values that `carrier` carries. `one`: the type of one answer; `second`: the
/// type that a second argument is cast to.
pub fn plan<S: Summary>(
    call: &Call<'_>,
    levels: &Levels,
    shape: S::Shape,
    (kind, one): (SqlType, SqlType),
    second: Option<SqlType>,
) -> Result<Plan> {
    call.arity(1 + usize::from(second.is_some())..=1 + usize::from(second.is_some()))?;
    let casts: Vec<SqlType> = std::iter::once(kind).chain(second).collect();
    let (levels, output) = (levels.clone(), one.arrow());
    Ok(Plan::new(levels.result(one), casts, vec![words_type()], move || Summaries::<S> {
        groups: Vec::new(),
        shape,
        levels: levels.clone(),
        output: output.clone(),
        held: 0,
    }))
}

struct Summaries<S: Summary> {
    groups: Vec<S>,
    shape: S::Shape,
    levels: Levels,
    output: DataType,
    /// Bytes of all summaries.
    held: usize,
}

impl<S: Summary> Groups for Summaries<S> {
    fn resize(&mut self, groups: usize) {
        let shape = self.shape;
        self.groups.resize_with(groups, || S::new(shape));
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let values = natives::<S::Value>(&args[0])?;
        let seconds = args.get(1).map(numbers).transpose()?;
        for (row, (value, group)) in values.iter().zip(groups).enumerate() {
            if !value.is_nan() {
                let summary = &mut self.groups[*group];
                let before = summary.bytes();
                summary.add(*value, seconds.as_ref().map_or(1, |seconds| seconds[row]), self.shape)?;
                self.held = self.held + summary.bytes() - before;
            }
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let (mut words, mut offsets) = (Vec::new(), vec![0]);
        for summary in &mut self.groups[..groups] {
            summary.write(self.shape, &mut words);
            offsets.push(i32::try_from(words.len()).map_err(|_| crate::columns::too_large(words.len()))?);
        }
        Ok(vec![words_lists(words, offsets)?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let lists = states[0].as_list::<i32>();
        let words = natives::<u64>(lists.values())?;
        for (row, group) in groups.iter().enumerate().filter(|(row, _)| lists.is_valid(*row)) {
            let (begin, end) = (lists.offsets()[row] as usize, lists.offsets()[row + 1] as usize);
            let other = S::read(&words[begin..end], self.shape)?;
            let summary = &mut self.groups[*group];
            let before = summary.bytes();
            summary.merge(other, self.shape)?;
            self.held = self.held + summary.bytes() - before;
        }
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let mut found = Vec::with_capacity(groups * self.levels.levels.len());
        for summary in &mut self.groups[..groups] {
            let before = summary.bytes();
            summary.answer(&self.levels.levels, self.shape, &mut found);
            self.held = self.held + summary.bytes() - before;
        }
        shaped(answers(&found, &self.output)?, &self.levels, groups)
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.groups.drain(..groups).map(|summary| summary.bytes()).sum();
        self.held -= gone;
    }

    fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<S>() + self.held
    }
}

/// Appends the bytes of values, filled up to whole words.
pub fn write_values<N: Ranked>(values: &[N], words: &mut Vec<u64>) {
    for word in values.to_byte_slice().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        words.push(u64::from_le_bytes(bytes));
    }
}

/// So many values, taken from the front of the words.
pub fn read_values<N: Ranked>(count: usize, words: &mut &[u64]) -> Result<ScalarBuffer<N>> {
    let bytes = count.checked_mul(size_of::<N>()).ok_or_else(incorrect)?;
    let (own, rest) = words.split_at_checked(bytes.div_ceil(8)).ok_or_else(incorrect)?;
    *words = rest;
    let aligned = Buffer::from_slice_ref(own);
    Ok(ScalarBuffer::new(aligned, 0, count))
}

/// The words' first one.
pub fn read_word(words: &mut &[u64]) -> Result<u64> {
    let (first, rest) = words.split_first().ok_or_else(incorrect)?;
    *words = rest;
    Ok(*first)
}

/// Levels in ascending order, each with its place among those given.
pub fn ascending(levels: &[f64]) -> Vec<(usize, f64)> {
    let mut ordered: Vec<(usize, f64)> = levels.iter().copied().enumerate().collect();
    ordered.sort_by(|a, b| a.1.total_cmp(&b.1));
    ordered
}

/// The answers for levels in ascending order, in the order of the levels given.
pub fn placed<N: Ranked>(found: Vec<(usize, Answer<N>)>, out: &mut Vec<Answer<N>>) {
    let begin = out.len();
    out.resize(begin + found.len(), Answer::Float(f64::NAN));
    for (place, answer) in found {
        out[begin + place] = answer;
    }
}
