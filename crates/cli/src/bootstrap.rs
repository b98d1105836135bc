//! What every command needs before it starts: the two runtimes, the log, a panic hook; and the engine
//! with its system tables.

use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use std::sync::Arc;

use gristmill_base::env::system_env;
use gristmill_base::runtime::Runtimes;
use gristmill_base::{Result, machine, panics, redact, stack};
use gristmill_engine::{Engine, EngineConfig, LogsConfig};
use gristmill_introspect::logs::crash_log::{CrashEntry, crash_log};
use gristmill_introspect::processes;
use gristmill_introspect::profiler::symbols;
use gristmill_introspect::server_settings;
use gristmill_server::known;
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use crate::arguments::bad;
use crate::log_file::{LogFile, Logger, TextLevel};
use crate::masked_lines::MaskedLines;
use crate::terminal;
use crate::text_log::TextLog;

/// The variable that says what is logged, such as `GRISTMILL_LOG=debug` or `GRISTMILL_LOG=gristmill_mergetree=trace`.
const LOG_VARIABLE: &str = "GRISTMILL_LOG";

/// The variable that says how: `json` for one object a line, else text.
const LOG_FORMAT_VARIABLE: &str = "GRISTMILL_LOG_FORMAT";

/// What is logged where the variable says nothing.
pub const LOG: &str = "error";

/// Starts the runtimes, with as many threads for queries as there are cores. `log`: what is logged unless the environment
/// says otherwise.
pub fn start(log: &str, logger: &Logger) -> Result<Runtimes> {
    start_log(log, logger)?;
    std::panic::set_hook(Box::new(report_panic));
    Runtimes::start(machine::cores())
}

/// Opens the engine and gives it the tables of `system`, among them the logs: tables that last where `logs` says how, else what
/// is kept of them in memory. Errors: BAD_ARGUMENTS for a data path that is a URL, which would be a folder of that name.
pub async fn open_engine(config: EngineConfig, logs: Option<&LogsConfig>) -> Result<Arc<Engine>> {
    if config.data_path.as_deref().is_some_and(|path| path.to_string_lossy().contains("://")) {
        return Err(bad("The folder of the data is one of this machine: URLs are for s3, gcs, azureBlobStorage and url"));
    }
    let engine = Engine::open(config).await?;
    let databases = &engine.databases;
    let sources = gristmill_system::register(databases, &known(&engine))?;
    engine.register_computed_tables();
    match logs {
        Some(config) => engine.start_logs(sources, config),
        None => {
            gristmill_system::register_logs_in_memory(databases, &sources);
            // Such a process mostly ends before anybody would want a dropped table back.
            server_settings::set("database_atomic_delay_before_drop_table_sec", 0);
        }
    }
    Ok(engine)
}

/// To standard error, and into files where the configuration names them. Error: CANNOT_OPEN_FILE.
fn start_log(log: &str, logger: &Logger) -> Result<()> {
    let said = std::env::var(LOG_VARIABLE).ok().map(|said| held_back(&said));
    let log = logger.level.as_deref().map_or_else(|| log.to_string(), held_back);
    let filter = said.and_then(|said| EnvFilter::try_new(said).ok()).unwrap_or_else(|| EnvFilter::new(log));
    let as_json =
        logger.as_json || std::env::var(LOG_FORMAT_VARIABLE).is_ok_and(|format| format.eq_ignore_ascii_case("json"));
    let colours = std::io::stderr().is_terminal();
    let mut layers = Vec::new();
    if logger.console {
        layers.push(lines(std::io::stderr, as_json, colours).with_filter(filter.clone()).boxed());
    }
    if let Some(file) = &logger.file {
        let file = LogFile::open(file, logger.size_bytes, logger.count)?;
        layers.push(lines(file, as_json, false).with_filter(filter.clone()).boxed());
    }
    if let Some(file) = &logger.errors {
        let errors = lines(LogFile::open(file, logger.size_bytes, logger.count)?, as_json, false);
        layers.push(errors.with_filter(LevelFilter::WARN).with_filter(filter.clone()).boxed());
    }
    match &logger.text_log {
        TextLevel::Nothing => {}
        TextLevel::All => layers.push(TextLog.with_filter(filter).boxed()),
        TextLevel::Level(level) => layers.push(TextLog.with_filter(EnvFilter::new(held_back(level))).boxed()),
    }
    // A second start in one process (as tests do) keeps the first subscriber.
    let _ = tracing_subscriber::registry().with(layers).try_init();
    Ok(())
}

