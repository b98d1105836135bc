//! The type that holds the values of several: of branches, of an array's elements, of a set.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use SqlType as T;

/// The least type that all of `kinds` fit. Errors: NO_COMMON_TYPE, with the function's name.
pub fn least(name: &str, kinds: &[SqlType]) -> Result<SqlType> {
    find(kinds).ok_or_else(|| {
        let mut texts: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        texts.dedup();
        let text = format!("There is no supertype for types {} of arguments of function {name}: cast them to one type", texts.join(", "));
        Error::new(ErrorCode::NO_COMMON_TYPE, text)
    })
}

fn find(kinds: &[SqlType]) -> Option<SqlType> {
    let known: Vec<&SqlType> = kinds.iter().filter(|kind| **kind != T::Nothing && !kind.is_null_literal()).collect();
    let nulls = kinds.iter().any(SqlType::is_nullable);
    let Some(first) = known.first() else {
        return Some(if nulls { SqlType::null() } else { T::Nothing });
    };
    let common = if known.iter().all(|kind| kind == first) {
        (*first).clone()
    } else {
        let plain: Vec<&SqlType> = known.iter().map(|kind| kind.plain()).collect();
        let common = of_plain(&plain)?;
        if known.iter().all(|kind| kind.is_low_cardinality()) { T::LowCardinality(Box::new(common)) } else { common }
    };
    if !nulls {
        return Some(common);
    }
    let nullable = common.nullable();
    nullable.is_nullable().then_some(nullable)
}

fn of_plain(kinds: &[&SqlType]) -> Option<SqlType> {
    let first = kinds[0];
    if kinds.iter().all(|kind| *kind == first) {
        return Some(first.clone());
    }
    if kinds.iter().all(|kind| kind.is_number()) {
        return numbers(kinds);
    }
    if kinds.iter().all(|kind| kind.is_string()) || kinds.iter().all(|kind| kind.is_string() || kind.is_enum()) {
        return Some(T::String);
    }
    if kinds.iter().all(|kind| kind.is_date_or_time()) {
        return Some(moments(kinds));
    }
    let inner = |pick: fn(&SqlType) -> Option<&SqlType>| -> Option<SqlType> {
        let parts: Vec<SqlType> = kinds.iter().map(|kind| pick(kind).cloned()).collect::<Option<_>>()?;
        find(&parts)
    };
    match first {
        T::Array(_) => inner(|kind| if let T::Array(element) = kind { Some(element) } else { None }).map(SqlType::array),
        T::Map(..) => {
            let key = inner(|kind| if let T::Map(key, _) = kind { Some(key) } else { None })?;
            let value = inner(|kind| if let T::Map(_, value) = kind { Some(value) } else { None })?;
            Some(T::Map(Box::new(key), Box::new(value)))
        }
        T::Tuple(fields) => {
            let all: Vec<&Vec<(Option<String>, SqlType)>> =
                kinds.iter().map(|kind| if let T::Tuple(fields) = kind { Some(fields) } else { None }).collect::<Option<_>>()?;
            if all.iter().any(|other| other.len() != fields.len()) {
                return None;
            }
            let same_names = all.iter().all(|other| other.iter().zip(fields).all(|(a, b)| a.0 == b.0));
            let merged = (0..fields.len())
                .map(|i| {
                    let kinds: Vec<SqlType> = all.iter().map(|fields| fields[i].1.clone()).collect();
                    Some((if same_names { fields[i].0.clone() } else { None }, find(&kinds)?))
                })
                .collect::<Option<_>>()?;
            Some(T::Tuple(merged))
        }
        _ => None,
    }
}

fn numbers(kinds: &[&SqlType]) -> Option<SqlType> {
    let kinds: Vec<SqlType> = kinds.iter().map(|kind| if **kind == T::Bool { T::UInt8 } else { (*kind).clone() }).collect();
    if kinds.iter().any(SqlType::is_decimal) {
        if kinds.iter().any(SqlType::is_float) {
            return Some(T::Float64);
        }
        let scale = kinds.iter().map(|kind| if let T::Decimal { scale, .. } = kind { *scale } else { 0 }).max()?;
        let whole = kinds
            .iter()
            .map(|kind| match kind {
                T::Decimal { precision, scale } => precision - scale,
                other => match other.integer_bits() {
                    Some((8, _)) => 3,
                    Some((16, _)) => 5,
                    Some((32, _)) => 10,
                    Some((64, _)) => 20,
                    _ => 76,
                },
            })
            .max()?;
        return Some(T::Decimal { precision: (whole + scale).min(76), scale });
    }
    let integers: Vec<(u16, bool)> = kinds.iter().filter_map(SqlType::integer_bits).collect();
    let widest = integers.iter().map(|(bits, _)| *bits).max().unwrap_or(0);
    if kinds.iter().any(SqlType::is_float) {
        // Integers of more than 24 bits need the 53 of a double; beyond those there is no common type.
        let double = kinds.contains(&T::Float64) || widest > 16;
        return (widest <= 32).then_some(if double { T::Float64 } else { T::Float32 });
    }
    let signed = integers.iter().any(|(_, signed)| *signed);
    if !signed {
        return Some(SqlType::integer(widest, false));
    }
    // A signed type must be wider than the unsigned ones.
    let unsigned = integers.iter().filter(|(_, signed)| !signed).map(|(bits, _)| bits * 2).max().unwrap_or(0);
    let bits = integers.iter().filter(|(_, signed)| *signed).map(|(bits, _)| *bits).max()?.max(unsigned);
    // UInt64 beside signed integers has no common type of 64 bits.
    let narrow_before = widest <= 64;
    (bits <= 64 || (bits <= 256 && !narrow_before)).then(|| SqlType::integer(bits, true))
}

fn moments(kinds: &[&SqlType]) -> SqlType {
    let zone = kinds.iter().find_map(|kind| kind.timezone().cloned());
    let scale = kinds.iter().filter_map(|kind| if let T::DateTime64(scale, _) = kind { Some(*scale) } else { None }).max();
    let wide = kinds.iter().any(|kind| **kind == T::Date32);
    match scale {
        Some(scale) => T::DateTime64(scale, zone),
        None if kinds.iter().all(|kind| matches!(kind, T::Date | T::Date32)) => T::Date32,
        None if wide => T::DateTime64(0, zone),
        None => T::DateTime(zone),
    }
}
