//! The command line of `gristmill local`.
//!
//! Options of fixed name are clap's. Two families have names that clap cannot list: `--param_NAME value` and every
//! declared setting (`--max_threads 4`, also `--max-threads=4`). They are taken out of the line first, so that both may
//! stand anywhere between the others.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, ValueEnum};
use gristmill_base::{Error, ErrorCode, Result, units};
use gristmill_introspect::Settings;
use gristmill_introspect::settings::nearest;

/// `UNRECOGNIZED_ARGUMENTS`
const UNRECOGNIZED_ARGUMENTS: ErrorCode = ErrorCode(552);

#[derive(Debug, Args)]
#[command(
    after_help = "Settings: every setting is a flag of its own name, such as --max_threads 4 or --max_memory_usage=10G.\n\
    List them with: gristmill local -q \"SELECT name, value, description FROM system.settings\"\n\
    Parameters: --param_NAME VALUE gives {NAME:Type} in a query its value."
)]
pub struct LocalArguments {
    /// A query, or several with `;` between them; may be given several times
    #[arg(short, long, value_name = "SQL", allow_hyphen_values = true, help_heading = "Queries")]
    pub query: Vec<String>,
    /// A file of queries; may be given several times
    #[arg(long, value_name = "FILE", help_heading = "Queries")]
    pub queries_file: Vec<PathBuf>,
    /// Files of queries, as with --queries-file
    #[arg(value_name = "FILE", help_heading = "Queries")]
    pub files: Vec<PathBuf>,
    /// Go on with the next query after an error
    #[arg(long, help_heading = "Queries")]
    pub ignore_error: bool,
    /// Several queries at once. Always possible; accepted for scripts that ask for it
    #[arg(short = 'n', long, hide = true)]
    pub multiquery: bool,
    /// Accepted for scripts that ask for it: the prompt always takes several lines
    #[arg(short, long, hide = true)]
    pub multiline: bool,

    /// The folder where tables last; without it they go when the program ends
    #[arg(long, value_name = "DIR", help_heading = "Data")]
    pub path: Option<PathBuf>,
    /// Bytes of decoded granules kept in memory, for queries with use_uncompressed_cache; 1G unless given, 0 for none
    #[arg(long = "uncompressed_cache_size", value_name = "BYTES", value_parser = bytes, help_heading = "Data")]
    pub uncompressed_cache_size: Option<u64>,
    /// Bytes kept of conditions that no row of a granule fulfils; 100M unless given, 0 for none
    #[arg(long = "query_condition_cache_size", value_name = "BYTES", value_parser = bytes, help_heading = "Data")]
    pub query_condition_cache_size: Option<u64>,
    /// The current database
    #[arg(short, long, value_name = "NAME", default_value = "default", help_heading = "Data")]
    pub database: String,
    /// The file that is the table; `-` is standard input
    #[arg(short, long, value_name = "FILE", help_heading = "Data")]
    pub file: Option<String>,
    /// Name of the table that the file or standard input is
    #[arg(short = 'N', long, value_name = "NAME", default_value = "table", help_heading = "Data")]
    pub table: String,
    /// Its columns, such as 'a Int32, b String'; guessed from the data without this
    #[arg(short = 'S', long, value_name = "COLUMNS", help_heading = "Data")]
    pub structure: Option<String>,
    /// Its format; told from the file's extension or guessed from the data without this
    #[arg(long, visible_alias = "table-data-format", value_name = "FORMAT", help_heading = "Data")]
    pub input_format: Option<String>,

