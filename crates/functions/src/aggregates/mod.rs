//! ClickHouse's aggregate functions.
//!
//! A family turns name, parameters and argument types into a `Plan`: result type, casts of the arguments, and how to make
//! the states (`groups.rs`). NULLs are left out before a family's states see a row (`nulls.rs`), the combinators wrap the
//! states of any function (`combinators/`), and `udaf.rs` makes the whole a DataFusion aggregate.

mod average_times;
pub mod bitmap_sets;
pub mod bits;
pub mod collected;
pub mod combinators;
pub mod compression_ratio;
pub mod counted;
pub mod counts;
pub mod cross_table;
pub mod distinct;
pub mod extremes;
pub mod few_groups;
pub mod flame_graph;
pub mod float_sums;
pub mod frames;
pub mod funnels;
pub mod gini;
pub mod group_format;
pub mod groups;
pub mod histogram;
pub mod hypotheses;
pub mod indexed_vectors;
pub mod intervals;
pub mod kept;
mod key_runs;
mod key_set;
mod key_table;
pub mod lists;
pub mod mapped;
pub mod matrices;
pub mod moments;
pub mod natives;
pub mod nothing;
pub mod nulls;
pub mod order;
mod pair_table;
pub mod picks;
pub mod quantiles;
mod random;
pub mod runs;
pub mod scalars;
pub mod sets;
pub mod sparkbar;
pub mod state_sums;
pub mod stored;
pub mod sums;
pub mod time_series;
pub mod triangles;
pub mod udaf;

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::AggregateUDF;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::aggregate::AggregateFunction;
use crate::define::bad_argument;
use crate::registry::Registry;
use crate::scalar::Argument;
use groups::{Groups, Make};
use nulls::SkipNulls;

/// An aggregate function with its types chosen.
#[derive(Clone)]
pub struct Prepared {
    pub result: SqlType,
    /// Types that the arguments are cast to.
    pub arguments: Vec<SqlType>,
    /// Types of the columns of a saved state.
    pub state: Vec<DataType>,
    /// The states take arguments of `arguments`, NULLs among them.
    pub make: Make,
    /// DataFusion's function that is better at frames whose start moves.
    pub native: Option<Arc<AggregateUDF>>,
    /// DataFusion's function that knows how the result follows from statistics of the table.
    pub native_statistics: Option<Arc<AggregateUDF>>,
}

/// What a family says of its function, NULLs aside: types are without Nullable.
pub struct Plan {
    pub result: SqlType,
    pub arguments: Vec<SqlType>,
    pub state: Vec<DataType>,
    pub make: Make,
    pub native: Option<Arc<AggregateUDF>>,
    pub native_statistics: Option<Arc<AggregateUDF>>,
}

impl Plan {
    pub fn new<G: Groups + 'static>(
        result: SqlType,
        arguments: Vec<SqlType>,
        state: Vec<DataType>,
        make: impl Fn() -> G + Send + Sync + 'static,
    ) -> Plan {
        let make: Make = Arc::new(move || Box::new(make()));
        Plan { result, arguments, state, make, native: None, native_statistics: None }
    }
}

/// A call as a family sees it.
pub struct Call<'a> {
    pub name: &'a str,
    pub parameters: &'a [ScalarValue],
    /// Types of the arguments, without Nullable and LowCardinality.
    pub kinds: Vec<SqlType>,
    /// Values of the arguments that are constants.
    pub constants: Vec<Option<ScalarValue>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum NullRule {
    /// Rows with NULL are left out; the result is Nullable where an argument is, and NULL without rows.
    Nullable,
    /// Rows with NULL are left out; the result has its default without rows, as `count` has.
    Default,
    /// As `Default`, with states as `Nullable` has them: they say how many rows there were.
    Counted,
    /// The function sees NULLs; `kinds` keep Nullable.
    Own,
}

