//! The clock: `now()` and its relatives are constants of a query; `nowInBlock()` asks anew for each block.

use std::sync::Arc;

use SqlType as T;
use arrow::array::{ArrayRef, Date32Array, Int32Array};
use gristmill_base::Result;
use gristmill_types::SqlType;
use gristmill_types::calendar::SECONDS_A_DAY;
use gristmill_types::zone::Zone;

use super::moments::{from_ticks, zone_argument};
use crate::define::{arity, bad_argument, constant_integer, not_constant, of_query, volatile};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    registry.scalar("now", of_query(|name, arguments, env| now(name, arguments, Some(env.now_micros))));
    registry.any_case("now");
    for alias in ["current_timestamp", "localtimestamp"] {
        registry.alias(alias, "now");
        registry.any_case(alias);
    }
    registry.scalar("nowInBlock", volatile(|name, arguments, _| now(name, arguments, None)));
    registry.scalar("now64", of_query(|name, arguments, env| now64(name, arguments, Some(env.now_micros))));
    registry.any_case("now64");
    registry.scalar("nowInBlock64", volatile(|name, arguments, _| now64(name, arguments, None)));
    registry.scalar(
        "UTCTimestamp",
        of_query(|name, arguments, env| {
            arity(name, arguments, 0..=0)?;
            constant(T::DateTime(Some(Arc::from("UTC"))), env.now_micros.div_euclid(1_000_000))
        }),
    );
    registry.any_case("UTCTimestamp");
    registry.alias("UTC_timestamp", "UTCTimestamp");
    registry.any_case("UTC_timestamp");
    registry.scalar("today", of_query(|name, arguments, env| today(name, arguments, env, 0)));
    registry.any_case("today");
    for alias in ["current_date", "curdate"] {
        registry.alias(alias, "today");
        registry.any_case(alias);
    }
    registry.scalar("yesterday", of_query(|name, arguments, env| today(name, arguments, env, 1)));
    registry.scalar("initialQueryStartTime", of_query(|name, arguments, env| now(name, arguments, Some(env.now_micros))));
    registry.alias("initial_query_start_time", "initialQueryStartTime");
    registry.any_case("initial_query_start_time");
    registry.scalar("localtime", of_query(time_of_day));
    registry.any_case("localtime");
}

fn clock(micros: Option<i64>) -> i64 {
    micros.unwrap_or_else(|| gristmill_base::env::system_env().now_micros())
}

fn constant(kind: SqlType, tick: i64) -> Result<Bound> {
    let to = kind.clone();
    Ok(Bound::new(kind, move |_, rows| from_ticks(vec![tick; rows], &to)))
}

fn now(name: &str, arguments: &[Argument], micros: Option<i64>) -> Result<Bound> {
    arity(name, arguments, 0..=1)?;
    let zone = zone_argument(name, arguments, 0)?.map(|(_, named)| named);
    let kind = T::DateTime(zone);
    let to = kind.clone();
    Ok(Bound::new(kind, move |_, rows| from_ticks(vec![clock(micros).div_euclid(1_000_000); rows], &to)))
}

fn time_of_day(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 0..=0)?;
    let zone = Zone::new(crate::text::timezone(env)?);
    let second = zone.to_local(env.now_micros.div_euclid(1_000_000)).rem_euclid(SECONDS_A_DAY) as i32;
    Ok(Bound::new(T::Time, move |_, rows| Ok(Arc::new(Int32Array::from(vec![second; rows])) as ArrayRef)))
}

fn now64(name: &str, arguments: &[Argument], micros: Option<i64>) -> Result<Bound> {
    arity(name, arguments, 0..=2)?;
    let scale = match arguments.first() {
        None => 3,
        Some(argument) => {
            let scale = constant_integer(argument).ok_or_else(|| not_constant(name, 0))?;
            u8::try_from(scale)
                .ok()
                .filter(|scale| *scale <= 9)
                .ok_or_else(|| bad_argument(name, format!("scale {scale} is not from 0 to 9")))?
        }
    };
    let zone = zone_argument(name, arguments, 1)?.map(|(_, named)| named);
    let kind = T::DateTime64(scale, zone);
    let to = kind.clone();
    Ok(Bound::new(kind, move |_, rows| {
        let micros = clock(micros);
        let tick = if scale > 6 {
            micros * 10i64.pow(u32::from(scale) - 6)
        } else {
            micros.div_euclid(10i64.pow(6 - u32::from(scale)))
        };
        from_ticks(vec![tick; rows], &to)
    }))
}

fn today(name: &str, arguments: &[Argument], env: &FunctionEnv, back: i32) -> Result<Bound> {
    arity(name, arguments, 0..=1)?;
    let zone = match zone_argument(name, arguments, 0)? {
        Some((zone, _)) => zone,
        None => Zone::new(crate::text::timezone(env)?),
    };
    let day = zone.to_local(env.now_micros.div_euclid(1_000_000)).div_euclid(SECONDS_A_DAY) as i32 - back;
    Ok(Bound::new(T::Date, move |_, rows| Ok(Arc::new(Date32Array::from(vec![day; rows])) as ArrayRef)))
}
