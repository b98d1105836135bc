//! The sparse primary index and how conditions are checked against it.
//!
//! `analyze` turns a query's filters into a `condition` over what is known of parts and granules: intervals of key
//! values (`interval`); what is asked of a function, it asks of the function's argument (`monotonic`, `inverse`), of arrays, tuples and UInt256 by their keys (`nested`). It is asked three times, each time of less data: of whole parts by what the manifest keeps
//! (`select`), of ranges of granules by the sparse index (`granules`), of single granules by the least and greatest
//! value of every column (`statistics`; `of_granules` has the last two). What the table's own indexes tell besides is asked in the end (`skip`).
//! `shown` makes rows of it. `value_bounds` tells of granules in which order they are best read, `exact` answers `min` and `max`.

pub mod analyze;
pub mod condition;
pub mod exact;
pub mod expression;
pub mod granules;
pub mod interval;
mod inverse;
pub mod monotonic;
mod nested;
pub mod of_granules;
pub mod order;
pub mod pattern;
pub mod runs;
pub mod select;
pub mod shown;
pub mod skip;
pub mod sparse;
pub mod statistics;
pub mod value_bounds;
