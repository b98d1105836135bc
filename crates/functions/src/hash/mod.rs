//! Hash functions. Of strings they hash the bytes, of numbers the bytes in memory (or, for some, the number by an integer
//! mixer); several arguments and the elements of tuples and arrays are hashed one by one and combined.

mod city;
pub(crate) mod crc32c;
mod farm;
mod iceberg;
mod java;
mod keyed;
mod metro;
mod murmur;
mod shingles;
mod sip;
mod special;
mod words;
mod wy;

pub use city::{city_hash_64, city_hash_64_from, hash_16};
pub use crc32c::step as crc32c_step;
pub use sip::sip_128;

use std::hash::Hasher;
use std::sync::Arc;

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::NullBuffer;
use arrow::datatypes::{ArrowPrimitiveType, DataType, Decimal128Type, UInt32Type, UInt64Type};
use gristmill_base::{Error, Result};
use gristmill_types::SqlType;
use md5::Digest;

use crate::columns::{Bytes, at, broadcast, bytes_to, list_of, numbers};
use crate::define::{arity, expect_string, illegal, own_nulls, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};
use crate::strings::fixed;

pub fn register(registry: &mut Registry) {
    let city = Any { number: Some(salted_int_hash_64), ..wide(city::city_hash_64, city::hash_16) };
    any(registry, "cityHash64", false, city);
    any(registry, "farmFingerprint64", false, Any { bytes: farm::fingerprint, combine: farm::fingerprint_16, ..city });
    any(registry, "farmHash64", false, Any { bytes: farm::hash, bytes_end: Some(farm::HASH_BYTES_END), ..city });
    any(registry, "metroHash64", false, Any { bytes: metro::metro_64, ..city });
    any(registry, "xxHash64", false, wide(|bytes| xxhash_rust::xxh64::xxh64(bytes, 0), city::hash_16));
    any(registry, "xxh3", false, wide(xxhash_rust::xxh3::xxh3_64, city::hash_16));
    any(registry, "sipHash64", false, wide(sip_64, |a, b| sip_64(&pair(a, b))));
    any(registry, "wyHash64", false, wide(wy::wy_64, |a, b| wy::wy_64(&pair(a, b))));
    any(registry, "murmurHash2_64", false, wide(|bytes| murmur::murmur2_64(bytes, 0), combine_int));
    any(registry, "gccMurmurHash", false, wide(|bytes| murmur::murmur2_64(bytes, 0xc70f_6907), combine_int));
    let murmur3 = |bytes: &[u8]| {
        let (a, b) = murmur::murmur3_128(bytes, 0);
        a ^ b
    };
    any(registry, "murmurHash3_64", false, wide(murmur3, combine_int));
    any(registry, "xxHash32", true, narrow(|bytes| u64::from(xxhash_rust::xxh32::xxh32(bytes, 0))));
    any(registry, "murmurHash2_32", true, narrow(|bytes| u64::from(murmur::murmur2_32(bytes, 0))));
    any(registry, "murmurHash3_32", true, narrow(|bytes| u64::from(murmur::murmur3_32(bytes, 0))));
    // Kafka's partitions have no sign.
    let kafka = |bytes: &[u8]| u64::from(murmur::murmur2_32(bytes, 0x9747_b28c) & 0x7fff_ffff);
    any(registry, "kafkaMurmurHash", true, narrow(kafka));
    registry.scalar("intHash64", plain(|name, arguments, _| int_hash(name, arguments, T::UInt64)));
    registry.scalar("intHash32", plain(|name, arguments, _| int_hash(name, arguments, T::UInt32)));
    keyed::register(registry);
    special::register(registry);
    iceberg::register(registry);
    java::register(registry);
    shingles::register(registry);
    digest(registry, "RIPEMD160", 20, |bytes, out| out.copy_from_slice(&ripemd::Ripemd160::digest(bytes)));
    digest(registry, "keccak256", 32, |bytes, out| out.copy_from_slice(&sha3::Keccak256::digest(bytes)));
    digest(registry, "MD4", 16, |bytes, out| out.copy_from_slice(&md4::Md4::digest(bytes)));
    digest(registry, "MD5", 16, |bytes, out| out.copy_from_slice(&md5::Md5::digest(bytes)));
    digest(registry, "SHA1", 20, |bytes, out| out.copy_from_slice(&sha1::Sha1::digest(bytes)));
    digest(registry, "SHA224", 28, |bytes, out| out.copy_from_slice(&sha2::Sha224::digest(bytes)));
    digest(registry, "SHA256", 32, |bytes, out| out.copy_from_slice(&sha2::Sha256::digest(bytes)));
    digest(registry, "SHA384", 48, |bytes, out| out.copy_from_slice(&sha2::Sha384::digest(bytes)));
    digest(registry, "SHA512", 64, |bytes, out| out.copy_from_slice(&sha2::Sha512::digest(bytes)));
    digest(registry, "SHA512_256", 32, |bytes, out| out.copy_from_slice(&sha2::Sha512_256::digest(bytes)));
    any(registry, "halfMD5", false, wide(half_md5, |a, b| half_md5(&pair(a, b))));
    text_hash::<UInt32Type>(registry, "CRC32", T::UInt32, |bytes| crc32(bytes, 0xFFFF_FFFF) ^ 0xFFFF_FFFF);
    text_hash::<UInt32Type>(registry, "CRC32IEEE", T::UInt32, |bytes| crc32(bytes, 0));
    text_hash::<UInt64Type>(registry, "CRC64", T::UInt64, crc64);
    for name in ["CRC32", "CRC32IEEE", "CRC64"] {
        registry.any_case(name);
    }
}

