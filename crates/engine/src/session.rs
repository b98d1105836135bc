//! The engine (one a process) and its sessions (one a connection, or one for `gristmill local`).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::execution::SendableRecordBatchStream;
use futures::stream::BoxStream;
use gristmill_base::{Error, Result};
use gristmill_introspect::{QueryContext, Settings};
use gristmill_types::Columns;

#[derive(Clone, Debug, Default)]
pub struct EngineConfig {
    /// Where tables last. `None`: a temporary folder that goes with the engine.
    pub data_path: Option<PathBuf>,
}

/// What all sessions share: databases, functions, caches, background jobs.
#[derive(Debug)]
pub struct Engine {}

impl Engine {
    pub async fn open(_config: EngineConfig) -> Result<Arc<Engine>> {
        Err(Error::not_implemented("engine"))
    }

    /// Stops background jobs and removes the temporary folder.
    pub async fn shutdown(&self) {}

    /// Words for completion: keywords, functions, databases, tables, columns, settings, formats.
    pub async fn completions(&self, _database: &str) -> Vec<String> {
        Vec::new()
    }
}

/// One statement out of a text of several.
#[derive(Clone, Debug, PartialEq)]
pub struct StatementText {
    pub text: String,
    /// The data that follows `INSERT … FORMAT CSV` or `VALUES` in the text.
    pub inline_data: Option<Vec<u8>>,
}

#[derive(Clone)]
pub struct Session {
    pub engine: Arc<Engine>,
    pub settings: Settings,
    pub database: String,
    pub user: String,
    /// Values of `{name:Type}`.
    pub parameters: BTreeMap<String, String>,
}

/// A statement that has begun. For a statement without rows (DDL, INSERT) the work is done while `rows` is read to its
/// end; `columns` is empty then.
pub struct Execution {
    pub context: Arc<QueryContext>,
    pub columns: Columns,
    /// The FORMAT clause.
    pub format: Option<String>,
    /// `INTO OUTFILE`: path and whether to replace or append.
    pub into_outfile: Option<IntoOutfile>,
    /// Batches that carry `columns` in memory (`Columns::arrow`). Dropping the stream cancels the statement. The query
    /// log is written when the stream ends or is dropped.
    pub rows: SendableRecordBatchStream,
}

#[derive(Clone, Debug, PartialEq)]
pub struct IntoOutfile {
    pub path: String,
    pub truncate: bool,
    pub append: bool,
    pub compression: Option<String>,
}

/// Data that comes with an INSERT (or feeds `input()` and the table `table` of `gristmill local`).
pub type InputData = BoxStream<'static, Result<bytes::Bytes>>;

impl Session {
    pub fn new(engine: Arc<Engine>) -> Session {
        Session {
            engine,
            settings: Settings::default(),
            database: "default".to_string(),
            user: "default".to_string(),
            parameters: BTreeMap::new(),
        }
    }

    /// Takes a text apart into statements, by the tokenizer (`;` in strings and comments does not count). A last
    /// statement without `;` counts as whole.
    pub fn split(_text: &str) -> Result<Vec<StatementText>> {
        Err(Error::not_implemented("split"))
    }

    /// Starts one statement. `SET` and `USE` change the session. `input` is the data of an INSERT that carries none.
    pub async fn execute(&mut self, _statement: &StatementText, _input: Option<InputData>) -> Result<Execution> {
        Err(Error::not_implemented("execute"))
    }
}
