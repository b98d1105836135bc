//! `gristmill`: one binary, one command a word. `bootstrap` wires every crate; `local` answers queries, `server` serves
//! ClickHouse's clients, `client` is one of them, `demo` shows the whole thing on data it makes.

mod allocator;
mod arguments;
mod bootstrap;
mod client;
mod command;
mod config_tree;
mod demo;
mod local;
mod log_file;
mod prompt;
mod runner;
mod server;
mod terminal;

use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::set_up();
    command::run(std::env::args_os().collect())
}
