//! UUIDs and Snowflake ids: made, taken apart, and turned into times.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use SqlType as T;
use arrow::array::{Array, ArrayRef, AsArray, FixedSizeBinaryArray, UInt64Array};
use arrow::buffer::Buffer;
use arrow::datatypes::UInt64Type;
use datafusion::common::ScalarValue;
use gristmill_base::Result;
use gristmill_base::env::system_env;
use gristmill_types::SqlType;
use gristmill_types::scan::address::uuid;

use crate::columns::{Bytes, Numbers, at, numbers, strings};
use crate::datetime::moments::{expect_instants, from_ticks, ticks, zone_argument};
use crate::define::{
    arity, bad_argument, constant_integer, expect_integer, expect_string, illegal, not_constant, plain, volatile,
};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

/// A Snowflake id has milliseconds above this many bits of machine and counter.
const SNOWFLAKE_SHIFT: u32 = 22;

pub fn register(registry: &mut Registry) {
    registry.scalar(
        "generateUUIDv4",
        volatile(|name, arguments, _| {
            arity(name, arguments, 0..=1)?;
            Ok(Bound::new(T::Uuid, |_, rows| {
                use rand::RngCore;
                let mut bytes = vec![0; rows * 16];
                crate::random::generator().fill_bytes(&mut bytes);
                for id in bytes.as_chunks_mut::<16>().0 {
                    // Version 4, variant 1.
                    id[6] = id[6] & 0x0F | 0x40;
                    id[8] = id[8] & 0x3F | 0x80;
                }
                Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), None)?) as ArrayRef)
            }))
        }),
    );
    registry.scalar(
        "generateUUIDv7",
        volatile(|name, arguments, _| {
            arity(name, arguments, 0..=1)?;
            Ok(Bound::new(T::Uuid, |_, rows| {
                use rand::RngCore;
                let mut bytes = vec![0; rows * 16];
                crate::random::generator().fill_bytes(&mut bytes);
                let mut stamp = system_env().now_ms().to_be_bytes();
                for (row, id) in bytes.as_chunks_mut::<16>().0.iter_mut().enumerate() {
                    // 12 bits count the ids of a block upwards, so that they sort as they were made.
                    let count = (row % 4096) as u16;
                    if row > 0 && count == 0 {
                        stamp = (u64::from_be_bytes(stamp) + 1).to_be_bytes();
                    }
                    id[..6].copy_from_slice(&stamp[2..]);
                    id[6..8].copy_from_slice(&(0x7000 | count).to_be_bytes());
                    id[8] = id[8] & 0x3F | 0x80;
                }
                Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), None)?) as ArrayRef)
            }))
        }),
    );
    registry.scalar("UUIDStringToNum", plain(string_to_num));
    registry.scalar("UUIDNumToString", plain(num_to_string));
    registry.scalar(
        "UUIDToNum",
        plain(|name, arguments, _| {
            arity(name, arguments, 1..=2)?;
            if arguments[0].kind != T::Uuid {
                return Err(illegal(name, arguments, 0, "UUID"));
            }
            let swap = microsoft(name, arguments)?;
            Ok(Bound::new(T::FixedString(16), move |args, rows| {
                let ids = args[0].as_fixed_size_binary();
                sixteen((0..rows).map(|row| ordered(ids.value(at(ids_len(ids), row)), swap)))
            }))
        }),
    );
    registry.scalar("dateTimeToUUIDv7", volatile(|name, arguments, _| time_to_v7(name, arguments)));
    registry.scalar("UUIDv7ToDateTime", plain(v7_to_time));
    registry.scalar(
        "generateSnowflakeID",
        volatile(|name, arguments, _| {
            arity(name, arguments, 0..=2)?;
            let machine = machine_of(name, arguments)?;
            Ok(Bound::new(T::UInt64, move |_, rows| {
                let first = next_snowflakes(rows as u64);
                let ids = (first..first + rows as u64).map(|position| snowflake(position) | machine);
                Ok(Arc::new(UInt64Array::from_iter_values(ids)) as ArrayRef)
            }))
        }),
    );
    registry.scalar("snowflakeIDToDateTime", plain(|name, arguments, env| snowflake_to_time(name, arguments, env, false)));
    registry.scalar("snowflakeIDToDateTime64", plain(|name, arguments, env| snowflake_to_time(name, arguments, env, true)));
    registry.scalar("dateTimeToSnowflakeID", plain(time_to_snowflake));
    registry.scalar("dateTime64ToSnowflakeID", plain(time_to_snowflake));
}

