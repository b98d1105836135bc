use chrono_tz::Tz;
use datafusion::common::ScalarValue;
use gristmill_types::calendar::FIRST_DAY;

use super::*;

fn kind(name: &str) -> SqlType {
    name.parse().unwrap()
}

fn with_constant(name: &str, of: &str, constant: i64) -> Option<Monotonicity> {
    let arguments = [
        Argument { kind: kind(of), constant: None },
        Argument { kind: T::Int64, constant: Some(ScalarValue::Int64(Some(constant))) },
    ];
    monotonic_call(name, &arguments, &T::Int64, &Zone::utc())
}

#[test]
fn calendar_functions_rise_with_dates_and_times() {
    for name in ["toDate", "toYYYYMM", "toStartOfMonth", "toStartOfHour", "toMonday", "toStartOfDay", "toRelativeDayNum"] {
        let found = monotonic(name, &[kind("DateTime('UTC')")]);
        assert_eq!(found, Some(Monotonicity::rising(Holds::Always)), "{name}");
    }
    let month = monotonic("toMonth", &[T::Date]).unwrap();
    assert!(month.over(0, 364) && !month.over(364, 365));
    let day = monotonic("toDayOfMonth", &[kind("DateTime('Europe/Berlin')")]).unwrap();
    assert!(day.over(0, 82_799) && !day.over(31 * 86_400 - 3601, 31 * 86_400 - 3600));
    assert_eq!(monotonic("toYYYYMM", &[T::String]), None);
    assert_eq!(monotonic("dateTrunc", &[T::String, T::Date]).map(|found| found.argument), Some(1));
}

#[test]
fn a_clock_that_goes_back_over_midnight_breaks_the_order_of_days() {
    let arguments = [Argument { kind: T::DateTime(None), constant: None }];
    let in_zone = |tz| monotonic_call("toDate", &arguments, &T::Date, &Zone::new(tz));
    assert!(in_zone(Tz::Europe__Berlin).is_some());
    assert_eq!(in_zone(Tz::America__St_Johns), None);
}

/// Over all days that there are, for each mode that weeks are counted by.
#[test]
fn weeks_rise_where_they_are_said_to() {
    use crate::datetime::weeks::year_week;
    let days = FIRST_DAY..gristmill_types::calendar::LAST_DAY;
    for mode in 0..8u8 {
        let arguments = |mode: u8| {
            let constant = Some(ScalarValue::UInt8(Some(mode)));
            [Argument { kind: T::Date32, constant: None }, Argument { kind: T::UInt8, constant }]
        };
        let called = |name| monotonic_call(name, &arguments(mode), &T::UInt8, &Zone::utc());
        assert!(called("toYearWeek").is_some(), "mode {mode}");
        assert!(days.clone().all(|day| year_week(day, mode | 2) <= year_week(day + 1, mode | 2)), "mode {mode}");
        if let Some(found) = called("toWeek") {
            let rises = |day: i32| year_week(day, mode).1 <= year_week(day + 1, mode).1;
            assert!(days.clone().all(|day| !found.over(day.into(), (day + 1).into()) || rises(day)), "mode {mode}");
        }
    }
}

#[test]
fn the_zone_that_a_call_names_is_the_one_that_counts() {
    let called = |name, zone: &str| {
        let constant = Some(ScalarValue::BinaryView(Some(zone.as_bytes().to_vec())));
        let arguments = [Argument { kind: T::DateTime(None), constant: None }, Argument { kind: T::String, constant }];
        monotonic_call(name, &arguments, &T::UInt8, &Zone::utc())
    };
    assert_eq!(called("toHour", "Asia/Tokyo"), None);
    assert!(called("toHour", "UTC").is_some());
    assert_eq!(called("toYear", "America/St_Johns"), None);
    assert_eq!(called("toYYYYMMDDhhmmss", "Europe/Berlin"), None);
    let day = called("toDayOfMonth", "Asia/Tokyo").unwrap();
    assert!(day.over(0, 30 * 86_400) && !day.over(30 * 86_400, 31 * 86_400 - 1));
}

