//! States of one type that are states of another as they stand.

use arrow::datatypes::DataType;

use super::Codec;
use crate::SqlType;

/// Whether what a function keeps of a state does not depend on its parameters: they say what is told of it in the end.
fn keeps_without_parameters(name: &str) -> bool {
    name.starts_with("quantile") && !["GK", "DD"].iter().any(|kind| name.contains(kind))
}

/// The name without parameters, and these.
fn parts(function: &str) -> (String, &str) {
    let (name, parameters) = function.split_at(function.find('(').unwrap_or(function.len()));
    let name = name.trim();
    match name.strip_prefix("median") {
        Some(suffix) => (format!("quantile{suffix}"), parameters),
        None => (name.to_string(), parameters),
    }
}

/// The most digits that the integers hold which carry a decimal.
const fn digits_held(precision: u8) -> u8 {
    match precision {
        0..=9 => 9,
        10..=18 => 18,
        19..=38 => 38,
        _ => 76,
    }
}

/// The type as far as it decides what a state holds: without zones and LowCardinality, decimals by what carries them.
fn as_held(kind: &SqlType) -> SqlType {
    match kind {
        SqlType::DateTime(_) => SqlType::DateTime(None),
        SqlType::DateTime64(scale, _) => SqlType::DateTime64(*scale, None),
        SqlType::Decimal { precision, scale } => SqlType::Decimal { precision: digits_held(*precision), scale: *scale },
        SqlType::LowCardinality(inner) => as_held(inner),
        SqlType::Nullable(inner) => as_held(inner).nullable(),
        SqlType::Array(element) => SqlType::array(as_held(element)),
        SqlType::Nested(array) => as_held(array),
        SqlType::Map(key, value) => SqlType::Map(Box::new(as_held(key)), Box::new(as_held(value))),
        SqlType::Tuple(fields) => SqlType::Tuple(fields.iter().map(|(name, kind)| (name.clone(), as_held(kind))).collect()),
        other => other.clone(),
    }
}

const fn is_condition(kind: &SqlType) -> bool {
    matches!(kind, SqlType::UInt8 | SqlType::Bool)
}

fn columns(function: &str, kinds: &[SqlType]) -> Option<Vec<DataType>> {
    Codec::of(function, kinds).map(|codec| codec.columns()).ok()
}

/// The function that keeps the same of the rows that the condition lets pass: what did not fulfil it is not in the state.
fn without_condition<'k>(function: &str, kinds: &'k [SqlType]) -> Option<(String, &'k [SqlType])> {
    let (name, parameters) = parts(function);
    let (condition, rest) = kinds.split_last()?;
    let plain = format!("{}{parameters}", name.strip_suffix("If").filter(|_| is_condition(condition))?);
    let kept = columns(function, kinds);
    (kept.is_some() && kept == columns(&plain, rest)).then_some((plain, rest))
}

/// Whether states of a function, with its parameters and the types of its arguments, are those of another.
pub fn are_alike((from, from_kinds): (&str, &[SqlType]), (to, to_kinds): (&str, &[SqlType])) -> bool {
    let ((name, parameters), (to_name, to_parameters)) = (parts(from), parts(to));
    if name != to_name {
        if let Some((plain, rest)) = without_condition(from, from_kinds) {
            return are_alike((&plain, rest), (to, to_kinds));
        }
        return without_condition(to, to_kinds).is_some_and(|(plain, rest)| are_alike((from, from_kinds), (&plain, rest)));
    }
    if parameters != to_parameters && !keeps_without_parameters(&name) {
        return false;
    }
    let is_plain = |kinds: &[SqlType]| !kinds.iter().any(SqlType::is_nullable);
    if name == "count" && is_plain(from_kinds) && is_plain(to_kinds) {
        return true;
    }
    let (ones, others) = match (from_kinds.split_last(), to_kinds.split_last()) {
        (Some((condition, ones)), Some((other, others)))
            if name.ends_with("If") && is_condition(condition) && is_condition(other) =>
        {
            (ones, others)
        }
        _ => (from_kinds, to_kinds),
    };
    let are_same = |held: &dyn Fn(&SqlType) -> SqlType| {
        ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| held(one) == held(other))
    };
    if are_same(&as_held) {
        return true;
    }
    // Bools are integers where they are counted or summed, and not where they are kept.
    let kept = columns(from, from_kinds);
    are_same(&|kind: &SqlType| as_held(kind).bool_as_integer()) && kept.is_some() && kept == columns(to, to_kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_alike_where_the_same_is_kept() {
        let cases = [
            ("min, DateTime64(3, 'UTC')", "min, DateTime64(3)", true),
            ("min, DateTime64(6)", "min, DateTime64(3)", false),
            ("min, DateTime", "max, DateTime", false),
            ("sum, Decimal(76, 10)", "sum, Decimal(50, 10)", true),
            ("sum, Decimal(38, 10)", "sum, Decimal(50, 10)", false),
            ("sum, Decimal(38, 10)", "sum, Decimal(38, 9)", false),
            ("min, DateTime", "min, UInt32", false),
            ("quantile(0.5), UInt64", "quantile(0.9), UInt64", true),
            ("quantiles(0.5), UInt64", "quantiles(0.5, 0.9), UInt64", true),
            ("median, UInt64", "quantile, UInt64", true),
            ("quantile(0.5), UInt32", "quantile(0.5), UInt64", false),
            ("quantileGK(100, 0.5), UInt64", "quantileGK(10, 0.5), UInt64", false),
            ("groupArray(3), UInt64", "groupArray, UInt64", false),
            ("count", "count, UInt8", true),
            ("count, Nullable(UInt8)", "count", false),
            ("sumIf, UInt64, UInt8", "sum, UInt64", true),
            ("sumIf, UInt32, UInt8", "sum, UInt64", false),
            ("sum, Nullable(UInt64)", "sum, UInt64", false),
            ("sum, UInt64", "sumIf, UInt64, UInt8", true),
            ("sumIf, UInt64, Bool", "sumIf, UInt64, UInt8", true),
            ("sum, Bool", "sum, UInt8", true),
            ("groupArray, Bool", "groupArray, UInt8", false),
            ("uniq, String", "uniq, LowCardinality(String)", true),
            ("groupArray, Array(String)", "groupArray, Array(LowCardinality(String))", true),
        ];
        for (from, to, expected) in cases {
            let parse = |text: &str| match format!("AggregateFunction({text})").parse() {
                Ok(SqlType::AggregateFunction(function, kinds)) => (function, kinds),
                other => panic!("{text}: {other:?}"),
            };
            let (from_function, from_kinds) = parse(from);
            let (to_function, to_kinds) = parse(to);
            let alike = are_alike((&from_function, &from_kinds), (&to_function, &to_kinds));
            assert_eq!(alike, expected, "{from} as {to}");
        }
    }
}
