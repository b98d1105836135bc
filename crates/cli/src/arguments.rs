//! What the command lines of `local`, `client`, `server` and `demo` share.
//!
//! Options of fixed name are clap's. Two families have names that clap cannot list: `--param_NAME value` and every
//! declared setting (`--max_threads 4`, also `--max-threads=4`). They are taken out of the line first, so that both may
//! stand anywhere between the others. A client's server may have settings that this program has not: what is no option of
//! the client is one of these.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, ValueEnum};
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_formats::Format;
use gristmill_introspect::Settings;
use gristmill_introspect::settings::{SettingInfo, nearest};

use crate::client::foreign_options::{foreign, takes_value};
use crate::runner::{MemoryUsage, Options};
use crate::terminal::Terminal;

/// `UNRECOGNIZED_ARGUMENTS`
const UNRECOGNIZED_ARGUMENTS: ErrorCode = ErrorCode(552);

/// Where the progress of a query is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProgressMode {
    #[value(alias = "on", alias = "yes", alias = "true", alias = "1")]
    Tty,
    Err,
    #[value(alias = "no", alias = "false", alias = "0")]
    Off,
}

/// How results are shown.
#[derive(Debug, Default, Args)]
pub struct ResultArguments {
    /// Format of results: PrettyCompact on a terminal and TSV elsewhere, unless given; goes over --format
    #[arg(long, value_name = "FORMAT", help_heading = "Results")]
    pub output_format: Option<String>,
    /// Results one value a line, as with \G or FORMAT Vertical
    #[arg(short = 'E', long, help_heading = "Results")]
    pub vertical: bool,
    /// Show each query before its result
    #[arg(long, help_heading = "Results")]
    pub echo: bool,
    /// Write the time each query took to standard error
    #[arg(short, long, alias = "print-time-to-stderr", help_heading = "Results")]
    pub time: bool,
    /// Write how many rows each query gave or wrote behind its result
    #[arg(long, alias = "print-num-processed-rows", help_heading = "Results")]
    pub processed_rows: bool,
    /// Whether to show how far a query is: on a terminal (the default), always on standard error, or never
    #[arg(long, value_name = "WHERE", value_enum, num_args = 0..=1, default_missing_value = "tty", require_equals = true, help_heading = "Results")]
    pub progress: Option<ProgressMode>,
    /// The program that results are shown by, such as 'less -S'
    #[arg(long, value_name = "COMMAND", help_heading = "Results")]
    pub pager: Option<String>,
    /// Write the memory that each query took at most to standard error
    #[arg(long, value_name = "HOW", value_enum, num_args = 0..=1, default_missing_value = "default", require_equals = true, help_heading = "Results")]
    pub memory_usage: Option<MemoryUsage>,
    /// Go on with the next query after an error
    #[arg(long, help_heading = "Queries")]
    pub ignore_error: bool,
    /// Show the calls that led to an error behind it
    #[arg(long, help_heading = "Queries")]
    pub stacktrace: bool,
}

impl ResultArguments {
    /// `format`: of results where no --output-format is given. Errors: UNKNOWN_FORMAT.
    pub fn options(&self, format: Option<&String>, terminal: Terminal) -> Result<Options> {
        let named = self.output_format.as_ref().or(format);
        named.map(|name| Format::by_name(name)).transpose()?;
        Ok(Options {
            format: named.cloned(),
            vertical: self.vertical,
            echo: self.echo,
            time: self.time,
            processed_rows: self.processed_rows,
            progress: match self.progress {
                None | Some(ProgressMode::Tty) => terminal.errors,
                Some(ProgressMode::Err) => true,
                Some(ProgressMode::Off) => false,
            },
            ignore_error: self.ignore_error,
            stacktrace: self.stacktrace,
            memory_usage: self.memory_usage,
            pager: self.pager.clone(),
            interactive: false,
        })
    }
}

/// What the families of names gave.
#[derive(Debug, Default)]
pub struct Given {
    pub settings: Settings,
    /// By name, without `param_`.
    pub parameters: BTreeMap<String, String>,
    /// Settings that only a server may know.
    pub unknown: BTreeMap<String, String>,
}

/// The long names of a command's options, with `_` for `-`.
pub fn option_names(command: &clap::Command) -> BTreeSet<String> {
    let names = |option: &clap::Arg| {
        let aliases = option.get_all_aliases().unwrap_or_default();
        option.get_long().into_iter().chain(aliases).map(|name| name.replace('-', "_")).collect::<Vec<_>>()
    };
    command.get_arguments().flat_map(names).collect()
}

