//! The table that standard input, or the file of `--file`, is.
//!
//! It is made before the first query, in memory. With `--structure` the data is parsed as it arrives; without, its columns
//! have to be guessed first, for which a stream is kept in a temporary file until the table is filled.

use std::io::{Seek, Write};

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_types::sql_type::quote_identifier;
use regex::RegexBuilder;

use crate::local::arguments::LocalArguments;
use crate::runner::Runner;
use crate::terminal::Terminal;

/// `-`, or nothing: standard input.
const STANDARD_INPUT: &str = "-";

#[derive(Debug, PartialEq)]
pub struct DataTable {
    name: String,
    file: String,
    format: Option<String>,
    structure: Option<String>,
}

impl DataTable {
    /// The table of this command line, where it has one: something about it was said, or data is piped in and a query
    /// reads from it.
    pub fn of(arguments: &LocalArguments, texts: &[String], terminal: Terminal) -> Option<DataTable> {
        let told = arguments.file.is_some() || arguments.structure.is_some() || arguments.input_format.is_some();
        let piped = !terminal.input && texts.iter().any(|text| reads(text, &arguments.table));
        let inserts = arguments.file.is_none() && texts.iter().any(|text| feeds_insert(text));
        ((told || piped) && !inserts).then(|| DataTable {
            name: arguments.table.clone(),
            file: arguments.file.clone().unwrap_or_else(|| STANDARD_INPUT.to_string()),
            format: arguments.input_format.clone().or_else(|| arguments.format.clone()),
            structure: arguments.structure.clone(),
        })
    }

    pub fn is_stdin(&self) -> bool {
        self.file == STANDARD_INPUT
    }

    /// Makes the table.
    pub async fn attach(self, runner: &mut Runner) -> Result<()> {
        let name = quote_identifier(&self.name);
        match (&self.structure, self.is_stdin()) {
            (Some(structure), true) => {
                let format = self.format.as_deref().unwrap_or("TSV");
                runner.run_quiet(&format!("CREATE TABLE {name} ({structure}) ENGINE = Memory")).await?;
                runner.run_quiet(&format!("INSERT INTO {name} FORMAT {format}")).await
            }
            (None, true) => {
                runner.input_is_taken();
                let copy = spooled()?;
                let path = copy.path().display().to_string();
                runner.run_quiet(&self.filled_from(&name, &path)).await
            }
            (_, false) => runner.run_quiet(&self.filled_from(&name, &self.file)).await,
        }
    }

    fn filled_from(&self, name: &str, path: &str) -> String {
        let format = self.format.as_deref().unwrap_or("auto");
        let structure = self.structure.as_ref().map_or_else(String::new, |structure| format!(", {}", quoted(structure)));
        format!("CREATE TABLE {name} ENGINE = Memory AS SELECT * FROM file({}, {}{structure})", quoted(path), quoted(format))
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// Whether a query names the table after FROM or JOIN.
fn reads(text: &str, table: &str) -> bool {
    let name = regex::escape(table);
    RegexBuilder::new(&format!(r#"\b(from|join)\s+(`{name}`|"{name}"|{name}\b)"#))
        .case_insensitive(true)
        .build()
        .is_ok_and(|pattern| pattern.is_match(text))
}

/// Whether a query is an INSERT whose data is standard input: it ends with `FORMAT name`, or reads `input(…)`.
fn feeds_insert(text: &str) -> bool {
    RegexBuilder::new(r"^\s*insert\s+into\b.*(\bformat\s+\w+\s*;?\s*$|\binput\s*\()")
        .case_insensitive(true)
        .dot_matches_new_line(true)
        .build()
        .is_ok_and(|pattern| pattern.is_match(text))
}

/// Standard input, in a file that goes when it is dropped.
fn spooled() -> Result<tempfile::NamedTempFile> {
    let failed = |error: std::io::Error| {
        Error::new(
            ErrorCode::CANNOT_READ_FROM_FILE_DESCRIPTOR,
            format!("Cannot keep standard input in a temporary file: {error}"),
        )
    };
    let mut copy = tempfile::NamedTempFile::new().map_err(failed)?;
    std::io::copy(&mut std::io::stdin().lock(), &mut copy).map_err(failed)?;
    copy.flush().map_err(failed)?;
    copy.rewind().map_err(failed)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        local: LocalArguments,
    }

    const PIPED: Terminal = Terminal { input: false, output: true, errors: true };

    fn table(line: &[&str], query: &str) -> Option<DataTable> {
        let arguments = Line::try_parse_from([&["local"], line].concat()).expect("parses").local;
        DataTable::of(&arguments, &[query.to_string()], PIPED)
    }

    #[test]
    fn piped_data_is_a_table_only_where_a_query_reads_it() {
        assert!(table(&[], "SELECT 1").is_none());
        assert!(table(&[], "SELECT * FROM tables").is_none());
        assert!(table(&[], "select * from `table` limit 1").is_some_and(|table| table.is_stdin()));
        assert!(table(&["--table", "t"], "SELECT * FROM a JOIN t USING x").is_some());
        assert!(table(&["-S", "a Int32"], "SELECT 1").is_some());
    }

    #[test]
    fn data_of_an_insert_is_left_to_the_insert() {
        assert!(table(&["--input-format", "CSV"], "INSERT INTO t FORMAT CSV").is_none());
        assert!(table(&["--input-format", "CSV"], "INSERT INTO t SELECT * FROM input('a Int8') FORMAT CSV").is_none());
    }

    #[test]
    fn quotes_in_names_stay_inside() {
        let table = table(&["-f", "it's.csv"], "SELECT 1").expect("a table");
        let statement = table.filled_from("`table`", &table.file);
        assert_eq!(statement, "CREATE TABLE `table` ENGINE = Memory AS SELECT * FROM file('it\\'s.csv', 'auto')");
    }
}
