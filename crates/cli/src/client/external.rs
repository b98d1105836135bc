//! `--external`: tables that are sent along with each statement. The options behind it, up to the next `--external` or an option that
//! is none of a table's, describe one.

use std::ffi::OsString;
use std::io::Read;

use gristmill_base::{Error, ErrorCode, Result, ResultExt};
use gristmill_engine::{ExternalData, ExternalTable};
use gristmill_introspect::Settings;

use crate::arguments::bad;

/// `-` is standard input.
const STANDARD_INPUT: &str = "-";

/// A table as the command line tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalArguments {
    pub file: Option<String>,
    pub name: Option<String>,
    pub format: Option<String>,
    pub structure: Option<String>,
    pub types: Option<String>,
}

impl ExternalArguments {
    fn option(&mut self, name: &str) -> Option<&mut Option<String>> {
        Some(match name {
            "file" => &mut self.file,
            "name" => &mut self.name,
            "format" => &mut self.format,
            "structure" => &mut self.structure,
            "types" => &mut self.types,
            _ => return None,
        })
    }

    fn is_stdin(&self) -> bool {
        self.file.as_deref() == Some(STANDARD_INPUT)
    }

    /// Reads its data. Errors: CANNOT_OPEN_FILE, those of reading a format.
    fn read(&self, settings: &Settings) -> Result<ExternalTable> {
        let name = self.name.as_deref().unwrap_or("_data");
        let file = self.file.as_deref().unwrap_or_default();
        let mut data = Vec::new();
        let read = match self.is_stdin() {
            true => std::io::stdin().lock().read_to_end(&mut data).map(drop),
            false => std::fs::read(file).map(|bytes| data = bytes),
        };
        read.map_err(|error| {
            let what = if self.is_stdin() { "standard input".to_string() } else { format!("file {file}") };
            Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot read {what} for the external table {name}: {error}"))
        })?;
        let told = ExternalData {
            name,
            format: self.format.as_deref(),
            structure: self.structure.as_deref(),
            types: self.types.as_deref(),
        };
        ExternalTable::read(told, &data, settings).context(|| format!("in the external table {name}"))
    }
}

/// Takes the tables out of the line. Error: BAD_ARGUMENTS, where one has no file, no columns, or no value for an option, and
/// where two read standard input.
pub fn take(line: Vec<OsString>) -> Result<(Vec<OsString>, Vec<ExternalArguments>)> {
    let mut tables: Vec<ExternalArguments> = Vec::new();
    let mut rest = Vec::with_capacity(line.len());
    let mut is_within = false;
    let mut words = line.into_iter();
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        if text == "--external" {
            tables.push(ExternalArguments::default());
            is_within = true;
            continue;
        }
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value.to_string())));
        let option = match (name.strip_prefix("--"), tables.last_mut()) {
            (Some(name), Some(table)) if is_within => table.option(name),
            _ => None,
        };
        let Some(option) = option else {
            is_within = false;
            rest.push(word);
            continue;
        };
        let name = name.to_string();
        let value = value.or_else(|| words.next().and_then(|word| word.into_string().ok()));
        *option = Some(value.ok_or_else(|| bad(format!("the required argument for option '{name}' is missing")))?);
    }
    for table in &tables {
        let name = table.name.as_deref().unwrap_or("_data");
        if table.file.is_none() {
            return Err(bad(format!("--file is missing for the external table {name}: a name, or - for standard input")));
        }
        if table.structure.is_none() && table.types.is_none() {
            return Err(bad(format!("Neither --structure nor --types have been provided for external table {name}")));
        }
    }
    if tables.iter().filter(|table| table.is_stdin()).count() > 1 {
        return Err(bad("Two or more external tables has stdin (-) set as --file field"));
    }
    Ok((rest, tables))
}

/// Whether one of them reads standard input.
pub fn takes_stdin(tables: &[ExternalArguments]) -> bool {
    tables.iter().any(ExternalArguments::is_stdin)
}

/// Reads all of them. `settings`: how their formats are read.
pub fn read(tables: &[ExternalArguments], settings: &Settings) -> Result<Vec<ExternalTable>> {
    tables.iter().map(|table| table.read(settings)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(words: &[&str]) -> Result<(Vec<String>, Vec<ExternalArguments>)> {
        let (rest, tables) = take(words.iter().map(OsString::from).collect())?;
        Ok((rest.into_iter().map(|word| word.into_string().expect("text")).collect(), tables))
    }

    #[test]
    fn options_behind_external_are_those_of_its_table() {
        let line = [
            "client",
            "--format",
            "CSV",
            "--external",
            "--file=a",
            "--name",
            "t",
            "--types=UInt8",
            "--external",
            "--file",
            "-",
            "--structure=x String",
            "--format=TSV",
            "-q",
            "SELECT 1",
            "--format",
            "JSON",
        ];
        let (rest, tables) = taken(&line).expect("takes");
        assert_eq!(rest, ["client", "--format", "CSV", "-q", "SELECT 1", "--format", "JSON"]);
        assert_eq!((tables[0].name.as_deref(), tables[0].types.as_deref()), (Some("t"), Some("UInt8")));
        assert_eq!((tables[1].format.as_deref(), tables[1].structure.as_deref()), (Some("TSV"), Some("x String")));
        assert!(takes_stdin(&tables));
    }

    #[test]
    fn a_table_without_file_or_columns_and_a_second_standard_input_are_errors() {
        for line in [
            &["--external", "--types=UInt8"][..],
            &["--external", "--file=a"],
            &["--external", "--file=a", "--name"],
            &["--external", "--file=-", "--types=UInt8", "--external", "--file=-", "--types=UInt8"],
        ] {
            assert_eq!(taken(line).expect_err("an error").code(), ErrorCode::BAD_ARGUMENTS, "{line:?}");
        }
    }
}
