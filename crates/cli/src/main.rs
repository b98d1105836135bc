//! `gristmill`: one binary, one command a word. `bootstrap` wires every crate; `local` answers queries, `server` serves
//! ClickHouse's clients, `demo` shows the whole thing on data it makes.

mod bootstrap;
mod command;
mod demo;
mod local;
mod prompt;
mod server;
mod terminal;

use std::process::ExitCode;

use gristmill_base::allocations::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator<mimalloc::MiMalloc> = CountingAllocator(mimalloc::MiMalloc);

fn main() -> ExitCode {
    command::run(std::env::args_os().collect())
}
