//! The guess that one value gives: a word of text, a literal, a JSON value.

use gristmill_introspect::Settings;
use gristmill_types::scan::best_effort::Customs;
use gristmill_types::scan::json::{JsonCursor, JsonKind};
use gristmill_types::scan::{Scan, best_effort, date, number, quoted};
use gristmill_types::zone::Zone;

use super::guess::{Guess, Origin, Seen, element, same_kind};
use crate::Format;

/// Values nested deeper than this are text.
const DEPTH_MAX: usize = 100;
/// No date or time is longer.
const TIME_BYTES_MAX: usize = 50;
/// Days that `Date` can hold, from 0.
const DATE_DAYS_MAX: i32 = 65_535;
/// Days whose every second `DateTime` can hold, from 0.
const DATETIME_DAYS_MAX: i32 = 49_709;
/// Seconds since the epoch that fit `DateTime64(9)`, in either direction.
const NANOSECONDS_MAX: i64 = 9_223_372_036;

/// The settings that have a say.
pub(crate) struct Rules {
    integers: bool,
    exponents: bool,
    dates: bool,
    times: bool,
    only_datetime64: bool,
    us: bool,
    /// Times have one form; others are text.
    basic: bool,
    /// Objects are named tuples; else maps, or text.
    objects: bool,
    objects_as_text: bool,
    /// Arrays of values of different kinds are tuples; else arrays of text.
    tuples: bool,
    /// How JSON's values mix.
    json: Origin,
    /// Texts in quotes may be numbers.
    quoted_numbers: bool,
    /// Whole numbers that no 64 bits hold are text, else Float64.
    huge_as_text: bool,
    zone: Zone,
}

impl Rules {
    pub fn of(format: Format, settings: &Settings) -> Rules {
        use Format as F;
        let is_csv = matches!(format, F::Csv | F::CsvWithNames | F::CsvWithNamesAndTypes);
        let is_json = format.name().starts_with("JSON");
        Rules {
            quoted_numbers: match is_csv {
                true => settings.input_format_csv_try_infer_numbers_from_strings,
                false => is_json && settings.input_format_json_try_infer_numbers_from_strings,
            },
            huge_as_text: is_json
                || (format.is_custom() && !matches!(settings.format_custom_escaping_rule.as_str(), "CSV" | "Quoted"))
                || matches!(
                    format,
                    F::Tsv
                        | F::TsvWithNames
                        | F::TsvWithNamesAndTypes
                        | F::TsvRaw
                        | F::TsvRawWithNames
                        | F::TsvRawWithNamesAndTypes
                        | F::Tskv
                ),
            integers: settings.input_format_try_infer_integers,
            exponents: settings.input_format_try_infer_exponent_floats,
            dates: settings.input_format_try_infer_dates,
            times: settings.input_format_try_infer_datetimes,
            only_datetime64: settings.input_format_try_infer_datetimes_only_datetime64,
            us: settings.date_time_input_format == "best_effort_us",
            basic: settings.date_time_input_format == "basic",
            objects: settings.input_format_json_try_infer_named_tuples_from_objects,
            objects_as_text: settings.input_format_json_read_objects_as_strings,
            tuples: !settings.input_format_json_infer_array_of_dynamic_from_array_of_different_types,
            json: Origin::json(settings),
            zone: Zone::utc(),
        }
    }

    /// A field without quotes. `any_case`: TRUE and False are Bools too.
    pub fn word(&self, text: &[u8], any_case: bool) -> Guess {
        let is_word = |word: &[u8]| if any_case { text.eq_ignore_ascii_case(word) } else { text == word };
        if is_word(b"true") || is_word(b"false") {
            return Guess::Bool;
        }
        self.number(text, self.exponents).or_else(|| self.time(text)).unwrap_or(Guess::String)
    }

    /// The text of a string.
    pub fn text(&self, text: &[u8]) -> Guess {
        let number = || self.number(text, true).filter(|_| self.quoted_numbers);
        number().or_else(|| self.time(text)).unwrap_or(Guess::String)
    }

