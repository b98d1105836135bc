//! The command line of `gristmill top`.

use clap::{ArgAction, Args};

use crate::client::arguments::LoginArguments;

#[derive(Debug, Args)]
#[command(
    after_help = "Keys: q quits, arrows choose a query, k kills it (and asks first), s sorts by another column, p pauses, ? helps."
)]
pub struct TopArguments {
    /// The server, or the name of a connection of the configuration
    #[arg(short = 'h', long, value_name = "NAME", help_heading = "Connection")]
    pub host: Option<String>,
    /// Its port: 9000, or 9440 with --secure, unless given
    #[arg(long, value_name = "PORT", help_heading = "Connection")]
    pub port: Option<u16>,
    #[command(flatten)]
    pub login: LoginArguments,

    /// Seconds between two looks
    #[arg(short, long, value_name = "SECONDS", default_value_t = 1.0, help_heading = "Screen")]
    pub interval: f64,
    /// Print one page of text and end, as where standard output is no terminal
    #[arg(long, help_heading = "Screen")]
    pub once: bool,
    /// Columns of that page; the terminal's, or 160, unless given
    #[arg(long, value_name = "COLUMNS", help_heading = "Screen")]
    pub width: Option<u16>,
    /// The column that queries are sorted by
    #[arg(long, value_name = "COLUMN", value_enum, default_value = "time", help_heading = "Screen")]
    pub sort: super::state::Sort,

    #[arg(long, action = ArgAction::Help, help = "Print help")]
    pub help: Option<bool>,
}
