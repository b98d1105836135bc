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
        let class = next(&mut value).ok_or_else(|| wrong_count(name, "more"))?;
        let (place, after) = Place::read(name, rest)?;
        rest = after;
        if !class.takes(place.letter) {
            let (letter, shown) = (char::from(place.letter), String::from_utf8_lossy(&value));
            return Err(bad_argument(name, format!("'%{letter}' does not print such a value as {shown}")));
        }
        place.write(&value, out);
    }
    out.extend_from_slice(rest);
    Ok(())
}

/// A place in the pattern: how its value is written.
struct Place<'a> {
    letter: u8,
    /// Some of `-+ 0#`.
    marks: &'a [u8],
    width: usize,
    precision: Option<usize>,
    /// How wide a whole number is taken to be: 8 for `%hhd`, 16 for `%hd`, else 64.
    bits: u32,
}

/// A width or precision beyond this is a mistake. Rust's own formatting ends at 65,535.
const WIDEST: usize = 32_767;

/// Digits that the text begins with, as a number (0 without any), and what follows them.
fn number<'p>(name: &str, text: &'p [u8]) -> Result<(usize, &'p [u8])> {
    let (digits, rest) = text.split_at(text.iter().take_while(|c| c.is_ascii_digit()).count());
    let value =
        digits.iter().fold(0_usize, |value, digit| value.saturating_mul(10).saturating_add(usize::from(digit - b'0')));
    if value > WIDEST {
        return Err(bad_argument(name, format!("a width or precision in the pattern is beyond {WIDEST}")));
    }
    Ok((value, rest))
}

/// Characters of a text, which may be no UTF-8.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| begins_character(**byte)).count()
}

fn begins_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

impl<'a> Place<'a> {
    /// The place that the text behind a percent sign begins with, and what follows it.
    fn read(name: &str, text: &'a [u8]) -> Result<(Place<'a>, &'a [u8])> {
        let (marks, rest) = text.split_at(text.iter().take_while(|c| b"-+ 0#".contains(c)).count());
        let (width, rest) = number(name, rest)?;
        let (precision, rest) = match rest.strip_prefix(b".") {
            Some(rest) => {
                let (digits, rest) = number(name, rest)?;
                (Some(digits), rest)
            }
            None => (None, rest),
        };
        // How wide an argument is, is known here: `%lld` and `%Lf` are `%d` and `%f`.
        let (sizes, rest) = rest.split_at(rest.iter().take_while(|c| b"hljztL".contains(c)).count());
        let bits = match sizes {
            b"hh" => 8,
            b"h" => 16,
            _ => 64,
        };
        let (letter, rest) = rest.split_first().ok_or_else(|| bad_argument(name, "the pattern ends within '%'"))?;
        Ok((Place { letter: *letter, marks, width, precision, bits }, rest))
    }

    fn has(&self, mark: u8) -> bool {
        self.marks.contains(&mark)
    }

