//! `printf`: values in a text, as C's function of this name puts them there.

use SqlType as T;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::SqlType;

use crate::columns::{Bytes, strings};
use crate::define::{arity, bad_argument, expect_string, plain};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv};
use crate::text::Texts;

pub fn register(registry: &mut Registry) {
    registry.scalar("printf", plain(printf));
}

/// What a value can be printed as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Whole,
    Float,
    /// A decimal: as either of them.
    Number,
    Text,
}

impl Class {
    fn of(kind: &SqlType) -> Class {
        match kind {
            kind if kind.is_integer() => Class::Whole,
            kind if kind.is_float() => Class::Float,
            kind if kind.is_decimal() => Class::Number,
            _ => Class::Text,
        }
    }

    fn takes(self, letter: u8) -> bool {
        match letter {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' => matches!(self, Class::Whole | Class::Number),
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => matches!(self, Class::Float | Class::Number),
            b's' => self == Class::Text,
            _ => false,
        }
    }
}

fn printf(name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
    arity(name, arguments, 1..=usize::MAX)?;
    expect_string(name, arguments, 0)?;
    // A Float32 is printed with the digits of its value, a Bool as a number.
    let kinds = arguments.iter().map(|argument| match &argument.kind {
        T::Float32 => T::Float64,
        T::Bool => T::UInt8,
        other => other.clone(),
    });
    let kinds: Vec<SqlType> = kinds.collect();
    let classes: Vec<Class> = kinds.iter().map(Class::of).collect();
    let (name, env) = (name.to_string(), env.clone());
    Ok(Bound::cast(kinds.clone(), T::String, move |args, rows| {
        let (patterns, texts) = (Bytes::of(&args[0])?, Texts::all(args, &kinds, &env)?);
        strings(rows, |row, out| {
            let mut used = 1;
            print(&name, patterns.get(row), out, |value| {
                let class = *classes.get(used)?;
                value.clear();
                texts[used].write(row, value);
                used += 1;
                Some(class)
            })?;
            if used < texts.len() { Err(wrong_count(&name, "fewer")) } else { Ok(()) }
        })
    }))
}

fn wrong_count(name: &str, places: &str) -> Error {
    let text = format!("Number of arguments for function {name} doesn't match: the pattern has {places} places");
    Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text)
}

/// Letters that say how wide an argument is, which is known here: `%lld`.
const WIDTHS: [char; 6] = ['h', 'l', 'q', 'j', 'z', 't'];

/// C's `%s`, `%d`, `%5.2f`, `%x`, …; `%%` is a percent sign. `next` gives the arguments as texts.
fn print(name: &str, pattern: &[u8], out: &mut Vec<u8>, mut next: impl FnMut(&mut Vec<u8>) -> Option<Class>) -> Result<()> {
    let mut rest = pattern;
    let mut value = Vec::new();
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix(b"%") {
            out.push(b'%');
            rest = after;
            continue;
        }
        let end = rest
            .iter()
            .position(|c| c.is_ascii_alphabetic() && !WIDTHS.contains(&char::from(*c)))
            .ok_or_else(|| bad_argument(name, "the pattern ends within '%'"))?;
        let (flags, letter) = (&rest[..end], rest[end]);
        rest = &rest[end + 1..];
        let class = next(&mut value).ok_or_else(|| wrong_count(name, "more"))?;
        if !class.takes(letter) {
            let shown = String::from_utf8_lossy(&value);
            return Err(bad_argument(name, format!("'%{}' does not print such a value as {shown}", char::from(letter))));
        }
        let place = Place::of(std::str::from_utf8(flags).unwrap_or(""), letter);
        place.write(&String::from_utf8_lossy(&value), out);
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// A place in the pattern: how its value is written.
struct Place<'a> {
    letter: u8,
    /// Some of `-+ 0#`.
    marks: &'a str,
    width: usize,
    precision: Option<usize>,
}

/// A width or precision beyond this is a mistake.
const WIDEST: usize = 4096;