    fn number(&self, text: &[u8], exponents: bool) -> Option<Guess> {
        let negative = text.first() == Some(&b'-');
        let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
        let is_word = |word: &[u8]| digits.eq_ignore_ascii_case(word);
        if is_word(b"inf") || is_word(b"nan") || is_word(b"infinity") {
            return Some(Guess::Float);
        }
        if !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) {
            let unsigned = text.strip_prefix(b"+").unwrap_or(text);
            return Some(if !self.integers {
                Guess::Float
            } else if number::integer::<i64>(unsigned, false).is_ok() {
                Guess::Int { negative }
            } else if !negative && number::integer::<u64>(unsigned, false).is_ok() {
                Guess::UInt
            } else if self.huge_as_text {
                Guess::String
            } else {
                Guess::Float
            });
        }
        let has_exponent = digits.iter().any(|c| matches!(c, b'e' | b'E'));
        let shaped = digits.iter().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b'e' | b'E' | b'+' | b'-'));
        let begins = digits.first().is_some_and(|c| c.is_ascii_digit() || *c == b'.');
        (begins && shaped && (exponents || !has_exponent) && number::float64(digits).is_ok()).then_some(Guess::Float)
    }

    /// A date, or a date with a time. Digits alone are a number, words alone are text.
    fn time(&self, text: &[u8]) -> Option<Guess> {
        if text.len() < 8 || text.len() > TIME_BYTES_MAX || !text.is_ascii() {
            return None;
        }
        let count = |wanted: u8| text.iter().filter(|c| **c == wanted).count();
        let (slashes, dashes, colons) = (count(b'/'), count(b'-'), count(b':'));
        let only_a_date = text.iter().all(|c| c.is_ascii_digit() || matches!(c, b'-' | b'/'));
        if only_a_date && (dashes == 2 || slashes == 2) && text[..4].iter().all(u8::is_ascii_digit) {
            // Zeroes are read as a day, and yet show none.
            let days = date::date(text).ok().filter(|_| text.iter().any(|c| matches!(c, b'1'..=b'9')))?;
            if (0..=DATE_DAYS_MAX).contains(&days) && self.dates {
                return Some(Guess::Date);
            }
            if (0..=DATETIME_DAYS_MAX).contains(&days) && !self.only_datetime64 {
                return self.times.then_some(Guess::DateTime);
            }
            let within = i64::from(days).abs() * 86_400 <= NANOSECONDS_MAX;
            return (self.times && within).then_some(Guess::DateTime64);
        }
        if !self.times || (colons == 0 && slashes != 2) || text.iter().filter(|c| c.is_ascii_digit()).count() < 6 {
            return None;
        }
        let seconds = best_effort::date_time(text, 0, &self.zone, Customs { us: self.us, now_seconds: None }).ok()?;
        let is_read = |scale: u8, fine: bool| !self.basic || date::basic(text, scale, &self.zone, fine).is_ok();
        let fraction = text.windows(3).any(|c| c[0].is_ascii_digit() && c[1] == b'.' && c[2].is_ascii_digit()) && colons > 0;
        if !fraction && !self.only_datetime64 && (0..=i64::from(u32::MAX)).contains(&seconds) {
            return is_read(0, false).then_some(Guess::DateTime);
        }
        (seconds.abs() <= NANOSECONDS_MAX && is_read(9, true)).then_some(Guess::DateTime64)
    }

    /// An array, tuple or map in ClickHouse's notation; `None` where the text is none.
    pub fn nested(&self, text: &[u8]) -> Option<Seen> {
        let mut literals = Literals { rules: self, exponents: self.exponents, text, at: 0 };
        let seen = literals.value(0)?;
        (literals.peek().is_none() && !matches!(seen.guess, Guess::String)).then_some(seen)
    }

    /// A literal as `Values` has it.
    pub fn literal(&self, text: &[u8]) -> Seen {
        let mut literals = Literals { rules: self, exponents: true, text, at: 0 };
        match literals.value(0) {
            Some(seen) if literals.peek().is_none() => seen,
            _ => Guess::String.into(),
        }
    }

    /// The next value of a JSON text.
    pub fn json(&self, cursor: &mut JsonCursor<'_>, depth: usize) -> Scan<Seen> {
        let kind = cursor.kind()?;
        if depth > DEPTH_MAX {
            cursor.value()?;
            return Ok(Guess::String.into());
        }
        Ok(match kind {
            JsonKind::Null => {
                cursor.value()?;
                Seen::NULL
            }
            JsonKind::Bool(_) => {
                cursor.value()?;
                Guess::Bool.into()
            }
            JsonKind::Number => {
                let text = cursor.value()?;
                self.number(text, true).unwrap_or(Guess::String).into()
            }
            JsonKind::String => {
                let mut scratch = Vec::new();
                self.text(cursor.string(&mut scratch)?).into()
            }
            JsonKind::Array => self.json_array(cursor, depth)?.into(),
            JsonKind::Object if !self.objects && self.objects_as_text => {
                cursor.value()?;
                Guess::String.into()
            }
            JsonKind::Object if !self.objects => {
                let mut seen = Seen::nothing();
                for (_, next) in self.object(cursor, depth)? {
                    seen = element(seen, next, self.json).unwrap_or_else(|| Guess::String.into());
                }
                Guess::Map(Box::new(Guess::String.into()), Box::new(seen)).into()
            }
            JsonKind::Object => Guess::Object(self.object(cursor, depth)?).into(),
        })
    }

    fn json_array(&self, cursor: &mut JsonCursor<'_>, depth: usize) -> Scan<Guess> {
        let (mut seen, mut elements, mut fit) = (Seen::nothing(), Vec::new(), true);
        cursor.expect(b'[')?;
        if cursor.eat(b']') {
            return Ok(Guess::Array(Box::new(seen)));
        }
        loop {
            let next = self.json(cursor, depth + 1)?;
            if self.tuples {
                fit = fit && seen.clone().merged(next.clone(), self.json).is_some();
                elements.push(next.clone());
            }
            seen = element(seen, next, self.json).unwrap_or_else(|| Guess::String.into());
            if !cursor.eat(b',') {
                break;
            }
        }
        cursor.expect(b']')?;
        Ok(if fit { Guess::Array(Box::new(seen)) } else { Guess::Tuple(elements) })
    }

    /// The fields of a JSON object. A name that comes again adds to what it showed before.
    pub fn object(&self, cursor: &mut JsonCursor<'_>, depth: usize) -> Scan<Vec<(String, Seen)>> {
        cursor.expect(b'{')?;
        let mut fields: Vec<(String, Seen)> = Vec::new();
        if cursor.eat(b'}') {
            return Ok(fields);
        }
        let mut scratch = Vec::new();
        loop {
            let name = String::from_utf8_lossy(cursor.string(&mut scratch)?).into_owned();
            cursor.expect(b':')?;
            let seen = self.json(cursor, depth + 1)?;
            fields.push((name, seen));
            if cursor.eat(b',') {
                continue;
            }
            cursor.expect(b'}')?;
            return Ok(fields);
        }
    }
}

