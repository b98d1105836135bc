//! `sequenceNextNode(direction, base)(time, value, is_base, condition, …)`: the value that follows (or precedes) a chain of
//! rows that meet the conditions one after another, from a base: the first row, the last one, or the first or last that
//! meets the first condition. All rows are kept, and sorted by time and value in the end.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::ScalarBuffer;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;
use gristmill_types::bytes::BytesBuilder;

use crate::aggregates::collected::{Finish, collected};
use crate::aggregates::natives::natives;
use crate::aggregates::{Call, NullRule, Plan, family, text_parameter};
use crate::registry::Registry;

const CONDITIONS_MAX: usize = 64;
/// Time, value, and whether the row may be the base.
const BEFORE_CONDITIONS: usize = 3;

pub fn register(registry: &mut Registry) {
    registry.aggregate("sequenceNextNode", family(NullRule::Default, plan));
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Base {
    Head,
    Tail,
    FirstMatch,
    LastMatch,
}

fn number(call: &Call<'_>, text: &str) -> Error {
    let text = format!("Aggregate function {} requires {text}", call.name);
    Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text)
}

fn bad(call: &Call<'_>, text: String) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, format!("Aggregate function {}: {text}", call.name))
}

fn plan(call: &Call<'_>) -> Result<Plan> {
    if call.parameters.len() < 2 {
        return Err(number(call, "2 parameters: a direction and a base"));
    }
    let texts: Option<Vec<_>> = call.parameters[..2].iter().map(text_parameter).collect();
    let Some(texts) = texts else {
        let text = format!("Aggregate function {} requires String parameters", call.name);
        return Err(Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text));
    };
    let forward = match texts[0].as_slice() {
        b"forward" => true,
        b"backward" => false,
        other => return Err(bad(call, format!("unknown direction '{}'", String::from_utf8_lossy(other)))),
    };
    let base = match texts[1].as_slice() {
        b"head" => Base::Head,
        b"tail" => Base::Tail,
        b"first_match" => Base::FirstMatch,
        b"last_match" => Base::LastMatch,
        other => return Err(bad(call, format!("unknown base '{}'", String::from_utf8_lossy(other)))),
    };
    if (base == Base::Head && !forward) || (base == Base::Tail && forward) {
        return Err(bad(call, "nothing precedes the head, and nothing follows the tail".to_string()));
    }
    let given = call.kinds.len();
    if given < BEFORE_CONDITIONS {
        return Err(number(call, "at least 3 arguments"));
    }
    if matches!(base, Base::FirstMatch | Base::LastMatch) && given == BEFORE_CONDITIONS {
        return Err(number(call, "at least 4 arguments when the base is first_match or last_match"));
    }
    if given > BEFORE_CONDITIONS + CONDITIONS_MAX {
        return Err(number(call, &format!("at most {CONDITIONS_MAX} conditions")));
    }
    if let Some(i) = (2..given).find(|i| !matches!(call.kinds[*i], SqlType::UInt8 | SqlType::Bool)) {
        return Err(call.illegal(i, "UInt8"));
    }
    if call.kinds[1] != SqlType::String {
        return Err(call.illegal(1, "String"));
    }
    let time = match &call.kinds[0] {
        kind @ (SqlType::Date | SqlType::DateTime(_)) => kind.clone(),
        kind if matches!(kind.integer_bits(), Some((..=64, false))) => SqlType::UInt64,
        _ => return Err(call.illegal(0, "an unsigned integer, Date or DateTime")),
    };
    let mut kinds = vec![time, SqlType::String];
    kinds.extend(std::iter::repeat_n(SqlType::UInt8, given - 2));
    let conditions = given - BEFORE_CONDITIONS;
    let finish: Finish = Arc::new(move |list| {
        let columns = list.values().as_struct().columns();
        let times = times(&columns[0])?;
        let values = columns[1].as_binary_view();
        let flags = columns[2..].iter().map(|flags| natives::<u8>(flags)).collect::<Result<Vec<_>>>()?;
        let mut builder = BytesBuilder::with_capacity(list.len());
        let mut valid = Vec::with_capacity(list.len());
        for pair in list.offsets().windows(2) {
            let mut rows: Vec<usize> = (pair[0] as usize..pair[1] as usize).collect();
            rows.sort_by(|a, b| times[*a].cmp(&times[*b]).then_with(|| values.value(*a).cmp(values.value(*b))));
            let next = next(&Rows { rows: &rows, flags: &flags, conditions }, base, forward);
            valid.push(next.is_some());
            builder.append(next.map_or(&[][..], |row| values.value(row)));
        }
        Ok(Arc::new(builder.finish(Some(valid.into()))))
    });
    Ok(collected(SqlType::String.nullable(), kinds.clone(), kinds, usize::MAX, false, finish))
}

/// Times, as ClickHouse compares them: in 32 bits.
fn times(array: &ArrayRef) -> Result<Vec<u32>> {
    Ok(match array.data_type().primitive_width() {
        Some(2) => natives::<u16>(array)?.iter().map(|time| u32::from(*time)).collect(),
        Some(4) => natives::<i32>(array)?.iter().map(|time| *time as u32).collect(),
        _ => natives::<i64>(array)?.iter().map(|time| *time as u32).collect(),
    })
}

/// The rows of a group in their order.
struct Rows<'a> {
    rows: &'a [usize],
    /// May be the base, and the conditions.
    flags: &'a [ScalarBuffer<u8>],
    conditions: usize,
}

impl Rows<'_> {
    fn may_be_base(&self, at: usize) -> bool {
        self.flags[0][self.rows[at]] != 0
    }

    fn meets(&self, at: usize, condition: usize) -> bool {
        self.flags[1 + condition][self.rows[at]] != 0
    }
}

/// The row that the result is of.
fn next(rows: &Rows<'_>, base: Base, forward: bool) -> Option<usize> {
    let count = rows.rows.len();
    if count <= rows.conditions {
        return None;
    }
    let matches = |at: &usize| rows.meets(*at, 0) && rows.may_be_base(*at);
    let start = match base {
        Base::Head => Some(0).filter(|at| rows.may_be_base(*at)),
        Base::Tail => Some(count - 1).filter(|at| rows.may_be_base(*at)),
        Base::FirstMatch => (0..count).find(matches),
        Base::LastMatch => (0..count).rev().find(matches),
    }?;
    let steps = rows.conditions;
    let at = if forward { start.checked_add(steps)? } else { start.checked_sub(steps)? };
    let row = *rows.rows.get(at)?;
    let chained = (0..steps).all(|i| rows.meets(if forward { start + i } else { start - i }, i));
    chained.then_some(row)
}
