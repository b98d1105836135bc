//! `arrayShuffle`, `arrayPartialShuffle`, `arrayRandomSample`.
//!
//! Place after place is swapped with one drawn from it to the end (Fisher and Yates). With a seed the places are those that ClickHouse
//! draws: the bits that the number of places needs, of a pcg64_fast generator, drawn again where they are too great.

use SqlType as T;
use arrow::array::new_null_array;
use arrow::datatypes::{DataType, Int64Type};
use gristmill_base::Result;
use gristmill_types::SqlType;
use rand::RngCore;

use super::Lists;
use crate::columns::Numbers;
use crate::define::{arity, bad_argument, expect_array, expect_integer, illegal, not_constant, volatile};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Places {
    All,
    /// The first so many are drawn.
    First,
    /// Only so many are kept.
    Kept,
}

pub fn register(registry: &mut Registry) {
    for (name, places) in [("arrayShuffle", Places::All), ("arrayPartialShuffle", Places::First)] {
        registry.scalar(name, volatile(move |name, arguments, _| shuffle(name, arguments, places)));
        registry.any_case(name);
    }
    registry.scalar("arrayRandomSample", volatile(|name, arguments, _| shuffle(name, arguments, Places::Kept)));
}

/// The generator pcg64_fast of O'Neill (PCG, 2014): a product modulo 2^128, whose halves are mixed and turned by its highest bits.
struct Pcg64(u128);

impl Pcg64 {
    fn new(seed: u64) -> Self {
        Pcg64(u128::from(seed) | 3)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645);
        (((self.0 >> 64) ^ self.0) as u64).rotate_right((self.0 >> 122) as u32)
    }

    /// A number below the limit, which is two at least.
    fn below(&mut self, limit: usize) -> usize {
        let mask = usize::MAX >> (limit - 1).leading_zeros();
        loop {
            let drawn = self.next() as usize & mask;
            if drawn < limit {
                return drawn;
            }
        }
    }
}

fn shuffle(name: &str, arguments: &[Argument], places: Places) -> Result<Bound> {
    let most = match places {
        Places::All | Places::Kept => 2,
        Places::First => 3,
    };
    arity(name, arguments, if places == Places::Kept { 2..=2 } else { 1..=most })?;
    if arguments.iter().any(|argument| argument.kind.is_null_literal()) {
        return Ok(Bound::new(SqlType::null(), |_, rows| Ok(new_null_array(&DataType::Null, rows))));
    }
    let element = expect_array(name, arguments, 0)?.clone();
    let limited = places != Places::All && arguments.len() > 1;
    let mut casts = vec![SqlType::array(element.clone())];
    for i in 1..arguments.len() {
        expect_integer(name, arguments, i)?;
        if arguments[i].kind.is_nullable() {
            return Err(illegal(name, arguments, i, "an integer that is not NULL"));
        }
        if places != Places::Kept && arguments[i].constant.is_none() {
            return Err(not_constant(name, i));
        }
        casts.push(T::Int64);
    }
    let seed = if limited { 2 } else { 1 };
    let name = name.to_string();
    Ok(Bound::cast(casts, SqlType::array(element), move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let limits = if limited { Some(Numbers::of::<Int64Type>(&args[1])?) } else { None };
        let seed = match args.get(seed) {
            Some(seed) if rows > 0 => Numbers::of::<Int64Type>(seed)?.get(0) as u64,
            _ => crate::random::generator().next_u64(),
        };
        let mut random = Pcg64::new(seed);
        lists.choose(rows, |row, range, chosen| {
            let start = chosen.len();
            chosen.extend(range.map(|i| i as u32));
            let drawn = &mut chosen[start..];
            let count = drawn.len();
            let limit = limits.map_or(count as i64, |limits| limits.get(row));
            if places == Places::Kept && (limit < 0 || limit > count as i64) {
                return Err(bad_argument(&name, format!("cannot draw {limit} of {count} elements")));
            }
            let limit = match usize::try_from(limit) {
                // No place to stop at means all.
                Ok(0) if places == Places::First => count,
                Ok(limit) => limit.min(count),
                Err(_) => count,
            };
            for at in 0..limit.min(count.saturating_sub(1)) {
                drawn.swap(at, at + random.below(count - at));
            }
            if places == Places::Kept {
                chosen.truncate(start + limit);
            }
            Ok(())
        })
    }))
}
