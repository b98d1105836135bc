//! `INTERVAL 3 hours`, `INTERVAL '1 day 2 hour'`, `INTERVAL '1-2' YEAR TO MONTH`, and `EXTRACT(unit FROM date)` with the parts of
//! a date that are no unit of an interval.

use gristmill_types::IntervalKind;
use sqlparser::ast::{Expr, UnaryOperator, Value};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use crate::dialect::call;
use crate::tokens::is_word;

/// The unit of a name: in the singular or the plural, in MySQL's words (`SQL_TSI_DAY`), or short.
pub(crate) fn unit(name: &str) -> Option<IntervalKind> {
    let name = name.to_ascii_lowercase();
    Some(match name.as_str() {
        "ns" => IntervalKind::Nanosecond,
        "ms" => IntervalKind::Millisecond,
        "ss" | "s" => IntervalKind::Second,
        "mi" | "n" => IntervalKind::Minute,
        "hh" | "h" => IntervalKind::Hour,
        "dd" | "d" => IntervalKind::Day,
        "ww" | "wk" => IntervalKind::Week,
        "mm" | "m" => IntervalKind::Month,
        "qq" | "q" => IntervalKind::Quarter,
        "yyyy" | "yy" => IntervalKind::Year,
        name => {
            let of_mysql = name.strip_prefix("sql_tsi_");
            let singular = of_mysql.unwrap_or_else(|| name.strip_suffix('s').unwrap_or(name));
            return IntervalKind::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(singular));
        }
    })
}

fn in_unit(unit: IntervalKind, value: Expr) -> Expr {
    call(&format!("toInterval{}", unit.name()), vec![value])
}

/// Words behind a column, which are no column themselves.
const AFTER_NAME: &[&str] = &[
    "FROM", "AS", "IS", "IN", "AND", "OR", "LIKE", "ILIKE", "BETWEEN", "ASC", "DESC", "THEN", "ELSE", "END", "WHERE",
    "GROUP", "ORDER", "LIMIT", "UNION",
];

/// What begins with INTERVAL: an interval, or the column of that name.
pub(crate) fn parse(parser: &mut Parser) -> Result<Expr, ParserError> {
    let next = &parser.peek_nth_token_ref(1).token;
    if matches!(next, Token::SingleQuotedString(_)) {
        // No text follows a column.
        return parse_interval(parser);
    }
    let is_name = AFTER_NAME.iter().any(|word| is_word(next, word));
    match if is_name { None } else { parser.maybe_parse(parse_interval)? } {
        Some(interval) => Ok(interval),
        None => parser.parse_identifier().map(Expr::Identifier),
    }
}

fn parse_interval(parser: &mut Parser) -> Result<Expr, ParserError> {
    parser.expect_keyword_is(Keyword::INTERVAL)?;
    if let Token::SingleQuotedString(text) = &parser.peek_token_ref().token {
        let text = text.clone();
        if let Some(interval) = several(&text) {
            parser.next_token();
            return Ok(interval);
        }
        if let (Some(first), true, Some(last)) =
            (unit_at(parser, 1), is_word(&parser.peek_nth_token_ref(2).token, "TO"), unit_at(parser, 3))
        {
            let Some(interval) = ranged(&text, first, last) else {
                return parser.expected_ref("an interval of those units", parser.peek_token_ref());
            };
            for _ in 0..4 {
                parser.next_token();
            }
            return Ok(interval);
        }
    }
    let value = parser.parse_expr()?;
    match unit_at(parser, 0) {
        Some(unit) => {
            parser.next_token();
            Ok(in_unit(unit, value))
        }
        None => parser.expected_ref("the unit of an interval", parser.peek_token_ref()),
    }
}

fn unit_at(parser: &Parser, at: usize) -> Option<IntervalKind> {
    match &parser.peek_nth_token_ref(at).token {
        Token::Word(word) if word.quote_style.is_none() => unit(&word.value),
        _ => None,
    }
}

/// A number as it is written, with its sign.
fn number(text: &str) -> Option<Expr> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.parse::<f64>().is_ok();
    let value = Expr::Value(Value::Number(digits.to_string(), false).into());
    is_number.then(|| match text.starts_with('-') {
        true => Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(value) },
        false => value,
    })
}

fn one_or_tuple(mut intervals: Vec<Expr>) -> Option<Expr> {
    match intervals.len() {
        0 => None,
        1 => intervals.pop(),
        _ => Some(Expr::Tuple(intervals)),
    }
}

/// `1 day 2 hour`: a tuple, where it is more than one.
fn several(text: &str) -> Option<Expr> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let pairs = words.chunks(2).map(|pair| match pair {
        [value, name] => Some(in_unit(unit(name)?, number(value)?)),
        _ => None,
    });
    one_or_tuple(pairs.collect::<Option<_>>()?)
}

/// Units that follow one another in `DAY TO SECOND`, with what stands before each of them, and what it may be at most behind
/// another one.
const STEPS: [(IntervalKind, char, u64); 6] = [
    (IntervalKind::Year, ' ', u64::MAX),
    (IntervalKind::Month, '-', 11),
    (IntervalKind::Day, ' ', u64::MAX),
    (IntervalKind::Hour, ' ', 23),
    (IntervalKind::Minute, ':', 59),
    (IntervalKind::Second, ':', 59),
];

