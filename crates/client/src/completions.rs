//! Words that the prompt completes: what the server's own tables tell of functions, settings, tables, columns.
//!
//! They are asked for between statements, on the same connection: what never changes once, names of tables and columns again
//! after each statement that may have changed them. A server that lacks one of the tables does without its words, and one
//! that takes long is told to stop.

use std::time::Duration;

use arrow::array::{Array, AsArray};
use futures::StreamExt;
use gristmill_base::Result;
use gristmill_base::runtime::{self, Task};
use gristmill_engine::StatementText;
use tokio_util::sync::CancellationToken;

use crate::client::Client;

/// For all of the words.
const LONGEST: Duration = Duration::from_secs(5);

/// What no statement changes.
const LASTING: &[&str] = &[
    "SELECT name FROM system.functions",
    "SELECT name FROM system.table_functions",
    "SELECT name FROM system.settings",
    "SELECT name FROM system.merge_tree_settings",
    "SELECT name FROM system.formats",
    "SELECT name FROM system.table_engines",
    "SELECT name FROM system.data_type_families",
    "SELECT name FROM system.databases",
];

/// What statements change.
const CHANGING: &[&str] = &[
    "SELECT name FROM system.databases",
    "SELECT if(database = currentDatabase(), name, concat(database, '.', name)) FROM system.tables LIMIT 10000",
    "SELECT DISTINCT name FROM system.columns WHERE database = currentDatabase() LIMIT 10000",
];

/// What is known so far.
#[derive(Debug)]
pub(crate) struct Completions {
    lasting: Vec<String>,
    changing: Vec<String>,
    /// Whether a statement may have changed names.
    pub is_stale: bool,
}

impl Default for Completions {
    fn default() -> Self {
        Completions { lasting: Vec::new(), changing: Vec::new(), is_stale: true }
    }
}

impl Client {
    /// Words that complete what is typed.
    pub async fn completions(&mut self) -> Vec<String> {
        if std::mem::take(&mut self.completions.is_stale) {
            let interrupted = CancellationToken::new();
            let late = interrupted.clone();
            let _watching = Task::on(&runtime::io(), async move {
                tokio::time::sleep(LONGEST).await;
                late.cancel();
            });
            // It asks with query ids of its own, and nobody wants its log.
            let (id, logs) = (self.take_query_id(), self.take_logs());
            if self.completions.lasting.is_empty() {
                self.completions.lasting = self.words(LASTING, &interrupted).await;
            }
            self.completions.changing = self.words(CHANGING, &interrupted).await;
            self.put_back(id, logs);
        }
        let mut words = [&self.completions.lasting[..], &self.completions.changing[..]].concat();
        words.sort_unstable();
        words.dedup();
        words
    }

    async fn words(&mut self, queries: &[&str], interrupted: &CancellationToken) -> Vec<String> {
        let mut words = Vec::new();
        for query in queries {
            if let Ok(found) = self.texts(query, interrupted).await {
                words.extend(found);
            }
        }
        words
    }

    /// The first column of a result, where it is of strings.
    async fn texts(&mut self, query: &str, interrupted: &CancellationToken) -> Result<Vec<String>> {
        let statement = StatementText { text: query.to_string(), inline_data: None };
        let begun = self.begin(&statement, None, interrupted).await?;
        let mut rows = begun.answer().await?.execution.rows;
        let mut texts = Vec::new();
        while let Some(batch) = rows.next().await {
            let batch = batch?;
            if let Some(column) = batch.columns().first().and_then(|column| column.as_binary_view_opt()) {
                let found = (0..column.len()).filter(|row| column.is_valid(*row));
                texts.extend(found.map(|row| String::from_utf8_lossy(column.value(row)).into_owned()));
            }
        }
        Ok(texts)
    }
}
