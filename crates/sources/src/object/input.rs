//! `input('structure')`, and `file('-')`: the data that came with the statement, read once.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use bytes::BytesMut;
use datafusion::catalog::TableProvider;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::PartitionStream;
use futures::StreamExt;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_catalog::{Table, TableDefinition};
use gristmill_formats::Format;
use gristmill_introspect::QueryContext;
use gristmill_types::Columns;
use parking_lot::Mutex;

use super::file::SourceFile;
use super::filter::ScanFilter;
use super::layout::Layout;
use super::text::{TextInput, TextPlan, TextScan};
use crate::function_table::definition;
use crate::generate::format::carried_as;
use crate::hints::SharedInput;

/// Bytes that are looked at for a structure nobody gave.
const SAMPLE_BYTES: usize = 1 << 20;

#[derive(Debug)]
pub struct InputTable {
    definition: Arc<TableDefinition>,
    input: SharedInput,
    format: Format,
}

impl InputTable {
    /// `structure` and `format`: where the call says them.
    pub async fn open(
        function: &str,
        input: &SharedInput,
        format: Option<Format>,
        structure: Option<Columns>,
        context: &Arc<QueryContext>,
    ) -> Result<Arc<dyn Table>> {
        let format = format.or_else(|| input.format()).ok_or_else(|| {
            Error::new(
                ErrorCode::CANNOT_DETECT_FORMAT,
                "The format of the data on standard input is not known. You can specify the format manually",
            )
        })?;
        let columns = match structure {
            Some(columns) => columns,
            None => infer(input, format, context).await?,
        };
        let definition = definition("Input", function, columns);
        Ok(Arc::new(InputTable { definition, input: input.clone(), format }))
    }
}

fn taken() -> Error {
    Error::new(ErrorCode::BAD_ARGUMENTS, "The data that came with the statement can be read only once, and was read already")
}

/// Looks at the beginning of the data and puts it back.
async fn infer(input: &SharedInput, format: Format, context: &Arc<QueryContext>) -> Result<Columns> {
    let raw = input.take().ok_or_else(taken)?;
    let mut stream = input.compression().decoder(raw);
    let mut sample = BytesMut::new();
    let mut complete = false;
    // Files have their structure at the end.
    while sample.len() < SAMPLE_BYTES || matches!(format, Format::Parquet | Format::Orc) {
        match context.cancellable(async { stream.next().await.transpose() }).await? {
            Some(chunk) => sample.extend_from_slice(&chunk),
            None => {
                complete = true;
                break;
            }
        }
    }
    let sample = sample.freeze();
    let columns = gristmill_formats::infer_schema(format, &sample, complete, &context.settings, "standard input")?;
    input.put_back_decoded(futures::stream::once(async move { Ok(sample) }).chain(stream).boxed());
    Ok(columns)
}

#[async_trait]
impl Table for InputTable {
    fn definition(&self) -> Arc<TableDefinition> {
        self.definition.clone()
    }

    async fn read(&self, context: &Arc<QueryContext>) -> Result<Arc<dyn TableProvider>> {
        let columns = carried_as(self.format, &self.definition.columns, &context.settings);
        let schema = columns.arrow();
        let run = Arc::new(Run { columns, input: self.input.clone(), format: self.format, scan: Mutex::new(None) });
        let partitions = (0..context.threads().max(1))
            .map(|_| Arc::new(InputPartition { run: run.clone(), schema: schema.clone() }) as Arc<dyn PartitionStream>)
            .collect();
        Ok(Arc::new(StreamingTable::try_new(schema, partitions)?))
    }

    fn renamed(&self, definition: Arc<TableDefinition>) -> Result<Arc<dyn Table>> {
        Ok(Arc::new(InputTable { definition, input: self.input.clone(), format: self.format }))
    }
}

/// One reading of the data, which all partitions share.
struct Run {
    columns: Columns,
    input: SharedInput,
    format: Format,
    scan: Mutex<Option<Arc<TextScan>>>,
}

impl Run {
    fn scan(&self, task: &TaskContext) -> Result<Arc<TextScan>> {
        let mut scan = self.scan.lock();
        if let Some(scan) = &*scan {
            return Ok(scan.clone());
        }
        let context = QueryContext::of(task)?;
        let compression = self.input.compression();
        let stream = compression.decoder(self.input.take().ok_or_else(taken)?);
        let layout = Arc::new(Layout::of_data(&self.columns));
        let plan = TextPlan {
            format: self.format,
            output: (0..self.columns.len()).collect(),
            layout,
            filter: ScanFilter::default(),
            limit: None,
            step: None,
        };
        let file =
            SourceFile { key: String::new(), path: "standard input".to_string(), size: None, modified: None, etag: None };
        let inputs = futures::stream::once(async move { Ok(TextInput::Stream(Arc::new(file), stream)) }).boxed();
        let started = TextScan::start(plan, context, inputs, task.session_config().batch_size())?;
        *scan = Some(started.clone());
        Ok(started)
    }
}

struct InputPartition {
    run: Arc<Run>,
    schema: SchemaRef,
}

impl std::fmt::Debug for InputPartition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("InputPartition")
    }
}

impl PartitionStream for InputPartition {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, task: Arc<TaskContext>) -> SendableRecordBatchStream {
        let blocks = match self.run.scan(&task) {
            Ok(scan) => scan.blocks(),
            Err(error) => futures::stream::once(async move { Err(error.into()) }).boxed(),
        };
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), blocks))
    }
}
