//! The tests of formats, one binary.

mod inference;
mod input;
mod orc_and_avro;
mod round_trip;
mod support;
mod template;
