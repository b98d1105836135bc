//! Hashes of any values in 128 bits (`sipHash128…`, `xxh3_128`), and SipHash with a key.
//!
//! A key may differ by row: rows of one key are hashed together, as keys are few.

use std::collections::HashMap;
use std::hash::Hasher;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, FixedSizeBinaryArray, PrimitiveArray, UInt32Array, UInt64Array};
use arrow::buffer::{Buffer, NullBuffer};
use arrow::compute::{interleave, take};
use arrow::datatypes::{DataType, Decimal256Type, UInt64Type, i256};
use gristmill_base::Result;
use gristmill_types::SqlType;
use siphasher::sip128::Hasher128;

use super::sip::sip_128_keyed;
use super::{Any, OF_NOTHING, OF_NOTHING_128, OF_NULL, hash_columns, salted_int_hash_32, salted_int_hash_64};
use crate::columns::{at, broadcast};
use crate::define::{bad_argument, own_nulls};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

type Key = (u64, u64);

pub fn register(registry: &mut Registry) {
    registry.scalar("sipHash128", own_nulls(|_, arguments, _| Ok(of_values(arguments, T::FixedString(16), in_128))));
    registry
        .scalar("sipHash128Reference", own_nulls(|_, arguments, _| Ok(of_values(arguments, T::FixedString(16), reference))));
    registry.scalar("murmurHash3_128", own_nulls(|_, arguments, _| Ok(of_values(arguments, T::FixedString(16), murmur))));
    registry.scalar("xxh3_128", own_nulls(|_, arguments, _| Ok(of_values(arguments, T::UInt128, xxh3))));
    registry.scalar("sipHash64Keyed", own_nulls(|name, arguments, _| keyed(name, arguments, T::UInt64, in_64)));
    registry.scalar("sipHash128Keyed", own_nulls(|name, arguments, _| keyed(name, arguments, T::FixedString(16), in_128)));
    registry.scalar(
        "sipHash128ReferenceKeyed",
        own_nulls(|name, arguments, _| keyed(name, arguments, T::FixedString(16), reference)),
    );
}

/// Hashes all columns together with one key, or without.
type Hash = fn(Option<Key>, &[ArrayRef], &[SqlType], usize) -> Result<ArrayRef>;

fn in_64(key: Option<Key>, args: &[ArrayRef], kinds: &[SqlType], rows: usize) -> Result<ArrayRef> {
    let (low, high) = key.unwrap_or_default();
    let bytes = |bytes: &[u8]| {
        let mut hasher = siphasher::sip::SipHasher24::new_with_keys(low, high);
        hasher.write(bytes);
        hasher.finish()
    };
    let combine = |a: u64, b: u64| bytes(&super::pair(a, b));
    let null = if key.is_some() { combine(OF_NULL as u64, 0) } else { OF_NULL as u64 };
    let how = Any { bytes, number: None, combine, length: salted_int_hash_64, nothing: OF_NOTHING, null, bytes_end: None };
    let (hashes, nulls) = hash_columns(args, kinds, rows, how)?;
    Ok(Arc::new(UInt64Array::new(hashes.into(), nulls)))
}

fn length_128(length: u64) -> [u8; 16] {
    u128::from(salted_int_hash_32(length)).to_le_bytes()
}

fn fixed_16(hashes: Vec<[u8; 16]>, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(hashes.concat()), nulls)?))
}

fn in_128(key: Option<Key>, args: &[ArrayRef], kinds: &[SqlType], rows: usize) -> Result<ArrayRef> {
    bytes_16(key.is_some(), |bytes| sip_128_keyed(key.unwrap_or_default(), bytes), args, kinds, rows)
}

/// Hashes of 16 bytes, combined by hashing two of them. With a key NULL is combined with nothing.
fn bytes_16<B: Fn(&[u8]) -> [u8; 16] + Copy>(
    has_key: bool,
    bytes: B,
    args: &[ArrayRef],
    kinds: &[SqlType],
    rows: usize,
) -> Result<ArrayRef> {
    let combine = |a: [u8; 16], b: [u8; 16]| bytes(&[a, b].concat());
    let null = OF_NULL.to_le_bytes();
    let null = if has_key { combine(null, [0; 16]) } else { null };
    let how = Any { bytes, number: None, combine, length: length_128, nothing: OF_NOTHING_128, null, bytes_end: None };
    let (hashes, nulls) = hash_columns(args, kinds, rows, how)?;
    fixed_16(hashes, nulls)
}

/// As the authors of SipHash have its 128 bits.
fn reference(key: Option<Key>, args: &[ArrayRef], kinds: &[SqlType], rows: usize) -> Result<ArrayRef> {
    let (low, high) = key.unwrap_or_default();
    let bytes = |bytes: &[u8]| {
        let mut hasher = siphasher::sip128::SipHasher24::new_with_keys(low, high);
        hasher.write(bytes);
        hasher.finish128().as_bytes()
    };
    bytes_16(key.is_some(), bytes, args, kinds, rows)
}