    /// Format of results and of input that says nothing of its format
    #[arg(long, value_name = "FORMAT", help_heading = "Results")]
    pub format: Option<String>,
    /// Format of results: PrettyCompact on a terminal and TSV elsewhere, unless given
    #[arg(long, value_name = "FORMAT", help_heading = "Results")]
    pub output_format: Option<String>,
    /// Results one value a line, as with \G or FORMAT Vertical
    #[arg(short = 'E', long, help_heading = "Results")]
    pub vertical: bool,
    /// Show each query before its result
    #[arg(long, help_heading = "Results")]
    pub echo: bool,
    /// Write the time each query took to standard error
    #[arg(short, long, help_heading = "Results")]
    pub time: bool,
    /// Whether to show how far a query is: on a terminal (the default), always on standard error, or never
    #[arg(long, value_name = "WHERE", value_enum, num_args = 0..=1, default_missing_value = "tty", require_equals = true, help_heading = "Results")]
    pub progress: Option<ProgressMode>,
    /// Accepted for scripts that ask for it
    #[arg(long, hide = true)]
    pub stacktrace: bool,
    /// Accepted for scripts that ask for it
    #[arg(long, hide = true)]
    pub verbose: bool,

    /// Start the prompt even where queries or standard input are given
    #[arg(short, long, help_heading = "Prompt")]
    pub interactive: bool,
    /// File of the prompt's history
    #[arg(long, value_name = "FILE", help_heading = "Prompt")]
    pub history_file: Option<PathBuf>,
}

/// A number of bytes: 1000000, 512M, 4G.
fn bytes(text: &str) -> Result<u64, String> {
    units::parse_size(text).ok_or_else(|| format!("{text} is no number of bytes"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    #[value(alias = "on", alias = "yes", alias = "true", alias = "1")]
    Tty,
    Err,
    #[value(alias = "no", alias = "false", alias = "0")]
    Off,
}

/// What the families of names gave.
#[derive(Debug, Default)]
pub struct Given {
    pub settings: Settings,
    /// By name, without `param_`.
    pub parameters: BTreeMap<String, String>,
}

/// Takes settings and parameters out of the line. Errors: a bad value, a name without a value.
pub fn take_dynamic(line: Vec<OsString>) -> Result<(Vec<OsString>, Given)> {
    let known: BTreeMap<&str, &str> = Settings::declared().iter().map(|info| (info.name, info.kind)).collect();
    let mut given = Given::default();
    let mut rest = Vec::with_capacity(line.len());
    let mut words = line.into_iter().peekable();
    let mut value_of_option = false;
    while let Some(word) = words.next() {
        let flag = word.to_str().filter(|_| !value_of_option).and_then(|word| word.strip_prefix("--")).map(|flag| {
            let (name, value) = flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value.to_string())));
            (name.replace('-', "_"), name.to_string(), value)
        });
        match flag {
            Some((name, written, value)) if name.starts_with("param_") && name.len() > 6 => {
                let value = value.or_else(|| next_text(&mut words)).ok_or_else(|| missing_value(&written))?;
                // The name of a parameter is taken as written: `-` and `_` differ in it.
                given.parameters.insert(written["param_".len()..].to_string(), value);
            }
            Some((name, written, value)) if known.contains_key(name.as_str()) => {
                let alone = words.peek().is_none_or(|next| next.to_string_lossy().starts_with('-'));
                let value = match value {
                    Some(value) => value,
                    None if alone && known[name.as_str()] == "Bool" => "1".to_string(),
                    None => next_text(&mut words).ok_or_else(|| missing_value(&written))?,
                };
                given.settings.set(&name, &value)?;
            }
            _ => {
                // `-q --max_threads` is a (strange) query, not a setting.
                let is_value = std::mem::replace(&mut value_of_option, matches!(word.to_str(), Some("-q" | "--query")));
                rest.push(if is_value { word } else { underscores_to_dashes(word) });
            }
        }
    }
    Ok((rest, given))
}

fn next_text(words: &mut impl Iterator<Item = OsString>) -> Option<String> {
    words.next().and_then(|word| word.into_string().ok())
}

fn missing_value(name: &str) -> Error {
    bad(format!("the required argument for option '--{name}' is missing"))
}

/// `--output_format` is `--output-format`, as ClickHouse has it.
fn underscores_to_dashes(word: OsString) -> OsString {
    let Some(flag) = word.to_str().and_then(|word| word.strip_prefix("--")) else { return word };
    let (name, value) = flag.split_at(flag.find('=').unwrap_or(flag.len()));
    if name.contains('_') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        format!("--{}{value}", name.replace('_', "-")).into()
    } else {
        word
    }
}

