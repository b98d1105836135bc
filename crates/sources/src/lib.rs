//! Sources: table functions (and engines of the same names) that read and write data which Gristmill does not own.

pub mod call;

pub use call::{CallArgument, TableFunctionCall};
