//! `gristmill benchmark`: sends queries to a server over and over, and tells how fast it answers, as `clickhouse-benchmark` does.
//!
//! As many workers as `--concurrency` says each hold a connection to every server. A worker asks the feed for the next
//! query (`feed`), sends it to one of the servers, by chance, reads its result to the end, and adds what it took to the
//! server's numbers (`stats`). Reports on the way (`report`) tell of the time since the last one. With two servers the last
//! report says whether the difference of their means is more than chance (`t_test`).

pub mod arguments;
mod feed;
mod queries;
mod report;
mod stats;
mod t_test;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures::StreamExt;
use gristmill_base::env::{Env, system_env};
use gristmill_base::runtime::{self, Task};
use gristmill_base::{Error, ErrorCode, Result, redact};
use gristmill_client::{Client, ClientOptions, Endpoint};
use gristmill_engine::StatementText;
use gristmill_introspect::{Stage, custom};
use gristmill_types::measure::batch_bytes;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::arguments::{Given, bad};
use crate::benchmark::arguments::BenchmarkArguments;
use crate::benchmark::feed::{Feed, Plan, Stop};
use crate::benchmark::stats::{Done, Stats};
use crate::client::session_options;
use crate::command;
use crate::runner::texts::read_stdin;
use crate::terminal::interrupts::Interrupts;

/// Each worker has a connection to every server.
const CONCURRENCY_MAX: usize = 10_000;
/// A week: longer waits are as good as none.
const SECONDS_MAX: f64 = 7.0 * 86_400.0;

/// What all sessions with a server begin with.
struct Server {
    endpoint: Endpoint,
    database: String,
    settings: BTreeMap<String, String>,
    parameters: BTreeMap<String, String>,
    stage: Stage,
}

impl Server {
    fn client(&self) -> Client {
        Client::new(ClientOptions {
            endpoint: self.endpoint.clone(),
            database: self.database.clone(),
            settings: self.settings.clone(),
            parameters: self.parameters.clone(),
            stage: self.stage,
            ..ClientOptions::default()
        })
    }
}

/// What queries are called.
enum Ids {
    New,
    Fixed(String),
    Prefix(String),
}

/// Numbers of each server: of all the time, and since the last report.
#[derive(Default)]
struct Measured {
    total: Vec<Stats>,
    interval: Vec<Stats>,
}

/// What the workers share.
struct Run {
    servers: Vec<Server>,
    queries: Vec<StatementText>,
    feed: Feed,
    ids: Ids,
    reconnects: bool,
    /// Whether all servers count as one.
    as_one: bool,
    executed: AtomicU64,
    measured: Mutex<Measured>,
    env: Arc<dyn Env>,
}

/// Runs the command, and gives its exit code: that of the error that ended it.
pub async fn run(arguments: BenchmarkArguments, given: Given) -> Result<ExitCode> {
    custom::begin_with(vec![custom::DEFAULT_PREFIX.to_string()]);
    if arguments.concurrency == 0 || arguments.concurrency > CONCURRENCY_MAX {
        return Err(bad(format!(
            "--concurrency is a number from 1 to {CONCURRENCY_MAX}, and not {}",
            arguments.concurrency
        )));
    }
    let time_limit = seconds("timelimit", arguments.timelimit)?;
    let delay = seconds("delay", arguments.delay)?;
    let env = system_env();
    let servers = servers(&arguments, given)?;
    // A password that is wrong, and a file that cannot be written, are told before anything is read or measured.
    if let Some(file) = arguments.json.as_deref().filter(|file| !is_stdout(file)) {
        write_json(file, "")?;
    }
    let queries = match arguments.query.is_empty() {
        false => queries::given(&arguments.query)?,
        true => queries::read(&read_stdin()?, arguments.queries_format)?,
    };
    eprintln!("Loaded {} queries.", queries.len());
    let clients = connected(&servers, arguments.concurrency).await?;

    let as_one = arguments.roundrobin;
    let counted = if as_one { 1 } else { servers.len() };
    let plan = Plan {
        queries: queries.len(),
        iterations: Some(arguments.iterations).filter(|iterations| *iterations > 0),
        randomize: is_on("randomize", arguments.randomize.as_deref())?,
        time_limit,
        errors_to_stop: (!arguments.continue_on_errors).then(|| arguments.max_consecutive_errors.max(1)),
    };
    let run = Arc::new(Run {
        ids: match (&arguments.query_id, &arguments.query_id_prefix) {
            (Some(id), _) => Ids::Fixed(id.clone()),
            (None, Some(prefix)) => Ids::Prefix(prefix.clone()),
            (None, None) => Ids::New,
        },
        reconnects: is_on("reconnect", arguments.reconnect.as_deref())?,
        as_one,
        servers,
        queries,
        feed: Feed::new(plan, env.clone()),
        executed: AtomicU64::new(0),
        measured: Mutex::new(Measured { total: vec![Stats::default(); counted], interval: vec![Stats::default(); counted] }),
        env,
    });
    let interrupts = Interrupts::listen_and_say("Stopping launch of queries. SIGINT received.");
    let watch = interrupts.watch();
    let workers: Vec<Task<()>> =
        clients.into_iter().map(|clients| Task::on(&runtime::cpu(), work(run.clone(), clients))).collect();
    reports(&run, workers, delay, time_limit, &watch.interrupted, &arguments).await?;
    run.finish(&arguments)
}