#[test]
fn texts_of_numbers_are_in_their_order_where_they_are_as_long() {
    let found = monotonic("toString", &[T::Int32]).unwrap();
    assert!(found.over(10, 99) && !found.over(9, 10) && !found.over(-2, -1) && !found.over(-1, 0));
    assert_eq!(monotonic("toString", &[T::Date]), Some(Monotonicity::rising(Holds::Always)));
    assert_eq!(monotonic("toString", &[T::Float64]), None);
    assert_eq!(monotonic("toString", &[kind("DateTime('UTC')")]), Some(Monotonicity::rising(Holds::Always)));
    assert_eq!(monotonic("toString", &[kind("DateTime('Europe/Berlin')")]), None);
}

#[test]
fn narrow_integers_rise_within_a_page() {
    assert_eq!(monotonic("toUInt64", &[T::UInt32]), Some(Monotonicity::rising(Holds::Always)));
    let found = monotonic("toUInt8", &[T::UInt32]).unwrap();
    assert!(found.over(256, 511) && !found.over(255, 256));
    let found = monotonic("toInt8", &[T::Int32]).unwrap();
    assert!(found.over(0, 127) && found.over(-128, -1) && !found.over(100, 200));
}

#[test]
fn integers_are_rounded_in_order_where_they_stay_in_their_type() {
    let found = with_constant("round", "Int8", -1).unwrap();
    assert!(found.over(-118, 117) && !found.over(0, 127) && !found.over(-128, 0));
    assert_eq!(with_constant("round", "Int8", -3), None);
    let found = with_constant("round", "UInt8", -1).unwrap();
    assert!(found.over(0, 245) && !found.over(0, 255));
    assert_eq!(with_constant("floor", "Int8", 2), Some(Monotonicity::rising(Holds::Always)));
    assert_eq!(with_constant("round", "Float64", -2), Some(Monotonicity::rising(Holds::Always)));
    assert_eq!(with_constant("round", "Float64", 2), None);
    assert_eq!(with_constant("round", "Decimal(9, 2)", 1), Some(Monotonicity::rising(Holds::Always)));
}

#[test]
fn what_wraps_around_rises_within_the_narrower_type() {
    let cast = |from: &str, to: &str| {
        let arguments = [Argument { kind: kind(from), constant: None }];
        monotonic_call("CAST", &arguments, &kind(to), &Zone::utc()).unwrap()
    };
    let days = cast("Date32", "Date");
    assert!(days.over(0, 65_535) && !days.over(-1, 65_535) && !days.over(0, 65_536));
    assert!(cast("Date", "DateTime").over(1, 49_709) && !cast("Date", "DateTime").over(1, 49_711));
    let seconds = cast("DateTime64(3, 'UTC')", "DateTime('UTC')");
    assert!(seconds.over(0, 4_294_967_295_999) && !seconds.over(-1, 0) && !seconds.over(0, 4_294_967_296_000));
    assert!(!cast("DateTime64(3, 'UTC')", "Date").over(-1, 0));
    // How long the interval is decides.
    assert_eq!(monotonic("toStartOfInterval", &[T::Date32, T::Interval(IntervalKind::Week)]), None);
}

#[test]
fn decimals_move_with_exact_constants() {
    let direction = |name, constant| with_constant(name, "Decimal(9, 2)", constant).map(|found| found.direction);
    assert_eq!(direction("plus", -5), Some(Direction::Rising));
    assert_eq!(direction("multiply", -5), Some(Direction::Falling));
    assert_eq!(direction("multiply", 0), None);
    assert_eq!(with_constant("plus", "Decimal(76, 2)", 5), None);
}

#[test]
fn numbers_of_more_than_64_bits_move_within_what_they_hold() {
    let found = with_constant("plus", "Int128", 5).unwrap();
    assert!(found.over(-(1 << 100), 1 << 100) && !found.over(0, i128::MAX));
    assert_eq!(with_constant("multiply", "Int256", -5).map(|found| found.direction), Some(Direction::Falling));
    assert!(!with_constant("minus", "UInt128", 5).unwrap().over(4, 100));
    assert_eq!(with_constant("intDiv", "Int128", 7), Some(Monotonicity::rising(Holds::Always)));
    // Above 2^255 a UInt256 lies below zero in the order of keys.
    let found = monotonic("toFloat64", &[T::UInt256]).unwrap();
    assert!(found.over(0, i128::MAX) && !found.over(-1, 0));
    assert_eq!(with_constant("divide", "Decimal(9, 2)", -4).map(|found| found.direction), Some(Direction::Falling));
    let found = monotonic("toInt32", &[kind("DateTime64(3, 'UTC')")]).unwrap();
    assert!(found.over(-5, 2_147_483_647_000) && !found.over(0, 2_147_483_648_000));
}

