//! What the arguments of functions and engines over files mean. ClickHouse tells positional forms apart by their number and
//! by whether an argument is the name of a format or `NOSIGN`; `key = value` arguments may follow.

pub mod azure;
pub mod file;
pub mod s3;
pub mod url;

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::Format;
use gristmill_formats::compression::Compression;
use gristmill_introspect::Settings;
use gristmill_types::{Column, Columns, parse};

use crate::call::{CallArgument, TableFunctionCall};
use crate::object::source::ObjectSource;

/// A source with what may be told beside it.
#[derive(Clone, Debug)]
pub struct ObjectArguments {
    /// The format is `Format::Null` until `format` is settled.
    pub source: ObjectSource,
    /// `None`: by the extension of the path.
    pub format: Option<Format>,
    /// `None`: by looking at the data.
    pub structure: Option<Columns>,
}

/// Arguments as they are taken apart.
pub(crate) struct Parsed<'a> {
    function: &'a str,
    pub positional: Vec<&'a CallArgument>,
    pub headers: Vec<(String, Secret)>,
    named: Vec<(&'a str, &'a CallArgument)>,
}

impl<'a> Parsed<'a> {
    pub fn new(call: &'a TableFunctionCall) -> Result<Self> {
        let mut parsed = Parsed {
            function: &call.name,
            positional: Vec::new(),
            headers: Vec::new(),
            named: call.named.iter().map(|(name, value)| (name.as_str(), value)).collect(),
        };
        for argument in &call.positional {
            match argument {
                CallArgument::Pairs(name, pairs) if name.eq_ignore_ascii_case("headers") => {
                    parsed.headers.extend(pairs.iter().map(|(name, value)| (name.clone(), Secret::new(value))));
                }
                CallArgument::Pairs(name, _) => {
                    return Err(Error::new(
                        ErrorCode::NOT_IMPLEMENTED,
                        format!(
                            "{name}(…) is not supported in table function '{}': give access keys, or take the role in the \
                                 environment (AWS_ROLE_ARN with a web identity)",
                            call.name
                        ),
                    ));
                }
                other => parsed.positional.push(other),
            }
        }
        Ok(parsed)
    }

    /// Takes a `key = value` argument.
    pub fn take(&mut self, name: &str) -> Option<&'a str> {
        let at = self.named.iter().position(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(self.named.remove(at).1.word())
    }

    pub fn take_flag(&mut self, name: &str) -> bool {
        self.take(name).is_some_and(|value| value == "1" || value.eq_ignore_ascii_case("true"))
    }

    /// Nothing may be left over.
    pub fn finish(self, known: &str) -> Result<()> {
        match self.named.first() {
            None => Ok(()),
            Some((name, _)) => Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Unexpected key `{name}` in the arguments of table function '{}'. It knows: {known}", self.function),
            )),
        }
    }

    pub fn is_format(&self, at: usize) -> bool {
        self.positional.get(at).is_some_and(|argument| is_format(argument.word()))
    }
}

/// A word that stands where a format may.
pub(crate) fn is_format(word: &str) -> bool {
    word.eq_ignore_ascii_case("auto") || Format::by_name(word).is_ok()
}

pub(crate) fn format(word: &str) -> Result<Option<Format>> {
    if word.is_empty() || word.eq_ignore_ascii_case("auto") { Ok(None) } else { Format::by_name(word).map(Some) }
}

/// The columns of a structure as they are written: a Nested is one. `None` where they are to be told by the data.
pub(crate) fn structure(word: &str) -> Result<Option<Columns>> {
    if word.trim().is_empty() || word.eq_ignore_ascii_case("auto") {
        return Ok(None);
    }
    parse::structure_with_nested(word).map(Some)
}

/// The columns of a table that is declared with these: those of a Nested are several, unless `flatten_nested = 0`.
pub(crate) fn as_declared(columns: Columns, settings: &Settings) -> Columns {
    if settings.flatten_nested { columns.flattened() } else { columns }
}

/// The columns that a structure declares.
pub(crate) fn declared(structure: &str, settings: &Settings) -> Result<Columns> {
    nullable_by_setting(parse::structure_with_defaults(structure, settings.flatten_nested)?, settings)
}

/// As `declared`, where no column may have a default.
pub(crate) fn declared_plainly(structure: &str, settings: &Settings) -> Result<Columns> {
    nullable_by_setting(parse::structure_without_defaults(structure, settings.flatten_nested)?, settings)
}

/// The columns, which are all Nullable where a setting says so. Error: ILLEGAL_TYPE_OF_ARGUMENT for types that cannot be.
fn nullable_by_setting(columns: Columns, settings: &Settings) -> Result<Columns> {
    if !settings.data_type_default_nullable {
        return Ok(columns);
    }
    let nullable = |column: &Column| -> Result<Column> {
        let mut column = column.clone();
        if !column.kind.is_nullable() {
            column.kind = format!("Nullable({})", column.kind).parse()?;
        }
        Ok(column)
    };
    Ok(Columns::new(columns.iter().map(nullable).collect::<Result<_>>()?))
}

pub(crate) fn compression(word: &str) -> Result<Option<Compression>> {
    if word.is_empty() || word.eq_ignore_ascii_case("auto") { Ok(None) } else { Compression::by_name(word, "").map(Some) }
}

impl ObjectArguments {
    /// The arguments that end every form: format, structure, compression.
    pub(crate) fn finish_with(&mut self, rest: &[&CallArgument]) -> Result<()> {
        if let Some(word) = rest.first() {
            self.format = format(word.word())?;
        }
        if let Some(word) = rest.get(1) {
            self.structure = structure(word.word())?;
        }
        if let Some(word) = rest.get(2) {
            self.source.compression = compression(word.word())?;
        }
        Ok(())
    }

    /// What is given as `key = value`.
    pub(crate) fn take_named(&mut self, parsed: &mut Parsed<'_>) -> Result<()> {
        if let Some(word) = parsed.take("format") {
            self.format = format(word)?;
        }
        if let Some(word) = parsed.take("structure") {
            self.structure = structure(word)?;
        }
        if let Some(word) = parsed.take("compression_method").or_else(|| parsed.take("compression")) {
            self.source.compression = compression(word)?;
        }
        Ok(())
    }
}
