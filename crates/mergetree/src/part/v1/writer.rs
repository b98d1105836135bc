//! Writes one part: sorted rows in, one Parquet object out, uploaded as its row groups are done.
//!
//! Columns are independent: those of a block are gathered (by the sort's permutation), converted and encoded each in a
//! task of its own on the CPU runtime, so a wide block uses every core and never exists twice in memory. A row group
//! holds at most 2^20 rows (`max_rows_in_row_group`) and about 256 MiB of values: its encoded pages must be held until it ends, so this bounds
//! memory, and other readers share a part out by row group. (One row group a part reads no faster here: our unit of
//! work is a run of granules. It would make a merge hold the whole encoded part.)

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, UInt32Array};
use async_trait::async_trait;
use gristmill_base::{Error, Result};
use gristmill_introspect::QueryContext;
use gristmill_introspect::memory::MemoryGuard;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::file::metadata::{KeyValue, ParquetMetaData};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::SchemaDescriptor;
use serde_json::Value;

use super::crate_writers::CrateWriters;
use super::encode::{Codec, ColumnEncoder, RowsTaken, Written, by_crate, close, encode, encoders, properties};
use super::header::{ColumnHeader, LENGTH_KEY, OFFSET_KEY, PartHeader, VERSION, VERSION_KEY};
use super::outlet::Outlet;
use super::schema::{annotated_schema, storage_schema};
use super::sending::{Sending, Sent};
use super::skip_indexes::SkipIndexWriter;
use super::storage_type::from_storage;
use crate::index::sparse::SparseIndexBuilder;
use crate::layout::Layout;
use crate::manifest::ProjectionEntry;
use crate::manifest::v1::value;
use crate::projection::build::{Building, ProjectionsBuilder};
use crate::store::{PartStore, PartUpload};
use crate::ttl::ranges::{TtlCollector, TtlRange};

const ROW_GROUP_BYTES: u64 = 256 << 20;

/// Everything about a part that is decided before its first row is written.
#[derive(Clone, Debug)]
pub struct PartPlan {
    pub key: String,
    pub partition_id: String,
    pub partition: String,
    pub level: u32,
    pub codec: Codec,
    pub granule_rows: usize,
    pub row_group_rows: usize,
    /// By column: all strings are valid UTF-8.
    pub text: Vec<bool>,
    /// By column.
    pub dictionaries: Vec<bool>,
    /// Columns encoded at the same time.
    pub lanes: usize,
}

/// Rows of a granule: `index_granularity`, or fewer where rows are so wide that they would exceed the bytes.
pub fn granule_rows(row_bytes: u64, index_granularity: u64, index_granularity_bytes: u64) -> usize {
    let most = index_granularity.max(1);
    match index_granularity_bytes {
        0 => most as usize,
        bytes => (bytes / row_bytes.max(1)).clamp(1, most) as usize,
    }
}

/// Rows of a row group: whole granules, at most `max_rows_in_row_group` and the bytes above.
pub fn row_group_rows(row_bytes: u64, granule_rows: usize, max_rows_in_row_group: u64) -> usize {
    let rows = (ROW_GROUP_BYTES / row_bytes.max(1)).min(max_rows_in_row_group) as usize;
    (rows / granule_rows).max(1) * granule_rows
}

/// A part that was written whole and is not visible yet.
#[derive(Clone, Debug)]
pub struct WrittenPart {
    pub key: String,
    pub header: PartHeader,
    pub bytes: u64,
    /// Where the embedded block begins; everything from there on is read to open the part.
    pub tail_offset: u64,
    /// See `PartEntry::tail_hash`.
    pub tail_hash: u64,
    pub index_bytes: u64,
    /// See `PartEntry::statistics`.
    pub statistics: BTreeMap<String, (Value, Value)>,
    /// See `PartEntry::ttl`.
    pub ttl: BTreeMap<String, TtlRange>,
    /// See `PartEntry::projections`.
    pub projections: BTreeMap<String, ProjectionEntry>,
}

impl WrittenPart {
    /// All objects of the part.
    pub fn objects(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.key.as_str()).chain(self.projections.values().map(|data| data.key.as_str()))
    }

    /// See `PartEntry::skip_indexes`.
    pub fn skip_indexes(&self) -> BTreeMap<String, (u64, u64)> {
        let sizes = self.header.skip_indexes.iter();
        sizes.map(|index| (index.key.clone(), (index.compressed_bytes(), index.uncompressed_bytes))).collect()
    }
}