#[test]
fn constants_decide_about_arithmetic() {
    let found = with_constant("plus", "Int64", 5).unwrap();
    assert!(found.over(0, 100) && !found.over(0, i64::MAX.into()));
    assert_eq!(with_constant("intDiv", "UInt64", 10), Some(Monotonicity::rising(Holds::Always)));
    assert_eq!(with_constant("intDiv", "Int32", -10).map(|found| found.direction), Some(Direction::Falling));
    assert_eq!(with_constant("intDiv", "UInt64", 0), None);
    assert_eq!(monotonic("negate", &[T::UInt32]), Some(Monotonicity::falling(Holds::Always)));
    let found = monotonic("negate", &[T::Int32]).unwrap();
    assert!(found.over(i128::from(i32::MIN) + 1, i32::MAX.into()) && !found.over(i32::MIN.into(), 0));
}

#[test]
fn whole_quotients_of_floats_follow_what_is_divided() {
    let divided = |of: &str, by: f64| {
        let constant = Some(ScalarValue::Float64(Some(by)));
        let arguments = [Argument { kind: kind(of), constant: None }, Argument { kind: T::Float64, constant }];
        monotonic_call("intDiv", &arguments, &T::Int64, &Zone::utc())
    };
    let everywhere = Holds::Between(i128::MIN, i128::MAX);
    assert_eq!(divided("Float64", 2.5), Some(Monotonicity::rising(everywhere)));
    assert_eq!(divided("UInt32", -0.5), Some(Monotonicity::falling(everywhere)));
    assert_eq!(with_constant("intDiv", "Float32", -3), Some(Monotonicity::falling(everywhere)));
    assert_eq!(divided("Float64", 0.0), None);
    assert_eq!(divided("Int32", f64::NAN), None);
    assert_eq!(divided("Float64", f64::INFINITY), None);
    // Of a constant that is divided the result falls on either side of zero, and not over it.
    let constant = Some(ScalarValue::Float64(Some(2.0)));
    let arguments = [Argument { kind: T::Float64, constant }, Argument { kind: T::Float64, constant: None }];
    assert_eq!(monotonic_call("intDiv", &arguments, &T::Int64, &Zone::utc()), None);
}

#[test]
fn integers_are_seconds_of_any_width_and_days_as_far_as_there_are_days() {
    for of in ["Int8", "UInt64", "Int128", "UInt128", "Int256"] {
        for name in ["toDateTime", "toDateTime64"] {
            assert_eq!(monotonic(name, &[kind(of)]), Some(Monotonicity::rising(Holds::Always)), "{name} of {of}");
        }
    }
    assert!(!monotonic("toDateTime", &[T::UInt256]).unwrap().over(-1, 0));
    let days = monotonic("toDate", &[T::Int256]).unwrap();
    assert!(days.over(i128::MIN, 65_535) && !days.over(0, 65_536));
}

#[test]
fn wide_integers_wrap_where_the_target_has_not_all_of_them() {
    let cast = |from: &str, to: &str| monotonic(&format!("to{to}"), &[kind(from)]).unwrap();
    let (least, most) = (i128::MIN, i128::MAX);
    for (from, to) in [("Int256", "Int128"), ("UInt128", "Int128"), ("Int128", "UInt128"), ("UInt256", "Int256")] {
        assert!(matches!(cast(from, to).holds, Holds::Between(..)), "{from} to {to}");
    }
    assert!(cast("Int256", "Int128").over(least, most) && cast("UInt128", "Int128").over(0, most));
    assert!(!cast("Int128", "UInt128").over(-1, 0) && !cast("Int128", "UInt256").over(-1, 0));
    for (from, to) in [("Int128", "Int256"), ("UInt128", "Int256"), ("UInt128", "UInt256")] {
        assert_eq!(cast(from, to).holds, Holds::Always, "{from} to {to}");
    }
}
