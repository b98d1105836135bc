//! `dateDiff`: how many borders of a unit lie between two moments; `age`: how many whole units.

use std::cmp::Ordering;

use SqlType as T;
use arrow::datatypes::Int64Type;
use gristmill_base::Result;
use gristmill_types::IntervalKind;
use gristmill_types::SqlType;
use gristmill_types::calendar::{SECONDS_A_DAY, civil_from_days, day_of_week};

use super::intervals::nanos;
use super::moments::{Moments, expect_moments, local_day, zone_argument};
use super::parts::week_number;
use super::starts_of_interval::unit;
use crate::columns::{at, numbers};
use crate::define::{arity, need_constant_text, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};

pub fn register(registry: &mut Registry) {
    registry.scalar("dateDiff", plain(|name, arguments, env| bind(name, arguments, env, borders)));
    registry.any_case("dateDiff");
    for alias in ["DATE_DIFF", "date_diff", "TIMESTAMP_DIFF", "timestamp_diff", "timestampDiff"] {
        registry.alias(alias, "dateDiff");
        registry.keyword(alias);
    }
    registry.scalar("age", plain(|name, arguments, env| bind(name, arguments, env, whole_units)));
    registry.any_case("age");
    registry.scalar(
        "timeDiff",
        plain(|name, arguments, env| {
            arity(name, arguments, 2..=2)?;
            let (a, b) = (expect_moments(name, arguments, 0, env)?, expect_moments(name, arguments, 1, env)?);
            Ok(Bound::new(T::Int64, move |args, rows| {
                let (from, to) = (a.seconds(&args[0])?, b.seconds(&args[1])?);
                numbers::<Int64Type>(rows, |row| Ok(to[at(to.len(), row)].wrapping_sub(from[at(from.len(), row)])))
            }))
        }),
    );
    registry.any_case("timeDiff");
}

/// A moment as local day, local second of the day and nanoseconds; and as an instant.
#[derive(Clone, Copy)]
struct Point {
    utc: i64,
    local: i64,
    nanos: i64,
    /// Seconds east of UTC that its zone began the epoch with.
    at_epoch: i64,
}

impl Point {
    /// The number of its hour, as ClickHouse counts them: by the clock that the zone had in 1970.
    fn hour(self) -> i64 {
        self.utc.saturating_sub(self.at_epoch).div_euclid(3600)
    }
}

type Difference = fn(IntervalKind, Point, Point) -> i64;

fn bind(name: &str, arguments: &[Argument], env: &FunctionEnv, difference: Difference) -> Result<Bound> {
    arity(name, arguments, 3..=4)?;
    let kind = unit(name, &need_constant_text(name, arguments, 0)?)?;
    let mut from = expect_moments(name, arguments, 1, env)?;
    let mut to = expect_moments(name, arguments, 2, env)?;
    if let Some((zone, _)) = zone_argument(name, arguments, 3)? {
        from.zone = zone.clone();
        to.zone = zone;
    }
    Ok(Bound::new(T::Int64, move |args, rows| {
        let (a, b) = (points(&from, &args[1])?, points(&to, &args[2])?);
        numbers::<Int64Type>(rows, |row| Ok(difference(kind, a[at(a.len(), row)], b[at(b.len(), row)])))
    }))
}

fn points(moments: &Moments, array: &arrow::array::ArrayRef) -> Result<Vec<Point>> {
    let local = moments.zone.cursor();
    let at_epoch = moments.zone.offset_at(0);
    if moments.scale.is_none() {
        return Ok(super::moments::days(array)?
            .iter()
            .map(|day| {
                let here = i64::from(*day) * SECONDS_A_DAY;
                Point { utc: moments.zone.to_utc(here), local: here, nanos: 0, at_epoch }
            })
            .collect());
    }
    let unit = moments.unit();
    Ok(super::moments::ticks(array)?
        .iter()
        .map(|tick| {
            let utc = tick.div_euclid(unit);
            Point { utc, local: local.to_local(utc), nanos: tick.rem_euclid(unit) * (1_000_000_000 / unit), at_epoch }
        })
        .collect())
}

fn months(day: i32) -> i64 {
    let (year, month, _) = civil_from_days(day);
    i64::from(year) * 12 + i64::from(month) - 1
}

/// Ticks of a unit shorter than a second since 1970, cut off towards it.
fn ticks(kind: IntervalKind, point: Point) -> i128 {
    (i128::from(point.utc) * 1_000_000_000 + i128::from(point.nanos)) / i128::from(nanos(kind))
}

