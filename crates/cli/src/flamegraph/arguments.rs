//! The command line of `gristmill flamegraph`.

use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};

use crate::client::arguments::LoginArguments;

/// Which samples are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Samples {
    /// What the query's threads computed
    #[value(name = "CPU", alias = "cpu")]
    Cpu,
    /// Where the time went by the clock, waits included
    #[value(name = "Real", alias = "real")]
    Real,
    /// Where it allocated whenever it held more than before
    #[value(name = "Memory", alias = "memory")]
    Memory,
    /// Where it allocated, by chance (with memory_profiler_sample_probability)
    #[value(name = "MemorySample", alias = "memory-sample")]
    MemorySample,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The query has run already, or runs now: its samples are in system.trace_log. More of them: SETTINGS query_profiler_cpu_time_period_ns = 10000000."
)]
pub struct FlamegraphArguments {
    /// The query's id, as system.query_log has it
    #[arg(value_name = "QUERY_ID")]
    pub query_id: String,
    /// Which samples
    #[arg(long = "type", value_name = "TYPE", value_enum, default_value = "CPU", help_heading = "Graph")]
    pub samples: Samples,
    /// Print the stacks as lines, `outer;inner number`, and no graph
    #[arg(long, help_heading = "Graph")]
    pub collapsed: bool,
    /// What stands above the graph; the query's id unless given
    #[arg(long, value_name = "TEXT", help_heading = "Graph")]
    pub title: Option<String>,

    /// A server's data folder, in the place of a server that runs
    #[arg(long, value_name = "DIR", help_heading = "Connection", conflicts_with_all = ["host", "port"])]
    pub path: Option<PathBuf>,
    /// The server, or the name of a connection of the configuration
    #[arg(short = 'h', long, value_name = "NAME", help_heading = "Connection")]
    pub host: Option<String>,
    /// Its port: 9000, or 9440 with --secure, unless given
    #[arg(long, value_name = "PORT", help_heading = "Connection")]
    pub port: Option<u16>,
    #[command(flatten)]
    pub login: LoginArguments,

    #[arg(long, action = ArgAction::Help, help = "Print help")]
    pub help: Option<bool>,
}
