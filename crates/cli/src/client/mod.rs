//! `gristmill client`: queries by a server, as `clickhouse-client` runs them.
//!
//! What the command line says goes over the connection string, over a named connection of the configuration, over the
//! configuration, over the environment. Statements then run by the runner that `gristmill local` has.

pub mod arguments;
mod config;
mod connection_string;
pub mod external;
pub mod foreign_options;
mod password;
pub mod places;

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use gristmill_base::redact::Secret;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_client::{Client, ClientOptions, Endpoint, EventLines, LogLines};
use gristmill_introspect::opentelemetry::TraceContext;
use gristmill_introspect::{Stage, custom};

use crate::arguments::{Given, bad};
use crate::client::arguments::{ClientArguments, LoginArguments};
use crate::client::config::Config;
use crate::client::connection_string::ConnectionString;
use crate::client::external::ExternalArguments;
use crate::prompt::{self, Greeting};
use crate::runner::Runner;
use crate::runner::texts::{read_queries, read_stdin};
use crate::terminal::Terminal;
use crate::terminal::interrupts::Interrupts;

/// Longest that a timeout may be: a year.
const TIMEOUT_MAX: f64 = 365.0 * 86_400.0;

/// Runs the command, and gives its exit code.
pub async fn run(arguments: ClientArguments, given: Given, tables: Vec<ExternalArguments>) -> Result<ExitCode> {
    // The server may know others, but this side cannot tell which.
    custom::begin_with(vec![custom::DEFAULT_PREFIX.to_string()]);
    if arguments.version_clean {
        println!("{}", env!("CARGO_PKG_VERSION"));
        return Ok(ExitCode::SUCCESS);
    }
    let terminal = Terminal::of_process();
    let (string, positional) = positional(&arguments)?;
    let host = arguments.places.first().and_then(|place| place.host.as_deref()).or(string.host.as_deref());
    let file = arguments.login.config_file.as_deref().or(arguments.short_config_file.as_deref());
    let config = Config::read(file, arguments.login.connection.as_deref(), host)?;
    let mut options = arguments.results.options(arguments.format.as_ref().or(config.format.as_ref()), terminal)?;
    options.vertical |= config.vertical;
    let greeting_name = arguments.prompt.clone().or_else(|| config.prompt.clone());
    let history = arguments.history_file.clone().or_else(|| config.history_file.clone());
    let external = external::read(&tables, &given.settings)?;
    let client_options = client_options(&arguments, string, config, given, options.progress)?;
    let mut client = Client::new(ClientOptions { external, ..client_options });

    let mut texts = arguments.query.clone();
    texts.extend(positional);
    for file in &arguments.queries_file {
        texts.push(read_queries(file)?);
    }
    let mut is_input_taken = external::takes_stdin(&tables);
    if texts.is_empty() && !is_input_taken && !terminal.input && !arguments.interactive {
        texts.push(read_stdin()?);
        is_input_taken = true;
    }
    let is_prompt = arguments.interactive || (texts.is_empty() && terminal.input);
    // A wrong password, or a server that is not there, is told before anything is typed or read.
    let interrupts = Arc::new(Interrupts::listen());
    let server = client.connect().await?;
    let address = client.endpoint().address();
    let user = client.endpoint().user.clone();
    let mut runner = Runner::new(client, options, terminal, interrupts);
    if is_input_taken {
        runner.input_is_taken();
    }
    for text in &texts {
        if !runner.run_text(text).await? {
            break;
        }
    }
    if is_prompt {
        runner.options.interactive = true;
        let (major, minor, patch) = server.version;
        let greeting = Greeting {
            name: greeting_name
                .or_else(|| Some(server.display_name.clone()))
                .filter(|name| !name.is_empty())
                .unwrap_or(address.clone()),
            connected: format!(
                "Connected to {} server version {major}.{minor}.{patch} at {address} as user {user}.",
                server.name
            ),
            completes: !arguments.disable_suggestion,
        };
        prompt::run(&mut runner, history, greeting).await?;
    }
    Ok(runner.exit_code())
}

