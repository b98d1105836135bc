//! The sparse primary index and how conditions are checked against it.

pub mod order;
pub mod select;
pub mod sparse;
