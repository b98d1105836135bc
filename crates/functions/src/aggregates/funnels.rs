//! What happened in which order: `retention`, `windowFunnel`, `sequenceMatch`, `sequenceCount`, `sequenceMatchEvents`, and
//! (in `next_node.rs`) `sequenceNextNode`.
//!
//! `retention` keeps which conditions ever held. The others keep each row that meets a condition, as its time and the set
//! of conditions (32 at most), and look at the rows in the order of time when the result is wanted.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, UInt8Array, UInt32Array, UInt64Array};
use arrow::datatypes::{DataType, UInt32Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use super::groups::Groups;
use super::natives::{column, natives};
use super::{Call, NullRule, Plan, family, text_parameter};
use crate::define::bad_argument;
use crate::registry::Registry;

mod next_node;
mod pattern;

use pattern::Pattern;

const CONDITIONS_MAX: usize = 32;

pub fn register(registry: &mut Registry) {
    registry.aggregate("retention", family(NullRule::Default, retention));
    registry.aggregate("windowFunnel", family(NullRule::Default, window_funnel));
    registry.aggregate("sequenceMatch", family(NullRule::Default, |call| sequence(call, false)));
    registry.aggregate("sequenceCount", family(NullRule::Default, |call| sequence(call, true)));
    registry.aggregate("sequenceMatchEvents", family(NullRule::Default, match_events));
    next_node::register(registry);
}

/// Checks the conditions from argument `first` on.
fn conditions(call: &Call<'_>, first: usize, least: usize) -> Result<usize> {
    let given = call.kinds.len().saturating_sub(first);
    if given < least || given > CONDITIONS_MAX {
        return Err(Error::new(
            ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
            format!("Aggregate function {} takes from {least} to {CONDITIONS_MAX} conditions, got {given}", call.name),
        ));
    }
    for i in first..call.kinds.len() {
        if !matches!(call.kinds[i], SqlType::UInt8 | SqlType::Bool) {
            return Err(call.illegal(i, "UInt8, a condition"));
        }
    }
    Ok(given)
}

/// The conditions that hold in each row, as bits.
fn held(args: &[ArrayRef]) -> Result<Vec<u32>> {
    let mut bits = vec![0u32; args.first().map_or(0, |array| array.len())];
    for (i, array) in args.iter().enumerate() {
        for (bits, value) in bits.iter_mut().zip(natives::<u8>(array)?.iter()) {
            *bits |= u32::from(*value != 0) << i;
        }
    }
    Ok(bits)
}

fn retention(call: &Call<'_>) -> Result<Plan> {
    let count = conditions(call, 0, 2)?;
    let result = SqlType::array(SqlType::UInt8);
    let arguments = vec![SqlType::UInt8; count];
    Ok(Plan::new(result, arguments, vec![DataType::UInt32], move || Retention { ever: Vec::new(), count }))
}

struct Retention {
    ever: Vec<u32>,
    count: usize,
}

impl Groups for Retention {
    fn resize(&mut self, groups: usize) {
        self.ever.resize(groups, 0);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (bits, group) in held(args)?.into_iter().zip(groups) {
            self.ever[*group] |= bits;
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        Ok(vec![Arc::new(UInt32Array::from(self.ever[..groups].to_vec()))])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        for (bits, group) in states[0].as_primitive::<UInt32Type>().values().iter().zip(groups) {
            self.ever[*group] |= bits;
        }
        Ok(())
    }

    /// The first condition, and each other one together with the first.
    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let mut values = Vec::with_capacity(groups * self.count);
        for ever in &self.ever[..groups] {
            values.extend((0..self.count).map(|i| (ever & 1) as u8 & (ever >> i & 1) as u8));
        }
        crate::columns::list(Arc::new(UInt8Array::from(values)), &vec![self.count; groups])
    }

    fn drop_first(&mut self, groups: usize) {
        self.ever.drain(..groups);
    }

    fn bytes(&self) -> usize {
        self.ever.capacity() * 4
    }
}

fn time_argument(call: &Call<'_>) -> Result<SqlType> {
    match call.kinds.first() {
        Some(kind @ (SqlType::Date | SqlType::Date32 | SqlType::DateTime(_) | SqlType::DateTime64(..))) => Ok(kind.clone()),
        Some(kind) if kind.is_integer() => Ok(SqlType::Int64),
        _ => Err(call.illegal(0, "a date, a time or an integer")),
    }
}

/// Of events in the order of time.
type OfEvents<T> = Arc<dyn Fn(&[(i64, u32)]) -> T + Send + Sync>;

/// What is said of them.
#[derive(Clone)]
enum Judge {
    Number(OfEvents<u64>),
    /// Some of their times.
    Times(OfEvents<Vec<i64>>),
}

/// With `all` rows, those that meet no condition are events too, of none of them.
fn timed(call: &Call<'_>, result: SqlType, judge: Judge, all: bool) -> Result<Plan> {
    let mut arguments = vec![time_argument(call)?];
    arguments.extend(std::iter::repeat_n(SqlType::UInt8, call.kinds.len() - 1));
    let carrier = result.arrow();
    let list = super::quantiles::list_type;
    Ok(Plan::new(result, arguments, vec![list(DataType::Int64), list(DataType::UInt32)], move || Timed {
        events: Vec::new(),
        judge: judge.clone(),
        all,
        result: carrier.clone(),
        kept: 0,
    }))
}

/// Rows that meet a condition, with their times.
struct Timed {
    events: Vec<Vec<(i64, u32)>>,
    /// Says the result of events in the order of time.
    judge: Judge,
    /// Rows that meet none are there too.
    all: bool,
    result: DataType,
    kept: usize,
}

impl Groups for Timed {
    fn resize(&mut self, groups: usize) {
        self.events.resize_with(groups, Vec::new);
    }

    fn update(&mut self, args: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let times = match args[0].data_type().primitive_width() {
            Some(4) => natives::<i32>(&args[0])?.iter().map(|time| i64::from(*time)).collect(),
            _ => natives::<i64>(&args[0])?.to_vec(),
        };
        for ((time, bits), group) in times.into_iter().zip(held(&args[1..])?).zip(groups) {
            if bits != 0 || self.all {
                self.events[*group].push((time, bits));
                self.kept += 1;
            }
        }
        Ok(())
    }

    fn save(&mut self, groups: usize) -> Result<Vec<ArrayRef>> {
        let events = &self.events[..groups];
        let lengths: Vec<usize> = events.iter().map(Vec::len).collect();
        let times = arrow::array::Int64Array::from_iter_values(events.iter().flatten().map(|event| event.0));
        let bits = UInt32Array::from_iter_values(events.iter().flatten().map(|event| event.1));
        let list = |values: ArrayRef| -> Result<ArrayRef> {
            let item = Arc::new(arrow::datatypes::Field::new("item", values.data_type().clone(), true));
            let offsets = arrow::buffer::OffsetBuffer::from_lengths(lengths.iter().copied());
            Ok(Arc::new(arrow::array::ListArray::try_new(item, offsets, values, None)?))
        };
        Ok(vec![list(Arc::new(times))?, list(Arc::new(bits))?])
    }

    fn merge(&mut self, states: &[ArrayRef], groups: &[usize]) -> Result<()> {
        let flat = super::combinators::array::flatten(states)?;
        let (times, bits) = (natives::<i64>(&flat.columns[0])?, natives::<u32>(&flat.columns[1])?);
        for (i, row) in flat.rows.iter().enumerate() {
            self.events[groups[*row]].push((times[i], bits[i]));
        }
        self.kept += flat.rows.len();
        Ok(())
    }

    fn finish(&mut self, groups: usize) -> Result<ArrayRef> {
        let events = &mut self.events[..groups];
        // Of one time, what meets no condition stands first.
        events.iter_mut().for_each(|events| events.sort_by_key(|event| (event.0, event.1 != 0)));
        match &self.judge {
            Judge::Number(judge) => {
                let values = UInt64Array::from_iter_values(events.iter().map(|events| judge(events)));
                Ok(arrow::compute::cast(&values, &self.result)?)
            }
            Judge::Times(judge) => {
                let times: Vec<Vec<i64>> = events.iter().map(|events| judge(events)).collect();
                let lengths: Vec<usize> = times.iter().map(Vec::len).collect();
                let DataType::List(item) = &self.result else { return Err(Error::logical("Times are an array")) };
                let times = typed_times(times.concat(), item.data_type())?;
                crate::columns::retype(&crate::columns::list(times, &lengths)?, &self.result)
            }
        }
    }

    fn drop_first(&mut self, groups: usize) {
        let gone: usize = self.events.drain(..groups).map(|events| events.len()).sum();
        self.kept -= gone;
    }

    fn bytes(&self) -> usize {
        self.events.capacity() * 24 + self.kept * 16 * 3 / 2
    }
}

#[derive(Clone, Copy, Default)]
struct Strictness {
    /// No other row may stand between.
    order: bool,
    /// A condition that held already ends the chain.
    deduplication: bool,
    /// Times must grow.
    increase: bool,
    /// A row is one step of a chain, whatever conditions it meets.
    once: bool,
    /// With `order`: conditions whose turn has not come are passed over.
    reentry: bool,
}

/// The longest chain of conditions, in their order, within a window of time after the first.
fn window_funnel(call: &Call<'_>) -> Result<Plan> {
    let count = conditions(call, 1, 1)?;
    let Some(window) = call.size(0)? else {
        return Err(bad_argument(call.name, "the window must be given as a parameter: windowFunnel(3600)(time, …)"));
    };
    let mut strict = Strictness::default();
    for parameter in call.parameters.iter().skip(1) {
        match text_parameter(parameter).as_deref() {
            Some(b"strict_order") => strict.order = true,
            Some(b"strict_deduplication" | b"strict") => strict.deduplication = true,
            Some(b"strict_increase") => strict.increase = true,
            Some(b"strict_once") => strict.once = true,
            Some(b"allow_reentry") => strict.reentry = true,
            _ => return Err(bad_argument(call.name, format!("unknown mode {parameter}"))),
        }
    }
    if strict.reentry && !strict.order {
        return Err(bad_argument(call.name, "the mode allow_reentry needs strict_order"));
    }
    let window = i64::try_from(window).unwrap_or(i64::MAX);
    let judge = Arc::new(move |events: &[(i64, u32)]| funnel(events, count, window, strict));
    timed(call, SqlType::UInt8, Judge::Number(judge), strict.order)
}

/// How far the chains of a funnel came.
struct Chains {
    /// For each level: when the chain that reached it began, and when it reached it.
    reached: Vec<Option<(i64, i64)>>,
    window: i64,
    strict: Strictness,
}

impl Chains {
    fn highest(&self) -> usize {
        self.reached.iter().rposition(Option::is_some).map_or(0, |level| level + 1)
    }

    /// Takes what meets the condition of a level. `Some`: nothing behind it counts any more.
    fn step(&mut self, time: i64, level: usize) -> Option<usize> {
        if level == 0 {
            self.reached[0] = Some((time, time));
            return None;
        }
        if self.strict.deduplication && self.reached[level].is_some() {
            return Some(self.highest().max(level));
        }
        let Some((start, previous)) = self.reached[level - 1] else {
            let is_out_of_order = self.strict.order && !self.strict.reentry && self.reached[0].is_some();
            return is_out_of_order.then(|| self.reached.iter().position(Option::is_none).unwrap_or(0));
        };
        if time <= start.saturating_add(self.window) && (!self.strict.increase || time > previous) {
            self.reached[level] = Some((start, time));
        }
        self.reached.last().is_some_and(Option::is_some).then_some(self.reached.len())
    }
}

/// A row that meets several conditions is as many steps of a chain, unless it counts once.
fn funnel(events: &[(i64, u32)], count: usize, window: i64, strict: Strictness) -> u64 {
    let mut chains = Chains { reached: vec![None; count], window, strict };
    let meets = |row: &(i64, u32), level: usize| row.1 >> level & 1 == 1;
    for rows in events.chunk_by(|one, next| one.0 == next.0) {
        let (time, first) = rows[0];
        // What meets no condition ends the chain, in its strict order.
        if first == 0 && chains.reached[0].is_some() {
            break;
        }
        let known = match strict.once {
            // From the last condition down, so that a row follows none of its own.
            true => rows.iter().find_map(|row| {
                (0..count).rev().filter(|level| meets(row, *level)).find_map(|level| chains.step(time, level))
            }),
            false => (0..count)
                .find_map(|level| rows.iter().filter(|row| meets(row, level)).find_map(|_| chains.step(time, level))),
        };
        if let Some(known) = known {
            return known as u64;
        }
    }
    chains.highest() as u64
}

/// The pattern of the parameter, and the ticks of a second of the times that it is held against.
fn pattern_of(call: &Call<'_>) -> Result<(Pattern, i64)> {
    let count = conditions(call, 1, 2)?;
    let Some(text) = call.parameters.first().and_then(text_parameter) else {
        return Err(bad_argument(call.name, "the pattern must be given as a parameter: sequenceMatch('(?1)(?2)')(time, …)"));
    };
    let pattern = Pattern::parse(call.name, &String::from_utf8_lossy(&text), count)?;
    let ticks = match call.kinds[0] {
        SqlType::DateTime64(scale, _) => 10i64.saturating_pow(u32::from(scale)),
        _ => 1,
    };
    Ok((pattern, ticks))
}

fn sequence(call: &Call<'_>, counts: bool) -> Result<Plan> {
    let (pattern, ticks) = pattern_of(call)?;
    let result = if counts { SqlType::UInt64 } else { SqlType::UInt8 };
    let judge = Arc::new(move |events: &[(i64, u32)]| pattern.matches(events, ticks, counts));
    timed(call, result, Judge::Number(judge), false)
}

/// The times of the rows that the pattern's conditions stand for; of as many of them as a chain reached, where none reached all.
fn match_events(call: &Call<'_>) -> Result<Plan> {
    let (pattern, ticks) = pattern_of(call)?;
    let result = SqlType::array(call.kinds[0].clone());
    timed(call, result, Judge::Times(Arc::new(move |events: &[(i64, u32)]| pattern.chain(events, ticks))), false)
}

/// Times as a column of an integer, a date or a time.
fn typed_times(times: Vec<i64>, kind: &DataType) -> Result<ArrayRef> {
    match kind {
        DataType::Timestamp(..) | DataType::Int64 => column(times, kind),
        kind if kind.is_integer() => Ok(arrow::compute::cast(&arrow::array::Int64Array::from(times), kind)?),
        _ => column(times.into_iter().map(|time| time as i32).collect::<Vec<i32>>(), kind),
    }
}
