//! Several arrays together: `arrayZip`, `arrayIntersect`, `arrayUnion`, `arrayExcept`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, StructArray};
use arrow::compute::interleave;
use arrow::datatypes::DataType;
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use gristmill_types::cast::{CastOptions, cast};

use super::{Lists, aligned, comparable, with_values};
use crate::columns::list;
use crate::define::{arity, expect_array, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::supertype::least;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Combine {
    Intersect,
    Union,
    Except,
    SymmetricDifference,
}

pub fn register(registry: &mut Registry) {
    registry.scalar("arrayZip", plain(|name, arguments, _| zip(name, arguments)));
    registry.scalar("arrayZipUnaligned", plain(|name, arguments, _| zip_unaligned(name, arguments)));
    for (name, combine) in [
        ("arrayIntersect", Combine::Intersect),
        ("arrayUnion", Combine::Union),
        ("arrayExcept", Combine::Except),
        ("arraySymmetricDifference", Combine::SymmetricDifference),
    ] {
        registry.scalar(name, plain(move |name, arguments, _| sets(name, arguments, combine)));
    }
}

fn elements(name: &str, arguments: &[Argument]) -> Result<Vec<SqlType>> {
    arity(name, arguments, 1..=usize::MAX)?;
    (0..arguments.len()).map(|i| expect_array(name, arguments, i).cloned()).collect()
}

/// Of no arrays there are no tuples.
fn zip_nothing() -> Bound {
    let tuple = T::Tuple(Vec::new());
    let carrier = tuple.arrow();
    Bound::new(SqlType::array(tuple), move |_, rows| list(arrow::array::new_empty_array(&carrier), &vec![0; rows]))
}

fn zip(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if arguments.is_empty() {
        return Ok(zip_nothing());
    }
    let fields = elements(name, arguments)?.into_iter().map(|kind| (None, kind)).collect();
    let tuple = T::Tuple(fields);
    let DataType::Struct(arrow_fields) = tuple.arrow() else {
        return Err(Error::logical("a tuple is carried as a struct"));
    };
    let name = name.to_string();
    Ok(Bound::new(SqlType::array(tuple), move |args, rows| {
        let arrays = aligned(&name, args, rows)?;
        let columns = arrays
            .iter()
            .zip(&arrow_fields)
            .map(|(array, field)| crate::columns::retype(array.values(), field.data_type()))
            .collect::<Result<Vec<_>>>()?;
        let tuples = StructArray::try_new_with_length(arrow_fields.clone(), columns, None, arrays[0].values().len())?;
        with_values(&arrays[0], Arc::new(tuples))
    }))
}

/// As `arrayZip`, with NULL where an array has ended before the longest.
fn zip_unaligned(name: &str, arguments: &[Argument]) -> Result<Bound> {
    if arguments.is_empty() {
        return Ok(zip_nothing());
    }
    let kinds: Vec<SqlType> = elements(name, arguments)?.into_iter().map(SqlType::nullable).collect();
    if let Some(kind) = kinds.iter().find(|kind| !kind.is_nullable() && !kind.is_null_literal()) {
        let text = format!("Nested type {kind} cannot be inside Nullable type, as function {name} needs it");
        return Err(Error::new(gristmill_base::ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    }
    let tuple = T::Tuple(kinds.iter().map(|kind| (None, kind.clone())).collect());
    let casts = kinds.iter().map(|kind| SqlType::array(kind.clone())).collect();
    let fields = tuple.clone();
    Ok(Bound::cast(casts, SqlType::array(tuple), move |args, rows| {
        let lists = args.iter().map(Lists::of).collect::<Result<Vec<_>>>()?;
        let lengths: Vec<usize> =
            (0..rows).map(|row| lists.iter().map(|list| list.range(row).len()).max().unwrap_or(0)).collect();
        let total: usize = lengths.iter().sum();
        let columns = lists
            .iter()
            .map(|list| {
                let missing = arrow::array::new_null_array(list.values().data_type(), 1);
                let mut picks = Vec::with_capacity(total);
                for (row, length) in lengths.iter().enumerate() {
                    let range = list.range(row);
                    let short = length - range.len();
                    picks.extend(range.map(|i| (0, i)));
                    picks.extend(std::iter::repeat_n((1, 0), short));
                }
                Ok(interleave(&[list.values().as_ref(), missing.as_ref()], &picks)?)
            })
            .collect::<Result<Vec<_>>>()?;
        list(crate::tuples::struct_array(&fields, columns, total)?, &lengths)
    }))
}

fn sets(name: &str, arguments: &[Argument], combine: Combine) -> Result<Bound> {
    let kinds = elements(name, arguments)?;
    let common = least(name, &kinds)?;
    let array = SqlType::array(common.clone());
    let element = match combine {
        Combine::Intersect => held_by_all(&kinds, &common),
        Combine::Except => kinds.first().unwrap_or(&common).clone(),
        Combine::Union | Combine::SymmetricDifference => common.clone(),
    };
    let result = SqlType::array(element.clone());
    Ok(Bound::cast(vec![array; arguments.len()], result, move |args, rows| {
        let lists = args.iter().map(Lists::of).collect::<Result<Vec<_>>>()?;
        let values: Vec<ArrayRef> = lists.iter().map(|list| list.values().clone()).collect();
        let encoded = comparable(&values)?;
        let (mut picks, mut lengths) = (Vec::new(), Vec::with_capacity(rows));
        // How many of the arrays have the value, and where it stood first.
        let mut counts: HashMap<arrow::row::Row, usize> = HashMap::new();
        let mut taken = HashSet::new();
        for row in 0..rows {
            counts.clear();
            for (which, list) in lists.iter().enumerate() {
                taken.clear();
                for i in list.range(row) {
                    let key = encoded[which].row(i);
                    if taken.insert(key) {
                        *counts.entry(key).or_insert(0) += 1;
                    }
                }
            }
            let before = picks.len();
            if combine == Combine::Except {
                let excluded: HashSet<_> = lists[1..]
                    .iter()
                    .enumerate()
                    .flat_map(|(which, list)| list.range(row).map(move |i| (which + 1, i)))
                    .map(|(which, i)| encoded[which].row(i))
                    .collect();
                picks.extend(lists[0].range(row).filter(|i| !excluded.contains(&encoded[0].row(*i))).map(|i| (0, i)));
            } else {
                taken.clear();
                for (which, list) in lists.iter().enumerate() {
                    for i in list.range(row) {
                        let key = encoded[which].row(i);
                        let count = counts.get(&key).copied().unwrap_or(0);
                        let wanted = match combine {
                            Combine::Intersect => count == lists.len(),
                            Combine::Union => true,
                            _ => count < lists.len(),
                        };
                        if wanted && taken.insert(key) {
                            picks.push((which, i));
                        }
                    }
                }
            }
            lengths.push(picks.len() - before);
        }
        let columns: Vec<&dyn Array> = values.iter().map(AsRef::as_ref).collect();
        let picked = interleave(&columns, &picks)?;
        let picked = match &element {
            T::Nothing => arrow::array::new_null_array(&DataType::Null, picked.len()),
            element => cast(&picked, &common, element, &CastOptions::default())?,
        };
        list(picked, &lengths)
    }))
}

/// The type of what all have: it fits the narrowest of them. With `[]` nothing is in common, and NULL only where all have it.
fn held_by_all(kinds: &[SqlType], common: &SqlType) -> SqlType {
    if kinds.contains(&T::Nothing) {
        return T::Nothing;
    }
    let narrowest = narrowest(kinds).unwrap_or_else(|| common.clone());
    match kinds.iter().all(SqlType::is_nullable) {
        true => narrowest.nullable(),
        false => narrowest.plain().clone(),
    }
}

/// Of integers, with floats among them, the type with the fewest bits, without a sign where two have as many. `None`: others are
/// among them.
fn narrowest(kinds: &[SqlType]) -> Option<SqlType> {
    let integers = kinds.iter().filter(|kind| !kind.is_float());
    let all = integers.map(|kind| Some((kind.integer_bits()?, kind.plain()))).collect::<Option<Vec<_>>>()?;
    all.into_iter().min_by_key(|(bits, _)| *bits).map(|(_, kind)| kind.clone())
}