type Build = dyn Fn(&Call<'_>) -> Result<Plan> + Send + Sync;

struct Family {
    nulls: NullRule,
    build: Box<Build>,
}

/// A function that `build` describes.
pub fn family(
    nulls: NullRule,
    build: impl Fn(&Call<'_>) -> Result<Plan> + Send + Sync + 'static,
) -> Arc<dyn AggregateFunction> {
    Arc::new(Family { nulls, build: Box::new(build) })
}

impl AggregateFunction for Family {
    fn prepare(&self, name: &str, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<Prepared> {
        let own = self.nulls == NullRule::Own;
        let kinds = arguments.iter().map(|argument| match &argument.kind {
            // No row has a value, so any type does.
            kind if kind.is_null_literal() => SqlType::UInt8,
            kind if own => kind.storage().nowhere_low_cardinality(),
            kind => kind.plain().nowhere_low_cardinality(),
        });
        let constants = arguments.iter().map(|argument| argument.constant.clone()).collect();
        let plan = (self.build)(&Call { name, parameters, kinds: kinds.collect(), constants })?;
        let Plan { result, arguments: casts, state, make, native, native_statistics } = plan;
        if own {
            return Ok(Prepared { result, arguments: casts, state, make, native, native_statistics });
        }
        let nullable = arguments.iter().any(|argument| argument.kind.is_nullable());
        if !nullable {
            return Ok(Prepared { result, arguments: casts, state, make, native, native_statistics });
        }
        let null_literal = arguments.iter().any(|argument| argument.kind.is_null_literal());
        let casts = casts
            .into_iter()
            .zip(arguments)
            .map(|(cast, argument)| match &argument.kind {
                kind if kind.is_null_literal() => SqlType::null(),
                kind if kind.is_nullable() => cast.nullable(),
                _ => cast,
            })
            .collect();
        if self.nulls == NullRule::Counted {
            let mut state = state;
            state.push(DataType::UInt64);
            let make: Make = Arc::new(move || Box::new(SkipNulls::counting(make())));
            return Ok(Prepared { result, arguments: casts, state, make, native: None, native_statistics: None });
        }
        let masks = self.nulls == NullRule::Nullable;
        let result = if masks { result.nullable() } else { result };
        let masks = masks && result.is_nullable();
        if null_literal && masks {
            let make: Make = Arc::new(|| Box::new(counts::Nothing));
            return Ok(Prepared {
                result: SqlType::null(),
                arguments: casts,
                state: vec![DataType::Null],
                make,
                native: None,
                native_statistics: None,
            });
        }
        let mut state = state;
        if masks {
            state.push(DataType::UInt64);
        }
        let make: Make = Arc::new(move || Box::new(SkipNulls::new(make(), masks)));
        Ok(Prepared { result, arguments: casts, state, make, native, native_statistics })
    }
}

impl Call<'_> {
    /// Refuses another number of arguments.
    pub fn arity(&self, allowed: std::ops::RangeInclusive<usize>) -> Result<()> {
        let given = self.kinds.len();
        if allowed.contains(&given) {
            return Ok(());
        }
        let expected = match (*allowed.start(), *allowed.end()) {
            (low, high) if low == high => format!("{low}"),
            (low, usize::MAX) => format!("at least {low}"),
            (low, high) => format!("{low} to {high}"),
        };
        Err(Error::new(
            ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!(
                "Number of arguments for aggregate function {} doesn't match: passed {given}, should be {expected}",
                self.name
            ),
        ))
    }

    pub fn illegal(&self, argument: usize, expected: &str) -> Error {
        let kind = self.kinds.get(argument).map_or_else(|| "none".to_string(), ToString::to_string);
        Error::new(
            ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
            format!(
                "Illegal type {kind} of argument {} of aggregate function {}: expected {expected}",
                argument + 1,
                self.name
            ),
        )
    }

    pub fn expect_number(&self, argument: usize) -> Result<()> {
        if self.kinds.get(argument).is_some_and(SqlType::is_number) {
            Ok(())
        } else {
            Err(self.illegal(argument, "a number"))
        }
    }

    /// Parameter `i` as a number that is not negative; `None` where it is not given.
    pub fn size(&self, i: usize) -> Result<Option<usize>> {
        let Some(value) = self.parameters.get(i) else { return Ok(None) };
        match value.cast_to(&DataType::UInt64) {
            Ok(ScalarValue::UInt64(Some(size))) => Ok(usize::try_from(size).ok()),
            _ => Err(bad_argument(
                self.name,
                format!("parameter {} must be a number that is not negative, got {value}", i + 1),
            )),
        }
    }

    pub fn float(&self, i: usize) -> Result<Option<f64>> {
        let Some(value) = self.parameters.get(i) else { return Ok(None) };
        match value.cast_to(&DataType::Float64) {
            Ok(ScalarValue::Float64(Some(value))) => Ok(Some(value)),
            _ => {
                let text = format!("Function {}: parameter {} must be a number, got {value}", self.name, i + 1);
                Err(Error::new(ErrorCode::CANNOT_CONVERT_TYPE, text))
            }
        }
    }
}

/// The bytes of a string parameter.
pub fn text_parameter(value: &ScalarValue) -> Option<Vec<u8>> {
    match value {
        ScalarValue::BinaryView(text) | ScalarValue::Binary(text) => text.clone(),
        ScalarValue::Utf8(text) | ScalarValue::Utf8View(text) => text.clone().map(String::into_bytes),
        _ => None,
    }
}

/// Every aggregate function, and the scalar functions that compute them.
pub fn register(registry: &mut Registry) {
    register_aggregates(registry);
    scalars::register(registry);
}

fn register_aggregates(registry: &mut Registry) {
    counts::register(registry);
    sums::register(registry);
    bits::register(registry);
    extremes::register(registry);
    picks::register(registry);
    moments::register(registry);
    sets::register(registry);
    distinct::register(registry);
    lists::register(registry);
    quantiles::register(registry);
    counted::register(registry);
    mapped::register(registry);
    runs::register(registry);
    funnels::register(registry);
    flame_graph::register(registry);
    bitmap_sets::register(registry);
    compression_ratio::register(registry);
    cross_table::register(registry);
    gini::register(registry);
    group_format::register(registry);
    histogram::register(registry);
    hypotheses::register(registry);
    indexed_vectors::register(registry);
    intervals::register(registry);
    matrices::register(registry);
    nothing::register(registry);
    sparkbar::register(registry);
    time_series::register(registry);
    triangles::register(registry);
}
