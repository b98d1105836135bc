//! Where the samples come from: a server, gristmill's or ClickHouse's, or the data folder that a server left.

use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::Float64Type;
use futures::StreamExt;
use gristmill_base::env::system_env;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_client::Client;
use gristmill_engine::{Engine, Session, StatementText};
use tokio_util::sync::CancellationToken;

use crate::flamegraph::arguments::Samples;

pub enum Source {
    Server(Box<Client>),
    Folder(Arc<Engine>, Box<Session>),
}

impl Source {
    /// The query's stacks, as lines of functions from the outermost on, with how much each weighs. Errors: those of the connection and
    /// of the server, BAD_ARGUMENTS where there are none.
    pub async fn stacks(&mut self, query_id: &str, samples: Samples) -> Result<Vec<String>> {
        if matches!(self, Source::Server(_)) {
            // Who may not have logs written gets what is written.
            if let Err(error) = self.rows("SYSTEM FLUSH LOGS").await
                && !error.message().starts_with("Received from")
            {
                return Err(error);
            }
        }
        let named = statement(query_id, samples, "symbols", "notEmpty(symbols)", "");
        let mut lines = lines(&self.rows(&named).await?);
        if lines.is_empty() {
            // The server does not write names down: it may tell them.
            let names = "arrayMap(address -> demangle(addressToSymbol(address)), trace)";
            let named = statement(query_id, samples, names, "empty(symbols)", " SETTINGS allow_introspection_functions = 1");
            lines = self::lines(&self.rows(&named).await?);
        }
        if lines.is_empty() {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "There is no sample {} of a query {query_id} in system.trace_log: it was too short for its period, or \
                     sampling was off; see the settings query_profiler_* and memory_profiler_*",
                    name(samples)
                ),
            ));
        }
        Ok(lines)
    }

    async fn rows(&mut self, query: &str) -> Result<Vec<RecordBatch>> {
        let statement = StatementText { text: query.to_string(), inline_data: None };
        let mut rows = match self {
            Source::Server(client) => {
                client.set_query_id(format!("gristmill-flamegraph-{}", system_env().uuid()));
                client.begin(&statement, None, &CancellationToken::new()).await?.answer().await?.execution.rows
            }
            Source::Folder(_, session) => session.execute(&statement, None).await?.rows,
        };
        let mut batches = Vec::new();
        while let Some(batch) = rows.next().await {
            batches.push(batch?);
        }
        Ok(batches)
    }
}

/// As `trace_type` has it.
pub fn name(samples: Samples) -> &'static str {
    match samples {
        Samples::Cpu => "CPU",
        Samples::Real => "Real",
        Samples::Memory => "Memory",
        Samples::MemorySample => "MemorySample",
    }
}

/// `names`: an expression of the functions' names, the innermost first.
fn statement(query_id: &str, samples: Samples, names: &str, which: &str, settings: &str) -> String {
    let id = query_id.replace('\\', "\\\\").replace('\'', "\\'");
    let weight = match samples {
        Samples::Cpu | Samples::Real => "count()",
        Samples::Memory | Samples::MemorySample => "sum(greatest(size, 0))",
    };
    // A semicolon stands between functions, and within names of types, such as [u8; 8]. Functions without a name are there.
    format!(
        "SELECT arrayStringConcat(arrayMap(name -> if(empty(name), '[unknown]', replaceAll(toString(name), ';', ',')), \
         arrayReverse({names})), ';') AS stack, toFloat64({weight}) AS weight FROM system.trace_log \
         WHERE query_id = '{id}' AND trace_type = '{}' AND {which} GROUP BY stack HAVING weight > 0 ORDER BY stack{settings}",
        name(samples)
    )
}

fn lines(batches: &[RecordBatch]) -> Vec<String> {
    let of_batch = |batch: &RecordBatch| -> Option<Vec<String>> {
        let stacks = batch.columns().first()?.as_binary_view_opt()?;
        let weights = batch.columns().get(1)?.as_primitive_opt::<Float64Type>()?;
        let line = |at| format!("{} {}", String::from_utf8_lossy(stacks.value(at)), weights.value(at));
        Some((0..stacks.len()).map(line).collect())
    };
    batches.iter().filter_map(of_batch).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_a_text_whatever_it_is() {
        let text = statement("a'b\\", Samples::Memory, "symbols", "1", "");
        assert!(text.contains("query_id = 'a\\'b\\\\' AND trace_type = 'Memory'"), "{text}");
    }
}
