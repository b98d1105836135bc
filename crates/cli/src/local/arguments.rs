//! The command line of `gristmill local`.

use std::path::PathBuf;

use clap::Args;
use gristmill_base::units;

use crate::arguments::ResultArguments;

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
    /// Files of queries, as with --queries-file; what is no file and has several words is a query
    #[arg(value_name = "FILE", help_heading = "Queries")]
    pub files: Vec<PathBuf>,
    /// Of the first query
    #[arg(long, value_name = "ID", help_heading = "Queries")]
    pub query_id: Option<String>,
    /// Several queries at once. Always possible; accepted for scripts that ask for it
    #[arg(short = 'n', long, hide = true)]
    pub multiquery: bool,
    /// Accepted for scripts that ask for it: the prompt always takes several lines
    #[arg(short, long, hide = true)]
    pub multiline: bool,

    /// The folder where tables last; without it they go when the program ends
    #[arg(long, value_name = "DIR", help_heading = "Data")]
    pub path: Option<PathBuf>,
    /// Bytes of decoded granules kept in memory; an eighth of what the process may hold unless given, 0 for none
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Data")]
    pub uncompressed_cache_size: Option<u64>,
    /// Bytes kept of conditions that no row of a granule fulfils; 100M unless given, 0 for none
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = "Data")]
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

    /// Format of results, and of input that says nothing of its format
    #[arg(long, value_name = "FORMAT", help_heading = "Results")]
    pub format: Option<String>,
    #[command(flatten)]
    pub results: ResultArguments,
    /// What this program logs of itself: none, error, warning, information, debug, trace
    #[arg(long, alias = "logger.level", value_name = "LEVEL", help_heading = "Results")]
    pub log_level: Option<String>,
    /// Accepted for scripts that ask for it, as are those that follow
    #[arg(long, hide = true)]
    pub verbose: bool,
    #[arg(long = "logger.console", num_args = 0..=1, default_missing_value = "1", require_equals = true, hide = true)]
    pub logger_console: Option<String>,
    #[arg(long, hide = true)]
    pub hardware_utilization: bool,
    #[arg(long, num_args = 0..=1, default_missing_value = "tty", require_equals = true, hide = true)]
    pub progress_table: Option<String>,
    #[arg(long, alias = "hilite", hide = true)]
    pub highlight: Option<String>,
    #[arg(long, hide = true)]
    pub history_max_entries: Option<String>,
    #[arg(long, hide = true)]
    pub suggestion_limit: Option<String>,
    #[arg(long, hide = true)]
    pub wait_for_suggestions_to_load: bool,
    #[arg(long, hide = true)]
    pub no_system_tables: bool,
    #[arg(long, hide = true)]
    pub only_system_tables: bool,

    /// Start the prompt even where queries or standard input are given
    #[arg(short, long, help_heading = "Prompt")]
    pub interactive: bool,
    /// File of the prompt's history
    #[arg(long, value_name = "FILE", help_heading = "Prompt")]
    pub history_file: Option<PathBuf>,
    /// Complete no words
    #[arg(short = 'A', long, help_heading = "Prompt")]
    pub disable_suggestion: bool,
}

/// A number of bytes: 1000000, 512M, 4G.
fn bytes(text: &str) -> Result<u64, String> {
    units::parse_size(text).ok_or_else(|| format!("{text} is no number of bytes"))
}