/// The first half of the digest as a number.
fn half_md5(bytes: &[u8]) -> u64 {
    let digest = md5::Md5::digest(bytes);
    digest.iter().take(8).fold(0, |hash, byte| hash << 8 | u64::from(*byte))
}

pub fn sip_64(bytes: &[u8]) -> u64 {
    let mut hasher = siphasher::sip::SipHasher24::new();
    hasher.write(bytes);
    hasher.finish()
}

/// The finaliser of MurmurHash3: mixes an integer.
pub fn int_hash_64(x: u64) -> u64 {
    let x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

/// The number whose `int_hash_64` it is.
pub fn int_hash_64_inverse(x: u64) -> u64 {
    // A shift by more than half undoes itself; the factors are those that bring the others to 1.
    let x = (x ^ (x >> 33)).wrapping_mul(0x9cb4_b2f8_1293_37db);
    let x = (x ^ (x >> 33)).wrapping_mul(0x4f74_430c_22a5_4005);
    x ^ (x >> 33)
}

/// `intHash64`, with which `cityHash64` hashes integers too.
fn salted_int_hash_64(x: u64) -> u64 {
    int_hash_64(x ^ 0x4CF2_D2BA_AE6D_A887)
}

fn combine_int(a: u64, b: u64) -> u64 {
    salted_int_hash_64(a) ^ b
}

/// Two hashes as bytes.
fn pair(a: u64, b: u64) -> Vec<u8> {
    [a.to_le_bytes(), b.to_le_bytes()].concat()
}

/// ClickHouse's mix of an integer to 32 bits.
pub fn int_hash_32(key: u64) -> u32 {
    let mut key = (!key).wrapping_add(key << 18);
    key ^= key.rotate_right(31);
    key = key.wrapping_mul(21);
    key ^= key.rotate_right(11);
    key = key.wrapping_add(key << 6);
    key ^= key.rotate_right(22);
    key as u32
}

/// `intHash32`
fn salted_int_hash_32(x: u64) -> u32 {
    int_hash_32(x ^ 0x75D9_543D_E018_BF45)
}

fn combine_int_32(a: u64, b: u64) -> u64 {
    u64::from(salted_int_hash_32(a)) ^ b
}

/// How a function hashes values of any type.
#[derive(Clone, Copy)]
struct Any<H, B = fn(&[u8]) -> H, C = fn(H, H) -> H> {
    bytes: B,
    /// Mixes integers of up to 64 bits, where they are not hashed by their bytes.
    number: Option<fn(u64) -> H>,
    combine: C,
    /// Of the number of elements of an array.
    length: fn(u64) -> H,
    /// Where there is no argument.
    nothing: H,
    /// Of NULL within an array, a tuple or a map. As an argument it makes the result NULL.
    null: H,
    /// Texts of so many bytes and more cannot be hashed.
    bytes_end: Option<usize>,
}

/// What ClickHouse gives where there is nothing to hash.
const OF_NOTHING: u64 = 0xe28d_bde7_fe22_e41c;

/// The same in the bytes of a hash of 128 bits.
const OF_NOTHING_128: [u8; 16] = (OF_NOTHING as u128).to_le_bytes();

/// What it takes for the hash of NULL, or the end of it.
const OF_NULL: u128 = 0x5715_f196_cbea_7a40_c58a_d2da_03d9_a871;

fn wide(bytes: fn(&[u8]) -> u64, combine: fn(u64, u64) -> u64) -> Any<u64> {
    Any {
        bytes,
        number: None,
        combine,
        length: salted_int_hash_64,
        nothing: OF_NOTHING,
        null: OF_NULL as u64,
        bytes_end: None,
    }
}

fn narrow(bytes: fn(&[u8]) -> u64) -> Any<u64> {
    let length = |length| u64::from(salted_int_hash_32(length));
    Any {
        bytes,
        number: None,
        combine: combine_int_32,
        length,
        nothing: OF_NOTHING,
        null: u64::from(OF_NULL as u32),
        bytes_end: None,
    }
}

fn any(registry: &mut Registry, name: &str, narrow: bool, how: Any<u64>) {
    registry.scalar(
        name,
        own_nulls(move |_, arguments, _| {
            // NULL makes the result NULL; one that is a literal makes every result so.
            if arguments.iter().any(|argument| argument.kind.is_null_literal()) {
                return Ok(Bound::new(SqlType::null(), |_, rows| Ok(arrow::array::new_null_array(&DataType::Null, rows))));
            }
            let nullable = arguments.iter().any(|argument| argument.kind.is_nullable());
            let plain = if narrow { T::UInt32 } else { T::UInt64 };
            let result = if nullable { plain.nullable() } else { plain };
            let kinds: Vec<SqlType> = arguments.iter().map(|argument| argument.kind.plain().clone()).collect();
            Ok(Bound::new(result, move |args, rows| {
                let (hashes, nulls) = hash_columns(args, &kinds, rows, how)?;
                if narrow {
                    let hashes: Vec<u32> = hashes.into_iter().map(|hash| hash as u32).collect();
                    return Ok(Arc::new(arrow::array::UInt32Array::new(hashes.into(), nulls)) as ArrayRef);
                }
                Ok(Arc::new(arrow::array::UInt64Array::new(hashes.into(), nulls)))
            }))
        }),
    );
}

/// Hashes of all columns together, and where they are NULL.
fn hash_columns<H: Copy + Default, B: Fn(&[u8]) -> H + Copy, C: Fn(H, H) -> H + Copy>(
    args: &[ArrayRef],
    kinds: &[SqlType],
    rows: usize,
    how: Any<H, B, C>,
) -> Result<(Vec<H>, Option<NullBuffer>)> {
    let mut hashes: Option<Vec<H>> = None;
    let mut nulls = None;
    for (array, kind) in args.iter().zip(kinds) {
        let array = broadcast(array, rows)?;
        nulls = NullBuffer::union(nulls.as_ref(), array.nulls());
        hash_column(&array, kind, how, &mut hashes)?;
    }
    Ok((hashes.unwrap_or_else(|| vec![how.nothing; rows]), nulls))
}

/// Hashes a column into `hashes`, combined with what is there.
fn hash_column<H: Copy + Default, B: Fn(&[u8]) -> H + Copy, C: Fn(H, H) -> H + Copy>(
    array: &ArrayRef,
    kind: &SqlType,
    how: Any<H, B, C>,
    hashes: &mut Option<Vec<H>>,
) -> Result<()> {
    let rows = array.len();
    let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
    let mut all = |values: &mut dyn Iterator<Item = H>| match hashes {
        None => *hashes = Some(values.collect()),
        Some(hashes) => hashes.iter_mut().zip(values).for_each(|(hash, value)| *hash = (how.combine)(*hash, value)),
    };
    // What lies beneath NULL is anything.
    let mut put = |values: &mut dyn Iterator<Item = H>| match nulls {
        None => all(values),
        Some(nulls) => all(&mut values.zip(nulls.iter()).map(|(value, is_there)| if is_there { value } else { how.null })),
    };
    match array.data_type() {
        DataType::BinaryView => {
            let source = array.as_binary_view();
            check_lengths(how, (0..rows).map(|row| source.value(row).len()))?;
            put(&mut (0..rows).map(|row| (how.bytes)(source.value(row))));
        }
        DataType::FixedSizeBinary(_) if matches!(kind, T::Uuid) => {
            // A UUID lies in ClickHouse's memory as two numbers, the high one first.
            let source = array.as_fixed_size_binary();
            put(&mut (0..rows).map(|row| {
                let mut bytes = source.value(row).to_vec();
                bytes[..8].reverse();
                bytes[8..].reverse();
                (how.bytes)(&bytes)
            }));
        }
        DataType::FixedSizeBinary(_) => {
            let source = array.as_fixed_size_binary();
            check_lengths(how, (0..rows).map(|row| source.value(row).len()))?;
            put(&mut (0..rows).map(|row| (how.bytes)(source.value(row))));
        }
        DataType::Boolean => {
            let source = array.as_boolean();
            put(&mut (0..rows).map(|row| hash_word(u64::from(source.value(row)), 1, how)));
        }
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            let element = crate::arrays::element_of(kind).ok_or_else(|| Error::logical("an array without a type"))?;
            let offsets = list.value_offsets();
            let mut inner = None;
            hash_column(list.values(), element.plain(), how, &mut inner)?;
            let inner = inner.unwrap_or_default();
            // The number of elements is hashed first, so that nested arrays with other borders differ.
            let lengths: Vec<H> = list.offsets().lengths().map(|length| (how.length)(length as u64)).collect();
            put(&mut lengths.into_iter());
            if let Some(hashes) = hashes {
                for (row, hash) in hashes.iter_mut().enumerate() {
                    for value in &inner[offsets[row] as usize..offsets[row + 1] as usize] {
                        *hash = (how.combine)(*hash, *value);
                    }
                }
            }
        }
        DataType::Struct(_) => {
            let T::Tuple(fields) = kind else {
                return Err(Error::logical("a tuple without a type"));
            };
            // Of no elements it is what no arguments are, where it comes first; else it changes nothing.
            if fields.is_empty() && hashes.is_none() {
                *hashes = Some(vec![how.nothing; rows]);
            }
            for (column, (_, kind)) in array.as_struct().columns().iter().zip(fields) {
                hash_column(column, kind.plain(), how, hashes)?;
            }
        }
        DataType::Map(..) => {
            // As the array of pairs that it is.
            let T::Map(key, value) = kind else {
                return Err(Error::logical("a map without a type"));
            };
            let map = array.as_map();
            let pairs: ArrayRef = Arc::new(map.entries().clone());
            let pair = T::Tuple(vec![(None, key.as_ref().clone()), (None, value.as_ref().clone())]);
            let list = list_of(pairs, map.offsets().clone())?;
            hash_column(&list, &SqlType::array(pair), how, hashes)?;
        }
        DataType::Null => put(&mut std::iter::repeat_n(how.null, rows)),
        _ => {
            let data = array.to_data();
            let carried =
                array.data_type().primitive_width().ok_or_else(|| Error::not_implemented(format!("Hash of {kind}")))?;
            let (skip, width) = stored_place(kind, carried);
            // What is neither a whole number nor a common float is hashed by its bytes.
            let by_bytes = matches!(
                kind,
                T::Decimal { .. } | T::DateTime64(..) | T::Time | T::Time64(_) | T::Interval(_) | T::BFloat16
            );
            let mixes = width <= 8 && !by_bytes;
            let buffer = &data.buffers()[0].as_slice()[data.offset() * carried..];
            put(&mut (0..rows).map(|row| {
                let start = row * carried + skip;
                let bytes = &buffer[start..start + width];
                match how.number {
                    Some(_) if mixes => {
                        let mut word = [0; 8];
                        word[..width].copy_from_slice(bytes);
                        hash_word(u64::from_le_bytes(word), width, how)
                    }
                    _ => (how.bytes)(bytes),
                }
            }));
        }
    }
    Ok(())
}

