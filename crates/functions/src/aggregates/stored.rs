//! Aggregate functions of values that were aggregated before and are kept in columns: `AggregateFunction(f, types)` holds
//! states, `SimpleAggregateFunction(f, type)` holds results that `f` itself adds up. In both cases the function's result
//! is of the column's own type, so that it can be applied again, to some of the rows at a time.

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use arrow::compute::take;
use datafusion::common::ScalarValue;
use datafusion::logical_expr::Expr;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};

use super::Prepared;
use super::combinators::array::flatten;
use super::combinators::state;
use super::scalars::{parsed, prepare};
use crate::columns::{Bytes, broadcast};
use crate::define::own_nulls;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::udf::call_function;

/// What a `SimpleAggregateFunction` may be of: functions of which f(f(a), f(b)) is f(a and b).
const SIMPLE: &[&str] = &[
    "any",
    "any_respect_nulls",
    "anyLast",
    "anyLast_respect_nulls",
    "min",
    "max",
    "sum",
    "sumWithOverflow",
    "groupBitAnd",
    "groupBitOr",
    "groupBitXor",
    "sumMap",
    "minMap",
    "maxMap",
    "groupArrayArray",
    "groupArrayLastArray",
    "groupUniqArrayArray",
    "groupUniqArrayArrayMap",
    "sumMappedArrays",
    "minMappedArrays",
    "maxMappedArrays",
];

/// Errors: BAD_ARGUMENTS for a function that a `SimpleAggregateFunction` is not of; `name` is without parameters.
pub(super) fn check_simple(name: &str) -> Result<()> {
    if SIMPLE.iter().any(|known| known.eq_ignore_ascii_case(name)) {
        return Ok(());
    }
    let text = format!("Unsupported aggregate function {name}, supported functions are {}", SIMPLE.join(","));
    Err(Error::new(ErrorCode::BAD_ARGUMENTS, text))
}

/// The function that makes one value of several values of a column of type `kind`; `None` where the type holds no
/// aggregates. Errors: UNKNOWN_AGGREGATE_FUNCTION; BAD_ARGUMENTS where the function does not give the type.
pub fn of_column(kind: &SqlType) -> Result<Option<Prepared>> {
    match kind {
        SqlType::AggregateFunction(function, kinds) => {
            let (name, parameters) = parsed(function)?;
            let merged = state::merge(prepare(name, &parameters, kinds.clone())?, kind)?;
            Ok(Some(state::state(name, &parameters, kinds.clone(), merged)?))
        }
        SqlType::SimpleAggregateFunction(function, inner) => {
            let (name, parameters) = parsed(function)?;
            let prepared = prepare(name, &parameters, vec![inner.as_ref().clone()])?;
            check_simple(name)?;
            if prepared.result.arrow() != kind.arrow() {
                return Err(Error::new(
                    ErrorCode::BAD_ARGUMENTS,
                    format!(
                        "Incompatible data types between aggregate function '{name}' which returns {} and column storage \
                         type {inner}",
                        prepared.result
                    ),
                ));
            }
            Ok(Some(prepared))
        }
        _ => Ok(None),
    }
}

/// The last value that is not NULL, in the column's type.
pub fn last_within(kind: &SqlType) -> Result<Prepared> {
    prepare("anyLast", &[], vec![kind.clone()])
}

/// The sum of values of a number's type, in that type. Errors: ILLEGAL_TYPE_OF_ARGUMENT.
pub fn sum_within(kind: &SqlType) -> Result<Prepared> {
    prepare("sumWithOverflow", &[], vec![kind.clone()])
}

/// How a text tells a state (`aggregate_function_input_format`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateText {
    /// By its bytes.
    State,
    /// As the value of a row, a tuple where the function has several arguments.
    Value,
    /// As an array of such values.
    Array,
}

impl StateText {
    /// The words of the setting; `State` for any other.
    pub fn by_name(name: &str) -> StateText {
        match name {
            "value" => StateText::Value,
            "array" => StateText::Array,
            _ => StateText::State,
        }
    }
}

/// The states of type `kind` that a column of texts tells. Errors: those of `states_of_texts`, when it is computed.
pub fn states_expr(texts: Expr, kind: &SqlType, form: StateText, env: &FunctionEnv) -> Result<Expr> {
    let name = ScalarValue::BinaryView(Some(kind.to_string().into_bytes()));
    let arguments = vec![
        (texts, Argument { kind: SqlType::String.nullable(), constant: None }),
        (Expr::Literal(name.clone(), None), Argument { kind: SqlType::String, constant: Some(name) }),
    ];
    let (kind, options) = (kind.clone(), env.cast_options()?);
    let function = own_nulls(move |_, _, _| {
        let (kind, options) = (kind.clone(), options.clone());
        Ok(Bound::new(kind.clone(), move |args, rows| states_of_texts(&kind, &broadcast(&args[0], rows)?, form, &options)))
    });
    // The forms are told apart by the name.
    let call = match form {
        StateText::State => "_stateOfBytes",
        StateText::Value => "_stateOfValue",
        StateText::Array => "_stateOfArray",
    };
    Ok(call_function(call, function, arguments, env)?.0)
}

/// The states of type `kind` that texts tell; NULL, and an empty text that is no value, tell of no rows. Errors: those of
/// casts, NOT_IMPLEMENTED where a function has no arguments or its states no bytes of ClickHouse's.
pub fn states_of_texts(kind: &SqlType, texts: &ArrayRef, form: StateText, options: &CastOptions) -> Result<ArrayRef> {
    let SqlType::AggregateFunction(function, kinds) = kind else {
        return Err(Error::logical(format!("{kind} holds no states")));
    };
    if form == StateText::State {
        return cast(texts, &SqlType::String.nullable(), kind, options);
    }
    let one = match kinds.as_slice() {
        [] => return Err(Error::not_implemented(format!("Values for {kind}, whose function has no arguments"))),
        [one] => one.clone(),
        several => SqlType::Tuple(several.iter().map(|kind| (None, kind.clone())).collect()),
    };
    let takes_empty = form == StateText::Value && one.plain().is_string();
    let told = {
        let bytes = Bytes::of(texts)?;
        let is_told = |row: usize| texts.is_valid(row) && (takes_empty || !bytes.get(row).is_empty());
        (0..texts.len()).filter(|row| is_told(*row)).collect::<Vec<usize>>()
    };
    let of_rows = take(texts, &UInt32Array::from_iter_values(told.iter().map(|row| *row as u32)), None)?;
    let (values, groups) = match form {
        StateText::Array => {
            let lists = cast(&of_rows, &SqlType::String.nullable(), &SqlType::array(one), options)?;
            let mut flat = flatten(&[lists])?;
            (flat.columns.swap_remove(0), flat.rows.iter().map(|row| told[*row]).collect())
        }
        _ => (cast(&of_rows, &SqlType::String.nullable(), &one, options)?, told),
    };
    let columns = if kinds.len() == 1 { vec![values] } else { values.as_struct().columns().to_vec() };
    let (name, parameters) = parsed(function)?;
    let prepared = state::state(name, &parameters, kinds.clone(), prepare(name, &parameters, kinds.clone())?)?;
    let arguments = columns.iter().zip(kinds).zip(&prepared.arguments);
    let arguments = arguments.map(|((column, kind), argument)| cast(column, kind, argument, options));
    let arguments = arguments.collect::<Result<Vec<_>>>()?;
    let mut states = (prepared.make)();
    states.resize(texts.len());
    if !groups.is_empty() {
        states.update(&arguments, &groups)?;
    }
    states.finish(texts.len())
}
