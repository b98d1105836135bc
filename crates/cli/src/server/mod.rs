//! `gristmill server`: ClickHouse's protocols over the tables of one folder, until a signal ends it.

mod config;
mod fatal_signals;
mod handlers_config;
mod logs_config;
mod masking_config;
mod options_config;
mod users_config;
mod watched_files;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Weak};
use std::time::Duration;

use clap::Args;
use gristmill_base::redact::masking;
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Result, ResultExt, machine, units};
use gristmill_engine::{Engine, EngineConfig, custom_suffixes, set_server_timezone};
use gristmill_introspect::custom;
use gristmill_introspect::memory::MemoryAccount;
use gristmill_introspect::{macros, server_settings};
use gristmill_mergetree::settings::TableSettings;
use gristmill_objstore::allowed_hosts::{self, AllowedHosts};
use gristmill_server::{Changeable, Exporter, Routing, Server, ServerConfig, Timeouts, Tls, TlsFiles};
use parking_lot::Mutex;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use self::config::Config;
use self::watched_files::WatchedFiles;
use crate::arguments::Given;
use crate::log_file::Logger;
use crate::{bootstrap, config_files, config_tree};

/// What is logged unless the environment says otherwise.
pub const LOG: &str = "warn,gristmill=info,gristmill_server=info";

/// 128 + SIGINT, as shells have it.
const EXIT_INTERRUPTED: i32 = 130;
/// Of a server that did not end by itself.
const EXIT_OVERDUE: i32 = 1;
/// Without a query, before the machine is measured.
const CALIBRATED_WHEN_IDLE: Duration = Duration::from_secs(60);
/// How long UNDROP may bring a table back where the configuration does not say it.
const KEPT_WHEN_DROPPED: Duration = Duration::from_secs(480);
/// How often it is looked whether files of the configuration changed, unless it says how often.
const LOOKED_AFTER: Duration = Duration::from_secs(2);
/// How long the end may take beyond the grace of queries: cancelled ones, merges and what is left to be written.
const ENDING_LONGEST: Duration = Duration::from_secs(60);

#[derive(Debug, Args)]
#[command(
    after_help = "Settings: every setting is a flag of its own name, such as --max_threads 4; sessions begin with it.\n\
    The log goes to standard error; GRISTMILL_LOG=debug shows every query."
)]
pub struct ServerArguments {
    /// A configuration in the form of ClickHouse's config.xml, with users and profiles; what flags say comes first. Users,
    /// profiles and the certificate are read again when they change, and on SIGHUP
    #[arg(short = 'C', long = "config-file", value_name = "FILE")]
    config_file: Option<PathBuf>,
    /// The folder where tables last; ./data unless given
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// The only folder whose files file() reads and writes; user_files in the folder of --path unless given
    #[arg(long, value_name = "DIR")]
    user_files_path: Option<PathBuf>,
    /// Port of the HTTP interface, 8123 unless given; 0: one that is free
    #[arg(long, value_name = "PORT")]
    http_port: Option<u16>,
    /// Port of the native protocol, 9000 unless given; 0: one that is free
    #[arg(long, value_name = "PORT")]
    tcp_port: Option<u16>,
    /// Port of HTTP over TLS; 0: one that is free. Wants --certificate and --private-key
    #[arg(long, value_name = "PORT")]
    https_port: Option<u16>,
    /// Port of the native protocol over TLS; 0: one that is free. Wants --certificate and --private-key
    #[arg(long, value_name = "PORT")]
    tcp_port_secure: Option<u16>,
    /// The certificate for TLS and those that lead to a known authority, in PEM; read again when it changes
    #[arg(long, value_name = "FILE", requires = "private_key")]
    certificate: Option<PathBuf>,
    /// The key of the certificate, in PEM
    #[arg(long, value_name = "FILE", requires = "certificate")]
    private_key: Option<PathBuf>,
    /// Address to listen on, of this machine; may be given several times. Without it: only this machine's own programs
    #[arg(long, value_name = "ADDRESS")]
    listen_host: Vec<String>,
    /// Queries that run at the same time; others are refused; 100 unless given. 0: any number
    #[arg(long, value_name = "N")]
    max_concurrent_queries: Option<usize>,
    /// Seconds that running queries may go on when the server is to end; 10 unless given
    #[arg(long, value_name = "SECONDS")]
    shutdown_grace: Option<u64>,
    /// Bytes of memory that all queries together may use; 80 % of the machine's unless given
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    max_server_memory_usage: Option<u64>,
    /// Bytes of decoded granules kept in memory; an eighth of what the process may hold unless given, 0 for none
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    uncompressed_cache_size: Option<u64>,
    /// Bytes of what is remembered of conditions and granules, for use_query_condition_cache; 100M unless given, 0 for none
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    query_condition_cache_size: Option<u64>,
    /// Seconds without a query after which the machine is measured, once, for EXPLAIN LIMIT; 60 unless given, 0: never by itself
    #[arg(long, value_name = "SECONDS")]
    calibrate_when_idle_seconds: Option<u64>,
    /// An OpenTelemetry collector that spans of queries are sent to by OTLP over HTTP, such as http://localhost:4318
    #[arg(long, value_name = "URL")]
    otlp_endpoint: Option<String>,
}

