//! Values of `{name:Type}`: they come in the escapes of TSV, which are those of SQL's literals.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, visit_expressions};

use crate::ast::{unescape, with_escapes};
use crate::tokens::PARAMETER;

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
