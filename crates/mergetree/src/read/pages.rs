//! Decodes columns of some granules of a unit: their pages are sent for at once, and what they hold is given batch by batch.

use std::sync::Arc;

use arrow::array::RecordBatch;
use gristmill_base::Result;
use gristmill_introspect::QueryContext;
use gristmill_introspect::memory::MemoryGuard;
use parquet::DecodeResult;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::RowSelection;
use parquet::arrow::push_decoder::{ParquetPushDecoder, ParquetPushDecoderBuilder};

use super::fetch::Fetch;
use super::unit::Unit;
use crate::store::PartStore;

pub struct Pages {
    decoder: ParquetPushDecoder,
    fetch: Option<Fetch>,
    /// Rows that came without any bytes.
    early: Option<RecordBatch>,
    held: Vec<MemoryGuard>,
}

impl Pages {
    /// `roots`: places of columns in the part; batches have so many rows.
    pub fn start(
        context: &Arc<QueryContext>,
        store: &Arc<dyn PartStore>,
        unit: &Unit,
        roots: &[usize],
        selection: RowSelection,
        batch_rows: usize,
    ) -> Result<Pages> {
        let open = &unit.open;
        let parquet = open.metadata.metadata().file_metadata().schema_descr_ptr();
        let mut decoder = ParquetPushDecoderBuilder::new_with_metadata(open.metadata.clone())
            .with_row_groups(vec![unit.row_group])
            .with_row_selection(selection)
            .with_batch_size(batch_rows.max(1))
            .with_projection(ProjectionMask::roots(&parquet, roots.iter().copied()))
            .build()?;
        let (fetch, early) = match decoder.try_decode()? {
            DecodeResult::NeedsData(ranges) => (Some(Fetch::pages(context, store, open, ranges)?), None),
            DecodeResult::Finished => (None, None),
            DecodeResult::Data(batch) => (None, Some(batch)),
        };
        Ok(Pages { decoder, fetch, early, held: Vec::new() })
    }

    pub async fn next(
        &mut self,
        context: &Arc<QueryContext>,
        store: &Arc<dyn PartStore>,
        unit: &Unit,
    ) -> Result<Option<RecordBatch>> {
        loop {
            context.check()?;
            if let Some(fetch) = self.fetch.take() {
                let (ranges, data, memory) = fetch.wait(context).await?;
                self.decoder.push_ranges(ranges, data)?;
                self.held.push(memory);
            }
            let decoded = match self.early.take() {
                Some(batch) => DecodeResult::Data(batch),
                None => self.decoder.try_decode()?,
            };
            match decoded {
                DecodeResult::NeedsData(ranges) => {
                    self.fetch = Some(Fetch::pages(context, store, &unit.open, ranges)?);
                }
                DecodeResult::Data(batch) => return Ok(Some(batch)),
                DecodeResult::Finished => return Ok(None),
            }
        }
    }
}
