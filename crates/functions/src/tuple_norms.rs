//! Lengths of vectors and distances between them, of tuples as of arrays: `L1Norm`, `L2Distance`, `cosineDistance`, …
//!
//! Sums over the elements of a tuple have the type that their arithmetic gives; what has a root in it, and the greatest
//! of elements, is Float64. Of arrays it is Float32 where all their elements are.

use SqlType as T;
use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{DataType, Float32Type, Float64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::arrays::{Lists, norm, vectors};
use crate::columns::{Numbers, broadcast, list, numbers, unary};
use crate::define::{arity, expect_array, expect_number, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::tuple_arithmetic::Step;
use crate::tuples::{fields, struct_array};

/// How the differences (or elements) of two vectors become one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Measure {
    L1,
    L2,
    L2Squared,
    Linf,
    Lp,
}

pub fn register(registry: &mut Registry) {
    use Measure::{L1, L2, L2Squared, Linf, Lp};
    for (stem, measure) in [("L1", L1), ("L2", L2), ("L2Squared", L2Squared), ("Linf", Linf), ("Lp", Lp)] {
        registry.scalar(&format!("{stem}Norm"), plain(move |name, arguments, env| of_one(name, arguments, measure, env)));
        registry.alias(&format!("norm{stem}"), &format!("{stem}Norm"));
        registry.any_case(&format!("norm{stem}"));
        registry
            .scalar(&format!("{stem}Distance"), plain(move |name, arguments, env| of_two(name, arguments, measure, env)));
        registry.alias(&format!("distance{stem}"), &format!("{stem}Distance"));
        registry.any_case(&format!("distance{stem}"));
        if measure != L2Squared {
            registry
                .scalar(&format!("{stem}Normalize"), plain(move |name, arguments, _| normalize(name, arguments, measure)));
            registry.alias(&format!("normalize{stem}"), &format!("{stem}Normalize"));
            registry.any_case(&format!("normalize{stem}"));
        }
    }
    registry.scalar("cosineDistance", plain(|name, arguments, _| cosine(name, arguments)));
    registry.alias("distanceCosine", "cosineDistance");
    registry.any_case("distanceCosine");
}

fn measured(measure: Measure, p: f64, values: impl Iterator<Item = f64>) -> f64 {
    // From 0: what `sum` gives for nothing is -0.
    let plus = |sum: f64, value: f64| sum + value;
    match measure {
        Measure::L1 => values.map(f64::abs).fold(0.0, plus),
        Measure::L2 => values.map(|value| value * value).fold(0.0, plus).sqrt(),
        Measure::L2Squared => values.map(|value| value * value).fold(0.0, plus),
        Measure::Linf => values.map(f64::abs).fold(0.0, f64::max),
        Measure::Lp => values.map(|value| value.abs().powf(p)).fold(0.0, plus).powf(p.recip()),
    }
}

/// Checks the number of arguments after the vectors: one for the exponent of Lp.
fn check_arity(name: &str, arguments: &[Argument], measure: Measure, vectors: usize) -> Result<()> {
    let count = vectors + usize::from(measure == Measure::Lp);
    arity(name, arguments, count..=count)?;
    if measure == Measure::Lp {
        expect_number(name, arguments, vectors)?;
    }
    Ok(())
}

fn exponents<'a>(args: &'a [ArrayRef], place: usize) -> Result<Option<Numbers<'a, f64>>> {
    args.get(place).map(Numbers::of::<Float64Type>).transpose()
}

/// The exponent of a row. Error: ARGUMENT_OUT_OF_BOUND where there is no such norm.
fn exponent(name: &str, given: Option<Numbers<'_, f64>>, row: usize) -> Result<f64> {
    let p = given.map_or(1.0, |given| given.get(row));
    if p.is_finite() && p >= 1.0 {
        return Ok(p);
    }
    let text = format!("Function {name}: the exponent must be a finite number of at least 1, it is {p}");
    Err(Error::new(ErrorCode::ARGUMENT_OUT_OF_BOUND, text))
}

fn is_tuple(argument: &Argument) -> bool {
    matches!(argument.kind.plain(), T::Tuple(_))
}

