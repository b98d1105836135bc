//! The command line of `gristmill client`: that of clickhouse-client; and what all commands that speak to a server have.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::{ArgAction, Args};
use gristmill_introspect::Stage;

use crate::arguments::ResultArguments;
use crate::client::places::Place;

/// What `--password` without a value stands for: no password that anybody has.
pub const ASKED_FOR: &str = "\u{0}ask";

/// Who speaks to a server, and how. The commands that do so share it.
#[derive(Clone, Debug, Default, Args)]
pub struct LoginArguments {
    /// Who asks: default, unless given
    #[arg(short, long, value_name = "NAME", help_heading = "Connection")]
    pub user: Option<String>,
    /// Asked for where no value is given
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = ASKED_FOR, help_heading = "Connection")]
    pub password: Option<String>,
    /// Ask for the password
    #[arg(long, help_heading = "Connection")]
    pub ask_password: bool,
    /// Connect over TLS
    #[arg(short, long, help_heading = "Connection")]
    pub secure: bool,
    /// Do not connect over TLS, whatever the configuration says
    #[arg(long, help_heading = "Connection", conflicts_with = "secure")]
    pub no_secure: bool,
    /// Take any certificate of the server
    #[arg(long, help_heading = "Connection")]
    pub accept_invalid_certificate: bool,
    /// Compress blocks, both ways: on unless the server is this machine
    #[arg(long, value_name = "0|1", num_args = 0..=1, default_missing_value = "1", help_heading = "Connection")]
    pub compression: Option<String>,
    /// A connection of the configuration, by its name
    #[arg(long, value_name = "NAME", help_heading = "Connection")]
    pub connection: Option<String>,
    /// The configuration, XML or YAML; ./clickhouse-client.xml, ~/.clickhouse-client/config.xml and others are looked for
    #[arg(short = 'C', long, alias = "config", value_name = "FILE", help_heading = "Connection")]
    pub config_file: Option<PathBuf>,
    /// Seconds for connecting
    #[arg(long, value_name = "SECONDS", help_heading = "Connection")]
    pub connect_timeout: Option<f64>,
    /// Seconds that the server may say nothing
    #[arg(long, value_name = "SECONDS", help_heading = "Connection")]
    pub receive_timeout: Option<f64>,
    #[arg(long, value_name = "KEY", hide = true)]
    pub quota_key: Option<String>,
}

impl LoginArguments {
    /// Whether the password is to be asked for on the terminal.
    pub fn asks(&self) -> bool {
        self.ask_password || self.password.as_deref() == Some(ASKED_FOR)
    }
}

#[derive(Debug, Default, Args)]
#[command(
    after_help = "Settings: every setting is a flag of its own name, such as --max_threads 4; the server says whether it knows it.\n\
    Parameters: --param_NAME VALUE gives {NAME:Type} in a query its value.\n\
    CLICKHOUSE_HOST, CLICKHOUSE_USER and CLICKHOUSE_PASSWORD hold where neither the line nor a configuration says it."
)]
pub struct ClientArguments {
    /// clickhouse://user:password@host:port/database?secure — instead of the options below; other words are queries
    #[arg(value_name = "CONNECTION")]
    pub connection_string: Vec<String>,
    /// The server, or the name of a connection of the configuration; of several, the first that answers
    #[arg(short = 'h', long, value_name = "NAME", help_heading = "Connection")]
    pub host: Vec<String>,
    /// Its port: 9000, or 9440 with --secure, unless given; of several hosts, behind each
    #[arg(long, value_name = "PORT", help_heading = "Connection")]
    pub port: Vec<u16>,
    /// Hosts and ports, as they stand on the line
    #[arg(skip)]
    pub places: Vec<Place>,
    /// The address of this machine that connections begin at
    #[arg(long, value_name = "ADDRESS", help_heading = "Connection")]
    pub bind_host: Option<IpAddr>,
    /// The name that the server's certificate has to have, in the place of the host's
    #[arg(long, value_name = "NAME", help_heading = "Connection")]
    pub tls_sni_override: Option<String>,
    /// As --config-file
    #[arg(short = 'c', value_name = "FILE", hide = true)]
    pub short_config_file: Option<PathBuf>,
    /// The current database
    #[arg(short, long, value_name = "NAME", help_heading = "Connection")]
    pub database: Option<String>,
    #[command(flatten)]
    pub login: LoginArguments,