impl ServerArguments {
    /// What the configuration says of the log, which is to be there before anything is told. A file that cannot be read is an
    /// error later, in the log. Error: INVALID_CONFIG_PARAMETER.
    pub fn logger(&self) -> Result<Logger> {
        match self.config_file.as_deref().map(|file| config_files::read(file, None)) {
            Some(Ok(whole)) => Logger::of(&whole.root),
            _ => Logger::of(&config_tree::Node::default()),
        }
    }
}

fn bytes(text: &str) -> Result<u64, String> {
    units::parse_size(text).ok_or_else(|| format!("{text} is no number of bytes"))
}

pub async fn run(arguments: ServerArguments, given: Given) -> Result<ExitCode> {
    // Heard on the I/O runtime: queries may keep all threads of the other one busy.
    let mut signals = {
        let io = runtime::io();
        let _entered = io.enter();
        Signals::listen()?
    };
    let file = arguments.config_file.clone();
    let configured = file.as_deref().map(Config::read).transpose()?.unwrap_or_default();
    if file.is_none() {
        custom::begin_with(vec![custom::DEFAULT_PREFIX.to_string()]);
    }
    let access = configured.state();
    let path = arguments.path.or_else(|| configured.path.clone()).unwrap_or_else(|| "./data".into());
    custom_suffixes::configure(configured.read_domain_lists(&path)?);
    let allowed = match file {
        Some(_) => configured.allowed_hosts,
        None => AllowedHosts { refuses_metadata: true, ..AllowedHosts::default() },
    };
    allowed_hosts::allow(allowed);
    let user_files_path = arguments.user_files_path.or(configured.user_files_path);
    let config = EngineConfig {
        data_path: Some(path.clone()),
        uncompressed_cache_size: arguments.uncompressed_cache_size.or(configured.uncompressed_cache_size),
        query_condition_cache_size: arguments.query_condition_cache_size.or(configured.query_condition_cache_size),
        user_files_path: Some(user_files_path.unwrap_or_else(|| path.join("user_files"))),
        calibration_path: None,
    };
    let otlp_endpoint = arguments.otlp_endpoint.or(configured.otlp_endpoint);
    let defaults = ServerConfig::default();
    let hosts = [arguments.listen_host, configured.listen_hosts, defaults.listen_hosts];
    let grace = arguments.shutdown_grace.or(configured.shutdown_grace).map(Duration::from_secs);
    let most_by_flag = arguments.max_concurrent_queries;
    let most = most_by_flag.or(configured.max_concurrent_queries);
    let certificate = arguments.certificate.or(configured.certificate);
    let private_key = arguments.private_key.or(configured.private_key);
    let mut watched = WatchedFiles::default();
    watched.add(configured.sources.into_iter().chain(certificate.clone()).chain(private_key.clone()));
    let watched = Arc::new(Mutex::new(watched));
    let looked_after = configured.reload_interval_ms.map_or(LOOKED_AFTER, Duration::from_millis);
    let config_of_server = ServerConfig {
        listen_hosts: hosts.into_iter().find(|hosts| !hosts.is_empty()).unwrap_or_default(),
        http_port: arguments.http_port.or(configured.http_port).or(defaults.http_port),
        tcp_port: arguments.tcp_port.or(configured.tcp_port).or(defaults.tcp_port),
        https_port: arguments.https_port.or(configured.https_port),
        tcp_port_secure: arguments.tcp_port_secure.or(configured.tcp_port_secure),
        prometheus: configured.prometheus,
        tls: certificate.zip(private_key).map(|(certificate, private_key)| TlsFiles { certificate, private_key }),
        max_concurrent_queries: most.unwrap_or(defaults.max_concurrent_queries),
        max_concurrent_insert_queries: configured.max_concurrent_insert_queries.unwrap_or_default(),
        max_concurrent_select_queries: configured.max_concurrent_select_queries.unwrap_or_default(),
        shutdown_grace: grace.unwrap_or(defaults.shutdown_grace),
        max_connections: configured.max_connections.unwrap_or(defaults.max_connections),
        display_name: configured.display_name,
        default_database: configured.default_database.unwrap_or(defaults.default_database),
        keep_alive: configured.keep_alive_timeout.map_or(defaults.keep_alive, Duration::from_secs),
        http_stacktrace: configured.http_stacktrace.unwrap_or(defaults.http_stacktrace),
        listen_try: configured.listen_try.unwrap_or(defaults.listen_try),
        settings: given.settings,
        routing: Routing {
            handlers: configured.handlers,
            default_response: configured.default_response,
            options: configured.options,
        },
        session_timeouts: Timeouts {
            default: configured.default_session_timeout.map_or(defaults.session_timeouts.default, Duration::from_secs),
            max: configured.max_session_timeout.map_or(defaults.session_timeouts.max, Duration::from_secs),
        },
    };
    let of_machine = |ratio: f64| (machine::memory_bytes().unwrap_or_default() as f64 * ratio) as u64;
    // As in ClickHouse the lesser of the two holds where the file says both; 0 says nothing.
    let ratio = configured.memory_ratio.filter(|ratio| *ratio > 0.0).map(of_machine);
    let in_file = configured.max_server_memory_usage.filter(|bytes| *bytes > 0).into_iter().chain(ratio).min();
    let server_memory = arguments.max_server_memory_usage.or(in_file);
    MemoryAccount::limit_process(server_memory.unwrap_or_default());
    server_settings::set("max_server_memory_usage", MemoryAccount::process().limit_bytes());
    server_settings::set("max_server_memory_usage_to_ram_ratio", configured.memory_ratio.unwrap_or_default());
    server_settings::set("config_reload_interval_ms", looked_after.as_millis());
    limit_drops(configured.max_table_size_to_drop, configured.max_partition_size_to_drop);
    begin_with_profile(configured.default_profile.as_deref());
    macros::configure(configured.macros);
    masking::configure(configured.masking);
    if let Some(timezone) = &configured.timezone {
        set_server_timezone(timezone)?;
        server_settings::set("timezone", timezone);
    }
    let unknown =
        TableSettings::configure(&configured.merge_tree).context(|| "in <merge_tree> of the configuration".to_string())?;
    if !unknown.is_empty() {
        tracing::warn!("These settings in <merge_tree> mean nothing here: {}", unknown.join(", "));
    }
    let engine = bootstrap::open_engine(config, Some(&configured.logs)).await?;
    fatal_signals::begin(&path);
    let idle = arguments.calibrate_when_idle_seconds.or(configured.calibrate_when_idle_seconds);
    engine.calibrate_when_idle(idle.map_or(CALIBRATED_WHEN_IDLE, Duration::from_secs));
    keep_dropped(&engine, configured.drop_delay);
    engine.access.configure(access);
    engine.access.set_policy(configured.passwords);
    // As ClickHouse does: a client that names no database has to find one.
    engine.databases.create_database(&config_of_server.default_database, true, "").await?;
    let told_to_end = CancellationToken::new();
    // Before the first statement that may ask for it.
    let reloaded = |changeable: Changeable| Reloaded {
        engine: Arc::downgrade(&engine),
        changeable,
        file: file.clone(),
        watched: watched.clone(),
        most_by_flag,
    };
    let hooks = |changeable: Changeable| {
        let reloaded = reloaded(changeable);
        engine.on_reload(Box::new(move || reloaded.reload()));
        let told_to_end = told_to_end.clone();
        engine.on_shutdown(Box::new(move || told_to_end.cancel()));
    };
    let server = match Server::start_after(engine.clone(), &config_of_server, hooks).await {
        Ok(server) => server,
        Err(error) => {
            engine.shutdown().await;
            return Err(error);
        }
    };
    let exporter = otlp_endpoint.map(|endpoint| Exporter::start(&endpoint, server.display_name(), engine.env.clone()));
    let exporter = match exporter.transpose() {
        Ok(exporter) => exporter,
        Err(error) => {
            server.shutdown().await;
            engine.shutdown().await;
            return Err(error.with_context("in --otlp-endpoint, or <opentelemetry><endpoint> of the configuration"));
        }
    };
    let addresses = [
        &server.http_addresses,
        &server.tcp_addresses,
        &server.https_addresses,
        &server.tcp_secure_addresses,
        &server.prometheus_addresses,
    ];
    allowed_hosts::listens_on(addresses.into_iter().flatten().map(std::net::SocketAddr::port));
    for address in &server.http_addresses {
        tracing::info!("Listening for HTTP on {address}");
    }
    for address in &server.tcp_addresses {
        tracing::info!("Listening for the native protocol on {address}");
    }
    for address in &server.https_addresses {
        tracing::info!("Listening for HTTP over TLS on {address}");
    }
    for address in &server.tcp_secure_addresses {
        tracing::info!("Listening for the native protocol over TLS on {address}");
    }
    for address in &server.prometheus_addresses {
        tracing::info!("Listening for Prometheus on {address}");
    }
    if server.http_addresses.iter().chain(&server.tcp_addresses).any(|address| !address.ip().is_loopback()) {
        tracing::warn!(
            "Other machines can connect, as users who have a password: the user default has none unless it was given one"
        );
    }
    tracing::info!("Ready for connections, with the tables of {}", path.display());
    let reloaded = Arc::new(reloaded(server.changeable()));
    let looks = reloaded.clone();
    let _looks = (!looked_after.is_zero()).then(|| {
        Task::on(&runtime::io(), async move {
            loop {
                tokio::time::sleep(looked_after).await;
                looks.reload_if_changed();
            }
        })
    });
    loop {
        let signal = tokio::select! {
            signal = signals.wait() => signal,
            () = told_to_end.cancelled() => Signal::End,
        };
        if signal == Signal::End {
            break;
        }
        if let Err(error) = reloaded.reload() {
            tracing::error!("The configuration stays as it was: {error}");
        }
    }
    tracing::info!("Ending: running queries have {} seconds", config_of_server.shutdown_grace.as_secs());
    let _impatient = Task::on(&runtime::io(), async move {
        while signals.wait().await == Signal::Reload {}
        std::process::exit(EXIT_INTERRUPTED);
    });
    let longest = config_of_server.shutdown_grace + ENDING_LONGEST;
    let _overdue = Task::on(&runtime::io(), async move {
        tokio::time::sleep(longest).await;
        tracing::error!("Queries that do not end keep the server from ending: they are cut off");
        std::process::exit(EXIT_OVERDUE);
    });
    server.shutdown().await;
    if let Some(exporter) = exporter {
        exporter.end().await;
    }
    engine.shutdown().await;
    tracing::info!("Ended");
    Ok(ExitCode::SUCCESS)
}

