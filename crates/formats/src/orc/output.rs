//! ORC output: columns are encoded as batches come, and written as a stripe once they have 64 MiB.
//!
//! Stripes have no indexes of rows: their readers here and elsewhere read them as wholes.

use arrow::array::RecordBatch;
use gristmill_base::{Error, ErrorCode, Result};
use gristmill_introspect::Settings;
use gristmill_types::Columns;

use super::encode::{Encoder, StripeOut, append_type};
use super::file::{Counts, Encoding, MAGIC, Stripe, StripeFooter, Type, write_end};
use super::schema::kind;
use super::unpack::{Codec, Packing};
use crate::output::{OutputFormat, ResultSummary};

/// Encoded bytes from which on a stripe is written.
const STRIPE_BYTES: usize = 64 << 20;
/// Of limited memory, a stripe is so small a part.
const MEMORY_SHARE: u64 = 16;
const STRIPE_BYTES_MIN: u64 = 1 << 20;
/// Rows after which the size of the stripe is looked at.
const PIECE_ROWS: usize = 8192;
/// In which time zone timestamps are written.
const ZONE: &str = "GMT";

pub(crate) struct OrcOutput {
    packing: Packing,
    types: Vec<Type>,
    columns: Vec<Encoder>,
    stripe_bytes: usize,
    /// Rows of the stripe that is gathered.
    rows: u64,
    stripes: Vec<Stripe>,
    /// Bytes of the file so far.
    written: u64,
}

impl OrcOutput {
    pub fn new(columns: Columns, settings: &Settings) -> Result<Self> {
        if !matches!(&settings.output_format_orc_writer_time_zone_name[..], "GMT" | "UTC" | "Etc/UTC" | "Etc/GMT") {
            return Err(Error::not_implemented(format!(
                "Setting output_format_orc_writer_time_zone_name is '{}': timestamps are written to ORC in GMT only",
                settings.output_format_orc_writer_time_zone_name
            )));
        }
        let mut types = vec![Type { kind: kind::STRUCT, ..Type::default() }];
        for column in &columns {
            let place = types.len() as u64;
            types[0].children.push(place);
            types[0].names.push(column.name.clone());
            append_type(&column.kind, settings.output_format_orc_string_as_string, &mut types)
                .map_err(|error| error.with_context(format!("column {}", column.name)))?;
        }
        let block_bytes = settings.output_format_orc_compression_block_size;
        let packing = Packing::new(codec(&settings.output_format_orc_compression_method)?, block_bytes).map_err(|_| {
            Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!("Setting output_format_orc_compression_block_size is {block_bytes}: give up to 8388607"),
            )
        })?;
        let share = match settings.max_memory_usage {
            0 => u64::MAX,
            limit => (limit / MEMORY_SHARE).max(STRIPE_BYTES_MIN),
        };
        Ok(OrcOutput {
            packing,
            types,
            columns: columns.iter().map(|column| Encoder::new(&column.kind)).collect(),
            stripe_bytes: STRIPE_BYTES.min(usize::try_from(share).unwrap_or(usize::MAX)),
            rows: 0,
            stripes: Vec::new(),
            written: 0,
        })
    }

    fn end_stripe(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        // The first column is the row.
        let mut stripe = StripeOut { encodings: vec![Encoding::DIRECT], ..StripeOut::default() };
        self.columns.iter_mut().for_each(|column| column.finish(&mut stripe));
        let start = out.len();
        let mut streams = Vec::with_capacity(stripe.streams.len());
        for (mut stream, bytes) in stripe.streams {
            let packed = self.packing.pack(&bytes)?;
            stream.bytes = packed.len() as u64;
            out.extend_from_slice(&packed);
            streams.push(stream);
        }
        let data_bytes = (out.len() - start) as u64;
        let footer = StripeFooter { streams, encodings: stripe.encodings, zone: ZONE.to_string() };
        let footer = self.packing.pack(&footer.message())?;
        out.extend_from_slice(&footer);
        let footer_bytes = footer.len() as u64;
        self.stripes.push(Stripe { offset: self.written, index_bytes: 0, data_bytes, footer_bytes, rows: self.rows });
        self.written += data_bytes + footer_bytes;
        self.rows = 0;
        Ok(())
    }
}

/// By the name that the setting takes.
fn codec(name: &str) -> Result<Codec> {
    Ok(match &name.to_ascii_lowercase()[..] {
        "none" => Codec::None,
        "zlib" => Codec::Zlib,
        "snappy" => Codec::Snappy,
        "lz4" => Codec::Lz4,
        "zstd" => Codec::Zstd,
        _ => {
            return Err(Error::new(
                ErrorCode::BAD_ARGUMENTS,
                format!(
                    "Setting output_format_orc_compression_method is '{name}': give one of none, snappy, zstd, lz4, zlib"
                ),
            ));
        }
    })
}

impl OutputFormat for OrcOutput {
    fn start(&mut self, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(MAGIC);
        self.written = MAGIC.len() as u64;
        Ok(())
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut Vec<u8>) -> Result<()> {
        for from in (0..batch.num_rows()).step_by(PIECE_ROWS) {
            let piece = batch.slice(from, PIECE_ROWS.min(batch.num_rows() - from));
            for (encoder, array) in self.columns.iter_mut().zip(piece.columns()) {
                encoder.push(array)?;
            }
            self.rows += piece.num_rows() as u64;
            if self.columns.iter().map(Encoder::bytes).sum::<usize>() >= self.stripe_bytes {
                self.end_stripe(out)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, _summary: &ResultSummary, out: &mut Vec<u8>) -> Result<()> {
        self.end_stripe(out)?;
        let rows = self.stripes.iter().map(|stripe| stripe.rows).sum();
        let mut counts = vec![Counts { values: rows, has_null: false }];
        self.columns.iter().for_each(|column| column.counts(&mut counts));
        write_end(&self.types, &self.stripes, &counts, &self.packing, self.written, out)
    }
}
