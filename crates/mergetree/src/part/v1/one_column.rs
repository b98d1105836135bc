//! Files of one column for tests, written by our encoders or by the Parquet crate's.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use bytes::Bytes;
use gristmill_types::parse;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::SchemaDescriptor;

use super::crate_writers::CrateWriters;
use super::encode::{Codec, RowsTaken, Written, by_crate, encoders, properties};
use super::outlet::Outlet;
use super::schema::annotated_schema;

/// How the file is made.
#[derive(Clone, Copy)]
pub struct Making {
    /// ClickHouse's type of the column.
    pub kind: &'static str,
    pub text: bool,
    pub dictionary: bool,
    pub codec: Codec,
    pub granule_rows: usize,
    /// An encoder of ours writes it, where there is one.
    pub by_own: bool,
}

/// The file, of one row group; the arrays are those in memory.
pub fn file(making: Making, blocks: &[ArrayRef]) -> Bytes {
    let Making { kind, text, dictionary, codec, granule_rows, by_own } = making;
    let columns = parse::structure(&format!("c {kind}")).expect("columns");
    let root = annotated_schema(&columns, &[text]).expect("a schema");
    let schema = SchemaDescriptor::new(root.clone());
    let properties = properties(&columns, &schema, &[dictionary], codec, granule_rows).expect("properties");
    let outlet = Outlet::default();
    let (leaves, dictionaries, text) = (&[1], &[dictionary], &[text]);
    let by_crate = if by_own { by_crate(&columns, &schema, leaves) } else { vec![true] };
    let writers = CrateWriters::new(&columns, text, &by_crate, &properties).expect("writers");
    let mut file = SerializedFileWriter::new(outlet.clone(), root, properties).expect("a file");
    let (columns, schema, by_crate) = (&columns, &schema, &by_crate);
    let written = Written { columns, leaves, schema, dictionaries, text, codec, granule_rows, by_crate };
    let mut encoder = encoders(&writers, 0, written).expect("encoders").remove(0);
    for block in blocks {
        encoder.write(block, &RowsTaken::Run(0..block.len())).expect("written");
    }
    let mut at = file.bytes_written() as u64;
    let mut group = file.next_row_group().expect("a row group");
    encoder.finish().expect("encoded").append_to(&mut group, &outlet, &mut at).expect("appended");
    group.close().expect("closed");
    file.into_inner().expect("a file");
    outlet.take().concat().into()
}

pub fn metadata(file: &Bytes) -> Arc<ParquetMetaData> {
    let options =
        ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required).with_encoding_stats_as_mask(false);
    ArrowReaderMetadata::load(file, options).expect("metadata").metadata().clone()
}

/// Its rows, by the Parquet crate.
pub fn batches(file: Bytes) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a file").build().expect("a reader");
    reader.map(|batch| batch.expect("rows")).collect()
}

/// Where each page begins, in rows.
pub fn page_rows(metadata: &ParquetMetaData) -> Vec<i64> {
    let index = metadata.offset_index().expect("an offset index");
    index[0][0].page_locations().iter().map(|page| page.first_row_index).collect()
}
