//! `gristmill local`: queries in this process, as `clickhouse local` runs them.
//!
//! Queries come from `-q`, from files, from standard input, or from the prompt. Data on standard input, or in the file of
//! `--file`, is the table `table`.

pub mod arguments;
mod output;
pub mod runner;
mod table;

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use gristmill_base::{Error, ErrorCode, Result};
use gristmill_engine::{EngineConfig, Session};
use gristmill_formats::Format;

use crate::bootstrap;
use crate::local::arguments::{Given, LocalArguments, ProgressMode};
use crate::local::runner::{Options, Runner};
use crate::local::table::DataTable;
use crate::prompt;
use crate::terminal::Terminal;
use crate::terminal::interrupts::Interrupts;

pub async fn run(arguments: LocalArguments, given: Given) -> Result<ExitCode> {
    let terminal = Terminal::of_process();
    let options = options(&arguments, terminal)?;
    let config = EngineConfig {
        data_path: arguments.path.clone(),
        uncompressed_cache_size: arguments.uncompressed_cache_size,
        query_condition_cache_size: arguments.query_condition_cache_size,
        user_files_path: None,
    };
    let engine = bootstrap::open_engine(config).await?;
    let outcome = async {
        let mut session = Session::new(engine.clone());
        session.settings = given.settings;
        session.parameters = given.parameters;
        let mut runner = Runner::new(session, options, terminal, Arc::new(Interrupts::listen()));
        runner.use_database(&arguments.database).await?;
        work(&arguments, &mut runner).await
    }
    .await;
    engine.shutdown().await;
    outcome
}

async fn work(arguments: &LocalArguments, runner: &mut Runner) -> Result<ExitCode> {
    let mut texts = arguments.query.clone();
    for file in arguments.queries_file.iter().chain(&arguments.files) {
        texts.push(read_queries(file)?);
    }
    let table = DataTable::of(arguments, &texts, runner.terminal);
    if texts.is_empty()
        && !runner.terminal.input
        && !arguments.interactive
        && !table.as_ref().is_some_and(DataTable::is_stdin)
    {
        texts.push(read_stdin()?);
        runner.input_is_taken();
    }
    if let Some(table) = table {
        table.attach(runner).await?;
    }
    for text in &texts {
        if !runner.run_text(text).await? {
            break;
        }
    }
    if arguments.interactive || (texts.is_empty() && runner.terminal.input) {
        runner.options.interactive = true;
        prompt::run(runner, arguments.history_file.clone()).await?;
    }
    Ok(runner.exit_code())
}

fn options(arguments: &LocalArguments, terminal: Terminal) -> Result<Options> {
    let named = arguments.output_format.as_ref().or(arguments.format.as_ref());
    for name in named.into_iter().chain(&arguments.input_format) {
        Format::by_name(name)?;
    }
    Ok(Options {
        format: named.cloned(),
        vertical: arguments.vertical,
        echo: arguments.echo,
        time: arguments.time,
        progress: match arguments.progress {
            None | Some(ProgressMode::Tty) => terminal.errors,
            Some(ProgressMode::Err) => true,
            Some(ProgressMode::Off) => false,
        },
        ignore_error: arguments.ignore_error,
        interactive: false,
    })
}

fn read_queries(file: &Path) -> Result<String> {
    let failed = |what: String| {
        Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot read queries from {}: {what}", file.display()))
    };
    let bytes = std::fs::read(file).map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(format!("not valid UTF-8 at byte {}", error.utf8_error().valid_up_to())))
}

fn read_stdin() -> Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| {
        Error::new(ErrorCode::CANNOT_READ_FROM_FILE_DESCRIPTOR, format!("Cannot read queries from standard input: {error}"))
    })?;
    Ok(text)
}