impl<'a> Place<'a> {
    fn of(flags: &'a str, letter: u8) -> Place<'a> {
        let spec = flags.trim_start_matches(['-', '+', ' ', '0', '#']);
        let marks = &flags[..flags.len() - spec.len()];
        let spec = spec.trim_end_matches(WIDTHS);
        let (width, precision) = spec.split_once('.').map_or((spec, None), |(width, digits)| (width, Some(digits)));
        let number = |digits: &str| digits.parse::<usize>().unwrap_or(0).min(WIDEST);
        Place { letter, marks, width: number(width), precision: precision.map(number) }
    }

    fn write(&self, text: &str, out: &mut Vec<u8>) {
        let mut body = self.body(text);
        let is_whole = matches!(self.letter, b'd' | b'i' | b'u' | b'x' | b'X' | b'o');
        let has_sign = matches!(self.letter, b'd' | b'i') || matches!(self.letter.to_ascii_lowercase(), b'a' | b'e'..=b'g');
        if has_sign && self.marks.contains('+') && !body.starts_with('-') {
            body.insert(0, '+');
        } else if has_sign && self.marks.contains(' ') && !body.starts_with('-') {
            body.insert(0, ' ');
        }
        let missing = self.width.saturating_sub(body.chars().count());
        if self.marks.contains('-') {
            body.push_str(&" ".repeat(missing));
        } else if self.marks.contains('0') && self.letter != b's' && !(is_whole && self.precision.is_some()) {
            let sign = usize::from(body.starts_with(['-', '+']));
            body.insert_str(sign, &"0".repeat(missing));
        } else {
            body.insert_str(0, &" ".repeat(missing));
        }
        out.extend_from_slice(body.as_bytes());
    }

    fn body(&self, text: &str) -> String {
        let whole =
            || text.parse::<i128>().ok().or_else(|| text.parse::<f64>().ok().map(|value| value as i128)).unwrap_or(0);
        let float = || text.parse::<f64>().unwrap_or(0.0);
        let has_base = self.marks.contains('#') && whole() != 0;
        match self.letter {
            b'u' if whole() < 0 => self.with_zeros(&(whole() as u64).to_string()),
            b'd' | b'i' | b'u' => self.with_zeros(&whole().to_string()),
            b'x' if has_base => format!("0x{}", self.with_zeros(&format!("{:x}", whole() as u64))),
            b'x' => self.with_zeros(&format!("{:x}", whole() as u64)),
            b'X' => self.with_zeros(&format!("{:X}", whole() as u64)),
            b'o' if has_base => format!("0{}", self.with_zeros(&format!("{:o}", whole() as u64))),
            b'o' => self.with_zeros(&format!("{:o}", whole() as u64)),
            b'c' => char::from_u32(whole().clamp(0, 0x10_FFFF) as u32).unwrap_or(char::REPLACEMENT_CHARACTER).to_string(),
            b'f' | b'F' if float().is_nan() => "nan".to_string(),
            b'f' | b'F' => format!("{:.*}", self.precision.unwrap_or(6), float()),
            b's' => self.precision.map_or_else(|| text.to_string(), |most| text.chars().take(most).collect()),
            letter => {
                let digits = self.precision.unwrap_or(6);
                let mut text = match letter.to_ascii_lowercase() {
                    b'g' => general(float(), digits.max(1)),
                    b'a' => hexadecimal(float(), self.precision),
                    _ => exponential(float(), digits),
                };
                if letter.is_ascii_uppercase() {
                    text.make_ascii_uppercase();
                }
                text
            }
        }
    }

    /// As many digits as the precision asks for.
    fn with_zeros(&self, number: &str) -> String {
        let digits = number.strip_prefix('-').unwrap_or(number);
        let sign = &number[..number.len() - digits.len()];
        format!("{sign}{digits:0>least$}", least = self.precision.unwrap_or(1))
    }
}

/// `0x1.8p+0`: the bits of a float by sixteens.
fn hexadecimal(value: f64, precision: Option<usize>) -> String {
    /// Digits of a mantissa.
    const DIGITS: usize = 13;
    if !value.is_finite() {
        return value.to_string().to_ascii_lowercase();
    }
    let bits = value.abs().to_bits();
    let (biased, fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
    let exponent = biased.max(1) - 1023;
    let whole = u64::from(biased > 0) << 52 | fraction;
    let kept = precision.unwrap_or(DIGITS).min(DIGITS);
    let cut = 4 * (DIGITS - kept);
    // Half of what is cut off goes to the even digit.
    let (rest, half) = (whole & ((1 << cut) - 1), (1_u64 << cut) >> 1);
    let up = cut > 0 && (rest > half || rest == half && whole >> cut & 1 == 1);
    let rounded = (whole >> cut) + u64::from(up);
    let (lead, digits) = (rounded >> (4 * kept), rounded & ((1 << (4 * kept)) - 1));
    let mut digits = if kept == 0 { String::new() } else { format!("{digits:0kept$x}") };
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(asked) => digits.push_str(&"0".repeat(asked - kept)),
    }
    let point = if digits.is_empty() { "" } else { "." };
    let sign = if value.is_sign_negative() { "-" } else { "" };
    format!("{sign}0x{lead:x}{point}{digits}p{exponent:+}")
}

/// So many digits, none of them a zero at the end: with an exponent where that is large or small.
fn general(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string().to_ascii_lowercase();
    }
    let behind_point = digits - 1;
    let scientific = format!("{value:.behind_point$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let without_zeros = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    match usize::try_from(digits as i64 - 1 - exponent) {
        Ok(decimals) if exponent >= -4 => without_zeros(&format!("{value:.decimals$}")),
        _ => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{}e{sign}{:0>2}", without_zeros(mantissa), exponent.unsigned_abs())
        }
    }
}

/// `1.500000e+03`
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
            format!("{mantissa}e{sign}{digits:0>2}")
        }
        None => text,
    }
}