fn ids_len(ids: &FixedSizeBinaryArray) -> usize {
    use arrow::array::Array;
    ids.len()
}

fn sixteen(values: impl Iterator<Item = [u8; 16]>) -> Result<ArrayRef> {
    let bytes: Vec<u8> = values.flatten().collect();
    Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), None)?))
}

/// The second argument chooses the order of bytes: 1 as they are written, 2 as Microsoft's GUIDs lie in memory.
fn microsoft(name: &str, arguments: &[Argument]) -> Result<bool> {
    match arguments.get(1) {
        None => Ok(false),
        Some(variant) => match constant_integer(variant) {
            Some(1) => Ok(false),
            Some(2) => Ok(true),
            Some(other) => Err(bad_argument(name, format!("the variant must be 1 or 2, not {other}"))),
            None => Err(not_constant(name, 1)),
        },
    }
}

/// The first three groups turned around where asked; what is no id is zero.
fn ordered(bytes: &[u8], swap: bool) -> [u8; 16] {
    let mut id = <[u8; 16]>::try_from(bytes).unwrap_or_default();
    if swap {
        id[..4].reverse();
        id[4..6].reverse();
        id[6..8].reverse();
    }
    id
}

fn string_to_num(name: &str, arguments: &[Argument], _: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_string(name, arguments, 0)?;
    let swap = microsoft(name, arguments)?;
    Ok(Bound::new(T::FixedString(16), move |args, rows| {
        let texts = Bytes::of(&args[0])?;
        // What is no UUID is zero.
        sixteen((0..rows).map(|row| ordered(&uuid(texts.get(row)).unwrap_or_default(), swap)))
    }))
}

fn num_to_string(name: &str, arguments: &[Argument], _: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    if arguments[0].kind != T::FixedString(16) {
        return Err(illegal(name, arguments, 0, "FixedString(16)"));
    }
    let swap = microsoft(name, arguments)?;
    Ok(Bound::new(T::String, move |args, rows| {
        let ids = Bytes::of(&args[0])?;
        strings(rows, |row, out| {
            let id = uuid::Uuid::from_bytes(ordered(ids.get(row), swap));
            out.extend_from_slice(id.hyphenated().encode_lower(&mut [0; 36]).as_bytes());
            Ok(())
        })
    }))
}

/// The time that a version 7 UUID was made, 0 for others.
/// A UUID of version 7 of a moment; what does not say the time is random.
fn time_to_v7(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=1)?;
    if arguments[0].kind.is_null_literal() {
        return Ok(Bound::new(SqlType::null(), |args, rows| crate::columns::broadcast(&args[0], rows)));
    }
    if !matches!(arguments[0].kind.plain(), T::DateTime(_)) {
        return Err(illegal(name, arguments, 0, "DateTime"));
    }
    let result = if arguments[0].kind.is_nullable() { T::Uuid.nullable() } else { T::Uuid };
    Ok(Bound::new(result, |args, rows| {
        use rand::RngCore;
        let mut bytes = vec![0; rows * 16];
        crate::random::generator().fill_bytes(&mut bytes);
        let given = crate::columns::broadcast(&args[0], rows)?;
        let seconds = ticks(&given)?;
        for (id, second) in bytes.as_chunks_mut::<16>().0.iter_mut().zip(seconds.iter()) {
            let stamp = (second.max(&0).unsigned_abs() * 1000).to_be_bytes();
            id[..6].copy_from_slice(&stamp[2..]);
            id[6] = id[6] & 0x0F | 0x70;
            id[8] = id[8] & 0x3F | 0x80;
        }
        Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(bytes), given.nulls().cloned())?) as ArrayRef)
    }))
}

