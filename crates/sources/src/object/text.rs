//! The scan of text formats.

use std::sync::Arc;

use arrow::array::RecordBatch;
use datafusion::common::Result as DataFusionResult;
use futures::stream::BoxStream;
use gristmill_base::{Error, Result};

use super::exec::ScanDescription;
use super::fetch::Fetcher;

pub struct TextScan {}

impl TextScan {
    pub fn start(_fetcher: Fetcher, description: &ScanDescription, _block_rows: usize) -> Result<Arc<TextScan>> {
        Err(Error::not_implemented(format!("Reading format {}", description.source.format.name())))
    }

    pub fn blocks(self: Arc<Self>) -> BoxStream<'static, DataFusionResult<RecordBatch>> {
        Box::pin(futures::stream::empty())
    }
}