/// Rows in the part's order: columns as they came, and the order to take them in.
#[derive(Clone, Debug)]
pub struct Sorted {
    pub columns: Vec<ArrayRef>,
    /// The primary key's values, in the order of `columns`.
    pub keys: Vec<ArrayRef>,
    /// `None`: as they are.
    pub order: Option<UInt32Array>,
    pub rows: usize,
}

impl Sorted {
    /// A run of rows in the part's order.
    fn taken(&self, from: usize, rows: usize) -> RowsTaken {
        match &self.order {
            Some(order) => RowsTaken::At(order.slice(from, rows)),
            None => RowsTaken::Run(from..from + rows),
        }
    }
}

/// Gives the columns of rows that a writer knows already, one after another, in the order of the part.
#[async_trait]
pub trait ColumnSource: Send {
    /// The next rows of the next columns, by their places; `None`: that was all.
    async fn next(&mut self) -> Result<Option<(Vec<usize>, Vec<ArrayRef>)>>;
}

pub struct PartWriter {
    layout: Arc<Layout>,
    plan: PartPlan,
    outlet: Outlet,
    file: SerializedFileWriter<Outlet>,
    by_crate: Vec<bool>,
    crate_writers: CrateWriters,
    descriptor: SchemaDescriptor,
    leaves_by_column: Vec<usize>,
    upload: Option<Box<dyn PartUpload>>,
    /// By column, of the row group under way; empty between two of them.
    encoders: Vec<Option<ColumnEncoder>>,
    group_rows: usize,
    groups: usize,
    rows: u64,
    sending: Sending,
    column_bytes: Vec<(u64, u64)>,
    index: SparseIndexBuilder,
    skip_indexes: SkipIndexWriter,
    ttl: TtlCollector,
    projections: Option<Box<ProjectionsBuilder>>,
    memory: MemoryGuard,
}

impl PartWriter {
    pub async fn create(
        context: &Arc<QueryContext>,
        store: &Arc<dyn PartStore>,
        layout: Arc<Layout>,
        plan: PartPlan,
    ) -> Result<PartWriter> {
        let root = annotated_schema(&layout.columns, &plan.text)?;
        let descriptor = SchemaDescriptor::new(root.clone());
        let mut leaves_by_column = vec![0; layout.columns.len()];
        for leaf in 0..descriptor.num_columns() {
            leaves_by_column[descriptor.get_column_root_idx(leaf)] += 1;
        }
        let properties = properties(&layout.columns, &descriptor, &plan.dictionaries, plan.codec, plan.granule_rows)?;
        let by_crate = by_crate(&layout.columns, &descriptor, &leaves_by_column);
        let crate_writers = CrateWriters::new(&layout.columns, &plan.text, &by_crate, &properties)?;
        let outlet = Outlet::default();
        let file = SerializedFileWriter::new(outlet.clone(), root, properties)?;
        let upload = Some(store.upload(context, &plan.key).await?);
        Ok(PartWriter {
            column_bytes: vec![(0, 0); layout.columns.len()],
            sending: Sending::default(),
            projections: None,
            memory: MemoryGuard::empty(&context.memory),
            index: SparseIndexBuilder::default(),
            skip_indexes: SkipIndexWriter::new(&layout, plan.granule_rows, &context.counters)?,
            ttl: TtlCollector::new(layout.clone()),
            encoders: Vec::new(),
            group_rows: 0,
            groups: 0,
            rows: 0,
            layout,
            plan,
            outlet,
            file,
            by_crate,
            crate_writers,
            descriptor,
            leaves_by_column,
            upload,
        })
    }