fn borders(kind: IntervalKind, a: Point, b: Point) -> i64 {
    let (day_a, day_b) = (local_day(a.local), local_day(b.local));
    match kind {
        IntervalKind::Year => months(day_b).div_euclid(12) - months(day_a).div_euclid(12),
        IntervalKind::Quarter => months(day_b).div_euclid(3) - months(day_a).div_euclid(3),
        IntervalKind::Month => months(day_b) - months(day_a),
        IntervalKind::Week => i64::from(week_number(day_b) - week_number(day_a)),
        IntervalKind::Day => i64::from(day_b - day_a),
        IntervalKind::Hour => b.hour() - a.hour(),
        // Minutes begin where the zone has them begin.
        IntervalKind::Minute => border(a, b, 60),
        IntervalKind::Second => b.utc.wrapping_sub(a.utc),
        kind => (ticks(kind, b) - ticks(kind, a)) as i64,
    }
}

fn border(a: Point, b: Point, width: i64) -> i64 {
    let start = |point: Point| point.utc.saturating_sub(point.local.rem_euclid(width));
    start(b).saturating_sub(start(a)).div_euclid(width)
}

fn whole_units(kind: IntervalKind, a: Point, b: Point) -> i64 {
    let whole = |width: IntervalKind| {
        let width = i128::from(nanos(width));
        let at = |point: Point| i128::from(point.utc) * 1_000_000_000 + i128::from(point.nanos);
        ((at(b) - at(a)) / width) as i64
    };
    let per = match kind {
        IntervalKind::Year => 12,
        IntervalKind::Quarter => 3,
        IntervalKind::Month => 1,
        IntervalKind::Week => return whole_weeks(a, b),
        // A day is over at the same time of the next, whatever a clock change made of it.
        IntervalKind::Day => {
            let at = |point: Point| i128::from(point.local) * 1_000_000_000 + i128::from(point.nanos);
            return ((at(b) - at(a)) / (i128::from(SECONDS_A_DAY) * 1_000_000_000)) as i64;
        }
        // Hours of two zones are counted by what their clocks showed in 1970.
        IntervalKind::Hour => return whole(kind) - (b.at_epoch - a.at_epoch) / 3600,
        kind if kind < IntervalKind::Second => return whole_ticks(kind, a, b),
        kind => return whole(kind),
    };
    if (b.local, b.nanos) < (a.local, a.nanos) { -whole_months(b, a) / per } else { whole_months(a, b) / per }
}

/// Units shorter than a second between two moments, without one that is not over: that is told by what each moment has beyond its
/// own last whole unit.
fn whole_ticks(kind: IntervalKind, a: Point, b: Point) -> i64 {
    let forward = (a.utc, a.nanos) <= (b.utc, b.nanos);
    let (first, last) = if forward { (a, b) } else { (b, a) };
    let beyond = |point: Point| point.nanos % nanos(kind);
    let passed = (ticks(kind, last) - ticks(kind, first)) as i64 - i64::from(beyond(first) > beyond(last));
    if forward { passed } else { -passed }
}

/// Borders of weeks between two moments, without a week that is not over: that is told by the days of the week, of the first
/// moment and of the second, whichever of them is earlier.
fn whole_weeks(a: Point, b: Point) -> i64 {
    let (day_a, day_b) = (local_day(a.local), local_day(b.local));
    let clock = |point: Point| (point.local.rem_euclid(SECONDS_A_DAY), point.nanos);
    let forward = (a.utc, a.nanos) <= (b.utc, b.nanos);
    let (first, last) = if forward { (a, b) } else { (b, a) };
    let is_cut = match day_of_week(day_a).cmp(&day_of_week(day_b)) {
        Ordering::Greater => true,
        Ordering::Equal => clock(first) > clock(last),
        Ordering::Less => false,
    };
    let back = if forward { -1 } else { 1 };
    i64::from(week_number(day_b) - week_number(day_a)) + if is_cut { back } else { 0 }
}

/// Whole months from the earlier to the later.
fn whole_months(a: Point, b: Point) -> i64 {
    let (day_a, day_b) = (local_day(a.local), local_day(b.local));
    let within = |point: Point, day: i32| (civil_from_days(day).2, point.local.rem_euclid(SECONDS_A_DAY), point.nanos);
    months(day_b) - months(day_a) - i64::from(within(b, day_b) < within(a, day_a))
}