/// How large what is dropped may be where no query says it: what the configuration no longer says is as it is without one.
fn limit_drops(of_table: Option<u64>, of_partition: Option<u64>) {
    for (name, bytes) in [("max_table_size_to_drop", of_table), ("max_partition_size_to_drop", of_partition)] {
        match bytes {
            Some(bytes) => server_settings::set(name, bytes),
            None => server_settings::unset(name),
        }
    }
}

/// Whose settings everybody has; `configure` of the access does it.
fn begin_with_profile(name: Option<&str>) {
    match name {
        Some(name) => server_settings::set("default_profile", name),
        None => server_settings::unset("default_profile"),
    }
}

/// How long UNDROP may bring tables back that are dropped from now on.
fn keep_dropped(engine: &Engine, seconds: Option<u64>) {
    let name = "database_atomic_delay_before_drop_table_sec";
    match seconds {
        Some(seconds) => server_settings::set(name, seconds),
        None => server_settings::unset(name),
    }
    engine.databases.set_drop_delay(seconds.map_or(KEPT_WHEN_DROPPED, Duration::from_secs));
}

/// What is read again while the server runs.
struct Reloaded {
    engine: Weak<Engine>,
    changeable: Changeable,
    file: Option<PathBuf>,
    watched: Arc<Mutex<WatchedFiles>>,
    /// `--max-concurrent-queries`, which goes over what the file says.
    most_by_flag: Option<usize>,
}

