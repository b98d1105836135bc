//! Cash flows: `financialNetPresentValue`, `financialInternalRateOfReturn`, and their `Extended` forms with dates.
//!
//! The net present value divides each cash flow by the growth until then. The internal rate of return is the rate at which that is 0,
//! found by Newton's method within bounds; where it does not lead there, by halving the bounds.

use SqlType as T;
use arrow::array::AsArray;
use arrow::datatypes::{Date32Type, Float64Type};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::arrays::Lists;
use crate::columns::{Numbers, numbers};
use crate::define::{arity, constant_bytes, constant_integer, expect_array, illegal, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound};

pub fn register(registry: &mut Registry) {
    registry.scalar("financialNetPresentValue", plain(|name, arguments, _| present_value(name, arguments)));
    registry.scalar("financialNetPresentValueExtended", plain(|name, arguments, _| present_value_dated(name, arguments)));
    registry.scalar("financialInternalRateOfReturn", plain(|name, arguments, _| rate_of_return(name, arguments)));
    registry
        .scalar("financialInternalRateOfReturnExtended", plain(|name, arguments, _| rate_of_return_dated(name, arguments)));
}

fn wrong(text: impl Into<String>) -> Error {
    Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, text.into())
}

fn expect_flows(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    let element = expect_array(name, arguments, i)?;
    let is_native = matches!(element, T::Float32 | T::Float64) || matches!(element.integer_bits(), Some((..=64, true)));
    if is_native { Ok(()) } else { Err(illegal(name, arguments, i, "an array of floats or signed integers")) }
}

fn expect_dates(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    match expect_array(name, arguments, i)? {
        T::Date | T::Date32 => Ok(()),
        _ => Err(illegal(name, arguments, i, "Array(Date) or Array(Date32)")),
    }
}

fn expect_float(name: &str, arguments: &[Argument], i: usize) -> Result<()> {
    match arguments[i].kind {
        T::Float32 | T::Float64 => Ok(()),
        _ => Err(illegal(name, arguments, i, "Float32 or Float64")),
    }
}

/// Days of a year, by the name of the convention.
fn days_of_year(name: &str, arguments: &[Argument], i: usize) -> Result<f64> {
    let Some(argument) = arguments.get(i) else { return Ok(365.0) };
    if argument.kind != T::String {
        return Err(illegal(name, arguments, i, "a constant String"));
    }
    match constant_bytes(argument).as_deref() {
        Some(b"ACT_365F") => Ok(365.0),
        Some(b"ACT_365_25") => Ok(365.25),
        Some(other) => {
            let text = format!("Function {name}: invalid day count '{}'", String::from_utf8_lossy(other));
            Err(wrong(format!("{text}, use ACT_365F or ACT_365_25")))
        }
        None => Err(wrong(format!("Argument {} of function {name} must be constant", i + 1))),
    }
}

/// Values and derivatives by the rate.
trait Flows {
    fn value(&self, rate: f64) -> f64;
    fn derivative(&self, rate: f64) -> f64;
}

/// One flow a period; the first is now, or at the end of the first period.
struct Periodic<'a> {
    flows: &'a [f64],
    from_now: bool,
}

impl Flows for Periodic<'_> {
    fn value(&self, rate: f64) -> f64 {
        if rate == 0.0 {
            return self.flows.iter().sum();
        }
        if rate <= -1.0 {
            return f64::INFINITY;
        }
        let growth = 1.0 + rate;
        let (mut value, mut factor) = (0.0, growth);
        let (now, later) = self.flows.split_at(usize::from(self.from_now));
        value += now.iter().sum::<f64>();
        for flow in later {
            value += flow / factor;
            factor *= growth;
        }
        value
    }

    fn derivative(&self, rate: f64) -> f64 {
        if rate <= -1.0 {
            return f64::NAN;
        }
        let mut factor = 1.0 + rate;
        let mut derivative = 0.0;
        for (i, flow) in self.flows.iter().enumerate().skip(1) {
            factor *= 1.0 + rate;
            derivative += -flow * i as f64 / factor;
        }
        derivative
    }
}

struct Dated<'a> {
    flows: &'a [f64],
    days: &'a [i32],
    days_of_year: f64,
}

