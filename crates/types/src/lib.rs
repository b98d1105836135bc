//! ClickHouse's types, and how each is carried in Arrow.
//!
//! `SqlType` is the type a user sees. Exactly one Arrow type carries it in memory (`SqlType::arrow`); what Arrow cannot
//! say (enum names, time zones, LowCardinality, Date against Date32) lives in the `SqlType` beside the array. Expressions
//! are typed by `SqlType`s while a statement is analysed, so nothing depends on Arrow metadata surviving an operator.

pub mod arrow_map;
pub mod column;
pub mod parse;
pub mod sql_type;

pub use column::{Column, Columns, DefaultKind};
pub use sql_type::{EnumValues, IntervalKind, SqlType};
