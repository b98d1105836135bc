//! Hashes with a purpose: `URLHash`, which leaves out what does not tell pages apart, and `jumpConsistentHash`, which gives
//! keys to buckets so that few move when a bucket is added.

use SqlType as T;
use arrow::datatypes::{Int32Type, Int64Type, UInt64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::city::city_hash_64;
use crate::columns::{Bytes, Numbers, numbers};
use crate::define::{arity, bad_argument, constant_integer, expect_integer, expect_string, not_constant, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("URLHash", plain(|name, arguments, _| url_hash(name, arguments)));
    registry.scalar("jumpConsistentHash", plain(|name, arguments, _| jump(name, arguments)));
}

fn url_hash(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_string(name, arguments, 0)?;
    let mut casts = vec![arguments[0].kind.clone()];
    let mut level = None;
    if arguments.len() == 2 {
        expect_integer(name, arguments, 1)?;
        let given = constant_integer(&arguments[1]).ok_or_else(|| not_constant(name, 1))?;
        level = Some(usize::try_from(given).map_err(|_| bad_argument(name, "the level cannot be negative"))?);
        casts.push(T::Int64);
    }
    Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
        let urls = Bytes::of(&args[0])?;
        numbers::<UInt64Type>(rows, |row| {
            let url = urls.get(row);
            let url = level.map_or(url, |level| &url[..level_end(url, level)]);
            Ok(city_hash_64(match url {
                [head @ .., b'/' | b'?' | b'#'] => head,
                other => other,
            }))
        })
    }))
}

/// Where the part of the URL ends that belongs to a level: 0 is the host, each `/`, `?` and `#` begins a further one.
fn level_end(url: &[u8], level: usize) -> usize {
    let is_border = |c: &u8| matches!(c, b'/' | b'?' | b'#');
    let next = |from: usize| url[from..].iter().position(is_border).map(|at| from + at);
    let host = memchr::memmem::find(url, b"://").map(|at| at + 3);
    let Some(host) = host else {
        // Without a host there are no levels above the first.
        return if level == 0 { url.len() } else { 0 };
    };
    let mut end = next(host).unwrap_or(url.len());
    for _ in 0..level {
        if end + 1 >= url.len() {
            return url.len();
        }
        end = next(end + 1).unwrap_or(url.len());
    }
    end
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
