//! The tests of formats, one binary.

mod inference;
mod input;
mod round_trip;
mod support;
