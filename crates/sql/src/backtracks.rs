//! How often the parser has gone back.
//!
//! Where several forms begin alike the parser tries one after another, and each of them may read what is inside again: text
//! that fits none of them in the end is read twice a level, so that forty levels never end. The dialect is asked before each
//! operand is read; one that lies before what was reached already is a step back. From a number of steps on every operand is
//! refused, so that whatever is still to be tried fails at once (ClickHouse: `max_parser_backtracks`).

use std::cell::Cell;

use gristmill_base::{Error, ErrorCode, Result};
use sqlparser::parser::{Parser, ParserError};

/// `max_parser_backtracks` where nobody says it.
pub(crate) const BACKTRACKS_MOST: u64 = 100_000;

/// What the parser of this thread has done with its text.
#[derive(Debug, Clone, Copy, Default)]
struct Steps {
    /// The token that was reached.
    furthest: usize,
    back: u64,
    /// 0: any number.
    most: u64,
}

impl Steps {
    fn are_too_many(self) -> bool {
        self.most > 0 && self.back > self.most
    }
}

thread_local! {
    static STEPS: Cell<Steps> = const { Cell::new(Steps { furthest: 0, back: 0, most: 0 }) };
}

/// Runs a parser, which may go back so often. Errors: TOO_SLOW_PARSING, whatever the parser says then, and its own.
pub(crate) fn limited<T>(most: u64, parse: impl FnOnce() -> Result<T>) -> Result<T> {
    // A parser may be run while another one is.
    let around = STEPS.replace(Steps { most, ..Steps::default() });
    let parsed = parse();
    if STEPS.replace(around).are_too_many() {
        return Err(Error::new(
            ErrorCode::TOO_SLOW_PARSING,
            format!(
                "Maximum amount of backtracking ({most}) exceeded in the parser. Consider raising max_parser_backtracks"
            ),
        ));
    }
    parsed
}

/// An operand is to be read. An error: the parser has gone back too often.
pub(crate) fn at_operand(parser: &Parser<'_>) -> std::result::Result<(), ParserError> {
    let at = parser.get_current_index();
    let mut steps = STEPS.get();
    if at < steps.furthest {
        steps.back += 1;
    }
    steps.furthest = steps.furthest.max(at);
    STEPS.set(steps);
    if steps.are_too_many() { Err(ParserError::ParserError("too many steps back".to_string())) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::statement::{Limits, parse, parse_within};

    fn code(query: &str) -> Option<ErrorCode> {
        parse(query, &BTreeMap::new()).err().map(|error| error.code())
    }

    #[test]
    fn text_that_doubles_with_every_level_is_given_up() {
        for (unit, times, end) in [
            ("CASE WHEN 1 THEN ", 40, ""),
            ("INTERVAL ", 40, ""),
            ("NOT (", 40, ""),
            ("(x) -> ", 40, ""),
            ("1 BETWEEN 1 AND ", 40, "1"),
        ] {
            let query = format!("SELECT {}{end}", unit.repeat(times));
            let found = code(&query);
            assert!(
                matches!(found, None | Some(ErrorCode::TOO_SLOW_PARSING | ErrorCode::TOO_BIG_AST | ErrorCode::SYNTAX_ERROR)),
                "{query}: {found:?}"
            );
        }
        assert_eq!(code(&format!("SELECT {}", "CASE WHEN 1 THEN ".repeat(40))), Some(ErrorCode::TOO_SLOW_PARSING));
    }

    #[test]
    fn long_text_is_no_step_back() {
        assert_eq!(code(&format!("SELECT 1 IN ({})", vec!["(1, -2)"; 20_000].join(", "))), None);
        let text = format!("SELECT {}", vec!["f(a + 1)"; 1_000].join(", "));
        assert!(parse_within(&text, &BTreeMap::new(), Limits { depth: 1_000, backtracks: 10 }).is_ok());
    }
}
