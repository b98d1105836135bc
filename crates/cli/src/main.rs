//! `gristmill`: one binary, one command a word. `bootstrap` wires every crate; `local` answers queries, `server` serves
//! ClickHouse's clients, `demo` shows the whole thing on data it makes.

mod allocator;
mod bootstrap;
mod command;
mod demo;
mod local;
mod prompt;
mod server;
mod terminal;

use std::process::ExitCode;

fn main() -> ExitCode {
    allocator::set_up();
    command::run(std::env::args_os().collect())
}
