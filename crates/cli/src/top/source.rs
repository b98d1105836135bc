//! Looks at a server over the native protocol: one query a table of `system`, with columns that ClickHouse has as well.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::datatypes::Float64Type;
use futures::StreamExt;
use gristmill_base::env::Env;
use gristmill_base::{Error, Result};
use gristmill_client::Client;
use gristmill_engine::StatementText;
use tokio_util::sync::CancellationToken;

use crate::top::snapshot::{Found, Merge, Mutation, Numbers, Query, Snapshot};

/// What ids of our own queries begin with, so that they are not shown.
const OWN: &str = "gristmill-top-";
/// Of all queries; the screen shows no more.
const ROWS_MAX: usize = 1000;

const QUERIES: &str = "SELECT query_id, user, query, toFloat64(elapsed), toFloat64(read_rows), toFloat64(read_bytes), \
    toFloat64(written_rows), toFloat64(total_rows_approx), toFloat64(memory_usage), toFloat64(is_cancelled), \
    toFloat64(ProfileEvents['OSCPUVirtualTimeMicroseconds']), \
    toFloat64(ProfileEvents['OSCPUWaitMicroseconds'] + ProfileEvents['OSIOWaitMicroseconds'] + ProfileEvents['IOWaitMicroseconds'] \
    + ProfileEvents['NetworkReceiveElapsedMicroseconds']) \
    FROM system.processes WHERE query_id NOT LIKE 'gristmill-top-%' ORDER BY elapsed DESC LIMIT 1000";
const MERGES: &str = "SELECT concat(database, '.', table), result_part_name, toFloat64(elapsed), toFloat64(progress), \
    toFloat64(num_parts), toFloat64(total_size_bytes_compressed), toFloat64(memory_usage), toFloat64(is_mutation) \
    FROM system.merges ORDER BY elapsed DESC LIMIT 1000";
const MUTATIONS: &str = "SELECT concat(database, '.', table), mutation_id, command, latest_fail_reason, toFloat64(parts_to_do) \
    FROM system.mutations WHERE NOT is_done ORDER BY create_time LIMIT 1000";
const METRICS: &str = "SELECT metric, toFloat64(value) FROM system.metrics WHERE value != 0";
const EVENTS: &str = "SELECT event, toFloat64(value) FROM system.events";
const MEASURED: &str = "SELECT metric, toFloat64(value) FROM system.asynchronous_metrics WHERE metric IN \
    ('MemoryResident', 'OSMemoryTotal', 'CGroupMemoryTotal', 'LoadAverage1', 'LoadAverage5', 'LoadAverage15', 'Uptime', \
    'FilesystemMainPathAvailableBytes', 'FilesystemMainPathTotalBytes')";
const LIMIT: &str = "SELECT name, toFloat64(value) FROM system.server_settings WHERE name = 'max_server_memory_usage'";

pub struct Source {
    client: Client,
    env: Arc<dyn Env>,
}

/// A row: its texts, then its numbers.
struct Row {
    texts: Vec<String>,
    numbers: Vec<f64>,
}

impl Source {
    pub fn new(client: Client, env: Arc<dyn Env>) -> Source {
        Source { client, env }
    }

    /// A look at everything. Errors: those of the connection; what the server refuses is told in its place.
    pub async fn look(&mut self) -> Result<Snapshot> {
        let server = self.client.connect().await?;
        let (major, minor, patch) = server.version;
        let server = format!("{} {major}.{minor}.{patch} at {}", server.name, self.client.endpoint().address());
        let queries = self.found(QUERIES, query).await?;
        let merges = self.found(MERGES, merge).await?;
        let mutations = self.found(MUTATIONS, mutation).await?;
        let pairs = |found: Found<Vec<(String, f64)>>| found.map(|pairs| pairs.into_iter().collect::<Numbers>());
        let metrics = pairs(self.found(METRICS, pair).await?);
        let measured = pairs(self.found(MEASURED, pair).await?);
        // A server that does not tell limits still has the machine's.
        let limit = self.found(LIMIT, pair).await?.unwrap_or_default().first().map(|(_, limit)| *limit);
        let of_machine = || {
            let measured = measured.as_ref().ok()?;
            measured.get("CGroupMemoryTotal").or_else(|| measured.get("OSMemoryTotal")).copied()
        };
        let memory_limit_bytes = limit.filter(|limit| *limit > 0.0).or_else(of_machine);
        // Last, with the time beside it: rates are theirs.
        let events = pairs(self.found(EVENTS, pair).await?);
        let at = self.env.instant();
        Ok(Snapshot { at, server, queries, merges, mutations, metrics, events, measured, memory_limit_bytes })
    }