fn of_one(name: &str, arguments: &[Argument], measure: Measure, env: &FunctionEnv) -> Result<Bound> {
    check_arity(name, arguments, measure, 1)?;
    if !is_tuple(&arguments[0]) {
        return norm(name, arguments, move |values, p| measured(measure, p, values.iter().copied()));
    }
    let kinds: Vec<SqlType> = fields(name, arguments, 0)?.iter().map(|(_, kind)| kind.clone()).collect();
    if matches!(measure, Measure::L1 | Measure::L2Squared) {
        let steps = kinds.into_iter().map(|kind| Chain::start(kind).measure(measure, env)).collect::<Result<_>>()?;
        return summed(name, arguments, steps, env, |args, rows| {
            let tuple = broadcast(&args[0], rows)?;
            Ok(tuple.as_struct().columns().iter().map(|column| vec![column.clone()]).collect())
        });
    }
    let name = name.to_string();
    let casts = floats(&name, arguments, 1)?;
    Ok(Bound::cast(casts, T::Float64, move |args, rows| {
        let tuple = broadcast(&args[0], rows)?;
        let columns = tuple.as_struct().columns().iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>>>()?;
        let given = exponents(args, 1)?;
        numbers::<Float64Type>(rows, |row| {
            Ok(measured(measure, exponent(&name, given, row)?, columns.iter().map(|column| column.get(row))))
        })
    }))
}

fn of_two(name: &str, arguments: &[Argument], measure: Measure, env: &FunctionEnv) -> Result<Bound> {
    check_arity(name, arguments, measure, 2)?;
    if !is_tuple(&arguments[0]) || !is_tuple(&arguments[1]) {
        return vectors(name, arguments, move |a, b, p| measured(measure, p, a.iter().zip(b).map(|(a, b)| a - b)));
    }
    let pairs = crate::tuple_arithmetic::pairs(name, arguments)?;
    if matches!(measure, Measure::L1 | Measure::L2Squared) {
        let steps = pairs
            .into_iter()
            .map(|(a, b)| Chain::of(Step::bind("minus", vec![a, b], env)?).measure(measure, env))
            .collect::<Result<_>>()?;
        return summed(name, arguments, steps, env, crate::tuple_arithmetic::both);
    }
    let name = name.to_string();
    let casts = floats(&name, arguments, 2)?;
    Ok(Bound::cast(casts, T::Float64, move |args, rows| {
        let (left, right) = (broadcast(&args[0], rows)?, broadcast(&args[1], rows)?);
        let columns = |tuple: &'_ ArrayRef| tuple.as_struct().columns().to_vec();
        let (left, right) = (columns(&left), columns(&right));
        let left = left.iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>>>()?;
        let right = right.iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>>>()?;
        let given = exponents(args, 2)?;
        numbers::<Float64Type>(rows, |row| {
            let differences = left.iter().zip(&right).map(|(a, b)| a.get(row) - b.get(row));
            Ok(measured(measure, exponent(&name, given, row)?, differences))
        })
    }))
}

/// Casts that make all elements, and the exponent, Float64.
fn floats(name: &str, arguments: &[Argument], vectors: usize) -> Result<Vec<SqlType>> {
    let mut casts = Vec::new();
    for i in 0..vectors {
        let fields = fields(name, arguments, i)?;
        if let Some((_, kind)) = fields.iter().find(|(_, kind)| !kind.is_number() || kind.is_nullable()) {
            return Err(illegal(name, arguments, i, format!("a Tuple of numbers, not of {kind}")));
        }
        casts.push(T::Tuple(fields.iter().map(|(name, _)| (name.clone(), T::Float64)).collect()));
    }
    if arguments.len() > vectors {
        casts.push(T::Float64);
    }
    Ok(casts)
}

/// Operations on an element, one after the other.
struct Chain {
    kind: SqlType,
    steps: Vec<Step>,
}

impl Chain {
    fn start(kind: SqlType) -> Chain {
        Chain { kind, steps: Vec::new() }
    }

    fn of(step: Step) -> Chain {
        Chain { kind: step.result().clone(), steps: vec![step] }
    }

    /// The element's size: its absolute value, or its square.
    fn measure(mut self, measure: Measure, env: &FunctionEnv) -> Result<Chain> {
        let step = match measure {
            Measure::L1 => Step::bind("abs", vec![self.kind.clone()], env)?,
            _ => Step::bind("multiply", vec![self.kind.clone(), self.kind.clone()], env)?,
        };
        self.kind = step.result().clone();
        self.steps.push(step);
        Ok(self)
    }

    fn compute(&self, columns: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
        let mut columns = columns.to_vec();
        for step in &self.steps {
            if columns.len() < step.arguments() {
                columns.push(columns[0].clone());
            }
            columns = vec![step.compute(&columns, rows)?];
        }
        Ok(columns.remove(0))
    }
}

