//! Data skipping indexes: what a table declares with `INDEX name expression TYPE … GRANULARITY g`.
//!
//! An index tells of each run of `g` granules (a *unit*) something about the values of its expressions by which a query
//! leaves the run out: their bounds (`minmax`), the values themselves (`set`), or a Bloom filter of them, of their
//! tokens, or of their n-grams, or the tokens themselves (`text`). A part carries the data of its indexes between its rows and its header, in chunks that
//! are compressed and checksummed each by itself (docs/formats/part-v1.md); a query reads the chunks that tell of granules
//! which nothing else has left out, and only of indexes that can say something to its conditions.
//!
//! `definition`: what is declared, checked → `build`, `chunk`: the data, while a part is written → `minmax`, `set`,
//! `filter` (with `needed`, `values`, `terms`, `literals`): what conditions ask of it → `select`: reads and narrows (several under OR: `disjunction`) →
//! `cache`.
//!
//! Why not what Parquet has of its own: its Bloom filters are one a column and row group, which is a million rows, and
//! know columns alone; its page bounds are used for every column already (`index::statistics`) and know neither
//! expressions nor the ends of long strings.

pub mod bloom;
pub mod build;
pub mod cache;
pub mod chunk;
pub mod definition;
mod disjunction;
mod filter;
pub mod literals;
mod minmax;
mod needed;
pub mod select;
mod set;
pub mod terms;
pub mod text;
mod values;

pub use cache::SkipIndexCache;
pub use definition::{SkipIndex, SkipKind};
pub use select::{SkipSelector, Useful};
