//! Sources: table functions (and engines of the same names) that read and write data which Gristmill does not own.
//!
//! `call` is a function as the statement has it, `open` finds the function by its name, `arguments` gives the
//! arguments their meaning. `generate` holds what is made up (`numbers`, `zeros`, `generateRandom`, …), `object` what
//! lies in files and objects.

pub mod arguments;
pub mod caches;
pub mod call;
pub mod function_table;
pub mod generate;
pub mod hints;
pub mod listings;
pub mod object;
mod open;

pub use caches::SourceCaches;
pub use call::{CallArgument, TableFunctionCall};
pub use hints::{SharedInput, SourceHints};
pub use open::{open_engine, open_table_function, table_function_names};
