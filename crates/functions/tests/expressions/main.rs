//! Scalar functions against tables of expressions with the types and values that ClickHouse gives them.
//!
//! Each line of a table has an expression, the type of its result and its value as text, or `ERR` and the name of the
//! error. An expression is computed twice: of constants, and of columns of two equal rows (where literals stay constants).

mod evaluate;
mod parse;
mod survival;

use evaluate::Evaluator;

fn check(table: &str, text: &str) {
    let mut wrong = Vec::new();
    let mut lines = 0;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        lines += 1;
        let mut fields = line.splitn(3, '\t');
        let (expression, kind, value) = (fields.next().unwrap(), fields.next().unwrap_or(""), fields.next().unwrap_or(""));
        let expected = if kind == "ERR" { format!("ERR {value}") } else { format!("{kind} {value}") };
        for rows in [1, 2] {
            let got = Evaluator::new(rows).answer(expression);
            if got != expected {
                wrong.push(format!("{expression}\n    gave     {got}\n    expected {expected}   ({rows} rows)"));
                break;
            }
        }
    }
    assert!(lines > 0, "{table} has no lines");
    assert!(wrong.is_empty(), "{} of {lines} lines of {table} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn dates_and_times() {
    check("datetime.tsv", include_str!("datetime.tsv"));
}

#[test]
fn conversions() {
    check("conversion.tsv", include_str!("conversion.tsv"));
}

#[test]
fn json_and_urls() {
    check("json_and_urls.tsv", include_str!("json_and_urls.tsv"));
}

#[test]
fn others() {
    check("others.tsv", include_str!("others.tsv"));
}

#[test]
fn edges() {
    check("edges.tsv", include_str!("edges.tsv"));
}