/// The connection string of the line, and the queries that stand there without -q: behind --multiquery, or of several words. Error:
/// BAD_ARGUMENTS where a word is neither, or where there are several connection strings.
fn positional(arguments: &ClientArguments) -> Result<(ConnectionString, Vec<String>)> {
    let (strings, queries): (Vec<&String>, Vec<&String>) =
        arguments.connection_string.iter().partition(|word| connection_string::is_one(word));
    let is_query = |word: &str| arguments.multiquery || word.trim().contains(char::is_whitespace);
    if let Some(other) = queries.iter().find(|word| !is_query(word)) {
        return Err(bad(format!(
            "'{other}' is neither an option nor a connection string clickhouse://…: queries come behind -q"
        )));
    }
    let string = match strings.as_slice() {
        [] => ConnectionString::default(),
        [one] => {
            if !arguments.host.is_empty() || !arguments.port.is_empty() || arguments.login.connection.is_some() {
                return Err(bad("A connection string says host and port: leave out --host, --port and --connection"));
            }
            connection_string::parsed(one)?
        }
        _ => return Err(bad("More than one connection string: one server at a time")),
    };
    Ok((string, queries.into_iter().cloned().collect()))
}

/// A session with a server for a command that has no connection string: what the line says goes over the configuration, that
/// over the environment. Errors: those of the configuration, and of wrong values.
pub fn session_options(
    login: &LoginArguments,
    host: Option<String>,
    port: Option<u16>,
    database: Option<String>,
    given: Given,
) -> Result<ClientOptions> {
    let config = Config::read(login.config_file.as_deref(), login.connection.as_deref(), host.as_deref())?;
    let endpoint = endpoint(login, host, port, &ConnectionString::default(), &config)?;
    let mut settings = config.settings;
    settings.extend(given.unknown);
    settings.extend(given.settings.changed());
    let database = database.or(config.database).unwrap_or_default();
    Ok(ClientOptions { endpoint, database, settings, parameters: given.parameters, ..ClientOptions::default() })
}

/// The first that is there.
fn first<const N: usize>(words: [Option<String>; N], default: &str) -> String {
    words.into_iter().flatten().next().unwrap_or(default.to_string())
}

fn endpoint(
    login: &LoginArguments,
    host: Option<String>,
    port: Option<u16>,
    string: &ConnectionString,
    config: &Config,
) -> Result<Endpoint> {
    let environment = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    // The name of a connection stands where a host may: the configuration says which host it is.
    let host = match host.or(string.host.clone()) {
        Some(host) => config.host_of(host),
        None => first([config.host.clone(), environment("CLICKHOUSE_HOST")], "localhost"),
    };
    let users = [login.user.clone(), string.user.clone(), config.user.clone(), environment("CLICKHOUSE_USER")];
    let mut endpoint = Endpoint { host, user: first(users, "default"), ..Endpoint::default() };
    endpoint.port = port.or(string.port).or(config.port);
    endpoint.secure = !login.no_secure && (login.secure || string.secure || config.secure.unwrap_or(false));
    endpoint.accept_invalid_certificate = login.accept_invalid_certificate || config.accept_invalid_certificate;
    endpoint.authorities = config.authorities.clone();
    endpoint.compression = match login.compression.as_deref() {
        None => !endpoint.is_local(),
        Some(value) => flag("compression", value)?,
    };
    endpoint.quota_key = login.quota_key.clone().unwrap_or_default();
    if let Some(longest) = seconds("connect_timeout", login.connect_timeout)? {
        endpoint.connect_timeout = longest;
    }
    if let Some(longest) = seconds("receive_timeout", login.receive_timeout)? {
        endpoint.receive_timeout = longest;
    }
    endpoint.password = match &login.password {
        _ if login.asks() => password::asked_for(&endpoint.user)?,
        Some(password) => Secret::new(password),
        None => string
            .password
            .clone()
            .or(config.password.clone())
            .or_else(|| environment("CLICKHOUSE_PASSWORD").map(Secret::new))
            .unwrap_or_default(),
    };
    Ok(endpoint)
}