/// The sum of what the chains give, each from the columns that `split` gives it.
fn summed(
    name: &str,
    arguments: &[Argument],
    chains: Vec<Chain>,
    env: &FunctionEnv,
    split: impl Fn(&[ArrayRef], usize) -> Result<Vec<Vec<ArrayRef>>> + Send + Sync + 'static,
) -> Result<Bound> {
    let Some(first) = chains.first() else { return Err(illegal(name, arguments, 0, "a Tuple with elements")) };
    let mut kind = first.kind.clone();
    let mut sums = Vec::new();
    for chain in &chains[1..] {
        let sum = Step::bind("plus", vec![kind, chain.kind.clone()], env)?;
        kind = sum.result().clone();
        sums.push(sum);
    }
    Ok(Bound::new(kind, move |args, rows| {
        let columns = split(args, rows)?;
        let sizes: Vec<ArrayRef> =
            chains.iter().zip(&columns).map(|(chain, columns)| chain.compute(columns, rows)).collect::<Result<_>>()?;
        let mut total = sizes[0].clone();
        for (sum, size) in sums.iter().zip(&sizes[1..]) {
            total = sum.compute(&[total, size.clone()], rows)?;
        }
        Ok(total)
    }))
}

/// Elements divided by the norm.
fn normalize(name: &str, arguments: &[Argument], measure: Measure) -> Result<Bound> {
    check_arity(name, arguments, measure, 1)?;
    if !is_tuple(&arguments[0]) {
        return normalize_array(name, arguments, measure);
    }
    let name = name.to_string();
    let casts = floats(&name, arguments, 1)?;
    let kind = casts[0].clone();
    Ok(Bound::cast(casts, kind.clone(), move |args, rows| {
        let tuple = broadcast(&args[0], rows)?;
        let columns = tuple.as_struct().columns();
        let values = columns.iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>>>()?;
        let given = exponents(args, 1)?;
        let lengths = (0..rows)
            .map(|row| Ok(measured(measure, exponent(&name, given, row)?, values.iter().map(|column| column.get(row)))))
            .collect::<Result<Vec<f64>>>()?;
        let divided = values
            .iter()
            .map(|column| numbers::<Float64Type>(rows, |row| Ok(column.get(row) / lengths[row])))
            .collect::<Result<Vec<_>>>()?;
        struct_array(&kind, divided, rows)
    }))
}

/// As `normalize`, of arrays: in Float32 where the elements are no wider, else in Float64.
fn normalize_array(name: &str, arguments: &[Argument], measure: Measure) -> Result<Bound> {
    let element = match expect_array(name, arguments, 0)? {
        T::BFloat16 | T::Float32 => T::Float32,
        T::Float64 | T::Bool => T::Float64,
        kind if !kind.is_nullable() && matches!(kind.integer_bits(), Some((..=64, _))) => T::Float64,
        _ => return Err(illegal(name, arguments, 0, "an Array of integers of up to 64 bits or of floats")),
    };
    let mut casts = vec![SqlType::array(element.clone())];
    casts.extend(arguments.get(1).map(|_| T::Float64));
    let (name, is_narrow) = (name.to_string(), element == T::Float32);
    Ok(Bound::cast(casts, SqlType::array(element), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let values = arrow::compute::cast(lists.values(), &DataType::Float64)?;
        let (values, given) = (Numbers::of::<Float64Type>(&values)?, exponents(args, 1)?);
        let (mut divided, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        for row in 0..rows {
            let range = lists.range(row);
            let p = exponent(&name, given, row)?;
            let length = measured(measure, p, range.clone().map(|i| values.get(i)));
            let length = if is_narrow { f64::from(length as f32) } else { length };
            lengths.push(range.len());
            divided.extend(range.map(|i| values.get(i) / length));
        }
        let elements = numbers::<Float64Type>(divided.len(), |i| Ok(divided[i]))?;
        let elements =
            if is_narrow { unary::<Float64Type, Float32Type>(&elements, |value| value as f32)? } else { elements };
        list(elements, &lengths)
    }))
}

fn cosine(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    let distance = |pairs: &mut dyn Iterator<Item = (f64, f64)>| {
        let (mut dot, mut left, mut right) = (0.0, 0.0, 0.0);
        for (a, b) in pairs {
            dot += a * b;
            left += a * a;
            right += b * b;
        }
        1.0 - dot / (left * right).sqrt()
    };
    if !is_tuple(&arguments[0]) || !is_tuple(&arguments[1]) {
        return vectors(name, arguments, move |a, b, _| distance(&mut a.iter().copied().zip(b.iter().copied())));
    }
    crate::tuple_arithmetic::pairs(name, arguments)?;
    let casts = floats(name, arguments, 2)?;
    Ok(Bound::cast(casts, T::Float64, move |args, rows| {
        let (left, right) = (broadcast(&args[0], rows)?, broadcast(&args[1], rows)?);
        let (left, right) = (left.as_struct().columns().to_vec(), right.as_struct().columns().to_vec());
        let left = left.iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>>>()?;
        let right = right.iter().map(Numbers::of::<Float64Type>).collect::<Result<Vec<_>>>()?;
        numbers::<Float64Type>(rows, |row| Ok(distance(&mut left.iter().zip(&right).map(|(a, b)| (a.get(row), b.get(row))))))
    }))
}
