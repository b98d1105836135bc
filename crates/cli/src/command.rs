//! Which command a command line names. As with `clickhouse`, a line that names none is for `local`:
//! `gristmill -q 'SELECT 1'`.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use gristmill_base::{Error, ErrorCode, Result, runtime};
use gristmill_introspect::Settings;

use crate::benchmark::arguments::BenchmarkArguments;
use crate::client::arguments::ClientArguments;
use crate::demo::DemoArguments;
use crate::flamegraph::arguments::FlamegraphArguments;
use crate::local::arguments::LocalArguments;
use crate::log_file::Logger;
use crate::server::ServerArguments;
use crate::top::arguments::TopArguments;
use crate::{arguments, benchmark, bootstrap, client, demo, flamegraph, local, server, terminal, top};

/// A columnar analytical database that speaks ClickHouse's SQL over object storage.
#[derive(Debug, Parser)]
#[command(name = "gristmill", version, propagate_version = true, about, disable_help_subcommand = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Run queries in this process: on files, on object storage, on tables of its own. What runs without a command
    Local(Box<LocalArguments>),
    /// Talk to a server, gristmill's or ClickHouse's, by the native protocol
    #[command(disable_help_flag = true)]
    Client(Box<ClientArguments>),
    /// Serve ClickHouse's clients over HTTP and the native protocol
    Server(Box<ServerArguments>),
    /// Send queries to a server over and over, gristmill's or ClickHouse's, and tell how fast it answers
    #[command(disable_help_flag = true)]
    Benchmark(Box<BenchmarkArguments>),
    /// Show what a server does now: queries, merges, memory, requests, on a screen that refreshes by itself
    #[command(disable_help_flag = true)]
    Top(Box<TopArguments>),
    /// Draw where a query's time or memory went, of the samples that a server has of it
    #[command(disable_help_flag = true)]
    Flamegraph(Box<FlamegraphArguments>),
    /// Make posts, serve them over S3, query them in place, load them into a MergeTree table, and show the times
    Demo(DemoArguments),
}

const COMMANDS: [&str; 7] = ["local", "client", "server", "benchmark", "top", "flamegraph", "demo"];
/// Those that speak to a server: what is no option of theirs is one of its settings.
const CLIENTS: [&str; 4] = ["client", "benchmark", "top", "flamegraph"];

/// How long the process waits for the removal of what failed statements wrote.
const TIDYING_LONGEST: Duration = Duration::from_secs(10);

/// Runs the command line (the program's name first) and gives the exit code.
pub fn run(line: Vec<OsString>) -> ExitCode {
    match try_run(line) {
        Ok(code) => code,
        Err(error) => {
            terminal::tell(&error.to_string());
            exit_code(&error)
        }
    }
}

/// ClickHouse's: the low byte of the error's code, or 1 where that is 0.
pub fn exit_code(error: &Error) -> ExitCode {
    ExitCode::from(match error.code().0 as u8 {
        0 => 1,
        low => low,
    })
}

