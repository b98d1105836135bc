//! Arithmetic on tuples, element by element: `tuplePlus`, `tupleMultiplyByNumber`, `tupleNegate`, `dotProduct`, …

use std::sync::LazyLock;

use SqlType as T;
use arrow::array::{ArrayRef, AsArray};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};

use crate::columns::broadcast;
use crate::define::{arity, expect_number, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::tuples::{fields, struct_array};

/// The arithmetic that elements are computed with.
static ARITHMETIC: LazyLock<Registry> = LazyLock::new(|| {
    let mut registry = Registry::default();
    crate::arithmetic::register(&mut registry);
    crate::rounding::register(&mut registry);
    registry
});

pub fn register(registry: &mut Registry) {
    for (name, operation, alias) in [
        ("tuplePlus", "plus", Some("vectorSum")),
        ("tupleMinus", "minus", Some("vectorDifference")),
        ("tupleMultiply", "multiply", None),
        ("tupleDivide", "divide", None),
        ("tupleModulo", "modulo", None),
        ("tupleIntDiv", "intDiv", None),
        ("tupleIntDivOrZero", "intDivOrZero", None),
        ("tuplePositiveModulo", "positiveModulo", None),
    ] {
        // ClickHouse has it by one number alone.
        if operation != "positiveModulo" {
            registry.scalar(name, plain(move |name, arguments, env| pairwise(name, arguments, operation, env)));
        }
        if let Some(alias) = alias {
            registry.alias(alias, name);
            registry.any_case(alias);
        }
        if !matches!(operation, "plus" | "minus") {
            registry.scalar(
                &format!("{name}ByNumber"),
                plain(move |name, arguments, env| by_number(name, arguments, operation, env)),
            );
        }
    }
    registry.scalar("tupleNegate", plain(negate));
    registry.scalar("dotProduct", plain(dot_product));
    registry.alias("scalarProduct", "dotProduct");
    registry.any_case("scalarProduct");
    registry.scalar(
        "tupleHammingDistance",
        plain(|name, arguments, env| {
            arity(name, arguments, 2..=2)?;
            let kinds = pairs(name, arguments)?;
            let commons: Vec<SqlType> =
                kinds.iter().map(|(a, b)| crate::comparison::common(name, a, b)).collect::<Result<_>>()?;
            let options = env.cast_options()?;
            Ok(Bound::new(T::UInt16, move |args, rows| {
                let (left, right) = (broadcast(&args[0], rows)?, broadcast(&args[1], rows)?);
                let mut counts = vec![0u16; rows];
                for (i, ((a, b), common)) in kinds.iter().zip(&commons).enumerate() {
                    let left = cast(left.as_struct().column(i), a, common, &options)?;
                    let right = cast(right.as_struct().column(i), b, common, &options)?;
                    let sets = crate::arrays::comparable(&[left, right])?;
                    counts
                        .iter_mut()
                        .enumerate()
                        .for_each(|(row, count)| *count += u16::from(sets[0].row(row) != sets[1].row(row)));
                }
                crate::columns::numbers::<arrow::datatypes::UInt16Type>(rows, |row| Ok(counts[row]))
            }))
        }),
    );
}

/// A tuple with its elements negated.
pub fn negate(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let steps = fields(name, arguments, 0)?.iter().map(|(_, kind)| Step::bind("negate", vec![kind.clone()], env));
    let steps: Vec<Step> = steps.collect::<Result<_>>()?;
    Ok(assemble(steps, |args, rows| {
        let tuple = broadcast(&args[0], rows)?;
        Ok(tuple.as_struct().columns().iter().map(|column| vec![column.clone()]).collect())
    }))
}

/// One operation on elements.
pub(crate) struct Step {
    from: Vec<SqlType>,
    bound: Bound,
    options: CastOptions,
}

impl Step {
    pub(crate) fn bind(operation: &str, kinds: Vec<SqlType>, env: &FunctionEnv) -> Result<Step> {
        let function = ARITHMETIC.find_scalar(operation).ok_or_else(|| ARITHMETIC.unknown(operation))?;
        // An element that may be NULL would need a mask of its own.
        if let Some(kind) = kinds.iter().find(|kind| kind.is_nullable()) {
            let text = format!("Arithmetic on tuples and arrays takes no elements of type {kind}: use assumeNotNull");
            return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
        }
        let arguments: Vec<Argument> =
            kinds.iter().map(|kind| Argument { kind: kind.plain().clone(), constant: None }).collect();
        let bound = function.bind(operation, &arguments, env)?;
        Ok(Step { from: kinds, bound, options: env.cast_options()? })
    }

    pub(crate) fn result(&self) -> &SqlType {
        &self.bound.result
    }

    /// How many columns it computes from.
    pub(crate) fn arguments(&self) -> usize {
        self.from.len()
    }

    pub(crate) fn compute(&self, columns: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let columns: Vec<ArrayRef> = columns
            .iter()
            .enumerate()
            .map(|(i, column)| match self.bound.arguments.get(i) {
                Some(to) => cast(column, &self.from[i], to, &self.options),
                None => Ok(column.clone()),
            })
            .collect::<Result<_>>()?;
        (self.bound.kernel)(&columns, rows)
    }
}

/// A tuple of what the steps compute, each from the columns that `split` gives it.
fn assemble(
    steps: Vec<Step>,
    split: impl Fn(&[ArrayRef], usize) -> Result<Vec<Vec<ArrayRef>>> + Send + Sync + 'static,
) -> Bound {
    let kind = T::Tuple(steps.iter().map(|step| (None, step.bound.result.clone())).collect());
    Bound::new(kind.clone(), move |args, rows| {
        let columns = split(args, rows)?;
        let columns =
            steps.iter().zip(&columns).map(|(step, columns)| step.compute(columns, rows)).collect::<Result<Vec<_>>>()?;
        struct_array(&kind, columns, rows)
    })
}

/// The types of the elements of two tuples of one length.
pub(crate) fn pairs(name: &str, arguments: &[Argument]) -> Result<Vec<(SqlType, SqlType)>> {
    let (left, right) = (fields(name, arguments, 0)?, fields(name, arguments, 1)?);
    if left.len() != right.len() {
        return Err(illegal(name, arguments, 1, format!("a Tuple of {} elements", left.len())));
    }
    Ok(left.iter().zip(right).map(|((_, a), (_, b))| (a.clone(), b.clone())).collect())
}

pub(crate) fn both(args: &[ArrayRef], rows: usize) -> Result<Vec<Vec<ArrayRef>>> {
    let (left, right) = (broadcast(&args[0], rows)?, broadcast(&args[1], rows)?);
    let columns = left.as_struct().columns().iter().zip(right.as_struct().columns());
    Ok(columns.map(|(a, b)| vec![a.clone(), b.clone()]).collect())
}

/// Of two tuples, or of more of them from the left.
pub fn pairwise(name: &str, arguments: &[Argument], operation: &str, env: &FunctionEnv) -> Result<Bound> {
    if let [first, second, rest @ ..] = arguments
        && !rest.is_empty()
    {
        let begin = pairwise(name, &[first.clone(), second.clone()], operation, env)?;
        let sum = Argument { kind: begin.result.clone(), constant: None };
        let all: Vec<Argument> = std::iter::once(sum).chain(rest.iter().cloned()).collect();
        let end = pairwise(name, &all, operation, env)?;
        return Ok(Bound::new(end.result, move |args, rows| {
            let sum = (begin.kernel)(&args[..2], rows)?;
            let all: Vec<ArrayRef> = std::iter::once(sum).chain(args[2..].iter().cloned()).collect();
            (end.kernel)(&all, rows)
        }));
    }
    arity(name, arguments, 2..=2)?;
    let steps =
        pairs(name, arguments)?.into_iter().map(|(a, b)| Step::bind(operation, vec![a, b], env)).collect::<Result<_>>()?;
    Ok(assemble(steps, both))
}

pub fn by_number(name: &str, arguments: &[Argument], operation: &str, env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_number(name, arguments, 1)?;
    let number = arguments[1].kind.clone();
    let steps = fields(name, arguments, 0)?
        .iter()
        .map(|(_, kind)| Step::bind(operation, vec![kind.clone(), number.clone()], env))
        .collect::<Result<_>>()?;
    Ok(assemble(steps, |args, rows| {
        let (tuple, number) = (broadcast(&args[0], rows)?, broadcast(&args[1], rows)?);
        Ok(tuple.as_struct().columns().iter().map(|column| vec![column.clone(), number.clone()]).collect())
    }))
}

/// Of tuples; of arrays as `arrayDotProduct`.
pub fn dot_product(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    if matches!(arguments[0].kind, T::Array(_)) {
        return crate::arrays::dot_product(arguments);
    }
    let kinds = pairs(name, arguments)?;
    let products: Vec<Step> =
        kinds.into_iter().map(|(a, b)| Step::bind("multiply", vec![a, b], env)).collect::<Result<_>>()?;
    let Some(first) = products.first() else { return Err(illegal(name, arguments, 0, "a Tuple with elements")) };
    let mut sums = Vec::new();
    let mut kind = first.bound.result.clone();
    for product in &products[1..] {
        let sum = Step::bind("plus", vec![kind, product.bound.result.clone()], env)?;
        kind = sum.bound.result.clone();
        sums.push(sum);
    }
    Ok(Bound::new(kind, move |args, rows| {
        let columns = both(args, rows)?;
        let products: Vec<ArrayRef> =
            products.iter().zip(&columns).map(|(step, columns)| step.compute(columns, rows)).collect::<Result<_>>()?;
        let mut total = products[0].clone();
        for (sum, product) in sums.iter().zip(&products[1..]) {
            total = sum.compute(&[total, product.clone()], rows)?;
        }
        Ok(total)
    }))
}
