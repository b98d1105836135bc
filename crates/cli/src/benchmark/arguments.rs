//! The command line of `gristmill benchmark`: that of clickhouse-benchmark.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use gristmill_introspect::Stage;

use crate::client::arguments::LoginArguments;

/// How queries stand in standard input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum QueriesFormat {
    /// One a line, with the escapes of TSV
    #[default]
    Tsv,
    /// With `;` between them
    Script,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Settings: every setting is a flag of its own name, such as --max_threads 4; the server says whether it knows it.\n\
    Parameters: --param_NAME VALUE gives {NAME:Type} in a query its value.\n\
    Two servers: --host or --port, given twice. Each query goes to one of them by chance, and the times are compared."
)]
pub struct BenchmarkArguments {
    /// The query; several times for several. Standard input is read where there is none
    #[arg(short, long, value_name = "SQL", allow_hyphen_values = true, help_heading = "Queries")]
    pub query: Vec<String>,
    /// How queries stand in standard input
    #[arg(long, value_name = "HOW", value_enum, default_value = "tsv", help_heading = "Queries")]
    pub queries_format: QueriesFormat,
    /// Of every query
    #[arg(long, value_name = "ID", help_heading = "Queries")]
    pub query_id: Option<String>,
    /// What the id of every query begins with
    #[arg(long, value_name = "TEXT", conflicts_with = "query_id", help_heading = "Queries")]
    pub query_id_prefix: Option<String>,
    /// Queries in the order of chance
    #[arg(short, long, value_name = "0|1", num_args = 0..=1, default_missing_value = "1", help_heading = "Queries")]
    pub randomize: Option<String>,
    /// How far the server processes queries: complete, unless given
    #[arg(long, value_name = "STAGE", value_parser = Stage::NAMES, help_heading = "Queries")]
    pub stage: Option<String>,

    /// Queries at a time
    #[arg(short, long, value_name = "N", default_value_t = 1, help_heading = "Measuring")]
    pub concurrency: usize,
    /// Queries in all; 0: until the time is over, or Ctrl-C
    #[arg(short, long, value_name = "N", default_value_t = 0, help_heading = "Measuring")]
    pub iterations: u64,
    /// Seconds after which no query is begun; 0: no limit
    #[arg(short, long, value_name = "SECONDS", default_value_t = 0.0, help_heading = "Measuring")]
    pub timelimit: f64,
    /// Seconds between two reports on the way; 0: the last one alone
    #[arg(short, long, value_name = "SECONDS", default_value_t = 1.0, help_heading = "Measuring")]
    pub delay: f64,
    /// Reports on the way tell of all queries, and not of those since the last report
    #[arg(long, help_heading = "Measuring")]
    pub cumulative: bool,
    /// Of the comparison of two servers: 0 is 80 %, 1 90 %, 2 95 %, 3 98 %, 4 99 %, 5 99.5 %
    #[arg(long, value_name = "LEVEL", default_value_t = 5, help_heading = "Measuring")]
    pub confidence: usize,
    /// A file for the last report; - is standard output
    #[arg(long, value_name = "FILE", help_heading = "Measuring")]
    pub json: Option<PathBuf>,
    /// Go on when a query fails
    #[arg(long, help_heading = "Measuring")]
    pub continue_on_errors: bool,
    /// Go on until so many queries have failed one after another
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Measuring")]
    pub max_consecutive_errors: u64,
    /// A new connection for every query
    #[arg(long, value_name = "0|1", num_args = 0..=1, default_missing_value = "1", help_heading = "Measuring")]
    pub reconnect: Option<String>,
    /// Several servers are one, and not compared
    #[arg(long, alias = "round-robin", help_heading = "Measuring")]
    pub roundrobin: bool,

    /// A server; several times for several
    #[arg(short = 'h', long, value_name = "NAME", num_args = 1.., help_heading = "Connection")]
    pub host: Vec<String>,
    /// Its port: 9000, or 9440 with --secure, unless given; as often as there are servers
    #[arg(short, long, value_name = "PORT", num_args = 1.., help_heading = "Connection")]
    pub port: Vec<u16>,
    /// The current database
    #[arg(long, value_name = "NAME", help_heading = "Connection")]
    pub database: Option<String>,
    #[command(flatten)]
    pub login: LoginArguments,

    #[arg(long, hide = true)]
    pub stacktrace: bool,
    #[arg(long, action = ArgAction::Help, help = "Print help")]
    pub help: Option<bool>,
}
