//! `JSONExtract(json, path…, 'Type')`, `JSONExtractKeysAndValues`: values of any type, column by column.
//!
//! What does not convert is the type's default, or NULL where the type has it; inside of arrays, tuples and maps that is
//! decided element by element. An array or tuple of which no element converts does not convert itself.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, BinaryViewBuilder, BooleanArray, ListArray, MapArray, StructArray, make_array};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::filter;
use arrow::datatypes::DataType;
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use gristmill_types::builder::{ColumnBuilder, Escaping, ParseOptions};
use gristmill_types::scan::json::JsonKind;

use super::path::{Path, elements, kind, members, path_types, unescaped};
use super::raw::{Number, long_digits, minify, string, text};
use crate::define::{arity, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    for case in ["", "CaseInsensitive"] {
        registry.scalar(&format!("JSONExtract{case}"), plain(|name, arguments, env| bind(name, arguments, env, false)));
        registry.scalar(
            &format!("JSONExtractKeysAndValues{case}"),
            plain(|name, arguments, env| bind(name, arguments, env, true)),
        );
    }
}

fn bind(name: &str, arguments: &[Argument], env: &FunctionEnv, pairs: bool) -> Result<Bound> {
    arity(name, arguments, 2..=usize::MAX)?;
    let last = arguments.len() - 1;
    let kind: SqlType = need_constant_text(name, arguments, last)?.parse()?;
    let mut casts = path_types(name, arguments, last)?;
    casts.push(arguments[last].kind.clone());
    let options = ParseOptions { timezone: crate::text::timezone(env)?, ..ParseOptions::default() };
    let any_case = name.ends_with("CaseInsensitive");
    let result = if pairs { SqlType::array(T::Tuple(vec![(None, T::String), (None, kind.clone())])) } else { kind.clone() };
    let to = result.clone();
    Ok(Bound::cast(casts, result, move |args, rows| {
        let path = Path::new(&args[..last], any_case)?;
        let found: Vec<Option<&[u8]>> = (0..rows).map(|row| path.find(row)).collect();
        if pairs { key_values(&found, &to, &kind, &options) } else { Ok(column(&found, &kind, &options)?.0) }
    }))
}

/// Keys and values of objects, as arrays of pairs: of those whose values convert.
fn key_values(found: &[Option<&[u8]>], to: &SqlType, kind: &SqlType, options: &ParseOptions) -> Result<ArrayRef> {
    let mut keys = BinaryViewBuilder::new();
    let (mut values, mut lengths) = (Vec::new(), vec![0; found.len()]);
    for (value, length) in found.iter().zip(&mut lengths) {
        let Some(value) = value else { continue };
        members(value, |key, escaped, value| {
            keys.append_value(unescaped(key, escaped));
            values.push(Some(value));
            *length += 1;
            true
        });
    }
    let DataType::List(item) = to.arrow() else { return Err(Error::logical("Pairs are carried as a list")) };
    let DataType::Struct(fields) = item.data_type() else { return Err(Error::logical("A pair is carried as a struct")) };
    let (values, converted) = column(&values, kind, options)?;
    let columns = vec![Arc::new(keys.finish()) as ArrayRef, values];
    let mut pairs: ArrayRef = Arc::new(StructArray::try_new(fields.clone(), columns, None)?);
    if converted.contains(&false) {
        let mut rest = converted.as_slice();
        for length in &mut lengths {
            let (of_row, behind) = rest.split_at(*length);
            *length = of_row.iter().filter(|converted| **converted).count();
            rest = behind;
        }
        pairs = filter(&pairs, &BooleanArray::from(converted))?;
    }
    Ok(Arc::new(ListArray::try_new(item, OffsetBuffer::from_lengths(lengths), pairs, None)?))
}

