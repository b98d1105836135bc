//! Combinators: suffixes that make a new function of any other. `sumArrayIf` is `sum`, over the elements of arrays, of the
//! rows that a condition lets pass. The last suffix is the outermost.

mod arg_best;
pub mod array;
pub(super) mod condition;
mod distinct;
mod empty;
mod narrowed;
mod resample;
pub mod state;
mod subgroups;

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::counts::Nothing;
use super::nothing::OfType;
use super::nulls::SkipNulls;
use super::stored::check_simple;
use super::udaf::bound;
use super::{NullRule, Prepared, bitmap_sets, family};
use crate::aggregate::{AggregateFunction, BoundAggregate};
use crate::registry::Registry;
use crate::scalar::Argument;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Combinator {
    If,
    Array,
    Distinct,
    OrNull,
    OrDefault,
    ForEach,
    Map,
    State,
    SimpleState,
    Merge,
    MergeState,
    Resample,
    ArgMin,
    ArgMax,
}

/// Longer suffixes before those that they end with.
const SUFFIXES: &[(&str, Combinator)] = &[
    ("OrDefault", Combinator::OrDefault),
    ("OrNull", Combinator::OrNull),
    ("SimpleState", Combinator::SimpleState),
    ("MergeState", Combinator::MergeState),
    ("ForEach", Combinator::ForEach),
    ("Distinct", Combinator::Distinct),
    ("Resample", Combinator::Resample),
    ("ArgMin", Combinator::ArgMin),
    ("ArgMax", Combinator::ArgMax),
    ("Merge", Combinator::Merge),
    ("State", Combinator::State),
    ("Array", Combinator::Array),
    ("Map", Combinator::Map),
    ("If", Combinator::If),
];

/// Names of the combinators, for listings.
pub fn names() -> impl Iterator<Item = &'static str> {
    SUFFIXES.iter().map(|(name, _)| *name)
}

/// Functions of which no rows give zero rather than NULL.
const COUNTS: &[&str] =
    &["count", "uniq", "uniqExact", "uniqHLL12", "uniqCombined", "uniqCombined64", "uniqTheta", "uniqUpTo"];

/// Whether what no rows give is a value of the function's own: a count, or an array.
fn gives_empty(function: &str) -> bool {
    COUNTS.contains(&function) || function.starts_with("quantiles")
}

/// The aggregate function of that name, suffixes of combinators included. Aliases and the case of names as
/// `Registry::canonical` has them. In a query `sumIfOrNull` is `sumOrNullIf`, which gives NULL where the condition lets no
/// row pass; that of a function that counts or gives an array is not.
pub fn resolve_aggregate(registry: &Registry, name: &str) -> Option<Arc<dyn AggregateFunction>> {
    if let Some(base) = name.strip_suffix("IfOrNull").filter(|base| !base.is_empty())
        && !gives_empty(&parts_of_aggregate(registry, base).0)
    {
        return resolve_as_written(registry, &format!("{base}OrNullIf"));
    }
    resolve_as_written(registry, name)
}

/// As `resolve_aggregate`, with the combinators in the order that they are written in: `sumIfOrNull` gives NULL only where
/// there are no rows.
pub fn resolve_as_written(registry: &Registry, name: &str) -> Option<Arc<dyn AggregateFunction>> {
    let name = registry.canonical(name);
    if let Some(function) = registry.find_aggregate(name) {
        return Some(function);
    }
    for (suffix, combinator) in SUFFIXES {
        let Some(inner_name) = name.strip_suffix(suffix).filter(|inner| !inner.is_empty()) else { continue };
        let inner = resolve_as_written(registry, inner_name)?;
        let (base, combinators) = parts_of_aggregate(registry, inner_name);
        let inner_name = combinators.into_iter().rev().fold(base, |name, combinator| name + combinator);
        let mapped = match (combinator, inner_name.as_str()) {
            (Combinator::Map, "sum" | "min" | "max") => registry.find_aggregate(&format!("{inner_name}MappedArrays")),
            _ => None,
        };
        return Some(Arc::new(Combined { combinator: *combinator, inner_name, inner, mapped }));
    }
    None
}