impl Dated<'_> {
    fn years(&self) -> impl Iterator<Item = (f64, f64)> {
        self.flows.iter().zip(self.days).map(|(flow, day)| {
            let days = i64::from(*day) - i64::from(self.days[0]);
            (*flow, days as f64 / self.days_of_year)
        })
    }
}

impl Flows for Dated<'_> {
    fn value(&self, rate: f64) -> f64 {
        if rate <= -1.0 {
            return f64::INFINITY;
        }
        self.years().fold(0.0, |sum, (flow, years)| sum + if years == 0.0 { flow } else { flow / (1.0 + rate).powf(years) })
    }

    fn derivative(&self, rate: f64) -> f64 {
        if rate <= -1.0 {
            return f64::INFINITY;
        }
        self.years()
            .filter(|(_, years)| *years != 0.0)
            .fold(0.0, |sum, (flow, years)| sum - flow * years / (1.0 + rate).powf(years + 1.0))
    }
}

const LOW: f64 = -0.999_999;
const HIGH: f64 = 100.0;
const STEPS_MAX: usize = 100;
/// A rate counts where the value is that near to 0.
const NEAR: f64 = 1e-6;

/// The rate; NaN where there is none within the bounds.
fn solve(flows: &impl Flows, guess: f64) -> f64 {
    if let Some(rate) = newton(flows, guess)
        && (LOW..=HIGH).contains(&rate)
        && flows.value(rate).abs() < NEAR
    {
        return rate;
    }
    let (mut low, mut high) = (LOW, HIGH);
    let (of_low, of_high) = (flows.value(low), flows.value(high));
    let has_root = of_low * of_high < 0.0;
    if !has_root {
        return f64::NAN;
    }
    for _ in 0..2 * STEPS_MAX {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if (flows.value(middle) < 0.0) == (of_low < 0.0) { low = middle } else { high = middle }
    }
    low
}

/// Newton's method; a step that helps less than the one before the last goes half the way to the bound instead.
fn newton(flows: &impl Flows, guess: f64) -> Option<f64> {
    let (mut low, mut high, mut rate) = (LOW, HIGH, guess);
    let precision = 2f64.powi(1 - (53 - 4));
    let (mut step, mut before) = (f64::MAX, f64::MAX);
    for _ in 0..STEPS_MAX {
        let second = before;
        before = step;
        let (value, slope) = (flows.value(rate), flows.derivative(rate));
        if value == 0.0 {
            return Some(rate);
        }
        if slope == 0.0 || !slope.is_finite() || !value.is_finite() {
            return None;
        }
        step = value / slope;
        if (step * 2.0).abs() > second.abs() {
            let half = if step > 0.0 { (rate - low) / 2.0 } else { (rate - high) / 2.0 };
            step = if rate != 0.0 && half.abs() > rate.abs() { step.signum() * rate.abs() * 1.1 } else { half };
            before = 3.0 * step;
        }
        let last = rate;
        rate -= step;
        if rate <= low {
            step = 0.5 * (last - low);
            rate = last - step;
        } else if rate >= high {
            step = 0.5 * (last - high);
            rate = last - step;
        }
        if step > 0.0 {
            high = last
        } else {
            low = last
        }
        if (rate * precision).abs() >= step.abs() {
            return Some(rate);
        }
    }
    Some(rate)
}

fn present_value(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=3)?;
    expect_float(name, arguments, 0)?;
    expect_flows(name, arguments, 1)?;
    let mut from_now = true;
    let mut casts = vec![T::Float64, SqlType::array(T::Float64)];
    if let Some(given) = arguments.get(2) {
        if !matches!(given.kind, T::Bool | T::UInt8) {
            return Err(illegal(name, arguments, 2, "a constant Bool"));
        }
        let given = constant_integer(given);
        from_now = given.ok_or_else(|| wrong(format!("Argument 3 of function {name} must be a constant Bool")))? != 0;
        casts.push(arguments[2].kind.clone());
    }
    Ok(Bound::cast(casts, T::Float64, move |args, rows| {
        let (rates, lists) = (Numbers::of::<Float64Type>(&args[0])?, Lists::of(&args[1])?);
        let flows = lists.values().as_primitive::<Float64Type>().values();
        numbers::<Float64Type>(rows, |row| {
            let flows = &flows[lists.range(row)];
            if flows.is_empty() {
                return Err(wrong("The array of cash flows must not be empty"));
            }
            Ok(Periodic { flows, from_now }.value(rates.get(row)))
        })
    }))
}