    /// The rows that come were led through the table's TTL, by this time in seconds.
    pub fn ttl_applied(&mut self, now: i64) {
        self.ttl.applied(now);
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows until the row group ends.
    pub fn room(&self) -> usize {
        self.plan.row_group_rows - self.group_rows
    }

    /// Before the first row: the part gets no data of these skip indexes.
    pub fn leave_out_skip_indexes(&mut self, leaves: impl Fn(&str) -> bool) {
        self.skip_indexes.leave_out(leaves);
    }

    /// Before the first row: these projections of the part are made beside it.
    pub fn build_projections(&mut self, context: &Arc<QueryContext>, store: &Arc<dyn PartStore>, building: Building) {
        if !building.projections.is_empty() {
            self.projections = Some(Box::new(ProjectionsBuilder::new(context, store, &self.plan, building)));
        }
    }

    /// Appends rows that follow, in the part's order, everything appended before.
    pub async fn write(&mut self, block: &Sorted) -> Result<()> {
        self.index_rows(block)?;
        self.ttl.see(&block.columns, block.order.as_ref())?;
        if let Some(projections) = &mut self.projections {
            projections.write(block).await?;
        }
        let mut from = 0;
        while from < block.rows {
            let rows = (self.plan.row_group_rows - self.group_rows).min(block.rows - from);
            self.begin_row_group()?;
            self.skip_indexes.write(block, from, rows, self.plan.lanes).await?;
            let columns = block.columns.iter().cloned().enumerate().collect();
            encode(&mut self.encoders, columns, &block.taken(from, rows), self.plan.lanes).await?;
            self.account()?;
            self.group_rows += rows;
            self.rows += rows as u64;
            from += rows;
            if self.room() == 0 {
                self.end_row_group().await?;
                self.write_skip_indexes(false).await?;
            }
        }
        Ok(())
    }

    /// As `write`, of some columns: those that keys, skip indexes and TTL look at, and perhaps others. The block is not larger
    /// than the row group's `room`, and its other columns are not looked at; `end_row_group_with` brings them.
    pub async fn write_leading(&mut self, block: &Sorted, leading: &[usize]) -> Result<()> {
        self.index_rows(block)?;
        self.ttl.see(&block.columns, block.order.as_ref())?;
        self.begin_row_group()?;
        self.skip_indexes.write(block, 0, block.rows, self.plan.lanes).await?;
        let columns = leading.iter().map(|place| (*place, block.columns[*place].clone())).collect();
        encode(&mut self.encoders, columns, &block.taken(0, block.rows), self.plan.lanes).await?;
        self.account()?;
        self.group_rows += block.rows;
        self.rows += block.rows as u64;
        Ok(())
    }

    /// Ends the row group whose leading columns were written with the others. Each is sent when it is whole and its turn
    /// comes: what is held are the leading columns and those under way.
    pub async fn end_row_group_with(&mut self, others: &mut dyn ColumnSource) -> Result<()> {
        let finished = || Error::logical("A finished part is written to");
        let mut at = self.file.bytes_written() as u64;
        let mut group = self.file.next_row_group()?;
        let upload = self.upload.as_mut().ok_or_else(finished)?;
        let mut next = 0;
        loop {
            let gathered = others.next().await?;
            let ended = gathered.is_none();
            if let Some((places, columns)) = gathered {
                let rows = columns.first().map_or(0, |column| column.len());
                let columns = places.into_iter().zip(columns).collect();
                encode(&mut self.encoders, columns, &RowsTaken::Run(0..rows), self.plan.lanes).await?;
            }
            let encoded: u64 = self.encoders.iter().flatten().map(ColumnEncoder::memory_bytes).sum();
            self.memory.resize(encoded + self.skip_indexes.memory_bytes())?;
            while let Some(encoder) = self.encoders.get_mut(next) {
                let Some(whole) = encoder.take_if(|encoder| encoder.rows() == self.group_rows) else { break };
                let chunk = close(whole, &mut self.column_bytes[next])?;
                self.sending.expect(chunk.pages(at));
                chunk.append_to(&mut group, &self.outlet, &mut at)?;
                self.sending.send(&self.outlet, upload, Sent::Rows).await?;
                next += 1;
            }
            if ended {
                break;
            }
        }
        if next < self.encoders.len() {
            return Err(Error::logical(format!("Column {next} of a row group lacks rows")));
        }
        group.close()?;
        self.row_group_ended(at)?;
        self.write_skip_indexes(false).await
    }

    /// Puts what there is of skip indexes behind the row group.
    async fn write_skip_indexes(&mut self, ends: bool) -> Result<()> {
        let mut at = self.file.bytes_written() as u64;
        let data = self.skip_indexes.take(&mut at, ends)?;
        if data.is_empty() {
            return Ok(());
        }
        let upload = self.upload.as_mut().ok_or_else(|| Error::logical("A finished part is written to"))?;
        for chunk in data {
            self.file.write_all(&chunk)?;
        }
        self.file.flush()?;
        self.sending.send(&self.outlet, upload, Sent::Rows).await
    }

    fn begin_row_group(&mut self) -> Result<()> {
        if self.encoders.is_empty() {
            self.encoders = self.row_group_encoders()?.into_iter().map(Some).collect();
        }
        Ok(())
    }

    fn row_group_encoders(&self) -> Result<Vec<ColumnEncoder>> {
        let plan = &self.plan;
        let written = Written {
            columns: &self.layout.columns,
            leaves: &self.leaves_by_column,
            schema: &self.descriptor,
            dictionaries: &plan.dictionaries,
            text: &plan.text,
            codec: plan.codec,
            granule_rows: plan.granule_rows,
            by_crate: &self.by_crate,
        };
        encoders(&self.crate_writers, self.groups, written)
    }

    fn index_rows(&mut self, block: &Sorted) -> Result<()> {
        if block.keys.is_empty() || block.rows == 0 {
            return Ok(());
        }
        let granule_rows = self.plan.granule_rows;
        let first = (granule_rows - (self.rows % granule_rows as u64) as usize) % granule_rows;
        let place = |row: usize| block.order.as_ref().map_or(row as u32, |order| order.value(row));
        let starts = UInt32Array::from_iter_values((first..block.rows).step_by(granule_rows).map(place));
        self.index.push(&block.keys, &starts, place(block.rows - 1) as usize)
    }

    /// Holds what the encoders hold.
    fn account(&mut self) -> Result<()> {
        let encoded: u64 = self.encoders.iter().flatten().map(ColumnEncoder::memory_bytes).sum();
        self.memory.resize(encoded + self.skip_indexes.memory_bytes())
    }

    async fn end_row_group(&mut self) -> Result<()> {
        let mut chunks = Vec::with_capacity(self.encoders.len());
        for (encoder, bytes) in self.encoders.drain(..).zip(&mut self.column_bytes) {
            let encoder = encoder.ok_or_else(|| Error::logical("A column of a row group is missing"))?;
            chunks.push(close(encoder, bytes)?);
        }
        let mut at = self.file.bytes_written() as u64;
        let mut group = self.file.next_row_group()?;
        let upload = self.upload.as_mut().ok_or_else(|| Error::logical("A finished part is written to"))?;
        for chunk in chunks {
            self.sending.expect(chunk.pages(at));
            chunk.append_to(&mut group, &self.outlet, &mut at)?;
            self.sending.send(&self.outlet, upload, Sent::Rows).await?;
        }
        group.close()?;
        self.row_group_ended(at)
    }

    /// `end`: where the row group's columns should have ended in the file.
    fn row_group_ended(&mut self, end: u64) -> Result<()> {
        if self.file.bytes_written() as u64 != end {
            return Err(Error::logical("The columns of a row group are not where they were to be"));
        }
        self.encoders.clear();
        self.groups += 1;
        self.group_rows = 0;
        self.memory.resize(0)
    }

    /// Ends the object, and those of its projections. They are whole then, and invisible until their names are committed.
    pub async fn finish(mut self) -> Result<WrittenPart> {
        let projections = match self.projections.take() {
            Some(projections) => projections.finish().await,
            None => Ok(BTreeMap::new()),
        };
        match projections {
            Ok(projections) => Ok(WrittenPart { projections, ..self.finish_rows().await? }),
            Err(error) => {
                self.abort().await;
                Err(error)
            }
        }
    }

    async fn finish_rows(mut self) -> Result<WrittenPart> {
        if self.group_rows > 0 {
            self.end_row_group().await?;
        }
        self.write_skip_indexes(true).await?;
        let header = self.header();
        let names: Vec<String> = self.layout.primary().iter().map(|key| key.text.clone()).collect();
        let index = std::mem::take(&mut self.index).encode(&names)?;
        let block = header.encode(&index)?;
        self.file.flush()?;
        let tail_offset = self.file.bytes_written() as u64;
        let mut upload = self.upload.take().ok_or_else(|| Error::logical("A part is finished twice"))?;
        self.sending.send(&self.outlet, &mut upload, Sent::Rows).await?;
        self.file.write_all(&block)?;
        self.file.write_all(&self.sending.page_sums()?)?;
        for (key, value) in [(OFFSET_KEY, tail_offset), (LENGTH_KEY, block.len() as u64), (VERSION_KEY, u64::from(VERSION))]
        {
            self.file.append_key_value_metadata(KeyValue::new(key.to_string(), value.to_string()));
        }
        let metadata = self.file.finish()?;
        let statistics = statistics(&self.layout, &metadata)?;
        self.file.inner_mut().flush()?;
        self.sending.send(&self.outlet, &mut upload, Sent::Tail).await?;
        upload.finish().await?;
        Ok(WrittenPart {
            key: std::mem::take(&mut self.plan.key),
            header,
            bytes: self.sending.bytes,
            tail_offset,
            tail_hash: self.sending.tail_hash(),
            index_bytes: index.len() as u64,
            statistics,
            ttl: self.ttl.finish(),
            projections: BTreeMap::new(),
        })
    }

    fn header(&self) -> PartHeader {
        let columns = self.layout.columns.iter().enumerate();
        PartHeader {
            version: VERSION,
            rows: self.rows,
            granule_rows: self.plan.granule_rows as u64,
            row_group_rows: self.plan.row_group_rows as u64,
            partition_id: self.plan.partition_id.clone(),
            partition: self.plan.partition.clone(),
            sorting_key: self.layout.sorting.iter().map(|key| key.text.clone()).collect(),
            primary_key_length: self.layout.primary_key_length,
            level: self.plan.level,
            columns: columns
                .map(|(i, column)| ColumnHeader {
                    name: column.name.clone(),
                    key: Some(self.layout.key(i)).filter(|key| *key != column.name).map(str::to_string),
                    kind: column.kind.to_string(),
                    text: self.plan.text[i],
                    dictionary: self.plan.dictionaries[i],
                    uncompressed_bytes: self.column_bytes[i].0,
                    compressed_bytes: self.column_bytes[i].1,
                })
                .collect(),
            skip_indexes: self.skip_indexes.headers(),
        }
    }

    /// Leaves nothing behind.
    pub async fn abort(mut self) {
        if let Some(projections) = self.projections.take() {
            projections.abort().await;
        }
        if let Some(upload) = self.upload.take() {
            upload.abort().await;
        }
    }
}

/// Least and greatest values of the columns that the manifest keeps them of.
fn statistics(layout: &Layout, metadata: &ParquetMetaData) -> Result<BTreeMap<String, (Value, Value)>> {
    let schema = storage_schema(&layout.columns);
    let mut kept = BTreeMap::new();
    for &place in &layout.statistics_columns {
        let column = &layout.columns.0[place];
        let converter = StatisticsConverter::try_new(&column.name, &schema, metadata.file_metadata().schema_descr())?;
        let least = from_storage(&column.kind, &converter.row_group_mins(metadata.row_groups())?)?;
        let greatest = from_storage(&column.kind, &converter.row_group_maxes(metadata.row_groups())?)?;
        if least.null_count() > 0 || greatest.null_count() > 0 {
            continue;
        }
        if let Some(range) = value::range(&column.kind, &least, &greatest)? {
            kept.insert(layout.key(place).to_string(), range);
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use arrow::array::UInt64Array;
    use gristmill_types::parse;

    use super::*;
    use crate::store::MemoryStore;
    use crate::testing::{TableSpec, context};

    /// A part of these rows, in row groups of one granule.
    async fn written(spec: TableSpec, values: &[u64]) -> WrittenPart {
        let store: Arc<dyn PartStore> = MemoryStore::new();
        let table = spec.open(store.clone()).await.expect("opens");
        let plan = PartPlan {
            key: "parts/p".to_string(),
            partition_id: "all".to_string(),
            partition: "tuple()".to_string(),
            level: 0,
            codec: Codec::Lz4,
            granule_rows: 8192,
            row_group_rows: 8192,
            text: vec![false],
            dictionaries: vec![false],
            lanes: 1,
        };
        let context = context(&[]).expect("context");
        let mut writer = PartWriter::create(&context, &store, table.core().layout.clone(), plan).await.expect("begins");
        let column: ArrayRef = Arc::new(UInt64Array::from(values.to_vec()));
        let rows = Sorted { keys: vec![column.clone()], columns: vec![column], order: None, rows: values.len() };
        writer.write(&rows).await.expect("writes");
        writer.finish().await.expect("ends")
    }

    /// An index lies behind its row group, and holds no row twice.
    #[tokio::test(flavor = "multi_thread")]
    async fn skip_indexes_lie_between_row_groups() {
        let columns = parse::structure("k UInt64").expect("columns");
        let plain = TableSpec::new(columns, &["k"], &[]).expect("spec");
        let many: Vec<u64> = (0..20_000).collect();
        let without = written(plain.clone(), &many).await;
        let with = written(plain.with_skip_index("i", "k", "set(0)", 1).with_skip_index("j", "k", "minmax", 2), &many).await;
        assert!(without.header.skip_indexes.is_empty());
        let units =
            |at: usize| -> Vec<u64> { with.header.skip_indexes[at].chunks.iter().map(|chunk| chunk.units).collect() };
        // The second unit of two granules ends with the part, in the third row group.
        assert_eq!((units(0), units(1)), (vec![1, 1, 1], vec![1, 1]));
        let mut chunks: Vec<(u64, u64)> = Vec::new();
        for index in &with.header.skip_indexes {
            chunks.extend(index.chunks.iter().map(|chunk| (chunk.offset, chunk.offset + chunk.length)));
        }
        chunks.sort_unstable();
        assert!(chunks.windows(2).all(|pair| pair[0].1 <= pair[1].0));
        assert!(chunks.last().is_some_and(|last| last.1 == with.tail_offset), "the last ones lie before the tail");
        assert_eq!(with.skip_indexes().keys().collect::<Vec<_>>(), ["i", "j"]);
    }
}
