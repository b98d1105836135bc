//! What every command needs before it starts: the two runtimes, the log on standard error, a panic hook; and the engine
//! with its system tables.

use std::io::IsTerminal;
use std::panic::PanicHookInfo;
use std::sync::Arc;

use gristmill_base::runtime::Runtimes;
use gristmill_base::{Result, redact};
use gristmill_engine::opener::ENGINES;
use gristmill_engine::{Engine, EngineConfig};
use tracing_subscriber::EnvFilter;

/// The variable that says what is logged, such as `GRISTMILL_LOG=debug` or `GRISTMILL_LOG=gristmill_mergetree=trace`.
const LOG_VARIABLE: &str = "GRISTMILL_LOG";

/// The variable that says how: `json` for one object a line, else text.
const LOG_FORMAT_VARIABLE: &str = "GRISTMILL_LOG_FORMAT";

/// What is logged where the variable says nothing.
pub const LOG: &str = "error";

/// Starts the runtimes, with as many threads for queries as there are cores. `log`: what is logged unless the environment
/// says otherwise.
pub fn start(log: &str) -> Result<Runtimes> {
    log_to_stderr(log);
    std::panic::set_hook(Box::new(report_panic));
    Runtimes::start(std::thread::available_parallelism().map_or(1, usize::from))
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

fn log_to_stderr(log: &str) {
    let filter = EnvFilter::try_from_env(LOG_VARIABLE).unwrap_or_else(|_| EnvFilter::new(log));
    // A second start in one process (as tests do) keeps the first subscriber.
    let colours = std::io::stderr().is_terminal();
    let as_json = std::env::var(LOG_FORMAT_VARIABLE).is_ok_and(|format| format.eq_ignore_ascii_case("json"));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let _ = match as_json {
        true => log.json().flatten_event(true).try_init(),
        false => log.with_ansi(colours).try_init(),
    };
}

/// A panic is a defect of ours: say where it was and where to report it. The message may quote data or a statement, so
/// secrets are taken out of it.
fn report_panic(panic: &PanicHookInfo<'_>) {
    let payload = panic.payload();
    let message = payload
        .downcast_ref::<&str>()
        .map(ToString::to_string)
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_default();
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
