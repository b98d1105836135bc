//! What every command needs before it starts: the two runtimes, the log, a panic hook; and the engine
//! with its system tables.

use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use std::sync::Arc;

use gristmill_base::runtime::Runtimes;
use gristmill_base::{Result, machine, panics, redact};
use gristmill_engine::opener::ENGINES;
use gristmill_engine::{Engine, EngineConfig};
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use crate::log_file::{LogFile, Logger};

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

/// Opens the engine and gives it the tables of `system`.
pub async fn open_engine(config: EngineConfig) -> Result<Arc<Engine>> {
    let engine = Engine::open(config).await?;
    let (databases, registry, mergetree) = (&engine.databases, &engine.registry, &engine.mergetree);
    gristmill_system::register(
        databases,
        registry,
        mergetree,
        &engine.hints.caches,
        &engine.access,
        engine.data_path.clone(),
        ENGINES,
    )?;
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
        layers.push(lines(std::io::stderr, as_json, colours));
    }
    if let Some(file) = &logger.file {
        layers.push(lines(LogFile::open(file, logger.size_bytes, logger.count)?, as_json, false));
    }
    if let Some(file) = &logger.errors {
        let errors = lines(LogFile::open(file, logger.size_bytes, logger.count)?, as_json, false);
        layers.push(errors.with_filter(LevelFilter::WARN).boxed());
    }
    // A second start in one process (as tests do) keeps the first subscriber.
    let _ = tracing_subscriber::registry().with(layers).with(filter).try_init();
    Ok(())
}

fn lines<W>(writer: W, as_json: bool, colours: bool) -> Box<dyn Layer<Registry> + Send + Sync>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let layer = tracing_subscriber::fmt::layer().with_writer(writer);
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
    eprintln!(
        "Gristmill {} met a defect of its own at {place}: {}\n\
         Please report it with this line and the statement that led to it, in the issues of the project.",
        env!("CARGO_PKG_VERSION"),
        redact::statement(&message),
    );
    if std::env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
        eprintln!("{}", std::backtrace::Backtrace::force_capture());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_crates_tell_no_details_unless_they_are_named() {
        assert_eq!(held_back("debug"), "warn,gristmill=debug");
        assert_eq!(held_back("gristmill_server=trace, TRACE"), "warn,gristmill=TRACE,gristmill_server=trace");
        assert_eq!(held_back("error"), "error");
        assert_eq!(held_back("info,sqlparser=debug"), "warn,gristmill=info,sqlparser=debug");
    }
}
