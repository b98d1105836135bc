//! `gristmill local`: queries in this process, as `clickhouse local` runs them.
//!
//! Queries come from `-q`, from files, from standard input, or from the prompt. Data on standard input, or in the file of
//! `--file`, is the table `table`.

pub mod arguments;
mod table;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use gristmill_base::Result;
use gristmill_calibration::keeper;
use gristmill_engine::{EngineConfig, Session};
use gristmill_formats::Format;

use crate::arguments::Given;
use crate::bootstrap;
use crate::local::arguments::LocalArguments;
use crate::local::table::DataTable;
use crate::prompt::{self, Greeting};
use crate::runner::Runner;
use crate::runner::texts::{read_queries, read_stdin};
use crate::terminal::Terminal;
use crate::terminal::interrupts::Interrupts;

pub async fn run(arguments: LocalArguments, given: Given) -> Result<ExitCode> {
    let terminal = Terminal::of_process();
    if let Some(name) = &arguments.input_format {
        Format::by_name(name)?;
    }
    let options = arguments.results.options(arguments.format.as_ref(), terminal)?;
    let config = EngineConfig {
        data_path: arguments.path.clone(),
        uncompressed_cache_size: arguments.uncompressed_cache_size,
        query_condition_cache_size: arguments.query_condition_cache_size,
        user_files_path: None,
        // A folder that goes with the process keeps nothing for the next one.
        calibration_path: if arguments.path.is_none() { cache_folder() } else { None },
    };
    let engine = bootstrap::open_engine(config, None).await?;
    let outcome = async {
        let mut session = Session::new(engine.clone());
        session.settings = given.settings;
        session.parameters = given.parameters;
        session.query_id = arguments.query_id.clone().unwrap_or_default();
        let mut runner = Runner::new(session, options, terminal, Arc::new(Interrupts::listen()));
        runner.use_database(&arguments.database).await?;
        work(&arguments, &mut runner).await
    }
    .await;
    engine.shutdown().await;
    outcome
}

/// Where this user's programs keep what they can find out again.
fn cache_folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = of("XDG_CACHE_HOME").filter(|path| path.is_absolute()).or_else(|| Some(of("HOME")?.join(".cache")))?;
    Some(cache.join("gristmill").join(keeper::FOLDER))
}

/// The query that a word of the command line is. `None`: it is a file's name.
fn query(word: &Path) -> Option<String> {
    let text = word.to_str().filter(|text| text.trim().contains(char::is_whitespace))?;
    (!word.exists()).then(|| text.to_string())
}

async fn work(arguments: &LocalArguments, runner: &mut Runner) -> Result<ExitCode> {
    let mut texts = arguments.query.clone();
    for file in &arguments.queries_file {
        texts.push(read_queries(file)?);
    }
    for word in &arguments.files {
        texts.push(match query(word) {
            Some(query) => query,
            None => read_queries(word)?,
        });
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
        let greeting = Greeting { completes: !arguments.disable_suggestion, ..Greeting::default() };
        prompt::run(runner, arguments.history_file.clone(), greeting).await?;
    }
    Ok(runner.exit_code())
}
