//! What the tests of sources share: a query context with settings, calls of table functions, and running a plan over them.

use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::concat_batches;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use gristmill_base::env::system_env;
use gristmill_base::{Error, Result};
use gristmill_catalog::Table;
use gristmill_introspect::{Event, QueryContext, Settings};
use gristmill_sources::{CallArgument, SourceHints, TableFunctionCall, open_table_function};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

/// One query: its context, and DataFusion set up as the engine does it.
pub struct Query {
    pub context: Arc<QueryContext>,
    pub session: SessionContext,
    pub hints: SourceHints,
}

pub fn query(settings: &[(&str, &str)]) -> Query {
    let mut all = Settings::default();
    all.set("max_threads", "4").expect("a setting");
    for (name, value) in settings {
        all.set(name, value).expect("a setting");
    }
    let context = QueryContext::new("test", "", "default", "default", Arc::new(all), system_env());
    let config = SessionConfig::new().with_target_partitions(4).with_batch_size(1000).with_extension(context.clone());
    Query { context, session: SessionContext::new_with_config(config), hints: SourceHints::default() }
}

pub fn call(name: &str, arguments: &[&str]) -> TableFunctionCall {
    let positional = arguments.iter().map(|argument| CallArgument::Text(argument.to_string())).collect();
    TableFunctionCall { name: name.to_string(), positional, named: Vec::new() }
}

impl Query {
    pub async fn table(&self, name: &str, arguments: &[&str]) -> Result<Arc<dyn Table>> {
        open_table_function(&call(name, arguments), &self.context, &self.hints).await
    }

    pub async fn frame(&self, name: &str, arguments: &[&str]) -> Result<DataFrame> {
        let provider = self.table(name, arguments).await?.read(&self.context).await?;
        Ok(self.session.read_table(provider)?)
    }

    pub async fn rows(&self, frame: DataFrame) -> Result<RecordBatch> {
        let schema = Arc::new(frame.schema().as_arrow().clone());
        let batches = frame.collect().await.map_err(Error::from)?;
        Ok(concat_batches(&schema, &batches)?)
    }

    pub fn count(&self, event: Event) -> u64 {
        self.context.counters.get(event)
    }
}

/// Writes a Parquet file with small row groups and pages, a page index and bloom filters.
pub fn write_parquet(path: &Path, batch: &RecordBatch, group_rows: usize, page_rows: usize) {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(group_rows))
        .set_data_page_row_count_limit(page_rows)
        .set_write_batch_size(page_rows)
        .set_bloom_filter_enabled(true)
        .build();
    let file = std::fs::File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(batch).expect("rows");
    writer.close().expect("a footer");
}
