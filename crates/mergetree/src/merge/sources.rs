//! The parts that a merge reads: opened, with their ranges of keys, and how much of each is read at a time.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, UInt32Array};
use arrow::datatypes::SchemaRef;
use futures::stream::{BoxStream, StreamExt, TryStreamExt};
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;

use super::list::Running;
use crate::layout::Layout;
use crate::manifest::{PartEntry, State};
use crate::part::OpenPart;
use crate::read::evolve::FoundColumn;
use crate::read::output::Output;
use crate::read::stream::{PARTS_OPENED_AT_ONCE, ScanShared, stream};
use crate::read::unit::{PartSelection, UnitLimits};
use crate::table::Core;

/// Bytes (as values in memory) that the parts of a merge hold together, about.
const READ_BYTES: u64 = 256 << 20;

/// Bytes (as values in memory) of the batches that are being merged, about. A granule has eight thousand rows, which of a log of a
/// hundred columns and a kilobyte a row were as much in each part as all of these together.
const MERGED_BYTES: f64 = (16 << 20) as f64;
/// Fewer rows of a part are not decoded at a time: each column of each batch costs by itself.
const BATCH_ROWS_MIN: usize = 128;

/// Of a column's value, where no part has the column.
const UNKNOWN_BYTES: f64 = 8.0;

pub struct Sources {
    pub core: Arc<Core>,
    state: Arc<State>,
    pub context: Arc<QueryContext>,
    pub running: Arc<Running>,
    pub parts: Vec<Arc<PartEntry>>,
    pub opened: Vec<Arc<OpenPart>>,
    /// By part: the normalised primary keys of its first and its last row; `None` where the table has no primary key.
    ranges: Vec<Option<(Vec<u8>, Vec<u8>)>>,
}

impl Sources {
    pub async fn open(
        core: &Arc<Core>,
        state: &Arc<State>,
        context: &Arc<QueryContext>,
        running: &Arc<Running>,
    ) -> Result<Sources> {
        let parts = running.parts.clone();
        let opening: Vec<_> = parts.iter().map(|part| context.cancellable(core.open_part(context, part))).collect();
        let opened: Vec<Arc<OpenPart>> = futures::stream::iter(opening).buffered(PARTS_OPENED_AT_ONCE).try_collect().await?;
        let ranges = opened.iter().map(|open| key_range(&core.layout, open)).collect::<Result<_>>()?;
        let (core, state, context, running) = (core.clone(), state.clone(), context.clone(), running.clone());
        Ok(Sources { core, state, context, running, parts, opened, ranges })
    }

    pub fn rows(&self) -> u64 {
        self.parts.iter().map(|part| part.rows).sum()
    }

    /// As values in memory.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.uncompressed_bytes).sum()
    }

    /// At least one.
    pub fn row_bytes(&self) -> u64 {
        (self.bytes() / self.rows().max(1)).max(1)
    }

    /// A key, or the beginning of one, that no row of the part comes before.
    pub fn least(&self, at: usize) -> Vec<u8> {
        self.ranges[at].as_ref().map_or_else(Vec::new, |(least, _)| least.clone())
    }

    /// Parts that are read at the same time at most: those whose ranges of keys share a key.
    fn at_once(&self) -> usize {
        // Some part begins where most of them overlap.
        let begins = self.ranges.iter().map(|range| range.as_ref().map(|(least, _)| least));
        let overlap = |key: Option<&Vec<u8>>| {
            let holds = |range: &&Option<(Vec<u8>, Vec<u8>)>| match (range, key) {
                (Some((least, greatest)), Some(key)) => least <= key && key <= greatest,
                _ => true,
            };
            self.ranges.iter().filter(holds).count()
        };
        begins.map(overlap).max().unwrap_or(1).max(1)
    }

    /// Bytes of a column's value, on average.
    pub fn column_bytes(&self, place: usize) -> f64 {
        let (mut bytes, mut rows) = (0, 0);
        for open in &self.opened {
            if let FoundColumn::Stored(at) | FoundColumn::Cast(at) = open.find_columns(&self.core.layout).columns[place] {
                bytes += open.header.columns[at].uncompressed_bytes;
                rows += open.header.rows;
            }
        }
        if rows == 0 { UNKNOWN_BYTES } else { (bytes as f64 / rows as f64).max(1.0) }
    }

    /// How much of a part is read at a time.
    pub fn limits(&self) -> UnitLimits {
        UnitLimits { granules: 16, bytes: (READ_BYTES / 2 / self.at_once() as u64).max(1), streams: 1 }
    }

    /// Rows of a part that are decoded at a time at the most, where these columns are merged.
    pub fn batch_rows(&self, places: &[usize]) -> usize {
        let row_bytes: f64 = places.iter().map(|place| self.column_bytes(*place)).sum();
        let rows = MERGED_BYTES / self.at_once() as f64 / row_bytes.max(1.0);
        (rows as usize).max(BATCH_ROWS_MIN)
    }

    /// Columns of a part's granules, at their places in the table, in the part's order. `batch_rows`: at a time, at the most.
    pub fn read(
        &self,
        at: usize,
        granules: Range<usize>,
        (places, schema): (&[usize], &SchemaRef),
        limits: UnitLimits,
        batch_rows: Option<usize>,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        let chosen = PartSelection::of(self.parts[at].clone(), self.opened[at].clone(), vec![granules]);
        let outputs = places.iter().map(|place| Output::Stored(*place)).collect();
        let shared = ScanShared::of_merge(&self.core, &self.state, chosen, (outputs, schema.clone()), (limits, batch_rows));
        stream(shared, self.context.clone()).boxed()
    }

    /// All rows of a part.
    pub fn read_all(
        &self,
        at: usize,
        columns: (&[usize], &SchemaRef),
        limits: UnitLimits,
        batch_rows: usize,
    ) -> BoxStream<'static, Result<RecordBatch>> {
        let running = self.running.clone();
        let rows = self.read(at, 0..self.opened[at].granules(), columns, limits, Some(batch_rows));
        rows.inspect_ok(move |batch| running.read(batch)).boxed()
    }
}

fn key_range(layout: &Layout, open: &OpenPart) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
    let index = &open.index;
    if index.keys.is_empty() {
        return Ok(None);
    }
    // Behind the granules' first rows stands the part's last.
    let ends = UInt32Array::from(vec![0, index.granules as u32]);
    let keys = index.keys.iter().map(|key| Ok::<_, Error>(arrow::compute::take(key, &ends, None)?));
    let rows = layout.primary_order.rows(&keys.collect::<Result<Vec<ArrayRef>>>()?)?;
    Ok(rows.map(|rows| (rows.row(0).data().to_vec(), rows.row(1).data().to_vec())))
}