fn try_run(mut line: Vec<OsString>) -> Result<ExitCode> {
    let first = line.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    let is_word = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_lowercase());
    if is_word && !COMMANDS.contains(&first) && !Path::new(first).exists() {
        let commands = COMMANDS.join(", ");
        return Err(arguments::bad(format!(
            "There is no command {first} and no file of that name. Commands: {commands} (see --help). A query is behind -q"
        )));
    }
    if !COMMANDS.contains(&first) && !["--help", "-h", "--version", "-V"].contains(&first) {
        line.insert(1.min(line.len()), "local".into());
    }
    let command = line.get(1).and_then(|word| word.to_str()).unwrap_or_default();
    let known = CommandLine::command();
    let options = known.find_subcommand(command).map(arguments::option_names).unwrap_or_default();
    let mut settings = match command {
        "client" | "server" | "benchmark" | "top" | "flamegraph" => Settings::default(),
        _ => Settings::of_one_session(),
    };
    settings.implicit_select = command == "local";
    let is_client = CLIENTS.contains(&command);
    let (line, tables) = if command == "client" { client::external::take(line)? } else { (line, Vec::new()) };
    let (line, given) = arguments::take_dynamic(line, settings, &options, is_client)?;
    let matches = match known.try_get_matches_from(line) {
        Ok(matches) => matches,
        Err(error) => return arguments::explain(error, &options),
    };
    let mut parsed = CommandLine::from_arg_matches(&matches).map_err(|error| arguments::bad(error.to_string()))?;
    if let (Command::Client(arguments), Some((_, of_client))) = (&mut parsed.command, matches.subcommand()) {
        arguments.places = client::places::of(of_client);
    }
    let runtimes = match &parsed.command {
        Command::Server(arguments) => bootstrap::start(server::LOG, &arguments.logger()?)?,
        Command::Client(arguments) => bootstrap::start(bootstrap::LOG, &Logger::of_level(arguments.log_level.as_deref())?)?,
        Command::Local(arguments) => bootstrap::start(bootstrap::LOG, &Logger::of_level(arguments.log_level.as_deref())?)?,
        Command::Demo(_) | Command::Benchmark(_) | Command::Top(_) | Command::Flamegraph(_) => {
            bootstrap::start(bootstrap::LOG, &Logger::default())?
        }
    };
    // Statements are planned where the command runs, and the size of the first thread's stack is the shell's.
    let run = || match parsed.command {
        Command::Local(arguments) => runtimes.cpu.block_on(local::run(*arguments, given)),
        Command::Client(arguments) => runtimes.cpu.block_on(client::run(*arguments, given, tables)),
        Command::Benchmark(arguments) => runtimes.cpu.block_on(benchmark::run(*arguments, given)),
        Command::Top(arguments) => runtimes.cpu.block_on(top::run(*arguments, given)),
        Command::Flamegraph(arguments) => runtimes.cpu.block_on(flamegraph::run(*arguments, given)),
        Command::Server(arguments) => runtimes.cpu.block_on(server::run(*arguments, given)),
        Command::Demo(arguments) => runtimes.cpu.block_on(demo::run(arguments, given)),
    };
    let code = std::thread::scope(|scope| {
        let named = std::thread::Builder::new().name("main".to_string()).stack_size(runtime::STACK_BYTES);
        match named.spawn_scoped(scope, run) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(Error::new(ErrorCode::STD_EXCEPTION, format!("Cannot start threads: {error}"))),
        }
    });
    runtimes.cpu.block_on(gristmill_base::runtime::tidied(TIDYING_LONGEST));
    // A blocking read of standard input cannot be called off; it must not keep the process alive.
    // The end of the process ends the threads. Told to end by themselves they would be detached, and glibc looks at a thread
    // once more after that, when it may be gone with its stack (`pthread_detach`; seen once in thousands of runs).
    std::mem::forget(runtimes);
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_no_command_is_answered_with_the_commands() {
        let error = try_run(["gristmill", "serve"].map(OsString::from).to_vec()).expect_err("no command");
        assert_eq!(error.code(), ErrorCode::BAD_ARGUMENTS);
        assert!(error.message().contains("server"), "{error}");
    }

    #[test]
    fn every_option_is_known_with_dashes_and_with_underscores() {
        let command = CommandLine::command();
        for name in COMMANDS {
            let found = command.find_subcommand(name).expect("a command");
            let options = arguments::option_names(found);
            for option in found.get_arguments().filter_map(clap::Arg::get_long) {
                for written in [option.replace('_', "-"), option.replace('-', "_")] {
                    let line = ["gristmill", name, &format!("--{written}=1")].map(OsString::from).to_vec();
                    let is_clients = CLIENTS.contains(&name);
                    let (line, given) =
                        arguments::take_dynamic(line, Settings::default(), &options, is_clients).expect("takes");
                    let is_setting = line.len() == 2 && given.unknown.is_empty();
                    let unknown = command.clone().try_get_matches_from(line).err().map(|error| error.kind());
                    assert!(
                        is_setting || unknown != Some(clap::error::ErrorKind::UnknownArgument) && given.unknown.is_empty(),
                        "gristmill {name} --{written}"
                    );
                }
            }
        }
    }
}