/// Waits for the workers, and reports on the way.
async fn reports(
    run: &Arc<Run>,
    workers: Vec<Task<()>>,
    delay: Option<Duration>,
    time_limit: Option<Duration>,
    interrupted: &CancellationToken,
    arguments: &BenchmarkArguments,
) -> Result<()> {
    let all = async {
        for worker in workers {
            worker.join().await?;
        }
        Ok::<_, Error>(())
    };
    tokio::pin!(all);
    let mut is_interrupted = false;
    loop {
        let pause = async {
            match delay {
                Some(delay) => run.env.sleep(delay).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = interrupted.cancelled(), if !is_interrupted => {
                is_interrupted = true;
                run.feed.stop(Stop::Interrupted);
            }
            ended = &mut all => {
                ended?;
                break;
            }
            () = pause => run.report_interval(arguments),
        }
    }
    if let (Some(Stop::TimeLimit), Some(limit)) = (run.feed.why_stopped(), time_limit) {
        eprintln!("Stopping launch of queries. Requested time limit {} seconds is exhausted.", limit.as_secs_f64());
    }
    Ok(())
}

/// Connects every worker to every server.
async fn connected(servers: &[Server], concurrency: usize) -> Result<Vec<Vec<Client>>> {
    let mut all = Vec::with_capacity(concurrency);
    for _ in 0..concurrency {
        let mut clients: Vec<Client> = servers.iter().map(Server::client).collect();
        for client in &mut clients {
            client.connect().await?;
        }
        all.push(clients);
    }
    Ok(all)
}

async fn work(run: Arc<Run>, mut clients: Vec<Client>) {
    let never = CancellationToken::new();
    while let Some(at) = run.feed.next() {
        let server = (run.env.random_u64() % clients.len() as u64) as usize;
        if run.reconnects {
            clients[server] = run.servers[server].client();
        }
        let client = &mut clients[server];
        match &run.ids {
            Ids::New => {}
            Ids::Fixed(id) => client.set_query_id(id.clone()),
            Ids::Prefix(prefix) => client.set_query_id(format!("{prefix}_{}", run.env.uuid())),
        }
        let outcome = execute(client, &run.queries[at], &never, &run.env).await;
        let counted = if run.as_one { 0 } else { server };
        let mut measured = run.measured.lock();
        match outcome {
            Ok(done) => {
                measured.total[counted].add(done, run.env.as_ref());
                measured.interval[counted].add(done, run.env.as_ref());
                run.feed.succeeded();
            }
            Err(error) => {
                measured.total[counted].errors += 1;
                measured.interval[counted].errors += 1;
                let query = redact::statement(run.queries[at].text.trim());
                eprintln!("An error occurred while processing the query '{query}': {error}");
                run.feed.failed(&error);
            }
        }
        drop(measured);
        // Queries that fail count too, so that as many as were asked for are enough.
        run.executed.fetch_add(1, Ordering::Relaxed);
    }
}

/// Runs a query to the end of its result.
async fn execute(client: &mut Client, query: &StatementText, never: &CancellationToken, env: &Arc<dyn Env>) -> Result<Done> {
    let start = env.instant();
    let reply = client.begin(query, None, never).await?.answer().await?;
    let context = reply.execution.context.clone();
    let mut rows = reply.execution.rows;
    let mut done = Done::default();
    while let Some(batch) = rows.next().await.transpose()? {
        done.result_rows += batch.num_rows() as u64;
        done.result_bytes += batch_bytes(&batch);
    }
    let progress = context.progress.snapshot();
    done.seconds = env.instant().saturating_duration_since(start).as_secs_f64();
    done.read_rows = progress.read_rows;
    done.read_bytes = progress.read_bytes;
    Ok(done)
}

impl Run {
    /// The names that reports have for the servers; each is there once.
    fn names(&self) -> Vec<String> {
        let addresses: Vec<String> = self.servers.iter().map(|server| server.endpoint.address()).collect();
        if self.as_one {
            return vec![addresses.join(", ")];
        }
        let of = |(at, name): (usize, &String)| match addresses[..at].iter().filter(|other| *other == name).count() {
            0 => name.clone(),
            before => format!("{name} #{}", before + 1),
        };
        addresses.iter().enumerate().map(of).collect()
    }

    fn named(&self, stats: Vec<Stats>) -> Vec<(String, Stats)> {
        self.names().into_iter().zip(stats).collect()
    }

    fn report_interval(&self, arguments: &BenchmarkArguments) {
        let stats = {
            let mut measured = self.measured.lock();
            let none = vec![Stats::default(); measured.total.len()];
            let interval = std::mem::replace(&mut measured.interval, none);
            if arguments.cumulative { measured.total.clone() } else { interval }
        };
        // Nothing to tell while the first queries run.
        if stats.iter().all(|stats| stats.queries + stats.errors == 0) {
            return;
        }
        self.show(&self.named(stats), arguments);
    }

    fn show(&self, servers: &[(String, Stats)], arguments: &BenchmarkArguments) {
        eprint!("{}", report::executed(self.executed.load(Ordering::Relaxed), self.queries.len()));
        eprint!("{}", report::text(servers, arguments.concurrency));
        eprintln!();
    }

    /// The last report, and the exit code.
    fn finish(&self, arguments: &BenchmarkArguments) -> Result<ExitCode> {
        let servers = self.named(self.measured.lock().total.clone());
        self.show(&servers, arguments);
        if let Some(said) = report::comparison(&servers, arguments.confidence) {
            eprintln!("{said}\n");
        }
        if let Some(file) = &arguments.json {
            let text = format!("{:#}\n", report::json(&servers, arguments.concurrency));
            write_json(file, &text)?;
        }
        Ok(match self.feed.why_stopped() {
            Some(Stop::Failed(error)) => command::exit_code(&error),
            _ => ExitCode::SUCCESS,
        })
    }
}

/// As many as there are hosts or ports, whichever are more.
fn servers(arguments: &BenchmarkArguments, given: Given) -> Result<Vec<Server>> {
    let mut login = arguments.login.clone();
    let mut servers: Vec<Server> = Vec::new();
    for at in 0..arguments.host.len().max(arguments.port.len()).max(1) {
        // One that is given once is that of all.
        let host = arguments.host.get(at).or(arguments.host.first().filter(|_| arguments.host.len() == 1)).cloned();
        let port = arguments.port.get(at).or(arguments.port.first().filter(|_| arguments.port.len() == 1)).copied();
        let given =
            Given { settings: given.settings.clone(), parameters: given.parameters.clone(), unknown: given.unknown.clone() };
        if let Some(first) = servers.first().filter(|_| login.asks()) {
            // It is asked for once.
            login.password = Some(first.endpoint.password.reveal().to_string());
            login.ask_password = false;
        }
        let options = session_options(&login, host, port, arguments.database.clone(), given)?;
        let ClientOptions { endpoint, database, settings, parameters, .. } = options;
        let stage = crate::client::stage(arguments.stage.as_deref());
        servers.push(Server { endpoint, database, settings, parameters, stage });
    }
    Ok(servers)
}

fn is_stdout(file: &Path) -> bool {
    file == Path::new("-")
}

/// Error: CANNOT_OPEN_FILE.
fn write_json(file: &Path, text: &str) -> Result<()> {
    let written = match is_stdout(file) {
        true => std::io::stdout().write_all(text.as_bytes()),
        false => std::fs::write(file, text),
    };
    written.map_err(|error| {
        Error::new(ErrorCode::CANNOT_OPEN_FILE, format!("Cannot write the report of --json {}: {error}", file.display()))
    })
}

fn is_on(name: &str, value: Option<&str>) -> Result<bool> {
    value.map_or(Ok(false), |value| crate::client::flag(name, value))
}

/// `None`: 0, which is none. Error: BAD_ARGUMENTS.
fn seconds(name: &str, value: f64) -> Result<Option<Duration>> {
    match value {
        0.0 => Ok(None),
        value if value > 0.0 && value <= SECONDS_MAX => Ok(Some(Duration::from_secs_f64(value))),
        other => Err(bad(format!("--{name} is a number of seconds, 0 for none, and not {other}"))),
    }
}
