//! `gristmill server`: ClickHouse's protocols over the tables of one folder, until a signal ends it.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Result, units};
use gristmill_engine::EngineConfig;
use gristmill_server::access::OnlyDefaultUser;
use gristmill_server::{Server, ServerConfig};
use tokio::signal::unix::{SignalKind, signal};

use crate::bootstrap;
use crate::local::arguments::Given;

/// What is logged unless the environment says otherwise.
pub const LOG: &str = "warn,gristmill=info,gristmill_server=info";

/// 128 + SIGINT, as shells have it.
const EXIT_INTERRUPTED: i32 = 130;

#[derive(Debug, Args)]
#[command(
    after_help = "Settings: every setting is a flag of its own name, such as --max_threads 4; sessions begin with it.\n\
    The log goes to standard error; GRISTMILL_LOG=debug shows every query."
)]
pub struct ServerArguments {
    /// The folder where tables last
    #[arg(long, value_name = "DIR", default_value = "./data")]
    path: PathBuf,
    /// The only folder whose files file() reads and writes; user_files in the folder of --path unless given
    #[arg(long = "user_files_path", value_name = "DIR")]
    user_files_path: Option<PathBuf>,
    /// Port of the HTTP interface; 0: one that is free
    #[arg(long, value_name = "PORT", default_value_t = 8123)]
    http_port: u16,
    /// Port of the native protocol; 0: one that is free
    #[arg(long, value_name = "PORT", default_value_t = 9000)]
    tcp_port: u16,
    /// Address to listen on, of this machine; may be given several times. Without it: only this machine's own programs
    #[arg(long, value_name = "ADDRESS")]
    listen_host: Vec<String>,
    /// Queries that run at the same time; others are refused. 0: any number
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_concurrent_queries: usize,
    /// Seconds that running queries may go on when the server is to end
    #[arg(long, value_name = "SECONDS", default_value_t = 10)]
    shutdown_grace: u64,
    /// Bytes of decoded granules kept in memory, for queries with use_uncompressed_cache; 1G unless given, 0 for none
    #[arg(long = "uncompressed_cache_size", value_name = "BYTES", value_parser = bytes)]
    uncompressed_cache_size: Option<u64>,
    /// Bytes of what is remembered of conditions and granules, for use_query_condition_cache; 100M unless given, 0 for none
    #[arg(long = "query_condition_cache_size", value_name = "BYTES", value_parser = bytes)]
    query_condition_cache_size: Option<u64>,
}

fn bytes(text: &str) -> Result<u64, String> {
    units::parse_size(text).ok_or_else(|| format!("{text} is no number of bytes"))
}

pub async fn run(arguments: ServerArguments, given: Given) -> Result<ExitCode> {
    let mut stop = Stop::listen()?;
    let path = arguments.path.clone();
    let config = EngineConfig {
        data_path: Some(arguments.path),
        uncompressed_cache_size: arguments.uncompressed_cache_size,
        query_condition_cache_size: arguments.query_condition_cache_size,
        user_files_path: Some(arguments.user_files_path.unwrap_or_else(|| path.join("user_files"))),
    };
    let engine = bootstrap::open_engine(config).await?;
    let defaults = ServerConfig::default();
    let named_hosts = !arguments.listen_host.is_empty();
    let config = ServerConfig {
        listen_hosts: if named_hosts { arguments.listen_host } else { defaults.listen_hosts },
        http_port: Some(arguments.http_port),
        tcp_port: Some(arguments.tcp_port),
        max_concurrent_queries: arguments.max_concurrent_queries,
        shutdown_grace: Duration::from_secs(arguments.shutdown_grace),
        settings: given.settings,
    };
    let server = match Server::start(engine.clone(), Arc::new(OnlyDefaultUser), &config).await {
        Ok(server) => server,
        Err(error) => {
            engine.shutdown().await;
            return Err(error);
        }
    };
    for address in &server.http_addresses {
        tracing::info!("Listening for HTTP on {address}");
    }
    for address in &server.tcp_addresses {
        tracing::info!("Listening for the native protocol on {address}");
    }
    if server.http_addresses.iter().chain(&server.tcp_addresses).any(|address| !address.ip().is_loopback()) {
        tracing::warn!("Other machines can connect as the user default, who has no password and may do everything");
    }
    tracing::info!("Ready for connections, with the tables of {}", path.display());
    stop.wait().await;
    tracing::info!("Ending: running queries have {} seconds", arguments.shutdown_grace);
    let _impatient = Task::on(&runtime::io(), async move {
        stop.wait().await;
        std::process::exit(EXIT_INTERRUPTED);
    });
    server.shutdown().await;
    engine.shutdown().await;
    tracing::info!("Ended");
    Ok(ExitCode::SUCCESS)
}

/// The signals that end a server.
struct Stop {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

impl Stop {
    fn listen() -> Result<Stop> {
        Ok(Stop { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    async fn wait(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
