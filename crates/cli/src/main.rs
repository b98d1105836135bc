//! `gristmill`: one binary, one command a word. `bootstrap` wires every crate; `local` answers queries, `server` serves
//! ClickHouse's clients, `client` is one of them, `benchmark` measures a server, `top` shows what it does now, `flamegraph`
//! where a query's time went, `demo` shows the whole thing on data it makes.

mod allocator;
mod arguments;
mod benchmark;
mod bootstrap;
mod client;
mod command;
mod config_files;
mod config_tree;
mod demo;
mod flamegraph;
mod local;
mod log_file;
mod masked_lines;
mod processor;
mod prompt;
mod runner;
mod server;
mod terminal;
mod text_log;
mod top;
mod yaml;

use std::process::ExitCode;

fn main() -> ExitCode {
    let lacks = processor::lacks();
    if !lacks.is_empty() {
        eprintln!(
            "This processor lacks {}, which this build of gristmill uses. Build one for any processor with \
             RUSTFLAGS=\"-C target-cpu=x86-64\".",
            lacks.join(", ")
        );
        return ExitCode::FAILURE;
    }
    allocator::set_up();
    // Signals to the process come to this thread, which waits for the one that works.
    gristmill_base::fatal::give_room();
    command::run(std::env::args_os().collect())
}
