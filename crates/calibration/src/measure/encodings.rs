//! Bytes that become values: LZ4 and ZSTD of pages, and Parquet's encodings of numbers and texts, without compression, as
//! batches that operators take.

use std::hint::black_box;
use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryViewArray, Int64Array, RecordBatch};
use arrow::datatypes::{Field, Schema};
use bytes::Bytes;
use gristmill_base::{Error, Result};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::Encoding;
use parquet::file::properties::WriterProperties;

use super::{Bench, Figures, data};
use crate::figures::{NUMBERS, Resource, TEXTS};

/// Of a page that is compressed.
const PAGE_BYTES: usize = 1 << 20;
const ZSTD_LEVEL: i32 = 1;
/// Of a column that is decoded.
const ROWS: usize = 1 << 17;
/// Different values where there are few.
const FEW: usize = 1000;
/// Of the file whose footer is decoded.
const COLUMNS: usize = 20;
const BATCH_ROWS: usize = 8192;

pub fn measure(bench: &Bench<'_>, figures: &mut Figures) -> Result<()> {
    let numbers: Vec<u8> = data::rising_numbers(PAGE_BYTES / 8).iter().flat_map(|number| number.to_le_bytes()).collect();
    let texts = data::texts(PAGE_BYTES / 40).concat().into_bytes();
    for (level, page) in [(NUMBERS, &numbers), (TEXTS, &texts)] {
        compression(bench, level, page, figures)?;
    }
    let rising: ArrayRef = Arc::new(Int64Array::from(data::rising_numbers(ROWS)));
    let few: ArrayRef = Arc::new(Int64Array::from(data::few_numbers(ROWS, FEW as u64)));
    let many_texts = views(&data::texts(ROWS));
    let few_texts = views(&data::few_texts(ROWS, FEW));
    for (level, values, encoding) in [
        ("plain numbers", &rising, Some(Encoding::PLAIN)),
        ("delta numbers", &rising, Some(Encoding::DELTA_BINARY_PACKED)),
        ("dictionary numbers", &few, None),
        ("plain texts", &many_texts, Some(Encoding::PLAIN)),
        ("delta texts", &many_texts, Some(Encoding::DELTA_BYTE_ARRAY)),
        ("dictionary texts", &few_texts, None),
    ] {
        let file = file(std::slice::from_ref(values), encoding)?;
        let bytes = value_bytes(values);
        let rate = bench.rate(|| decoded(&file).map(|()| bytes))?;
        figures.add(Resource::ParquetDecode, level, 0, rate);
    }
    let wide = file(&vec![rising.slice(0, BATCH_ROWS); COLUMNS], Some(Encoding::PLAIN))?;
    let opened = bench.rate(|| {
        for _ in 0..16 {
            black_box(ArrowReaderMetadata::load(&wide, ArrowReaderOptions::new()).map_err(Error::from)?);
        }
        Ok(16)
    })?;
    figures.add(Resource::ParquetOpen, "", 0, opened);
    Ok(())
}

fn compression(bench: &Bench<'_>, level: &str, page: &[u8], figures: &mut Figures) -> Result<()> {
    let failed = |what: &str, error: &dyn std::fmt::Display| Error::logical(format!("{what} of a page to measure: {error}"));
    let bytes = page.len() as u64;
    let packed = lz4_flex::block::compress(page);
    let encoded = bench.rate(|| {
        black_box(lz4_flex::block::compress(page));
        Ok(bytes)
    })?;
    figures.add(Resource::Lz4Encode, level, 0, encoded);
    let mut unpacked = vec![0u8; page.len()];
    let decoded = bench.rate(|| {
        lz4_flex::block::decompress_into(&packed, &mut unpacked).map_err(|error| failed("LZ4", &error))?;
        black_box(&unpacked);
        Ok(bytes)
    })?;
    figures.add(Resource::Lz4Decode, level, 0, decoded);
    let mut compressor = zstd::bulk::Compressor::new(ZSTD_LEVEL).map_err(|error| failed("ZSTD", &error))?;
    let mut decompressor = zstd::bulk::Decompressor::new().map_err(|error| failed("ZSTD", &error))?;
    let packed = compressor.compress(page).map_err(|error| failed("ZSTD", &error))?;
    let encoded = bench.rate(|| {
        black_box(compressor.compress(page).map_err(|error| failed("ZSTD", &error))?);
        Ok(bytes)
    })?;
    figures.add(Resource::ZstdEncode, level, 0, encoded);
    let decoded = bench.rate(|| {
        decompressor.decompress_to_buffer(&packed, &mut unpacked).map_err(|error| failed("ZSTD", &error))?;
        black_box(&unpacked);
        Ok(bytes)
    })?;
    figures.add(Resource::ZstdDecode, level, 0, decoded);
    Ok(())
}

fn views(texts: &[String]) -> ArrayRef {
    Arc::new(BinaryViewArray::from_iter_values(texts.iter().map(String::as_bytes)))
}

/// Bytes of values, without what an array needs beside them.
fn value_bytes(array: &ArrayRef) -> u64 {
    match array.as_any().downcast_ref::<BinaryViewArray>() {
        Some(texts) => texts.iter().flatten().map(|text| text.len() as u64).sum(),
        None => 8 * array.len() as u64,
    }
}

/// A file of uncompressed columns; without an encoding they have dictionaries.
fn file(columns: &[ArrayRef], encoding: Option<Encoding>) -> Result<Bytes> {
    let field = |(at, array): (usize, &ArrayRef)| Field::new(format!("c{at}"), array.data_type().clone(), false);
    let schema = Arc::new(Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>()));
    let mut properties = WriterProperties::builder().set_dictionary_enabled(encoding.is_none());
    if let Some(encoding) = encoding {
        properties = properties.set_encoding(encoding);
    }
    let batch = RecordBatch::try_new(schema.clone(), columns.to_vec())?;
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties.build()))?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(bytes.into())
}

fn decoded(file: &Bytes) -> Result<()> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(file.clone())?.with_batch_size(BATCH_ROWS).build()?;
    for batch in reader {
        black_box(batch?);
    }
    Ok(())
}