/// `1-2` of YEAR TO MONTH, `1 02:03:04` of DAY TO SECOND. A sign counts for all of it.
fn ranged(text: &str, first: IntervalKind, last: IntervalKind) -> Option<Expr> {
    let at = |unit: IntervalKind| STEPS.iter().position(|(kind, ..)| *kind == unit);
    let (from, to) = (at(first)?, at(last)?);
    // Months have no number of days.
    if from >= to || (from < 2) != (to < 2) {
        return None;
    }
    let text = text.trim();
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let mut intervals = Vec::new();
    for (i, (unit, before, most)) in STEPS[from..=to].iter().enumerate() {
        if i > 0 {
            rest = rest.strip_prefix(*before)?;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let value: u64 = rest[..end].parse().ok()?;
        if i > 0 && value > *most {
            return None;
        }
        intervals.push(in_unit(*unit, number(&format!("{sign}{value}"))?));
        rest = &rest[end..];
    }
    if rest.is_empty() { one_or_tuple(intervals) } else { None }
}

/// The function of a part of a date, over the date. `None`: there is no such part.
pub(crate) fn part_of(part: &str, date: Expr) -> Option<Expr> {
    let number = |value: u64| Expr::Value(Value::Number(value.to_string(), false).into());
    let year = |date: Expr| call("__toYearCalendarOnly", vec![date]);
    Some(match part.to_ascii_lowercase().as_str() {
        "epoch" => call("toUnixTimestamp", vec![date]),
        "dow" => call("toDayOfWeek", vec![date, number(2)]),
        "isodow" => call("toDayOfWeek", vec![date]),
        "doy" => call("toDayOfYear", vec![date]),
        "isoyear" => call("toISOYear", vec![date]),
        "decade" => call("intDiv", vec![year(date), number(10)]),
        "century" => {
            let before = call("minus", vec![year(date), number(1)]);
            call("plus", vec![call("intDiv", vec![before, number(100)]), number(1)])
        }
        name => {
            let function = match unit(name)? {
                IntervalKind::Day => "toDayOfMonth",
                IntervalKind::Week => "toISOWeek",
                other => &format!("to{}", other.name()),
            };
            call(function, vec![date])
        }
    })
}

/// Whether `EXTRACT(unit FROM …)` begins here, and no `extract(text, 'pattern')`.
pub(crate) fn extracts_a_part(parser: &Parser) -> bool {
    matches!(&parser.peek_nth_token_ref(2).token, Token::Word(_)) && is_word(&parser.peek_nth_token_ref(3).token, "FROM")
}

/// `EXTRACT(unit FROM date)`
pub(crate) fn parse_extract(parser: &mut Parser) -> Result<Expr, ParserError> {
    parser.next_token();
    parser.expect_token(&Token::LParen)?;
    let part = parser.parse_identifier()?;
    parser.expect_keyword_is(Keyword::FROM)?;
    let date = parser.parse_expr()?;
    parser.expect_token(&Token::RParen)?;
    part_of(&part.value, date).ok_or_else(|| ParserError::ParserError(format!("{part} is no part of a date")))
}

/// Whether `date_part('unit', date)` begins here, however it is written.
pub(crate) fn begins_date_part(parser: &Parser) -> bool {
    let name = &parser.peek_token_ref().token;
    is_word(name, "date_part") || is_word(name, "datePart")
}

/// `date_part('unit', date)` is `EXTRACT(unit FROM date)`.
pub(crate) fn parse_date_part(parser: &mut Parser) -> Result<Expr, ParserError> {
    parser.next_token();
    parser.expect_token(&Token::LParen)?;
    let part = parser.parse_literal_string()?;
    parser.expect_token(&Token::Comma)?;
    let date = parser.parse_expr()?;
    parser.expect_token(&Token::RParen)?;
    part_of(&part, date).ok_or_else(|| ParserError::ParserError(format!("{part} is no part of a date")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_several_names() {
        for (name, kind) in [
            ("DAYS", IntervalKind::Day),
            ("sql_tsi_day", IntervalKind::Day),
            ("d", IntervalKind::Day),
            ("MM", IntervalKind::Month),
            ("mi", IntervalKind::Minute),
            ("quarters", IntervalKind::Quarter),
        ] {
            assert_eq!(unit(name), Some(kind), "{name}");
        }
        for name in ["w", "y", "us", "dayss", "sql_tsi_days", "s s", ""] {
            assert_eq!(unit(name), None, "{name}");
        }
    }

    #[test]
    fn intervals_of_several_units() {
        let shown = |interval: Option<Expr>| interval.map(|interval| interval.to_string()).unwrap_or_default();
        assert_eq!(shown(several(" 1  day -2 hours ")), "(toIntervalDay(1), toIntervalHour(-2))");
        assert_eq!(shown(several("1 month")), "toIntervalMonth(1)");
        for text in ["", "1", "day", "1 day 2", "1day", "x day", "1 days ago"] {
            assert_eq!(several(text), None, "{text}");
        }
        use IntervalKind::{Day, Hour, Minute, Month, Second, Year};
        assert_eq!(shown(ranged("-1-2", Year, Month)), "(toIntervalYear(-1), toIntervalMonth(-2))");
        let all = "(toIntervalDay(1), toIntervalHour(2), toIntervalMinute(3), toIntervalSecond(4))";
        assert_eq!(shown(ranged("1 02:03:04", Day, Second)), all);
        for (text, from, to) in [
            ("1-13", Year, Month),
            ("1", Year, Month),
            ("1-2", Month, Year),
            ("1-2", Month, Day),
            ("1 25:00", Day, Minute),
            ("1:2.5", Minute, Second),
            ("é", Hour, Minute),
        ] {
            assert_eq!(ranged(text, from, to), None, "{text}");
        }
    }
}
