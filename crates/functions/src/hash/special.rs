//! Hashes with a purpose: `URLHash`, which leaves out what does not tell pages apart, `jumpConsistentHash` and
//! `kostikConsistentHash`, which give keys to buckets so that few move when a bucket is added, and `xxHash64Spark`, the hash of
//! another system.

use SqlType as T;
use arrow::array::Array;
use arrow::datatypes::{Int32Type, Int64Type, UInt16Type, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::city::city_hash_64;
use crate::columns::{Bytes, Numbers, numbers};
use crate::define::{
    arity, bad_argument, constant_integer, expect_integer, expect_string, illegal, not_constant, own_nulls, plain,
};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("URLHash", plain(|name, arguments, _| url_hash(name, arguments)));
    registry.scalar("jumpConsistentHash", plain(|name, arguments, _| jump(name, arguments)));
    registry.scalar("kostikConsistentHash", plain(|name, arguments, _| kostik(name, arguments)));
    registry.alias("yandexConsistentHash", "kostikConsistentHash");
    registry.scalar("xxHash64Spark", own_nulls(|name, arguments, _| spark(name, arguments)));
}

fn url_hash(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_string(name, arguments, 0)?;
    let mut casts = vec![arguments[0].kind.clone()];
    if arguments.len() == 2 {
        expect_integer(name, arguments, 1)?;
        casts.push(T::Int64);
    }
    Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
        let urls = Bytes::of(&args[0])?;
        let levels = args.get(1).map(Numbers::of::<Int64Type>).transpose()?;
        numbers::<UInt64Type>(rows, |row| {
            let url = urls.get(row);
            let url = levels.map_or(url, |levels| &url[..level_end(url, levels.get(row))]);
            Ok(city_hash_64(match url {
                [head @ .., b'/' | b'?' | b'#'] => head,
                other => other,
            }))
        })
    }))
}

/// Where the part of the URL ends that belongs to a level: 0 is the host, each `/`, `?` and `#` begins a further one. A level that
/// there is not, such as any below 0, has no part.
fn level_end(url: &[u8], level: i64) -> usize {
    let is_border = |c: &u8| matches!(c, b'/' | b'?' | b'#');
    // Behind the next border.
    let next = |from: usize| url[from..].iter().position(is_border).map_or(url.len(), |at| from + at + 1);
    let scheme = url.iter().take_while(|c| c.is_ascii_lowercase() || c.is_ascii_digit()).count();
    let host = scheme + 3;
    if level < 0 {
        return 0;
    }
    if scheme == 0 || !url[scheme..].starts_with(b"://") || host == url.len() {
        // Without a host there are no levels above the first.
        return if level == 0 { url.len() } else { 0 };
    }
    let (mut end, mut left) = (next(host), level);
    while left != 0 && end < url.len() {
        end += url[end..].iter().take_while(|c| is_border(c)).count();
        end = next(end);
        left -= 1;
    }
    if left == 0 { end } else { 0 }
}