fn client_options(
    arguments: &ClientArguments,
    string: ConnectionString,
    config: Config,
    given: Given,
    draws_progress: bool,
) -> Result<ClientOptions> {
    let place = arguments.places.first().cloned().unwrap_or_default();
    let mut endpoint = endpoint(&arguments.login, place.host, place.port, &string, &config)?;
    endpoint.bind_host = arguments.bind_host;
    endpoint.certificate_name.clone_from(&arguments.tls_sni_override);
    endpoint.shows_stacks = arguments.results.stacktrace;
    let others = arguments.places.iter().skip(1).map(|place| {
        let host = place.host.clone().map_or_else(|| endpoint.host.clone(), |host| config.host_of(host));
        let mut other = Endpoint { host, port: place.port.or(config.port), ..endpoint.clone() };
        if arguments.login.compression.is_none() {
            other.compression = !other.is_local();
        }
        other
    });
    let others = others.collect();
    let traceparent = arguments.opentelemetry_traceparent.as_deref();
    let tracestate = arguments.opentelemetry_tracestate.as_deref().unwrap_or_default();
    let trace = traceparent.map(|traceparent| {
        TraceContext::of_headers(traceparent, tracestate)
            .ok_or_else(|| bad(format!("--opentelemetry-traceparent '{traceparent}' is no such header")))
    });
    let trace = trace.transpose()?;
    let mut settings: BTreeMap<String, String> = config.settings;
    settings.extend(string.settings);
    settings.extend(given.unknown);
    settings.extend(given.settings.changed());
    Ok(ClientOptions {
        endpoint,
        others,
        database: first([arguments.database.clone(), string.database, config.database], ""),
        settings,
        parameters: given.parameters,
        query_id: arguments.query_id.clone().unwrap_or_default(),
        use_client_time_zone: arguments.use_client_time_zone,
        logs: Some(match arguments.server_logs_file.as_deref() {
            None => log_lines(draws_progress),
            Some(file) => log_lines_into(file)?,
        }),
        events: arguments.print_profile_events.then(|| EventLines {
            // Less than nothing: when the query is over.
            every: u64::try_from(arguments.profile_events_delay_ms).ok().map(Duration::from_millis),
            show: log_lines(draws_progress),
        }),
        external: Vec::new(),
        trace,
        stage: stage(arguments.stage.as_deref()),
    })
}

/// What `--stage` says, of the names that it takes.
pub(crate) fn stage(name: Option<&str>) -> Stage {
    name.and_then(Stage::named).unwrap_or_default()
}

/// Lines of the server's log go to standard error, over the progress bar.
fn log_lines(draws_progress: bool) -> LogLines {
    Arc::new(move |line| {
        let wipe = if draws_progress { "\r\u{1b}[K" } else { "" };
        // A terminal that went away is noticed where results are written.
        let _ = writeln!(std::io::stderr(), "{wipe}{line}");
    })
}

/// Behind what the file holds. Error: CANNOT_OPEN_FILE.
fn log_lines_into(file: &Path) -> Result<LogLines> {
    if file == Path::new("-") {
        return Ok(Arc::new(|line| {
            let _ = writeln!(std::io::stdout(), "{line}");
        }));
    }
    let opened = OpenOptions::new().create(true).append(true).open(file);
    let opened = opened.map_err(|error| {
        Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot write --server_logs_file {}: {error}", file.display()))
    })?;
    Ok(Arc::new(move |line| {
        let _ = writeln!(&opened, "{line}");
    }))
}

pub fn flag(name: &str, value: &str) -> Result<bool> {
    match value.to_ascii_lowercase().as_str() {
        "1" | "true" | "on" | "yes" => Ok(true),
        "0" | "false" | "off" | "no" => Ok(false),
        _ => Err(bad(format!("--{name} is 0 or 1, and not '{value}'"))),
    }
}

fn seconds(name: &str, given: Option<f64>) -> Result<Option<Duration>> {
    match given {
        None => Ok(None),
        Some(seconds) if seconds > 0.0 && seconds <= TIMEOUT_MAX => Ok(Some(Duration::from_secs_f64(seconds))),
        Some(other) => Err(bad(format!("--{name} is a number of seconds above 0, and not {other}"))),
    }
}
