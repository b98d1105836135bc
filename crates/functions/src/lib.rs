//! ClickHouse's functions. A function is found by name in the `Registry`, bound to the types of its arguments (which
//! gives its result's type), and computed on Arrow arrays. `udf.rs` makes a bound function a DataFusion expression.
//!
//! What DataFusion computes natively (comparisons, AND/OR/NOT, arithmetic on equal types, IS NULL, CASE) is lowered by
//! the `sql` crate and not found here, so that pruning and pushdown see it.

pub mod addresses;
pub mod aggregate;
pub mod aggregates;
pub mod arithmetic;
pub mod arrays;
pub mod bitmaps;
pub mod blocks;
pub mod by_analyser;
pub mod cast;
pub mod collation;
pub mod colors;
pub mod columns;
pub mod comparison;
pub mod conditional;
pub mod conversion;
pub mod curves;
pub mod datetime;
pub mod define;
pub mod dictionaries;
pub mod encryption;
pub mod experiments;
pub mod failing;
pub mod financial;
pub mod format_row;
pub mod geo;
pub mod geo_distance;
pub mod geohashes;
pub mod geometry;
pub mod h3;
pub mod hash;
pub mod hmac;
pub mod identifiers;
pub mod indexed_vectors;
pub mod internals;
pub mod introspection;
pub mod join_get;
pub mod json;
pub mod logic;
pub mod maps;
pub mod maps_select;
pub mod math;
pub mod monotonic;
pub mod nulls;
pub mod ordering;
pub mod part_names;
pub mod prewhere;
pub mod quantities;
pub mod query_text;
pub mod query_tokens;
pub mod random;
pub mod registry;
pub mod rounding;
pub mod running;
pub mod scalar;
pub mod schemas;
pub mod series;
pub mod server;
pub mod session;
pub mod sqids;
pub mod strings;
pub mod subcolumns;
pub mod supertype;
pub mod text;
pub mod time_series;
pub mod transform;
pub mod tuple_arithmetic;
pub mod tuple_flatten;
pub mod tuple_norms;
pub mod tuples;
pub mod udf;
pub mod urls;
pub mod user_defined;
pub mod utm;
pub mod value_set;
pub mod visual;
pub mod windows;

pub use aggregate::{AggregateFunction, BoundAggregate, parts_of_aggregate, resolve_aggregate};
pub use arrays::higher::{
    HigherBound, HigherOrder, LambdaBody, higher_order_call, is_higher_order, lambda_parameter_types, only_with_lambda,
};
pub use cast::{cast_expr, condition_as_number, conversion_expr, reading_expr};
pub use collation::collated_expr;
pub use monotonic::{Direction, Holds, Monotonicity, monotonic, monotonic_call};
pub use ordering::sort_expr;
pub use registry::Registry;
pub use scalar::{
    AddressRules, Argument, Asker, Bound, FunctionEnv, FunctionLimits, JsonRules, Kernel, Nulls, RANGE_ELEMENTS_MAX,
    ScalarFunction, SessionRoles,
};
pub use udf::{FunctionUdf, call, scalar_udf};
