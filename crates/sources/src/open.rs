//! Finds the table function, or the engine, by its name.

use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{Table, TableDefinition};
use gristmill_introspect::QueryContext;
use gristmill_introspect::settings::nearest;

use crate::arguments::{self, azure, file, s3, url};
use crate::call::{CallArgument, TableFunctionCall};
use crate::function_table::{definition, wrong_count};
use crate::generate;
use crate::generate::numbers::Numbers;
use crate::generate::one::One;
use crate::generate::random::Random;
use crate::generate::sink::NullTable;
use crate::generate::table::SequenceTable;
use crate::generate::values::ValuesTable;
use crate::generate::zeros::Zeros;
use crate::hints::SourceHints;
use crate::object::input::InputTable;
use crate::object::table::{ObjectTable, StructureHint};

const NAMES: &[&str] = &[
    "azureBlobStorage",
    "cosn",
    "file",
    "format",
    "gcs",
    "generateRandom",
    "generateSeries",
    "generate_series",
    "input",
    "loop",
    "merge",
    "mergeTreeIndex",
    "null",
    "numbers",
    "numbers_mt",
    "one",
    "oss",
    "s3",
    "url",
    "values",
    "zeros",
    "zeros_mt",
];

/// Names of all table functions, sorted.
pub fn table_function_names() -> &'static [&'static str] {
    NAMES
}

/// The table that a call gives. UNKNOWN_FUNCTION where there is no function of that name.
pub async fn open_table_function(
    call: &TableFunctionCall,
    context: &Arc<QueryContext>,
    hints: &SourceHints,
) -> Result<Arc<dyn Table>> {
    let hint = match (&hints.writing, &hints.insert_target) {
        (Some(columns), _) => StructureHint::Writing(columns),
        (None, Some(columns)) => StructureHint::InsertTarget(columns),
        (None, None) => StructureHint::None,
    };
    let Some(name) = NAMES.iter().find(|name| name.eq_ignore_ascii_case(&call.name)) else {
        let near = nearest(&call.name, NAMES.iter().copied());
        let near = near.map_or_else(String::new, |near| format!(". Maybe you meant: ['{near}']"));
        return Err(Error::new(ErrorCode::UNKNOWN_FUNCTION, format!("Unknown table function {}{near}", call.name)));
    };
    let arguments = match *name {
        "numbers" | "numbers_mt" => return Ok(SequenceTable::of("SystemNumbers", name, Numbers::parse(call)?)),
        "generate_series" | "generateSeries" => {
            return Ok(SequenceTable::of("SystemNumbers", name, Numbers::parse_series(call)?));
        }
        "zeros" | "zeros_mt" => return Ok(SequenceTable::of("SystemZeros", name, Zeros::parse(call)?)),
        "one" if call.positional.is_empty() => return Ok(SequenceTable::of("SystemOne", name, One)),
        "one" => return Err(wrong_count(name, call.positional.len(), "()")),
        "generateRandom" => {
            let random = Random::parse(call, hints.insert_target.as_ref(), context)?;
            return Ok(SequenceTable::of("GenerateRandom", name, random));
        }
        // They are about tables of the catalog: whoever has it reads them.
        "loop" | "merge" | "mergeTreeIndex" => return Err(Error::not_implemented(format!("{name}() where it is not read"))),
        "null" => return null(call, context, hints),
        "format" => return generate::format::open(call, context),
        "values" => return ValuesTable::open(call, context),
        "input" => return input(call, context, hints).await,
        "file" if hints.input.is_some() && call.positional.first().is_some_and(|path| file::is_stdin(path.word())) => {
            return standard_input(call, context, hints).await;
        }
        "s3" | "gcs" | "oss" | "cosn" => s3::parse(call)?,
        "azureBlobStorage" => azure::parse(call)?,
        "url" => url::parse(call)?,
        _ => file::parse(call, hints.user_files_path.as_ref())?,
    };
    ObjectTable::open_function(arguments, hint, &hints.caches, context).await
}

