//! The queries that are sent: of `--query`, or of standard input, one a line with the escapes of TSV, or as a script.

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::{Session, StatementText};

use crate::arguments::bad;
use crate::benchmark::arguments::QueriesFormat;

/// The queries of the command line. Error: BAD_ARGUMENTS where a text holds several or none.
pub fn given(texts: &[String]) -> Result<Vec<StatementText>> {
    texts.iter().map(|text| single(text, "--query")).collect()
}

/// The queries of standard input. Errors: EMPTY_DATA_PASSED where there are none, and as `given`.
pub fn read(text: &str, format: QueriesFormat) -> Result<Vec<StatementText>> {
    let queries = match format {
        QueriesFormat::Script => Session::split(text)?,
        QueriesFormat::Tsv => {
            let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            lines.map(|(at, line)| single(&unescaped(line), &format!("Line {}", at + 1))).collect::<Result<_>>()?
        }
    };
    if queries.is_empty() {
        return Err(Error::new(
            ErrorCode::EMPTY_DATA_PASSED,
            "Empty list of queries: give --query, or queries on standard input, one a line",
        ));
    }
    Ok(queries)
}

fn single(text: &str, place: &str) -> Result<StatementText> {
    let mut statements = Session::split(text)?;
    match statements.len() {
        1 => Ok(statements.remove(0)),
        0 => Err(bad(format!("{place} holds no query"))),
        many => Err(bad(format!(
            "{place} holds {many} queries: one a line, or --queries-format script for a text with ; between them"
        ))),
    }
}

/// With the escapes of TSV undone.
fn unescaped(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            out.push(sign);
            continue;
        }
        match signs.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('0') => out.push('\0'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some(other) => out.push(other),
            None => out.push('\\'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, format: QueriesFormat) -> Vec<String> {
        read(text, format).expect("reads").into_iter().map(|query| query.text.trim().to_string()).collect()
    }

    #[test]
    fn a_line_is_a_query_and_its_escapes_are_undone() {
        let lines = "SELECT 1;\n\n  SELECT '\\\\t', \\'x\\'\nSELECT 2\\nFROM t";
        assert_eq!(texts(lines, QueriesFormat::Tsv), ["SELECT 1", "SELECT '\\t', 'x'", "SELECT 2\nFROM t"]);
        assert_eq!(texts("SELECT\n1; SELECT 2;", QueriesFormat::Script), ["SELECT\n1", "SELECT 2"]);
    }

    #[test]
    fn several_on_a_line_and_none_at_all_are_errors() {
        let error = read("SELECT 1; SELECT 2", QueriesFormat::Tsv).expect_err("several");
        assert!(error.message().starts_with("Line 1 holds 2 queries"), "{error}");
        assert_eq!(read("\n \n", QueriesFormat::Tsv).expect_err("none").code().name(), "EMPTY_DATA_PASSED");
        assert!(given(&["".to_string()]).is_err());
    }
}