fn check_lengths<H, B, C>(how: Any<H, B, C>, mut lengths: impl Iterator<Item = usize>) -> Result<()> {
    match how.bytes_end {
        Some(end) if lengths.any(|length| length >= end) => {
            Err(Error::not_implemented(format!("This hash of texts of {end} bytes and more: use farmFingerprint64")))
        }
        _ => Ok(()),
    }
}

/// Where the bytes that ClickHouse stores a value in lie among those that it is carried in here, and how many they are.
fn stored_place(kind: &SqlType, carried: usize) -> (usize, usize) {
    let width = match kind {
        // The high half of a Float32.
        T::BFloat16 => return (2, 2),
        T::Date => 2,
        T::DateTime(_) => 4,
        T::Decimal { precision: 0..=9, .. } => 4,
        T::Decimal { precision: 10..=18, .. } => 8,
        T::Int128 | T::UInt128 => 16,
        _ => carried,
    };
    (0, width)
}

fn hash_word<H, B: Fn(&[u8]) -> H, C>(word: u64, width: usize, how: Any<H, B, C>) -> H {
    match how.number {
        Some(mix) => mix(word),
        None => (how.bytes)(&word.to_le_bytes()[..width]),
    }
}

fn int_hash(name: &str, arguments: &[Argument], result: SqlType) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    let kind = arguments[0].kind.plain().clone();
    let Some((..=64, _)) = crate::arithmetic::kinds::integer(&kind).or(match kind {
        T::Date => Some((16, false)),
        T::Date32 => Some((32, true)),
        T::DateTime(_) | T::IPv4 => Some((32, false)),
        T::Decimal { precision: ..=18, .. } => Some((64, true)),
        _ => None,
    }) else {
        return Err(illegal(name, arguments, 0, "an integer or Decimal of up to 64 bits, a Date, a DateTime or an IPv4"));
    };
    let cast = if kind.is_integer() || kind == T::Bool { T::Int64 } else { kind.clone() };
    let unsigned = kind == T::UInt64;
    let narrow = result == T::UInt32;
    Ok(Bound::cast(vec![if unsigned { T::UInt64 } else { cast }], result, move |args, _| {
        let words: Vec<u64> = match args[0].data_type() {
            DataType::UInt64 => args[0].as_primitive::<UInt64Type>().values().to_vec(),
            DataType::UInt32 => {
                args[0].as_primitive::<UInt32Type>().values().iter().map(|value| u64::from(*value)).collect()
            }
            DataType::Decimal128(..) => {
                args[0].as_primitive::<Decimal128Type>().values().iter().map(|value| *value as u64).collect()
            }
            DataType::Date32 => {
                args[0].as_primitive::<arrow::datatypes::Date32Type>().values().iter().map(|day| *day as u64).collect()
            }
            DataType::Timestamp(..) => args[0]
                .as_primitive::<arrow::datatypes::TimestampSecondType>()
                .values()
                .iter()
                .map(|second| *second as u64)
                .collect(),
            _ => args[0].as_primitive::<arrow::datatypes::Int64Type>().values().iter().map(|value| *value as u64).collect(),
        };
        if narrow {
            return numbers::<UInt32Type>(words.len(), |row| Ok(salted_int_hash_32(words[row])));
        }
        numbers::<UInt64Type>(words.len(), |row| Ok(salted_int_hash_64(words[row])))
    }))
}

