//! What a server tells of the table of an INSERT: its columns with their defaults, as text.
//!
//! A line says `columns format version: 1`, one how many there are, then each has a line: its name in backquotes, a space,
//! its type; and, behind tabs, the kind of default and its expression with escapes. Further clauses of a column (its codec,
//! its comment, its TTL) may follow, and are passed over. A column whose type is not known here is left out: only an INSERT
//! that gives it needs it, and its type stands in the sample block then.

use gristmill_sql::parameters::unescaped;
use gristmill_types::{Column, Columns, DefaultKind, SqlType};

/// Columns of a table. What cannot be read is left out.
pub fn parsed(text: &str) -> Columns {
    let lines = text.lines().filter(|line| line.starts_with('`') || line.starts_with('"'));
    Columns::new(lines.filter_map(column).collect())
}

fn column(line: &str) -> Option<Column> {
    let (name, rest) = name(line)?;
    let mut fields = rest.trim_start().split('\t');
    let kind: SqlType = fields.next()?.trim().parse().ok()?;
    let mut column = Column::new(name, kind);
    let default = match fields.next() {
        Some("DEFAULT") => Some(DefaultKind::Default),
        Some("MATERIALIZED") => Some(DefaultKind::Materialized),
        Some("ALIAS") => Some(DefaultKind::Alias),
        Some("EPHEMERAL") => Some(DefaultKind::Ephemeral),
        _ => None,
    };
    if let (Some(default), Some(expression)) = (default, fields.next()) {
        column.default = Some((default, unescaped(expression)));
    }
    Some(column)
}

/// The name at the start of a line, and what follows it.
fn name(line: &str) -> Option<(String, &str)> {
    let quote = line.chars().next()?;
    let mut escaped = false;
    for (at, c) in line.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some((unescaped(&line[1..at]), &line[at + 1..])),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_with_their_defaults() {
        let text = "columns format version: 1\n4 columns:\n`a` UInt8\n`b` String\tDEFAULT\t\\'z\\\\tz\\'\n\
            `c\\`d` Nullable(String)\tMATERIALIZED\tupper(b)\tCODEC(ZSTD(1))\n`e` SomethingNew(1)\n";
        let columns = parsed(text);
        assert_eq!(columns.names(), ["a", "b", "c`d"]);
        assert_eq!(columns.0[1].default, Some((DefaultKind::Default, "'z\\tz'".to_string())));
        assert_eq!(columns.0[2].default, Some((DefaultKind::Materialized, "upper(b)".to_string())));
        assert!(parsed("nothing of that form\n`unfinished").is_empty());
    }
}