/// Calls `f` with each row's flows and days.
fn dated(
    name: &str,
    args: &[arrow::array::ArrayRef],
    rows: usize,
    f: impl Fn(usize, &[f64], &[i32]) -> Result<f64>,
) -> Result<arrow::array::ArrayRef> {
    let (flows, days) = (Lists::of(&args[0])?, Lists::of(&args[1])?);
    let all_flows = flows.values().as_primitive::<Float64Type>().values();
    let all_days = days.values().as_primitive::<Date32Type>().values();
    numbers::<Float64Type>(rows, |row| {
        let (flows, days) = (&all_flows[flows.range(row)], &all_days[days.range(row)]);
        if flows.len() != days.len() {
            return Err(wrong(format!("Function {name}: there must be as many dates as cash flows in each row")));
        }
        f(row, flows, days)
    })
}

fn present_value_dated(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 3..=4)?;
    expect_float(name, arguments, 0)?;
    expect_flows(name, arguments, 1)?;
    expect_dates(name, arguments, 2)?;
    let days_of_year = days_of_year(name, arguments, 3)?;
    let mut casts = vec![T::Float64, SqlType::array(T::Float64), SqlType::array(T::Date32)];
    casts.extend(arguments.get(3).map(|argument| argument.kind.clone()));
    let name = name.to_string();
    Ok(Bound::cast(casts, T::Float64, move |args, rows| {
        let rates = Numbers::of::<Float64Type>(&args[0])?;
        dated(&name, &args[1..], rows, |row, flows, days| Ok(Dated { flows, days, days_of_year }.value(rates.get(row))))
    }))
}

/// The constant that the search begins with.
fn guess(name: &str, arguments: &[Argument], i: usize) -> Result<f64> {
    use datafusion::common::ScalarValue;
    if arguments.len() <= i {
        return Ok(0.1);
    }
    expect_float(name, arguments, i)?;
    match arguments[i].constant {
        Some(ScalarValue::Float64(Some(guess))) => Ok(guess),
        Some(ScalarValue::Float32(Some(guess))) => Ok(guess.into()),
        _ => Err(wrong(format!("Argument {} of function {name} must be constant", i + 1))),
    }
}

fn rate_of_return(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 1..=2)?;
    expect_flows(name, arguments, 0)?;
    let guess = guess(name, arguments, 1)?;
    let mut casts = vec![SqlType::array(T::Float64)];
    casts.extend(arguments.get(1).map(|argument| argument.kind.clone()));
    Ok(Bound::cast(casts, T::Float64, move |args, rows| {
        let lists = Lists::of(&args[0])?;
        let flows = lists.values().as_primitive::<Float64Type>().values();
        numbers::<Float64Type>(rows, |row| {
            let flows = &flows[lists.range(row)];
            let both = flows.iter().any(|flow| *flow > 0.0) && flows.iter().any(|flow| *flow < 0.0);
            Ok(if both { solve(&Periodic { flows, from_now: true }, guess) } else { f64::NAN })
        })
    }))
}

fn rate_of_return_dated(name: &str, arguments: &[Argument]) -> Result<Bound> {
    arity(name, arguments, 2..=4)?;
    expect_flows(name, arguments, 0)?;
    expect_dates(name, arguments, 1)?;
    let guess = guess(name, arguments, 2)?;
    let days_of_year = days_of_year(name, arguments, 3)?;
    let mut casts = vec![SqlType::array(T::Float64), SqlType::array(T::Date32)];
    casts.extend(arguments[2..].iter().map(|argument| argument.kind.clone()));
    let name = name.to_string();
    Ok(Bound::cast(casts, T::Float64, move |args, rows| {
        dated(&name, args, rows, |_, flows, days| {
            let sorted = days.windows(2).all(|pair| pair[0] < pair[1]);
            if flows.len() < 2 || flows.iter().all(|flow| *flow == 0.0) || !sorted {
                return Ok(f64::NAN);
            }
            Ok(solve(&Dated { flows, days, days_of_year }, guess))
        })
    }))
}
