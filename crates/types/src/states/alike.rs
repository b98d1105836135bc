//! States of one type that are states of another as they stand.

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

fn without_zone(kind: &SqlType) -> SqlType {
    match kind {
        SqlType::DateTime(_) => SqlType::DateTime(None),
        SqlType::DateTime64(scale, _) => SqlType::DateTime64(*scale, None),
        SqlType::Nullable(inner) => without_zone(inner).nullable(),
        SqlType::Array(element) => SqlType::array(without_zone(element)),
        other => other.clone(),
    }
}

/// Whether states of a function, with its parameters and the types of its arguments, are those of another.
pub fn are_alike((from, from_kinds): (&str, &[SqlType]), (to, to_kinds): (&str, &[SqlType])) -> bool {
    let ((name, parameters), (to_name, to_parameters)) = (parts(from), parts(to));
    // What did not fulfil the condition is not in the state.
    if let Some((SqlType::UInt8, rest)) = from_kinds.split_last()
        && name != to_name
        && let Some(plain) = name.strip_suffix("If")
    {
        let columns = |function: &str, kinds: &[SqlType]| Codec::of(function, kinds).map(|codec| codec.columns()).ok();
        let plain = format!("{plain}{parameters}");
        let kept = columns(from, from_kinds);
        return kept.is_some() && kept == columns(&plain, rest) && are_alike((&plain, rest), (to, to_kinds));
    }
    if name != to_name || (parameters != to_parameters && !keeps_without_parameters(&name)) {
        return false;
    }
    let is_plain = |kinds: &[SqlType]| !kinds.iter().any(SqlType::is_nullable);
    if name == "count" && is_plain(from_kinds) && is_plain(to_kinds) {
        return true;
    }
    from_kinds.len() == to_kinds.len()
        && from_kinds.iter().zip(to_kinds).all(|(from, to)| without_zone(from) == without_zone(to))
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