/// BAD_ARGUMENTS, as ClickHouse answers a command line it cannot read.
pub fn bad(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, message)
}

/// Help and version go to standard output; anything else is an error of ours, with the nearest known name.
pub fn explain(error: clap::Error) -> Result<ExitCode> {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // A closed pipe is the reader's choice.
            let _ = error.print();
            Ok(ExitCode::SUCCESS)
        }
        ErrorKind::UnknownArgument => {
            let name = match error.get(ContextKind::InvalidArg) {
                Some(ContextValue::String(name)) => name.trim_start_matches('-').replace('-', "_"),
                _ => String::new(),
            };
            let settings = Settings::declared();
            let command = LocalArguments::augment_args(clap::Command::new("local"));
            let options: Vec<String> =
                command.get_arguments().filter_map(|option| Some(option.get_long()?.replace('-', "_"))).collect();
            let known = settings.iter().map(|info| info.name).chain(options.iter().map(String::as_str));
            let hint = nearest(&name, known).map_or_else(String::new, |near| {
                let near =
                    if options.iter().any(|option| option == near) { near.replace('_', "-") } else { near.to_string() };
                format!(". Maybe you meant ['--{near}']")
            });
            let written = name.replace('_', "-");
            let written = if settings.iter().any(|info| info.name.contains(&name)) { name } else { written };
            Err(Error::new(UNRECOGNIZED_ARGUMENTS, format!("Unrecognized option '--{written}'{hint}")))
        }
        _ => {
            let text = error.render().to_string();
            let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
            Err(bad(first))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(words: &[&str]) -> Result<(Vec<String>, Given)> {
        let (rest, given) = take_dynamic(words.iter().map(OsString::from).collect())?;
        Ok((rest.into_iter().map(|word| word.into_string().expect("text")).collect(), given))
    }

    #[test]
    fn settings_and_parameters_stand_anywhere_in_any_form() {
        let (rest, given) = taken(&[
            "local",
            "--max_threads",
            "4",
            "-q",
            "SELECT 1",
            "--max-block-size=10",
            "--param_a-b",
            "x",
            "--param_n=7",
        ])
        .expect("takes");
        assert_eq!(rest, ["local", "-q", "SELECT 1"]);
        assert_eq!((given.settings.max_threads, given.settings.max_block_size), (4, 10));
        assert_eq!(given.parameters.into_iter().collect::<Vec<_>>(), [("a-b".into(), "x".into()), ("n".into(), "7".into())]);
    }

    #[test]
    fn a_boolean_setting_may_stand_alone() {
        let (_, given) = taken(&["local", "--join_use_nulls", "--query", "SELECT 1"]).expect("takes");
        assert!(given.settings.join_use_nulls);
    }

    #[test]
    fn a_query_that_looks_like_a_flag_stays_a_query() {
        let (rest, _) = taken(&["local", "-q", "--max_threads"]).expect("takes");
        assert_eq!(rest, ["local", "-q", "--max_threads"]);
    }

    #[test]
    fn a_bad_value_and_a_missing_one_are_errors() {
        assert!(taken(&["local", "--max_threads", "many"]).expect_err("bad").message().contains("max_threads"));
        assert_eq!(taken(&["local", "--max_threads"]).expect_err("missing").code(), ErrorCode::BAD_ARGUMENTS);
    }

    #[test]
    fn an_unknown_flag_is_answered_with_the_nearest() {
        let command = LocalArguments::augment_args(clap::Command::new("local"));
        let error = command.try_get_matches_from(["local", "--max-thread", "4"]).expect_err("unknown");
        let error = explain(error).expect_err("an error");
        assert_eq!(error.code(), UNRECOGNIZED_ARGUMENTS);
        assert!(error.message().contains("['--max_threads']"), "{error}");
    }
}
