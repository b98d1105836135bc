//! ClickHouse's types, and how each is carried in Arrow.
//!
//! `SqlType` is the type a user sees. Exactly one Arrow type carries it in memory (`SqlType::arrow`); what Arrow cannot
//! say (enum names, time zones, LowCardinality, Date against Date32) lives in the `SqlType` beside the array. Expressions
//! are typed by `SqlType`s while a statement is analysed, so nothing depends on Arrow metadata surviving an operator.
//!
//! Values move between types by `cast`, from files by `adopt`, from text by `builder` (which reads with `scan`), and to
//! text by `text`; `binary` and `states` have the form that ClickHouse gives them in bytes. `supertype` says which type holds
//! the values of several.

pub mod adopt;
pub mod arrow_map;
pub mod bfloat;
pub mod binary;
pub mod builder;
pub mod bytes;
pub mod calendar;
pub mod cast;
pub mod codec;
pub mod column;
pub mod default;
pub mod measure;
pub mod nested;
pub mod order;
pub mod parse;
pub mod scan;
pub mod sql_type;
pub mod states;
pub mod statistics;
pub mod subcolumns;
pub mod supertype;
pub mod text;
pub mod wide;
pub mod zone;

pub use column::{Column, Columns, DefaultKind};
pub use sql_type::{EnumValues, IntervalKind, Shape, SqlType};