fn murmur(_: Option<Key>, args: &[ArrayRef], kinds: &[SqlType], rows: usize) -> Result<ArrayRef> {
    let bytes = |bytes: &[u8]| {
        let (a, b) = super::murmur::murmur3_128(bytes, 0);
        (u128::from(a) | u128::from(b) << 64).to_le_bytes()
    };
    bytes_16(false, bytes, args, kinds, rows)
}

fn xxh3(_: Option<Key>, args: &[ArrayRef], kinds: &[SqlType], rows: usize) -> Result<ArrayRef> {
    let bytes = xxhash_rust::xxh3::xxh3_128 as fn(&[u8]) -> u128;
    let combine = |a: u128, b: u128| bytes(&[a.to_le_bytes(), b.to_le_bytes()].concat());
    let length = |length: u64| u128::from(salted_int_hash_32(length));
    let nothing = u128::from(OF_NOTHING);
    let how = Any { bytes, number: None, combine, length, nothing, null: OF_NULL, bytes_end: None };
    let (hashes, nulls) = hash_columns(args, kinds, rows, how)?;
    let values: Vec<i256> = hashes.into_iter().map(|hash| i256::from_parts(hash, 0)).collect();
    Ok(Arc::new(PrimitiveArray::<Decimal256Type>::new(values.into(), nulls).with_data_type(T::UInt128.arrow())))
}

/// NULL makes the result NULL; one that is a literal makes every result so.
fn all_null() -> Bound {
    Bound::new(SqlType::null(), |_, rows| Ok(arrow::array::new_null_array(&DataType::Null, rows)))
}

fn nullable_as(result: SqlType, arguments: &[Argument]) -> SqlType {
    if arguments.iter().any(|argument| argument.kind.is_nullable()) { result.nullable() } else { result }
}

fn plain_kinds(arguments: &[Argument]) -> Vec<SqlType> {
    arguments.iter().map(|argument| argument.kind.plain().clone()).collect()
}

fn of_values(arguments: &[Argument], result: SqlType, hash: Hash) -> Bound {
    if arguments.iter().any(|argument| argument.kind.is_null_literal()) {
        return all_null();
    }
    let kinds = plain_kinds(arguments);
    Bound::new(nullable_as(result, arguments), move |args, rows| hash(None, args, &kinds, rows))
}

fn keyed(name: &str, arguments: &[Argument], result: SqlType, hash: Hash) -> Result<Bound> {
    if arguments.is_empty() {
        return Ok(Bound::new(result, move |args, rows| hash(None, args, &[], rows)));
    }
    if arguments.iter().any(|argument| argument.kind.is_null_literal()) {
        return Ok(all_null());
    }
    let wrong = || bad_argument(name, "the key must be of type Tuple(UInt64, UInt64)");
    let T::Tuple(parts) = &arguments[0].kind else { return Err(wrong()) };
    if parts.len() != 2 || parts.iter().any(|(_, kind)| *kind != T::UInt64) {
        return Err(wrong());
    }
    let kinds = plain_kinds(&arguments[1..]);
    Ok(Bound::new(nullable_as(result, &arguments[1..]), move |args, rows| {
        let parts = args[0].as_struct();
        let keys = [0, 1].map(|i| parts.column(i).as_primitive::<UInt64Type>().values());
        let key = |row: usize| (keys[0][at(keys[0].len(), row)], keys[1][at(keys[1].len(), row)]);
        if parts.len() == 1 || rows == 0 {
            return hash(Some(if parts.is_empty() { (0, 0) } else { key(0) }), &args[1..], &kinds, rows);
        }
        let mut of_keys: HashMap<Key, Vec<u32>> = HashMap::new();
        (0..rows).for_each(|row| of_keys.entry(key(row)).or_default().push(row as u32));
        let full = args[1..].iter().map(|array| broadcast(array, rows)).collect::<Result<Vec<_>>>()?;
        let (mut parts, mut places) = (Vec::with_capacity(of_keys.len()), vec![(0, 0); rows]);
        for (key, of_key) in of_keys {
            of_key.iter().enumerate().for_each(|(i, row)| places[*row as usize] = (parts.len(), i));
            let count = of_key.len();
            let indices = UInt32Array::from(of_key);
            let chosen = full.iter().map(|array| Ok(take(array, &indices, None)?)).collect::<Result<Vec<_>>>()?;
            parts.push(hash(Some(key), &chosen, &kinds, count)?);
        }
        let parts: Vec<&dyn Array> = parts.iter().map(AsRef::as_ref).collect();
        Ok(interleave(&parts, &places)?)
    }))
}
