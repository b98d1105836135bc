//! Runs statements one after another in one session and writes their results: what `-q`, files of queries, the prompt and
//! the demonstration share, whether the session is in this process or a server's (`Target`).
//!
//! While a statement runs, Ctrl-C cancels it: the query context is told, and the stream then ends with the error of a
//! cancelled query. Before there is a context (while a bucket is listed, say) the statement's future is dropped; a server
//! is told as soon as it has the statement.

mod output;
pub mod texts;
mod values;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use arrow::array::RecordBatch;
use clap::ValueEnum;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;
use gristmill_base::{Error, ErrorCode, Result, units};
use gristmill_client::{Client, Late};
use gristmill_engine::InputData;
use gristmill_engine::{Execution, Session, StatementText};
use gristmill_formats::extremes::Extremes;
use gristmill_introspect::{QueryContext, profiler};
use gristmill_sql::lexer::{self, Kind};
use gristmill_types::sql_type::quote_identifier;
use parking_lot::Mutex;

use crate::command;
use crate::runner::output::Output;
use crate::terminal::interrupts::{Interrupts, Watch};
use crate::terminal::progress_bar::ProgressBar;
use crate::terminal::summary::{LeftOut, StorageUse, Summary};
use crate::terminal::{self, Terminal};

/// How results are shown.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Of results that name none themselves.
    pub format: Option<String>,
    pub vertical: bool,
    pub echo: bool,
    pub time: bool,
    pub processed_rows: bool,
    /// Whether to draw the progress bar.
    pub progress: bool,
    pub ignore_error: bool,
    /// Whether errors are shown with the calls that led to them.
    pub stacktrace: bool,
    /// The program that shows results, as a line for the shell.
    pub pager: Option<String>,
    /// Whether the memory that each query took at most is written to standard error, and whether as 1.5 MiB.
    pub memory_usage: Option<MemoryUsage>,
    pub interactive: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MemoryUsage {
    None,
    /// In bytes.
    Default,
    Readable,
}

/// A statement that ended well.
pub struct Finished {
    pub summary: Summary,
    /// The result, where it was asked to be kept.
    pub batches: Vec<RecordBatch>,
    /// Whether it was a statement that gives rows.
    pub gives_rows: bool,
}

/// Who runs the statements.
pub enum Target {
    /// A session of this process.
    Here(Box<Session>),
    /// A server.
    There(Box<Client>),
}

impl From<Session> for Target {
    fn from(session: Session) -> Target {
        Target::Here(Box::new(session))
    }
}

impl From<Client> for Target {
    fn from(client: Client) -> Target {
        Target::There(Box::new(client))
    }
}

/// A statement that gives rows, and what comes behind them.
struct Started {
    execution: Execution,
    late: Arc<Mutex<Late>>,
    bar: Option<ProgressBar>,
}

pub struct Runner {
    pub options: Options,
    pub terminal: Terminal,
    interrupts: Arc<Interrupts>,
    target: Target,
    /// Whether standard input is still there for an INSERT to read.
    input_free: bool,
    first_error: Option<Error>,
}

impl Runner {
    /// Runs statements by `target`.
    pub fn new(target: impl Into<Target>, options: Options, terminal: Terminal, interrupts: Arc<Interrupts>) -> Runner {
        let (target, input_free) = (target.into(), !terminal.input);
        Runner { options, terminal, interrupts, target, input_free, first_error: None }
    }

    /// Says that standard input was read by someone else.
    pub fn input_is_taken(&mut self) {
        self.input_free = false;
    }

    pub async fn use_database(&mut self, database: &str) -> Result<()> {
        let current = match &self.target {
            Target::Here(session) => session.database.clone(),
            Target::There(client) => client.database(),
        };
        if database != current {
            self.run_quiet(&format!("USE {}", quote_identifier(database))).await?;
        }
        Ok(())
    }

    /// Words that the prompt completes.
    pub async fn completions(&mut self) -> Vec<String> {
        match &mut self.target {
            Target::Here(session) => session.engine.completions(&session.database).await,
            Target::There(client) => client.completions().await,
        }
    }

    /// Of the first statement that failed; success where none did.
    pub fn exit_code(&self) -> ExitCode {
        self.first_error.as_ref().map_or(ExitCode::SUCCESS, command::exit_code)
    }

