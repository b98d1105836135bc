//! `timeSlots`: the starts of the slots of equal length that a span of time touches.

use SqlType as T;
use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::Decimal128Type;
use gristmill_base::Result;
use gristmill_types::SqlType;

use super::moments::{expect_instants, from_ticks, ticks};
use crate::columns::{at, list};
use crate::define::{arity, bad_argument, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

/// More slots than this in one row are a mistake.
const MOST_SLOTS: i64 = 1_000_000;

pub fn register(registry: &mut Registry) {
    registry.scalar("timeSlots", plain(|name, arguments, env| time_slots(name, arguments, env)));
}

fn time_slots(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    let moments = expect_instants(name, arguments, 0, env)?;
    for (i, argument) in arguments.iter().enumerate().skip(1) {
        if !argument.kind.is_integer() && !argument.kind.is_decimal() {
            return Err(illegal(name, arguments, i, "a whole number of seconds, or a Decimal"));
        }
    }
    let scale = moments.scale.unwrap_or(0);
    // Durations in ticks of the type: decimals keep the digits that it has.
    let seconds = T::Decimal { precision: 38, scale };
    let mut casts = vec![arguments[0].kind.clone(), seconds.clone()];
    if arguments.len() == 3 {
        casts.push(seconds);
    }
    let kind = arguments[0].kind.clone();
    let unit = moments.unit();
    let name = name.to_string();
    Ok(Bound::cast(casts, SqlType::array(kind.clone()), move |args, rows| {
        let starts = ticks(&args[0])?;
        let duration = args[1].as_primitive::<Decimal128Type>().values();
        let sizes = args.get(2).map(|sizes| sizes.as_primitive::<Decimal128Type>().values());
        let mut slots = Vec::new();
        let mut lengths = Vec::with_capacity(rows);
        for row in 0..rows {
            let start = i128::from(starts[at(starts.len(), row)]);
            let size = sizes.map_or(i128::from(1800 * unit), |sizes| sizes[at(sizes.len(), row)]);
            if size <= 0 {
                return Err(bad_argument(&name, "the size of slots must be positive"));
            }
            let span = duration[at(duration.len(), row)].max(0);
            let (first, last) = (start.div_euclid(size), start.saturating_add(span).div_euclid(size));
            if last - first >= i128::from(MOST_SLOTS) {
                return Err(bad_argument(&name, format!("the span has more than {MOST_SLOTS} slots")));
            }
            slots.extend((first..=last).map(|slot| (slot * size) as i64));
            lengths.push((last - first + 1) as usize);
        }
        list(from_ticks(slots, &kind)? as ArrayRef, &lengths)
    }))
}