/// A column of the type, and which rows converted.
fn column(values: &[Option<&[u8]>], to: &SqlType, options: &ParseOptions) -> Result<(ArrayRef, Vec<bool>)> {
    match to {
        T::LowCardinality(inner) | T::SimpleAggregateFunction(_, inner) | T::Geometric(_, inner) | T::Nested(inner) => {
            column(values, inner, options)
        }
        T::Nullable(inner) => {
            let (array, valid) = column(values, inner, options)?;
            if *array.data_type() == DataType::Null {
                return Ok((array, vec![true; values.len()]));
            }
            let is_null = |value: &Option<&[u8]>| value.is_some_and(|value| kind(value) == Some(JsonKind::Null));
            let answered = values.iter().zip(&valid).map(|(value, valid)| *valid || is_null(value)).collect();
            let nulls = NullBuffer::from(valid);
            Ok((make_array(array.to_data().into_builder().nulls(Some(nulls)).build()?), answered))
        }
        T::Array(element) => {
            let (mut items, mut lengths, mut valid) = (Vec::new(), vec![0; values.len()], vec![false; values.len()]);
            for (row, value) in values.iter().enumerate() {
                let Some(value) = value else { continue };
                valid[row] = elements(value, |item| {
                    items.push(Some(item));
                    lengths[row] += 1;
                    true
                })
                .is_some();
            }
            let (array, converted) = column(&items, element, options)?;
            let array = without_failed_arrays(array, &converted, &mut lengths, &mut valid)?;
            Ok((
                Arc::new(ListArray::try_new(element.field("item"), OffsetBuffer::from_lengths(lengths), array, None)?),
                valid,
            ))
        }
        T::Tuple(fields) => tuple(values, fields, to, options),
        T::Map(key, value) => map(values, key, value, to, options),
        T::String => {
            let mut builder = BinaryViewBuilder::new();
            let mut valid = Vec::with_capacity(values.len());
            let mut out = Vec::new();
            for value in values {
                out.clear();
                let there = value.filter(|value| !matches!(kind(value), None | Some(JsonKind::Null)));
                there.into_iter().for_each(|value| text(value, &mut out));
                builder.append_value(&out);
                valid.push(there.is_some());
            }
            Ok((Arc::new(builder.finish()), valid))
        }
        scalar => {
            let mut builder = ColumnBuilder::new(scalar, options)?;
            let mut valid = Vec::with_capacity(values.len());
            for value in values {
                let is_moment = matches!(scalar, T::DateTime(_) | T::DateTime64(..));
                let appended = match value.filter(|value| is_moment && kind(value) == Some(JsonKind::Number)) {
                    // A number is seconds since the epoch, whatever its digits as text would be.
                    Some(number) => builder.try_append_json(number).is_ok(),
                    None => {
                        let text = value.and_then(|value| plain_text(value, scalar));
                        text.is_some_and(|text| builder.try_append_text(&text, Escaping::Plain).is_ok())
                    }
                };
                if !appended {
                    builder.append_default();
                }
                valid.push(appended);
            }
            Ok((builder.finish(), valid))
        }
    }
}

/// Elements of arrays without those of arrays of which not one converted: these are none.
fn without_failed_arrays(
    elements: ArrayRef,
    converted: &[bool],
    lengths: &mut [usize],
    valid: &mut [bool],
) -> Result<ArrayRef> {
    let (mut kept, mut start) = (vec![true; converted.len()], 0);
    for (length, valid) in lengths.iter_mut().zip(valid) {
        let range = start..start + *length;
        start = range.end;
        if !range.is_empty() && !converted[range.clone()].contains(&true) {
            kept[range].fill(false);
            (*length, *valid) = (0, false);
        }
    }
    if !kept.contains(&false) {
        return Ok(elements);
    }
    Ok(filter(&elements, &BooleanArray::from(kept))?)
}

/// The text that a value of a scalar type is read from.
fn plain_text(value: &[u8], to: &SqlType) -> Option<Vec<u8>> {
    let integer = |text: &[u8]| -> Option<Vec<u8>> {
        let (bits, signed) = if *to == T::Bool { (8, false) } else { to.integer_bits()? };
        // Digits of more than a float keeps are read as they are written.
        if bits > 64
            && let Some(digits) = long_digits(text)
        {
            return Some(digits.to_vec());
        }
        let number = Number::parse(text)?;
        let bits = u32::from(bits.min(126));
        let (low, high) =
            if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
        let found = number.integer(low, high)?;
        Some(if *to == T::Bool { (found != 0).to_string().into_bytes() } else { found.to_string().into_bytes() })
    };
    match kind(value)? {
        JsonKind::Null => None,
        JsonKind::Bool(truth) if *to == T::Bool => Some(if truth { b"true".to_vec() } else { b"false".to_vec() }),
        JsonKind::Bool(truth) if to.is_integer() || to.is_float() => Some(vec![b'0' + u8::from(truth)]),
        // A Bool is read as a UInt8 would be.
        JsonKind::Number if to.is_integer() || *to == T::Bool => integer(value.trim_ascii()),
        JsonKind::String if to.is_integer() || *to == T::Bool => integer(&string(value)?),
        JsonKind::Number => Some(value.trim_ascii().to_vec()),
        JsonKind::String => string(value),
        _ if matches!(to, T::FixedString(_)) => {
            let mut out = Vec::new();
            minify(value, &mut out);
            Some(out)
        }
        _ => None,
    }
}