/// The function below the combinators, and those, of a name that `resolve_aggregate` knows.
pub fn parts_of_aggregate(registry: &Registry, name: &str) -> (String, Vec<&'static str>) {
    let mut name = registry.canonical(name).to_string();
    let mut combinators = Vec::new();
    while registry.find_aggregate(&name).is_none() {
        let found = SUFFIXES.iter().find_map(|(suffix, _)| Some((*suffix, name.strip_suffix(suffix)?.to_string())));
        let Some((suffix, inner)) = found.filter(|(_, inner)| !inner.is_empty()) else { break };
        combinators.push(suffix);
        name = registry.canonical(&inner).to_string();
    }
    (name, combinators)
}

struct Combined {
    combinator: Combinator,
    inner_name: String,
    inner: Arc<dyn AggregateFunction>,
    /// `sumMap(keys, values)` is a function of its own.
    mapped: Option<Arc<dyn AggregateFunction>>,
}

impl Combined {
    fn inner(&self, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<Prepared> {
        self.inner.prepare(&self.inner_name, parameters, arguments)
    }

    /// Arguments with other types, of which no constant is known.
    fn inner_of(&self, parameters: &[ScalarValue], kinds: Vec<SqlType>) -> Result<Prepared> {
        let arguments: Vec<_> = kinds.into_iter().map(|kind| Argument { kind, constant: None }).collect();
        self.inner(parameters, &arguments)
    }

    /// Rows with NULL in any argument are left out before they are compared.
    fn of_best(&self, name: &str, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<Prepared> {
        let largest = self.combinator == Combinator::ArgMax;
        let (_, rest) = arguments.split_last().ok_or_else(|| no_arguments(name))?;
        let keeps_null = rest.is_empty() || {
            let kinds = rest.iter().map(|argument| argument.kind.plain().clone().nullable()).collect();
            self.inner_of(parameters, kinds)?.result.is_nullable()
        };
        let nulls = if keeps_null { NullRule::Nullable } else { NullRule::Default };
        let (inner, inner_name) = (self.inner.clone(), self.inner_name.clone());
        let chosen = family(nulls, move |call| {
            let kinds = call.kinds.iter().zip(&call.constants);
            let mut arguments: Vec<_> =
                kinds.map(|(kind, constant)| Argument { kind: kind.clone(), constant: constant.clone() }).collect();
            let key = arguments.pop().ok_or_else(|| no_arguments(call.name))?.kind;
            if matches!(key, SqlType::AggregateFunction(..)) {
                return Err(illegal(call.name, &key, "a type whose values can be compared"));
            }
            arg_best::plan(inner.prepare(&inner_name, call.parameters, &arguments)?, &key, largest)
        });
        chosen.prepare(name, parameters, arguments)
    }

    /// Below a condition a tuple is not Nullable: that of no rows holds defaults. `None` where the result is no such tuple.
    fn with_plain_tuple(&self, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<Option<Prepared>> {
        let inner = self.inner(parameters, arguments)?;
        if !matches!(&inner.result, SqlType::Nullable(kind) if matches!(**kind, SqlType::Tuple(_))) {
            return Ok(None);
        }
        let plain = self.inner(parameters, &without_null(arguments))?;
        Ok((!plain.result.is_nullable()).then(|| without_null_rows(&plain, inner.arguments, false)))
    }

    /// Rows with NULL are none; rows that a condition within keeps out are some, and give what the function has for them.
    fn or_default(&self, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<Prepared> {
        let inner = self.inner(parameters, arguments)?;
        let has_null = arguments.iter().any(|argument| argument.kind.is_nullable());
        let is_null = arguments.iter().any(|argument| argument.kind.is_null_literal());
        if !self.inner_name.ends_with("If") || !has_null || is_null {
            return Ok(empty::or_default(inner));
        }
        let filled = empty::or_default(self.inner(parameters, &without_null(arguments))?);
        let masks = inner.result.is_nullable();
        Ok(without_null_rows(&filled, inner.arguments, masks))
    }

    /// OrNull or OrDefault of a condition that is NULL for certain: the whole is that of nothing but NULL, while an outermost If
    /// lets no row pass. `None`: it is not.
    fn of_null_condition(&self, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<Option<Prepared>> {
        let is_null = arguments.last().is_some_and(|condition| condition.kind.is_null_literal());
        let over_condition = self.inner_name.ends_with("If");
        if !is_null || !over_condition || !matches!(self.combinator, Combinator::OrNull | Combinator::OrDefault) {
            return Ok(None);
        }
        let inner = self.inner(parameters, arguments)?;
        let is_zero = COUNTS.iter().chain(&["quantiles"]).any(|empty| self.inner_name.starts_with(empty));
        let (kind, state) = if is_zero { (SqlType::UInt64, DataType::UInt8) } else { (SqlType::null(), DataType::Null) };
        let of_nothing = wrapped(&inner, kind.clone(), inner.arguments.clone(), vec![state], move |_| match is_zero {
            true => Box::new(OfType { kind: kind.clone() }),
            false => Box::new(Nothing),
        });
        Ok(Some(of_nothing))
    }

    /// Errors: ILLEGAL_AGGREGATION for a combinator right upon itself.
    fn check_nesting(&self) -> Result<()> {
        let nests = matches!(self.combinator, Combinator::Array | Combinator::OrNull | Combinator::OrDefault);
        let own = SUFFIXES.iter().find(|(_, combinator)| *combinator == self.combinator);
        let Some((suffix, _)) = own.filter(|(suffix, _)| !nests && self.inner_name.ends_with(suffix)) else {
            return Ok(());
        };
        let text = format!("Nested identical combinator '{suffix}' is not supported");
        Err(Error::new(ErrorCode::ILLEGAL_AGGREGATION, text))
    }

    fn is_mapped(&self, arguments: &[Argument]) -> bool {
        !matches!(arguments.first().map(|argument| argument.kind.plain()), Some(SqlType::Map(..)))
    }
}

/// The arguments with types without NULL.
fn without_null(arguments: &[Argument]) -> Vec<Argument> {
    let plain = |argument: &Argument| Argument { kind: argument.kind.plain().clone(), constant: argument.constant.clone() };
    arguments.iter().map(plain).collect()
}

/// The function of `arguments`, rows with NULL in one of them left out; `masks`: NULL where there are no others.
fn without_null_rows(plain: &Prepared, arguments: Vec<SqlType>, masks: bool) -> Prepared {
    let result = if masks { plain.result.clone().nullable() } else { plain.result.clone() };
    let mut state = plain.state.clone();
    state.extend(masks.then_some(DataType::UInt64));
    wrapped(plain, result, arguments, state, move |make| Box::new(SkipNulls::new(make(), masks)))
}

fn no_arguments(name: &str) -> Error {
    Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, format!("Aggregate function {name} needs at least one argument"))
}

fn illegal(name: &str, kind: &SqlType, expected: &str) -> Error {
    Error::new(
        ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT,
        format!("Illegal type {kind} of an argument of aggregate function {name}: expected {expected}"),
    )
}

/// Where arguments are missing and the last one is no condition, that is what is missing.
fn without_condition(error: Error, name: &str, last: &SqlType) -> Error {
    let may_be_condition = matches!(last.plain(), SqlType::UInt8 | SqlType::Bool);
    match error.code() {
        ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH if !may_be_condition => illegal(name, last, "a condition at the end"),
        _ => error,
    }
}

impl AggregateFunction for Combined {
    fn prepare(&self, name: &str, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<Prepared> {
        self.check_nesting()?;
        if let Some(of_nothing) = self.of_null_condition(parameters, arguments)? {
            return Ok(of_nothing);
        }
        match self.combinator {
            Combinator::If => {
                let (condition, rest) = arguments.split_last().ok_or_else(|| no_arguments(name))?;
                let prepare = || -> Result<Prepared> {
                    match self.with_plain_tuple(parameters, rest)? {
                        Some(inner) => Ok(inner),
                        None => self.inner(parameters, rest),
                    }
                };
                let inner = prepare().map_err(|error| without_condition(error, name, &condition.kind))?;
                condition::prepare(name, inner, &condition.kind)
            }
            Combinator::Array => {
                let kinds = array::elements(name, arguments)?;
                Ok(array::prepare(self.inner_of(parameters, kinds)?))
            }
            Combinator::Distinct => Ok(distinct::prepare(self.inner(parameters, arguments)?)),
            Combinator::OrNull => Ok(empty::or_null(self.inner(parameters, arguments)?)),
            Combinator::OrDefault => self.or_default(parameters, arguments),
            Combinator::ForEach => {
                let kinds = array::elements(name, arguments)?;
                Ok(subgroups::for_each(self.inner_of(parameters, kinds)?))
            }
            Combinator::Map => match &self.mapped {
                Some(mapped) if self.is_mapped(arguments) => mapped.prepare(name, parameters, arguments),
                _ => {
                    let Some(SqlType::Map(key, value)) = arguments.first().map(|argument| argument.kind.plain()) else {
                        let kind = arguments.first().map_or(SqlType::Nothing, |argument| argument.kind.clone());
                        return Err(illegal(name, &kind, "Map"));
                    };
                    subgroups::map(self.inner_of(parameters, vec![value.as_ref().clone()])?, &key.nowhere_low_cardinality())
                }
            },
            Combinator::State => {
                let kinds = arguments.iter().map(|argument| argument.kind.nowhere_low_cardinality()).collect();
                let inner = self.inner(parameters, arguments)?;
                if let Some(bitmaps) = bitmap_sets::with_state(&self.inner_name, &inner) {
                    return Ok(bitmaps);
                }
                state::state(&self.inner_name, parameters, kinds, inner)
            }
            Combinator::SimpleState => {
                check_simple(&self.inner_name)?;
                let mut prepared = self.inner(parameters, arguments)?;
                prepared.result = SqlType::SimpleAggregateFunction(self.inner_name.clone(), Box::new(prepared.result));
                Ok(prepared)
            }
            Combinator::Merge | Combinator::MergeState => {
                let kinds = state::merged(name, arguments)?;
                let inner = self.inner_of(parameters, kinds.clone())?;
                state::check_function(&self.inner_name, parameters, &arguments[0].kind)?;
                let prepared = state::merge(inner, &arguments[0].kind)?;
                match self.combinator {
                    Combinator::Merge => Ok(prepared),
                    _ => state::state(&self.inner_name, parameters, kinds, prepared),
                }
            }
            Combinator::Resample => {
                let (ranges, parameters) = resample::Ranges::of(name, parameters)?;
                let (key, rest) = arguments.split_last().ok_or_else(|| no_arguments(name))?;
                resample::prepare(name, self.inner(parameters, rest)?, ranges, &key.kind)
            }
            Combinator::ArgMin | Combinator::ArgMax => self.of_best(name, parameters, arguments),
        }
    }

    /// The condition of an outermost If becomes the FILTER of the expression, so that rows are left out before they reach
    /// the function.
    fn bind(&self, name: &str, parameters: &[ScalarValue], arguments: &[Argument]) -> Result<BoundAggregate> {
        if self.combinator == Combinator::If {
            self.check_nesting()?;
            let (condition, rest) = arguments.split_last().ok_or_else(|| no_arguments(name))?;
            let bind = || -> Result<BoundAggregate> {
                match self.with_plain_tuple(parameters, rest)? {
                    Some(inner) => Ok(bound(&self.inner_name, parameters, inner)),
                    None => self.inner.bind(&self.inner_name, parameters, rest),
                }
            };
            let mut filtered = bind().map_err(|error| without_condition(error, name, &condition.kind))?;
            if filtered.filter_argument.is_none() {
                filtered.filter_argument = Some(arguments.len() - 1);
                return Ok(filtered);
            }
        }
        Ok(bound(name, parameters, self.prepare(name, parameters, arguments)?))
    }
}

/// The states of `prepared` wrapped, with nothing that DataFusion computes its own way.
fn wrapped(
    prepared: &Prepared,
    result: SqlType,
    arguments: Vec<SqlType>,
    state: Vec<DataType>,
    wrap: impl Fn(super::groups::Make) -> Box<dyn super::groups::Groups> + Send + Sync + 'static,
) -> Prepared {
    let inner = prepared.make.clone();
    Prepared { result, arguments, state, make: Arc::new(move || wrap(inner.clone())), native: None, native_statistics: None }
}
