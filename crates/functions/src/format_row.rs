//! `formatRow` and `formatRowNoNewline`: rows as text of a format, each with all that the format writes around its rows.
//!
//! Formats write names, and names are no part of a value: where the analyser lowers a call, it makes the function itself
//! (`of_query`) and puts the names behind the arguments, as one constant text, so that two calls with different names are not taken
//! for one.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::Format;
use gristmill_formats::output::{OutputContext, ResultSummary, writer};
use gristmill_introspect::Settings;
use gristmill_types::{Columns, SqlType};

use crate::columns::{broadcast, retype, strings};
use crate::define::{bad_argument, constant_bytes};
use crate::registry::Registry;
use crate::scalar::{Argument, Bound, FunctionEnv, Nulls, ScalarFunction};
use crate::text::timezone;

/// Between names: no name has it.
const BETWEEN: char = '\0';
const NO_NEWLINE: &str = "formatRowNoNewline";

/// The functions' names.
pub const NAMES: [&str; 2] = ["formatRow", NO_NEWLINE];

struct FormatRow {
    settings: Arc<Settings>,
    /// The last argument is that of `names`.
    is_named: bool,
}

pub fn register(registry: &mut Registry) {
    for name in NAMES {
        registry.scalar(name, Arc::new(FormatRow { settings: Arc::default(), is_named: false }));
    }
}

/// Either of the functions, under a query's settings, with the names of its values as the last argument.
pub fn of_query(settings: &Settings) -> Arc<dyn ScalarFunction> {
    Arc::new(FormatRow { settings: Arc::new(settings.clone()), is_named: true })
}

/// The last argument of a function of `of_query`.
pub fn names(names: &[String]) -> String {
    names.join(&BETWEEN.to_string())
}

/// Formats that gather rows, or write none.
fn writes_rows(format: Format) -> bool {
    let gathers =
        format.is_columnar_file() || matches!(format, Format::ArrowStream | Format::Avro | Format::Native | Format::Null);
    let is_for_people = format.name().starts_with("Pretty") && format != Format::PrettyJsonEachRow;
    !gathers && !is_for_people
}

impl ScalarFunction for FormatRow {
    fn nulls(&self) -> Nulls {
        Nulls::Own
    }

    fn bind(&self, name: &str, arguments: &[Argument], env: &FunctionEnv) -> Result<Bound> {
        let (arguments, names) = match arguments.split_last() {
            Some((last, arguments)) if self.is_named => (arguments, constant_bytes(last)),
            _ => (arguments, None),
        };
        let [format, values @ ..] = arguments else { return Err(too_few(name)) };
        if values.is_empty() {
            return Err(too_few(name));
        }
        let text = Some(format).filter(|format| format.kind.is_string()).and_then(constant_bytes).ok_or_else(|| {
            Error::new(ErrorCode::ILLEGAL_TYPE_OF_ARGUMENT, format!("First argument to {name} must be a format name"))
        })?;
        let format = Format::by_name(&String::from_utf8_lossy(&text))?;
        if !writes_rows(format) {
            let text = format!("it takes formats that write rows one by one, and {format} is none: CSV, JSONEachRow, … are");
            return Err(bad_argument(name, text));
        }
        let names = names.map(|names| String::from_utf8_lossy(&names).into_owned());
        let names: Vec<String> = match names {
            Some(names) => names.split(BETWEEN).map(str::to_string).collect(),
            None => (1..=values.len()).map(|at| format!("c{at}")).collect(),
        };
        let columns = Columns::of(names.into_iter().zip(values.iter().map(|value| value.kind.clone())));
        let context =
            OutputContext { settings: self.settings.clone(), timezone: timezone(env)?, terminal: false, width: None };
        // Refused here where the format only reads.
        writer(format, &columns, context.clone())?;
        let cuts_newline = name == NO_NEWLINE;
        Ok(Bound::new(SqlType::String, move |args, rows| {
            let batch = batch(&columns, args, rows)?;
            let summary = ResultSummary { rows: 1, ..ResultSummary::default() };
            strings(rows, |row, out| {
                let mut writer = writer(format, &columns, context.clone())?;
                writer.start(out)?;
                writer.write(&batch.slice(row, 1), out)?;
                writer.finish(&summary, out)?;
                if cuts_newline && out.last() == Some(&b'\n') {
                    out.pop();
                }
                Ok(())
            })
        }))
    }
}

/// The values behind the format's name, as a writer takes them.
fn batch(columns: &Columns, args: &[ArrayRef], rows: usize) -> Result<RecordBatch> {
    let schema = columns.arrow();
    let values = args.iter().skip(1).zip(schema.fields());
    let values = values.map(|(array, field)| retype(&broadcast(array, rows)?, field.data_type()));
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    Ok(RecordBatch::try_new_with_options(schema.clone(), values.collect::<Result<_>>()?, &options)?)
}

fn too_few(name: &str) -> Error {
    let text = format!("Function {name} requires at least two arguments: the format name and its output expression(s)");
    Error::new(ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH, text)
}