    /// Runs a text of statements. An error is shown and ends it, unless errors are to be ignored. False: do not go on.
    pub async fn run_text(&mut self, text: &str) -> Result<bool> {
        let statements = match statements(text) {
            Ok(statements) => statements,
            Err(error) => return Ok(self.failed(error)),
        };
        if lexer::leaves(text) {
            return Ok(false);
        }
        for (statement, vertical) in &statements {
            if self.options.echo {
                println!("{}", statement.text.trim());
            }
            match self.run_one(statement, *vertical, false).await {
                Ok(finished) => self.tell(&finished),
                Err(error) if closed(&error) => return Ok(false),
                Err(error) => {
                    if !self.failed(error) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Runs what was typed at the prompt. False: leave it.
    pub async fn run_typed(&mut self, text: &str) -> Result<bool> {
        let ignore = std::mem::replace(&mut self.options.ignore_error, false);
        println!();
        let before = self.first_error.take();
        let go_on = self.run_text(text).await?;
        // The prompt goes on after an error and leaves with success.
        let failed = std::mem::replace(&mut self.first_error, before).is_some();
        self.options.ignore_error = ignore;
        Ok(go_on || failed)
    }

    /// Runs a statement that shows nothing.
    pub async fn run_quiet(&mut self, text: &str) -> Result<()> {
        let statement = StatementText { text: text.to_string(), inline_data: None };
        self.run_one(&statement, false, false).await.map(drop)
    }

    /// Runs one statement and writes its result. `keep`: also give it back.
    pub async fn run_one(&mut self, statement: &StatementText, vertical: bool, keep: bool) -> Result<Finished> {
        let started = Instant::now();
        let watch = self.interrupts.watch();
        let Started { execution, late, bar } = self.start(statement, &watch).await?;
        let context = execution.context.clone();
        let gives_rows = !execution.columns.is_empty();
        let default_format = match self.options.format.as_deref() {
            _ if vertical => Some("Vertical"),
            None if self.options.vertical => Some("Vertical"),
            named => named,
        };
        let mut output = Output::open(&execution, default_format, self.terminal, self.options.pager.as_deref())?;
        let batches = match pump(execution, &watch, &mut output, bar.as_ref(), keep).await {
            Ok(batches) => batches,
            Err(error) => {
                drop(bar);
                output.abandon();
                return Err(error);
            }
        };
        let elapsed = started.elapsed();
        if self.terminal.output {
            // The summary and the end of the result go to the same terminal.
            drop(bar);
        }
        let progress = context.progress.snapshot();
        let summary = Summary {
            // Of a statement that gives none, those that it wrote.
            result_rows: if gives_rows { output.rows() } else { progress.written_rows },
            elapsed,
            progress,
            memory_peak_bytes: context.memory.peak_bytes(),
            storage: StorageUse::of(&context),
            left_out: LeftOut::of(&context),
            insert_gear: context.insert_gear_at_end(),
            limit: match context.limit.get().filter(|_| context.settings.explain_limit) {
                Some(report) => report.lines(),
                None => Vec::new(),
            },
        };
        let mut late = late.lock().clone();
        late.rows_before_limit = late.rows_before_limit.or_else(|| context.progress.rows_before_limit());
        output.finish(elapsed, &summary.progress, late)?;
        Ok(Finished { summary, batches, gives_rows })
    }

    /// Begins a statement, up to where the columns of its result are known.
    async fn start(&mut self, statement: &StatementText, watch: &Watch) -> Result<Started> {
        let (given, input) = match self.input_for(statement) {
            Some(input) => tokio::select! {
                biased;
                () = watch.interrupted.cancelled() => return Err(cancelled()),
                read = values::with_rows(statement, input) => read?,
            },
            None => (None, None),
        };
        let statement = given.as_ref().unwrap_or(statement);
        let shows_progress = self.options.progress;
        let bar = |execution: &Arc<QueryContext>| shows_progress.then(|| ProgressBar::start(execution.clone()));
        match &mut self.target {
            Target::Here(session) => {
                let mut execution = tokio::select! {
                    biased;
                    () = watch.interrupted.cancelled() => return Err(cancelled()),
                    execution = session.execute(statement, input) => execution?,
                };
                let late = Late { totals: execution.totals.clone(), ..Late::default() };
                let late = Arc::new(Mutex::new(late));
                if execution.context.settings.extremes {
                    note_extremes(&mut execution, late.clone());
                }
                let bar = bar(&execution.context);
                Ok(Started { execution, late, bar })
            }
            Target::There(client) => {
                let begun = client.begin(statement, input, &watch.interrupted).await?;
                let bar = bar(&begun.context);
                let reply = begun.answer().await?;
                Ok(Started { execution: reply.execution, late: reply.late, bar })
            }
        }
    }

    /// Standard input, for an INSERT that brings no data; nothing is read before it is asked for.
    fn input_for(&mut self, statement: &StatementText) -> Option<InputData> {
        let mut words = lexer::tokens(&statement.text).into_iter().filter(|token| token.kind == Kind::Word);
        let insert = words.next().is_some_and(|first| first.text.eq_ignore_ascii_case("insert"));
        if !insert || !self.input_free || statement.inline_data.is_some() {
            return None;
        }
        Some(gristmill_engine::execution::input_from(tokio::io::stdin()))
    }

    /// What is said after a statement that ended well.
    fn tell(&self, finished: &Finished) {
        if self.options.time {
            terminal::tell(&format!("{:.3}", finished.summary.elapsed.as_secs_f64()));
        }
        if self.options.processed_rows {
            let summary = &finished.summary;
            println!("Processed rows: {}", summary.result_rows.max(summary.progress.written_rows));
        }
        match self.options.memory_usage {
            Some(MemoryUsage::Default) => terminal::tell(&finished.summary.memory_peak_bytes.to_string()),
            Some(MemoryUsage::Readable) => terminal::tell(&units::bytes_binary(finished.summary.memory_peak_bytes as f64)),
            Some(MemoryUsage::None) | None => {}
        }
        if self.options.interactive {
            let text = finished.summary.text();
            println!("{}\n{text}\n", if finished.gives_rows { "" } else { "Ok.\n" });
        } else if self.terminal.output && self.terminal.errors && finished.gives_rows {
            terminal::tell(&format!("\n{}", finished.summary.text()));
        } else if !finished.summary.limit.is_empty() {
            terminal::tell(&finished.summary.limit.join("\n"));
        }
    }

    /// Shows an error and remembers the first. Whether to go on.
    fn failed(&mut self, error: Error) -> bool {
        // That of a server's error stands within its text, and how this program came to hear of it says nothing.
        let text = match &self.target {
            Target::Here(_) if self.options.stacktrace => profiler::error_with_stack(&error),
            _ => error.to_string(),
        };
        if self.options.interactive {
            terminal::tell(&format!("\nReceived exception:\n{text}\n"));
        } else {
            terminal::tell(&text);
        }
        self.first_error.get_or_insert(error);
        self.options.ignore_error
    }
}

/// Has the least and greatest values of the rows that are read put beside them, as a server does for its clients.
fn note_extremes(execution: &mut Execution, late: Arc<Mutex<Late>>) {
    let schema = execution.rows.schema();
    let mut found = Extremes::new(&execution.columns);
    let empty = Box::pin(RecordBatchStreamAdapter::new(schema.clone(), futures::stream::empty()));
    let rows = std::mem::replace(&mut execution.rows, empty).map(move |batch| {
        let batch = batch?;
        found.add(&batch)?;
        late.lock().extremes = found.rows()?;
        Ok(batch)
    });
    execution.rows = Box::pin(RecordBatchStreamAdapter::new(schema, rows));
}

/// Reads the stream to its end into the output.
async fn pump(
    execution: Execution,
    watch: &Watch,
    output: &mut Output,
    bar: Option<&ProgressBar>,
    keep: bool,
) -> Result<Vec<RecordBatch>> {
    let Execution { context, mut rows, .. } = execution;
    let mut kept = Vec::new();
    loop {
        let next = tokio::select! {
            biased;
            () = watch.interrupted.cancelled(), if !context.cancel.is_cancelled() => {
                context.cancel.cancel();
                continue;
            }
            next = rows.next() => next,
        };
        let Some(batch) = next.transpose().map_err(Error::from)? else { break };
        if output.on_terminal()
            && let Some(bar) = bar
        {
            bar.clear();
        }
        output.write(&batch, &context)?;
        if keep {
            kept.push(batch);
        }
    }
    if output.on_terminal()
        && let Some(bar) = bar
    {
        bar.clear();
    }
    Ok(kept)
}

fn cancelled() -> Error {
    Error::new(ErrorCode::QUERY_WAS_CANCELLED, "Query was cancelled")
}

/// Whether the reader of standard output went away, as `head` does: no error, but the end.
fn closed(error: &Error) -> bool {
    error.code() == ErrorCode::CANNOT_WRITE_TO_FILE_DESCRIPTOR && error.message().ends_with(output::BROKEN_PIPE)
}

/// The statements of a text, and which of them ended with `\G`.
fn statements(text: &str) -> Result<Vec<(StatementText, bool)>> {
    let trimmed = text.trim_end();
    let vertical = trimmed.ends_with("\\G") && lexer::tokens(trimmed).last().is_some_and(|token| token.kind == Kind::End);
    let text = if vertical { trimmed.trim_end_matches("\\G") } else { text };
    let mut statements: Vec<_> = Session::split(text)?.into_iter().flat_map(ended_vertically).collect();
    if let Some((_, last)) = statements.last_mut() {
        *last |= vertical;
    }
    Ok(statements)
}

/// What stands behind `\G` is a statement of its own. Data has none.
fn ended_vertically(statement: StatementText) -> Vec<(StatementText, bool)> {
    if statement.inline_data.is_some() || !statement.text.contains("\\G") {
        return vec![(statement, false)];
    }
    let (mut found, mut text, mut says) = (Vec::new(), String::new(), false);
    for token in lexer::tokens(&statement.text) {
        if token.kind == Kind::End && says {
            found.push((StatementText { text: std::mem::take(&mut text), inline_data: None }, true));
            says = false;
        } else {
            text.push_str(token.text);
            says |= !matches!(token.kind, Kind::Space | Kind::Comment);
        }
    }
    if says {
        found.push((StatementText { text, inline_data: None }, false));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_vertically_one_by_one() {
        let found = statements("SELECT 1\\G SELECT '\\\\G';\nSELECT 3\\G\n").expect("splits");
        let told: Vec<_> = found.iter().map(|(statement, vertical)| (statement.text.trim(), *vertical)).collect();
        assert_eq!(told, [("SELECT 1", true), ("SELECT '\\\\G'", false), ("SELECT 3", true)]);
        let found = statements("SELECT 1\\G;").expect("splits");
        assert_eq!(found.iter().map(|(_, vertical)| *vertical).collect::<Vec<_>>(), [true]);
    }
}
