//! States of aggregate functions: how a value of `AggregateFunction(f, types…)` is held, and how ClickHouse writes it.
//!
//! Held is what the function saves of a group, its columns one after another in Arrow's row format (`held`); no bytes are a
//! state that has seen nothing. ClickHouse writes a state in a form of the function's own, without a length. `Codec` turns one
//! into the other for the functions whose state consists of the same things on both sides: `layout` has a table of them and
//! says what they consist of, `write` and `read` do it. A function that keeps something else (`topK` other
//! counts) has no layout, and its states are refused where ClickHouse would read them.

mod alike;
mod bitmaps;
mod ddsketch;
mod held;
mod layout;
mod mapped;
mod read;
mod respecting;
mod roaring;
pub mod sketches;
mod summaries;
#[cfg(test)]
mod tests;
pub mod vectors;
mod write;

use arrow::array::{Array, BinaryArray, BinaryBuilder};
use arrow::datatypes::DataType;
use gristmill_base::{Error, ErrorCode, Result};

use crate::SqlType;
use layout::Piece;

pub use alike::are_alike;
pub use held::{converter, pack, unpack};
pub use read::StateReader;

/// The states of one function, between the form that they are held in and ClickHouse's.
pub struct Codec {
    function: String,
    pieces: Vec<Piece>,
}

impl Codec {
    /// `function`: its name with combinators and parameters, as types have it; `kinds`: of its arguments. Error:
    /// NOT_IMPLEMENTED where ClickHouse keeps something else.
    pub fn of(function: &str, kinds: &[SqlType]) -> Result<Codec> {
        match layout::of(function, kinds) {
            Some(pieces) => Ok(Codec { function: function.to_string(), pieces }),
            None => {
                let kind = SqlType::AggregateFunction(function.to_string(), kinds.to_vec());
                Err(Error::not_implemented(format!(
                    "States of aggregate function {function} in ClickHouse's binary form ({kind})"
                ))
                .with_context("send its result instead, for instance with finalizeAggregation"))
            }
        }
    }

    /// Types of the columns that a held state consists of.
    pub fn columns(&self) -> Vec<DataType> {
        layout::columns(&self.pieces)
    }

    /// Calls `each` with every state as ClickHouse writes it.
    pub fn encode(&self, states: &BinaryArray, mut each: impl FnMut(&[u8])) -> Result<()> {
        let is_filled = |row: usize| states.is_valid(row) && !states.value(row).is_empty();
        let columns = unpack(&self.columns(), (0..states.len()).filter(|row| is_filled(*row)).map(|row| states.value(row)))?;
        let filled = write::writers(&self.pieces, &columns)?;
        let nothing = write::writers(&self.pieces, &layout::empty(&self.pieces)?)?;
        let (mut state, mut next) = (Vec::new(), 0);
        for row in 0..states.len() {
            state.clear();
            if is_filled(row) {
                filled.iter().for_each(|writer| writer.write(next, &mut state));
                next += 1;
            } else {
                nothing.iter().for_each(|writer| writer.write(0, &mut state));
            }
            each(&state);
        }
        Ok(())
    }

    /// The states as ClickHouse writes them.
    pub fn encoded(&self, states: &BinaryArray) -> Result<BinaryArray> {
        let mut builder = BinaryBuilder::with_capacity(states.len(), 0);
        self.encode(states, |state| builder.append_value(state))?;
        Ok(builder.finish())
    }

    /// What gathers states that ClickHouse wrote.
    pub fn reader(&self) -> Result<StateReader> {
        StateReader::new(&self.pieces)
    }

    /// One state, of all of the bytes. Errors: CANNOT_READ_ALL_DATA, BAD_ARGUMENTS for bytes behind it, INCORRECT_DATA.
    pub fn take_whole(&self, reader: &mut StateReader, bytes: &[u8]) -> Result<()> {
        let mut end = 0;
        if !reader.skip(bytes, &mut end)? {
            let text =
                format!("A state of aggregate function {} does not end within its {} bytes", self.function, bytes.len());
            return Err(Error::new(ErrorCode::CANNOT_READ_ALL_DATA, text));
        }
        if end != bytes.len() {
            let text = format!("AggregateFunction state for `{}` has {} trailing byte(s)", self.function, bytes.len() - end);
            return Err(Error::new(ErrorCode::BAD_ARGUMENTS, text));
        }
        reader.take(bytes, &mut 0)
    }
}

/// States as ClickHouse writes them, or as they are held where it keeps something else: for texts, which show bytes of any kind.
pub fn shown(function: &str, kinds: &[SqlType], states: &BinaryArray) -> Result<BinaryArray> {
    match Codec::of(function, kinds) {
        Ok(codec) => codec.encoded(states),
        Err(_) => Ok(states.clone()),
    }
}