fn tuple(
    values: &[Option<&[u8]>],
    fields: &[(Option<String>, SqlType)],
    to: &SqlType,
    options: &ParseOptions,
) -> Result<(ArrayRef, Vec<bool>)> {
    let mut columns: Vec<Vec<Option<&[u8]>>> = vec![vec![None; values.len()]; fields.len()];
    let mut valid = vec![false; values.len()];
    for (row, value) in values.iter().enumerate() {
        let Some(value) = value else { continue };
        let mut place = 0;
        valid[row] = match kind(value) {
            Some(JsonKind::Array) => elements(value, |item| {
                if let Some(column) = columns.get_mut(place) {
                    column[row] = Some(item);
                }
                place += 1;
                place < fields.len()
            })
            .is_some(),
            Some(JsonKind::Object) => members(value, |key, escaped, item| {
                let key = unescaped(key, escaped);
                let named = fields.iter().position(|(name, _)| name.as_ref().is_some_and(|name| name.as_bytes() == key));
                // Tuples without names take members in their order.
                let at = if fields.iter().all(|(name, _)| name.is_none()) { Some(place) } else { named };
                // Of members of one name it is the first.
                if let Some(column) = at.and_then(|at| columns.get_mut(at)) {
                    column[row].get_or_insert(item);
                }
                place += 1;
                true
            })
            .is_some(),
            _ => false,
        };
    }
    let DataType::Struct(carriers) = to.arrow() else { return Err(Error::logical("A tuple is carried as a struct")) };
    let mut arrays = Vec::with_capacity(fields.len());
    let mut converted = vec![false; values.len()];
    for (values, (_, kind)) in columns.iter().zip(fields) {
        let (array, valid) = column(values, kind, options)?;
        let found = values.iter().zip(valid).map(|(value, valid)| value.is_some() && valid);
        converted.iter_mut().zip(found).for_each(|(any, found)| *any |= found);
        arrays.push(array);
    }
    // A tuple of which no part was found is none.
    valid.iter_mut().zip(converted).for_each(|(valid, converted)| *valid &= converted);
    Ok((Arc::new(StructArray::try_new_with_length(carriers, arrays, None, values.len())?), valid))
}

fn map(
    values: &[Option<&[u8]>],
    key: &SqlType,
    item: &SqlType,
    to: &SqlType,
    options: &ParseOptions,
) -> Result<(ArrayRef, Vec<bool>)> {
    let mut keys = ColumnBuilder::new(key, options)?;
    let (mut items, mut lengths, mut valid) = (Vec::new(), vec![0; values.len()], vec![false; values.len()]);
    for (row, value) in values.iter().enumerate() {
        let Some(value) = value else { continue };
        valid[row] = members(value, |key, escaped, item| {
            if keys.try_append_text(&unescaped(key, escaped), Escaping::Plain).is_err() {
                keys.append_default();
            }
            items.push(Some(item));
            lengths[row] += 1;
            true
        })
        .is_some();
    }
    let DataType::Map(entries, ordered) = to.arrow() else { return Err(Error::logical("A map is carried as a map")) };
    let DataType::Struct(pair) = entries.data_type() else { return Err(Error::logical("Entries are carried as a struct")) };
    let pairs = StructArray::try_new(pair.clone(), vec![keys.finish(), column(&items, item, options)?.0], None)?;
    Ok((Arc::new(MapArray::try_new(entries, OffsetBuffer::from_lengths(lengths), pairs, None, ordered)?), valid))
}