fn digest(registry: &mut Registry, name: &str, width: usize, f: fn(&[u8], &mut [u8])) {
    registry.scalar(
        name,
        plain(move |name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            if arguments[0].kind != T::IPv6 {
                expect_string(name, arguments, 0)?;
            }
            Ok(Bound::new(T::FixedString(width), move |args, _| {
                let source = Bytes::of(&args[0])?;
                fixed(source.len(), width, |row, out| f(source.get(row), out))
            }))
        }),
    );
}

fn text_hash<R: ArrowPrimitiveType>(registry: &mut Registry, name: &str, result: SqlType, f: fn(&[u8]) -> R::Native) {
    registry.scalar(
        name,
        plain(move |name, arguments, _| {
            arity(name, arguments, 1..=1)?;
            expect_string(name, arguments, 0)?;
            Ok(Bound::new(result.clone(), move |args, _| bytes_to::<R>(&args[0], f)))
        }),
    );
}

fn crc32(bytes: &[u8], seed: u32) -> u32 {
    const TABLE: [u32; 256] = crc32c::table(0xEDB8_8320);
    bytes.iter().fold(seed, |crc, byte| TABLE[usize::from(crc as u8 ^ byte)] ^ crc >> 8)
}

fn crc64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(
            crc ^ u64::from(*byte),
            |crc: u64, _| if crc & 1 == 1 { crc >> 1 ^ 0xC96C_5795_D787_0F42 } else { crc >> 1 },
        )
    })
}

/// One value for a constant, for callers that hash keys.
pub fn city_of_strings(array: &ArrayRef, row: usize) -> Result<u64> {
    let source = Bytes::of(array)?;
    Ok(city::city_hash_64(source.get(at(source.len(), row))))
}