/// A walk over literals: `[1, (2, 'a'), NULL]`.
struct Literals<'a> {
    rules: &'a Rules,
    /// Numbers may have an exponent.
    exponents: bool,
    text: &'a [u8],
    at: usize,
}

impl Literals<'_> {
    fn peek(&mut self) -> Option<u8> {
        while self.text.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, c: u8) -> bool {
        let found = self.peek() == Some(c);
        self.at += usize::from(found);
        found
    }

    fn value(&mut self, depth: usize) -> Option<Seen> {
        if depth > DEPTH_MAX {
            return None;
        }
        Some(match self.peek()? {
            b'\'' | b'"' => {
                let mut text = Vec::new();
                self.at += quoted::quoted(&self.text[self.at..], &mut text).ok()?;
                self.rules.text(&text).into()
            }
            b'[' => {
                let mut seen = Seen::nothing();
                self.items(b'[', b']', |literals| {
                    let next = literals.value(depth + 1)?;
                    let before = std::mem::replace(&mut seen, Seen::nothing());
                    seen = same_kind(before, next)?;
                    Some(())
                })?;
                Guess::Array(Box::new(seen)).into()
            }
            b'(' => {
                let mut fields = Vec::new();
                self.items(b'(', b')', |literals| {
                    fields.push(literals.value(depth + 1)?);
                    Some(())
                })?;
                Guess::Tuple(fields).into()
            }
            b'{' => {
                let (mut keys, mut seen) = (Seen::nothing(), Seen::nothing());
                self.items(b'{', b'}', |literals| {
                    let key = literals.value(depth + 1)?;
                    // Keys are single values, and none is NULL.
                    if key.null || matches!(key.guess, Guess::Array(_) | Guess::Tuple(_) | Guess::Map(..)) {
                        return None;
                    }
                    keys = same_kind(std::mem::replace(&mut keys, Seen::nothing()), key)?;
                    if !literals.eat(b':') {
                        return None;
                    }
                    let next = literals.value(depth + 1)?;
                    let before = std::mem::replace(&mut seen, Seen::nothing());
                    seen = same_kind(before, next)?;
                    Some(())
                })?;
                Guess::Map(Box::new(keys), Box::new(seen)).into()
            }
            _ => {
                let rest = &self.text[self.at..];
                let ends = |c: &u8| matches!(c, b',' | b']' | b')' | b'}' | b':');
                let length = rest.iter().position(ends).unwrap_or(rest.len());
                self.at += length;
                let word = rest[..length].trim_ascii();
                match word {
                    _ if word.eq_ignore_ascii_case(b"null") => Seen::NULL,
                    _ if word.eq_ignore_ascii_case(b"true") || word.eq_ignore_ascii_case(b"false") => Guess::Bool.into(),
                    _ => self.rules.number(word, self.exponents)?.into(),
                }
            }
        })
    }

    fn items(&mut self, open: u8, close: u8, mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        if !self.eat(open) {
            return None;
        }
        if self.eat(close) {
            return Some(());
        }
        loop {
            item(self)?;
            if self.eat(close) {
                return Some(());
            }
            if !self.eat(b',') {
                return None;
            }
        }
    }
}
