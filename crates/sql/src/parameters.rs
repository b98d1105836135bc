//! Values of `{name:Type}`: they come in the escapes of TSV, which are those of SQL's literals.

use std::ops::ControlFlow;

use gristmill_base::Result;
use sqlparser::ast::{Expr, Query, visit_expressions};
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::ast::{unescape, with_escapes};
use crate::tokens::{PARAMETER, parameter_name, tokenize};

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
    fn a_value_in_quotes_stands_for_what_it_stood_for() {
        for value in ["it's", "a\\'b", "\\x41\\n", "ends with \\"] {
            assert_eq!(unescape(&within_quotes(value)), unescape(value), "{value}");
        }
    }
}
