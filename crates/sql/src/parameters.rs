//! Values of `{name:Type}`: they come in the escapes of TSV, which are those of SQL's literals.

use std::ops::ControlFlow;

use chrono::NaiveDate;
use gristmill_base::Result;
use gristmill_types::SqlType;
use sqlparser::ast::{Expr, Query, visit_expressions};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::ast::{unescape, with_escapes};
use crate::parameter_containers;
use crate::tokens::{PARAMETER, parameter_name, tokenize, word};

/// A text with its backslash escapes undone. `\N` alone stays: it means NULL. Bytes that are not UTF-8 stay escapes.
pub fn unescaped(text: &str) -> String {
    if text == "\\N" {
        return text.to_string();
    }
    with_escapes(&unescape(text))
}

/// A value as what stands between the quotes of a literal: its quotes become escapes, its escapes stay.
pub fn within_quotes(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(c) = characters.next() {
        match c {
            '\'' => out.push_str("\\'"),
            '\\' => {
                out.push('\\');
                out.push(characters.next().unwrap_or('\\'));
            }
            c => out.push(c),
        }
    }
    out
}

/// A text as a literal that means these very characters.
pub(crate) fn quoted(text: &str) -> Token {
    Token::SingleQuotedString(text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// A value as the literal that is cast to its type. ClickHouse names the column by it: `{n:Int8}` is `_CAST(-7, 'Int8')`, with a number where
/// the type holds it. Other values stay texts, which the cast reads.
pub(crate) fn literal(value: &str, kind: &str) -> Vec<Token> {
    if value == "\\N" {
        return vec![word("NULL")];
    }
    // Elements of containers have escapes of their own.
    if ["Array", "Map", "Nested", "Tuple"].iter().any(|name| kind.starts_with(name)) {
        let spelled = kind.parse::<SqlType>().ok().and_then(|kind| parameter_containers::literal(value, &kind));
        return spelled.unwrap_or_else(|| vec![quoted(value)]);
    }
    let text = || vec![Token::SingleQuotedString(within_quotes(value))];
    let Ok(kind) = kind.parse::<SqlType>() else { return text() };
    match (&kind, value) {
        (SqlType::Bool, "1" | "true") => vec![Token::SingleQuotedString("true".to_string())],
        (SqlType::Bool, "0" | "false") => vec![Token::SingleQuotedString("false".to_string())],
        _ => number(value, kind.plain()).unwrap_or_else(text),
    }
}

/// Floating point numbers that are shown without an exponent.
const WITHOUT_EXPONENT: std::ops::Range<f64> = 1e-5..1e15;

/// The words of a number's literal, which may stand for a date or an enum's name. `None`: the type has no numbers, or not this one.
pub(crate) fn number(value: &str, kind: &SqlType) -> Option<Vec<Token>> {
    let whole = |least: i128, most: i128| {
        let number = value.parse::<i128>().ok().filter(|number| (least..=most).contains(number))?;
        Some((number < 0, number.unsigned_abs().to_string()))
    };
    let float = |number: f64| {
        let is_plain = number == 0.0 || WITHOUT_EXPONENT.contains(&number.abs());
        is_plain.then(|| (number.is_sign_negative(), format!("{:?}", number.abs())))
    };
    let (is_negative, digits) = match kind {
        SqlType::UInt8 => whole(0, u8::MAX.into()),
        SqlType::UInt16 => whole(0, u16::MAX.into()),
        SqlType::UInt32 => whole(0, u32::MAX.into()),
        SqlType::UInt64 => whole(0, u64::MAX.into()),
        SqlType::Int8 => whole(i8::MIN.into(), i8::MAX.into()),
        SqlType::Int16 => whole(i16::MIN.into(), i16::MAX.into()),
        SqlType::Int32 => whole(i32::MIN.into(), i32::MAX.into()),
        SqlType::Int64 => whole(i64::MIN.into(), i64::MAX.into()),
        SqlType::Float32 => float(value.parse::<f32>().ok()?.into()),
        SqlType::Float64 => float(value.parse().ok()?),
        SqlType::Date => days(value),
        SqlType::Enum8(values) | SqlType::Enum16(values) => {
            values.value_of(&unescape(value)).map(|value| (value < 0, value.unsigned_abs().to_string()))
        }
        _ => None,
    }?;
    let sign = is_negative.then_some(Token::Minus);
    Some(sign.into_iter().chain([Token::Number(digits, false)]).collect())
}

/// A date as the number of its day.
fn days(value: &str) -> Option<(bool, String)> {
    let date = NaiveDate::parse_from_str(value, "%Y-%m-%d").ok()?;
    let days = u16::try_from((date - NaiveDate::default()).num_days()).ok()?;
    Some((false, days.to_string()))
}

/// The names of `{name:Type}` in a statement. Error: SYNTAX_ERROR where it cannot be taken apart into words.
pub fn names(statement: &str) -> Result<Vec<String>> {
    let tokens: Vec<_> = tokenize(statement)?.into_iter().filter(|token| !is_blank(token)).collect();
    let mut names: Vec<String> =
        (0..tokens.len()).filter_map(|at| parameter_name(&tokens, at)).map(|(name, _)| name).collect();
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

fn is_blank(token: &TokenWithSpan) -> bool {
    matches!(token.token, Token::Whitespace(_))
}

/// Whether the query of `CREATE VIEW` has parameters.
pub fn has_parameters(query: &Query) -> bool {
    let mut found = false;
    let _ = visit_expressions(query, |expr| {
        found |= matches!(expr, Expr::Function(function) if function.name.to_string() == PARAMETER);
        if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_statement() {
        assert_eq!(names("SELECT {b:Array(String)}, '{c:Int8}', { a : String } -- {d:Int8}").expect("words"), ["a", "b"]);
        assert_eq!(names("INSERT INTO t VALUES (1)").expect("words"), Vec::<String>::new());
    }

    #[test]
    fn escapes_are_undone_and_null_stays() {
        assert_eq!(unescaped("a\\tb\\\\c\\'d\\\""), "a\tb\\c'd\"");
        assert_eq!(unescaped("\\N"), "\\N");
        // Control characters themselves behind a backslash: so clickhouse-connect sends them.
        assert_eq!(unescaped("a\\\tb\\d"), "a\tb\\d");
        assert_eq!(unescaped("['it\\'s',1]"), "['it's',1]");
        assert_eq!(unescaped("\\x41\\xc3\\xa4\\xff"), "Aä\\xFF");
    }

    #[test]
    fn numbers_stay_numbers() {
        let shown = |value: &str, kind: &str| literal(value, kind).iter().map(ToString::to_string).collect::<String>();
        for (value, kind, wanted) in [
            ("7", "UInt8", "7"),
            ("-7", "Nullable(Int32)", "-7"),
            ("300", "UInt8", "'300'"),
            ("18446744073709551615", "UInt64", "18446744073709551615"),
            ("1", "Float64", "1.0"),
            ("0.1", "Float32", "0.10000000149011612"),
            ("1e100", "Float64", "'1e100'"),
            ("2020-01-01", "Date", "18262"),
            ("1960-01-01", "Date", "'1960-01-01'"),
            ("0", "Bool", "'false'"),
            ("b", "Enum8('a' = 1, 'b' = -2)", "-2"),
            ("c", "Enum8('a' = 1, 'b' = -2)", "'c'"),
            ("it's", "FixedString(4)", "'it\\'s'"),
            ("[1,2]", "Array(UInt8)", "[1,2]"),
            ("[1,2", "Array(UInt8)", "'[1,2'"),
            ("\\N", "Nullable(UInt8)", "NULL"),
        ] {
            assert_eq!(shown(value, kind), wanted, "{value} {kind}");
        }
    }

    #[test]
    fn a_value_in_quotes_stands_for_what_it_stood_for() {
        for value in ["it's", "a\\'b", "\\x41\\n", "ends with \\"] {
            assert_eq!(unescape(&within_quotes(value)), unescape(value), "{value}");
        }
    }
}
