//! Where a result goes: standard output, or the file of `INTO OUTFILE`, in the format that the query, the command line or
//! the file's extension names.
//!
//! A format writes into a buffer, which goes out after every batch; a file that a failed query made is removed again.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Child, Stdio};
use std::time::Duration;

use arrow::array::RecordBatch;
use chrono_tz::Tz;
use gristmill_base::spending::Wait;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_client::Late;
use gristmill_engine::Execution;
use gristmill_engine::IntoOutfile;
use gristmill_formats::Format;
use gristmill_formats::compression::{Compression, Encoder};
use gristmill_formats::output::{OutputContext, OutputFormat, ResultSummary, writer};
use gristmill_introspect::progress::ProgressSnapshot;
use gristmill_introspect::{QueryContext, Settings};

use crate::terminal::{self, Terminal};

/// How an error tells that the reader of standard output went away.
pub const BROKEN_PIPE: &str = "the reader of standard output is gone";

pub struct Output {
    /// None for a statement that gives no rows.
    format: Option<Box<dyn OutputFormat>>,
    target: Target,
    buffer: Vec<u8>,
    rows: u64,
}

enum Target {
    Stdout {
        terminal: bool,
    },
    /// A program that shows results page by page.
    Pager(Child),
    File {
        path: PathBuf,
        file: File,
        encoder: Box<Encoder>,
        new: bool,
        /// Standard output has it as well, as it is without compression.
        and_stdout: bool,
    },
}

impl Output {
    /// Opens the target and writes what stands before the rows. `default_format`: of a query that names none.
    /// `pager`: the program that shows what goes to standard output, as a line for the shell.
    pub fn open(
        execution: &Execution,
        default_format: Option<&str>,
        terminal: Terminal,
        pager: Option<&str>,
    ) -> Result<Output> {
        let settings = &execution.context.settings;
        let format = match (&execution.format, &execution.into_outfile) {
            (Some(name), _) => Format::by_name(name)?,
            (None, Some(into)) => match Format::by_extension(&into.path) {
                Some(format) => format,
                None => Format::by_name(default_format.unwrap_or("TabSeparated"))?,
            },
            (None, None) => match default_format {
                Some(name) => Format::by_name(name)?,
                None if terminal.output => Format::PrettyCompact,
                None => Format::Tsv,
            },
        };
        let target = match &execution.into_outfile {
            Some(into) => Target::file(into)?,
            None if pager.is_some() && !execution.columns.is_empty() => Target::pager(pager.unwrap_or_default())?,
            None => Target::Stdout { terminal: terminal.output },
        };
        let mut output = Output { format: None, target, buffer: Vec::new(), rows: 0 };
        if !execution.columns.is_empty() {
            let on_terminal = output.on_terminal();
            let context = OutputContext {
                settings: settings.clone(),
                timezone: timezone(settings),
                terminal: on_terminal,
                width: if on_terminal { terminal::width().and_then(|width| u16::try_from(width).ok()) } else { None },
            };
            let mut format = writer(format, &execution.columns, context)?;
            format.start(&mut output.buffer)?;
            output.format = Some(format);
        }
        Ok(output)
    }

    /// Whether the result is drawn where the progress bar is.
    pub fn on_terminal(&self) -> bool {
        matches!(self.target, Target::Stdout { terminal: true })
    }