impl Reloaded {
    /// Where one of the files is another than the one that was read, or could not be.
    fn reload_if_changed(&self) {
        let changed = self.watched.lock().have_changed();
        if changed && let Err(error) = self.reload() {
            tracing::error!("The configuration stays as it was: {error}");
        }
    }

    /// Users, profiles, named collections, allowed hosts, macros, masking rules, handlers of HTTP, what may be dropped, how many
    /// queries may run and the certificate. With an error everything stays as it was.
    fn reload(&self) -> Result<()> {
        // What changes from here on is another change.
        self.watched.lock().have_changed();
        let config = self.file.as_deref().map(Config::read).transpose()?;
        self.changeable.tls.as_ref().map_or(Ok(()), Tls::reload)?;
        if let (Some(config), Some(engine)) = (config, self.engine.upgrade()) {
            self.watched.lock().add(config.sources.iter().cloned());
            engine.access.configure(config.state());
            begin_with_profile(config.default_profile.as_deref());
            engine.access.set_policy(config.passwords);
            allowed_hosts::allow(config.allowed_hosts);
            macros::configure(config.macros);
            masking::configure(config.masking);
            limit_drops(config.max_table_size_to_drop, config.max_partition_size_to_drop);
            keep_dropped(&engine, config.drop_delay);
            let most = self.most_by_flag.or(config.max_concurrent_queries);
            self.changeable.limit_queries(
                most.unwrap_or(ServerConfig::default().max_concurrent_queries),
                config.max_concurrent_insert_queries.unwrap_or_default(),
                config.max_concurrent_select_queries.unwrap_or_default(),
            );
            self.changeable.routing.change(Routing {
                handlers: config.handlers,
                default_response: config.default_response,
                options: config.options,
            });
        }
        tracing::info!("The configuration was read again");
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Signal {
    End,
    Reload,
}

/// The signals that end a server, and the one that has its configuration read again.
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hangup: tokio::signal::unix::Signal,
}

impl Signals {
    fn listen() -> Result<Signals> {
        Ok(Signals {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    async fn wait(&mut self) -> Signal {
        tokio::select! {
            _ = self.interrupt.recv() => Signal::End,
            _ = self.terminate.recv() => Signal::End,
            _ = self.hangup.recv() => Signal::Reload,
        }
    }
}