fn lines<W>(writer: W, as_json: bool, colours: bool) -> Box<dyn Layer<Registry> + Send + Sync>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let layer = tracing_subscriber::fmt::layer().with_writer(MaskedLines(writer));
    match as_json {
        true => layer.json().flatten_event(true).boxed(),
        false => layer.with_ansi(colours).boxed(),
    }
}

/// A level without a crate is that of our own crates: what others log of statements has credentials in it (A-1: sqlparser tells
/// each token), so they stay at `warn` unless one is named.
fn held_back(said: &str) -> String {
    let directives = said.split(',').map(str::trim).filter(|directive| !directive.is_empty());
    let (levels, named): (Vec<&str>, Vec<&str>) = directives.partition(|directive| directive.parse::<Level>().is_ok());
    let fine = |level: &&str| level.parse::<Level>().is_ok_and(|level| level > Level::WARN);
    let levels = levels.iter().map(|level| match fine(level) {
        true => format!("warn,gristmill={level}"),
        false => level.to_string(),
    });
    levels.chain(named.iter().map(ToString::to_string)).collect::<Vec<_>>().join(",")
}

/// A panic is a defect of ours: say where it was and where to report it. The message may quote data or a statement, so
/// secrets are taken out of it.
fn report_panic(panic: &PanicHookInfo<'_>) {
    if panics::is_expected() {
        return;
    }
    let message = panics::message(panic.payload());
    let place = panic.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
    let trace = std::env::var_os("RUST_BACKTRACE")
        .filter(|value| value != "0")
        .map(|_| std::backtrace::Backtrace::force_capture().to_string());
    let told = redact::logged(&message);
    let query = processes::of_this_thread();
    crash_log().add(|| CrashEntry {
        event_time_nanos: system_env().now().as_nanos() as u64,
        signal: 0,
        signal_code: 0,
        fault_address: None,
        thread_id: machine::thread_id(),
        query_id: query.as_ref().map_or_else(String::new, |query| query.query_id.clone()),
        query: query.as_ref().map_or_else(String::new, |query| query.query.clone()),
        description: format!("{told} at {place}"),
        trace: symbols::in_file(&stack::always_here()).into(),
    });
    let version = env!("CARGO_PKG_VERSION");
    // A panic within this would end the process.
    terminal::tell(&format!(
        "Gristmill {version} met a defect of its own at {place}: {told}\n\
         Please report it with this line and the statement that led to it, in the issues of the project."
    ));
    if let Some(trace) = trace {
        terminal::tell(&trace);
    }
}

#[cfg(test)]
mod tests {
    use gristmill_base::allocations;
    use gristmill_introspect::{QueryContext, Settings};

    use super::*;

    #[test]
    fn a_defect_is_told_in_a_log() {
        std::panic::set_hook(Box::new(report_panic));
        let settings = Arc::new(Settings::default());
        let context = QueryContext::new("SELECT 'broken'", "defect", "default", "default", settings, system_env());
        let _running = processes::start(&context, "Select").expect("it runs");
        let _entered = context.memory.tally().map(allocations::enter);
        assert!(std::panic::catch_unwind(|| panic!("the wheel is off")).is_err());
        let [entry] = &crash_log().snapshot()[..] else { panic!("one entry") };
        assert!(entry.description.starts_with("the wheel is off at ") && entry.thread_id > 0, "{entry:?}");
        assert_eq!((&*entry.query_id, &*entry.query), ("defect", "SELECT 'broken'"));
        assert!(entry.trace.len() > 3, "{entry:?}");
    }

    #[test]
    fn other_crates_tell_no_details_unless_they_are_named() {
        assert_eq!(held_back("debug"), "warn,gristmill=debug");
        assert_eq!(held_back("gristmill_server=trace, TRACE"), "warn,gristmill=TRACE,gristmill_server=trace");
        assert_eq!(held_back("error"), "error");
        assert_eq!(held_back("info,sqlparser=debug"), "warn,gristmill=info,sqlparser=debug");
    }
}