fn v7_to_time(name: &str, arguments: &[Argument], _: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    if arguments[0].kind != T::Uuid {
        return Err(illegal(name, arguments, 0, "UUID"));
    }
    let to = T::DateTime64(3, zone_argument(name, arguments, 1)?.map(|(_, named)| named));
    let kind = to.clone();
    Ok(Bound::new(to, move |args, rows| {
        let ids = Bytes::of(&args[0])?;
        let values = (0..rows).map(|row| match ids.get(row) {
            id if id[6] >> 4 == 7 => id[..6].iter().fold(0, |stamp, byte| stamp << 8 | i64::from(*byte)),
            _ => 0,
        });
        from_ticks(values.collect(), &kind)
    }))
}

/// Milliseconds times 4096 and a counter, which runs on from block to block.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Reserves so many ids in a row, none older than now.
fn next_snowflakes(count: u64) -> u64 {
    let now = system_env().now_ms() << 12;
    let mut first = now;
    let reserve = |last: u64| {
        first = last.max(now);
        Some(first + count)
    };
    NEXT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, reserve).map_or(now, |last| last.max(now))
}

/// Room for the machine's ten bits between milliseconds and counter.
fn snowflake(position: u64) -> u64 {
    (position >> 12) << SNOWFLAKE_SHIFT | (position & 0xFFF)
}

/// The bits of the machine that the second argument names. Errors: ILLEGAL_TYPE_OF_ARGUMENT, ILLEGAL_COLUMN.
fn machine_of(name: &str, arguments: &[Argument]) -> Result<u64> {
    let Some(machine) = arguments.get(1) else { return Ok(0) };
    if !matches!(machine.kind, T::UInt8 | T::UInt16 | T::UInt32 | T::UInt64) {
        return Err(illegal(name, arguments, 1, "an unsigned integer"));
    }
    let Some(constant) = &machine.constant else { return Err(not_constant(name, 1)) };
    // Its low ten bits have room.
    let id = match constant {
        ScalarValue::UInt64(Some(id)) => *id,
        _ => constant_integer(machine).map_or(0, i64::unsigned_abs),
    };
    Ok((id & 0x3FF) << 12)
}

/// id, start of the count in milliseconds, zone
fn snowflake_to_time(name: &str, arguments: &[Argument], _: &FunctionEnv, wide: bool) -> Result<Bound> {
    arity(name, arguments, 1..=3)?;
    expect_integer(name, arguments, 0)?;
    let mut casts = vec![T::UInt64];
    if arguments.len() > 1 {
        expect_integer(name, arguments, 1)?;
        casts.push(T::UInt64);
    }
    casts.extend(arguments.iter().skip(2).map(|argument| argument.kind.clone()));
    let zone = zone_argument(name, arguments, 2)?.map(|(_, named)| named);
    let to = if wide { T::DateTime64(3, zone) } else { T::DateTime(zone) };
    let kind = to.clone();
    Ok(Bound::cast(casts, to, move |args, rows| {
        let ids = Numbers::of::<UInt64Type>(&args[0])?;
        let epochs = args.get(1).map(Numbers::of::<UInt64Type>).transpose()?;
        let values = (0..rows).map(|row| {
            let millis = (ids.get(row) >> SNOWFLAKE_SHIFT).saturating_add(epochs.map_or(0, |epochs| epochs.get(row)));
            let millis = i64::try_from(millis).unwrap_or(i64::MAX);
            // A DateTime keeps what 32 bits hold of the seconds.
            if wide { millis } else { i64::from((millis / 1000) as u32) }
        });
        from_ticks(values.collect(), &kind)
    }))
}

fn time_to_snowflake(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    let moments = expect_instants(name, arguments, 0, env)?;
    let mut casts = vec![arguments[0].kind.clone()];
    if arguments.len() > 1 {
        expect_integer(name, arguments, 1)?;
        casts.push(T::UInt64);
    }
    let unit = i128::from(moments.unit());
    Ok(Bound::cast(casts, T::UInt64, move |args, rows| {
        let ticks = ticks(&args[0])?;
        let epochs = args.get(1).map(Numbers::of::<UInt64Type>).transpose()?;
        numbers::<UInt64Type>(rows, |row| {
            let millis = (i128::from(ticks[at(ticks.len(), row)]) * 1000).div_euclid(unit);
            let millis = millis - i128::from(epochs.map_or(0, |epochs| epochs.get(row)));
            Ok(u64::try_from(millis.max(0)).unwrap_or(u64::MAX) << SNOWFLAKE_SHIFT)
        })
    }))
}