    fn write(&self, value: &[u8], out: &mut Vec<u8>) {
        let text = String::from_utf8_lossy(value);
        match self.letter {
            b's' => {
                let beginnings = value.iter().enumerate().filter(|(_, byte)| begins_character(**byte));
                let end = self.precision.and_then(|most| beginnings.map(|(at, _)| at).nth(most));
                self.put(b"", &value[..end.unwrap_or(value.len())], false, out);
            }
            b'c' => self.put(b"", &[whole(&text) as u8], false, out),
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                let (before, digits) = self.whole(&text);
                self.put(before.as_bytes(), digits.as_bytes(), self.precision.is_none(), out);
            }
            _ => {
                let value = text.parse::<f64>().unwrap_or(0.0);
                let digits = self.float(value.abs());
                self.put(self.sign(value.is_sign_negative()).as_bytes(), digits.as_bytes(), value.is_finite(), out);
            }
        }
    }

    /// `before` is the sign and what tells the base; zeros that fill up a number stand behind it.
    fn put(&self, before: &[u8], text: &[u8], takes_zeros: bool, out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(characters(before) + characters(text));
        let to_the_left = self.has(b'-');
        let with_zeros = takes_zeros && self.has(b'0');
        let (blanks, zeros, blanks_behind) = match (to_the_left, with_zeros) {
            (true, _) => (0, 0, missing),
            (false, true) => (0, missing, 0),
            (false, false) => (missing, 0, 0),
        };
        out.extend(std::iter::repeat_n(b' ', blanks));
        out.extend_from_slice(before);
        out.extend(std::iter::repeat_n(b'0', zeros));
        out.extend_from_slice(text);
        out.extend(std::iter::repeat_n(b' ', blanks_behind));
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match is_negative {
            true => "-",
            false if self.has(b'+') => "+",
            false if self.has(b' ') => " ",
            false => "",
        }
    }

    /// What stands before the digits of a whole number, and these.
    fn whole(&self, text: &str) -> (String, String) {
        let value = whole(text);
        // Numbers of 128 and 256 bits are written as they are.
        let is_wide = value < i128::from(i64::MIN) || value > i128::from(u64::MAX);
        let cut = if is_wide { 0 } else { 128 - self.bits };
        let (signed, unsigned) = (value << cut >> cut, (value as u128) << cut >> cut);
        let digits = match self.letter {
            b'd' | b'i' => signed.unsigned_abs().to_string(),
            b'x' => format!("{unsigned:x}"),
            b'X' => format!("{unsigned:X}"),
            b'o' => format!("{unsigned:o}"),
            _ => unsigned.to_string(),
        };
        let least = self.precision.unwrap_or(1);
        let base = match self.letter {
            _ if !self.has(b'#') || unsigned == 0 => "",
            b'x' => "0x",
            b'X' => "0X",
            // A zero that the precision puts there is enough.
            b'o' if least <= digits.len() => "0",
            _ => "",
        };
        let sign = self.sign(matches!(self.letter, b'd' | b'i') && signed < 0);
        (format!("{sign}{base}"), format!("{digits:0>least$}"))
    }

    /// A float without its sign.
    fn float(&self, value: f64) -> String {
        let (digits, keeps_point) = (self.precision.unwrap_or(6), self.has(b'#'));
        let mut text = match self.letter.to_ascii_lowercase() {
            _ if value.is_nan() => "nan".to_string(),
            _ if value.is_infinite() => "inf".to_string(),
            b'g' => general(value, digits.max(1), keeps_point),
            b'a' => hexadecimal(value, self.precision, keeps_point),
            b'e' => exponential(value, digits, keeps_point),
            _ if digits == 0 && keeps_point => format!("{value:.0}."),
            _ => format!("{value:.digits$}"),
        };
        if self.letter.is_ascii_uppercase() {
            text.make_ascii_uppercase();
        }
        text
    }
}

fn whole(text: &str) -> i128 {
    text.parse::<i128>().ok().or_else(|| text.parse::<f64>().ok().map(|value| value as i128)).unwrap_or(0)
}

/// `0x1.8p+0`: the bits of a float by sixteens. With a point behind a single digit too, where that is kept.
fn hexadecimal(value: f64, precision: Option<usize>, keeps_point: bool) -> String {
    /// Digits of a mantissa.
    const DIGITS: usize = 13;
    let bits = value.to_bits();
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
    let point = if digits.is_empty() && !keeps_point { "" } else { "." };
    format!("0x{lead:x}{point}{digits}p{exponent:+}")
}

/// So many digits, with an exponent where that is large or small. None of them is a zero at the end, unless these are kept.
fn general(value: f64, digits: usize, keeps_zeros: bool) -> String {
    let behind_point = digits - 1;
    let scientific = format!("{value:.behind_point$e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let without_zeros = |text: &str| match text.contains('.') {
        true if keeps_zeros => text.to_string(),
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false if keeps_zeros => format!("{text}."),
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
fn exponential(value: f64, precision: usize, keeps_point: bool) -> String {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |digits| ('-', digits));
            let point = if precision == 0 && keeps_point { "." } else { "" };
            format!("{mantissa}{point}e{sign}{digits:0>2}")
        }
        None => text,
    }
}