/// Takes settings and parameters out of the line. `settings`: those that are not given. `options`: the command's own; for one that `is_client`, whatever else there
/// is, is a setting of its server. Errors: a bad value, a name without a value.
pub fn take_dynamic(
    line: Vec<OsString>,
    settings: Settings,
    options: &BTreeSet<String>,
    is_client: bool,
) -> Result<(Vec<OsString>, Given)> {
    let declared = Settings::declared();
    // Settings without effect have names of options too: `format`, `database`. A server is the one to know their values.
    let is_taken = |info: &SettingInfo| match is_client {
        true => !info.no_effect && !options.contains(info.name),
        false => !info.no_effect || !options.contains(info.name),
    };
    let known: BTreeMap<&str, &str> =
        declared.iter().filter(|info| is_taken(info)).map(|info| (info.name, info.kind)).collect();
    let mut given = Given { settings, ..Given::default() };
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
            Some((name, written, value)) if is_client && is_servers(&name, options) && foreign(&name).is_some() => {
                let takes = foreign(&name).map(|foreign| takes_value(foreign, &written)).transpose()?.unwrap_or_default();
                let alone = words.peek().is_none_or(|next| next.to_string_lossy().starts_with('-'));
                if takes && value.is_none() && !alone {
                    words.next();
                }
            }
            Some((name, written, value)) if is_client && is_servers(&name, options) => {
                let alone = words.peek().is_none_or(|next| next.to_string_lossy().starts_with('-'));
                let value = match value {
                    Some(value) => value,
                    None if alone => "1".to_string(),
                    None => next_text(&mut words).ok_or_else(|| missing_value(&written))?,
                };
                given.unknown.insert(name, value);
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

/// Whether a name can only be that of a setting of a server.
fn is_servers(name: &str, options: &BTreeSet<String>) -> bool {
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name && !options.contains(name) && !["help", "version"].contains(&name)
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
pub fn explain(error: clap::Error, options: &BTreeSet<String>) -> Result<ExitCode> {
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
            let known = settings.iter().map(|info| info.name).chain(options.iter().map(String::as_str));
            let hint = nearest(&name, known).map_or_else(String::new, |near| {
                let near = if options.contains(near) { near.replace('_', "-") } else { near.to_string() };
                format!(". Maybe you meant ['--{near}']")
            });
            let written = name.replace('_', "-");
            let written = if settings.iter().any(|info| info.name.contains(&name)) { name } else { written };
            Err(Error::new(UNRECOGNIZED_ARGUMENTS, format!("Unrecognized option '--{written}'{hint}")))
        }
        _ => {
            let text = error.render().to_string();
            // Its first paragraph: what is wrong, and below it which values there are or which arguments are missing.
            let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
            Err(bad(lines.join(" ").trim_start_matches("error: ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::arguments::LocalArguments;

    fn taken(words: &[&str]) -> Result<(Vec<String>, Given)> {
        let (rest, given) = take_dynamic(
            words.iter().map(OsString::from).collect(),
            Settings::default(),
            &BTreeSet::from(["format".to_string()]),
            false,
        )?;
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
            "--format",
            "CSV",
            "--enable_vertical_final",
            "0",
        ])
        .expect("takes");
        assert_eq!(rest, ["local", "-q", "SELECT 1", "--format", "CSV"]);
        assert_eq!(given.settings.get("enable_vertical_final").as_deref(), Some("0"));
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
        let options = option_names(&command);
        let error = command.try_get_matches_from(["local", "--max-thread", "4"]).expect_err("unknown");
        let error = explain(error, &options).expect_err("an error");
        assert_eq!(error.code(), UNRECOGNIZED_ARGUMENTS);
        assert!(error.message().contains("['--max_threads']"), "{error}");
    }

    #[test]
    fn what_is_missing_and_which_values_there_are_is_told() {
        let explained = |command: clap::Command, line: &[&str]| {
            let error = command.try_get_matches_from(line).expect_err("refused");
            explain(error, &BTreeSet::new()).expect_err("an error").message()
        };
        let missing = clap::Command::new("x").arg(clap::Arg::new("ID").required(true));
        assert_eq!(explained(missing, &["x"]), "the following required arguments were not provided: <ID>");
        let sort = clap::Arg::new("sort").long("sort").value_name("BY").value_parser(["time", "cpu"]);
        let told = explained(clap::Command::new("x").arg(sort), &["x", "--sort", "z"]);
        assert_eq!(told, "invalid value 'z' for '--sort <BY>' [possible values: time, cpu]");
    }

    #[test]
    fn options_of_clickhouse_client_are_no_settings_of_the_server() {
        let options = BTreeSet::from(["host".to_string()]);
        let settings = Settings::default;
        let take = |line: &[&str]| take_dynamic(line.iter().map(OsString::from).collect(), settings(), &options, true);
        let (rest, given) =
            take(&["client", "--highlight", "0", "--hardware-utilization", "--history_max_entries=5", "--host", "h"])
                .expect("takes");
        assert_eq!(rest, ["client", "--host", "h"].map(OsString::from));
        assert!(given.unknown.is_empty());
        let error = take(&["client", "--file=x"]).expect_err("refused");
        assert_eq!(error.code(), ErrorCode::NOT_IMPLEMENTED);
        assert!(error.message().contains("--file") && error.message().contains("--external"), "{error}");
    }

    #[test]
    fn what_is_no_option_of_a_client_is_a_setting_of_its_server() {
        let options = BTreeSet::from(["host".to_string(), "secure".to_string()]);
        let line = ["client", "--host", "h", "--new_setting=7", "--other-new", "x", "--secure", "--flag", "-q", "SELECT 1"];
        let (rest, given) =
            take_dynamic(line.iter().map(OsString::from).collect(), Settings::default(), &options, true).expect("takes");
        assert_eq!(rest, ["client", "--host", "h", "--secure", "-q", "SELECT 1"].map(OsString::from));
        let unknown: Vec<_> = given.unknown.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(unknown, [("flag", "1"), ("new_setting", "7"), ("other_new", "x")]);
    }
}
