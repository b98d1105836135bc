//! `gristmill demo`: the whole of Gristmill in one command, on data that it makes.
//!
//! It writes posts as 189 monthly Parquet files, serves them over S3 from this process, answers the top-users query on
//! them in place, loads them into a MergeTree table, asks the table the same, and prints what each step took: time,
//! rows, requests and bytes as the S3 server counted them, peak memory as the query accounted for it.

mod calendar;
mod folder;
mod generate;
mod posts;
mod random;
mod report;
mod server;
mod store;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use arrow::array::RecordBatch;
use clap::Args;
use gristmill_base::env::SystemEnv;
use gristmill_base::{Error, ErrorCode, Result, machine, redact, units};
use gristmill_engine::{EngineConfig, Session, StatementText};

use crate::arguments::Given;
use crate::bootstrap;
use crate::demo::folder::DemoFolder;
use crate::demo::generate::{Generated, Recipe, generate};
use crate::demo::report::{Report, Step};
use crate::demo::server::S3Server;
use crate::runner::{Finished, Options, Runner};
use crate::terminal::Terminal;
use crate::terminal::interrupts::Interrupts;

#[derive(Debug, Args)]
pub struct DemoArguments {
    /// Posts to make
    #[arg(long, default_value_t = 3_000_000, value_name = "N")]
    rows: u64,
    /// Monthly files to spread them over, the last one 2024-03
    #[arg(long, default_value_t = calendar::MONTHS, value_name = "N")]
    files: usize,
    /// The same seed gives the same bytes
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Folder for the files and the table; a temporary one without this
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Keep the files and the table
    #[arg(long)]
    keep: bool,
    /// Only make the files: the bucket `demo` in --dir, keys posts/by_month/*.parquet
    #[arg(long, requires = "dir")]
    generate_only: bool,
}

const TOP_USERS: &str = "SELECT OwnerDisplayName, count() AS num_posts
FROM {source}
WHERE OwnerDisplayName NOT IN ('', 'anon')
GROUP BY OwnerDisplayName
ORDER BY num_posts DESC
LIMIT 5";

pub async fn run(arguments: DemoArguments, given: Given) -> Result<ExitCode> {
    let mut folder = DemoFolder::open(arguments.dir.clone(), arguments.keep || arguments.generate_only)?;
    let recipe = Recipe { rows: arguments.rows, files: arguments.files, seed: arguments.seed };
    let terminal = Terminal::of_process();
    let interrupts = Arc::new(Interrupts::listen());
    let mut report = Report::default();
    report.add(make_files(&recipe, &folder, &interrupts, terminal).await?);
    if arguments.generate_only {
        println!("The files are in {}.", folder.files().display());
        return Ok(ExitCode::SUCCESS);
    }
    let config = EngineConfig { data_path: Some(folder.tables()), ..EngineConfig::default() };
    let engine = bootstrap::open_engine(config, None).await?;
    let mut session = Session::new(engine.clone());
    session.settings = given.settings;
    let options = Options { format: Some("PrettyCompact".to_string()), progress: terminal.errors, ..Options::default() };
    let mut show = Show { runner: Runner::new(session, options, terminal, interrupts), report };
    let outcome = show.run(&folder).await;
    drop(show);
    engine.shutdown().await;
    outcome?;
    if let Some(kept) = folder.close() {
        println!("The files and the table are kept in {}.", kept.display());
        println!("Ask the table with: gristmill local --path {}", kept.join(folder::TABLES).display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs the generator on its own threads, with a line that tells how far it is.
async fn make_files(recipe: &Recipe, folder: &DemoFolder, interrupts: &Interrupts, terminal: Terminal) -> Result<Step> {
    let (rows, files) = (units::rows(recipe.rows as f64), recipe.files);
    println!("Making {rows} posts in {files} Parquet files (seed {}) …", recipe.seed);
    let started = Instant::now();
    let done = Arc::new(Generated::default());
    let watch = interrupts.watch();
    let mut work = tokio::task::spawn_blocking({
        let (recipe, files, done) = (recipe.clone(), folder.files(), done.clone());
        let threads = machine::cores();
        move || generate(&recipe, &files, threads, &done)
    });
    let drawing = report::draw_generating(recipe.rows, done.clone(), terminal.errors);
    let outcome = tokio::select! {
        outcome = &mut work => outcome,
        () = watch.interrupted.cancelled() => {
            done.stop.store(true, Ordering::Relaxed);
            work.await
        }
    };
    drop(drawing);
    report::wipe_line(terminal.errors);
    outcome.map_err(|error| Error::logical(format!("The generator stopped: {error}")))??;
    Ok(Step {
        name: format!("make {files} files"),
        elapsed: started.elapsed(),
        rows: recipe.rows,
        bytes: done.file_bytes.load(Ordering::Relaxed),
        requests: None,
        memory_peak_bytes: None,
    })
}

struct Show {
    runner: Runner,
    report: Report,
}

impl Show {
    async fn run(&mut self, folder: &DemoFolder) -> Result<()> {
        let server = S3Server::start(&folder.buckets(), &SystemEnv).await?;
        println!("An S3 server with keys of its own serves them at http://{}.\n", server.address);
        let source = format!(
            "s3('http://{}/{}/*.parquet', '{}', '{}')",
            server.address,
            folder::KEYS,
            server.access_key,
            server.secret_key
        );
        println!("The users with most posts, answered on the files where they lie:\n");
        let in_place = self.step("top users, on the files", &TOP_USERS.replace("{source}", &source), &server).await?;
        println!("A table, sorted by type and day:\n");
        self.step("create the table", posts::CREATE_TABLE, &server).await?;
        println!("Loading it:\n");
        self.step("load the table", &format!("INSERT INTO posts SELECT * FROM {source}"), &server).await?;
        println!("The same question to the table:\n");
        let from_table = self.step("top users, on the table", &TOP_USERS.replace("{source}", "posts"), &server).await?;
        if counts(&in_place)? != counts(&from_table)? {
            return Err(Error::logical("The table answers otherwise than the files it was loaded from"));
        }
        self.report.print();
        Ok(())
    }

    /// Shows a statement, runs it, and notes what it took.
    async fn step(&mut self, name: &str, statement: &str, server: &S3Server) -> Result<Finished> {
        println!("{};\n", indent(&redact::statement(statement)));
        let before = server.counts();
        let statement = StatementText { text: statement.to_string(), inline_data: None };
        let finished = self.runner.run_one(&statement, false, true).await?;
        println!("{}\n", finished.summary.text());
        let requests = server.counts() - before;
        self.report.add(Step {
            name: name.to_string(),
            elapsed: finished.summary.elapsed,
            rows: finished.summary.progress.read_rows,
            bytes: requests.bytes,
            requests: Some(requests),
            memory_peak_bytes: Some(finished.summary.memory_peak_bytes),
        });
        Ok(finished)
    }
}

/// The counts of the answer. (Of users with as many posts as the fifth, either may be shown.)
fn counts(finished: &Finished) -> Result<Vec<RecordBatch>> {
    let batches = finished.batches.iter().map(|batch| batch.project(&[1]));
    let batches = batches.collect::<std::result::Result<Vec<_>, _>>()?;
    let Some(first) = batches.first() else {
        return Err(Error::new(ErrorCode::INCORRECT_DATA, "The top-users query gave no rows: make more posts with --rows"));
    };
    Ok(vec![arrow::compute::concat_batches(&first.schema(), &batches)?])
}

fn indent(text: &str) -> String {
    text.lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}