/// `input('structure')`: the data of the statement; without a structure, that of the INSERT's target.
async fn input(call: &TableFunctionCall, context: &Arc<QueryContext>, hints: &SourceHints) -> Result<Arc<dyn Table>> {
    let structure = match &call.positional[..] {
        [structure] => Some(arguments::declared(structure.word(), &context.settings)?),
        [] => hints.insert_target.clone(),
        more => return Err(wrong_count("input", more.len(), "('structure')")),
    };
    let data = hints.input.as_ref().ok_or_else(|| {
        Error::new(
            ErrorCode::INVALID_USAGE_OF_INPUT,
            "Table function 'input' reads the data of an INSERT, and there is none",
        )
    })?;
    InputTable::open(&call.name, data, None, structure, context).await
}

/// `file('-', format, structure)`
async fn standard_input(
    call: &TableFunctionCall,
    context: &Arc<QueryContext>,
    hints: &SourceHints,
) -> Result<Arc<dyn Table>> {
    let word = |at: usize| call.positional.get(at).map_or("", |argument| argument.word());
    if call.positional.len() > 3 || !call.named.is_empty() {
        return Err(wrong_count("file", call.positional.len(), "('-' [, format] [, structure])"));
    }
    let (format, structure) = (arguments::format(word(1))?, arguments::structure(word(2))?);
    let structure = structure.map(|columns| arguments::as_declared(columns, &context.settings));
    let data = hints.input.as_ref().ok_or_else(|| Error::logical("file('-') without standard input"))?;
    InputTable::open(&call.name, data, format, structure, context).await
}

fn null(call: &TableFunctionCall, context: &QueryContext, hints: &SourceHints) -> Result<Arc<dyn Table>> {
    let columns = match (&call.positional[..], &hints.writing) {
        ([CallArgument::Text(structure)], Some(columns)) if structure == "auto" => columns.clone(),
        ([CallArgument::Text(structure)], _) => arguments::declared_plainly(structure, &context.settings)?,
        ([], Some(columns)) => columns.clone(),
        (more, _) => return Err(wrong_count("null", more.len(), "('structure')")),
    };
    Ok(Arc::new(NullTable { definition: definition("Null", "null", columns) }))
}

/// The table of `ENGINE = S3(…)`, `URL(…)`, `File(…)`, `AzureBlobStorage(…)`, `GCS(…)`. UNKNOWN_STORAGE for other engines.
pub async fn open_engine(definition: Arc<TableDefinition>, hints: &SourceHints) -> Result<Arc<dyn Table>> {
    let engine = &definition.engine;
    let function = match engine.name.as_str() {
        "S3" => "s3",
        "GCS" => "gcs",
        "OSS" => "oss",
        "COSN" => "cosn",
        "AzureBlobStorage" => "azureBlobStorage",
        "URL" => "url",
        "File" => "file",
        other => return Err(Error::new(ErrorCode::UNKNOWN_STORAGE, format!("Unknown table engine {other}"))),
    };
    let mut call = TableFunctionCall { name: function.to_string(), ..TableFunctionCall::default() };
    for argument in &engine.arguments {
        match unquoted(argument) {
            Some(text) => call.positional.push(CallArgument::Text(text)),
            None => call.positional.push(CallArgument::Identifier(argument.clone())),
        }
    }
    let arguments = match function {
        "azureBlobStorage" => azure::parse(&call)?,
        "url" => url::parse(&call)?,
        "file" => {
            // ENGINE = File(format, path): the other way round than the function.
            if call.positional.len() < 2 {
                return Err(Error::new(
                    ErrorCode::NUMBER_OF_ARGUMENTS_DOESNT_MATCH,
                    "Storage File takes a format and a path",
                ));
            }
            call.positional.swap(0, 1);
            file::parse(&call, hints.user_files_path.as_ref())?
        }
        _ => s3::parse(&call)?,
    };
    ObjectTable::open_engine(arguments, definition, &hints.caches)
}

/// A literal in single quotes, without them.
fn unquoted(text: &str) -> Option<String> {
    let inner = text.trim().strip_prefix('\'')?.strip_suffix('\'')?;
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                other => out.push(other),
            },
            c => out.push(c),
        }
    }
    Some(out)
}