    /// Ends a query. Gives what the server says.
    pub async fn kill(&mut self, query_id: &str) -> Result<Found<String>> {
        let id = query_id.replace('\\', "\\\\").replace('\'', "\\'");
        let said =
            self.found(&format!("KILL QUERY WHERE query_id = '{id}' ASYNC"), |row| row.texts.first().cloned()).await?;
        Ok(said.map(|said| match said.first() {
            Some(_) => format!("Query {query_id} was told to end"),
            None => format!("Query {query_id} runs no more, or is not yours to end"),
        }))
    }

    /// What a query gives. The outer error is the connection's, the inner one what the server answered.
    async fn found<T>(&mut self, query: &str, of: fn(&Row) -> Option<T>) -> Result<Found<Vec<T>>> {
        match self.rows(query).await {
            Ok(batches) => {
                let rows = batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|at| row(batch, at)));
                Ok(Ok(rows.filter_map(|row| of(&row)).take(ROWS_MAX).collect()))
            }
            Err(error) if error.message().starts_with("Received from") => Ok(Err(reason(&error))),
            Err(error) => Err(error),
        }
    }

    async fn rows(&mut self, query: &str) -> Result<Vec<RecordBatch>> {
        self.client.set_query_id(format!("{OWN}{}", self.env.uuid()));
        let statement = StatementText { text: query.to_string(), inline_data: None };
        let reply = self.client.begin(&statement, None, &CancellationToken::new()).await?.answer().await?;
        let mut rows = reply.execution.rows;
        let mut batches = Vec::new();
        while let Some(batch) = rows.next().await {
            batches.push(batch?);
        }
        Ok(batches)
    }
}

/// The server's own words, without where they come from.
fn reason(error: &Error) -> String {
    let text = error.message();
    let text = text.split_once("DB::Exception: ").map_or(text.as_str(), |(_, rest)| rest);
    let line = text.lines().next().unwrap_or_default();
    format!("{line} ({})", error.code().name())
}

fn row(batch: &RecordBatch, at: usize) -> Row {
    let mut row = Row { texts: Vec::new(), numbers: Vec::new() };
    for column in batch.columns() {
        match number(column, at) {
            Some(number) => row.numbers.push(number),
            None => row.texts.push(text(column, at)),
        }
    }
    row
}

fn number(column: &ArrayRef, at: usize) -> Option<f64> {
    let numbers = column.as_primitive_opt::<Float64Type>()?;
    Some(if numbers.is_null(at) { 0.0 } else { numbers.value(at) })
}

fn text(column: &ArrayRef, at: usize) -> String {
    match column.as_binary_view_opt() {
        Some(texts) if !texts.is_null(at) => String::from_utf8_lossy(texts.value(at)).into_owned(),
        _ => String::new(),
    }
}

fn query(row: &Row) -> Option<Query> {
    let ([id, user, text], [elapsed, read_rows, read_bytes, written_rows, total_rows, memory, cancelled, cpu, wait]) =
        (row.texts.as_slice(), row.numbers.as_slice())
    else {
        return None;
    };
    Some(Query {
        id: id.clone(),
        user: user.clone(),
        text: text.clone(),
        elapsed_seconds: *elapsed,
        read_rows: *read_rows,
        read_bytes: *read_bytes,
        written_rows: *written_rows,
        total_rows: *total_rows,
        memory_bytes: *memory,
        is_cancelled: *cancelled != 0.0,
        cpu_micros: *cpu,
        wait_micros: *wait,
    })
}

fn merge(row: &Row) -> Option<Merge> {
    let ([table, result], [elapsed, progress, parts, bytes, memory, is_mutation]) =
        (row.texts.as_slice(), row.numbers.as_slice())
    else {
        return None;
    };
    Some(Merge {
        table: table.clone(),
        result: result.clone(),
        elapsed_seconds: *elapsed,
        progress: *progress,
        parts: *parts,
        bytes: *bytes,
        memory_bytes: *memory,
        is_mutation: *is_mutation != 0.0,
    })
}

fn mutation(row: &Row) -> Option<Mutation> {
    let ([table, id, command, failure], [parts_to_do]) = (row.texts.as_slice(), row.numbers.as_slice()) else { return None };
    Some(Mutation {
        table: table.clone(),
        id: id.clone(),
        command: command.clone(),
        failure: failure.clone(),
        parts_to_do: *parts_to_do,
    })
}

fn pair(row: &Row) -> Option<(String, f64)> {
    Some((row.texts.first()?.clone(), *row.numbers.first()?))
}