    /// Rows written.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    pub fn write(&mut self, batch: &RecordBatch, context: &QueryContext) -> Result<()> {
        self.rows += batch.num_rows() as u64;
        if let Some(format) = &mut self.format {
            let _working = context.works();
            format.write(batch, &mut self.buffer)?;
        }
        let _waiting = context.waits_for(Wait::Client);
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        if !self.buffer.is_empty() {
            self.target.write(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Writes what stands after the rows.
    pub fn finish(mut self, elapsed: Duration, progress: &ProgressSnapshot, late: Late) -> Result<()> {
        if let Some(mut format) = self.format.take() {
            let summary = ResultSummary {
                rows: self.rows,
                elapsed_seconds: elapsed.as_secs_f64(),
                read_rows: progress.read_rows,
                read_bytes: progress.read_bytes,
                total_rows_to_read: progress.total_rows_to_read,
                totals: late.totals,
                extremes: late.extremes,
                rows_before_limit: late.rows_before_limit,
            };
            format.finish(&summary, &mut self.buffer)?;
        }
        self.flush()?;
        self.target.close()
    }

    /// Gives up after an error: a file that this query made is removed.
    pub fn abandon(self) {
        match self.target {
            Target::File { path, new: true, .. } => drop(std::fs::remove_file(path)),
            // What came before the error can be looked at.
            target @ Target::Pager(_) => drop(target.close()),
            _ => {}
        }
    }
}

impl Target {
    /// Error: CANNOT_OPEN_FILE.
    fn pager(command: &str) -> Result<Target> {
        let started = process::Command::new("sh").args(["-c", command]).stdin(Stdio::piped()).spawn();
        started
            .map(Target::Pager)
            .map_err(|error| Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot start the pager '{command}': {error}")))
    }

    fn file(into: &IntoOutfile) -> Result<Target> {
        let path = Path::new(&into.path);
        let new = !path.exists();
        let mut options = OpenOptions::new();
        match (into.truncate, into.append) {
            (true, _) => options.write(true).create(true).truncate(true),
            (_, true) => options.append(true).create(true),
            _ => options.write(true).create_new(true),
        };
        let file = options.open(path).map_err(|error| {
            let message = match error.kind() {
                ErrorKind::AlreadyExists => {
                    format!("File {} exists, consider using APPEND or TRUNCATE after INTO OUTFILE", path.display())
                }
                _ => format!("Cannot open file {}: {error}", path.display()),
            };
            Error::new(ErrorCode::CANNOT_OPEN_FILE, message)
        })?;
        let compression = Compression::by_name(into.compression.as_deref().unwrap_or("auto"), &into.path)?;
        Ok(Target::File {
            path: path.to_path_buf(),
            file,
            encoder: Box::new(compression.encoder(None)),
            new,
            and_stdout: into.and_stdout,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Target::Stdout { .. } => to_stdout(bytes),
            Target::Pager(pager) => match pager.stdin.as_mut().map(|stdin| stdin.write_all(bytes)) {
                // Who has seen enough leaves before the end.
                None | Some(Ok(())) => Ok(()),
                Some(Err(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
                Some(Err(error)) => Err(stdout_error(error)),
            },
            Target::File { path, file, encoder, and_stdout, .. } => {
                if *and_stdout {
                    to_stdout(bytes)?;
                }
                let mut ready = Vec::new();
                encoder.write(bytes, &mut ready)?;
                file.write_all(&ready).map_err(|error| file_error(path, &error))
            }
        }
    }

    fn close(self) -> Result<()> {
        match self {
            Target::Stdout { .. } => Ok(()),
            Target::Pager(mut pager) => {
                drop(pager.stdin.take());
                pager.wait().map(drop).map_err(stdout_error)
            }
            Target::File { path, mut file, mut encoder, .. } => {
                let mut rest = Vec::new();
                encoder.finish(&mut rest)?;
                file.write_all(&rest).and_then(|()| file.flush()).map_err(|error| file_error(&path, &error))
            }
        }
    }
}

/// The zone of dates and times whose type names none: the session's, else the machine's.
fn timezone(settings: &Settings) -> Tz {
    gristmill_engine::engine::timezone(settings).unwrap_or(Tz::UTC)
}

fn to_stdout(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(stdout_error)
}

fn stdout_error(error: std::io::Error) -> Error {
    let what = if error.kind() == ErrorKind::BrokenPipe { BROKEN_PIPE.to_string() } else { error.to_string() };
    Error::new(ErrorCode::CANNOT_WRITE_TO_FILE_DESCRIPTOR, format!("Cannot write to standard output: {what}"))
}

fn file_error(path: &Path, error: &std::io::Error) -> Error {
    let code = if error.kind() == ErrorKind::StorageFull {
        ErrorCode::NOT_ENOUGH_SPACE
    } else {
        ErrorCode::CANNOT_WRITE_TO_FILE_DESCRIPTOR
    };
    Error::new(code, format!("Cannot write to file {}: {error}", path.display()))
}