    /// A query, or several with `;` between them; may be given several times
    #[arg(short, long, value_name = "SQL", allow_hyphen_values = true, help_heading = "Queries")]
    pub query: Vec<String>,
    /// A file of queries; may be given several times
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Queries")]
    pub queries_file: Vec<PathBuf>,
    /// Of the first query
    #[arg(long, value_name = "ID", help_heading = "Queries")]
    pub query_id: Option<String>,
    /// Several queries at once. Always possible; accepted for scripts that ask for it
    #[arg(short = 'n', long, hide = true)]
    pub multiquery: bool,
    /// The trace that the queries belong to, as the header of that name says it
    #[arg(long, value_name = "TRACE", help_heading = "Queries")]
    pub opentelemetry_traceparent: Option<String>,
    /// What else is said of that trace
    #[arg(long, value_name = "STATE", help_heading = "Queries", requires = "opentelemetry_traceparent")]
    pub opentelemetry_tracestate: Option<String>,
    /// Accepted for scripts that ask for it: the prompt always takes several lines
    #[arg(short, long, hide = true)]
    pub multiline: bool,

    /// Format of results that name none: PrettyCompact on a terminal and TSV elsewhere, unless given
    #[arg(short, long, value_name = "FORMAT", help_heading = "Results")]
    pub format: Option<String>,
    #[command(flatten)]
    pub results: ResultArguments,
    /// Write what the server counts of each query to standard error
    #[arg(long, help_heading = "Results")]
    pub print_profile_events: bool,
    /// How often, in milliseconds: 0 as it comes, -1 when a query is over
    #[arg(long, value_name = "MS", default_value = "0", allow_negative_numbers = true, help_heading = "Results")]
    pub profile_events_delay_ms: i64,
    /// Where lines of the server's log go (--send_logs_level); - is standard output, and standard error unless given
    #[arg(long, value_name = "FILE", help_heading = "Results")]
    pub server_logs_file: Option<PathBuf>,
    /// What this program logs of itself: none, error, warning, information, debug, trace
    #[arg(long, value_name = "LEVEL", help_heading = "Results")]
    pub log_level: Option<String>,
    /// How far the server processes queries: complete, unless given
    #[arg(long, value_name = "STAGE", value_parser = Stage::NAMES, help_heading = "Queries")]
    pub stage: Option<String>,
    /// Show dates and times in the zone of this machine and not in the server's
    #[arg(long, help_heading = "Results")]
    pub use_client_time_zone: bool,

    /// Start the prompt even where queries or standard input are given, behind them
    #[arg(short, long, alias = "delayed-interactive", help_heading = "Prompt")]
    pub interactive: bool,
    /// File of the prompt's history
    #[arg(long, value_name = "FILE", help_heading = "Prompt")]
    pub history_file: Option<PathBuf>,
    /// What stands before :) instead of the server's name
    #[arg(long, value_name = "TEXT", help_heading = "Prompt")]
    pub prompt: Option<String>,
    /// Complete no words
    #[arg(short = 'A', long, help_heading = "Prompt")]
    pub disable_suggestion: bool,

    #[arg(long, hide = true)]
    pub verbose: bool,
    #[arg(long, hide = true)]
    pub no_warnings: bool,
    /// Print the version, and nothing else
    #[arg(long, hide = true)]
    pub version_clean: bool,
    #[arg(long, action = ArgAction::Help, help = "Print help")]
    pub help: Option<bool>,
}