fn jump(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_integer(name, arguments, 0)?;
    expect_integer(name, arguments, 1)?;
    let buckets = constant_integer(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
    let buckets = i32::try_from(buckets).ok().filter(|buckets| *buckets > 0);
    let buckets = buckets.ok_or_else(|| bad_argument(name, "the number of buckets must be from 1 to 2147483647"))?;
    let unsigned = *arguments[0].kind.plain() == T::UInt64;
    let cast = if unsigned { T::UInt64 } else { T::Int64 };
    Ok(Bound::cast(vec![cast, T::Int64], T::Int32, move |args, rows| {
        if unsigned {
            let keys = Numbers::of::<UInt64Type>(&args[0])?;
            return numbers::<Int32Type>(rows, |row| Ok(bucket(keys.get(row), buckets)));
        }
        let keys = Numbers::of::<Int64Type>(&args[0])?;
        numbers::<Int32Type>(rows, |row| Ok(bucket(keys.get(row) as u64, buckets)))
    }))
}

/// "A Fast, Minimal Memory, Consistent Hash Algorithm", Lamping and Veach, 2014.
fn bucket(mut key: u64, buckets: i32) -> i32 {
    let (mut last, mut next) = (-1i64, 0i64);
    while next < i64::from(buckets) {
        last = next;
        key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        next = ((last + 1) as f64 * ((1u64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
    }
    last as i32
}

/// Buckets that `kostikConsistentHash` tells apart at most.
const KOSTIK_BUCKETS_MAX: i64 = 32768;

fn kostik(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=2)?;
    expect_integer(name, arguments, 0)?;
    expect_integer(name, arguments, 1)?;
    let buckets = constant_integer(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
    if !(1..=KOSTIK_BUCKETS_MAX).contains(&buckets) {
        return Err(bad_argument(
            name,
            format!("the number of buckets must be from 1 to {KOSTIK_BUCKETS_MAX}, not {buckets}"),
        ));
    }
    let buckets = buckets as u64;
    let unsigned = *arguments[0].kind.plain() == T::UInt64;
    let cast = if unsigned { T::UInt64 } else { T::Int64 };
    Ok(Bound::cast(vec![cast, T::Int64], T::UInt16, move |args, rows| {
        if unsigned {
            let keys = Numbers::of::<UInt64Type>(&args[0])?;
            return numbers::<UInt16Type>(rows, |row| Ok(kostik_bucket(keys.get(row), buckets)));
        }
        let keys = Numbers::of::<Int64Type>(&args[0])?;
        numbers::<UInt16Type>(rows, |row| Ok(kostik_bucket(keys.get(row) as u64, buckets)))
    }))
}

/// By the key's four parts of 16 bits, lowest first: a, b, c, d. For a power of two 2^k the low k bits of c decide: 0 and 1 are
/// buckets themselves, else the highest bit that is set stays and those below it are a's or b's, by whether the bits set in c are
/// even or odd in number. For numbers between 2^(k-1) and 2^k the bucket for 2^k is taken where there is one. Else the bits that
/// have no part in that choose evenly between a bucket above 2^(k-1) and the bucket for 2^(k-1).
fn kostik_bucket(key: u64, buckets: u64) -> u16 {
    let part = |i: u32| key >> (16 * i) & 0xffff;
    let (a, b, c, d) = (part(0), part(1), part(2), part(3));
    let of_power = |power: u64| {
        let low = c & (power - 1);
        if low < 2 {
            return low;
        }
        let top = 1u64 << low.ilog2();
        top + (if low.count_ones().is_multiple_of(2) { a } else { b } & (top - 1))
    };
    if buckets == 1 {
        return 0;
    }
    let bits = (buckets - 1).ilog2() + 1;
    let whole = of_power(1 << bits);
    if whole < buckets {
        return whole as u16;
    }
    let shift = 16 - bits;
    let mut rest = d << shift | c >> bits;
    rest = rest << (shift + 1) | b >> (bits - 1);
    rest = rest << (shift + 1) | a >> (bits - 1);
    let other = rest % (whole * (whole + 1)) / (1 << bits) + (1 << (bits - 1));
    (if other < buckets { other } else { of_power(1 << (bits - 1)) }) as u16
}

/// What Spark's `xxhash64` begins with, and gives for NULL.
const SPARK_SEED: u64 = 42;

fn spark(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if arguments[0].kind.is_null_literal() {
        return Ok(Bound::new(T::Int64, |_, rows| numbers::<Int64Type>(rows, |_| Ok(SPARK_SEED as i64))));
    }
    if *arguments[0].kind.plain() != T::String {
        return Err(illegal(name, arguments, 0, "String or NULL"));
    }
    Ok(Bound::new(T::Int64, |args, rows| {
        let texts = Bytes::of(&args[0])?;
        numbers::<Int64Type>(rows, |row| {
            let null = args[0].is_null(crate::columns::at(args[0].len(), row));
            Ok(if null { SPARK_SEED } else { xxhash_rust::xxh64::xxh64(texts.get(row), SPARK_SEED) } as i64)
        })
    }))
}
